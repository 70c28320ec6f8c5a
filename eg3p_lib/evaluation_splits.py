"""Which triples of a knowledge base give answers of evaluation data away: ExplaGraphs, CommonsenseQA, OpenbookQA."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eg3p_lib.explagraphs import read_explagraphs
from eg3p_lib.graphs import Edge, ExplanationGraph, GraphError
from eg3p_lib.knowledge import source_name
from eg3p_lib.linking import spellings, word_sequences
from eg3p_lib.multiple_choice import Question, read_questions
from eg3p_lib.readers import open_lines
from eg3p_lib.relations import RELATION_TEXT
from eg3p_lib.rules import parse_term
from eg3p_lib.store import KnowledgeBase, KnowledgeError
from workbench_lib.errors import InputError

_RELATION_NUMBER = {text: number for number, text in enumerate(RELATION_TEXT.values())}

Numbers = npt.NDArray[np.int64]


class Hint(NamedTuple):
    """What a question's knowledge would link: the right answer and the question's concepts, in all their spellings."""

    answers: list[str]
    concepts: list[str]


def overlaps(kb: KnowledgeBase, paths: Sequence[Path]) -> dict[str, Numbers]:
    """The triples that evaluation files give away, by the files' names (folder and file).

    - ExplaGraphs (tsv: belief, argument, stance, graph): a triple that is an edge of a gold graph
      (or of the second one that a line may have).
    - CommonsenseQA (jsonl with `question_concept`): a triple, either way, between that concept and the right answer.
    - OpenbookQA (jsonl without): a triple, either way, between the right answer and a concept whose words stand in the
      question in a row and are not all of them function words.

    Concepts are compared as a knowledge base holds them: lower-case, with single spaces; an article before an answer
    is dropped too.

    Raises:
        InputError: a file is in no such format, or has no gold graphs or answers, so that it cannot be checked.
        KnowledgeError: two files are called the same.
    """
    found: dict[str, Numbers] = {}
    for path in paths:
        if source_name(path) in found:
            raise KnowledgeError(f"two evaluation files are called {source_name(path)!r}; rename one")
        found[source_name(path)] = _overlap(kb, path)
    return found


def leave_out_overlaps(kb: KnowledgeBase, paths: Sequence[Path]) -> KnowledgeBase:
    """The knowledge base without the triples that `overlaps` finds.

    They are counted in `skipped` under reasons such as `overlap_explagraphs/dev.tsv`; a triple that overlaps with
    several files counts for the first.

    Raises:
        InputError, KnowledgeError: see `overlaps`; or no triple would be left.
    """
    return kb.without({f"overlap_{name}": numbers for name, numbers in overlaps(kb, paths).items()})


def _overlap(kb: KnowledgeBase, path: Path) -> Numbers:
    with open_lines(path) as lines:
        _, first = next(lines)
    if first.lstrip().startswith("{"):
        return _between(kb, _read_hints(path))
    columns = len(first.split("\t"))
    if columns == 2:
        raise InputError("has no gold graphs, so that overlaps with it cannot be found", path=path, line=1)
    if columns not in (4, 5):
        formats = "ExplaGraphs tsv, CommonsenseQA jsonl, OpenbookQA jsonl"
        raise InputError(f"is in no known format of evaluation data ({formats})", path=path, line=1, value=first)
    return _equal(kb, _read_gold_edges(path))


def _read_gold_edges(path: Path) -> list[Edge]:
    edges: dict[Edge, None] = {}
    for row in read_explagraphs(path):
        for text in row.graphs:
            try:
                graph = ExplanationGraph.parse(text, "explagraphs")
            except GraphError as error:
                raise InputError(str(error), path=path, line=row.line, value=text) from None
            edges.update((Edge(parse_term(h).text, r, parse_term(t).text), None) for h, r, t in graph.edges)
    return list(edges)


def _equal(kb: KnowledgeBase, edges: list[Edge]) -> Numbers:
    """The triples that are one of the edges."""
    heads, tails = kb.numbers([edge.head for edge in edges]), kb.numbers([edge.tail for edge in edges])
    found: list[int] = []
    for edge, head, tail in zip(edges, heads.tolist(), tails.tolist(), strict=True):
        if head >= 0 and tail >= 0 and edge.relation in _RELATION_NUMBER:
            triples = np.array(kb.incoming(tail), dtype=np.int64)
            same = (kb.head[triples] == head) & (kb.relation[triples] == _RELATION_NUMBER[edge.relation])
            found.extend(triples[same].tolist())
    return np.array(sorted(found), dtype=np.int64)


def _read_hints(path: Path) -> list[Hint]:
    return [_hint(question, path) for question in read_questions(path)]


def _hint(question: Question, path: Path) -> Hint:
    if not question.answer:
        message = "has no right answer, so that overlaps with it cannot be found"
        raise InputError(message, path=path, line=question.line, value=question.key)
    about = spellings(question.concept) if question.concept else word_sequences(question.stem)
    return Hint(spellings(question.answer), about)


def _between(kb: KnowledgeBase, hints: list[Hint]) -> Numbers:
    """The triples, either way, between an answer and one of its question's concepts."""
    sizes = [(len(hint.answers), len(hint.concepts)) for hint in hints]
    numbers = kb.numbers([text for hint in hints for text in (*hint.answers, *hint.concepts)])
    parts = iter(np.split(numbers, np.cumsum(sizes)[:-1]))
    found: set[int] = set()
    for answers, concepts in zip(parts, parts, strict=True):
        for answer in answers[answers >= 0].tolist():
            incoming, outgoing = np.array(kb.incoming(answer), dtype=np.int64), kb.outgoing(answer)
            found.update(incoming[np.isin(kb.head[incoming], concepts)].tolist())
            found.update(outgoing[np.isin(kb.tail[outgoing], concepts)].tolist())
    return np.array(sorted(found), dtype=np.int64)
