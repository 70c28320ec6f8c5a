"""The models that some metrics of ExplaGraphs need (paper, appendix D: SeCA, EA, G-BERTScore)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from eg3p_lib.explagraphs import STANCES
from workbench_lib.errors import WorkbenchError
from workbench_lib.stages import model_folder

SEMANTIC_CLASSES = (*STANCES, "incorrect")


class JudgeError(WorkbenchError):
    """A model that cannot judge what it is asked to."""


class PairJudge(Protocol):
    """A classifier of pairs of texts."""

    @property
    def labels(self) -> Sequence[str]:
        """The names of its classes, in the order of the columns."""
        ...

    def __call__(self, pairs: Sequence[tuple[str, str]], /) -> npt.NDArray[np.floating]:
        """The probabilities of the classes: (pairs, classes)."""
        ...


@dataclass(frozen=True)
class Judges:
    """The models that some metrics need; without one its metric is not run.

    Args:
        stance: Classes support and counter, of a belief and an argument followed by a graph in words (EA).
        semantic: Classes support, counter and incorrect, of a belief and a graph (SeCA).
        bertscore: A model's folder or name, for G-BERTScore.
        layers: Its layer to compare, by default the last.
    """

    stance: PairJudge | None = None
    semantic: PairJudge | None = None
    bertscore: str | None = None
    layers: int | None = None


NO_JUDGES = Judges()


def open_judges(
    stance: str | None = None, semantic: str | None = None, bertscore: str | None = None, layers: int | None = None
) -> Judges:
    """The judges of some models, each a run of ours, a model folder, or a hub name.

    Raises:
        ModelError: a model cannot be loaded.
        JudgeError: it has other classes than it should.
        RunError: a run is not finished.
    """
    return Judges(
        stance=open_judge(stance, STANCES) if stance else None,
        semantic=open_judge(semantic, SEMANTIC_CLASSES) if semantic else None,
        bertscore=model_folder(bertscore) if bertscore else None,
        layers=layers,
    )


def open_judge(model: str, classes: Sequence[str]) -> PairJudge:
    """The classifier of a run, folder or hub name, which must know these classes.

    Classes without names (LABEL_0 ...) are taken to be in this order, which is that of the published models.

    Raises:
        ModelError: it cannot be loaded.
        JudgeError: it has other classes.
        RunError: the run is not finished.
    """
    from workbench_lib.classification import load_classifier  # torch takes seconds to import

    classifier = load_classifier(model_folder(model))
    if set(classifier.labels) == set(classes):
        return classifier
    if len(classifier.labels) == len(classes) and all(label.startswith("LABEL_") for label in classifier.labels):
        return _Renamed(classifier, tuple(classes))
    found, wanted = ", ".join(classifier.labels), ", ".join(classes)
    raise JudgeError(f"the model {model!r} has the classes {found}, and not {wanted}")


@dataclass(frozen=True)
class _Renamed:
    """A judge under other names of its classes."""

    judge: PairJudge
    labels: tuple[str, ...]

    def __call__(self, pairs: Sequence[tuple[str, str]], /) -> npt.NDArray[np.floating]:
        return self.judge(pairs)
