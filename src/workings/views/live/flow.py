"""The parts of a computation and what each takes from others: groups as the boxes of a diagram, joined as recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workings.frozen import frozen
from workings.recording.operations import meaning
from workings.recording.working import Working

FEWEST, MOST, DEEPEST = 3, 24, 3
_UNMADE = ("given", "size", "order")


@frozen
class Part:
    """A group of the Working: its address, what it is called beside the others, its steps, and whose results it takes.

    Attributes:
        takes: the places of those parts among all parts.
    """

    path: str
    label: str
    steps: tuple[int, ...]
    takes: tuple[int, ...]


def parts(working: Working) -> list[Part]:
    """The parts, in the order in which they run: the outermost groups that are several. None where nothing is told."""
    for depth in range(1, DEEPEST + 1):
        owners = _owners(working, depth)
        if FEWEST <= len(set(owners.values())) <= MOST:
            return _joined(working, owners)
    return []


def written(found: list[Part], nodes: Mapping[int, list[Any]]) -> list[dict[str, Any]]:
    """Parts as the page has them: of their nodes the first and the last of each run."""
    return [
        {"n": part.path, "l": part.label, "i": part.takes, "at": list(_runs(sorted({nodes[s][0] for s in part.steps})))}
        for part in found
    ]


def _owners(working: Working, depth: int) -> dict[int, int]:
    """For steps, the group of that depth, or the innermost of fewer, that they happened in; some belong to none.

    A step between the parts, such as a residual sum, belongs to none of them; nor does a group that makes nothing.
    """
    above = {group.parent for group in working.groups}
    owners: dict[int, int] = {}
    made: set[int] = set()
    for step in working.steps:
        chain = _chain(working, step.group)
        if len(chain) < depth and (not chain or chain[-1] in above):
            continue
        owner = owners[step.number] = chain[min(depth, len(chain)) - 1]
        if _is_made(working, step.number):
            made.add(owner)
    return {step: owner for step, owner in owners.items() if owner in made}


def _chain(working: Working, group: int) -> list[int]:
    """The groups around a step from the outside in, without the root."""
    out: list[int] = []
    at: int | None = group
    while at is not None and working.groups[at].parent is not None:
        out.insert(0, at)
        at = working.groups[at].parent
    return out


def _is_made(working: Working, step: int) -> bool:
    about = working.steps[step]
    return meaning.kind(about) not in _UNMADE and about.operation != "check"


def _joined(working: Working, owners: dict[int, int]) -> list[Part]:
    steps: dict[int, list[int]] = {}
    for number, owner in owners.items():
        steps.setdefault(owner, []).append(number)
    places = {owner: place for place, owner in enumerate(steps)}
    behind: dict[int, frozenset[int]] = {}  # of each step that is read, the parts whose results it is or is made of
    taken: dict[int, set[int]] = {owner: set() for owner in steps}
    for step in working.steps:
        sources = frozenset[int]().union(*(behind[ref.step] for ref in step.inputs))
        around = owners.get(step.number)
        if around is not None:
            taken[around] |= sources - {around}
        behind[step.number] = frozenset({around}) if around is not None and _is_made(working, step.number) else sources
    paths = [working.index.group_path(owner) for owner in steps]
    return [
        Part(path, label, tuple(steps[owner]), tuple(sorted(places[other] for other in taken[owner])))
        for owner, path, label in zip(steps, paths, _labels(paths), strict=True)
    ]


def _labels(paths: list[str]) -> list[str]:
    """The last name of each path; where that names several in different places, the one before it too."""
    names = [[name.partition("#")[0].replace("_", " ") for name in path.split(".")] for path in paths]
    homes: dict[str, set[str]] = {}
    for path, own in zip(paths, names, strict=True):
        homes.setdefault(own[-1], set()).add(path.rpartition(".")[0])
    return [" ".join(own[-2:] if len(homes[own[-1]]) > 1 else own[-1:]) for own in names]


def _runs(numbers: list[int]) -> Iterator[int]:
    """The first and the last of each run of numbers without gaps."""
    for place, number in enumerate(numbers):
        if not place or numbers[place - 1] != number - 1:
            yield number
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            yield number
