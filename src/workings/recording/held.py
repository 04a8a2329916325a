"""What stands in the containers of a program, named as the source reaches it: ``params[W]``, ``heads[0]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.containers import CONTAINERS
from workings.recording.frames import Box, Frame
from workings.recording.index import place_of
from workings.recording.ledger import CONSTANT
from workings.recording.working import Ref

if TYPE_CHECKING:
    from workings.recording.naming import Naming

_MOST = 256  # places of a container; what a larger one holds is data, which nobody addresses one by one
_DEEPEST = 3  # containers around one that is looked into
_LONGEST_KEY = 60


def name_places(recorder: Naming, frame: Frame, name: str, holder: Any) -> Any:
    """``name = {…}``, or a list of arrays: what stands in it has the names that reach it. Gives the container back.

    In a what-if it is a changed one.
    """
    for key, place in _places(name, holder):
        holder = _changed(recorder, frame, place, holder, key)
        item = holder[key]
        plain = type(item) in (list, tuple)
        ref = recorder.ref(Box(item)) if plain else _origin(recorder, holder, key)
        if ref is not None:
            recorder.bind(frame, place, ref)
        elif type(item) in CONTAINERS:
            inner = name_places(recorder, frame, place, item)
            if inner is not item:
                holder = _with(recorder, holder, key, Box(inner))
    return holder


def name_put(recorder: Naming, frame: Frame, holder: Any, key: Any) -> None:
    """``name[key] = value`` has put a value into the dictionary of that name."""
    name = frame.site.targets[0].partition("[")[0] if frame.site is not None and frame.site.targets else ""
    entry = frame.tags.get(name)
    if entry is not None and entry[0] is holder and _is_place(key):
        place = place_of(name, key)
        _changed(recorder, frame, place, holder, key)
        ref = _origin(recorder, holder, key)
        if ref is not None:
            recorder.bind(frame, place, ref)


def name_as_it_ended(recorder: Naming, frame: Frame, name: str, holder: Any) -> None:
    """What a container holds now, where that is new: a list of numbers as one array, others place by place.

    Leaves the frame at the line that changed it.
    """
    if not isinstance(holder, dict):
        line = recorder.ledger.line_of(holder)
        if line is None:
            return
        frame.statement, frame.site = recorder.in_scope(frame, line)
        ref = recorder.ref(Box(holder))
        if ref is not None:
            if recorder.named.get((frame.group, name)) != ref:
                recorder.bind(frame, name, ref)
            return
    for key, place in _places(name, holder):
        item, ref = holder[key], _origin(recorder, holder, key)
        if ref is not None and recorder.named.get((frame.group, place)) != ref:
            step = recorder.working.steps[ref.step]
            frame.statement, frame.site = recorder.in_scope(frame, (step.group, step.statement, step.site))
            recorder.bind(frame, place, ref)
        elif type(item) in CONTAINERS:
            name_as_it_ended(recorder, frame, place, item)


def _origin(recorder: Naming, holder: Any, key: Any) -> Ref | None:
    """Where what stands in one place of a container came from; None for a container, or what nobody saw made."""
    item = holder[key]
    if type(item) is np.ndarray:
        return recorder.ledger.read(item) if recorder.ledger.knows(item) else None
    if recorder.calls.is_tensor(item):
        return recorder.tensors.read(item) if recorder.tensors.ledger.knows(item) else None
    tags = recorder.ledger.shadow_of(holder).tags
    if tags[key] is CONSTANT and type(item) in (float, complex):
        tags[key] = recorder.given(item, lost=False)
    return tags[key] if isinstance(tags[key], Ref) else recorder.ledger.scalar_ref(item)


def _changed(recorder: Naming, frame: Frame, place: str, holder: Any, key: Any) -> Any:
    """The container, with what a what-if puts into this place of it."""
    if not recorder.overrides:
        return holder
    box = Box(holder[key], recorder.ledger.shadow_of(holder).tags[key])
    changed = recorder.override(frame, place, box)
    return _with(recorder, holder, key, changed) if changed is not box else holder


def _with(recorder: Naming, holder: Any, key: Any, box: Box) -> Any:
    """A container with another value in one place. A tuple becomes another tuple."""
    shadow = recorder.ledger.shadow_of(holder)
    if type(holder) is tuple:
        new = (*holder[:key], box.value, *holder[key + 1 :])
        recorder.ledger.shadow(new, [*shadow.tags[:key], box.tag, *shadow.tags[key + 1 :]])
        return new
    holder[key] = shadow.items[key] = box.value
    shadow.tags[key] = box.tag
    return holder


def _places(name: str, holder: Any) -> list[tuple[Any, str]]:
    """The places of a container, with their names; those that no address can name, or that are too many, have none."""
    if len(holder) > _MOST or name.count("[") > _DEEPEST:
        return []
    keys = holder if isinstance(holder, dict) else range(len(holder))
    return [(key, place_of(name, key)) for key in keys if _is_place(key)]


def _is_place(key: Any) -> bool:
    """Whether an address can say where something stands: by a number, a word, or several of them."""
    if type(key) is tuple:
        return bool(key) and all(type(part) in (int, str, float) and _is_place(part) for part in key)
    if type(key) is str:
        return 0 < len(key) <= _LONGEST_KEY and key.isprintable() and '"' not in key and "'" not in key
    return key is None or type(key) in (int, float, bool)
