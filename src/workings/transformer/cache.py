"""Keys and values of the tokens already read, so that each new token costs one step."""

from __future__ import annotations

import torch
from torch import Tensor

from workings.transformer.config import Config
from workings.transformer.masks import KernelMask, Offset


class Place:
    """Where the tokens that are being read stand, the same in all layers.

    Attributes:
        offset: the position of the first new token.
        first: the first key that a new token may still see; earlier ones have left the window.
        end: one more than the last position of any row.
    """

    def __init__(self) -> None:
        self.offset: Offset = 0
        self.first = 0
        self.end = 0

    def write(self, kept: Tensor, new: Tensor) -> Tensor:
        """Put `new`, (rows, groups, t, c), where its tokens stand in `kept`; what the new tokens may see of it."""
        length = new.shape[2]
        if isinstance(self.offset, int):
            kept[:, :, self.offset : self.offset + length] = new
        else:
            rows = torch.arange(len(new), device=new.device)[:, None]
            slots = self.offset[:, None] + torch.arange(length, device=new.device)
            kept[rows, :, slots] = new.transpose(1, 2).to(kept.dtype)
        return kept[:, :, self.first : self.end]


class LayerCache:
    """The keys and values of one layer: (rows, groups, capacity, c), and those of the memory once they are computed."""

    def __init__(self, keys: Tensor, values: Tensor, place: Place) -> None:
        self.keys, self.values, self.place = keys, values, place
        self.memory: tuple[Tensor, Tensor] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Keep the keys and values of new tokens, (rows, groups, t, c), and return all that these may see."""
        return self.place.write(self.keys, keys), self.place.write(self.values, values)


class Cache:
    """Room for `capacity` tokens in each of `rows` sequences, which may come to have different lengths.

    A model that is given one reads its tokens as the continuation of what the cache holds, and adds them. With
    `lengths`, only the first tokens of each row are real; the next call continues each row where it really ended. The
    keys and values of an encoder's memory are computed once; several rows may share one row of it: with 3 memories and
    12 rows, rows 0 to 3 read the first. For use without gradients.

    Raises: ValueError for a model that is not causal.
    """

    def __init__(
        self,
        config: Config,
        rows: int,
        capacity: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> None:
        if not config.causal:
            raise ValueError("causal is false, so every token's state depends on later ones; expected no cache")
        self.capacity, self.window = capacity, config.window
        self.place = Place()
        self.longest = 0
        self.lengths: Tensor | None = None
        self.memory_mask: KernelMask | None = None
        shape = (2, rows, config.groups, capacity, config.columns)
        # Zeros, not whatever was there: a hidden NaN would still reach the weighted sum, as 0 × NaN.
        kept = [torch.zeros(shape, dtype=dtype, device=device) for _ in range(config.decoder_layers)]
        self.layers = [LayerCache(keys, values, self.place) for keys, values in kept]

    @property
    def rows(self) -> int:
        """How many sequences it holds."""
        return len(self.layers[0].keys)

    @property
    def offset(self) -> Offset:
        """Where the next token of each row stands: one number, or (rows,) where they differ."""
        return self.longest if self.lengths is None else self.lengths

    def begin(self, rows: int, length: int) -> Place:
        """Make ready for `length` more tokens in each row. Raises ValueError where they do not fit."""
        if rows != self.rows:
            raise ValueError(f"the tokens have {rows} rows; expected {self.rows}, as the cache has")
        end = self.longest + length
        if end > self.capacity:
            raise ValueError(
                f"the cache has room for {self.capacity} tokens, and {self.longest} + {length} do not fit; "
                "expected a larger capacity"
            )
        place = self.place
        place.offset, place.end, place.first = self.offset, end, 0
        if self.window is not None and isinstance(place.offset, int):
            place.first = max(0, place.offset + 1 - self.window)
        return place

    def advance(self, length: int, lengths: Tensor | None = None) -> None:
        """Count the tokens just read: `length` in each row, or `lengths`, (rows,), where they differ."""
        if lengths is not None:
            self.keep(self.offset + lengths)
            return
        self.longest += length
        if self.lengths is not None:
            self.lengths = self.lengths + length

    def keep(self, lengths: Tensor) -> None:
        """Keep the first `lengths` tokens of the rows, (rows,), and forget the rest."""
        self.longest = int(lengths.max())
        self.lengths = None if bool((lengths == self.longest).all()) else lengths

    def reorder(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was; there may be fewer rows than before, or more.

        Raises ValueError where rows that share a row of the memory would come from different ones.
        """
        self._reorder_memory(rows)
        for layer in self.layers:
            layer.keys = _taken(layer.keys, rows, self.longest)
            layer.values = _taken(layer.values, rows, self.longest)
        if self.lengths is not None:
            self.keep(self.lengths[rows])

    def _reorder_memory(self, rows: Tensor) -> None:
        if not self.layers or self.layers[0].memory is None:
            return
        memories = len(self.layers[0].memory[0])
        sharing = self.rows // memories
        sources = rows // sharing
        first = sources[::sharing]
        if len(rows) % sharing or not torch.equal(first.repeat_interleave(sharing), sources):
            raise ValueError(f"each {sharing} rows share a row of the memory; expected them to come from the same one")
        if torch.equal(first, torch.arange(memories, device=rows.device)):
            return
        for layer in self.layers:
            if layer.memory is not None:
                layer.memory = layer.memory[0][first], layer.memory[1][first]
        if self.memory_mask is not None and self.memory_mask.attn_mask is not None:
            self.memory_mask = KernelMask(self.memory_mask.attn_mask[first], False)


def _taken(kept: Tensor, rows: Tensor, used: int) -> Tensor:
    """Rows of `kept`, of which the first `used` tokens count: only rows that move are copied."""
    if len(rows) != len(kept):
        taken = kept.new_zeros(len(rows), *kept.shape[1:])
        taken[:, :, :used] = kept[rows, :, :used]
        return taken
    moved = (rows != torch.arange(len(rows), device=rows.device)).nonzero()[:, 0]
    kept[moved, :, :used] = kept[rows[moved], :, :used]
    return kept
