"""Tokenised examples on disk, tokenised once and memory-mapped, and the batches that a training step sees."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm
from transformers import PreTrainedTokenizerFast

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json, write_json

IGNORED = -100  # a label that no loss counts
POOL = 4096  # examples sorted by length together: enough for even batches, few enough to keep an epoch shuffled
CHUNK = 1000
Indices = NDArray[np.int64]


class TokenError(WorkbenchError):
    """Tokenised data are missing, of another corpus, or hold nothing to train on."""


@dataclass(frozen=True)
class TokenStore:
    """The token ids of a set of examples, in a folder; example i's source and target are slices of flat arrays."""

    folder: Path

    @cached_property
    def meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = json.loads((self.folder / "meta.json").read_bytes())
        return meta

    def __len__(self) -> int:
        return int(self.meta["examples"])

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of source and target, (examples, 2)."""
        return np.stack([np.diff(self._offsets(side)) for side in ("source", "target")], axis=1)

    def source(self, index: int) -> NDArray[np.uint32]:
        return self._ids("source")[slice(*self._offsets("source")[index : index + 2])]

    def target(self, index: int) -> NDArray[np.uint32]:
        return self._ids("target")[slice(*self._offsets("target")[index : index + 2])]

    def _ids(self, side: str) -> NDArray[np.uint32]:
        return self._arrays[side][0]

    def _offsets(self, side: str) -> NDArray[np.int64]:
        return self._arrays[side][1]

    @cached_property
    def _arrays(self) -> dict[str, tuple[NDArray[np.uint32], NDArray[np.int64]]]:
        return {
            side: (
                np.memmap(self.folder / f"{side}.ids", dtype=np.uint32, mode="r"),
                np.load(self.folder / f"{side}.offsets.npy", mmap_mode="r"),
            )
            for side in ("source", "target")
        }


def tokenise(
    texts: Iterable[tuple[str, str]],
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
    *,
    identity: Any,
    max_source_tokens: int,
    max_target_tokens: int,
    cut_long: bool = False,
) -> TokenStore:
    """Tokenise (source, target) pairs into `folder`, or open what was tokenised there before for the same identity.

    Examples longer than a limit are counted in `meta["too_long"]`, and left out (cutting a target would teach wrong
    endings); with `cut_long`, for evaluation, they are cut at the end instead, so that every example is there.

    Raises:
        TokenError: nothing is left, or the folder holds another identity's tokens.
    """
    limits = (max_source_tokens, max_target_tokens)
    identity = sha256_of_json([identity, *limits, cut_long, tokenizer.backend_tokenizer.to_str()])
    store = TokenStore(folder)
    if (folder / "meta.json").exists():
        if store.meta["identity"] != identity:
            raise TokenError(f"{folder}: holds tokens of other texts or another tokenizer; delete the folder")
        return store
    folder.mkdir(parents=True, exist_ok=True)
    meta = _write_tokens(_chunks(texts), tokenizer, folder, limits, cut_long)
    if not meta["examples"]:
        how = f"all {meta['too_long']} are longer than {max_source_tokens=} or {max_target_tokens=}"
        raise TokenError(f"{folder}: no examples: {how if meta['too_long'] else 'there are none to tokenise'}")
    write_json(folder / "meta.json", {"identity": identity, **meta})
    return store


def _write_tokens(
    chunks: Iterator[list[tuple[str, str]]],
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
    limits: tuple[int, int],
    cut_long: bool,
) -> dict[str, int]:
    meta = {"examples": 0, "too_long": 0, "source_tokens": 0, "target_tokens": 0}
    lengths: list[tuple[int, int]] = []
    with (folder / "source.ids").open("wb") as sources, (folder / "target.ids").open("wb") as targets:
        for chunk in tqdm(chunks, desc="tokenising", unit="k", mininterval=5, leave=False):
            pairs = list(zip(*(encode(tokenizer, [pair[k] for pair in chunk]) for k in (0, 1)), strict=True))
            kept = [pair for pair in pairs if len(pair[0]) <= limits[0] and len(pair[1]) <= limits[1]]
            meta["too_long"] += len(pairs) - len(kept)
            if cut_long:
                kept = [(cut(source, limits[0]), cut(target, limits[1])) for source, target in pairs]
            _append(sources, [pair[0] for pair in kept])
            _append(targets, [pair[1] for pair in kept])
            lengths += [(len(source), len(target)) for source, target in kept]
    counts = np.array(lengths, dtype=np.int64).reshape(-1, 2)
    for side, column in (("source", 0), ("target", 1)):
        np.save(folder / f"{side}.offsets.npy", np.concatenate([[0], np.cumsum(counts[:, column])]))
        meta[f"{side}_tokens"] = int(counts[:, column].sum())
    meta["examples"] = len(lengths)
    return meta


def encode(tokenizer: PreTrainedTokenizerFast, texts: Sequence[str]) -> list[list[int]]:
    """Token ids of each text, with the model's start and end; a `</s>` inside a text is text, not an end."""
    ids: list[list[int]] = tokenizer(list(texts), verbose=False, split_special_tokens=True)["input_ids"]
    return ids


def cut(tokens: list[int], limit: int) -> list[int]:
    """At most `limit` tokens, the last of which stays the model's end."""
    return tokens if len(tokens) <= limit else [*tokens[: limit - 1], tokens[-1]]


def _append(file: IO[bytes], sequences: list[list[int]]) -> None:
    for ids in sequences:
        file.write(np.asarray(ids, dtype=np.uint32).tobytes())


def _chunks(texts: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    chunk: list[tuple[str, str]] = []
    for pair in texts:
        chunk.append(pair)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def epoch_batches(lengths: NDArray[np.int64], tokens_a_batch: int, *, seed: int, epoch: int) -> list[Indices]:
    """The batches of one epoch: shuffled, of similar lengths within a batch, each within the token budget.

    A batch costs examples x (longest source + longest target), padding counted; one longer example makes its own
    batch. A pure function of its arguments, so that a resumed run sees what the uninterrupted one would have.
    """
    rng = np.random.default_rng([seed, epoch])
    order = rng.permutation(len(lengths))
    batches: list[Indices] = []
    for start in range(0, len(order), POOL):
        pool = order[start : start + POOL]
        pool = pool[np.lexsort((pool, lengths[pool, 1], lengths[pool, 0]))]
        batches += _cut(pool, lengths, tokens_a_batch)
    return [batches[k] for k in rng.permutation(len(batches))]


def _cut(pool: Indices, lengths: NDArray[np.int64], budget: int) -> list[Indices]:
    batches, start, longest = [], 0, (0, 0)
    for k, index in enumerate(pool):
        grown = (max(longest[0], int(lengths[index, 0])), max(longest[1], int(lengths[index, 1])))
        if k > start and (k + 1 - start) * sum(grown) > budget:
            batches.append(pool[start:k])
            start, grown = k, (int(lengths[index, 0]), int(lengths[index, 1]))
        longest = grown
    return [*batches, pool[start:]]


def collate(store: TokenStore, indices: Sequence[int] | Indices, pad: int) -> dict[str, torch.Tensor]:
    """These examples as input_ids and attention_mask (batch, source) and labels (batch, target; -100 = ignored)."""
    input_ids = _pad([store.source(int(i)) for i in indices], pad)
    lengths = torch.tensor([[len(store.source(int(i)))] for i in indices])
    return {
        "input_ids": input_ids,
        "attention_mask": (torch.arange(input_ids.shape[1]) < lengths).long(),
        "labels": _pad([store.target(int(i)) for i in indices], IGNORED),
    }


def _pad(sequences: Sequence[NDArray[np.uint32]], value: int) -> torch.Tensor:
    padded = np.full((len(sequences), max(map(len, sequences))), value, dtype=np.int64)
    for row, ids in zip(padded, sequences, strict=True):
        row[: len(ids)] = ids
    return torch.from_numpy(padded)
