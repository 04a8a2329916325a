"""A recording that ended before its program did."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workings.recording.working import Working


class ScriptError(Exception):
    """A recorded script stopped before its end. ``working`` holds what was recorded up to there."""

    def __init__(self, message: str, working: Working, cause: BaseException) -> None:
        super().__init__(message)
        self.working = working
        self.cause = cause
