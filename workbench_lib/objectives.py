"""What a training step minimises, summed so that steps can be normalised over all that they count, and its measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel

from workbench_lib.batches import all_batches
from workbench_lib.tokens import IGNORED, TokenStore, collate

Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Objective:
    """A loss.

    Args:
        loss: `(model, batch, label_smoothing)` to the summed loss of a batch; batches are as `collate` gives them.
        counted: How many targets of examples the loss is summed over, from the lengths of their targets.
    """

    loss: Callable[[PreTrainedModel, Tensors, float], Tensor]
    counted: Callable[[int], int]


def token_loss(model: PreTrainedModel, batch: Tensors, label_smoothing: float = 0.0) -> Tensor:
    """The summed cross-entropy over the target tokens of a batch (labels of -100 do not count)."""
    return cross_entropy(
        target_logits(model, batch).flatten(0, 1),
        batch["labels"].flatten(),
        ignore_index=IGNORED,
        reduction="sum",
        label_smoothing=label_smoothing,
    )


def class_loss(model: PreTrainedModel, batch: Tensors, label_smoothing: float = 0.0) -> Tensor:
    """The summed cross-entropy over the examples of a batch, whose one target token is the number of the class."""
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits.float()
    return cross_entropy(logits, batch["labels"][:, 0], reduction="sum", label_smoothing=label_smoothing)


TARGET_TOKENS = Objective(token_loss, lambda tokens: tokens)
CLASSES = Objective(class_loss, lambda tokens: 1)


def target_logits(model: PreTrainedModel, batch: Tensors) -> Tensor:
    """The scores of each target token, given the source and the true tokens before: (batch, target, vocabulary)."""
    output = model(
        input_ids=batch["input_ids"],
        attention_mask=batch["attention_mask"],
        decoder_input_ids=shifted_right(batch["labels"], getattr(model, "module", model).config),
        use_cache=False,
    )
    logits: Tensor = output.logits.float()
    return logits


def shifted_right(labels: Tensor, config: object) -> Tensor:
    """What the decoder reads: the start token, then the labels without the last; ignored ones as padding."""
    start = labels.new_full((len(labels), 1), config.decoder_start_token_id)  # type: ignore[attr-defined]
    before = labels[:, :-1].masked_fill(labels[:, :-1] == IGNORED, config.pad_token_id)  # type: ignore[attr-defined]
    return torch.cat([start, before], dim=1)


@torch.no_grad()
def mean_loss(model: PreTrainedModel, store: TokenStore, tokens_a_batch: int, objective: Objective) -> float:
    """The mean unsmoothed loss over all that the objective counts in a set."""
    was_training = model.training
    model.eval()
    total, counted = 0.0, 0
    for examples in all_batches(store.lengths, tokens_a_batch):
        batch = to_device(collate(store, examples, model.config.pad_token_id), model.device)
        total += objective.loss(model, batch, 0.0).item()
        counted += sum(map(objective.counted, store.lengths[examples, 1].tolist()))
    model.train(was_training)
    return total / counted


@torch.no_grad()
def token_accuracy(model: PreTrainedModel, store: TokenStore, tokens_a_batch: int) -> list[float]:
    """For each example the share of its target tokens that the model ranks first, given the true ones before.

    Finer than any metric of generated text, so it tells models apart that are too small to write whole answers.
    """
    model.eval()
    shares = [0.0] * len(store)
    for examples in all_batches(store.lengths, tokens_a_batch):
        batch = to_device(collate(store, examples, model.config.pad_token_id), model.device)
        labels = batch["labels"]
        right = (target_logits(model, batch).argmax(-1) == labels).sum(1) / (labels != IGNORED).sum(1)
        for index, share in zip(examples, right.tolist(), strict=True):
            shares[int(index)] = share
    return shares


def to_device(batch: Tensors, device: torch.device) -> Tensors:
    """The batch where the model is."""
    return {name: tensor.to(device, non_blocking=True) for name, tensor in batch.items()}
