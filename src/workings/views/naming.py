"""The addresses that a page gives: as short as they can be while they lead to one value."""

from __future__ import annotations

from pathlib import Path

from workings.recording.working import Ref, Working

_MOST_SHORTENED = 1_000  # named values up to which addresses are looked at one by one


def addresses(working: Working) -> dict[Ref, str]:
    """For each value that has names, the shortest address that leads to it and to nothing else.

    Of several names it is the one in the outermost group; of those, the first.
    """
    out: dict[Ref, str] = {}
    depths: dict[Ref, int] = {}
    for entry, depth in working.index.bound():
        if depth < depths.get(entry.ref, depth + 1):
            out[entry.ref], depths[entry.ref] = entry.path, depth
    if len(out) <= _MOST_SHORTENED:
        for ref, path in out.items():
            out[ref] = shortened_address(working, path, ref)
    return out


def shortened_address(working: Working, path: str, ref: Ref) -> str:
    """Without the groups between the first and the last name, as far as it stays unambiguous."""
    parts = path.split(".")
    place = len(parts) - 2
    while place > 0:
        shorter = parts[:place] + parts[place + 1 :]
        if working.index.leads_to(".".join(shorter)) == ref:
            parts = shorter
        place -= 1
    return ".".join(parts)


def in_notebook(file: str) -> bool:
    """Whether a source file is a notebook's cell, whose name nobody has seen."""
    return Path(file).parent.name.startswith("ipykernel_") or file.startswith(("<ipython", "<workings cell"))


def names_of(working: Working, group: int) -> dict[str, Ref]:
    """The last value of each name in a group itself."""
    return {b.name: b.ref for b in working.bindings if b.group == group}


def spoken(name: str) -> str:
    """The name of a function as a heading: words apart, but ``__init__`` as it is."""
    return name if name.startswith("__") and name.endswith("__") else name.replace("_", " ")


def last_name(address: str) -> str:
    """The last name of an address, without its occurrence and position."""
    return address.split("[", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1].split("#", maxsplit=1)[0]
