"""A question and its table as one line of text, and back (ReasTAP, section 3); and how many rows there is room for.

`question [HEAD] h1 | h2 [ROW] c11 | c12 [ROW] ...`. What would look like structure inside a text is escaped: `\\\\`
for a backslash, `\\p` for `|`, `\\n` and `\\r` for line breaks, `\\H` and `\\R` for [HEAD] and [ROW], and `\\s` for a
space at either end. So `parse(serialise(question, header, rows))` gives back exactly what went in, also after a line
lost the spaces at its ends. (`\\c` is for the colons of TAPEX's form, see `reastap_lib.tapex`.)

A table that is too long loses whole rows, by one rule: the first rows stay, as many as there is room for. Cells are
never cut. In training the rows of the answer may be named; they stay as well, before the others. In evaluation they
are never named, so the cut cannot depend on an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NoReturn

from workbench_lib.errors import WorkbenchError

HEAD, ROW, BAR = " [HEAD] ", " [ROW] ", " | "
ANSWER_JOIN = ", "
_FIRST_GUESS = 32
_ESCAPES = {"\\": "\\\\", "|": "\\p", "\n": "\\n", "\r": "\\r", "[HEAD]": "\\H", "[ROW]": "\\R", " ": "\\s", ":": "\\c"}
_UNESCAPES = {escape: text for text, escape in _ESCAPES.items()}
_STRUCTURE = re.compile(r"\\|\||\n|\r|\[HEAD\]|\[ROW\]|\A | \Z")
_ESCAPED = re.compile(r"\\(?:.|$)", re.DOTALL)

Rows = Sequence[Sequence[str]]
Length = Callable[[str], int]
Parsed = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]


class SerialisationError(WorkbenchError):
    """Text that is no serialised table, or a table that cannot be cut short enough."""


def serialise(question: str, header: Sequence[str], rows: Rows) -> str:
    """The source text of a question about a table.

    >>> serialise("Who won?", ["Name", "Score | total"], [["Ann", "3"], ["Bob", "2"]])
    'Who won? [HEAD] Name | Score \\\\p total [ROW] Ann | 3 [ROW] Bob | 2'
    """
    return escape(question) + HEAD + ROW.join(BAR.join(map(escape, cells)) for cells in [header, *rows])


def parse(text: str) -> Parsed:
    """Question, header and rows of a source text.

    Raises:
        SerialisationError: no [HEAD], an unknown escape, or a row of another length; names it.

    >>> parse("Who won? [HEAD] Name | Score [ROW] Ann | 3")
    ('Who won?', ('Name', 'Score'), (('Ann', '3'),))
    """
    question, found, table = f" {text.strip(' ')} ".partition(HEAD)
    if not found:
        raise SerialisationError(f"no [HEAD] in {text[:80]!r}")
    return parsed(question, table.split(ROW))


def parsed(question: str, lines: Iterable[str]) -> Parsed:
    """Question, header and rows, unescaped, out of the question and the lines of cells between the marks.

    Raises:
        SerialisationError: an unknown escape, or a row of another length; names it.
    """
    header, *rows = [tuple(unescape(cell.strip(" ")) for cell in line.split(BAR)) for line in lines]
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise SerialisationError(f"row {number} has {len(row)} cells under {len(header)} headers: {list(row)!r}")
    return unescape(question.strip(" ")), header, tuple(rows)


def escape(text: str, structure: re.Pattern[str] = _STRUCTURE) -> str:
    """The text with what `structure` finds in it escaped; of more than one character, the last where it has no own."""
    return structure.sub(_escape, text)


def unescape(text: str) -> str:
    """The text that was escaped.

    Raises:
        SerialisationError: a backslash that starts no escape.
    """
    return _ESCAPED.sub(_unescape, text) if "\\" in text else text


def count_escapes(text: str) -> int:
    """How many escapes a source text holds.

    >>> count_escapes(serialise("who?", ["Score | total"], [["a | b"], [" c"]]))
    3
    """
    return len(_ESCAPED.findall(text))


def join_answers(items: Iterable[str]) -> str:
    """The target text: the answers joined by a comma and a space.

    >>> join_answers(["Ann", "Bob"])
    'Ann, Bob'
    """
    return ANSWER_JOIN.join(items)


def count_words(text: str) -> int:
    """How many words, split at white space, a text has; `|`, [HEAD] and [ROW] count as words."""
    return len(text.split())


def rows_that_fit(
    question: str, header: Sequence[str], rows: Rows, max_length: int, length: Length = count_words
) -> int:
    """How many rows, from the first on, the source text has room for. The rule of evaluation: no answer is looked at.

    Args:
        max_length: In words, or in what `length` counts.
        length: Of a whole source text, such as the number of its tokens; a longer table must not be shorter by it.

    Raises:
        SerialisationError: question and header alone are too long.

    >>> rows_that_fit("Who won?", ["Name", "Score"], [["Ann", "3"], ["Bob", "2"]], max_length=11)
    1
    """
    return len(rows_to_show(question, header, rows, max_length, length))


def rows_to_show(
    question: str,
    header: Sequence[str],
    rows: Rows,
    max_length: int,
    length: Length = count_words,
    evidence: Collection[int] = (),
) -> tuple[int, ...]:
    """The rows that stay, in their order: those of `evidence`, and of the others the first, as many as fit.

    Args:
        evidence: The rows behind the answer; for training only.

    Raises:
        SerialisationError: question and header alone are too long, or there is no room for the evidence.

    >>> rows_to_show("Who won?", ["Name", "Score"], [["Ann", "3"], ["Bob", "2"], ["Cyd", "1"]], 15, evidence=[2])
    (0, 2)
    """
    needed = frozenset(evidence)
    order = [*sorted(needed), *(i for i in range(len(rows)) if i not in needed)]

    def size(kept: int) -> int:
        return length(serialise(question, header, [rows[i] for i in sorted(order[:kept])]))

    kept = _most(size, len(rows), max_length)
    if kept < len(needed):
        _too_long(question, size(0), len(needed), max_length)
    return tuple(sorted(order[:kept]))


def _most(size: Callable[[int], int], high: int, max_length: int) -> int:
    """The largest number of rows up to `high` that fits, -1 where none does; a long table is never measured whole."""
    low, guess = -1, min(high, _FIRST_GUESS)
    while size(guess) <= max_length:
        if guess == high:
            return high
        low, guess = guess, min(high, 2 * guess)
    high = guess
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size(middle) <= max_length else (low, middle)
    return low


def _too_long(question: str, bare: int, evidence: int, max_length: int) -> NoReturn:
    if bare > max_length:
        raise SerialisationError(f"question and header have length {bare}, more than {max_length}: {question[:80]!r}")
    raise SerialisationError(f"no room for the {evidence} rows of the answer within {max_length}: {question[:80]!r}")


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    return _ESCAPES[found] if found in _ESCAPES else found[:-1] + _ESCAPES[found[-1]]


def _unescape(match: re.Match[str]) -> str:
    if match[0] not in _UNESCAPES:
        raise SerialisationError(f"unknown escape {match[0]!r} in {match.string[:80]!r}")
    return _UNESCAPES[match[0]]
