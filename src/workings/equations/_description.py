"""What each equation says about itself, and the table of all equations."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from workings.frozen import frozen

Function = TypeVar("Function", bound=Callable[..., Any])

EQUATIONS: dict[str, Callable[..., Any]] = {}
"""Every equation by name, in the order of their definition."""

KINDS = ("number", "integer", "choice", "function", "weights")
"""What may stand in `Equation.shapes` in place of axes, for an argument that is not an array."""


@frozen
class Range:
    """The numbers that an argument may be: from `least` on, or only `above` it, up to `most`."""

    least: float
    most: float = math.inf
    above: bool = False

    @property
    def words(self) -> str:
        """The range as it stands behind "a number": "above 0 and at most 1"."""
        if self.above:
            return f"above {self.least:g}" + (f" and at most {self.most:g}" if self.most < math.inf else "")
        return f"from {self.least:g} to {self.most:g}" if self.most < math.inf else f"of at least {self.least:g}"


@frozen
class Equation:
    """What a reader is told about one equation.

    Attributes:
        name: the function's name, which is also its key in `EQUATIONS`.
        number: its numbers in the article; empty for kin that it leaves out.
        title: what the field calls it.
        sentence: what it does, in one plain sentence.
        latex: the formula, in LaTeX with amsmath.
        shapes: for each argument, and for "result", the axes from first to last, as letters with a space between
            ("L d_k"). "..." stands for any leading axes (batch, heads) and "" for no axis at all; one of `KINDS` for
            what is no array; a text in round brackets for arrays in groups. Several results are parted by ";".
        symbols: the formula's letter, in LaTeX, for an argument or for a name inside the function.
        section: the section of the article it belongs to, counted through the three parts; empty for kin.
        source: the paper it comes from.
        variants: the choices that change numbers, by argument or by topic, with what each does.
        ranges: the numbers that an argument may be, where the function refuses others.
    """

    name: str
    number: tuple[int, ...]
    title: str
    sentence: str
    latex: str
    shapes: Mapping[str, str]
    symbols: Mapping[str, str]
    section: str
    source: str
    variants: Mapping[str, str]
    ranges: Mapping[str, Range]

    @property
    def label(self) -> str:
        """The numbers as the article prints them: "(3)(5)"; empty for kin."""
        return "".join(f"({number})" for number in self.number)


def equation(
    *,
    title: str,
    sentence: str,
    latex: str,
    shapes: Mapping[str, str],
    symbols: Mapping[str, str],
    source: str,
    number: int | tuple[int, ...] = (),
    section: str = "",
    name: str = "",
    variants: Mapping[str, str] | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> Callable[[Function], Function]:
    """Attach an `Equation` to a function as `function.equation` and enter the function in `EQUATIONS`.

    The function itself is returned, not a wrapper: its source, signature and speed are those of plain code.
    `name` is the function's own unless given. Raises ValueError for a name that another function has taken.
    """

    def describe(function: Function) -> Function:
        description = Equation(
            name=name or function.__name__,
            number=number if isinstance(number, tuple) else (number,),
            title=title,
            sentence=sentence,
            latex=latex,
            shapes=MappingProxyType(dict(shapes)),
            symbols=MappingProxyType(dict(symbols)),
            section=section,
            source=source,
            variants=MappingProxyType(dict(variants or {})),
            ranges=MappingProxyType(dict(ranges or {})),
        )
        taken = EQUATIONS.get(description.name, function)
        # The same function may come again: its module was reloaded.
        if (taken.__module__, taken.__qualname__) != (function.__module__, function.__qualname__):
            raise ValueError(f"there is already an equation named {description.name!r}")
        described: Any = function
        described.equation = description
        EQUATIONS[description.name] = function
        return function

    return describe


def equation_of(function: Callable[..., Any]) -> Equation | None:
    """The description of an equation; None for any other function."""
    description = getattr(function, "equation", None)
    return description if isinstance(description, Equation) else None
