"""What a function may be applied to in a state of the search (the rules of LogicNLG's parser)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import combinations

from reastap_lib.lpa.book import ANY, COUNT, Book, Known, State
from reastap_lib.lpa.frames import FrameColumn
from reastap_lib.lpa.operators import SYMMETRIC, Kind, Operator

Arguments = tuple[Known, ...]
FIRST_STEP = frozenset(["inc_num", "dec_num", "inc_str", "dec_str", "all_exist"])


def moves(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """The arguments that a function may take from a state."""
    return _MOVES[operator.takes](book, state, operator)


def _one_text(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """Named texts are dropped or doubled; only a computed one is asked whether it says none."""
    for text in state.texts:
        if bool(book.things[text].made) == (operator.key == "none"):
            yield (text,)


def _one_number(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """Counts that the sentence says are dropped or doubled; only a computed value is asked whether it is zero."""
    for number in state.numbers:
        thing = book.things[number]
        if thing.of == ANY if operator.key != "zero" else thing.made and thing.of != COUNT:
            yield (number,)


def _all_texts(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    if len(state.texts) > 1 and len({book.things[text].of for text in state.texts}) == 1:
        yield state.texts


def _one_row_set(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """Filtered rows are counted, all rows only beside a count that the sentence says; the rest is for all rows."""
    says_count = any(book.things[number].of == ANY for number in state.numbers)
    for rows in state.rows:
        is_filtered = book.things[rows].made.startswith("filter")
        if operator.key in ("count", "only", "several"):
            may = is_filtered or (operator.key == "count" and rows == book.all_rows and says_count)
        else:
            may = rows == book.all_rows
        if may:
            yield (rows,)


def _two_row_sets(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """Two single rows for their order; a set of rows and a single one for its place."""
    in_order = operator.key in ("before", "after")
    for pair in combinations(state.rows[1:] if in_order else state.rows, 2):
        single = [book.size(rows) == 1 for rows in pair]
        if all(single) if in_order else any(single):
            yield pair


def _rows_and_column(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """A hop leaves a single row, for a column that it was not filtered by; all else needs several rows."""
    hops = operator.key in ("num_hop", "str_hop")
    sets = (book.all_rows,) if operator.key == "most_freq" else state.rows
    for rows in sets:
        if (book.size(rows) == 1) != hops:
            continue
        for column in book.named:
            fits = is_of_kind(book, column, operator.takes[1])
            if fits and not (hops and book.things[column].of in book.things[rows].filtered):
                yield rows, column


def _rows_and_value(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """Rows and a value that the sentence names, by its column."""
    texts = operator.takes[2] == "text"
    for rows in state.rows:
        for value in state.texts if texts else state.numbers:
            thing = book.things[value]
            if not thing.made and thing.of != ANY and (texts or book.size(rows) != 1):
                yield rows, book.column_of(value), value


def _two_numbers(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    """Two values of one column, or a computed value and a count that the sentence says; one of them is computed."""
    for pair in combinations(state.numbers, 2):
        one, other = (book.things[number] for number in pair)
        if not (one.made or other.made):
            continue
        open_one = ANY in (one.of, other.of) and operator.gives == "truth" and not _too_many(book, pair)
        if one.of == other.of or open_one:
            yield from _in_both_orders(pair, operator)


def _too_many(book: Book, pair: Arguments) -> bool:
    """Whether a count is compared with more rows than there are."""
    things = [book.things[number] for number in pair]
    values = [thing.value for thing in things if isinstance(thing.value, Decimal)]
    return {thing.of for thing in things} == {COUNT, ANY} and max(values) > book.size(book.all_rows)


def _two_texts(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    for pair in combinations(state.texts, 2):
        one, other = (book.things[text] for text in pair)
        if (one.made or other.made) and one.of == other.of:
            yield from _in_both_orders(pair, operator)


def _two_truths(book: Book, state: State, operator: Operator) -> Iterator[Arguments]:
    for pair in combinations(state.truths, 2):
        yield from _in_both_orders(pair, operator)


def _in_both_orders(pair: Arguments, operator: Operator) -> Iterator[Arguments]:
    """A pair, and the other way round where that makes a difference: what is computed comes before what is named."""
    if operator.key in SYMMETRIC:
        yield pair[::-1]
        return
    yield pair
    yield pair[::-1]


def is_of_kind(book: Book, column: Known, kind: Kind) -> bool:
    """Whether a column is one of numbers, or (dates too) of texts."""
    value = book.things[column].value
    return isinstance(value, FrameColumn) and (value.kind == "number") == (kind == "number column")


_MOVES: dict[tuple[Kind, ...], Callable[[Book, State, Operator], Iterator[Arguments]]] = {
    ("text",): _one_text,
    ("number",): _one_number,
    ("texts",): _all_texts,
    ("rows",): _one_row_set,
    ("rows", "rows"): _two_row_sets,
    ("rows", "number column"): _rows_and_column,
    ("rows", "text column"): _rows_and_column,
    ("rows", "number column", "number"): _rows_and_value,
    ("rows", "text column", "text"): _rows_and_value,
    ("number", "number"): _two_numbers,
    ("text", "text"): _two_texts,
    ("truth", "truth"): _two_truths,
}
