"""Devices: how a model is laid out on them, how many operations a training step takes, and the most a GPU can do."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from numpy.typing import NDArray
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method
from transformers import PreTrainedModel

from workbench_lib.stages import TrainingParams

PEAK_BF16_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "A10G": 70e12, "L4": 121e12}
"""Dense bf16 operations a second by the makers' data sheets, by a word of the device's name."""


def make_accelerator() -> Accelerator:
    """The device of this process, and how it talks to its siblings; bf16 on GPUs."""
    has_gpu = torch.cuda.is_available()
    return Accelerator(mixed_precision="bf16" if has_gpu else "no", cpu=not has_gpu)


def distributed(model: PreTrainedModel, accelerator: Accelerator, params: TrainingParams) -> Any:
    """The model on this process's device: a replica, or with `shard` its share of every layer's weights."""
    model.to(accelerator.device)
    shards = params.shard and accelerator.num_processes > 1
    if shards:
        precision = MixedPrecisionPolicy(torch.bfloat16, torch.float32) if accelerator.device.type == "cuda" else None
        mesh = init_device_mesh(accelerator.device.type, (accelerator.num_processes,))
        how: dict[str, Any] = {"mesh": mesh} | ({"mp_policy": precision} if precision else {})
        for layer in _layers(model):
            fully_shard(layer, **how)
        fully_shard(model, **how)
        register_fsdp_forward_method(model, "generate")  # gathers the weights, too
    return model if shards else accelerator.prepare_model(model)


def is_sharded(model: torch.nn.Module) -> bool:
    """Whether processes share out the model's weights, so that each has but a part of them."""
    return isinstance(model, FSDPModule)


def _layers(model: PreTrainedModel) -> list[torch.nn.Module]:
    """The repeated layers of encoder and decoder."""
    lists = [module for module in model.modules() if isinstance(module, torch.nn.ModuleList)]
    return [layer for found in lists for layer in found if sum(p.numel() for p in layer.parameters()) > 0]


def peak_flops(device: torch.device) -> float | None:
    """The device's bf16 peak, or None where it is not known (a CPU, another GPU)."""
    if device.type != "cuda":
        return None
    words = torch.cuda.get_device_name(device).replace("-", " ").split()
    return next((PEAK_BF16_FLOPS[word] for word in words if word in PEAK_BF16_FLOPS), None)


def training_flops(model: PreTrainedModel, lengths: NDArray[np.integer]) -> float:
    """The operations of a forward and backward pass over examples, padding not counted.

    Six for each weight of a matrix and token that goes through it, and those of the attention scores. The decoder's
    keys and values of the source are made from source tokens.

    Args:
        lengths: Tokens of source and target, (examples, 2).
    """
    if not model.config.is_encoder_decoder:
        return 6.0 * _matrix_weights(model) * float(lengths[:, 0].sum())
    source, target = (lengths[:, k].astype(np.float64) for k in (0, 1))
    config, width = model.config, model.config.hidden_size
    encoder, decoder = _matrix_weights(model.get_encoder()), _matrix_weights(model.get_decoder())
    layers = config.num_hidden_layers, _decoder_layers(config)
    head, across = width * config.vocab_size, 2 * layers[1] * width**2
    dense = (encoder + across) * source.sum() + (decoder - across + head) * target.sum()
    pairs = layers[0] * (source**2).sum() + layers[1] * ((target**2).sum() / 2 + (source * target).sum())
    return float(6 * dense + 12 * width * pairs)


def _decoder_layers(config: Any) -> int:
    """Under BART's name, T5's, or as many as the encoder's."""
    names = ("decoder_layers", "num_decoder_layers", "num_hidden_layers")
    return next(int(getattr(config, name)) for name in names if getattr(config, name, None))


def _matrix_weights(module: torch.nn.Module) -> int:
    """The weights of its linear layers; embeddings are looked up, not multiplied."""
    return sum(layer.weight.numel() for layer in module.modules() if isinstance(layer, torch.nn.Linear))
