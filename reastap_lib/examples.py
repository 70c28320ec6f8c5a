"""One example for reading: the question, its program and SQL, the answers, and the table with the evidence marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from html import escape
from typing import Any

from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.dates import Date, Span
from reastap_lib.serialisation import parse
from reastap_lib.tables import Table, html_of
from workbench_lib.display import show_html

_HOLD_A_COLUMN = frozenset({"column", "by", "date"})  # fields of programs and conditions


@dataclass(frozen=True)
class TableExample:
    """A row of a table corpus, its table parsed out of the source text.

    Args:
        evidence: The (row, column) cells that prove the answer, in the table as shown.
        program: What was executed for the answer, where that is known; a corpus holds its SQL.
    """

    skill: str
    question: str
    table: TypedTable
    answers: tuple[str, ...]
    sql: str
    evidence: tuple[tuple[int, int], ...]
    program: Any = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any], program: Any = None) -> TableExample:
        """The example of a corpus row (its columns by name).

        Raises:
            SerialisationError: the source is no serialised table.
        """
        question, header, cells = parse(row["source"])
        table = type_table(Table(row["table"], row["title"], header, cells))
        evidence = tuple(zip(row["evidence"][::2], row["evidence"][1::2], strict=True))
        return cls(row["skill"], question, table, tuple(row["answers"]), row["sql"], evidence, program)

    def _repr_html_(self) -> str:
        lines = [(self.skill, f"<strong>{escape(self.question)}</strong>"), ("answer", escape(", ".join(self.answers)))]
        if self.program is not None:
            lines.append(("program", _code(program_text(self.program, self.table.table.header))))
        lines.append(("SQL", _code(self.sql)))
        told = "".join(f"<li>{escape(name)}: {text}</li>" for name, text in lines)
        notes = [f"c{number}: {note}" for number, note in enumerate(self.table.notes, 1)]
        return show_html(f"<ul>{told}</ul>{html_of(self.table.table, notes, self.evidence)}").html


def _code(text: str) -> str:
    return f'<code style="white-space:pre-wrap">{escape(text)}</code>'


def program_text(program: Any, header: Sequence[str]) -> str:
    """A program for reading: columns by their names, values as they are compared.

    >>> from reastap_lib.conditions import Compare
    >>> from reastap_lib.programs import Select
    >>> program_text(Select(0, (Compare(1, ">", Decimal(9)),)), ("Player", "Goals"))
    "Select(column='Player', where=(Compare(column='Goals', operator='>', value=9)))"
    """
    if isinstance(program, Decimal):
        return f"{program:f}"
    if isinstance(program, Date | Span):
        return program.iso
    if isinstance(program, tuple):
        return f"({', '.join(program_text(part, header) for part in program)})"
    if not is_dataclass(program):
        return repr(program)
    values = {field.name: getattr(program, field.name) for field in fields(program)}
    told = {field.name: values[field.name] for field in fields(program) if values[field.name] != field.default}
    parts = (f"{name}={program_text(_named(name, value, header), header)}" for name, value in told.items())
    return f"{type(program).__name__}({', '.join(parts)})"


def _named(name: str, value: Any, header: Sequence[str]) -> Any:
    return header[value] if name in _HOLD_A_COLUMN and isinstance(value, int) else value
