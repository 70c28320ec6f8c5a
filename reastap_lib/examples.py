"""One example of a corpus for reading: the question, the table with the evidence marked, the answers, the SQL."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.serialisation import parse
from reastap_lib.tables import Table, html_of


@dataclass(frozen=True)
class TableExample:
    """A row of a table corpus, its table parsed out of the source text.

    Args:
        evidence: The (row, column) cells that prove the answer, in the table as shown.
    """

    skill: str
    question: str
    table: TypedTable
    answers: tuple[str, ...]
    sql: str
    evidence: tuple[tuple[int, int], ...]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> TableExample:
        """The example of a corpus row (its columns by name).

        Raises:
            SerialisationError: the source is no serialised table.
        """
        question, header, cells = parse(row["source"])
        table = type_table(Table(row["table"], row["title"], header, cells))
        evidence = tuple(zip(row["evidence"][::2], row["evidence"][1::2], strict=True))
        return cls(row["skill"], question, table, tuple(row["answers"]), row["sql"], evidence)

    def _repr_html_(self) -> str:
        answers = ", ".join(self.answers)
        return (
            f'<p class="tex2jax_ignore"><b>{html.escape(self.skill)}</b>: {html.escape(self.question)}<br>'
            f"<b>{html.escape(answers)}</b><br>"
            f"<code>{html.escape(self.sql)}</code></p>"
            + html_of(self.table.table, [column.label for column in self.table.columns], self.evidence)
        )
