"""Learning rates by hand, and what is decayed."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from workbench_toy_training import toy_model, toy_params, toy_t5

from workbench_lib.optimisation import learning_rate_factor, make_optimizer
from workbench_lib.progress import Progress


def factors(schedule: Any, steps: int, warmup: int) -> list[float]:
    params = toy_params(steps=steps, warmup_steps=warmup)
    done = [Progress(step=step - 1).share_done(params) for step in range(1, steps + 1)]
    return [learning_rate_factor(schedule, step, warmup, share) for step, share in enumerate(done, start=1)]


def test_linear_factors_by_hand() -> None:
    assert factors("linear", 6, 2) == pytest.approx([0.5, 1, 1, 0.75, 0.5, 0.25])
    assert factors("linear", 4, 0) == pytest.approx([1, 0.75, 0.5, 0.25])
    assert factors("linear", 2, 2) == [0.5, 1]
    assert factors("linear", 2, 4) == [0.25, 0.5]
    assert factors("linear", 1, 0) == [1]


def test_other_factors_by_hand() -> None:
    half = math.sqrt(0.5)
    assert factors("cosine", 6, 2) == pytest.approx([0.5, 1, 1, (1 + half) / 2, 0.5, (1 - half) / 2])
    assert factors("polynomial", 6, 2) == pytest.approx([0.5, 1, 1, 9 / 16, 1 / 4, 1 / 16])
    assert factors("constant", 6, 2) == [0.5, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("schedule", ["linear", "cosine", "polynomial"])
def test_a_schedule_ends_at_nothing(schedule: Any) -> None:
    assert learning_rate_factor(schedule, 10, 2, 1.0) == pytest.approx(0.0, abs=1e-12)


@given(
    schedule=st.sampled_from(["linear", "cosine", "polynomial", "constant"]),
    steps=st.integers(1, 60),
    warmup=st.integers(0, 60),
)
def test_a_rate_rises_to_the_peak_and_then_never_again(schedule: Any, steps: int, warmup: int) -> None:
    found = factors(schedule, steps, warmup)
    assert all(0 < factor <= 1 for factor in found)
    assert found[:warmup] == sorted(found[:warmup])
    assert found[warmup:] == sorted(found[warmup:], reverse=True)


@pytest.mark.parametrize("make", [toy_model, toy_t5])
def test_weight_decay_spares_biases_and_norms(tokenizer: Any, make: Any) -> None:
    model = make(tokenizer)
    groups = make_optimizer(model, 1e-3, 0.01).param_groups
    decays = {id(parameter): group["weight_decay"] for group in groups for parameter in group["params"]}
    names = dict(model.named_parameters())
    assert len(decays) == len(names)
    for name, parameter in names.items():
        is_spared = name.endswith(".bias") or "norm" in name
        assert decays[id(parameter)] == (0.0 if is_spared else 0.01), name


def test_weight_decay_shrinks_a_matrix_without_gradient_by_rate_times_decay() -> None:
    layer = torch.nn.Linear(2, 2)
    before = layer.weight.detach().clone(), layer.bias.detach().clone()
    optimizer = make_optimizer(layer, 0.1, 0.5)
    for parameter in layer.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    assert torch.allclose(layer.weight, before[0] * (1 - 0.1 * 0.5))
    assert torch.equal(layer.bias, before[1])
