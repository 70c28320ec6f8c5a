"""Knowledge of one's own: a pandas DataFrame or a networkx graph, by the same rules and counts as files."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import networkx as nx
import pandas as pd

from eg3p_lib.builder import KnowledgeBuilder
from eg3p_lib.counts import Faults
from eg3p_lib.merges import MERGES, Merged
from eg3p_lib.readers import Fields, LineError, details_of_number
from eg3p_lib.relations import RELATIONS
from eg3p_lib.rules import Record, Rules, judge_fields
from eg3p_lib.store import KnowledgeBase, KnowledgeError

_NEEDED = ("relation", "head", "tail")
_OPTIONAL = ("dataset", "head_sense", "tail_sense")


def knowledge_from(
    data: pd.DataFrame | nx.DiGraph,
    name: str,
    *,
    language: str = "en",
    min_weight: float = 0.0,
    relations: Collection[str] = RELATIONS,
    merges: Mapping[str, Merged] = MERGES,
) -> KnowledgeBase:
    """A knowledge base of the rows of a frame, or the edges of a directed graph; see `read_knowledge` for the rules.

    Args:
        data: A frame with the columns head, relation and tail, and perhaps weight (or label), source, dataset,
            head_sense and tail_sense; or a graph whose edges have the attribute relation, and perhaps these.
            Terms are texts or ConceptNet URIs. A missing weight is 1; other missing values, and what is no text, make
            the row malformed.
        name: What the source is called, where no column `source` names one for each row.
        language, min_weight, relations, merges: What is kept; see `Rules`.

    Raises:
        KnowledgeError: a column is missing, the graph is not directed, or nothing was kept.
        InputError: too many rows are malformed (more than 10 and more than 1 %).

    >>> kb = knowledge_from(pd.DataFrame({"head": ["dog"] * 2, "relation": ["IsA", "?"], "tail": ["pet"] * 2}), "my")
    >>> kb.edge(0), kb.skipped
    (('dog', 'isa', 'pet'), {'unmapped_relation': 1})
    """
    frame = _frame_of(data) if isinstance(data, nx.Graph) else data
    missing = [column for column in _NEEDED if column not in frame.columns]
    if missing:
        raise KnowledgeError(f"{name}: needs the columns head, relation and tail; there is no {', '.join(missing)}")
    rules = Rules(language, min_weight, relations, merges)
    builder = KnowledgeBuilder()
    for source, rows in _by_source(frame, name):
        faults = Faults(source, "row")
        builder.add_source(source, _judged(rows, rules, faults), faults)
    return builder.finish(language)


def _frame_of(graph: nx.Graph) -> pd.DataFrame:
    if not graph.is_directed():
        raise KnowledgeError("the graph is not directed: which end of an edge is the head cannot be told")
    edges = [{**attributes, "head": head, "tail": tail} for head, tail, attributes in graph.edges(data=True)]
    return pd.DataFrame(edges) if edges else pd.DataFrame(columns=list(_NEEDED))


def _by_source(frame: pd.DataFrame, name: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each source, numbered from 1 by their places in the frame."""
    frame = frame.set_axis(range(1, len(frame) + 1))
    if "source" not in frame.columns:
        yield name, frame
        return
    sources = frame["source"].astype(object).where(frame["source"].notna(), name).map(str)
    for source, rows in frame.groupby(sources, sort=False):
        yield str(source), rows


def _judged(rows: pd.DataFrame, rules: Rules, faults: Faults) -> Iterator[Record | str]:
    """For each row the record that it gives, or the reason why it gives none."""
    weight = next((column for column in ("weight", "label") if column in rows.columns), None)
    wanted = [*_NEEDED, weight, *_OPTIONAL]
    columns = [rows[column] if column in rows.columns else itertools.repeat(None) for column in wanted]
    for number, *cells in zip(rows.index, *columns, strict=False):
        try:
            verdict: Record | str = judge_fields(_fields(cells), rules, details_of_number)
        except LineError as error:
            faults.add(number, error, " ".join(map(str, cells[:3])))
            verdict = "malformed"
        yield verdict
    faults.check(len(rows))


def _fields(cells: list[Any]) -> Fields:
    relation, head, tail = map(_text, cells[:3], _NEEDED)
    optional = ("" if _is_missing(cell) else cell for cell in cells[4:])
    return Fields(relation, head, tail, _weight(cells[3]), *map(_text, optional, _OPTIONAL))


def _text(cell: Any, column: str) -> str:
    if not isinstance(cell, str):
        raise LineError(f"the {column} {cell!r} is not a text")
    return cell


def _weight(cell: Any) -> str:
    try:
        return "" if _is_missing(cell) else str(float(cell))
    except (TypeError, ValueError):
        raise LineError(f"the weight {cell!r} is not a number") from None


def _is_missing(cell: Any) -> bool:
    return pd.api.types.is_scalar(cell) and bool(pd.isna(cell))
