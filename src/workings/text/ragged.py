"""Many sequences of token numbers of different lengths, in one flat array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]
"""Token numbers: two or four bytes each."""
_BLOCK = 1 << 20


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
        """Sequences of numbers below `vocabulary`."""
        gathering = Gathering(vocabulary)
        for sequence in sequences:
            gathering.add(sequence)
        return gathering.done()

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: int) -> Numbers:
        return self.flat[self.starts[place] : self.starts[place + 1]]

    def take(self, places: NDArray[np.int64]) -> Ragged:
        """These sequences, in this order."""
        starts = np.zeros(len(places) + 1, np.int64)
        np.cumsum(self.lengths[places], out=starts[1:])
        parts = [self[place] for place in places.tolist()]
        return Ragged(np.concatenate(parts) if parts else self.flat[:0], starts)


@final
class Gathering:
    """Takes sequences one by one and keeps no more of them than the flat array needs."""

    def __init__(self, vocabulary: int) -> None:
        self._type = smallest_type(vocabulary)
        self._blocks: list[Numbers] = []
        self._block: list[int] = []
        self._lengths: list[int] = []

    def add(self, sequence: Sequence[int]) -> None:
        self._block += sequence
        self._lengths.append(len(sequence))
        if len(self._block) >= _BLOCK:
            self._close()

    def _close(self) -> None:
        self._blocks.append(np.array(self._block, self._type))
        self._block = []

    def done(self) -> Ragged:
        self._close()
        starts = np.zeros(len(self._lengths) + 1, np.int64)
        np.cumsum(self._lengths, out=starts[1:])
        return Ragged(np.concatenate(self._blocks), starts)
