"""Classifiers as judges: those of a folder or a run, their classes, and the metrics that they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from eg3p_lib.explagraphs import STANCES, ExplaGraphsRow, Prediction
from eg3p_lib.judges import SEMANTIC_CLASSES, JudgeError, Judges, open_judge, open_judges
from eg3p_lib.metrics import score_explagraphs
from workbench_lib.classification import build_classifier, save_classifier
from workbench_lib.seq2seq import ModelError, train_tokenizer

GRAPH = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; at location; cities)"
GOLD = ExplaGraphsRow("Cars harm people.", "Pollution from cars damages cities.", "counter", GRAPH)


@pytest.fixture(scope="module")
def make_judge(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[str]], str]:
    """The folder of a classifier with random weights and these classes."""

    def make(labels: Sequence[str]) -> str:
        folder = tmp_path_factory.mktemp("judge")
        tokenizer = train_tokenizer([GRAPH, GOLD.belief, GOLD.argument], 300)
        save_classifier(
            build_classifier("roberta:tiny", tokenizer, labels, max_tokens=128, seed=1, dropout=0.0), folder
        )
        return str(folder)

    return make


def test_a_judge_knows_its_classes_in_any_order(make_judge: Callable[[Sequence[str]], str]) -> None:
    judge = open_judge(make_judge(STANCES[::-1]), STANCES)
    assert list(judge.labels) == ["counter", "support"]
    pairs = [(GOLD.belief, GOLD.argument), (GOLD.argument, GOLD.belief)]
    found = judge(pairs)
    assert found.shape == (2, 2)
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert judge(pairs[::-1]) == pytest.approx(found[::-1], abs=1e-6)


def test_classes_without_names_are_the_published_ones(make_judge: Callable[[Sequence[str]], str]) -> None:
    folder = make_judge(["LABEL_0", "LABEL_1", "LABEL_2"])
    judge = open_judge(folder, SEMANTIC_CLASSES)
    assert list(judge.labels) == ["support", "counter", "incorrect"]
    with pytest.raises(JudgeError, match=r"has the classes LABEL_0, LABEL_1, LABEL_2, and not support, counter$"):
        open_judge(folder, STANCES)


def test_other_classes_and_folders_are_refused(make_judge: Callable[[Sequence[str]], str], tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="has the classes yes, no, and not support, counter"):
        open_judge(make_judge(["yes", "no"]), STANCES)
    with pytest.raises(ModelError):
        open_judge(str(tmp_path), STANCES)


def test_metrics_by_models_of_folders(make_judge: Callable[[Sequence[str]], str], tiny_bert: Path) -> None:
    stance, semantic = make_judge(STANCES), make_judge(SEMANTIC_CLASSES)
    judges = open_judges(stance, semantic, str(tiny_bert))
    scores = score_explagraphs([GOLD] * 2, [Prediction("counter", GRAPH), Prediction("support", GRAPH)], judges)
    assert scores.notes["not_run"] == []
    assert scores.metrics["EA"].value in {k / 4 / 2 for k in range(5)}
    assert scores.metrics["SeCA"].value in {0, 0.5}
    said = open_judge(semantic, SEMANTIC_CLASSES)([(GOLD.belief.lower(), GRAPH)])
    assert scores.metrics["SeCA"].value == 0.5 * (SEMANTIC_CLASSES[int(np.argmax(said))] == "counter")


def test_no_models_are_no_judges() -> None:
    assert open_judges() == Judges()
