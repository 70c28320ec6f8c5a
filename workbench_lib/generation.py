"""Batched generation: inputs sorted by length, outputs keyed by id and in the order of the examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tqdm import tqdm
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerFast

from workbench_lib.tokens import cut, encode


@dataclass(frozen=True)
class Generated:
    """Generated texts in the order of the sources, and how many of them hit the length limit or were cut before."""

    texts: list[str]
    hit_limit: int
    cut_sources: int


def generation_config(model: PreTrainedModel, *, max_new_tokens: int, beams: int) -> GenerationConfig:
    """Every setting of generation in one object, passed on each call, so that nothing hides in a model's config."""
    config = model.config
    return GenerationConfig(
        max_new_tokens=max_new_tokens,
        num_beams=beams,
        do_sample=False,
        use_cache=True,
        decoder_start_token_id=config.decoder_start_token_id,
        bos_token_id=config.bos_token_id,
        eos_token_id=config.eos_token_id,
        pad_token_id=config.pad_token_id,
    )


@torch.no_grad()
def generate(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sources: Sequence[str],
    config: GenerationConfig,
    *,
    max_source_tokens: int,
    batch_size: int = 32,
) -> Generated:
    """Generate a text for every source. A source over `max_source_tokens` is cut at its end, and counted."""
    if not sources:
        return Generated([], 0, 0)
    model.eval()
    model.generation_config = config  # or transformers fills what we leave open from the model's own
    ids = encode(tokenizer, sources)
    short = [cut(tokens, max_source_tokens) for tokens in ids]
    order = np.argsort([len(tokens) for tokens in short], kind="stable")[::-1]  # longest first: memory peaks at once
    texts, hit_limit = [""] * len(sources), 0
    starts = range(0, len(order), batch_size)
    for start in tqdm(starts, desc="generating", unit="batch", mininterval=10):
        indices = [int(i) for i in order[start : start + batch_size]]
        inputs = tokenizer.pad({"input_ids": [short[i] for i in indices]}, return_tensors="pt").to(model.device)
        output = model.generate(inputs["input_ids"], attention_mask=inputs["attention_mask"], generation_config=config)
        hit_limit += int((output[:, 1:] != config.eos_token_id).all(dim=1).sum())
        for i, text in zip(indices, tokenizer.batch_decode(output, skip_special_tokens=True), strict=True):
            texts[i] = text.strip()
    return Generated(texts, hit_limit, sum(len(a) < len(b) for a, b in zip(short, ids, strict=True)))
