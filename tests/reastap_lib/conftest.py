"""Small tables that several tests use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.tables import Table

MakeTyped = Callable[[Sequence[str], Sequence[Sequence[str]]], TypedTable]


@pytest.fixture(scope="session")
def typed() -> MakeTyped:
    """A typed table out of a header and rows."""

    def make(header: Sequence[str], rows: Sequence[Sequence[str]]) -> TypedTable:
        return type_table(Table("t", "a title", tuple(header), tuple(map(tuple, rows))))

    return make


@pytest.fixture(scope="session")
def players(typed: MakeTyped) -> TypedTable:
    """Eight players with a club, a birthday, goals and a prize."""
    return typed(
        ["Player", "Club", "Born", "Goals", "Prize"],
        [
            ["Ann", "Reds", "12 May 1980", "9", "$1,200"],
            ["Bob", "Blues", "12 May 1996", "12", "$800"],
            ["Cyd", "Reds", "12 July 1980", "12", "$3,000"],
            ["Dee", "Blues", "13 May 1980", "—", "$10"],
            ["Eve", "Reds", "1 June 1981", "7", "$20"],
            ["Fay", "Greens", "2 June 1982", "1", "$30"],
            ["Gil", "Greens", "3 June 1983", "3", "$40"],
            ["Hal", "Reds", "4 June 1984", "5", "$50"],
        ],
    )
