"""Temporal comparison (ReasTAP, Table 1): what came k-th by a date, from the earliest or from the latest."""

from __future__ import annotations

from reastap_lib.column_types import TypedTable
from reastap_lib.formats import ordinal
from reastap_lib.programs import Rank, Undetermined, matching_all
from reastap_lib.skills.drawing import Clause, Draw, place
from reastap_lib.skills.registry import Question, skill

PLACE = (
    "Which {target} {whose}had the {place} {by}?",
    "What was the {target} with the {place} {by}{where}?",
    "{among}which {target} had the {place} {by}?",
)
ROW_PLACE = (
    "What was the {target} in the row with the {place} {by}{among_rows}?",
    "{among}what was the {target} of the row with the {place} {by}?",
    "Looking at the {place} {by}{where}, what was the {target}?",
)
EARLIEST = (
    "Which {target} {whose}happened the {ordinal} according to the {by}?",
    "Which {target} {whose}came {ordinal} in the order of {by}?",
)
LATEST, EARLIEST_WORDS = ("latest", "last", "most recent"), ("earliest",)
MIN_ROWS = 3


def _serves(table: TypedTable) -> bool:
    return any(table.plain_names[i] and len(table.columns[i].present) >= MIN_ROWS for i in table.of_kind("date"))


@skill("temporal_comparison", share=0.145, serves=_serves)
def temporal_comparison(table: TypedTable, draw: Draw) -> Question:
    """Which col:1, with col:2 was CONDITION:2, happened the ORDINAL according to col:3?

    Raises:
        Undetermined: the conditions leave fewer than three rows, or all of them.
    """
    by = draw.choice([i for i in table.of_kind("date") if table.plain_names[i]])
    target = draw.target(table, (by,))
    clause = draw.clause(table, (by, target)) if draw.chance(0.5) else None
    k = draw.ordinal(rank_rows(table, by, clause))
    largest = draw.chance(0.4)
    adjective = draw.choice(LATEST if largest and k == 1 else LATEST[:1] if largest else EARLIEST_WORDS)
    names = table.columns[target].kind == "string"
    template = draw.choice(ROW_PLACE if not names else PLACE if largest else PLACE + EARLIEST)
    figure = draw.chance(0.3) and adjective in ("latest", "earliest")
    text = fill(template, table, target, by, clause, place(k, adjective, figure=figure), k)
    return Question(text, Rank(target, by, k, largest, (clause.condition,) if clause else ()))


def rank_rows(table: TypedTable, by: int, clause: Clause | None) -> int:
    """How many rows a place is asked among.

    Raises:
        Undetermined: fewer than three, or a condition that leaves no row out.
    """
    known = frozenset(table.columns[by].present)
    rows = [i for i in matching_all((clause.condition,) if clause else (), table) if i in known]
    if len(rows) < MIN_ROWS:
        raise Undetermined(f"fewer than {MIN_ROWS} rows to rank")
    if clause and len(rows) == len(table):
        raise Undetermined("a condition that all rows meet")
    return len(rows)


def fill(template: str, table: TypedTable, target: int, by: int, clause: Clause | None, place: str, k: int) -> str:
    """The text of a question for a place, with or without a condition."""
    return template.format(
        target=table.columns[target].name,
        by=table.columns[by].name,
        place=place,
        ordinal=ordinal(k),
        whose=f"{clause.whose} " if clause else "",
        where=f" where {clause.was}" if clause else "",
        among_rows=f" among those where {clause.was}" if clause else "",
        among=f"Among the rows where {clause.was}, " if clause else "In the whole table, ",
    )
