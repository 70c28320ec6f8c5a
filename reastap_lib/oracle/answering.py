"""The answer to a question, as a reader finds it in the table; or why there is none that all readers would give."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from reastap_lib.oracle.calendar import Time
from reastap_lib.oracle.clauses import Clause, order
from reastap_lib.oracle.grammar import Filled, readings
from reastap_lib.oracle.results import like_the_cells
from reastap_lib.oracle.sheet import Rows, Sheet, Unclear, Unreadable, is_blank, plain

JOIN = ", "
_WORDS = re.compile(r"\w+")
_CLAUSES = ("where", "whose", "asked", "had", "then")


@dataclass(frozen=True, slots=True)
class Reply:
    """What this reader says to a question.

    Args:
        text: The answer; empty where there is none.
        unclear: Why readers could differ.
        unread: Why this reader cannot tell.
        column: The column that was asked for, where the answer is cells of one.
        said: The values in the question, in which no answer should stand.
    """

    text: str = ""
    unclear: str = ""
    unread: str = ""
    column: int | None = None
    said: tuple[str, ...] = ()


def ask(question: str, sheet: Sheet) -> Reply:
    """Answer a question by every reading of it.

    >>> sheet = Sheet(["Name", "Club", "Goals"], [["Ann", "Reds", "9"], ["Bob", "Reds", "12"], ["Cyd", "Blues", "3"]])
    >>> ask("Which Name whose Club was Reds had the most Goals?", sheet).text
    'Bob'
    >>> ask("How many Names had Goals above 3?", sheet).text
    '2'
    """
    if sheet.fault:
        return Reply(unclear=sheet.fault)
    replies = [_reply(kind, filled, sheet) for kind, filled in readings(sheet, question)]
    answers = {reply.text: reply for reply in replies if reply.text}
    unclear = [reply for reply in replies if reply.unclear]
    if len(answers) > 1:
        return Reply(unclear=f"several readings: {', '.join(map(repr, sorted(answers)))}")
    if unclear:
        return unclear[0]
    if answers:
        return next(iter(answers.values()))
    return replies[0] if replies else Reply(unread="no such question is known")


def _reply(kind: str, filled: Filled, sheet: Sheet) -> Reply:
    parts = [clause for name in _CLAUSES for clause in filled.get(name, ())]
    try:
        text = _ANSWERS[kind](filled, sheet)
    except Unclear as error:
        return Reply(unclear=str(error))
    except Unreadable as error:
        return Reply(unread=str(error))
    cells = kind in ("pick", "place")
    return Reply(text, column=filled["noun"] if cells else None, said=tuple(clause.said for clause in parts))


def _rows(clauses: Iterable[Clause], sheet: Sheet) -> Rows:
    """The rows that meet all conditions; what cannot be said of one is raised."""
    rows = sheet.all_rows
    for clause in clauses:
        if isinstance(clause.rows, Unclear | Unreadable):
            raise clause.rows
        rows &= clause.rows
    return rows


def _where(filled: Filled, sheet: Sheet) -> Rows:
    return _rows(itertools.chain(*(filled.get(name, ()) for name in ("where", "whose"))), sheet)


def _cells(column: int, rows: Collection[int], sheet: Sheet) -> str:
    cells = [sheet.columns[column][i] for i in sorted(rows)]
    if not cells:
        raise Unclear("no row is meant")
    if any(map(is_blank, cells)):
        raise Unclear("the answer's cell is blank")
    if len(cells) > 1 and len(set(map(plain, cells))) < len(cells):
        raise Unclear("the same answer twice")
    if len(cells) > 1 and any("," in cell for cell in cells):
        raise Unclear("a list that reads as another")
    return JOIN.join(cells)


def _pick(filled: Filled, sheet: Sheet) -> str:
    return _cells(filled["noun"], _where(filled, sheet), sheet)


def _count(filled: Filled, sheet: Sheet) -> str:
    rows = _rows(itertools.chain(*(filled.get(name, ()) for name in ("where", "asked", "had"))), sheet)
    if "names" in filled:
        names = sheet.columns[filled["names"]]
        if any(map(is_blank, names)) or len(set(map(plain, names))) < len(names):
            raise Unclear("a name of several rows: rows or names could be counted")
    return str(len(rows))


def _fold(filled: Filled, sheet: Sheet) -> str:
    rows, numbers = _where(filled, sheet), sheet.measures(filled["noun"])
    if not rows or not rows <= numbers.keys():
        raise Unclear("no row is meant, or a blank is among the numbers")
    total = sum((numbers[i].value for i in rows), Fraction(0))
    average = filled["fold"] == "average"
    cells = [sheet.columns[filled["noun"]][i] for i in numbers]
    return like_the_cells(total / len(rows) if average else total, cells, list(numbers.values()), average=average)


def _place(filled: Filled, sheet: Sheet) -> str:
    k, what, largest = filled.get("place") or filled["came"]
    ranked: dict[int, Any] = (sheet.times if what == "times" else sheet.measures)(filled["by"])
    rows = [i for i in _where(filled, sheet) if i in ranked]
    compare: Callable[[int, int], int] = (
        (lambda i, j: order(ranked[i], ranked[j]))
        if what == "times"
        else (lambda i, j: (ranked[i].value > ranked[j].value) - (ranked[i].value < ranked[j].value))
    )
    rows.sort(key=cmp_to_key(compare), reverse=largest)
    if k > len(rows):
        raise Unclear("fewer rows than the place")
    if k > 1 and any(compare(i, j) == 0 for i, j in itertools.pairwise(rows[: k + 1])):
        raise Unclear("a tie at or above the place")
    return _cells(filled["noun"], [i for i in rows if compare(i, rows[k - 1]) == 0], sheet)


def _gap(filled: Filled, sheet: Sheet) -> str:
    if any(filled.get(f"{name}2", filled.get(name)) != filled.get(name) for name in ("noun", "date")):
        return ""
    times = sheet.times(filled["date"])
    found = [_named_rows(filled[name], filled.get("noun"), sheet) for name in ("one", "two")]
    if not all(found):
        return ""
    if any(len(rows) > 1 for rows in found):
        raise Unclear("a name of several rows")
    rows = [row for rows in found for row in rows]
    if not all(row in times for row in rows):
        raise Unclear("a blank date")
    return _time_between(times[rows[0]], times[rows[1]], filled["unit"])


def _named_rows(name: str, column: int | None, sheet: Sheet) -> Rows:
    """The rows with the name in the column; where none is said, in any."""
    columns = range(len(sheet.header)) if column is None else [column]
    return frozenset().union(*(sheet.equal(i, name) for i in columns))


def _time_between(one: Time, other: Time, unit: str) -> str:
    early, late = sorted((one.first, other.first))
    if "range" in (one.precision, other.precision) or one.precision != other.precision or early == late:
        raise Unclear("no one time lies between the two")
    months = 12 * (late[0] - early[0]) + late[1] - early[1]
    if (unit != "day" and early[2] != late[2]) or (unit == "year" and months % 12):
        raise Unclear(f"no whole number of {unit}s")
    days = (date(*late) - date(*early)).days if early[2] else 0
    number = {"year": months // 12, "month": months, "day": days}[unit]
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _every(filled: Filled, sheet: Sheet) -> str:
    where, then = (filled.get("where") or filled["whose"]), (filled.get("asked") or filled["then"])
    return _yes(_rows(where, sheet), _rows(then, sheet), (*where, *then), sheet)


def _only(filled: Filled, sheet: Sheet) -> str:
    where, then = (filled.get("where") or filled["whose"]), (filled.get("asked") or filled["then"])
    return _yes(_rows(then, sheet), _rows(where, sheet), (*where, *then), sheet)


def _yes(inner: Rows, outer: Rows, clauses: Iterable[Clause], sheet: Sheet) -> str:
    if not inner or any(len(sheet.present(clause.column)) < sheet.size for clause in clauses):
        raise Unclear("only or every over no row, or over blanks")
    return "Yes" if inner <= outer else "No"


_ANSWERS: dict[str, Callable[[Filled, Sheet], str]] = {
    "pick": _pick,
    "count": _count,
    "fold": _fold,
    "place": _place,
    "gap": _gap,
    "every": _every,
    "only": _only,
}


def stands_in(answer: str, texts: Iterable[str]) -> bool:
    """Whether an answer of three characters or more stands, as whole words, in one of the texts.

    >>> stands_in("Reds", ["the Reds"]), stands_in("Red", ["Reds"]), stands_in("5", ["5"])
    (True, False, False)
    """
    wanted = _spaced(answer)
    return len(answer) > 2 and bool(wanted.strip()) and any(wanted in _spaced(text) for text in texts)


def _spaced(text: str) -> str:
    """The words of a text with a space before and after each."""
    return f" {' '.join(_WORDS.findall(plain(text)))} "
