"""The downstream tasks of the paper, for the registry of `workbench_lib.tasks` (sections 5.1 to 5.3, appendix D)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from eg3p_lib import question_data
from eg3p_lib.explagraphs import STANCES, ExplaGraphsRow, Prediction
from eg3p_lib.explagraphs_data import load_explagraphs, load_importance, load_semantic, load_stance
from eg3p_lib.judges import SEMANTIC_CLASSES, Judges, open_judge, open_judges
from eg3p_lib.metrics import HIGHER_IS_BETTER, score_explagraphs
from eg3p_lib.official_files import COMMONSENSEQA_FILES, EXPLAGRAPHS_FILES, OPENBOOKQA_FILES
from eg3p_lib.question_data import load_questions, score_questions
from workbench_lib.scores import Scores, summarise
from workbench_lib.tasks import Example, Remote, Split, Task, register

if TYPE_CHECKING:
    from transformers import LogitsProcessor, PreTrainedTokenizerFast

USES = {
    "stance-prediction": "the model whose stance is read in evaluation, in place of the gold one",
    "edge-importance": "the model of EA",
    "semantic-correctness": "the model of SeCA",
    "bertscore": "the model of G-BERTScore",
}


def score_graphs(
    examples: Sequence[Example], predictions: Sequence[str], judges: Callable[[], Judges] = Judges
) -> Scores:
    """Score graphs under the stance that was read: where it was the gold one, StCA tells of the structure alone.

    Args:
        judges: Opens the models that SeCA, EA and G-BERTScore need; without, these are not run.

    Raises:
        ScoreError: more predictions than examples, or no examples.
    """
    references = [example.references for example in examples]
    golds = [
        ExplaGraphsRow(r["belief"], r["argument"], r["stance"], r["graph"], k, r.get("second_graph", ""))
        for k, r in enumerate(references, start=1)
    ]
    stances = [r.get("predicted_stance", r["stance"]) for r in references]
    stances += [""] * max(0, len(predictions) - len(golds))
    given = [Prediction(stance, graph) for stance, graph in zip(stances, predictions, strict=False)]
    is_gold = not any("predicted_stance" in r for r in references)
    return score_explagraphs(golds, given, judges(), stance_is_given=is_gold)


def score_judgements(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """The accuracy of labels; in the notes what was said of each class, and the accuracy by the examples' origin."""
    rows = [{"accuracy": float(said == e.target)} for e, said in zip(examples, predictions, strict=True)]
    said_of = Counter((example.target, said) for example, said in zip(examples, predictions, strict=True))
    by_origin: dict[str, list[float]] = {}
    for example, row in zip(examples, rows, strict=True):
        by_origin.setdefault(example.references["origin"], []).append(row["accuracy"])
    notes = {
        "said": {f"{gold} as {said}": number for (gold, said), number in sorted(said_of.items())},
        "accuracy_by_origin": {origin: sum(values) / len(values) for origin, values in by_origin.items()},
    }
    return summarise(rows, ["accuracy"], notes)


def graph_constraint(tokenizer: PreTrainedTokenizerFast, max_new_tokens: int) -> LogitsProcessor:
    """What lets out graphs in the data set's notation alone; see `eg3p_lib.grammar`."""
    from eg3p_lib.grammar import GraphConstraint, GraphVocabulary  # torch takes seconds to import

    return GraphConstraint(GraphVocabulary(tokenizer), max_new_tokens)


def _explagraphs_using(things: Mapping[str, str]) -> Task:
    """ExplaGraphs with predicted stances, or with the metrics that need models; each is opened when it is needed."""
    stance, judges = things.get("stance-prediction"), {name: things.get(name) for name in USES}
    predictor = cache(partial(open_judge, stance, STANCES)) if stance else None
    opened = cache(partial(open_judges, judges["edge-importance"], judges["semantic-correctness"], judges["bertscore"]))
    load, score = partial(load_explagraphs, predictor=predictor), partial(score_graphs, judges=opened)
    return replace(EXPLAGRAPHS, load=load, score=score)


def _questions_using(task: Task, things: Mapping[str, str]) -> Task:
    return replace(task, load=partial(load_questions, name=task.name, knowledge=things["knowledge"]))


EXPLAGRAPHS = register(
    Task(
        name="explagraphs",
        version=2,
        load=load_explagraphs,
        score=score_graphs,
        higher_is_better={**{name: up for name, up in HIGHER_IS_BETTER.items() if name != "SA"}, "SA": True},
        constraint=graph_constraint,
        files=EXPLAGRAPHS_FILES,
        uses=USES,
        bind=_explagraphs_using,
    )
)


def _judgement(name: str, load: Callable[[str, Split], list[Example]], labels: tuple[str, ...]) -> Task:
    return register(
        Task(
            name=name,
            version=1,
            load=load,
            score=score_judgements,
            higher_is_better={"accuracy": True},
            labels=labels,
            folder="explagraphs",
            files=EXPLAGRAPHS_FILES,
        )
    )


STANCE = _judgement("stance-prediction", load_stance, STANCES)
IMPORTANCE = _judgement("edge-importance", load_importance, STANCES)
SEMANTIC = _judgement("semantic-correctness", load_semantic, SEMANTIC_CLASSES)


def _questions(name: str, folder: str, files: tuple[Remote, ...]) -> Task:
    task = Task(
        name=name,
        version=1,
        load=partial(load_questions, name=name),
        score=score_questions,
        higher_is_better=question_data.HIGHER_IS_BETTER,
        constraint=graph_constraint,
        folder=folder,
        files=files,
        uses={"knowledge": "the knowledge base whose concepts are looked for in question and answer"},
    )
    return register(replace(task, bind=partial(_questions_using, task)))


COMMONSENSEQA = _questions("commonsenseqa", "csqa", COMMONSENSEQA_FILES)
OPENBOOKQA = _questions("openbookqa", "obqa", OPENBOOKQA_FILES)
