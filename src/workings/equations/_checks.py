"""What an equation refuses, and why. Nothing here makes a number: a result is the same with or without these checks."""

import math
from collections.abc import Collection

from workings.equations._arrays import Array, namespace


def check_choice(parameter: str, choice: str, choices: Collection[str]) -> None:
    """Raise ValueError unless `choice` is one of the named `choices`."""
    if choice not in choices:
        expected = " or ".join(repr(name) for name in choices)
        raise ValueError(f"{parameter} is {choice!r}; expected {expected}")


def check_mask(mask: Array) -> None:
    """Raise TypeError for a mask of booleans, which would be added to the scores as ones and zeros."""
    if namespace(mask).isdtype(mask.dtype, "bool"):
        raise TypeError(
            "the mask is boolean, but it is added to the scores: 0 where a query may attend, -inf where it may not; "
            "padding_mask(keep) makes one from booleans that are True where it may"
        )


def check_keep(keep: Array) -> None:
    """Raise TypeError unless `keep` holds booleans."""
    if not namespace(keep).isdtype(keep.dtype, "bool"):
        raise TypeError(f"keep has dtype {keep.dtype}; expected booleans, True for a token that may be attended to")


def check_ids(ids: Array, count: int) -> None:
    """Raise IndexError unless every id counts from 0 and is below `count`: a negative id would wrap around unseen."""
    xp = namespace(ids)
    if not xp.isdtype(ids.dtype, "integral"):
        raise TypeError(f"ids have dtype {ids.dtype}; expected integers from 0 to {count - 1}")
    if math.prod(ids.shape) == 0:
        return
    for extreme in (int(xp.min(ids)), int(xp.max(ids))):
        if not 0 <= extreme < count:
            raise IndexError(f"id {extreme} is out of range; expected 0 to {count - 1}")


def has_empty_row(largest: Array) -> bool:
    """Whether some row's largest score is -inf: it has nothing to attend to, and no weights can sum to 1 there."""
    return bool(namespace(largest).any(largest == -math.inf))


def refuse_empty_rows(largest: Array, axis: int) -> None:
    """Raise ValueError naming the first row whose largest score is -inf, if there is one."""
    if not has_empty_row(largest):
        return
    first = [int(indices[0]) for indices in namespace(largest).nonzero(largest == -math.inf)]
    # `largest` still has the axis that was reduced, with one place; it says nothing about which row.
    del first[axis]
    place = f"row {', '.join(map(str, first))}" if first else "the only row"
    raise ValueError(f"{place} has nothing to attend to: all its scores are -inf")
