"""Functions that remember their results."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from workings.recording import source
from workings.recording.ledger import Tag

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

CACHED = type(functools.lru_cache(lambda: None))


class Caches:
    """``functools.lru_cache``: the results it remembers keep their origins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._origins: dict[tuple[int, Any], tuple[Any, Tag]] = {}
        self._stand_ins: dict[int, tuple[Any, Any]] = {}

    def stand_in(self, cached: Any) -> Any:
        """A cache of the followed function, where the cache is still empty and its function is not followed yet."""
        known = self._stand_ins.get(id(cached))
        if known is not None:
            return known[1]
        inner = cached.__wrapped__
        made = cached
        info = cached.cache_info()
        if (
            type(inner) is types.FunctionType
            and not source.is_rewritten(inner.__code__)
            and not (info.hits or info.misses)
        ):
            followed = source.rewritten(inner, self._calls.recorder)
            if followed is not None:
                made = functools.update_wrapper(functools.lru_cache(**cached.cache_parameters())(followed), cached)
        self._stand_ins[id(cached)] = (cached, made)
        return made

    def call(self, frame: Frame, cached: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        calls = self._calls
        made = self.stand_in(cached)
        for box in (*args, *kwargs.values()):
            inner = box.value if type(box.value) is tuple else None
            for part in map(calls.box, *calls.items_of(box)) if inner else [box]:
                calls.recorder.guard(part, "the key of a cache")
        before = made.cache_info().misses
        out = calls.user_call(frame, made, args, kwargs)
        typed = made.cache_parameters()["typed"]
        key = (
            id(made),
            functools._make_key(tuple(a.value for a in args), {k: v.value for k, v in kwargs.items()}, typed),
        )
        if made.cache_info().misses > before:
            self._origins[key] = (out.value, out.tag)
            return out
        kept = self._origins.get(key)
        return calls.box(out.value, kept[1] if kept is not None and kept[0] is out.value else None)
