"""The corpora of the paper's baselines, link and tail prediction, from the same triples (section 5.2, Table 4)."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np
import pyarrow as pa

from eg3p_lib.chance import Chance, Integers, below
from eg3p_lib.pieces import Vocabulary
from eg3p_lib.relations import RELATIONS
from eg3p_lib.splits import splits, triple_hashes
from eg3p_lib.store import KnowledgeBase
from workbench_lib.corpus import Block

PredictionTask = Literal["link-prediction", "head-prediction", "tail-prediction"]
PARTS = ("head", "relation", "tail")
SCHEMA = pa.schema(
    [
        ("example", pa.int64()),
        ("part", pa.string()),
        ("split", pa.string()),
        ("source", pa.string()),
        ("target", pa.string()),
    ]
)


class PredictionMaker:
    """Makes the examples of a prediction task: two parts of a triple are told, the third is asked for.

    Example i is about the i-th triple of a seeded shuffle; after the last one the triples come again, and in link
    prediction with another part asked for. Validation examples are about triples that no training example is about.

    Args:
        kb: Where the triples come from.
        seed: Decides the order and the parts.
        task: Which part is asked for; `link-prediction` asks for any.

    >>> from eg3p_lib.knowledge import starter_knowledge
    >>> row = PredictionMaker(starter_knowledge(), 3, "tail-prediction").block(0, 1).table.to_pylist()[0]
    >>> row["source"].startswith("predict tail: "), row["target"] in starter_knowledge().concepts.to_pylist()
    (True, True)
    """

    def __init__(self, kb: KnowledgeBase, seed: int, task: PredictionTask):
        self.kb, self.seed, self.task = kb, seed, task
        order, part = Chance(seed, 0, len(kb)).words(0, 2)
        self._order, self._first_part = np.argsort(order, kind="stable"), below(part, len(PARTS))
        self._splits = splits(triple_hashes(kb))
        self._vocabulary = Vocabulary(kb.concepts)
        self._relations = self._vocabulary.pieces(RELATIONS)

    def block(self, start: int, stop: int) -> Block:
        """The examples [start, stop)."""
        number = np.arange(start, stop)
        triple = self._order[number % len(self.kb)]
        part = self._part(number % len(self.kb), number // len(self.kb))
        pieces = np.stack([self.kb.head[triple], self._relations[self.kb.relation[triple]], self.kb.tail[triple]])
        told = np.array([[1, 2], [0, 2], [0, 1]])[part]
        prompts = self._vocabulary.pieces(f"predict {name}: " for name in PARTS)
        bar = np.full(len(number), self._vocabulary.piece(" | "))
        first, second = np.take_along_axis(pieces, told.T, axis=0)
        columns = {
            "example": pa.array(number),
            "part": pa.array(PARTS).take(pa.array(part)),
            "split": self._splits.take(pa.array(triple)),
            "source": self._vocabulary.write([prompts[part], first, bar, second]),
            "target": self._vocabulary.write([np.take_along_axis(pieces, part[None], axis=0)[0]]),
        }
        return Block(pa.table(columns, schema=SCHEMA), Counter())

    def _part(self, place: Integers, round_: Integers) -> Integers:
        """The place of the part that is asked for."""
        if self.task != "link-prediction":
            return np.full(len(place), PARTS.index(self.task.removesuffix("-prediction")))
        return (self._first_part[place] + round_) % len(PARTS)
