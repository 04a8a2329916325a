"""Every operation in one plain sentence and one formula: what `workings explain` says and what a page writes.

A formula is a line of Python, as :mod:`workings.reading.formula` reads it, after the names it gives to the operands:
``"x, weight, bias: x @ weight.T + bias"``. Names after a ``*`` are settings of the call, found by their name wherever
they stand in it; a part of the formula whose name the call does not have is left out. ``a if name else b`` chooses by
whether the call has it. An operation with several results has an entry for each further one: ``max[1]`` says where.
"""

from __future__ import annotations

from workings.frozen import frozen
from workings.recording.operations.catalogue import arrays, elementwise, networks, sums


@frozen
class Description:
    """What a reader is told about an operation."""

    sentence: str
    formula: str


CATALOGUE: dict[str, tuple[str, str]] = elementwise.ENTRIES | sums.ENTRIES | arrays.ENTRIES | networks.ENTRIES


def describe(operation: str, output: int | None = None) -> Description:
    """The description of an operation, or of a further result of it; one made of its name where it has no entry."""
    known = CATALOGUE.get(f"{operation}[{output}]") if output else None
    known = known or CATALOGUE.get(operation)
    if known is not None:
        return Description(*known)
    name = operation.strip("_")
    return Description(f"The operation {name.replace('_', ' ')}.", f"*operands: torch.{name or 'operation'}(*operands)")


__all__ = ["CATALOGUE", "Description", "describe"]
