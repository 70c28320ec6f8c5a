"""Texts for many sources: batched by length, keyed by id, written as they come, and gone on with after a kill."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm
from transformers import (
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from workbench_lib.decoding import search
from workbench_lib.devices import is_sharded
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json
from workbench_lib.tokens import cut, encode
from workbench_lib.written import Written, WrittenFile

TOKENS_A_BATCH = 1 << 14
"""Tokens that a batch may come to hold, over all beams: of sources (padded), and of outputs at the length limit."""


class GenerationError(WorkbenchError):
    """Texts cannot be generated as asked."""


@dataclass(frozen=True)
class Generated:
    """What was written for each source, by id, in the order of the sources; `constrained` if not all text was free."""

    by_id: Mapping[str, Written]
    constrained: bool = False

    @property
    def texts(self) -> list[str]:
        return [written.text for written in self.by_id.values()]

    @property
    def hit_limit(self) -> int:
        """How many texts are as long as is allowed, and have no end."""
        return sum(written.hit_limit for written in self.by_id.values())

    @property
    def hit_share(self) -> float:
        """The share of the texts that hit the length limit."""
        return self.hit_limit / max(1, len(self.by_id))

    @property
    def cut_sources(self) -> int:
        """How many sources were too long, and cut."""
        return sum(written.cut for written in self.by_id.values())


def generation_config(
    model: PreTrainedModel,
    *,
    max_new_tokens: int,
    beams: int = 1,
    temperature: float | None = None,
    top_p: float = 1.0,
) -> GenerationConfig:
    """Every setting of generation in one object, passed on each call, so that nothing hides in a model's config.

    Args:
        beams: Of the beam search; 1 is greedy.
        temperature: Sample, with logits divided by it, in place of searching.
        top_p: Sample from the most probable tokens that have this much probability together.

    Raises:
        GenerationError: beams and sampling at once.
    """
    if temperature is not None and beams > 1:
        raise GenerationError(f"{temperature=} means sampling, which takes one beam, not {beams}")
    config = model.config
    sampling = {} if temperature is None else {"temperature": temperature, "top_p": top_p, "top_k": 0}
    return GenerationConfig(
        max_new_tokens=max_new_tokens,
        num_beams=beams,
        do_sample=temperature is not None,
        use_cache=True,
        length_penalty=1.0,
        early_stopping=False,
        decoder_start_token_id=config.decoder_start_token_id,
        bos_token_id=getattr(config, "bos_token_id", None),  # T5 has none
        eos_token_id=config.eos_token_id,
        pad_token_id=config.pad_token_id,
        **sampling,
    )


def generate(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sources: Sequence[str],
    config: GenerationConfig,
    *,
    max_source_tokens: int,
    ids: Sequence[str] | None = None,
    file: Path | None = None,
    constraint: LogitsProcessor | None = None,
    seed: int = 0,
    tokens_a_batch: int = TOKENS_A_BATCH,
) -> Generated:
    """Write a text for every source. A source over `max_source_tokens` is cut at its end, and counted.

    Neither the order of the sources nor the batches that they come in change the texts, beyond the rounding of floats.

    Args:
        config: As `generation_config` makes it.
        ids: Of the sources; by default their numbers.
        file: Where texts are written as they come; a call that was killed goes on after those that are there. A file
            of other weights, settings, sources or another tokenizer is replaced.
        constraint: Lets some texts out only.
        seed: Of sampling: with the id it decides a text, whatever is generated beside it.
        tokens_a_batch: What fits into memory; the shorter the sources, the more of them go together.

    Raises:
        GenerationError: not one id for each source, or one that comes twice.
        InputError: a line of the file is damaged.
    """
    ids = [str(number) for number in range(len(sources))] if ids is None else ids
    if len(ids) != len(sources) or len(set(ids)) < len(ids):
        raise GenerationError(f"{len(sources)} sources need as many different ids, not {len(ids)} ({len(set(ids))})")
    encoded = encode(tokenizer, sources) if sources else []
    short = [cut(tokens, max_source_tokens) for tokens in encoded]
    what = [ids, sources, max_source_tokens, seed]
    with _only_for_this(model, config), _kept(file, model, tokenizer, config, constraint, what) as kept:
        waiting = [k for k, name in enumerate(ids) if name not in kept.by_id]
        for batch in _batches(waiting, short, config, tokens_a_batch):
            draws = _draws([ids[k] for k in batch], config, seed)
            outputs = _outputs(model, tokenizer, [short[k] for k in batch], config, constraint, draws)
            rows = zip(batch, outputs, strict=True)
            kept.add({ids[k]: Written(*output, len(short[k]) < len(encoded[k])) for k, output in rows})
    return Generated({name: kept.by_id[name] for name in ids}, constraint is not None)


@contextmanager
def _only_for_this(model: PreTrainedModel, config: GenerationConfig) -> Iterator[None]:
    """The model for inference, its own generation settings out of the way: `generate` fills what we leave open."""
    own, was_training = model.generation_config, model.training
    model.generation_config = config
    model.eval()
    try:
        with torch.no_grad() if is_sharded(model) else torch.inference_mode():  # gathered weights must train again
            yield
    finally:
        model.generation_config = own
        model.train(was_training)


def _kept(
    file: Path | None,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    config: GenerationConfig,
    constraint: LogitsProcessor | None,
    what: object,
) -> WrittenFile:
    """The file, with the identity of all that decides the texts."""
    if file is None:
        return WrittenFile(None, "")
    settings = config.to_diff_dict() | {"transformers_version": None}
    names = [tokenizer.backend_tokenizer.to_str(), type(constraint).__qualname__]
    return WrittenFile(file, sha256_of_json([weights_digest(model), settings, names, what]))


def weights_digest(model: PreTrainedModel) -> str:
    """One digest of a model's weights."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def _batches(
    waiting: list[int], sources: list[list[int]], config: GenerationConfig, tokens_a_batch: int
) -> Iterator[list[int]]:
    """The longest first, so that memory peaks at once; a batch of one may be over the budget."""
    order = sorted(waiting, key=lambda k: -len(sources[k]))
    with tqdm(total=len(order), desc="generating", unit="text", mininterval=10) as bar:
        while order:
            size = config.num_beams * (len(sources[order[0]]) + config.max_new_tokens)
            batch, order = order[: max(1, tokens_a_batch // size)], order[max(1, tokens_a_batch // size) :]
            yield batch
            bar.update(len(batch))


def _draws(ids: Sequence[str], config: GenerationConfig, seed: int) -> Tensor | None:
    """For sampling: numbers that depend on the seed and the id alone, (examples, new tokens)."""
    if not config.do_sample:
        return None
    keys = [[seed, *hashlib.sha256(name.encode()).digest()] for name in ids]
    drawn = [np.random.default_rng(key).random(config.max_new_tokens, np.float32) for key in keys]
    return torch.from_numpy(np.stack(drawn))


def _outputs(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sources: list[list[int]],
    config: GenerationConfig,
    constraint: LogitsProcessor | None,
    draws: Tensor | None,
) -> list[tuple[str, bool]]:
    """The text for each source, and whether it hit the limit."""
    inputs = tokenizer.pad({"input_ids": sources}, return_tensors="pt").to(model.device)
    outputs = model.generate(
        inputs["input_ids"],
        attention_mask=inputs["attention_mask"],
        generation_config=config,
        logits_processor=LogitsProcessorList([constraint] if constraint else []),
        custom_generate=search,
        draws=None if draws is None else draws.to(model.device),
    )
    how = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    return [(tokenizer.decode(tokens, **how).strip(), tokens[-1] != config.eos_token_id) for tokens in outputs]
