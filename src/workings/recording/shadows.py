"""Which step the contents of lists, dictionaries and objects came from.

They are known by identity, with one origin for each place in them, checked against what really stands there at every
read: what was changed out of sight has no origin, rather than a wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.working import Site

if TYPE_CHECKING:
    from workings.recording.ledger import Tag
    from workings.recording.recorder import Recorder
    from workings.recording.working import Ref

Line = tuple[int, int, Site | None]  # a line at one of the times it ran: group, statement, where it stands


@dataclass(slots=True, eq=False, repr=False)
class Shadow:
    """A list, tuple, dict or object: one origin for each place, and what stood there when it was written down."""

    holder: Any
    tags: Any  # list of tags, or dict key -> tag
    items: Any  # the same shape as tags: the objects themselves
    line: Line  # where it was last changed
    inputs: Any = None  # the origins when ``ref`` was recorded
    ref: Ref | None = None


class Shadows:
    """The origins of what stands in containers, and of NumPy's scalars, in one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._shadows: dict[int, Shadow] = {}
        self._scalars: dict[int, tuple[Any, Ref]] = {}
        self._born: dict[int, Any] = {}

    # -- Python's containers ------------------------------------------------------------------------------------

    def _line(self) -> Line:
        frame = self._recorder.current
        return frame.group, frame.statement, frame.site

    def changed(self, shadow: Shadow) -> None:
        """One place of a container was changed, on the line under way."""
        shadow.line = self._line()

    def line_of(self, holder: Any) -> Line | None:
        """The line that last changed a list or a list inside it; None for one that was never seen."""
        lines, waiting, met = [], [holder], {id(holder)}  # a list may hold itself
        while waiting:
            one = waiting.pop()
            shadow = self._shadows.get(id(one))
            if shadow is not None:
                lines.append(shadow.line)
            inner = [item for item in one if type(item) in (list, tuple) and id(item) not in met]
            met.update(map(id, inner))
            waiting += inner
        return max(lines, key=lambda line: line[1], default=None)

    def forget(self, holder: Any) -> None:
        """A container that nobody can reach any more."""
        self._shadows.pop(id(holder), None)

    def existing_shadow(self, holder: Any) -> Shadow | None:
        return self._shadows.get(id(holder))

    def shadow(self, holder: Any, tags: Any) -> Shadow:
        """Write down the origins of a container's places."""
        items = dict(holder) if isinstance(holder, dict) else list(holder)
        shadow = Shadow(holder, tags, items, self._line())
        tensors = self._recorder.tensors
        if tensors is None or type(holder) is not tuple or not holder or not all(map(tensors.is_tensor, holder)):
            self._shadows[id(holder)] = (
                shadow  # tensors know their origins themselves: remembering them would hold them
            )
        return shadow

    def shadow_of(self, holder: Any) -> Shadow:
        """The origins of a container's places; places changed behind our back have none."""
        shadow = self._shadows.get(id(holder))
        if shadow is None:
            if isinstance(holder, dict):
                return self.shadow(holder, dict.fromkeys(holder))
            return self.shadow(holder, [None] * len(holder))
        if isinstance(holder, dict):
            if len(shadow.items) != len(holder) or any(shadow.items.get(k, self) is not v for k, v in holder.items()):
                tags = {k: shadow.tags.get(k) if shadow.items.get(k, self) is v else None for k, v in holder.items()}
                shadow.tags, shadow.items = tags, dict(holder)
        elif len(shadow.items) != len(holder) or any(a is not b for a, b in zip(shadow.items, holder, strict=True)):
            shadow.tags = [
                shadow.tags[i] if i < len(shadow.items) and shadow.items[i] is v else None for i, v in enumerate(holder)
            ]
            shadow.items = list(holder)
        return shadow

    def place(self, holder: list[Any] | tuple[Any, ...], index: int) -> Tag:
        """The origin of one place of a list or tuple."""
        shadow = self._shadows.get(id(holder))
        if shadow is None:
            return None
        if index < 0:
            index += len(holder)
        if len(shadow.items) == len(holder) and shadow.items[index] is holder[index]:
            return shadow.tags[index]  # type: ignore[no-any-return]
        return self.shadow_of(holder).tags[index]  # type: ignore[no-any-return]

    def entry(self, holder: dict[Any, Any], key: Any, value: Any) -> Tag:
        """The origin of one entry of a dictionary."""
        shadow = self._shadows.get(id(holder))
        if shadow is None or shadow.items.get(key, self) is not value:
            return None
        return shadow.tags.get(key)  # type: ignore[no-any-return]

    def shadow_if_fresh(self, holder: Any) -> Shadow | None:
        """The origins of a dictionary, if none of its entries came or went unseen."""
        shadow = self._shadows.get(id(holder))
        return shadow if shadow is not None and len(shadow.items) == len(holder) else None

    def attribute(self, holder: Any, name: str, value: Any) -> Tag:
        """The origin of an attribute of an object or of its class."""
        for owner in (holder, *(type(holder).__mro__ if not isinstance(holder, type) else holder.__mro__)):
            shadow = self._shadows.get(id(owner))
            if shadow is not None and isinstance(shadow.items, dict) and shadow.items.get(name, self) is value:
                return shadow.tags[name]  # type: ignore[no-any-return]
        return None

    def set_attribute(self, holder: Any, name: str, value: Any, tag: Tag) -> None:
        shadow = self._shadows.get(id(holder))
        if shadow is None:
            shadow = self._shadows[id(holder)] = Shadow(holder, {}, {}, self._line())
        shadow.tags[name] = tag
        shadow.items[name] = value

    def born(self, instance: Any) -> None:
        """An object made during this recording: what stands in it was not there before."""
        self._born[id(instance)] = instance

    def is_born(self, instance: Any) -> bool:
        return id(instance) in self._born

    # -- NumPy's scalars, which are objects of their own --------------------------------------------------------

    def scalar(self, value: Any, ref: Ref) -> None:
        if type(value) is not np.bool_:  # there are only two of them
            self._scalars[id(value)] = (value, ref)

    def scalar_ref(self, value: Any) -> Ref | None:
        known = self._scalars.get(id(value))
        return known[1] if known is not None else None

    def forget_all(self) -> None:
        """The recording is over."""
        self._shadows.clear()
        self._scalars.clear()
