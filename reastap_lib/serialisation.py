"""A question and its table as one line of text, and back (ReasTAP, section 3).

`question [HEAD] h1 | h2 [ROW] c11 | c12 [ROW] ...`. What would look like structure inside a cell is escaped: `\\\\`
for a backslash, `\\p` for `|`, `\\n` and `\\r` for line breaks, `\\H` and `\\R` for [HEAD] and [ROW]. So
`parse(serialise(question, header, rows))` gives back exactly what went in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench_lib.errors import WorkbenchError

HEAD, ROW, BAR = " [HEAD] ", " [ROW] ", " | "
ANSWER_JOIN = ", "
_ESCAPES = {"\\": "\\\\", "|": "\\p", "\n": "\\n", "\r": "\\r", "[HEAD]": "\\H", "[ROW]": "\\R"}
_UNESCAPES = {escape: text for text, escape in _ESCAPES.items()}
_TO_ESCAPE = re.compile(r"\\|\||\n|\r|\[HEAD\]|\[ROW\]")
_ESCAPED = re.compile(r"\\(?:.|$)", re.DOTALL)

Rows = Sequence[Sequence[str]]


class SerialisationError(WorkbenchError):
    """Text that is no serialised table, or a table that cannot be cut short enough."""


def serialise(question: str, header: Sequence[str], rows: Rows) -> str:
    """The source text of a question about a table.

    >>> serialise("Who won?", ["Name", "Score | total"], [["Ann", "3"], ["Bob", "2"]])
    'Who won? [HEAD] Name | Score \\\\p total [ROW] Ann | 3 [ROW] Bob | 2'
    """
    return _escape(question) + HEAD + ROW.join(BAR.join(map(_escape, cells)) for cells in [header, *rows])


def parse(text: str) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Question, header and rows of a source text.

    Raises:
        SerialisationError: no [HEAD], an unknown escape, or a row of another length; names it.

    >>> parse("Who won? [HEAD] Name | Score [ROW] Ann | 3")
    ('Who won?', ('Name', 'Score'), (('Ann', '3'),))
    """
    question, found, table = text.partition(HEAD)
    if not found:
        raise SerialisationError(f"no [HEAD] in {text[:80]!r}")
    header, *rows = [tuple(map(_unescape, line.split(BAR))) for line in table.split(ROW)]
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise SerialisationError(f"row {number} has {len(row)} cells under {len(header)} headers: {list(row)!r}")
    return _unescape(question), header, tuple(rows)


def join_answers(items: Iterable[str]) -> str:
    """The target text: the answers joined by a comma and a space.

    >>> join_answers(["Ann", "Bob"])
    'Ann, Bob'
    """
    return ANSWER_JOIN.join(items)


def count_words(text: str) -> int:
    """How many words, split at white space, a text has; `|`, [HEAD] and [ROW] count as words."""
    return len(text.split())


def rows_that_fit(question: str, header: Sequence[str], rows: Rows, max_words: int) -> int:
    """How many rows, from the first on, the source text has room for within `max_words` words.

    The rule looks at question and table only, never at an answer, and keeps the header whole.

    Raises:
        SerialisationError: question and header alone are too long.

    >>> rows_that_fit("Who won?", ["Name", "Score"], [["Ann", "3"], ["Bob", "2"]], max_words=11)
    1
    """
    words = count_words(serialise(question, header, []))
    if words > max_words:
        raise SerialisationError(f"question and header have {words} words, more than {max_words}: {question[:80]!r}")
    for kept, row in enumerate(rows):
        words += count_words(ROW + BAR.join(map(_escape, row)))
        if words > max_words:
            return kept
    return len(rows)


def _escape(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], text)


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        if match[0] not in _UNESCAPES:
            raise SerialisationError(f"unknown escape {match[0]!r} in {text[:80]!r}")
        return _UNESCAPES[match[0]]

    return _ESCAPED.sub(plain, text) if "\\" in text else text
