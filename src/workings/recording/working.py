"""What a recording is made of: steps, groups, bindings and the Working that holds them.

Everything here is data. Nothing in this module knows NumPy from PyTorch or how a step came to be recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workings.frozen import frozen
from workings.recording.address import Address, AddressError
from workings.recording.evaluation import Evaluator

if TYPE_CHECKING:
    from workings.reading.line import Arithmetic
    from workings.reading.replay import Replay

# New values by address, or by the place itself: numbers, or the address of another value.
Changes = Mapping[str, Any] | Mapping["Ref", Any] | Mapping["str | Ref", Any]
AxisLabels = tuple[str, ...] | None
Labels = tuple[AxisLabels, ...]


@dataclass(slots=True, unsafe_hash=True)  # never changed; not frozen, because a recording makes very many
class Ref:
    """A value used: all of a step's value, or the part of it at a leading integer index."""

    step: int
    index: tuple[int, ...] = ()


@frozen
class Slot:
    """The place in a call's arguments that input number ``position`` fills."""

    position: int


@frozen
class Room:
    """The array that a call with ``out=`` writes into: new memory of this shape, number type and layout."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] | None = None


@frozen
class Site:
    """A statement of the recorded source: where it stands, its text, what it assigns and the comment beside it.

    ``end`` is the last line of the block that the statement opens, and 0 where it opens none.
    """

    file: str
    line: int
    text: str
    comment: str = ""
    targets: tuple[str, ...] = ()
    end: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """A named bracket around steps: a function call, an equation, a module, a section of an example.

    ``told`` is a line about it, or a function that gives the line when somebody reads ``detail``.
    """

    number: int
    parent: int | None
    name: str
    kind: str
    statement: int = 0
    title: str = ""
    equation: str = ""
    section: str = ""
    site: Site | None = None
    told: str | Callable[[], str] = ""

    @property
    def detail(self) -> str:
        """One line about the group; empty where there is nothing to say."""
        if not isinstance(self.told, str):
            self.told = self.told()
        return self.told


class Step:
    """One operation with its inputs and its value.

    ``function`` is what was called, exactly (``numpy.exp``, ``aten.mm.default``), and is what a replay calls again;
    ``operation`` is what it means, in the vocabulary of :mod:`workings.recording.operations`. ``arguments`` and
    ``keywords`` hold the call with a :class:`Slot` in the place of each input.
    """

    __slots__ = (
        "arguments",
        "dtype",
        "function",
        "group",
        "inputs",
        "kept",
        "keywords",
        "note",
        "number",
        "operation",
        "output",
        "plain",
        "shape",
        "site",
        "statement",
        "value",
    )

    def __init__(
        self,
        number: int,
        operation: str,
        function: str,
        inputs: tuple[Ref, ...],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        group: int,
        statement: int,
        site: Site | None,
    ) -> None:
        self.number = number
        self.operation = operation
        self.function = function
        self.inputs = inputs
        self.arguments = arguments
        self.keywords = keywords
        self.group = group
        self.statement = statement
        self.site = site
        self.output: int | None = None
        self.plain = False
        self.note = ""
        self.value: Any = None
        self.kept = False
        self.shape: tuple[int, ...] = ()
        self.dtype = ""

    def copy(self) -> Step:
        """The same step as an object of its own."""
        new = Step.__new__(Step)
        for name in Step.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def __repr__(self) -> str:
        return f"<step {self.number}: {self.operation} {self.shape} {self.dtype}>"


@dataclass(slots=True, eq=False, repr=False)
class Binding:
    """A name given to a value, in the scope of a group."""

    group: int
    name: str
    ref: Ref
    statement: int
    site: Site | None = None


@frozen
class Guard:
    """A value that left the numbers and steered the program: a branch taken, an index, a length.

    Where ``only`` is given, the program would have gone another way with these values alone; with any other it would
    have done the same, and only what things are called behind it would differ.
    """

    ref: Ref
    value: Any
    site: Site | None
    reason: str
    only: tuple[Any, ...] | None = None


@frozen
class Turn:
    """A turn of the loop at ``site`` begins in a group, with the statement of this number."""

    group: int
    statement: int
    site: Site


@frozen
class Loss:
    """Something that could not be followed, with where it happened."""

    kind: str  # "opaque", "origin not recorded", "frozen"
    what: str
    step: int
    site: Site | None = None


@frozen
class Question:
    """What a reader is asked: which number stands at ``at`` once the ``changes`` (whole new values) are made."""

    ask: str
    at: Ref
    changes: tuple[tuple[Ref, Any], ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Source:
    """What was recorded: a script, a function, a model or an example, and how to run it again."""

    kind: str
    name: str
    file: str = ""
    text: str = ""
    rerun: Callable[[Mapping[tuple[str, int], Callable[[Any], Any]], Callable[[Ref], Any]], Working] | None = None
    error: str = ""
    variants: Callable[[], dict[str, Callable[[], Working]]] | None = None  # the same under other conventions


@dataclass(eq=False, repr=False)
class Working:
    """A recorded computation: a tree of groups whose leaves are steps."""

    source: Source
    steps: list[Step] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    lost: list[Loss] = field(default_factory=list)
    conventions: dict[str, str] = field(default_factory=dict)
    decimals: int = 4
    changed: dict[int, Any] = field(default_factory=dict)
    """Of a what-if: of each given value that was changed, which of its numbers were."""
    result: Any = None
    axis_labels: dict[int, Labels] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    varying: set[int] = field(default_factory=set)  # steps whose shape depends on numbers
    printed: str = ""
    argument_parts: dict[str, Any] = field(default_factory=dict)
    result_parts: Any = None  # the result's shape with a Ref in the place of each number or array
    evaluator: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.steps)
        if not self.groups:
            self.groups.append(Group(0, None, "", "root"))

    # -- values -------------------------------------------------------------------------------------------------

    def value(self, ref: Ref | int) -> Any:
        """The recorded value of a step or of a part of it; computed again from its inputs where it was not kept."""
        return self.evaluator.value(ref if isinstance(ref, Ref) else Ref(ref))

    def element(self, ref: Ref) -> float | int | bool | complex:
        """One number as a Python scalar."""
        value = self.value(ref)
        return value.item() if hasattr(value, "item") else value  # type: ignore[no-any-return]

    # -- names --------------------------------------------------------------------------------------------------

    @cached_property
    def index(self) -> AddressIndex:
        from workings.recording.index import AddressIndex

        return AddressIndex(self)

    def path(self, step: int) -> str:
        """The stable address of a step, unique in this Working."""
        return self.index.path(step)

    def find(self, address: str) -> Ref:
        """The value an address names. Raises :class:`AddressError`, offering near names, where there is none."""
        return self.index.find(Address.parse(address))

    def labels(self, step: int) -> Labels:
        """Names along each axis of a step's value, as far as they are known."""
        return self.index.labels(step)

    def label(self, address: str, *axes: Sequence[str] | None) -> None:
        """Name the entries along the axes of a value; later values that inherit an axis inherit its labels."""
        ref = self.find(address)
        step = self.steps[ref.step]
        given = tuple(tuple(map(str, axis)) if axis is not None else None for axis in axes)
        for axis, names in enumerate(given):
            if names is not None and (axis >= len(step.shape) or step.shape[axis] != len(names)):
                size = step.shape[axis] if axis < len(step.shape) else "no"
                raise AddressError(f"{address}: {len(names)} labels given for axis {axis}, which has {size} entries")
        self.axis_labels[ref.step] = given + (None,) * (len(step.shape) - len(given))
        self.__dict__.pop("index", None)

    def __getitem__(self, address: str) -> Item:
        """A value by its address. Raises TypeError for anything but a text, AddressError for one that names nothing."""
        if isinstance(address, tuple) and address and isinstance(address[0], str):
            rest = ", ".join(map(repr, address[1:]))
            raise TypeError(f"write the address first and the place after it: working[{address[0]!r}][{rest}]")
        if not isinstance(address, str):
            hint = f"; step number {address} is working.steps[{address}]" if isinstance(address, int) else ""
            raise TypeError(f"expected the address of a value, such as 'weights', not {address!r}{hint}")
        return Item(self, self.find(address), address)

    def __contains__(self, address: object) -> bool:
        try:
            self.find(str(address))
        except AddressError:
            return False
        return True

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    # -- what a reader asks; the answers are worked out in `reading` and imported only when asked -----------------

    def at(self, address: str, *, depth: int | None = None) -> Arithmetic:
        """The arithmetic of one number, named by its address."""
        from workings.reading.arithmetic import arithmetic

        return arithmetic(self, self.find(address), depth=depth)

    def replay(self, changes: Changes) -> Replay:
        """What if: the same computation with some of its values replaced. See :mod:`workings.reading.replay`."""
        from workings.reading.replay import replay

        return replay(self, changes)

    def gradient(self, of: str, with_respect_to: Sequence[str] = ()) -> Working:
        """How fast one number moves with others, by the chain rule: ``working.gradient("loss", ["W", "b"])``.

        See :mod:`workings.reading.gradient`.
        """
        from workings.reading.gradient import gradient

        return gradient(self, of, with_respect_to)

    def unfollowed(self) -> list[Loss]:
        """All that is not followed: what was lost, and calls in a form that is not worked out."""
        from workings.reading.unfollowed import unfollowed

        return unfollowed(self)

    def save(self, path: str | Path) -> None:
        """Write the Working to one file: JSON for the structure, arrays beside it. Needs no torch to be read."""
        from workings.recording.saving import save

        save(self, Path(path))

    def __repr__(self) -> str:
        what = f"{len(self.steps)} steps"
        if self.lost:
            what += f", {len(self.lost)} not followed"
        return f"<Working of {self.source.kind} {self.source.name}: {what}>"

    def __str__(self) -> str:
        from workings.views.terminal import render

        return render(self, colour=False)

    def _repr_html_(self) -> str:
        from workings.views.notebook import render

        return render(self)


@frozen
class Item:
    """A value of a Working, as a reader holds it: its number or array, its labels, its arithmetic."""

    working: Working
    ref: Ref
    address: str

    @property
    def step(self) -> Step:
        return self.working.steps[self.ref.step]

    @property
    def value(self) -> Any:
        return self.working.value(self.ref)

    @property
    def path(self) -> str:
        return self.working.path(self.ref.step)

    @property
    def labels(self) -> Labels:
        return self.working.labels(self.ref.step)[len(self.ref.index) :]

    def __getitem__(self, key: object) -> Any:
        """The part at labels or zero-based numbers, from the first axis on, as an Item.

        With a slice or ``...`` among them (``item[0:2]``, ``item[:, "food"]``) it has no address of its own: the
        part is then a NumPy array. Raises AddressError for a place that is not there, TypeError for what is no place.
        """
        keys = key if isinstance(key, tuple) else (key,)
        for each in keys:
            known = isinstance(each, (str, slice)) or hasattr(each, "__index__") or each is ...
            if isinstance(each, bool) or not known:
                raise TypeError(f"{self.address}[{each!r}]: expected a label, a zero-based number, or a slice")
        if any(isinstance(each, slice) or each is ... for each in keys):
            return self._region(keys)
        ref = self.working.index.select(self.ref, tuple(keys))
        return Item(self.working, ref, f"{self.address}[{', '.join(map(str, keys))}]")

    def _region(self, keys: tuple[Any, ...]) -> Any:
        from workings.recording.operations.bound import as_array

        array = as_array(self.value)
        if ... in keys:
            place = keys.index(...)
            keys = (*keys[:place], *[slice(None)] * (array.ndim - len(keys) + 1), *keys[place + 1 :])
        places = self.working.index.region(
            self.ref, tuple(":" if isinstance(k, slice) else k for k in keys), self.address
        )
        return array[tuple(k if isinstance(k, slice) else at for k, at in zip(keys, places, strict=True))]

    def arithmetic(self, *element: str | int, depth: int | None = None) -> Arithmetic:
        """How one element came about; ``element`` gives a label or a zero-based number for each axis."""
        from workings.reading.arithmetic import arithmetic

        ref = self.working.index.select(self.ref, element) if element else self.ref
        return arithmetic(self.working, ref, depth=depth)

    def _repr_html_(self) -> str:
        from workings.views.notebook import render_item

        return render_item(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        return np.asarray(self.value, dtype=dtype)

    def __float__(self) -> float:
        return float(self.working.element(self.ref).real)

    def __repr__(self) -> str:
        return f"<{self.path}{list(self.ref.index) or ''} of {self.working!r}>"

    def __str__(self) -> str:
        from workings.views.terminal import render_value

        return render_value(self.working, self.ref, colour=False)


if TYPE_CHECKING:
    from workings.recording.index import AddressIndex

__all__ = [
    "AddressError",
    "Binding",
    "Group",
    "Guard",
    "Item",
    "Labels",
    "Loss",
    "Ref",
    "Room",
    "Site",
    "Slot",
    "Source",
    "Step",
    "Turn",
    "Working",
]
