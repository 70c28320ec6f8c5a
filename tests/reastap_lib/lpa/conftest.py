"""A small table that the LPA tests share."""

from __future__ import annotations

import pytest

from reastap_lib.lpa.frames import Frame, frame_of
from reastap_lib.lpa.linking import TableIndex
from reastap_lib.tables import Table


@pytest.fixture(scope="session")
def table() -> Table:
    """Five players; one did not finish, and one has no club."""
    rows = (
        ("Ann Lee", "Utah Reds", "9", "1st", "12 May 1980"),
        ("Bob Roy", "Blues", "12", "2nd", "3 June 1979"),
        ("Cyd Ray", "Utah Reds", "12", "3rd", "1 May 1981"),
        ("Dee Poe", "Blues", "dnf", "4th", "2 May 1981"),
        ("Eve Fox", "n / a", "7", "5th", "4 July 1982"),
    )
    return Table("t", "2005 Example Open", ("Player", "Club", "Points", "Place", "Born"), rows)


@pytest.fixture(scope="session")
def frame(table: Table) -> Frame:
    return frame_of(table)


@pytest.fixture(scope="session")
def index(frame: Frame) -> TableIndex:
    return TableIndex(frame)
