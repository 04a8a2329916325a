"""What each equation says about itself is complete, and true of its source and of its results."""

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy
import pytest

from workings import equations
from workings.equations._description import EQUATIONS, KINDS, Equation, equation, equation_of

from .cases import CALLS, Call

EACH = [pytest.param(function, id=name) for name, function in EQUATIONS.items()]
EACH_CALL = [
    pytest.param(name, call, id=f"{name}-{number}")
    for name, calls in CALLS.items()
    for number, call in enumerate(calls)
]

VOCABULARY = set(
    "arange argmax astype concat cos cumulative_sum exp flip full_like log matrix_transpose max mean min reshape "
    " sin sort sqrt stack sum take take_along_axis tanh where zeros zeros_like".split()
)
"""The functions of the array API standard that equations may call: whoever records them must know these."""


def described(function: Callable[..., Any]) -> Equation:
    description = equation_of(function)
    assert description is not None
    return description


def tree_of(function: Callable[..., Any]) -> ast.Module:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def test_the_articles_equations_are_all_here() -> None:
    # (2) and (7) are the example's own matrices.
    numbers = {number for function in EQUATIONS.values() for number in described(function).number}
    assert numbers == set(range(1, 16)) - {2, 7}


def test_every_equation_is_a_public_name() -> None:
    for name, function in EQUATIONS.items():
        assert getattr(equations, name) is function
        assert name in equations.__all__
    assert sorted(equations.__all__) == sorted(set(equations.__all__))


@pytest.mark.parametrize("function", EACH)
def test_the_function_is_plain(function: Callable[..., Any]) -> None:
    assert inspect.isfunction(function)
    assert inspect.unwrap(function) is function
    assert described(function).name == function.__name__


@pytest.mark.parametrize("function", EACH)
def test_every_part_is_there(function: Callable[..., Any]) -> None:
    description = described(function)
    assert re.fullmatch(r"[A-Z0-9].*[^.]", description.title)
    assert re.fullmatch(r"[A-Z].*\.", description.sentence)
    assert description.latex
    assert description.source
    assert description.section in ("", *"123456789")
    assert not description.number or description.section
    for topic, text in description.variants.items():
        assert topic
        assert re.fullmatch(r"('|[A-Z0-9]).*\.", text), text
    docstring = inspect.getdoc(function) or ""
    assert "Shapes: " in docstring


@pytest.mark.parametrize("name", [name for name, function in EQUATIONS.items() if described(function).ranges])
def test_a_range_is_what_the_function_takes(name: str) -> None:
    """Its ends are taken, unless it is above them; what lies just beyond them is refused."""
    function, call = EQUATIONS[name], CALLS[name][0]
    for argument, limits in described(function).ranges.items():
        near = 1 if "integer" in described(function).shapes[argument] else 1e-9
        inside = [limits.least + near, *([] if limits.above else [limits.least])]
        beyond = [limits.least - near, *([limits.least] if limits.above else [])]
        if limits.most < math.inf:
            inside.append(limits.most)
            beyond.append(limits.most + near)
        for number, taken in [(number, True) for number in inside] + [(number, False) for number in beyond]:
            arguments = inspect.signature(function).bind(*call.arguments, **call.options).arguments | {argument: number}
            with nullcontext() if taken else pytest.raises(ValueError, match="expected"):
                function(**arguments)


@pytest.mark.parametrize("function", EACH)
def test_shapes_name_every_argument(function: Callable[..., Any]) -> None:
    description = described(function)
    assert list(description.shapes) == [*inspect.signature(function).parameters, "result"]
    letter = r"(\.\.\.|1|[A-Za-z]+(_[a-z])?)"
    for shape in description.shapes.values():
        axes = rf"({letter}( {letter})*)?"
        assert shape in KINDS or re.fullmatch(rf"{axes}(; {axes})*|\(.*\)", shape), shape


@pytest.mark.parametrize("function", EACH)
def test_symbols_name_arguments_and_locals(function: Callable[..., Any]) -> None:
    description = described(function)
    names = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    assert set(description.symbols) <= names
    arrays = {name for name, shape in description.shapes.items() if shape not in KINDS and name != "like"}
    assert arrays - {"result"} <= set(description.symbols)
    definition = tree_of(function).body[0]
    assert isinstance(definition, ast.FunctionDef)
    last = definition.body[-1]
    assert isinstance(last, ast.Return)
    results = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    for result in results:
        assert isinstance(result, ast.Name)
        assert result.id in description.symbols


@pytest.mark.parametrize("function", EACH)
def test_formulas_are_latex_with_amsmath(function: Callable[..., Any]) -> None:
    known = set(
        "operatorname vec sum sqrt frac tfrac max min exp log sin cos tanh text mathrm mathsf mathcal left right "
        "begin end qquad quad cdot cdots dots odot lVert rVert lvert rvert mid theta gamma beta mu sigma epsilon alpha "
        "ell pi Phi le ge leftarrow big Big infty hat arg approx".split()
    )
    for formula in (described(function).latex, *described(function).symbols.values()):
        assert formula.count("{") == formula.count("}")
        assert set(re.findall(r"\\([A-Za-z]+)", formula)) <= known, formula
        assert formula.count(r"\left") - formula.count(r"\leftarrow") == formula.count(r"\right")
        assert "$" not in formula


@pytest.mark.parametrize("function", EACH)
def test_formulas_can_be_shown_on_a_page(function: Callable[..., Any]) -> None:
    converter = pytest.importorskip("latex2mathml.converter")
    for formula in (described(function).latex, *described(function).symbols.values()):
        assert converter.convert(formula).startswith("<math")


def bound(sizes: dict[str, int], shape: str, found: tuple[int, ...]) -> None:
    """Give each axis letter its size, or fail where a letter has another size already."""
    letters = shape.split()
    if letters[:1] == ["..."]:
        letters = letters[1:]
        found = found[len(found) - len(letters) :]
    assert len(found) == len(letters), f"{shape!r} does not describe {found}"
    for letter, size in zip(letters, found, strict=True):
        assert sizes.setdefault(letter, size) == size, f"{letter} is {sizes[letter]} and {size}"


@pytest.mark.parametrize(("name", "call"), EACH_CALL)
def test_shapes_are_true(name: str, call: Call) -> None:
    function = EQUATIONS[name]
    shapes = described(function).shapes
    arguments = inspect.signature(function).bind(*call.arguments, **call.options).arguments
    sizes = {"1": 1}
    for parameter, argument in arguments.items():
        # A mask may be smaller than its shape, as long as it broadcasts.
        if isinstance(argument, numpy.ndarray) and "mask" not in parameter:
            bound(sizes, shapes[parameter], argument.shape)
    results = function(*call.arguments, **call.options)
    results = results if isinstance(results, tuple) else (results,)
    if shapes["result"].startswith("("):
        assert name == "split_heads"
        return
    for shape, result in zip(shapes["result"].split("; "), results, strict=True):
        bound(sizes, shape, numpy.shape(result))


@pytest.mark.parametrize("function", EACH)
def test_the_source_keeps_to_the_vocabulary(function: Callable[..., Any]) -> None:
    forbidden = (ast.AugAssign, ast.Delete, ast.Lambda, ast.While, ast.For, ast.Global, ast.Nonlocal, ast.Try, ast.With)
    for node in ast.walk(tree_of(function).body[0]):
        assert not isinstance(node, forbidden)
        if isinstance(node, ast.Subscript):
            assert isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "xp":
            assert node.attr in VOCABULARY
    parameters = inspect.signature(function).parameters.values()
    assert not [parameter for parameter in parameters if parameter.kind != parameter.POSITIONAL_OR_KEYWORD]


def test_a_description_cannot_be_changed() -> None:
    description = described(equations.softmax)
    with pytest.raises(AttributeError):
        description.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        description.shapes["scores"] = "d"  # type: ignore[index]


def test_labels_print_as_in_the_article() -> None:
    assert described(equations.plain_attention).label == "(3)(5)"
    assert described(equations.rotary).label == ""


def test_a_name_is_taken_once() -> None:
    parts: dict[str, Any] = {"title": "", "sentence": "", "latex": "", "shapes": {}, "symbols": {}, "source": ""}

    def softmax() -> None: ...

    with pytest.raises(ValueError, match="already an equation named 'softmax'"):
        equation(**parts)(softmax)
    assert EQUATIONS["softmax"] is equations.softmax


def test_other_functions_have_no_description() -> None:
    assert equation_of(len) is None
