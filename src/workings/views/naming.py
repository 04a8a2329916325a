"""The addresses that a page gives: as short as they can be while they lead to one value."""

from __future__ import annotations

from pathlib import Path

from workings.reading.source_lines import running
from workings.recording.working import Ref, Working

_MOST_SHORTENED = 1_000  # named values up to which addresses are looked at one by one


def addresses(working: Working) -> dict[Ref, str]:
    """For each value that has names, the shortest address that leads to it and to nothing else.

    Of several names it is the one in the outermost group; of those, the first that is not only that of the running
    variable of a comprehension.
    """
    out: dict[Ref, str] = {}
    ranks: dict[Ref, tuple[int, bool]] = {}
    names: dict[Ref, str] = {}
    for entry, binding, depth in working.index.bound():
        rank = depth, binding.site is not None and binding.name in running(binding.site.text)
        if rank < ranks.get(entry.ref, (depth + 1, True)):
            out[entry.ref], ranks[entry.ref], names[entry.ref] = entry.path, rank, binding.name
    if len(out) <= _MOST_SHORTENED:
        for ref, path in out.items():
            out[ref] = shortened_address(working, path, ref, 1 + names[ref].count("["))
    return out


def shortened_address(working: Working, path: str, ref: Ref, last: int = 1) -> str:
    """Without the groups between the first and the last name, as far as it stays unambiguous.

    The name of what stands in a container has several parts: the ``last`` of the path.
    """
    parts = path.split(".")
    place = len(parts) - 1 - last
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
