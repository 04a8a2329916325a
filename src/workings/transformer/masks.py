"""Which keys a query may attend to, as objects that are combined with ``&``.

A mask is asked for a number of queries and keys. Query i stands at position `offset` + i and key j at position j, so
that a cached model asks the same objects as one that reads everything at once. Boolean masks are True where a query may
attend.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

Offset: TypeAlias = int | Tensor
"""Where the first query stands: the same for all rows of a batch, or one number for each, (b,)."""


class KernelMask(NamedTuple):
    """What `scaled_dot_product_attention` is told.

    Attributes:
        attn_mask: broadcasts to (b, h, t, s): booleans that are True where a query may attend, or numbers that are
            added to the scores.
        is_causal: a query may attend to its own position and what comes before.
        window: and of these only to so many; the attention is then computed in blocks.
    """

    attn_mask: Tensor | None
    is_causal: bool
    window: int | None = None

    def added(self, like: Tensor) -> KernelMask:
        """The same, with booleans turned into numbers once, which the kernel would do again in every layer."""
        mask = self.attn_mask
        if mask is None or mask.dtype != torch.bool:
            return self
        return self._replace(attn_mask=like.new_zeros(()).masked_fill(~mask, -math.inf))


class Mask(ABC):
    """Which keys a query may attend to."""

    @abstractmethod
    def allowed(self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None) -> Tensor | None:
        """True where a query may attend: booleans that broadcast to (b, 1, t, s), or None if nothing is hidden."""

    def kernel_arguments(
        self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None
    ) -> KernelMask:
        """The cheapest equal arguments: none where nothing is hidden, `is_causal` where that suffices."""
        return KernelMask(self.allowed(queries, keys, offset, device), False)

    def __and__(self, other: Mask) -> Mask:
        parts = (*_parts(self), *(part for part in _parts(other) if part not in _parts(self)))
        return parts[0] if len(parts) == 1 else Every(parts) if parts else Everything()


@dataclasses.dataclass(frozen=True)
class Everything(Mask):
    """Every query may attend to every key."""

    def allowed(self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None) -> Tensor | None:
        return None


@dataclasses.dataclass(frozen=True)
class Causal(Mask):
    """A query may attend to its own position and what comes before: equation (13)."""

    def allowed(self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None) -> Tensor | None:
        if _is_last(queries, keys, offset):
            return None
        places, others = _positions(queries, keys, offset, device)
        return others <= places

    def kernel_arguments(
        self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None
    ) -> KernelMask:
        if _is_whole(queries, keys, offset):
            return KernelMask(None, queries > 1)
        return super().kernel_arguments(queries, keys, offset, device)


@dataclasses.dataclass(frozen=True, eq=False)
class Padding(Mask):
    """Row r of a batch has `lengths[r]` real keys; those after them only fill up. Lengths: (b,), integers."""

    lengths: Tensor

    def allowed(self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None) -> Tensor | None:
        lengths = self.lengths
        return (torch.arange(keys, device=lengths.device) < lengths[:, None])[:, None, None, :]


@dataclasses.dataclass(frozen=True)
class Window(Mask):
    """A query may attend to keys less than `size` positions away, on both sides. Beltagy et al. (2020), section 3.1."""

    size: int

    def allowed(self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None) -> Tensor | None:
        if keys <= self.size:
            return None
        places, others = _positions(queries, keys, offset, device)
        return (places - others).abs() < self.size


@dataclasses.dataclass(frozen=True)
class Every(Mask):
    """A query may attend where each of `parts` lets it. Written with ``&``."""

    parts: tuple[Mask, ...]

    def allowed(self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None) -> Tensor | None:
        combined = None
        for part in self.parts:
            allowed = part.allowed(queries, keys, offset, device)
            if allowed is not None:
                combined = allowed if combined is None else combined & allowed
        return combined

    def kernel_arguments(
        self, queries: int, keys: int, offset: Offset = 0, device: torch.device | None = None
    ) -> KernelMask:
        causal = [part for part in self.parts if isinstance(part, Causal)]
        others = [part for part in self.parts if not isinstance(part, Causal)]
        if causal and _is_whole(queries, keys, offset):
            # Rows are padded on the right: what a real query may see of the padding, the causal mask hides already.
            limiting = [part for part in others if not isinstance(part, Padding)]
            sizes = [part.size for part in limiting if isinstance(part, Window)]
            if len(sizes) == len(limiting):
                # Windows of less than half the length are worth the blocks; wider ones hide less than a mask costs.
                size = min(sizes, default=keys)
                if size >= keys:
                    return causal[0].kernel_arguments(queries, keys, offset, device)
                if 2 * size < keys:
                    return KernelMask(None, True, size)
        return super().kernel_arguments(queries, keys, offset, device)


def _parts(mask: Mask) -> tuple[Mask, ...]:
    if isinstance(mask, Every):
        return mask.parts
    return () if isinstance(mask, Everything) else (mask,)


def _is_whole(queries: int, keys: int, offset: Offset) -> bool:
    """Whether every position is asked about, from the first to the last."""
    return isinstance(offset, int) and offset == 0 and queries == keys


def _is_last(queries: int, keys: int, offset: Offset) -> bool:
    """Whether the one query stands at the last key."""
    return isinstance(offset, int) and queries == 1 and offset + 1 == keys


def _positions(queries: int, keys: int, offset: Offset, device: torch.device | None) -> tuple[Tensor, Tensor]:
    """The positions of the queries, (t, 1) or (b, 1, t, 1), and of the keys, (s,)."""
    if isinstance(offset, Tensor):
        device = offset.device
    steps = torch.arange(queries, device=device)
    places = offset[:, None, None, None] + steps[:, None] if isinstance(offset, Tensor) else offset + steps[:, None]
    return places, torch.arange(keys, device=device)
