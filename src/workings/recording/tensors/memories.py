"""What is known of the memory that tensors lie in: a storage, and the windows on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workings.recording.tensors.windows import Index, Window
from workings.recording.working import Ref


@dataclass(slots=True, eq=False, repr=False)
class View:
    """One window on a storage: the step whose value it held at ``version``, and how it is had from another window."""

    ref: Ref
    version: int
    parent: Window | None = None
    how: tuple[str, str, tuple[Any, ...], dict[str, Any], int | None] | tuple[int, ...] | None = None
    index: Index | None = None  # its place in the root, where that is a row, a column, a block (not set for the root)


@dataclass(slots=True, eq=False, repr=False)
class Memory:
    """A storage: the window first seen on it, which stands for the whole, and every window seen since."""

    root: Window
    views: dict[Window, View]
    bytes: int
    version: int = 0
    writes: list[tuple[int, Window]] = field(default_factory=list)
    live: dict[int, Window] = field(default_factory=dict)  # steps whose kept value still lies here
    counted: bool = False
    link: Any = None  # where NumPy knows the same memory
