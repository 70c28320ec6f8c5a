"""How alike the edges of two graphs are, each taken as a sentence: G-BLEU, G-ROUGE and G-BERTScore (appendix D).

Edges are matched one to one so that their scores sum to the most; precision is that sum over the predicted edges,
recall over the gold ones. The rules are those of the published ExplaGraphs scorer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from workbench_lib.bleu import sentence_bleu
from workbench_lib.scores import ScoreError

EdgeScore = Callable[[str, str], float]
"""`(gold edge, predicted edge)` to a score from 0 to 1; edges as `head; relation; tail`."""

_TOKEN = re.compile(r";|[^;\s]+|(?<=\s)\s+")  # of a run of spaces, the first separates and the rest is a token
_BLEU_WEIGHTS = (0.25, 0.25, 0.25, 0.25)


class Match(NamedTuple):
    """How well the edges of a predicted graph match those of a gold one."""

    precision: float
    recall: float
    f1: float


NO_MATCH = Match(0.0, 0.0, 0.0)


def edge_texts(graph: str) -> list[str]:
    """A graph's edges as sentences.

    >>> edge_texts("(Cars; causes; smoke)(smoke; is a; harm)")
    ['cars; causes; smoke', 'smoke; is a; harm']
    """
    return [re.sub("[()]", "", edge.lower().strip()) for edge in graph.strip().split(")(")]


def match_edges(gold: Sequence[str], predicted: Sequence[str], score: EdgeScore) -> Match:
    """Match the edges of two graphs one to one, and score the matching.

    >>> match_edges(["a", "b", "c", "d"], ["c", "a"], lambda gold, predicted: float(gold == predicted))
    Match(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    scores = np.array([[score(g, p) for g in gold] for p in predicted]).reshape(len(predicted), len(gold))
    total = float(scores[linear_sum_assignment(scores, maximize=True)].sum())
    if total <= 0:
        return NO_MATCH
    precision, recall = total / len(predicted), total / len(gold)
    return Match(precision, recall, 2 * precision * recall / (precision + recall))


@cache
def bleu(gold: str, predicted: str) -> float:
    """BLEU-4 of an edge."""
    return sentence_bleu([_TOKEN.findall(gold)], _TOKEN.findall(predicted), _BLEU_WEIGHTS)


@cache
def rouge(gold: str, predicted: str) -> float:
    """The precision of an edge's stemmed bigrams (ROUGE-2)."""
    golds, predictions = _bigrams(gold), _bigrams(predicted)
    return (golds & predictions).total() / max(predictions.total(), 1)


@cache
def _bigrams(edge: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise(_stemming()(edge)))


@cache
def _stemming() -> Callable[[str], list[str]]:
    from rouge_score.tokenizers import DefaultTokenizer  # nltk takes a second to import

    tokenize: Callable[[str], list[str]] = DefaultTokenizer(use_stemmer=True).tokenize
    return tokenize


def bertscores(pairs: Iterable[tuple[str, str]], model: Path | str, layers: int | None = None) -> EdgeScore:
    """BERTScore F1 of edges, each distinct pair scored once; a pair with an empty edge scores 0.

    Args:
        pairs: The (gold, predicted) edges that will be asked for.
        model: A local folder, or a hub name that `bert-score` knows.
        layers: The layer whose embeddings are compared; a folder needs it, by default its last.

    Raises:
        TypeError: a text instead of pairs.
        ScoreError: `bert-score` would open the folder as another kind of model.
    """
    if isinstance(pairs, str):
        raise TypeError(f"needs pairs of edges, not the text {pairs!r}")
    if Path(model).is_dir() and "t5" in str(model) and not _config(model).model_type.endswith("t5"):
        raise ScoreError(f"{model}: bert-score takes any path with 't5' in it for a T5 model; rename it")
    from bert_score import BERTScorer  # torch takes seconds to import

    distinct = sorted({pair for pair in pairs if pair[0].strip() and pair[1].strip()})
    if not distinct:
        return lambda gold, predicted: 0.0
    scorer = BERTScorer(model_type=str(model), num_layers=layers or _layers(model), idf=False)
    limit = getattr(scorer._model.config, "max_position_embeddings", 514) - 2  # RoBERTa's first two are never used
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, limit)  # folders may name none
    golds, predictions = ([pair[k] for pair in distinct] for k in (0, 1))
    found = dict(zip(distinct, scorer.score(predictions, golds)[2].tolist(), strict=True))
    return lambda gold, predicted: found.get((gold, predicted), 0.0)


def bertscore_settings(model: Path | str, layers: int | None = None) -> str:
    """What a BERTScore was computed with."""
    from importlib.metadata import version

    name = Path(model).name if Path(model).is_dir() else str(model)
    return f"bert-score {version('bert-score')}, {name}, layer {layers or _layers(model)}, no idf, not rescaled"


def _layers(model: Path | str) -> int | None:
    """The layers of a local model; `bert-score` knows those of the models that it names."""
    return int(_config(model).num_hidden_layers) if Path(model).is_dir() else None


def _config(model: Path | str) -> Any:
    from transformers import AutoConfig  # takes seconds to import

    return AutoConfig.from_pretrained(str(model))
