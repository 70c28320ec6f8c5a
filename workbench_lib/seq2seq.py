"""Seq2seq models and their tokenizers: built from a shape, or loaded from a run, a local folder or a hub name.

The one module that knows BART (Lewis et al. 2020); everything else takes any seq2seq model of `transformers`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from workbench_lib.errors import WorkbenchError
from workbench_lib.shapes import SHAPES

MAX_POSITIONS = 1024
BART_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")  # BART's own ids 0..3; <mask> comes last there
ADDED_TOKENS = ("[SEP]", "[ANSWER]", "[I_E]", "[HEAD]", "[ROW]")


class ModelError(WorkbenchError):
    """A model or tokenizer cannot be built or loaded."""


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE of at most `vocabulary` tokens, laid out as BART's, with the structure tokens added.

    The structure tokens ([SEP], [ANSWER], [I_E], [HEAD], [ROW]) are never split, and stay in decoded text.
    """
    if vocabulary < 256 + len(BART_TOKENS) + len(ADDED_TOKENS):
        raise ModelError(f"a byte-level vocabulary needs at least 266 tokens, not {vocabulary}")
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(ADDED_TOKENS),
        special_tokens=list(BART_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((_without_added(text) for text in texts), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    roles = ("bos_token", "pad_token", "eos_token", "unk_token", "mask_token", "cls_token", "sep_token")
    names = dict(zip(roles, (*BART_TOKENS, "<s>", "</s>"), strict=True))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=MAX_POSITIONS, **names)
    add_tokens(fast)
    return fast


def build_model(shape: str, tokenizer: PreTrainedTokenizerFast, *, seed: int, dropout: float) -> PreTrainedModel:
    """A BART of that shape with fresh weights drawn from `seed`.

    Raises:
        ModelError: no such shape.
    """
    if shape not in SHAPES:
        raise ModelError(f"unknown shape {shape!r} (there are: {', '.join(SHAPES)})")
    return fresh(BartForConditionalGeneration, bart_config(shape, tokenizer, dropout), seed)


def bart_config(shape: str, tokenizer: PreTrainedTokenizerFast, dropout: float) -> BartConfig:
    """The settings of a BART of one of the shapes."""
    width, encoder_layers, decoder_layers, heads, feed_forward = SHAPES[shape]
    return BartConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=MAX_POSITIONS,
        d_model=width,
        encoder_layers=encoder_layers,
        decoder_layers=decoder_layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=feed_forward,
        decoder_ffn_dim=feed_forward,
        dropout=dropout,
    )


def load_tokenizer(name: str | Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a local folder or a hub name, with the structure tokens added where it lacks them.

    Raises:
        ModelError: there is no such folder, and no hub to ask or nothing by that name.
    """
    tokenizer = load(AutoTokenizer, name)
    add_tokens(tokenizer)
    return tokenizer


def load_model(name: str | Path, tokenizer: PreTrainedTokenizerFast, *, dropout: float) -> PreTrainedModel:
    """The seq2seq model of a local folder or a hub name, its embeddings as many as the tokenizer's tokens."""
    config = load(AutoConfig, name)
    setattr(config, "dropout_rate" if hasattr(config, "dropout_rate") else "dropout", dropout)  # T5's name, BART's
    model = load(AutoModelForSeq2SeqLM, name, config=config, dtype=torch.float32, use_safetensors=True)
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        with torch.random.fork_rng():
            torch.manual_seed(len(tokenizer))
            model.resize_token_embeddings(len(tokenizer))
    return model


def with_fresh_weights(model: PreTrainedModel, *, seed: int) -> PreTrainedModel:
    """A model of the same shape whose weights are drawn anew: the baseline without pre-training."""
    return fresh(type(model), model.config, seed)


def add_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    """Give a tokenizer the structure tokens that it lacks."""
    known = tokenizer.get_vocab()
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in ADDED_TOKENS if t not in known])


def save(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
    *,
    weights: dict[str, torch.Tensor] | None = None,
) -> None:
    """Write weights (safetensors), settings and tokenizer to a folder that `from_pretrained` opens without us.

    Args:
        weights: The model's, where it holds but a part of them itself.
    """
    model.save_pretrained(folder, state_dict=weights)
    tokenizer.save_pretrained(folder)


def count_parameters(model: PreTrainedModel) -> int:
    """The number of weights, tied ones once."""
    return sum(parameter.numel() for parameter in model.parameters())


def fresh(cls: type[PreTrainedModel], config: Any, seed: int) -> PreTrainedModel:
    """A model of that class with weights drawn from `seed`."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return cls(config)


def load(cls: Any, name: str | Path, **settings: Any) -> Any:
    """What a class of transformers makes of a local folder or a hub name.

    Raises:
        ModelError: there is no such folder, and no hub to ask or nothing by that name.
    """
    try:
        return cls.from_pretrained(str(name), **settings)
    except (OSError, ValueError, SafetensorError) as error:
        first = str(error).strip().splitlines()[0]
        raise ModelError(f"{name}: neither a model folder nor a hub model that can be reached ({first})") from error


def _without_added(text: str) -> str:
    for token in ADDED_TOKENS:
        text = text.replace(token, "")
    return text
