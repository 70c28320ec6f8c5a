"""Which split an example is in: decided by what its triples say, so that the same graph is never in both."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eg3p_lib.relations import RELATIONS
from eg3p_lib.store import KnowledgeBase

VALIDATION_SHARE = 50
"""One hash in so many is for validation."""

Hashes = npt.NDArray[np.uint64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


@lru_cache(maxsize=2)
def triple_hashes(kb: KnowledgeBase) -> Hashes:
    """A number of 64 bits for each triple of a knowledge base, from its texts; kept for the next call."""
    concepts = pd.util.hash_array(kb.concepts.to_numpy(zero_copy_only=False))
    relations = pd.util.hash_array(np.array(RELATIONS, object))
    ends = concepts[kb.head] * np.uint64(3) + concepts[kb.tail] * np.uint64(5)
    mixed: Hashes = (ends + relations[kb.relation]) * _MIX
    return mixed ^ (mixed >> np.uint64(29))


def splits(hashes: Hashes) -> pa.StringArray:
    """`train` or `validation` for sums of triples' hashes (which do not depend on the order of the triples)."""
    validation = (hashes * _MIX >> np.uint64(32)) % np.uint64(VALIDATION_SHARE) == VALIDATION_SHARE - 1
    return pa.array(["train", "validation"], pa.string()).take(pa.array(validation.astype(np.int8)))
