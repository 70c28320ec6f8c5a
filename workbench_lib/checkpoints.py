"""Checkpoints of a training run: a folder each, put in place whole, without pickle, alike for any number of devices."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

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

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import replacing, write_json
from workbench_lib.progress import Progress

LAST, BEST = "last", "best"
_WHOLE = StateDictOptions(full_state_dict=True, cpu_offload=True)


class CheckpointError(WorkbenchError):
    """A checkpoint is damaged, cannot be written, or does not fit the model that is trained."""


def save_checkpoint(
    folder: Path, accelerator: Accelerator, model: nn.Module, optimizer: Optimizer, progress: Progress
) -> None:
    """Write `folder/last`; the previous one stays until the new one is complete. All processes call it.

    Raises:
        CheckpointError: it could not be written, on a full disk, say.
    """
    tensors = {"model": whole_weights(model), "optimizer": _moments(model, optimizer)}
    _write_whole(folder / LAST, accelerator, tensors, progress)


def save_weights(folder: Path, accelerator: Accelerator, model: nn.Module, progress: Progress) -> None:
    """Write the weights alone as `folder/best`; otherwise as `save_checkpoint`."""
    _write_whole(folder / BEST, accelerator, {"model": whole_weights(model)}, progress)


def load_checkpoint(folder: Path, accelerator: Accelerator, model: nn.Module, optimizer: Optimizer) -> Progress | None:
    """Put `folder/last` into model and optimizer; None where there is no checkpoint.

    Raises:
        CheckpointError: a file is damaged, or a tensor has another shape than the model's.
    """
    last = folder / LAST
    _finish_renaming(last, accelerator)
    if not last.exists():
        return None
    progress, (weights, moments) = _read(last, ("model", "optimizer"))
    _check_shapes(last, weights, _stored(model))
    _check_shapes(last, *_moments_to_compare(model, moments))
    _set_weights(model, weights)
    _set_moments(model, optimizer, moments)
    return progress


def load_weights(folder: Path, accelerator: Accelerator, model: nn.Module) -> None:
    """Put the weights of `folder` (`best`) into the model.

    Raises:
        CheckpointError: there are none, they are damaged, or another model's.
    """
    _finish_renaming(folder, accelerator)
    _, (weights,) = _read(folder, ("model",))
    _check_shapes(folder, weights, _stored(model))
    _set_weights(model, weights)


# --- files -------------------------------------------------------------------------------------------------------


def _write_whole(
    folder: Path, accelerator: Accelerator, tensors: Mapping[str, dict[str, Tensor]], progress: Progress
) -> None:
    """Have one process write the files beside `folder`, and then put them in its place."""
    if accelerator.is_main_process:
        fresh = folder.with_name(f".{folder.name}.writing")
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            fresh.mkdir(parents=True)
            for kind, values in tensors.items():
                with replacing(fresh / f"{kind}.safetensors") as path:
                    save_file(values, path)
            write_json(fresh / "progress.json", asdict(progress))
        except (OSError, SafetensorError) as error:
            shutil.rmtree(fresh, ignore_errors=True)
            raise CheckpointError(
                f"{folder}: step {progress.step} could not be written ({error}); what was there before stays"
            ) from error
        _put_in_place(fresh, folder)
    accelerator.wait_for_everyone()


def _put_in_place(fresh: Path, folder: Path) -> None:
    old = _old(folder)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _finish_renaming(folder: Path, accelerator: Accelerator) -> None:
    """Put the old folder back where a run was stopped between the two renames; drop it where it was stopped later."""
    if accelerator.is_main_process and _old(folder).exists():
        if folder.exists():
            shutil.rmtree(_old(folder))
        else:
            _old(folder).rename(folder)
    accelerator.wait_for_everyone()


def _old(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _read(folder: Path, kinds: tuple[str, ...]) -> tuple[Progress, list[dict[str, Tensor]]]:
    try:
        tensors: list[dict[str, Tensor]] = [load_file(folder / f"{kind}.safetensors") for kind in kinds]
        return Progress.read(folder / "progress.json"), tensors
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: the checkpoint is damaged ({error}); delete it to start anew") from error


# --- tensors -----------------------------------------------------------------------------------------------------


def whole_weights(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers by name, tied ones once; gathered by all processes, for the first of them."""
    state: dict[str, Any] = get_model_state_dict(model, options=_WHOLE)
    return {name: state[name].contiguous() for name in _stored(model) if name in state}


def _stored(model: nn.Module) -> dict[str, Tensor]:
    """What a checkpoint holds of a model, by name; here it may be shards."""
    bare: nn.Module = getattr(model, "module", model)  # of one wrapped for several processes
    saved = bare.state_dict().keys()
    named = [*bare.named_parameters(), *bare.named_buffers()]
    return {name: tensor.detach() for name, tensor in named if name in saved}


def _set_weights(model: nn.Module, weights: Mapping[str, Any]) -> None:
    options = StateDictOptions(full_state_dict=True, strict=False)  # tied weights are stored once
    set_model_state_dict(model, dict(weights), options=options)


def _moments(model: nn.Module, optimizer: Optimizer) -> dict[str, Tensor]:
    state: Any = get_optimizer_state_dict(model, optimizer, options=_WHOLE).get("state", {})
    return {f"{name}.{key}": value.contiguous() for name, values in state.items() for key, value in values.items()}


def _moments_to_compare(model: nn.Module, moments: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The moments of a checkpoint, and what they belong to; a weight that gets no gradient has none."""
    found = {name: tensor for name, tensor in moments.items() if not name.endswith(".step")}
    stored = _stored(model)
    owners = {name: stored.get(name.rpartition(".")[0]) for name in found}
    return found, {name: owner for name, owner in owners.items() if owner is not None}


def _set_moments(model: nn.Module, optimizer: Optimizer, moments: Mapping[str, Tensor]) -> None:
    now: dict[str, Any] = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(full_state_dict=True))
    state: dict[str, Any] = dict(now["state"])  # of weights that get no gradient, too, which have no moments
    for name, values in itertools.groupby(moments.items(), key=lambda item: item[0].rpartition(".")[0]):
        state[name] = {key.rpartition(".")[2]: value for key, value in values}
    options = StateDictOptions(full_state_dict=True)
    set_optimizer_state_dict(model, optimizer, {**now, "state": state}, options=options)


def _check_shapes(folder: Path, found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        shapes = [tuple(t[name].shape) if name in t else None for t in (found, expected)]
        if shapes[0] != shapes[1]:
            raise CheckpointError(f"{folder}: a checkpoint of another model: {name} is {shapes[0]}, not {shapes[1]}")
