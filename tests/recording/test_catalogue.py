"""The catalogue of operations against the tables of what can be recorded: a sentence and a formula for each."""

import ast
from pathlib import Path

import pytest

import workings.recording
from workings.reading.filling import general
from workings.reading.formula import formula
from workings.recording.operations import (
    bound,
    contraction,
    elementwise,
    functions,
    lowering,
    meaning,
    movement,
    reduction,
    slopes,
    torch_names,
)
from workings.recording.operations.catalogue import CATALOGUE, describe

# Values as they are, or nothing anybody would write down.
WITHOUT_FORMULA = {
    *("given", "positive", "float", "item", "tolist", "alias", "lift_fresh", "scalar_tensor", "empty_like"),
    *("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "zeros_like", "ones_like", "zero"),
    *("atleast_1d", "atleast_2d", "atleast_3d"),
    *("split", "split_with_sizes", "array_split", "hsplit", "vsplit", "unbind", "unstack", "chunk"),
    *("unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk"),  # the part taken is shown
}


def literal_operations():
    """The operations that the recorder's own code names: ``recorder.step("take_flat", …)``."""
    found = set()
    for file in Path(workings.recording.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "step"
            if called and node.args and isinstance(node.args[0], ast.Constant):
                found.add(node.args[0].value)
    return found


def torch_operations():
    from workings.recording.tensors import operators

    every = set(torch_names.PARAMETERS) | movement._TORCH | movement.SORTS
    plain = {n[:-1] if n.endswith("_") and not n.endswith("__") else n for n in every}
    attentions = {n for n in plain if n.startswith("_scaled_dot_product_") and not n.endswith("backward")}
    meant = set(operators._MEANINGS.values()) | set(bound._FOREACH.values())
    return {operators._MEANINGS.get(n, n) for n in plain - attentions} | meant


def recordable():
    tables = (elementwise.RULES, reduction.RULES, contraction.NAMES, lowering.LOWERINGS)
    assert "slopes.placed" in functions.BY_NAME, slopes  # the backward pass has entered its own
    named = {function.operation for function in functions.BY_NAME.values()}
    return named | literal_operations() | set().union(*tables) | meaning._ORDERS | meaning._FROM_NOTHING


def test_the_code_names_operations():
    assert {"given", "size", "put_flat", "take_flat", "opaque"} <= literal_operations()


@pytest.mark.parametrize("operation", sorted(recordable()))
def test_every_operation_is_described(operation):
    assert operation in CATALOGUE


def test_every_operation_of_torch_is_described():
    pytest.importorskip("torch")
    assert torch_operations() - set(CATALOGUE) == set()


def test_nothing_is_described_that_is_not_recorded():
    pytest.importorskip("torch")
    further = {name.partition("[")[0] for name in CATALOGUE if "[" in name}
    assert further <= set(CATALOGUE)
    assert {name for name in CATALOGUE if "[" not in name} - recordable() - torch_operations() == set()


@pytest.mark.parametrize("operation", sorted(name for name in CATALOGUE if "[" not in name))
def test_every_description_reads(operation):
    sentence = describe(operation).sentence
    assert sentence[0].isupper() or sentence[0] in "−e01"
    assert sentence.endswith(".")
    found = general(operation)
    assert (found is None) == (operation in WITHOUT_FORMULA)


@pytest.mark.parametrize("operation", sorted(name for name in CATALOGUE if "[" in name))
def test_further_results_read(operation):
    name, _, output = operation.removesuffix("]").partition("[")
    line = describe(name, int(output)).formula
    assert line != describe(name).formula
    assert formula(line.partition(":")[2].strip()) is not None


def test_an_unknown_operation_goes_by_its_name():
    assert describe("mkldnn_rnn_layer").sentence == "The operation mkldnn rnn layer."


@pytest.mark.parametrize(
    ("operation", "text", "latex"),
    [
        ("matmul", "A B", "A B"),
        ("linear", "x Wᵀ + b", r"x W^{\top} + b"),
        ("addmm", "x W + b", "x W + b"),
        ("divide", "x / y", r"\frac{x}{y}"),
        ("rsqrt", "1 / √x", r"\frac{1}{\sqrt{x}}"),
        ("var", "σ²(x)", r"\sigma^2(x)"),
        ("logsumexp", "log Σ e^x", r"\log \sum e^x"),
        ("outer", "a bᵀ", r"a b^{\top}"),
        ("linalg_solve", "A⁻¹ b", "A^{-1} b"),
        ("embedding", "E[ids]", r"E_{\mathrm{ids}}"),
        ("layer_norm", "LayerNorm(x)", r"\operatorname{LayerNorm}(x)"),
        (
            "scaled_dot_product_attention",
            "softmax(Q Kᵀ / √d_k) V",
            r"\operatorname{softmax}\!\left( \frac{Q K^{\top}}{\sqrt{d_k}} \right) V",
        ),
        ("lerp", "x + w (y − x)", "x + w (y - x)"),
        ("clip", "clip(x, low, high)", r"\operatorname{clip}(x, \mathrm{low}, \mathrm{high})"),
    ],
)
def test_formulas(operation, text, latex):
    found = general(operation)
    assert (found.text, found.latex) == (text, latex)
