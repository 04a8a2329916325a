"""Many sequences of token numbers of different lengths, in one flat array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]
"""Token numbers: two or four bytes each."""


def smallest_type(vocabulary: int) -> np.dtype[np.integer[Any]]:
    """The type that token numbers of this vocabulary are kept in: two bytes where they suffice."""
    return np.dtype("<u2") if vocabulary <= 1 << 16 else np.dtype("<u4")


@final
class Ragged:
    """Sequence i is ``flat[starts[i]:starts[i + 1]]``."""

    def __init__(self, flat: Numbers, starts: NDArray[np.int64]) -> None:
        self.flat = flat
        self.starts = starts

    @classmethod
    def of(cls, sequences: Iterable[Sequence[int]], vocabulary: int) -> Ragged:
        """Gather sequences, block by block, so that only the flat array is held."""
        kind = smallest_type(vocabulary)
        blocks: list[Numbers] = []
        lengths: list[int] = []
        block: list[int] = []
        for sequence in sequences:
            block += sequence
            lengths.append(len(sequence))
            if len(block) >= 1 << 20:
                blocks.append(np.array(block, kind))
                block = []
        blocks.append(np.array(block, kind))
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        return cls(np.concatenate(blocks), starts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: int) -> Numbers:
        return self.flat[self.starts[place] : self.starts[place + 1]]
