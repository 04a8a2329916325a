"""A script's own traceback: its lines, without those of the recorder and of libraries."""

from __future__ import annotations

import traceback

from workings.recording.user_code import is_user_file


def own_traceback(error: BaseException) -> str:
    """The traceback that a plain run would print, with the user's own lines only."""
    summary = traceback.TracebackException.from_exception(error)
    _keep_own(summary)
    return "".join(summary.format()).rstrip()


def _keep_own(summary: traceback.TracebackException) -> None:
    # Without columns: those of rewritten code would put the marks in the wrong place.
    own = [
        traceback.FrameSummary(frame.filename, frame.lineno, frame.name, line=frame.line)
        for frame in summary.stack
        if is_user_file(frame.filename)
    ]
    summary.stack = traceback.StackSummary.from_list(own)
    for name in ("__cause__", "__context__"):
        earlier = getattr(summary, name)
        if earlier is None:
            continue
        _keep_own(earlier)
        if not earlier.stack:
            setattr(summary, name, None)  # raised and handled on the way, in code that is not the user's
