"""What kind of line an entry of the walk is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import workings.equations
from workings.reading.sections import Entry, Value
from workings.recording.working import Site, Working

_PACKAGE = Path(workings.equations.__file__).parent.parent
LOOPS = ("for ", "while ", "async for ")
UNFILLED = ("empty", "empty_like", "new_empty")


def is_loop(entry: Entry) -> bool:
    """The line that opens a loop."""
    return entry.site is not None and entry.site.text.startswith(LOOPS)


def is_signature(entry: Entry) -> bool:
    """The line of a ``def``, where parameters get their values."""
    return entry.site is not None and is_def(entry.site)


def is_def(site: Site) -> bool:
    return not site.targets and (not site.text or site.text.startswith(("def ", "async def ", "class ")))


def is_machinery(entry: Entry) -> bool:
    """Lines of our own equations that compute nothing a reader asks for: conditions, defaults of parameters."""
    site = entry.site
    assert site is not None
    if is_signature(entry):
        return all(not v.shape for v in entry.values)
    return site.text.startswith(("if ", "elif ", "assert ", "raise ", *LOOPS))


def is_ours(entry: Entry) -> bool:
    return within_package(entry.site)


def within_package(site: Site | None) -> bool:
    return site is not None and _in_package(site.file)


@lru_cache(maxsize=1024)
def _in_package(file: str) -> bool:
    return Path(file).is_relative_to(_PACKAGE)


def is_literal(working: Working, entry: Entry) -> bool:
    """Numbers written out in the source: their formula would only repeat the table."""
    steps = [working.steps[n] for n in entry.steps]
    own = {s.number for s in steps}
    literal = bool(steps) and all(s.operation in ("given", "array", "asarray", "tensor", "list") for s in steps)
    several = entry.site is not None and len(entry.site.targets) > 1
    told = any(v.shape or several or "[" in v.name for v in entry.values)
    told = told and all(v.ref.step in own for v in entry.values)
    return literal and told and all(r.step in own for s in steps for r in s.inputs)


def is_attention(value: Value, name: str) -> bool:
    """Whether weights are of every token to every token (not, say, of one position over a vocabulary)."""
    if len(value.shape) < 2:
        return False
    rows, columns = value.labels[-2:]
    return value.shape[-1] == value.shape[-2] or name == "weights" or (rows is not None and rows == columns)
