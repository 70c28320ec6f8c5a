"""The official files of WikiSQL: tables and questions, one JSON object a line.

A table has a header, types and rows; columns of numbers hold numbers or texts. A question has the query that answers
it, of which only the answer is used (WikiSQL-Weak, ReasTAP section 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from reastap_lib.cell_text import one_line
from reastap_lib.json_lines import read_json_lines, tables_of_lines
from reastap_lib.tables import Table
from reastap_lib.wikisql_queries import AGGREGATES, OPERATORS, Query
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.tasks import Split

_PAGE = ("page_title", "section_title", "caption")
TABLES = ".tables.jsonl"
STARTER = "starter"
STARTER_FOLDER = Path(__file__).resolve().parent / "data" / "starter_wikisql"


class TypedRows(NamedTuple):
    """A table with what WikiSQL says of its columns.

    Args:
        types: (columns,) "text" or "real".
        rows: (rows, columns) cell texts; may be empty.
    """

    header: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class WikiSqlQuestion:
    """One line of a question file.

    Args:
        id: The number of its line, from 0 on, as in published predictions.
    """

    id: str
    question: str
    table_id: str
    query: Query


def question_file(data: str, split: Split) -> Path:
    """The question file of a split: in the folder or in its `data/`.

    Args:
        data: starter (built in), or a folder, as given or under WORKBENCH_DATA.

    Raises:
        InputError: it is in neither.
    """
    root = STARTER_FOLDER if data == STARTER else find_data(data)
    for path in (root / f"{split}.jsonl", root / "data" / f"{split}.jsonl"):
        if path.exists():
            return path
    raise InputError(
        f"no question file for the split {split!r}: looked for {split}.jsonl in it and in data/", path=root
    )


def tables_file(questions: Path) -> Path:
    """The file of the tables of a question file, beside it.

    Raises:
        InputError: it is not there.
    """
    path = questions.with_name(f"{questions.stem}{TABLES}")
    if not path.exists():
        raise InputError("the file of the questions' tables is missing", path=path)
    return path


def read_queries(path: Path, tables: dict[str, TypedRows]) -> Iterator[WikiSqlQuestion]:
    """The questions of a file in its order.

    Args:
        tables: Those that the questions are about.

    Raises:
        InputError: a line is no question, or its table or a column is not there; names it.
    """
    for number, entry in read_json_lines(path):
        question = _question(entry, path, number)
        if question.table_id not in tables:
            raise InputError("the table of a question is missing", path=path, line=number, value=question.table_id)
        query, columns = question.query, len(tables[question.table_id].header)
        asked = [query.select, *(column for column, _, _ in query.conditions)]
        if not all(0 <= column < columns for column in asked):
            raise InputError(f"a column beyond the {columns} of the table", path=path, line=number, value=asked)
        yield question


def read_typed_tables(path: Path) -> dict[str, TypedRows]:
    """The tables of a file such as test.tables.jsonl, by their ids.

    Raises:
        InputError: a line is no table, or an id comes twice; names it.
    """
    tables: dict[str, TypedRows] = {}
    for number, entry in read_json_lines(path):
        name, typed, _ = _parts(entry, path, number)
        if name in tables:
            raise InputError("the id of a table comes twice", path=path, line=number, value=name)
        if any(len(row) != len(typed.header) for row in (typed.types, *typed.rows)):
            raise InputError("types or rows of different lengths", path=path, line=number, value=name)
        tables[name] = typed
    return tables


def read_wikisql(path: Path) -> tuple[list[Table], Counter[str]]:
    """The tables of a file such as test.tables.jsonl, and the count of the others by reason.

    Raises:
        InputError: a line is no table; names it.
    """
    return tables_of_lines(path, _table)


def cell_of(value: Any) -> str:
    """A cell's text: whole numbers without a point, other values as they are.

    >>> cell_of(14), cell_of(14.0), cell_of(2.5), cell_of(" a  b"), cell_of(None)
    ('14', '14', '2.5', 'a b', '')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else one_line(str(value))


def _table(entry: Any, path: Path, line: int) -> Table | str:
    name, (header, _, rows), pages = _parts(entry, path, line)
    if not rows:
        return "no rows"
    if not header or any(len(row) != len(header) for row in rows):
        return "rows of different lengths"
    title, section, caption = pages
    return Table(name, title, header, rows, str(path), section, caption)


def _parts(entry: Any, path: Path, line: int) -> tuple[str, TypedRows, list[str]]:
    """Id, table, and where it stood."""
    try:
        header, types = (tuple(map(cell_of, names)) for names in (entry["header"], entry.get("types", [])))
        rows = tuple(tuple(map(cell_of, row)) for row in entry["rows"])
        pages = [one_line(str(entry.get(key) or "")) for key in _PAGE]
        return str(entry["id"]), TypedRows(header, types, rows), pages
    except (LookupError, TypeError, AttributeError) as error:
        raise InputError(f"needs id, header and rows of a table ({error})", path=path, line=line) from None


def _question(entry: Any, path: Path, line: int) -> WikiSqlQuestion:
    try:
        sql = entry["sql"]
        conditions = tuple((int(column), int(operator), value) for column, operator, value in sql["conds"])
        query = Query(int(sql["sel"]), int(sql["agg"]), conditions)
        question = WikiSqlQuestion(str(line - 1), one_line(entry["question"]), str(entry["table_id"]), query)
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"needs question, table_id and sql of a question ({error})", path=path, line=line) from None
    numbers = [(query.aggregate, AGGREGATES), *((operator, OPERATORS) for _, operator, _ in conditions)]
    if not all(0 <= number < len(known) for number, known in numbers):
        raise InputError("an aggregate or operator that there is not", path=path, line=line, value=sql)
    if not all(isinstance(value, str | int | float) for _, _, value in conditions):
        raise InputError("a condition's value is neither text nor number", path=path, line=line, value=sql)
    return question
