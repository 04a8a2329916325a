"""What a model really costs: its multiplications, bytes and seconds, measured beside what `cost` counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from workings.transformer.config import Config
from workings.transformer.models import EncoderDecoder, EncoderOnly, Model, build


@dataclass(frozen=True)
class Measured:
    """One forward and backward pass over one sequence.

    Attributes:
        multiplications: of matrices, in the forward pass.
        kept: bytes held from the forward to the backward pass, without the weights.
        forward_seconds, backward_seconds: the shortest of several runs.
    """

    multiplications: int
    kept: int
    forward_seconds: float
    backward_seconds: float


def measure(config: Config, length: int, source_length: int | None = None, batch: int = 1, runs: int = 3) -> Measured:
    """Build a model with random weights and measure it on random tokens, in training, on the processor.

    The logits are left out of what is kept: training need not hold them.
    """
    model = build(config).train()
    run = _forward(model, config, length, length if source_length is None else source_length, batch)
    multiplications, kept = count_multiplications(run), kept_bytes(model, run)
    forward, backward = [], []
    for _ in range(runs):
        start = time.perf_counter()
        result = run()
        forward.append(time.perf_counter() - start)
        start = time.perf_counter()
        result.sum().backward()  # type: ignore[no-untyped-call]
        backward.append(time.perf_counter() - start)
        model.zero_grad(set_to_none=True)
    if config.classes is None:
        targets = length * config.width * config.vocabulary * batch
        multiplications += targets
    return Measured(multiplications, kept, min(forward), min(backward))


def _forward(model: Model, config: Config, length: int, source_length: int, batch: int) -> Callable[[], Tensor]:
    """One forward pass, up to the states that the words are scored from, or to the scores of classes."""
    tokens = torch.randint(0, config.vocabulary, (batch, length))
    if isinstance(model, EncoderDecoder):
        source = torch.randint(0, config.source_vocabulary or config.vocabulary, (batch, source_length))
        return lambda: model.states(source, tokens)
    if isinstance(model, EncoderOnly) and config.classes is not None:
        return lambda: model(tokens)
    return lambda: model.states(tokens)


def kept_bytes(model: nn.Module, run: Callable[[], Tensor]) -> int:
    """The bytes that one forward pass leaves for the backward pass, each storage counted once, weights left out."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    held: dict[int, int] = {}
    kept: list[Tensor] = []

    def pack(saved: Tensor) -> Tensor:
        storage = saved.untyped_storage()
        if storage.data_ptr() not in weights:
            held[storage.data_ptr()] = storage.nbytes()
        # An address means the same storage only as long as it is held.
        kept.append(saved)
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
        run()
    return sum(held.values())


def count_multiplications(run: Callable[[], Tensor]) -> int:
    """The multiplications of matrices in one pass; scores that a causal kernel skips are counted all the same."""
    fused: dict[Any, Any] = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention_operations}
    with FlopCounterMode(display=False, custom_mapping=fused) as counter:
        run()
    return int(counter.get_total_flops() // 2)


def _attention_operations(
    queries: tuple[int, ...], keys: tuple[int, ...], values: tuple[int, ...], *_: Any, **__: Any
) -> int:
    batch, heads, length, width = queries
    return 2 * batch * heads * length * keys[2] * (width + values[3])
