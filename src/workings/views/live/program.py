"""A Working as a program for the page: its steps as a few kernels over flat arrays.

The page knows no equation. Each step becomes one of these, found from what the operation means in
:mod:`workings.recording.operations`:

=========  =========================================================================================================
given      numbers
map        one tree for every element, over inputs that are broadcast
reduce     sum, product, largest, … along axes
contract   a sum of products; each input and the result with one letter for each axis
gather     every element was somewhere before
take       rows of a table by their numbers, which may change
sort       the rows of the last axis, each in order
each       a tree of its own for every element
same       the value of another node, or a part of it
frozen     what the page cannot run again: it stays, and what it depended on is watched
=========  =========================================================================================================

A composite step is opened, and its steps stand in its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from workings.equations import EQUATIONS, equation_of
from workings.progress import Report, unheard
from workings.reading.names import Names
from workings.reading.replay import may_depend
from workings.recording.evaluation import NotRecorded
from workings.recording.opening import NotOpened, open_step
from workings.recording.operations import contraction, elementwise, meaning, movement
from workings.recording.operations.bound import as_array, operation_of, parameter_names
from workings.recording.operations.expression import Expression, Leaf
from workings.recording.working import Guard, Ref, Step, Working
from workings.views.live.trees import EVERYTHING, Marked, NotForThePage, Pattern, Tree, known, number, tree
from workings.views.live.values import chooses, numbers, type_of, whole
from workings.views.tables import visible

_REDUCED = {
    "sum": "sum", "prod": "prod", "max": "max", "amax": "max", "min": "min", "amin": "min", "argmax": "argmax",
    "argmin": "argmin", "any": "any", "all": "all", "count_nonzero": "count",
}  # fmt: skip
_RENAMED = {"expm1": "expm1", "log1p": "log1p"}
"""Operations whose board arithmetic loses digits or signs that the function itself keeps."""
_MOST_LEAVES = 50_000
_DEEPEST = 8
_INSIDE = " › "
"""Between the address of a composite step and that of a step inside it."""
_STANDING = {"check", "size_of", "raises"}
"""They make no number that anything is made of: they look at numbers, and stop the program or do not."""


class Program:
    """The nodes of a page, and for each step the node that holds its value."""

    def __init__(self, working: Working, report: Report = unheard) -> None:
        self.working = working
        self.nodes: list[dict[str, Any]] = []
        self.of_step: dict[int, list[Any]] = {}
        self._known: dict[tuple[str, ...], int] = {}
        self.labels: list[tuple[str, ...]] = []
        report("making the steps live", self.of_step, len(working.steps), "steps")
        for step in working.steps:
            self.of_step[step.number] = self._step(working, step, self.of_step, "")
        self.words = self._words()
        self._limit()
        self.guards = [self._guard(guard) for guard in working.guards if guard.ref.step in self.of_step]

    def data(self) -> dict[str, Any]:
        """All that the page needs to run it, for JSON."""
        named = [{"n": path, "at": self.view(ref)} for path, ref in self.working.index.named() if self.numeric(ref)]
        return {
            "decimals": self.working.decimals,
            "nodes": self.nodes,
            "labels": [[visible(name) for name in names] for names in self.labels],
            "guards": self.guards,
            "named": named,
            "words": self.words,
        }

    def numeric(self, ref: Ref) -> bool:
        """Whether a value is made of numbers, and not of something that the page cannot show."""
        node = self.nodes[self.of_step[ref.step][0]]
        return "z" not in node

    def _words(self) -> list[dict[str, Any]]:
        """Texts, whose words follow whole numbers: where given ones take rows of a labelled table, and what grew."""
        found: list[dict[str, Any]] = []
        for number_, node in enumerate(self.nodes):
            if node["k"] != "take":
                continue
            table, ids = node["i"]
            rows = self.nodes[table[0]].get("l", [None])[0]
            if rows is not None and self.nodes[ids[0]]["k"] == "given" and "l" in node and node["l"][0] is not None:
                if node["l"][0] == rows:  # the text is the whole table: the words of the one change, of the other stay
                    rows = self._own_list(table[0])
                found.append({"ids": ids, "table": rows, "labels": node["l"][0], "node": number_, "given": True})
        return found + [text for table in {words["table"] for words in found} for text in self._grown(table, found)]

    def _grown(self, table: int, given: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Lists of whole numbers that are labelled by the words of a table that they stand for."""
        words, taken = self.labels[table], {text["labels"] for text in given}
        for step in self.working.steps:
            node, start, shape = self.of_step[step.number]
            labels = self.nodes[node].get("l", [None])[0] if len(shape) == 1 and type_of(step) == "i" else None
            if labels is None or labels in taken or self.labels[labels] == words:
                continue
            places = as_array(self.working.value(step.number)).tolist()
            if [words[at] for at in places if 0 <= at < len(words)] == list(self.labels[labels]):
                taken.add(labels)
                yield {"ids": [node, start, shape], "table": table, "labels": labels, "node": node, "given": False}

    def _own_list(self, node: int) -> int:
        """Give the rows of a node a list of labels that no other node has."""
        lists = self.nodes[node]["l"]
        self.labels.append(self.labels[lists[0]])
        lists[0] = len(self.labels) - 1
        return int(lists[0])

    def _limit(self) -> None:
        """Say of given numbers in which range an equation takes them."""
        names = Names(self.working)
        for group in self.working.groups:
            equation = equation_of(EQUATIONS[group.equation]) if group.equation else None
            if equation is None or not equation.ranges:
                continue
            known = names.within(group.number)
            for name, limits in equation.ranges.items():
                node = self.nodes[self.of_step[known[name].step][0]] if name in known else {}
                if node.get("k") == "given" and not node["s"]:
                    most = {"most": limits.most} if math.isfinite(limits.most) else {}
                    node["r"] = {"least": limits.least, "above": limits.above, **most, "said": limits.words}

    def view(self, ref: Ref) -> list[Any]:
        """Where a value is: its node, the place of its first number there, and its shape."""
        return self._view(self.working, ref, self.of_step)

    # -- nodes --------------------------------------------------------------------------------------------------

    def _add(self, kernel: str, step: Step, **about: Any) -> list[Any]:
        node = {"k": kernel, "s": list(step.shape), "t": type_of(step), **about}
        self.nodes.append(node)
        return [len(self.nodes) - 1, 0, list(step.shape)]

    def _view(self, working: Working, ref: Ref, places: dict[int, list[Any]]) -> list[Any]:
        node, start, shape = places[ref.step]
        for place in ref.index:
            shape = shape[1:]
            start += place * math.prod(shape)
        return [node, start, list(shape)]

    def _step(self, working: Working, step: Step, places: dict[int, list[Any]], within: str) -> list[Any]:
        inputs = [self._view(working, ref, places) for ref in step.inputs]
        first = len(self.nodes)
        try:
            if any(self.nodes[view[0]].get("z") for view in inputs):
                raise NotForThePage("it is made of what are no numbers")
            place = self._run(working, step, inputs, places, within)
        except (NotForThePage, NotRecorded) as reason:
            del self.nodes[first:]
            place = self._frozen(working, step, inputs, str(reason))
        self.nodes[place[0]].update(self._names(working, step, within))
        return place

    def _run(
        self, working: Working, step: Step, inputs: list[Any], places: dict[int, list[Any]], within: str
    ) -> list[Any]:
        kind = meaning.kind(step)
        if kind in ("given", "size"):
            return self._given(working, step, inside=bool(within))
        if kind == "movement":
            return self._movement(working, step, inputs)
        if kind == "elementwise":
            return self._map(working, step, inputs)
        if kind == "reduction":
            return self._reduction(working, step, inputs, places)
        if kind == "contraction":
            return self._contraction(working, step, inputs)
        if kind == "composite" and within.count(_INSIDE) < _DEEPEST:
            return self._opened(working, step, places, within)
        if operation_of(step) in _STANDING:
            return self._frozen(working, step, [], "")
        if may_depend(step):
            return self._frozen(working, step, inputs, step.note, unknown=True)
        raise NotForThePage(step.note or f"{step.operation} cannot be run on the page")

    def _given(self, working: Working, step: Step, *, inside: bool) -> list[Any]:
        of_shape = operation_of(step).endswith("_like") or operation_of(step).startswith("new_")
        if step.inputs and meaning.kind(step) == "given" and not of_shape:
            raise NotForThePage(f"what {step.operation} makes of these numbers is not worked out on the page")
        if may_depend(step) and not inside:  # inside a composite, numbers without an origin are its settings
            return self._frozen(working, step, [], step.note, unknown=True)
        values = numbers(working, step)
        made = inside or step.function != "" or step.operation != "given"
        return self._add("given", step, v=values, **({"made": 1} if made else {}))

    def _frozen(self, working: Working, step: Step, inputs: list[Any], why: str, *, unknown: bool = False) -> list[Any]:
        """A value that stays; with `unknown` origin it may depend on any change."""
        about: dict[str, Any] = {"u": 1} if unknown else {}
        try:
            values = numbers(working, step)
        except (NotForThePage, NotRecorded, TypeError, ValueError):
            values = ["NaN"] * math.prod(step.shape)
            about["z"] = 1  # there is something else than numbers
        return self._add("frozen", step, i=inputs, v=values, why=why, **about)

    def _map(self, working: Working, step: Step, inputs: list[Any]) -> list[Any]:
        operation = operation_of(step)
        pattern = Pattern(working, step)
        whole(step)
        if operation == "power" and len(pattern.args) > 2:
            raise NotForThePage("a power's remainder")
        if operation in _RENAMED:
            parts = [pattern.operand(place) for place in range(len(pattern.args))]
            leaves = [["$", o.place] if isinstance(o, Marked) else number(o.array.item()) for o in parts]
            made: Tree = ["f", _RENAMED[operation], *leaves]
        else:
            found = elementwise.element(pattern, (0,) * len(step.shape), EVERYTHING)
            made = _patterned(found, step)
        known(made)
        if operation in elementwise.OUTER:
            first, second = inputs
            inputs = [[*first[:2], first[2] + [1] * len(second[2])], second]
        return self._add("map", step, i=inputs, e=made)

    def _reduction(self, working: Working, step: Step, inputs: list[Any], places: dict[int, list[Any]]) -> list[Any]:
        pattern = Pattern(working, step)
        operation = operation_of(step)
        whole(step)
        if operation in ("max", "min") and step.output == 1:
            operation = f"arg{operation}"
        first = pattern.args[0] if pattern.args else None
        extra = any(pattern.named.get(name) is not None for name in ("where", "start", "initial"))
        if extra and operation != "sum":
            raise NotForThePage(f"this form of {step.operation} is not run on the page")
        if isinstance(first, Marked) and first.shape and operation in _REDUCED and not extra:
            axes = pattern.axes(len(first.shape))
            watched = [view for place, view in enumerate(inputs) if place != first.place]  # an axis, a flag
            about = {"w": watched} if watched else {}
            return self._add("reduce", step, i=[inputs[first.place]], f=_REDUCED[operation], a=list(axes), **about)
        if operation == "nansum":
            raise NotForThePage("which numbers are left out depends on the numbers")
        return self._each(working, step, inputs, places)

    def _contraction(self, working: Working, step: Step, inputs: list[Any]) -> list[Any]:
        whole(step)
        operands, parts, out = contraction.letters(Pattern(working, step))
        if not all(isinstance(o, Marked) for o in operands):
            raise NotForThePage("an array that stands in the call itself")
        used = [inputs[o.place] for o in operands if isinstance(o, Marked)]
        return self._add("contract", step, i=used, x=parts, o=out)

    def _each(self, working: Working, step: Step, inputs: list[Any], places: dict[int, list[Any]]) -> list[Any]:
        """Every element's own tree, over elements of other nodes."""
        trees: list[Tree] = []
        count = 0
        for index in np.ndindex(*step.shape):
            found = meaning.element(working, step, index, EVERYTHING)
            if found is None:
                raise NotForThePage(f"{step.operation} has no arithmetic")
            made, leaves = self._placed(working, found, places)
            count += leaves
            if count > _MOST_LEAVES:
                raise NotForThePage("it has too many terms for a page")
            known(made)
            trees.append(made)
        chosen = [view for ref, view in zip(step.inputs, inputs, strict=True) if chooses(working, ref)]
        return self._add("each", step, i=inputs, e=trees, **({"w": chosen} if chosen else {}))

    def _placed(self, working: Working, node: Expression, places: dict[int, list[Any]]) -> tuple[Tree, int]:
        """A tree whose leaves say node and place: ``["@", node, place]``."""
        count = 0

        def leaf(found: Leaf) -> Tree:
            nonlocal count
            if found.ref is None:
                return number(found.value)
            count += 1
            where, start, _ = self._view(working, found.ref, places)
            return ["@", where, start]

        return tree(node, leaf), count

    def _names(self, working: Working, step: Step, within: str) -> dict[str, Any]:
        """What a node is called: its address, whether the program gave it a name, its labels and its line."""
        about: dict[str, Any] = {"n": within + working.path(step.number)}
        if step.number in working.index.bound_steps or (step.operation == "given" and not within):
            about["b"] = 1
        labels = [None if axis is None else self._label(axis) for axis in working.labels(step.number)]
        if any(axis is not None for axis in labels):
            about["l"] = labels
        if step.site is not None and not within and step.site.file == working.source.file:
            about["at"] = step.site.line
        return about

    def _label(self, names: tuple[str, ...]) -> int:
        """The number of a list of labels."""
        if names not in self._known:
            self._known[names] = len(self.labels)
            self.labels.append(names)
        return self._known[names]

    # -- movements ----------------------------------------------------------------------------------------------

    def _movement(self, working: Working, step: Step, inputs: list[Any]) -> list[Any]:
        operation = operation_of(step)
        if any(working.steps[ref.step].dtype != step.dtype for ref in step.inputs):
            whole(step)  # a cast wraps around too
        if operation == "where" and len(step.inputs) + len(step.arguments) >= 3:
            chosen = self._where(working, step, inputs)
            if chosen is not None:
                return chosen
        if operation == "take":
            taken = self._take(working, step, inputs)
            if taken is not None:
                return taken
        if operation == "sort" and not step.function.startswith("aten.") and len(inputs) == 1:
            axis = Pattern(working, step).get("axis", -1)
            if axis in (-1, len(step.shape) - 1):
                return self._add("sort", step, i=inputs)
        if step.operation in movement.SORTS:
            raise NotForThePage("where a number goes depends on the numbers")
        which, spots = movement.position_map(working, step)
        moved = movement.moved_inputs(step)
        watched = [view for place, view in enumerate(inputs) if place not in moved]
        return self._gathered(working, step, inputs, which, spots, watched)

    def _gathered(
        self, working: Working, step: Step, inputs: list[Any], which: Any, spots: Any, watched: list[Any]
    ) -> list[Any]:
        flat_which, flat_spots = which.reshape(-1).tolist(), spots.reshape(-1).tolist()
        about: dict[str, Any] = {"i": inputs, "p": flat_spots}
        if watched:
            about["w"] = watched
        if any(flat_which):
            about["q"] = flat_which
        if -1 in flat_which:
            values = numbers(working, step)
            about["c"] = {str(i): values[i] for i, source in enumerate(flat_which) if source < 0}
        elif inputs and not any(flat_which) and flat_spots == list(range(math.prod(inputs[0][2]))) and not watched:
            return self._add("same", step, i=inputs)
        return self._add("gather", step, **about)

    def _where(self, working: Working, step: Step, inputs: list[Any]) -> list[Any] | None:
        """``where(condition, x, y)``: which of two numbers it is may change with the condition."""
        pattern = Pattern(working, step)
        if len(pattern.args) != 3:
            return None
        parts: list[Tree] = []
        for place in range(3):
            operand = pattern.operand(place)
            parts.append(["$", operand.place] if isinstance(operand, Marked) else number(operand.array.item()))
        return self._add("map", step, i=inputs, e=["?", *parts], m=1)  # it moves one of two numbers

    def _take(self, working: Working, step: Step, inputs: list[Any]) -> list[Any] | None:
        """Rows of a table by numbers that may change: a sentence with other words."""
        names = parameter_names(step)
        pattern = Pattern(working, step)
        axis = pattern.get("axis", 0)
        if len(inputs) != 2 or len(names) < 2 or axis != 0 or len(inputs[0][2]) < 1 or len(inputs[1][2]) != 1:
            return None
        return self._add("take", step, i=inputs)

    # -- composites ---------------------------------------------------------------------------------------------

    def _opened(self, working: Working, step: Step, places: dict[int, list[Any]], within: str) -> list[Any]:
        try:
            opened = open_step(working, step.number)
        except NotOpened as error:
            raise NotForThePage(str(error)) from None
        path = f"{within}{working.path(step.number)}{_INSIDE}"
        inner: dict[int, list[Any]] = {}
        for each in opened.working.steps:
            origin = opened.outer(Ref(each.number, (0,) * len(each.shape)))
            if origin is None:
                inner[each.number] = self._step(opened.working, each, inner, path)
                continue
            outer = opened.origins[each.number][0]
            view = self._view(working, outer, places)
            if view[2] != list(each.shape):
                raise NotForThePage(f"{step.operation} reads a part of its input")
            inner[each.number] = view
        result = self._view(opened.working, opened.output, inner)
        if result[2] != list(step.shape):
            raise NotForThePage(f"{step.operation} gives another shape when opened")
        read = {ref for ref, _ in opened.origins.values()}  # the others are settings, which were taken by value
        unread = [self._view(working, ref, places) for ref in step.inputs if ref not in read]
        return self._add("same", step, i=[result], **({"w": unread} if unread else {}))

    def _guard(self, guard: Guard) -> dict[str, Any]:
        value = guard.value
        value = value.tolist() if hasattr(value, "tolist") else value
        held = list(value) if isinstance(value, tuple) else value
        plain = held if isinstance(held, (bool, int, float, list)) else None
        about = {"at": self.view(guard.ref), "v": plain, "why": guard.reason, "line": guard.site and guard.site.line}
        return about if guard.only is None else {**about, "only": list(guard.only)}


def _patterned(found: Expression | None, step: Step) -> Tree:
    if found is None or (isinstance(found, Leaf) and found.ref is None and step.inputs):
        raise NotForThePage(f"this form of {step.operation} is not run on the page")
    return tree(found)
