"""Handlers: what stands in for a call of a known function. Each performs it and says where its result came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Handler = Callable[..., Any]


def entering(table: dict[Any, Handler]) -> Callable[..., Callable[[Handler], Handler]]:
    """A decorator that enters a handler in a table, under the functions it stands in for."""

    def handles(*targets: Any) -> Callable[[Handler], Handler]:
        def mark(handler: Handler) -> Handler:
            for target in targets:
                table[target] = handler
            return handler

        return mark

    return handles
