"""SQL text read into the tree of `reastap_lib.pairs.grammar`, all of it, as SQUALL has it and as we write it."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NoReturn, cast

from reastap_lib.pairs.grammar import (
    AGGREGATIONS,
    ID_INDEX,
    Arithmetic,
    Between,
    Call,
    Column,
    Compare,
    Compound,
    Condition,
    Constant,
    Expression,
    Function,
    In,
    IsNull,
    Junction,
    Like,
    Operator,
    Query,
    Sign,
    Statement,
    quoted,
)
from workbench_lib.errors import WorkbenchError

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")|(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<word>[a-z]\w*)"""
    r"""|(?P<mark><>|!=|<=|>=|[<>=()+\-*/,]))""",
    re.IGNORECASE,
)
_COLUMN = re.compile(r"c(?P<number>[1-9]\d*)(?:_(?P<part>\w+))?")
_OPERATORS = {"=": "=", "!=": "!=", "<>": "!=", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_FUNCTIONS = (*AGGREGATIONS, "abs", "year", "month")


class SqlSyntaxError(WorkbenchError):
    """SQL that is not in the grammar; shows where it leaves it."""


def parse_sql(text: str) -> Statement:
    """The statement that a text is.

    Raises:
        SqlSyntaxError: it is none of the grammar.

    >>> parse_sql("select count ( * ) from w where c4_number > 700")
    ... # doctest: +NORMALIZE_WHITESPACE
    Query(select=Call(function='count', argument=None, distinct=False),
          where=Compare(left=Column(index=3, part='number'), operator='>',
                        right=Constant(value=Decimal('700'), shown='700')),
          distinct=False, group=None, having=None, order=None, descending=False, limit=None, offset=0, source=True,
          name='')
    """
    reader = _Reader(text)
    statement = reader.statement()
    if reader.token:
        reader.fail()
    return statement


class _Reader:
    """A cursor over the tokens, and one method a rule of the grammar."""

    def __init__(self, text: str):
        self._text = text
        self._tokens: list[str] = []
        end = 0
        while match := _TOKEN.match(text, end):
            word = match["word"]
            self._tokens.append(word.lower() if word else match[match.lastgroup or 0])
            end = match.end()
        if text[end:].strip():
            raise SqlSyntaxError(f"not SQL from {text[end:].strip()[:30]!r} on: {text}")
        self._at = 0

    @property
    def token(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _at_select(self) -> bool:
        return self._tokens[self._at : self._at + 1] == ["select"]

    def fail(self) -> NoReturn:
        raise SqlSyntaxError(f"not in the grammar at {' '.join(self._tokens[self._at :])[:30]!r}: {self._text}")

    def statement(self) -> Statement:
        left = self.query()
        if self._take("union"):
            return Compound(left, "union", self.query())
        return Compound(left, "intersect", self.query()) if self._take("intersect") else left

    def query(self) -> Query:
        self._need("select")
        distinct = self._take("distinct")
        value = self._sum()
        select = Compare(value, self._operator(), self._sum()) if self.token in _OPERATORS else value
        name = self._column().name if self._take("as") else ""
        source = self._take("from", "w")
        where = self._condition() if self._take("where") else None
        group = self._column() if self._take("group", "by") else None
        having = self._condition() if self._take("having") else None
        order = self._sum() if self._take("order", "by") else None
        descending = self._take("desc") or (self._take("asc") and False)
        limit = self._integer() if self._take("limit") else None
        offset = self._integer() if limit is not None and self._take("offset") else 0
        return Query(select, where, distinct, group, having, order, descending, limit, offset, source, name)

    def _condition(self) -> Condition:
        parts = [self._all_of()]
        while self._take("or"):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else Junction("or", tuple(parts))

    def _all_of(self) -> Condition:
        parts = [self._test()]
        while self._take("and"):
            parts.append(self._test())
        return parts[0] if len(parts) == 1 else Junction("and", tuple(parts))

    def _test(self) -> Condition:
        start = self._at
        try:
            return self._comparison(self._sum())
        except SqlSyntaxError:
            self._at = start
            if not self._take("("):
                raise
        inside = self._condition()
        self._need(")")
        return inside

    def _comparison(self, value: Expression) -> Condition:
        if self.token in _OPERATORS:
            return Compare(value, self._operator(), self._sum())
        if self._take("between"):
            low = self._constant()
            self._need("and")
            return Between(value, low, self._constant())
        if self._take("like"):
            return Like(value, self._constant()) if isinstance(value, Column) else self.fail()
        if self._take("is", "null"):
            return IsNull(value)
        if self._take("is", "not", "null") or self._take("not", "null"):
            return IsNull(value, negated=True)
        negated = self._take("not")
        self._need("in")
        return self._options(value, negated)

    def _options(self, value: Expression, negated: bool) -> In:
        self._need("(")
        if self._at_select():
            options: Statement | tuple[Constant, ...] = self.statement()
        else:
            listed = [self._constant()]
            while self._take(","):
                listed.append(self._constant())
            options = tuple(listed)
        self._need(")")
        return In(value, options, negated)

    def _sum(self) -> Expression:
        value = self._product()
        while self.token in ("+", "-"):
            value = Arithmetic(value, self._sign(), self._product())
        return value

    def _product(self) -> Expression:
        value = self._atom()
        while self.token in ("*", "/"):
            value = Arithmetic(value, self._sign(), self._atom())
        return value

    def _atom(self) -> Expression:
        if self._take("("):
            inside: Expression = self.query() if self._at_select() else self._sum()
            self._need(")")
            return inside
        if self._take("cast", "("):
            return self._cast()
        if self.token in _FUNCTIONS:
            return self._call()
        return self._column() if self.token[:1].isalpha() else self._constant()

    def _cast(self) -> Expression:
        """The two casts that we write: a part of a date, and a dividend."""
        if not self._take("substr", "("):
            value = self._sum()
            self._need("as", "double", ")")
            return value
        date = self._sum()
        function: Function = "year" if self._take(",", "1", ",", "4") else "month"
        if function == "month":
            self._need(",", "6", ",", "2")
        self._need(")", "as", "integer", ")")
        return Call(function, date)

    def _call(self) -> Call:
        function = cast("Function", self._next())
        self._need("(")
        distinct = self._take("distinct")
        argument = None if self._take("*") else self._sum()
        self._need(")")
        return Call(function, argument, distinct)

    def _column(self) -> Column:
        if self._take("id"):
            return Column(ID_INDEX)
        match = _COLUMN.fullmatch(self.token)
        if not match:
            self.fail()
        self._next()
        return Column(int(match["number"]) - 1, match["part"] or "")

    def _constant(self) -> Constant:
        sign = "-" if self._take("-") else ""
        token = self.token
        if token[:1] in ("'", '"') and not sign:
            text = self._next()[1:-1].replace(2 * token[0], token[0])
            return Constant(text, quoted(text))
        if not re.fullmatch(r"\d*\.?\d+", token):
            self.fail()
        return Constant(Decimal(sign + self._next()), sign + token)

    def _integer(self) -> int:
        if not self.token.isdigit():
            self.fail()
        return int(self._next())

    def _operator(self) -> Operator:
        return cast("Operator", _OPERATORS[self._next()])

    def _sign(self) -> Sign:
        return cast("Sign", self._next())

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, *words: str) -> bool:
        found = tuple(self._tokens[self._at : self._at + len(words)]) == words
        self._at += len(words) if found else 0
        return found

    def _need(self, *words: str) -> None:
        if not self._take(*words):
            self.fail()
