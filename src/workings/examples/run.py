"""One run of an example: the values so far, and how sections find their inputs and give their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from workings import equations
from workings.examples import programs
from workings.examples.errors import ExampleError, near
from workings.examples.format import Mask, Section, Vector, Weight
from workings.recording.labels import Labelling
from workings.recording.program import Box, Program
from workings.recording.working import Source

if TYPE_CHECKING:
    from workings.examples.example import Example

Labels = Sequence[str] | None


class Run:
    """The state of a run.

    `values` holds every value by the names that a file may use: "X", "projected", "projected.weights". While a section
    is under way its results are entered as they are made.
    """

    def __init__(self, example: Example, sentence: str, source: Source) -> None:
        self.example = example
        self.program = Program(source)
        self.values: dict[str, Box] = {}
        self.section: Section = Section(name="", kind="")
        self.weights: dict[tuple[str, tuple[str | int, ...]], Box] = {}
        self.used: set[str] = set()
        self.scales: dict[str | float, list[str]] = {}  # scale -> the sections that use it
        self.tokens = example.words(sentence)
        self.ids: Box = Box(None)
        self.writing = False  # inside a generation loop

    # -- the beginning ------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The table, the values of the file, and the rows of the sentence."""
        document, program = self.example.document, self.program
        words, axes = list(document.embeddings), document.axes or None
        self.values["E"] = program.given("E", np.array(list(document.embeddings.values()), dtype=float), [words, axes])
        for name, value in document.values.items():
            numbers = np.array(value.numbers, dtype=float)
            labels = [value.rows or None, value.columns or None][: numbers.ndim]
            for axis, (names, what) in enumerate(zip(labels, ("rows", "columns"), strict=False)):
                if names is not None and len(names) != numbers.shape[axis]:
                    raise self.example.complaint(
                        ["values", name, what],
                        f"found {len(names)} names",
                        f"{numbers.shape[axis]}, one for each of the {what}",
                        "name all of them or none",
                    )
            self.values[name] = program.given(name, numbers, labels, note=value.text)
        self.ids = program.given("ids", np.array(self.example.ids(self.tokens)), [self.tokens])
        self.values["X"] = self.lookup(self.ids, self.tokens, "X")
        if document.called:
            self.values[document.called] = program.alias(document.called, self.values["X"])

    def lookup(self, ids: Box, tokens: Sequence[str], name: str) -> Box:
        """Rows of E, labelled with their words."""
        rows: Box = self.program.call(equations.lookup, self.values["E"], ids, names=name)
        self.program.label(rows, tokens, self.example.document.axes or None)
        return rows

    def look_up_again(self) -> None:
        """The rows of a prefix that has grown take the place of X."""
        self.values["X"] = self.lookup(self.ids, self.tokens, "X")
        if self.example.document.called:
            self.values[self.example.document.called] = self.values["X"]

    @property
    def vocabulary(self) -> list[str]:
        return list(self.example.document.embeddings)

    # -- groups, inputs and results -------------------------------------------------------------------------------

    @contextmanager
    def group(self, name: str, equation: str = "", title: str = "", text: str = "", number: str = "") -> Iterator[None]:
        with self.program.group(name, title=title, section=number, equation=equation, detail=text):
            yield

    @contextmanager
    def within(self, section: Section, equation: str = "") -> Iterator[None]:
        """The group of a section."""
        title = section.title
        if not title and equation:
            title = equations.EQUATIONS[equation].equation.title  # type: ignore[attr-defined]
        with self.group(section.name, equation, title, section.text, section.number):
            yield

    def input(self, name: str, key: str = "input") -> Box:
        """An earlier value by the name that a file gives it."""
        if name not in self.values:
            expected = f"one of {', '.join(self._plain_names())}"
            raise self.wrong(key, f"found {name!r}, which is no earlier value", expected, near(name, self.values))
        return self.values[name]

    def _plain_names(self) -> list[str]:
        return [n for n in self.values if "." not in n]

    def result(self, name: str, box: Box, *, main: bool = False) -> Box:
        """Enter a result for the sections to come; the main one also goes by the section's name."""
        self.values[f"{self.section.name}.{name}"] = box
        if main:
            self.values[self.section.name] = box
        return box

    def results(self, *, prefix: str = "", main: str = "output", **boxes: Box) -> None:
        for name, box in boxes.items():
            self.result(prefix + name, box, main=not prefix and name == main)

    def inner(self, name: str, function: str) -> Box:
        """A value that the function just called has named inside."""
        working = self.program.working
        binding = next(
            b for b in reversed(working.bindings) if b.name == name and working.groups[b.group].name == function
        )
        # The step may hold a copy of the array that the function saw; the copy is known from now on as the same value.
        return self.program.recorder.know(working.steps[binding.ref.step].value, binding.ref)

    def rows(self, name: str, key: str = "input") -> Box:
        """An earlier value that has rows and columns."""
        box = self.input(name, key)
        if np.ndim(box.value) != 2:
            raise self.wrong(
                key, f"{name} has {np.ndim(box.value)} axes", "a value with rows and columns", "name another value"
            )
        return box

    def labels_of(self, box: Box, axis: int = 0) -> Labels:
        """The labels of a value's rows, or of another axis."""
        ref = self.program.recorder.ref(box)
        if ref is None:
            return None
        labels = Labelling(self.program.working).labels(ref.step)[len(ref.index) + axis]
        # Working out labels may have made the index of addresses, which does not know the steps to come.
        self.program.working.__dict__.pop("index", None)
        return labels

    def columns_of(self, box: Box) -> Labels:
        """The labels of a value's last axis."""
        return self.labels_of(box, np.ndim(box.value) - 1)

    def mask(self, mask: Mask, hidden: Sequence[str], rows: Box, memory: Box) -> Box | None:
        """What is added to the scores: the future hidden, and words that nobody may attend to."""
        total: Box | None = None
        length, keys = rows.value.shape[0], memory.value.shape[0]
        if mask == "causal":
            if length != keys:
                raise self.wrong(
                    "mask",
                    f"found 'causal' between {length} and {keys} tokens",
                    "as many keys as queries",
                    "leave mask out where a memory is asked",
                )
            total = self.program.call(equations.causal_mask, length, rows, names="mask" if not hidden else "causal")
        if hidden:
            words = self.labels_of(memory) or ()
            keep = self.program.given("kept", np.array([word not in hidden for word in words] or [True] * keys))
            padding = self.program.call(
                equations.padding_mask, keep, rows, names="mask" if total is None else "padding"
            )
            total = padding if total is None else self.program.call(programs.add, total, padding, names="mask")
        if total is not None:
            self.used.add("mask")
            if np.ndim(total.value) == 2 and total.value.shape[0] == length:
                self.program.label(total, self.labels_of(rows), self.labels_of(memory))
        return total

    def scale(self, given: str | float) -> float | None:
        """What the scores are multiplied by; None for the root of the key width."""
        choice = given if given != "" else self.convention("scale")
        self.used.add("scale")
        self.scales.setdefault(choice, []).append(self.section.name)
        if choice == "sqrt(d_k)":
            return None
        return 1.0 if choice == "none" else float(choice)

    # -- weights, with their sizes checked ------------------------------------------------------------------------

    def weight(
        self,
        name: str,
        given: Weight | Vector,
        shape: Sequence[int | None],
        why: str,
        key: Sequence[str | int] = (),
        default: Callable[[], Any] | None = None,
    ) -> Box:
        """A weight by its name in the file, as a value of the group under way.

        `shape` has None for sizes that are free; `why` says where the others come from. Left out in the file it is the
        default, or an error where there is none.
        """
        place = tuple(key) or (name,)
        known = self.weights.get((self.section.name, place))
        if known is not None:  # the loop comes by again: the same weight, not another one with the same numbers
            return self.program.alias(name, known)
        if given == "" and default is not None:
            box = self.program.given(name, default())
        elif isinstance(given, str):
            box = self.program.alias(name, self.input(given, ".".join(map(str, place))))
        else:
            box = self.program.given(name, np.array(given, dtype=float))
        found = box.value.shape
        if len(found) != len(shape) or any(e is not None and e != f for e, f in zip(shape, found, strict=True)):
            expected = " × ".join("any" if s is None else str(s) for s in shape)
            what = "rows × columns" if len(shape) == 2 else "numbers"
            raise self.wrong(
                place,
                f"found {_size(found)}",
                f"{expected} {what}: {why}",
                "change this one or the other so that they fit",
            )
        self.weights[self.section.name, place] = box
        return box

    def wrong(self, key: str | Sequence[str | int], found: str, expected: str = "", hint: str = "") -> ExampleError:
        """An error at a key of the section under way."""
        keys = (key,) if isinstance(key, str) else tuple(key)
        return self.example.complaint(self.place(*keys), found, expected, hint)

    def place(self, *keys: str | int) -> tuple[str | int, ...]:
        """A key of the section under way, as a place in the file."""
        sections = self.example.document.section
        number = next((i for i, s in enumerate(sections) if s is self.section), None)
        return ("section", number, *keys) if number is not None else keys

    def convention(self, name: str) -> Any:
        """A choice of the file's [conventions], noted as one that changed numbers here."""
        self.used.add(name)
        return getattr(self.example.document.conventions, name)


def _size(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{shape[0]} numbers"
    return f"{' × '.join(map(str, shape))} {'rows × columns' if len(shape) == 2 else 'numbers'}"
