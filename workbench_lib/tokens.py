"""Tokenised examples on disk: tokenised once for all runs, memory-mapped, in flat memory however many there are."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm
from transformers import PreTrainedTokenizerFast

from workbench_lib.batches import Indices
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json, write_json

IGNORED = -100  # a label that no loss counts
VERSION = 1  # raised whenever the same texts would give other tokens
CHUNK = 1000
SIDES = ("source", "target")
Ids = NDArray[np.unsignedinteger]
Side = str | list[int]


class TokenError(WorkbenchError):
    """Tokenised data are damaged, of another corpus, cannot be written, or hold nothing to train on."""


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
    def lengths(self) -> NDArray[np.uint16]:
        """Tokens of source and target, (examples, 2)."""
        return np.memmap(self.folder / "lengths", np.uint16, "r").reshape(-1, 2)

    def row(self, index: int) -> int:
        """Which of the texts that were tokenised the example is, counted from 0: those that are too long count, too."""
        return int(self._rows[index])

    def source(self, index: int) -> Ids:
        return self._slice("source", index)

    def target(self, index: int) -> Ids:
        return self._slice("target", index)

    def _slice(self, side: str, index: int) -> Ids:
        ids, starts = self._arrays[side]
        start = int(starts[index])
        return ids[start : start + int(self.lengths[index, SIDES.index(side)])]

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        return np.memmap(self.folder / "rows", np.int64, "r")

    @cached_property
    def _arrays(self) -> dict[str, tuple[Ids, NDArray[np.int64]]]:
        dtype = np.dtype(self.meta["dtype"])
        return {
            side: (
                np.memmap(self.folder / f"{side}.ids", dtype, "r"),
                np.memmap(self.folder / f"{side}.starts", np.int64, "r"),
            )
            for side in SIDES
        }

    def check(self) -> None:
        """Compare the sizes of the files with the record.

        Raises:
            TokenError: one was cut short, or is gone.
        """
        examples, width = len(self), np.dtype(self.meta["dtype"]).itemsize
        sizes = {"lengths": 4 * examples, "rows": 8 * examples}
        for side in SIDES:
            sizes |= {f"{side}.starts": 8 * examples, f"{side}.ids": width * self.meta[f"{side}_tokens"]}
        for name, size in sizes.items():
            path = self.folder / name
            found = path.stat().st_size if path.exists() else None
            if found != size:
                raise TokenError(f"{path}: damaged: {found} bytes, not {size}; delete the folder to tokenise anew")


def store_identity(
    texts: Any, tokenizer: PreTrainedTokenizerFast, max_source_tokens: int, max_target_tokens: int, *, cut_long: bool
) -> str:
    """One digest of all that decides a store's tokens; `texts` stands for the texts (a corpus's digest, say)."""
    settings = [VERSION, max_source_tokens, max_target_tokens, cut_long]
    return sha256_of_json([texts, settings, tokenizer.backend_tokenizer.to_str()])


def tokenise(
    texts: Iterable[tuple[Side, Side]],
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
    *,
    identity: Any,
    max_source_tokens: int,
    max_target_tokens: int,
    cut_long: bool = False,
) -> TokenStore:
    """Tokenise (source, target) pairs into `folder`, or open what was tokenised there before for the same identity.

    A side that is a list holds ids already, and stays as it is (the number of a class, say).
    Examples longer than a limit are counted in `meta["too_long"]`, and left out (cutting a target would teach wrong
    endings); with `cut_long`, for evaluation, they are cut at the end instead, so that every example is there.

    Raises:
        TokenError: nothing is left, or the folder holds another identity's tokens, or damaged ones.
    """
    digest = store_identity(identity, tokenizer, max_source_tokens, max_target_tokens, cut_long=cut_long)
    store = TokenStore(folder)
    if (folder / "meta.json").exists():
        if store.meta["identity"] != digest:
            raise TokenError(f"{folder}: holds tokens of other texts or another tokenizer; delete the folder")
        store.check()
        return store
    folder.mkdir(parents=True, exist_ok=True)
    writer = _Writer(folder, tokenizer, (max_source_tokens, max_target_tokens), cut_long)
    try:
        meta = writer.write(texts)
    except OSError as error:
        raise TokenError(f"{folder}: could not be written ({error})") from error
    if not meta["examples"]:
        how = f"all {meta['too_long']} are longer than {max_source_tokens=} or {max_target_tokens=}"
        raise TokenError(f"{folder}: no examples: {how if meta['too_long'] else 'there are none to tokenise'}")
    write_json(folder / "meta.json", {"identity": digest, **meta})
    return store


class _Writer:
    """Writes a store: the ids of both sides, the lengths, and where each example starts; all appended as they come."""

    def __init__(self, folder: Path, tokenizer: PreTrainedTokenizerFast, limits: tuple[int, int], cut_long: bool):
        self.folder, self.tokenizer, self.limits, self.cut_long = folder, tokenizer, limits, cut_long
        self.dtype = np.uint16 if len(tokenizer) <= 1 << 16 else np.uint32
        self.meta = {"rows": 0, "examples": 0, "too_long": 0, "source_tokens": 0, "target_tokens": 0}

    def write(self, texts: Iterable[tuple[Side, Side]]) -> dict[str, Any]:
        names = ("lengths", "rows", *(f"{side}.{kind}" for side in SIDES for kind in ("ids", "starts")))
        files = {name: (self.folder / name).open("wb") for name in names}
        try:
            for chunk in tqdm(_chunks(texts), desc="tokenising", unit="k", mininterval=5, leave=False):
                self._write_chunk(chunk, files)
        finally:
            for file in files.values():
                file.close()
        return {**self.meta, "dtype": np.dtype(self.dtype).name}

    def _write_chunk(self, chunk: list[tuple[Side, Side]], files: Mapping[str, IO[bytes]]) -> None:
        pairs = list(zip(*(self._ids([pair[k] for pair in chunk]) for k in (0, 1)), strict=True))
        fits = [len(source) <= self.limits[0] and len(target) <= self.limits[1] for source, target in pairs]
        self.meta["too_long"] += fits.count(False)
        if self.cut_long:
            pairs = [(cut(source, self.limits[0]), cut(target, self.limits[1])) for source, target in pairs]
            fits = [True] * len(pairs)
        first, self.meta["rows"] = self.meta["rows"], self.meta["rows"] + len(pairs)
        kept = list(itertools.compress(pairs, fits))
        if not kept:
            return
        lengths = np.array([(len(source), len(target)) for source, target in kept], np.uint16)
        files["lengths"].write(lengths.tobytes())
        files["rows"].write((first + np.flatnonzero(fits)).astype(np.int64).tobytes())
        self.meta["examples"] += len(kept)
        for k, side in enumerate(SIDES):
            ends = self.meta[f"{side}_tokens"] + np.cumsum(lengths[:, k], dtype=np.int64)
            files[f"{side}.starts"].write((ends - lengths[:, k]).tobytes())
            files[f"{side}.ids"].write(np.concatenate([pair[k] for pair in kept]).astype(self.dtype).tobytes())
            self.meta[f"{side}_tokens"] = int(ends[-1])

    def _ids(self, sides: list[Side]) -> list[list[int]]:
        texts = [side for side in sides if isinstance(side, str)]
        encoded = iter(encode(self.tokenizer, texts) if texts else [])
        return [next(encoded) if isinstance(side, str) else side for side in sides]


def encode(tokenizer: PreTrainedTokenizerFast, texts: Sequence[str]) -> list[list[int]]:
    """Token ids of each text, with the model's start and end; a `</s>` inside a text is text, not an end."""
    ids: list[list[int]] = tokenizer(list(texts), verbose=False, split_special_tokens=True)["input_ids"]
    return ids


def cut(tokens: list[int], limit: int) -> list[int]:
    """At most `limit` tokens, the last of which stays the model's end."""
    return tokens if len(tokens) <= limit else [*tokens[: limit - 1], tokens[-1]]


def _chunks(texts: Iterable[tuple[Side, Side]]) -> Iterator[list[tuple[Side, Side]]]:
    chunk: list[tuple[Side, Side]] = []
    for pair in texts:
        chunk.append(pair)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def collate(store: TokenStore, indices: Sequence[int] | Indices, pad: int) -> dict[str, torch.Tensor]:
    """These examples as input_ids and attention_mask (batch, source) and labels (batch, target; -100 = ignored)."""
    sources = [store.source(int(i)) for i in indices]
    input_ids = _pad(sources, pad)
    lengths = torch.tensor([[len(ids)] for ids in sources])
    return {
        "input_ids": input_ids,
        "attention_mask": (torch.arange(input_ids.shape[1]) < lengths).long(),
        "labels": _pad([store.target(int(i)) for i in indices], IGNORED),
    }


def _pad(sequences: Sequence[Ids], value: int) -> torch.Tensor:
    padded = np.full((len(sequences), max(map(len, sequences))), value, dtype=np.int64)
    for row, ids in zip(padded, sequences, strict=True):
        row[: len(ids)] = ids
    return torch.from_numpy(padded)
