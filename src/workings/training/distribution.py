"""Several processes that train one model: each computes the rows of its rank, and gradients are added up.

    torchrun --nproc-per-node 2 -m workings train my-run.toml

`Processes()` is a process alone. With data parallelism (DDP) each process holds the whole model; sharded (FSDP2), each
holds its part of weights, gradients and moments, which suits models that are larger than one machine's memory.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor, nn
from torch import distributed as group

from workings.training.errors import ToldElsewhere, TrainingError
from workings.training.objective import Objective

CPU = torch.device("cpu")


@final
@dataclass(frozen=True, kw_only=True)
class Processes:
    """Who takes part. `sharded` says how, where they are several."""

    rank: int = 0
    world: int = 1
    device: torch.device = CPU
    sharded: bool = False

    @property
    def first(self) -> bool:
        """Whether this one writes and speaks."""
        return self.rank == 0

    def wrap(self, objective: Objective) -> nn.Module:
        """The objective, on the device, with gradients that are the mean over all processes."""
        objective.to(self.device)
        if self.world == 1:
            return objective
        if self.sharded:
            return _sharded(objective, self)
        index = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(objective, device_ids=index, gradient_as_bucket_view=True)

    def adding(self, module: nn.Module, last: bool) -> AbstractContextManager[Any]:
        """Around a micro-batch: gradients go round the processes with the last one of a step alone."""
        if isinstance(module, nn.parallel.DistributedDataParallel) and not last:
            return module.no_sync()
        if self.sharded and self.world > 1:
            module.set_requires_gradient_sync(last)  # type: ignore[operator]
        return nullcontext()

    def sum(self, *numbers: float) -> list[float]:
        """Each number added up over the processes."""
        if self.world == 1:
            return list(numbers)
        together = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        group.all_reduce(together)
        return together.tolist()

    def least(self, number: float) -> float:
        """The smallest that any process has."""
        if self.world == 1:
            return number
        least = torch.tensor(number, dtype=torch.float64, device=self.device)
        group.all_reduce(least, group.ReduceOp.MIN)
        return float(least)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What one or all do before any goes on. Where it fails anywhere, the first that failed raises its error.

        Raises:
            ToldElsewhere: in the others.
        """
        if self.world == 1:
            yield
            return
        problem: Exception | None = None
        try:
            yield
        except Exception as error:  # whatever it is, the others must not wait for ever
            problem = error
        failed = self.least(math.inf if problem is None else self.rank)
        if problem is not None and failed == self.rank:
            raise problem
        if failed < math.inf:
            raise ToldElsewhere


ALONE = Processes()


@contextmanager
def started(*, sharded: bool = False) -> Iterator[Processes]:
    """The processes that torchrun started, or this one alone, on the best device there is.

    Raises:
        TrainingError: the processes do not find each other.
    """
    device = best_device(int(os.environ.get("LOCAL_RANK", "0")))
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Processes(device=device, sharded=sharded)
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    try:
        group.init_process_group("nccl" if device.type == "cuda" else "gloo")
    except (ValueError, RuntimeError) as error:
        hint = "start them with torchrun, or unset WORLD_SIZE"
        raise TrainingError(f"the {world} processes do not find each other: {error}", hint=hint) from None
    try:
        yield Processes(rank=group.get_rank(), world=world, device=device, sharded=sharded)
        group.barrier()  # nobody leaves while another still needs it
    finally:
        group.destroy_process_group()


def best_device(local: int = 0) -> torch.device:
    """A GPU where there is one."""
    return torch.device("cuda", local % torch.cuda.device_count()) if torch.cuda.is_available() else torch.device("cpu")


def whole(tensor: Tensor) -> Tensor:
    """A tensor's numbers on the CPU, in memory of their own. All processes must ask together where it is sharded."""
    tensor = tensor.detach()
    if hasattr(tensor, "full_tensor"):
        tensor = tensor.full_tensor()
    return tensor.to("cpu", copy=True).contiguous()


def like(tensor: Tensor, pattern: Tensor) -> Tensor:
    """Whole numbers as `pattern` holds its own: on its device, of its dtype, sharded as it is."""
    tensor = tensor.to(device=pattern.device, dtype=pattern.dtype)
    if not hasattr(pattern, "device_mesh"):
        return tensor.clone()
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(tensor, pattern.device_mesh, pattern.placements)  # type: ignore[attr-defined]


def _sharded(objective: Objective, processes: Processes) -> nn.Module:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(processes.device.type, (processes.world,))
    for module in objective.modules():
        if isinstance(module, nn.ModuleList):
            for block in module:
                fully_shard(block, mesh=mesh)
    fully_shard(objective, mesh=mesh)
    return objective
