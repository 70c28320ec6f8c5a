"""The operations of a training step, by hand and by torch's own counter; and what a device can do at most."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from workbench_toy_training import toy_classifier, toy_model, toy_params, toy_t5

from workbench_lib.devices import distributed, is_sharded, make_accelerator, peak_flops, training_flops
from workbench_lib.objectives import class_loss, token_loss


def test_operations_of_an_encoder_and_a_decoder_by_hand(tokenizer: Any) -> None:
    width, wide, layers, vocabulary = 128, 512, 2, len(tokenizer)
    square, forward = width * width, 2 * width * wide
    of_source = layers * (4 * square + forward)  # the encoder's
    of_source += layers * 2 * square  # keys and values that the decoder reads
    of_target = layers * (6 * square + forward) + width * vocabulary  # attention, queries, output; scores
    expected = 0.0
    for source, target in ((50, 20), (30, 7)):
        expected += 6 * (of_source * source + of_target * target)
        expected += 12 * width * layers * (source**2 + target**2 / 2 + source * target)
    assert training_flops(toy_model(tokenizer), np.array([(50, 20), (30, 7)], np.uint16)) == pytest.approx(expected)


@pytest.mark.parametrize("make", [toy_model, toy_t5])
def test_operations_are_those_that_torch_counts(tokenizer: Any, make: Any) -> None:
    """Written out, a step masks half of the decoder's own attention instead of leaving it out: 3 % here at most."""
    model = make(tokenizer)
    model.set_attn_implementation("eager")
    source, target = torch.randint(5, 200, (4, 60)), torch.randint(5, 200, (4, 25))
    with FlopCounterMode(display=False) as counter:
        token_loss(model, {"input_ids": source, "attention_mask": torch.ones_like(source), "labels": target}).backward()
    expected = training_flops(model, np.full((4, 2), (60, 25)))
    assert expected == pytest.approx(counter.get_total_flops(), rel=0.03)


def test_operations_of_a_classifier_are_those_that_torch_counts(tokenizer: Any) -> None:
    """Its attention is not counted, which is a few per cent of such short inputs."""
    model = toy_classifier(tokenizer)
    source = torch.randint(5, 200, (4, 20))
    batch = {
        "input_ids": source,
        "attention_mask": torch.ones_like(source),
        "labels": torch.tensor([[0], [1], [2], [0]]),
    }
    with FlopCounterMode(display=False) as counter:
        class_loss(model, batch).backward()
    assert training_flops(model, np.full((4, 2), (20, 1))) == pytest.approx(counter.get_total_flops(), rel=0.15)


@pytest.mark.parametrize(
    ("name", "peak"),
    [
        ("NVIDIA H200", 989e12),
        ("NVIDIA A100-SXM4-80GB", 312e12),
        ("NVIDIA L4", 121e12),
        ("NVIDIA L40S", 362e12),
        ("NVIDIA L40", None),
        ("NVIDIA GeForce RTX 4090", None),
    ],
)
def test_a_peak_is_known_by_the_whole_word(monkeypatch: pytest.MonkeyPatch, name: str, peak: float | None) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: name)
    assert peak_flops(torch.device("cuda")) == peak


def test_a_processor_has_no_known_peak() -> None:
    assert peak_flops(torch.device("cpu")) is None


def test_one_process_keeps_the_model_as_it_is_even_where_it_could_be_shared_out(tokenizer: Any) -> None:
    model = toy_model(tokenizer)
    assert distributed(model, make_accelerator(), toy_params(shard=True)) is model
    assert not is_sharded(model)
