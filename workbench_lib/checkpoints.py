"""Checkpoints of a training run: a folder each, put in place whole, without pickle."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim import Optimizer

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import write_json

LAST = "last"


class CheckpointError(WorkbenchError):
    """A checkpoint is damaged, or does not fit the model that is trained."""


@dataclass(frozen=True)
class Progress:
    """Where a training run stands: everything besides tensors that the next step depends on."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # the next one in the epoch
    seconds: float = 0.0


def save_checkpoint(folder: Path, model: nn.Module, optimizer: Optimizer, progress: Progress) -> None:
    """Write `folder/last`; the previous one stays until the new one is complete."""
    fresh, last, old = folder / ".writing", folder / LAST, folder / ".old"
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir(parents=True)
    save_file(_weights(model), fresh / "model.safetensors")
    save_file(_moments(model, optimizer), fresh / "optimizer.safetensors")
    save_file(_random_states(), fresh / "random.safetensors")
    write_json(fresh / "progress.json", asdict(progress))
    if last.exists():
        last.rename(old)
    fresh.rename(last)
    shutil.rmtree(old, ignore_errors=True)


def load_checkpoint(folder: Path, model: nn.Module, optimizer: Optimizer) -> Progress | None:
    """Put `folder/last` into model, optimizer and random generators; None where there is no checkpoint.

    Raises:
        CheckpointError: a file is damaged, or a tensor has another shape than the model's.
    """
    last = folder / LAST
    if not last.exists() and (folder / ".old").exists():  # stopped between the two renames
        (folder / ".old").rename(last)
    if not last.exists():
        return None
    try:
        progress = Progress(**json.loads((last / "progress.json").read_bytes()))
        weights, moments, states = (load_file(last / f"{n}.safetensors") for n in ("model", "optimizer", "random"))
    except (OSError, ValueError, TypeError, SafetensorError) as error:
        raise CheckpointError(f"{last}: the checkpoint is damaged ({error}); delete it to start anew") from error
    _check_shapes(last, weights, _weights(model))
    _check_shapes(last, {n: t for n, t in moments.items() if not n.endswith(".step")}, _expected_moments(model))
    model.load_state_dict(weights, strict=False)  # tied weights are stored once
    _restore_moments(model, optimizer, moments)
    _restore_random_states(states)
    return progress


def _weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: parameter.detach().contiguous() for name, parameter in model.named_parameters()} | {
        name: buffer.contiguous() for name, buffer in model.named_buffers()
    }


def _moments(model: nn.Module, optimizer: Optimizer) -> dict[str, Tensor]:
    return {
        f"{name}.{key}": value.contiguous()
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def _expected_moments(model: nn.Module) -> dict[str, Tensor]:
    return {f"{n}.{key}": p.detach() for n, p in model.named_parameters() for key in ("exp_avg", "exp_avg_sq")}


def _restore_moments(model: nn.Module, optimizer: Optimizer, moments: Mapping[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        step, *means = (moments[f"{name}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq"))
        average, square = (mean.to(parameter.device) for mean in means)
        optimizer.state[parameter] = {"step": step, "exp_avg": average, "exp_avg_sq": square}


def _random_states() -> dict[str, Tensor]:
    states = {"cpu": torch.get_rng_state()}
    return states | ({"cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else {})


def _restore_random_states(states: Mapping[str, Tensor]) -> None:
    torch.set_rng_state(states["cpu"])
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(states["cuda"])


def _check_shapes(folder: Path, found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        shapes = [tuple(t[name].shape) if name in t else None for t in (found, expected)]
        if shapes[0] != shapes[1]:
            raise CheckpointError(f"{folder}: a checkpoint of another model: {name} is {shapes[0]}, not {shapes[1]}")
