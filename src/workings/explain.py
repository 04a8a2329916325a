"""`workings explain`: an equation, an operation or a word of the glossary, in plain text."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from workings.commands.problems import UserError
from workings.equations import EQUATIONS, Equation, equation_of
from workings.reading.glossary import Word, glossary, normal, word
from workings.recording.operations import functions, meaning
from workings.recording.operations.catalogue import CATALOGUE, describe
from workings.recording.working import Ref, Slot, Step
from workings.views.plain import plain_lines

_WIDEST = 100
_AXES = {
    "L": "tokens", "t": "queries or targets", "s": "keys, or tokens of the memory", "d": "width of a token",
    "m": "width of a token of the memory", "d_k": "width of one head's keys", "d_v": "width of one head's values",
    "h": "heads", "f": "inner width of the network", "v": "words of the vocabulary",
    "...": "any axes before (batch, heads)",
}  # fmt: skip
_KINDS = {
    "composite": "It is made of simpler operations, which are shown when one of its numbers is worked out.",
    "opaque": "It is run and its result is kept, but its numbers are not worked out.",
}


def explain(name: str) -> str:
    """Everything known by a name: the word, the equations, the operation. Raises UserError, offering near names."""
    wanted = normal(name)
    found = word(name)
    equations = [e for e in _equations() if wanted in _equation_names(e)]
    operation = next((o for o in _operations() if wanted in _operation_names(o)), None)
    parts: list[str] = []
    if found is not None:
        parts.append(_word(found, equations))
    parts += [_equation(e) for e in equations]
    if operation is not None and (not equations or _operations()[operation]):
        parts.append(_operation(operation))
    if not parts:
        raise UserError(
            f"nothing is known by the name {name!r}", "an equation, an operation or a word", _suggestion(wanted)
        )
    return "\n".join(parts)


def known_names() -> list[str]:
    """Every name that can be explained, as it is written."""
    words = glossary()
    return [*words, *(a for w in words.values() for a in w.also), *EQUATIONS, *_operations()]


def _suggestion(wanted: str) -> str:
    names = {normal(n): n for n in reversed(known_names())}
    near = difflib.get_close_matches(wanted, names, 3, 0.6) or [n for n in names if wanted and wanted in n][:3]
    return f"did you mean {' or '.join(names[n] for n in near)}?" if near else "try attention, softmax or matmul"


# -- words ------------------------------------------------------------------------------------------------------------


def _word(word: Word, shown: list[Equation]) -> str:
    out = [word.name, *_filled(word.sentence)]
    if word.formula:
        out += ["", *_formula(word.formula)]
    computed = [name for name in word.equations if name not in {e.name for e in shown}]
    if computed:
        out += ["", *_filled("Equations: " + ", ".join(_titled(name) for name in computed))]
    if word.see:
        out += ["", *_filled("See also: " + ", ".join(word.see))]
    return "\n".join(out) + "\n"


def _titled(name: str) -> str:
    found = equation_of(EQUATIONS[name])
    return f"{name} {found.label}" if found is not None and found.label else name


# -- equations --------------------------------------------------------------------------------------------------------


def _equations() -> Iterable[Equation]:
    return (e for e in map(equation_of, EQUATIONS.values()) if e is not None)


def _equation_names(equation: Equation) -> set[str]:
    return {normal(equation.name), normal(equation.title), *map(str, equation.number)}


def _equation(equation: Equation) -> str:
    function = EQUATIONS[equation.name]
    head = f"{equation.title} {equation.label}".rstrip()
    out = [f"{head}: the equation `{equation.name}`", *_filled(equation.sentence), "", *_formula(equation.latex)]
    out += ["", "  Symbols and shapes", *_symbols(equation)]
    if equation.variants:
        out += ["", "  Choices that change numbers"]
        for topic, choice in equation.variants.items():
            out += textwrap.wrap(f"{topic}: {choice}", _width(), initial_indent="    ", subsequent_indent="      ")
    section = (
        f'section {equation.section} of Forler (2026), "The attention mechanism and the transformer, step by step"; '
        if equation.section
        else ""
    )
    out += ["", *_filled(f"From: {section}{equation.source}")]
    out += ["", f"  Code: workings.equations.{function.__name__}", textwrap.indent(code(function), "    ")]
    users = used_by(equation.name)
    out += ["", "  Used by", *(f"    {user}" for user in users)] if users else ["", "  Used by no example yet."]
    words = glossary()
    titles = {normal(equation.name), normal(equation.title)}
    related = [
        w.name
        for w in words.values()
        if equation.name in w.equations and not titles & {*map(normal, (w.name, *w.also))}
    ]
    if related:
        out += ["", *_filled("See also: " + ", ".join(related))]
    return "\n".join(out) + "\n"


def _symbols(equation: Equation) -> list[str]:
    """One line for each argument and inner name: its letter and its axes."""
    names = list(dict.fromkeys([*equation.shapes, *equation.symbols]))
    letters = {
        name: " ".join(plain_lines(equation.symbols[name])) if name in equation.symbols else "" for name in names
    }
    wide, high = max(map(len, names)), max(map(len, letters.values()))
    out = []
    for name in names:
        shape = equation.shapes.get(name)
        axes = "" if shape is None else "one number" if shape == "" else shape
        if name in equation.ranges:
            axes += f" {equation.ranges[name].words}"
        out.append(f"    {name:<{wide}}  {letters[name]:<{high}}  {axes}".rstrip())
    used = [a for a in _AXES if any(a in re.split(r"[ ;]+", shape) for shape in equation.shapes.values())]
    legend = "; ".join(f"{axis} {_AXES[axis]}" for axis in used)
    return (
        [*out, *textwrap.wrap(f"Axes: {legend}.", _width(), initial_indent="    ", subsequent_indent="      ")]
        if used
        else out
    )


def code(function: Callable[..., Any]) -> str:
    """The function's source, without its decorator and its docstring."""
    source = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    lines = source.splitlines()
    kept = lines[node.lineno - 1 :]
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        kept = lines[node.lineno - 1 : first.lineno - 1] + lines[first.end_lineno or first.lineno :]
    return "\n".join(kept)


def used_by(name: str) -> list[str]:
    """The sections of the shipped examples that compute an equation, with the command that shows each."""
    from workings import examples

    width = max(map(len, examples.names()), default=0)
    out: list[str] = []
    for example in examples.names():
        out += [f"workings show {example:<{width}}  {section}" for section in _sections_with(example).get(name, ())]
    return out


@cache
def _sections_with(example: str) -> dict[str, tuple[str, ...]]:
    """For each equation, the sections of an example that it is part of."""
    from workings import examples

    working = examples.load(example).run()
    found: dict[str, dict[str, None]] = {}
    for group in working.groups:
        if not group.equation:
            continue
        outer = group
        while outer.parent is not None and outer.parent > 0:
            outer = working.groups[outer.parent]
        label = outer.name + (f": {outer.title}" if outer.title else "")
        found.setdefault(group.equation, {})[label] = None
    return {equation: tuple(sections) for equation, sections in found.items()}


# -- operations -------------------------------------------------------------------------------------------------------


@cache
def _operations() -> dict[str, list[str]]:
    """Every operation, with the functions that mean it; PyTorch's own are known by the operation's name alone."""
    out: dict[str, list[str]] = {name: [] for name in CATALOGUE if "[" not in name}
    for name, function in functions.BY_NAME.items():
        out.setdefault(function.operation, []).append(name)
    return out


def _operation_names(operation: str) -> set[str]:
    return {normal(operation), *map(normal, _operations()[operation])}


def _operation(operation: str) -> str:
    from workings.reading.filling import general

    called = [
        n.removeprefix("operator.")
        for n in _operations()[operation]
        if not n.startswith(("inplace.", "changed.", "recording.", "equations.", "slopes."))
    ]
    sentence = f"{describe(operation).sentence} {_KINDS.get(_kind(operation), '')}".strip()
    out = [f"{operation}: an operation", *_filled(sentence)]
    formula = general(operation)
    if formula is not None:
        out += ["", "  Formula", f"    {formula.text}", "  In LaTeX", f"    {formula.latex}"]
    signs = [sign for sign, meant in functions.OPERATORS.items() if meant == operation]
    if signs or called:
        out += ["", *_filled("Written as: " + ", ".join(dict.fromkeys([*signs, *called])))]
    return "\n".join(out) + "\n"


def _kind(operation: str) -> str:
    """The kind of a step that does this."""
    function = next(iter(_operations()[operation]), f"aten.{operation}.default")
    return meaning.kind(Step(0, operation, function, (Ref(0),), (Slot(0),), {}, 0, 0, None))


# -- lines ------------------------------------------------------------------------------------------------------------


def _width() -> int:
    """Of the lines: what the terminal has, and no more than is easy to read."""
    from workings.views.paper import terminal_width

    return max(20, min(terminal_width(_WIDEST), _WIDEST))


def _filled(text: str) -> list[str]:
    return textwrap.wrap(text, _width(), initial_indent="  ", subsequent_indent="  ")


def _formula(latex: str) -> list[str]:
    return ["  Formula", *(f"    {line}" for line in plain_lines(latex)), "  In LaTeX", f"    {latex}"]
