"""Keys and values of the tokens already read, so that each new token costs one step."""

from __future__ import annotations

import torch
from torch import Tensor

from workings.transformer.config import Config
from workings.transformer.masks import Offset


class LayerCache:
    """The keys and values of one layer: (rows, groups, capacity, c), and those of the memory once they are computed."""

    def __init__(self, keys: Tensor, values: Tensor, place: Place) -> None:
        self.keys, self.values, self.place = keys, values, place
        self.memory: tuple[Tensor, Tensor] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Put in the new keys and values, (rows, groups, t, c), and return all up to the longest row."""
        self.place.write(self.keys, keys)
        self.place.write(self.values, values)
        end = self.place.end
        return self.keys[:, :, :end], self.values[:, :, :end]


class Place:
    """Where the tokens being read stand: shared by all layers."""

    def __init__(self) -> None:
        self.offset: Offset = 0
        self.end = 0

    def write(self, kept: Tensor, new: Tensor) -> None:
        """Put `new`, (rows, groups, t, c), where its tokens stand in `kept`."""
        length = new.shape[2]
        if isinstance(self.offset, int):
            kept[:, :, self.offset : self.offset + length] = new
            return
        rows = torch.arange(len(new), device=new.device)[:, None]
        slots = self.offset[:, None] + torch.arange(length, device=new.device)
        kept[rows, :, slots] = new.transpose(1, 2)


class Cache:
    """Room for `capacity` tokens in each of `rows` sequences, which may have different lengths.

    A model that is given one reads its tokens as the continuation of what the cache holds, and adds them. With
    `lengths`, only the first tokens of a row are real; the next call continues each row where it really ended. Use it
    without gradients.
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
            raise ValueError("causal is false, so every token depends on those after it; expected no cache")
        self.capacity = capacity
        self.place = Place()
        self.longest = 0
        self.lengths: Tensor | None = None
        shape = (rows, config.groups, capacity, config.columns)
        # Zeros, not whatever was there: a hidden NaN would still reach the weighted sum as 0 × NaN.
        self.layers = [
            LayerCache(
                torch.zeros(shape, dtype=dtype, device=device),
                torch.zeros(shape, dtype=dtype, device=device),
                self.place,
            )
            for _ in range(config.decoder_layers)
        ]

    @property
    def rows(self) -> int:
        """How many sequences it holds."""
        return len(self.layers[0].keys)

    @property
    def offset(self) -> Offset:
        """Where the next token of the rows stands: one number, or (rows,) when they differ."""
        return self.longest if self.lengths is None else self.lengths

    def begin(self, rows: int, length: int) -> Place:
        """Make ready for `length` more tokens in each row. Raises ValueError when they do not fit."""
        if rows != self.rows:
            raise ValueError(f"the tokens have {rows} rows, the cache {self.rows}; expected as many")
        end = self.longest + length
        if end > self.capacity:
            raise ValueError(f"the cache has room for {self.capacity} tokens; expected at most that, found {end}")
        self.place.offset, self.place.end = self.offset, end
        return self.place

    def advance(self, length: int, lengths: Tensor | None) -> None:
        """Count the tokens just read: `length` in each row, or `lengths`, (rows,), where they differ."""
        if self.lengths is None and lengths is None:
            self.longest += length
            return
        self.set_lengths(self.offset + (length if lengths is None else lengths))

    def set_lengths(self, lengths: Tensor) -> None:
        """Keep only the first `lengths` tokens of the rows, (rows,): what follows is forgotten."""
        self.longest = int(lengths.max())
        self.lengths = None if bool((lengths == self.longest).all()) else lengths

    def reorder(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was; there may be more or fewer rows than before.

        Where several rows share one row of the memory (the beams of one sentence), those that do afterwards must have
        come from the same one. Raises ValueError otherwise.
        """
        for layer in self.layers:
            layer.keys = _taken(layer.keys, rows, self.longest)
            layer.values = _taken(layer.values, rows, self.longest)
        if self.lengths is not None:
            self.set_lengths(self.lengths[rows])


def _taken(kept: Tensor, rows: Tensor, used: int) -> Tensor:
    """Rows of `kept`; only what is used is copied."""
    taken = kept if len(rows) == len(kept) else kept.new_zeros(len(rows), *kept.shape[1:])
    taken[:, :, :used] = kept[:, :, :used].index_select(0, rows)
    return taken
