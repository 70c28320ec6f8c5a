"""Checkpoints of a training run: a folder each, put in place whole, without pickle, alike for any number of devices."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.optim import Optimizer

from workbench_lib.batches import BatchStream, Position
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import write_json
from workbench_lib.stages import TrainingParams

LAST, BEST = "last", "best"
_WHOLE = StateDictOptions(full_state_dict=True, cpu_offload=True)


class CheckpointError(WorkbenchError):
    """A checkpoint is damaged, or does not fit the model that is trained."""


@dataclass(frozen=True)
class Progress:
    """Where a training run stands: everything besides tensors that the next step depends on."""

    step: int = 0
    tokens: int = 0  # source and target, padding not counted
    examples: int = 0
    positions: tuple[Position, ...] = ()
    taken: tuple[int, ...] = ()
    best_loss: float | None = None
    not_better_for: int = 0  # validations
    seconds: float = 0.0

    def after(self, stream: BatchStream, tokens: int, examples: int, seconds: float) -> Progress:
        """One step on."""
        return replace(
            self,
            step=self.step + 1,
            tokens=self.tokens + tokens,
            examples=self.examples + examples,
            positions=tuple(stream.positions),
            taken=tuple(stream.taken),
            seconds=seconds,
        )

    def validated(self, loss: float) -> Progress:
        """With one more validation loss."""
        if self.best_loss is None or loss < self.best_loss:
            return replace(self, best_loss=loss, not_better_for=0)
        return replace(self, not_better_for=self.not_better_for + 1)

    def is_over(self, params: TrainingParams) -> bool:
        """Whether a limit is reached, or validation has not got better for `patience` times."""
        waited = 0 < params.patience <= self.not_better_for
        return waited or any(done >= limit for done, limit in self._limits(params))

    def share_done(self, params: TrainingParams) -> float:
        """The part of the run after the warm-up that is over, from 0 to 1, by the limit that is nearest."""
        after_warmup = (self.step - params.warmup_steps) / max(1, params.steps - params.warmup_steps)
        return max(after_warmup, *(done / limit for done, limit in self._limits(params)[1:]), 0.0)

    def _limits(self, params: TrainingParams) -> list[tuple[int, int]]:
        found = [(self.step, params.steps), (self.tokens, params.max_tokens), (self.examples, params.max_examples)]
        return [(done, limit) for done, limit in found if limit]

    @classmethod
    def read(cls, path: Path) -> Progress:
        values = json.loads(path.read_bytes())
        positions = tuple(Position(**position) for position in values.pop("positions"))
        return cls(**{**values, "positions": positions, "taken": tuple(values["taken"])})


def save_checkpoint(
    folder: Path, accelerator: Accelerator, model: nn.Module, optimizer: Optimizer, progress: Progress
) -> None:
    """Write `folder/last`; the previous one stays until the new one is complete. All processes call it."""
    weights, moments = _weights(model), _moments(model, optimizer)
    _write_whole(folder, LAST, accelerator, {"model": weights, "optimizer": moments}, progress)


def save_weights(folder: Path, accelerator: Accelerator, model: nn.Module, progress: Progress) -> None:
    """Write the weights alone as `folder/best`."""
    _write_whole(folder, BEST, accelerator, {"model": _weights(model)}, progress)


def load_checkpoint(folder: Path, accelerator: Accelerator, model: nn.Module, optimizer: Optimizer) -> Progress | None:
    """Put `folder/last` into model, optimizer and random generators; None where there is no checkpoint.

    Raises:
        CheckpointError: a file is damaged, or a tensor has another shape than the model's.
    """
    if accelerator.is_main_process:
        _finish_renaming(folder, LAST)
    accelerator.wait_for_everyone()
    last = folder / LAST
    if not last.exists():
        return None
    progress, (weights, moments) = _read(last, ("model", "optimizer"))
    states = _read_random_states(last, accelerator.process_index)
    _check_shapes(last, weights, _weights(model, whole=False))
    _check_shapes(last, {n: t for n, t in moments.items() if not n.endswith(".step")}, _expected_moments(model))
    _set_weights(model, weights)
    _set_moments(model, optimizer, moments)
    _set_random_states(states)
    return progress


def load_weights(folder: Path, accelerator: Accelerator, model: nn.Module) -> None:
    """Put the weights of `folder` (`best`) into the model.

    Raises:
        CheckpointError: there are none, they are damaged, or another model's.
    """
    if accelerator.is_main_process:
        _finish_renaming(folder.parent, folder.name)
    accelerator.wait_for_everyone()
    _, (weights,) = _read(folder, ("model",))
    _check_shapes(folder, weights, _weights(model, whole=False))
    _set_weights(model, weights)


# --- files -------------------------------------------------------------------------------------------------------


def _write_whole(
    folder: Path, name: str, accelerator: Accelerator, tensors: Mapping[str, dict[str, Tensor]], progress: Progress
) -> None:
    """Write files beside `folder/name`, then put them in its place."""
    fresh = folder / f".{name}.writing"
    if accelerator.is_main_process:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for kind, values in tensors.items():
            save_file(values, fresh / f"{kind}.safetensors")
        write_json(fresh / "progress.json", asdict(progress))
    accelerator.wait_for_everyone()
    if "optimizer" in tensors:
        save_file(_random_states(), fresh / f"random-{accelerator.process_index}.safetensors")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        old = folder / f".{name}.old"
        shutil.rmtree(old, ignore_errors=True)
        if (folder / name).exists():
            (folder / name).rename(old)
        fresh.rename(folder / name)
        shutil.rmtree(old, ignore_errors=True)
    accelerator.wait_for_everyone()


def _finish_renaming(folder: Path, name: str) -> None:
    """Put the old folder back where a run was stopped between the two renames."""
    old = folder / f".{name}.old"
    if not (folder / name).exists() and old.exists():
        old.rename(folder / name)


def _read(folder: Path, kinds: tuple[str, ...]) -> tuple[Progress, list[dict[str, Tensor]]]:
    try:
        tensors: list[dict[str, Tensor]] = [load_file(folder / f"{kind}.safetensors") for kind in kinds]
        return Progress.read(folder / "progress.json"), tensors
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: the checkpoint is damaged ({error}); delete it to start anew") from error


def _read_random_states(folder: Path, process: int) -> dict[str, Tensor]:
    try:
        states: dict[str, Tensor] = load_file(folder / f"random-{process}.safetensors")
        return states
    except (OSError, SafetensorError) as error:
        number = len(list(folder.glob("random-*.safetensors")))
        raise CheckpointError(
            f"{folder}: the checkpoint is damaged, or was written by {number} processes, not by as many as now"
            f" ({error}); delete it to start anew"
        ) from error


# --- tensors -----------------------------------------------------------------------------------------------------


def _weights(model: nn.Module, *, whole: bool = True) -> dict[str, Tensor]:
    """Parameters and buffers by name, tied ones once; without `whole` their shapes are enough, and may be shards."""
    if not whole:
        named = [*_bare(model).named_parameters(), *_bare(model).named_buffers()]
        return {name: tensor.detach() for name, tensor in named}
    kept = {name for name, _ in [*_bare(model).named_parameters(), *_bare(model).named_buffers()]}
    state: dict[str, Any] = get_model_state_dict(model, options=_WHOLE)
    return {name: tensor.contiguous() for name, tensor in state.items() if name in kept}


def _bare(model: nn.Module) -> nn.Module:
    bare: nn.Module = getattr(model, "module", model)  # of one wrapped for several processes
    return bare


def _set_weights(model: nn.Module, weights: Mapping[str, Any]) -> None:
    options = StateDictOptions(full_state_dict=True, strict=False)  # tied weights are stored once
    set_model_state_dict(model, dict(weights), options=options)


def _moments(model: nn.Module, optimizer: Optimizer) -> dict[str, Tensor]:
    state: Any = get_optimizer_state_dict(model, optimizer, options=_WHOLE).get("state", {})
    return {f"{name}.{key}": value.contiguous() for name, values in state.items() for key, value in values.items()}


def _expected_moments(model: nn.Module) -> dict[str, Tensor]:
    named = list(_bare(model).named_parameters())
    return {f"{name}.{key}": p.detach() for name, p in named for key in ("exp_avg", "exp_avg_sq")}


def _set_moments(model: nn.Module, optimizer: Optimizer, moments: Mapping[str, Tensor]) -> None:
    now: dict[str, Any] = get_optimizer_state_dict(model, optimizer, options=_WHOLE)
    names = [name for name, _ in _bare(model).named_parameters()]
    state: Any = {name: {key: moments[f"{name}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq")} for name in names}
    set_optimizer_state_dict(model, optimizer, {**now, "state": state}, options=StateDictOptions(full_state_dict=True))


def _random_states() -> dict[str, Tensor]:
    states = {"cpu": torch.get_rng_state()}
    return states | ({"cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else {})


def _set_random_states(states: Mapping[str, Tensor]) -> None:
    torch.set_rng_state(states["cpu"])
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(states["cuda"])


def _check_shapes(folder: Path, found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        shapes = [tuple(t[name].shape) if name in t else None for t in (found, expected)]
        if shapes[0] != shapes[1]:
            raise CheckpointError(f"{folder}: a checkpoint of another model: {name} is {shapes[0]}, not {shapes[1]}")
