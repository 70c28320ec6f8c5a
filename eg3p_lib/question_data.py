"""CommonsenseQA and OpenbookQA: graphs are written for which there is no gold (paper, sections 5.1 and 6.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from eg3p_lib.corpora import knowledge_of
from eg3p_lib.knowledge import DATA, read_knowledge, resolve_sources
from eg3p_lib.linking import linked_concepts, words_of
from eg3p_lib.multiple_choice import Question, read_questions
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.structure import is_parsed, respaced, structure_faults, triples_of
from workbench_lib.paths import find_data
from workbench_lib.runs import finished
from workbench_lib.scores import Scores, summarise
from workbench_lib.stages import is_run
from workbench_lib.tasks import Example, Split, TaskError

STARTER = DATA / "starter_questions"
PLACES = ("{split}.jsonl", "{split}_rand_split.jsonl", "Data/Main/{split}.jsonl")
HIGHER_IS_BETTER = dict.fromkeys(
    ("structure", "parsed", "rules_but_concepts", "holds_question", "holds_answer", "holds_both"), True
)
_BETWEEN = " | "


def question_source(entities: Sequence[str], answer: str, stem: str) -> str:
    """The input text (Table 4): concepts of the question, the answer, and the question.

    >>> question_source(["getting drunk"], "slurred speech", "Why couldn't they understand him?")
    "getting drunk | slurred speech [SEP] Why couldn't they understand him?"
    """
    return f"{_BETWEEN.join(dict.fromkeys([*entities, answer]))} [SEP] {stem}"


def load_questions(data: str, split: Split, *, name: str, knowledge: str = "starter") -> list[Example]:
    """The questions of one split with their right answers; none for training, since there are no gold graphs.

    A question's concepts are the one that CommonsenseQA names, else those of the knowledge base that stand in it.

    Args:
        data: "starter" (built in), or a folder of the official files, here or under WORKBENCH_DATA.
        name: commonsenseqa or openbookqa.
        knowledge: "starter", a knowledge file, a pattern of files of triples, or the run of a corpus made from some.

    Raises:
        TaskError: there is no such split, or it has no answers.
        InputError: a file is malformed; names the line.
    """
    if split == "train":
        return []
    path = _question_file(data, split, name)
    questions = read_questions(path)
    unanswered = next((question for question in questions if not question.answer), None)
    if unanswered:
        raise TaskError(f"{name}: {path}, line {unanswered.line}: has no right answer, so that no graph can explain it")
    kb = _knowledge(knowledge)
    in_stems = linked_concepts([question.stem for question in questions], kb)
    in_answers = linked_concepts([question.answer for question in questions], kb)
    return [_example(*parts, split) for parts in zip(questions, in_stems, in_answers, strict=True)]


def score_questions(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """Score graphs by what can be said without gold: their structure, and whose concepts they hold.

    structure: keeps all structural rules of ExplaGraphs, with at least one concept of the question and the answer (or
    a concept in it) in place of the rule on belief and argument. holds_*: a node has the concept's words in a row.
    """
    rows = [_row(example, prediction) for example, prediction in zip(examples, predictions, strict=True)]
    faults = Counter(fault for row in rows for fault in row["faults"])
    notes = {
        "faults": dict(faults.most_common()),
        "missing": sum(not prediction.strip() for prediction in predictions),
        "without_question_concept": sum(not example.references["question_concepts"] for example in examples),
    }
    return summarise(rows, list(HIGHER_IS_BETTER), notes)


def _question_file(data: str, split: Split, name: str) -> Path:
    folder = STARTER / name if data == "starter" else find_data(data)
    paths = [folder / place.format(split=split) for place in PLACES]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        raise TaskError(f"{name}: {data!r} has no split {split!r} (none of {', '.join(map(str, paths))} is there)")
    return found


@lru_cache(maxsize=2)
def _knowledge(source: str) -> KnowledgeBase:
    if is_run(source):
        return knowledge_of(GraphSynthesisParams.make(finished(source).record()["params"])).read()
    return read_knowledge(resolve_sources([source]))


def _example(question: Question, in_stem: list[str], in_answer: list[str], split: Split) -> Example:
    entities = [question.concept.lower()] if question.concept else in_stem
    answer = question.answer.strip()
    references = {
        "question": question.stem,
        "answer": answer,
        "question_concepts": _BETWEEN.join(entities),
        "answer_concepts": _BETWEEN.join(dict.fromkeys([" ".join(words_of(answer)), *in_answer])),
    }
    return Example(f"{split}-{question.line}", question_source(entities, answer, question.stem), "", references)


def _row(example: Example, prediction: str) -> dict[str, Any]:
    faults = [fault for fault in structure_faults(prediction, "", "") if fault != "concepts"]
    nodes = {f" {' '.join(words_of(node))} " for h, _, t in triples_of(respaced(prediction)) for node in (h, t)}
    held = {of: _is_held(example.references[f"{of}_concepts"], nodes) for of in ("question", "answer")}
    return {
        "structure": float(not faults and all(held.values())),
        "parsed": float(is_parsed(prediction)),
        "rules_but_concepts": float(not faults),
        **{f"holds_{of}": float(is_held) for of, is_held in held.items()},
        "holds_both": float(all(held.values())),
        "faults": faults,
    }


def _is_held(concepts: str, nodes: set[str]) -> bool:
    return any(f" {concept} " in node for concept in filter(None, concepts.split(_BETWEEN)) for node in nodes)
