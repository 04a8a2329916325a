"""How much memory a training will need, estimated before it begins."""

from __future__ import annotations

import os
from copy import deepcopy

import torch
from torch import Tensor

from workings.text.batches import Batch
from workings.training.objective import Objective, score_bytes
from workings.training.prepared import Prepared

_PROGRAM = 300 << 20
"""Python and PyTorch themselves."""
_LOOKED_AT = 1024
"""Positions whose forward pass is measured; the rest of a batch needs as much for each."""


def estimate(prepared: Prepared, objective: Objective) -> int:
    """Bytes, at the largest batch: weights, gradients, moments, what the backward pass reads, and the loss.

    What the backward pass reads is counted in a forward pass of a few rows, as many times as the batch has more.
    """
    training = prepared.configuration.training
    weights = sum(p.numel() * p.element_size() for p in objective.parameters())
    copies = 4 + (training.average > 0)
    batch, rows = _largest(prepared)
    kept = kept_for_backward(objective, batch) * rows / batch.rows
    positions = rows * batch.inputs.shape[1]
    words, width = objective.model.output_weight.shape
    return int(_PROGRAM + copies * weights + kept + score_bytes(words, width, positions))


def kept_for_backward(objective: Objective, batch: Batch) -> int:
    """Bytes that one forward pass keeps for its backward pass, the weights not counted."""
    copy = deepcopy(objective).to("cpu", torch.float32).train()
    own = {p.untyped_storage().data_ptr() for p in copy.parameters()}
    seen: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss, _ = copy(batch)
    total = sum(seen.values())
    del loss
    return total


def _largest(prepared: Prepared) -> tuple[Batch, int]:
    """Some rows of the batch with most positions in a plan, and how many rows it has."""
    order = prepared.batches()
    plan = order.plan(0)
    sizes = [len(batch) * int(prepared.training.sizes(batch).max()) for batch in plan]
    largest = plan[sizes.index(max(sizes))]
    longest = int(prepared.training.sizes(largest).max())
    some = max(1, min(len(largest), _LOOKED_AT // longest))
    return prepared.training.batch(largest[-some:]), len(largest)


def available(device: torch.device) -> int | None:
    """Bytes that are free; None where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def said_bytes(count: float) -> str:
    """Bytes in the unit that fits."""
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):.0f} MiB"
