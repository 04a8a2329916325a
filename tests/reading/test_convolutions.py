"""Convolutions of rows, transposed convolutions and cross products: arithmetic, formulas and slopes."""

import warnings

import numpy as np
import pytest

from workings.reading.formula import formula
from workings.reading.gradient import gradient
from workings.recording.opening import open_step
from workings.recording.running import record_function

LONG, SHORT = np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.25])
U, V = np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5])


def lines(function, *arguments):
    """The last line of the working of each number that comes out, without its name."""
    working = record_function(function, [a.copy() if hasattr(a, "copy") else a for a in arguments], {})
    path = working.path(working.result_parts.step)
    assert working.unfollowed() == []
    places = np.ndindex(*working.steps[working.result_parts.step].shape)
    found = [str(working.at(f"{path}{list(place) if place else ''}").lines[-1].text()) for place in places]
    return [text.partition(" = ")[2] for text in found]


ROWS = {
    "full": (
        np.convolve, LONG, SHORT, (),
        ["1.00×0.50 = 0.50", "1.00×(−0.25) + 2.00×0.50 = 0.75", "2.00×(−0.25) + 3.00×0.50 = 1.00",
         "3.00×(−0.25) = −0.75"],
    ),
    "same": (
        np.convolve, LONG, SHORT, ("same",),
        ["1.00×0.50 = 0.50", "1.00×(−0.25) + 2.00×0.50 = 0.75", "2.00×(−0.25) + 3.00×0.50 = 1.00"],
    ),
    "valid": (
        np.convolve, SHORT, LONG, ("valid",),
        ["0.50×2.00 − 0.25×1.00 = 0.75", "0.50×3.00 − 0.25×2.00 = 1.00"],
    ),
    "correlated": (
        np.correlate, LONG, SHORT, (),
        ["1.00×0.50 + 2.00×(−0.25) = 0.00", "2.00×0.50 + 3.00×(−0.25) = 0.25"],
    ),
    "correlated in full": (
        np.correlate, SHORT, LONG, ("full",),
        ["0.50×3.00 = 1.50", "0.50×2.00 − 0.25×3.00 = 0.25", "0.50×1.00 − 0.25×2.00 = 0.00",
         "−0.25×1.00 = −0.25"],
    ),
    "across": (
        np.cross, U, V, (),
        ["2.00×0.50 − 3.00×1.00 = −2.00", "3.00×0.00 − 1.00×0.50 = −0.50", "1.00×1.00 − 2.00×0.00 = 1.00"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_each_number_has_its_products(name):
    function, first, second, settings, texts = ROWS[name]
    assert lines(lambda x, y: function(x, y, *settings), first, second) == texts


def test_a_number_of_a_transposed_convolution_is_what_reaches_it():
    torch = pytest.importorskip("torch")
    x, weight = torch.tensor([[[1.0, 2.0, 3.0]]]), torch.tensor([[[1.0, -1.0]]])
    near = lines(lambda x, w: torch.nn.functional.conv_transpose1d(x, w, stride=1), x, weight)
    assert near == ["1.00×1.00 = 1.00", "1.00×(−1.00) + 2.00×1.00 = 1.00", "2.00×(−1.00) + 3.00×1.00 = 1.00",
                    "3.00×(−1.00) = −3.00"]  # fmt: skip
    apart = lines(
        lambda x, w: torch.nn.functional.conv_transpose1d(x, w, stride=3), torch.tensor([[[1.0, 2.0]]]), weight
    )
    assert apart[:2] == ["1.00×1.00 = 1.00", "1.00×(−1.00) = −1.00"]
    assert apart[2] == "0.00"  # no number reaches it
    assert apart[3:] == ["2.00×1.00 = 2.00", "2.00×(−1.00) = −2.00"]


def test_a_layer_adds_its_bias_and_keeps_its_groups_apart():
    torch = pytest.importorskip("torch")
    layer = torch.nn.ConvTranspose1d(2, 2, 1, groups=2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[[2.0]], [[3.0]]]))
        layer.bias.copy_(torch.tensor([0.5, 0.25]))
        working = record_function(layer, [torch.tensor([[[4.0], [5.0]]])], {})
    said = str(working.at(f"{working.path(working.result_parts.step)}[0, 1, 0]"))
    assert "5.00×3.00 = 15.00" in said
    assert "15.00 + 0.25 = 15.25" in said


GENERATOR = np.random.Generator(np.random.PCG64(4))


def opened_at_every_place(working, operation):
    """Whether a step, opened whole and for each of its numbers, gives what NumPy or PyTorch gave."""
    step = next(s for s in working.steps if s.operation == operation)
    value = np.asarray(working.value(step.number))
    for place in [None, *np.ndindex(*step.shape)]:
        inside = open_step(working, step.number, place)
        expected = value if place is None else value[place]
        np.testing.assert_allclose(inside.working.value(inside.output), expected, atol=1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("function", [np.convolve, np.correlate])
def test_rows_of_any_lengths_meet_where_numpy_lets_them(function, mode):
    for n, k in [(1, 1), (1, 4), (4, 1), (2, 5), (5, 2), (3, 4), (4, 3), (4, 4)]:
        rows = [GENERATOR.normal(size=size) for size in (n, k)]
        opened_at_every_place(record_function(lambda x, y: function(x, y, mode), rows, {}), function.__name__)


def test_complex_rows_are_correlated_with_the_conjugate():
    rows = [GENERATOR.normal(size=n) + 1j * GENERATOR.normal(size=n) for n in (4, 3)]
    for function in (np.convolve, np.correlate):
        opened_at_every_place(record_function(lambda x, y: function(x, y, "full"), rows, {}), function.__name__)  # noqa: B023


TRANSPOSED = {  # numbers along each axis, weights along each, (stride, padding, output padding, groups, dilation)
    "padded away": ((3,), (2,), (1, 2, 0, 1, 3)),
    "in steps": ((3,), (3,), (2, 1, 1, 2, 1)),
    "apart": ((4,), (3,), (4, 0, 2, 1, 2)),
    "unreached": ((2,), (1,), (3, 1, 0, 1, 1)),
    "images": ((2, 3), (3, 2), ((2, 1), (1, 0), 0, 3, (1, 2))),
    "volumes": ((2, 1, 2), (1, 2, 2), (2, 0, 1, 2, 1)),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions_give_pytorchs_numbers_and_slopes(name, bias):
    torch = pytest.importorskip("torch")
    numbers, weights, settings = TRANSPOSED[name]
    function = getattr(torch.nn.functional, f"conv_transpose{len(numbers)}d")
    groups = settings[3]
    shapes = [(2, groups * 2, *numbers), (groups * 2, 2, *weights), (groups * 2,)][: 2 + bias]
    given = [torch.from_numpy(GENERATOR.normal(size=shape)) for shape in shapes]

    def total(x, weight, bias=None):
        return function(x, weight, bias, *settings).pow(2).sum()

    with torch.no_grad():
        working = record_function(total, [a.clone() for a in given], {})
    opened_at_every_place(working, "convolution")
    assert working.unfollowed() == []
    slopes_are_autograds(torch, total, given, working)


def slopes_are_autograds(torch, total, given, working):
    leaves = [a.clone().requires_grad_() for a in given]
    total(*leaves).backward()
    paths = [working.path(working.argument_parts[str(place)].step) for place in range(len(given))]
    slopes = gradient(working, working.path(working.result_parts.step), paths)
    for path, leaf in zip(paths, leaves, strict=True):
        np.testing.assert_allclose(slopes[f"gradient.{path.replace('.', '_')}"].value, leaf.grad.numpy(), atol=1e-10)


@pytest.mark.parametrize(("mode", "padding"), [("full", 2), ("same", 1), ("valid", 0)])
def test_slopes_of_convolutions_of_rows_are_autograds(mode, padding):
    torch = pytest.importorskip("torch")
    rows = [GENERATOR.normal(size=n) for n in (5, 3)]
    for function, turned in ((np.convolve, True), (np.correlate, False)):
        working = record_function(lambda x, y: (function(x, y, mode) ** 2).sum(), rows, {})  # noqa: B023

        def total(x, y):
            weights = (y.flip(0) if turned else y)[None, None]  # noqa: B023
            return torch.nn.functional.conv1d(x[None, None], weights, padding=padding).pow(2).sum()

        slopes_are_autograds(torch, total, [torch.from_numpy(row) for row in rows], working)


CROSSED = {
    "vectors": ((3,), (3,), {}),
    "many": ((4, 1, 3), (2, 3), {}),
    "columns": ((3, 4), (3, 4), {"axis": 0}),
    "each its own axis": ((3, 4), (4, 3), {"axisa": 0, "axisc": 0}),
    "in the plane": ((4, 2), (2,), {}),
    "one in the plane": ((2,), (4, 3), {}),
}


@pytest.mark.parametrize("name", CROSSED)
def test_cross_products_are_numpys(name):
    first, second, settings = CROSSED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2 still takes vectors in the plane
        working = record_function(
            lambda x, y: np.cross(x, y, **settings), [GENERATOR.normal(size=first), GENERATOR.normal(size=second)], {}
        )
    opened_at_every_place(working, "cross")
    assert working.unfollowed() == []


def test_slopes_of_a_cross_product_are_autograds():
    torch = pytest.importorskip("torch")
    given = [torch.from_numpy(GENERATOR.normal(size=shape)) for shape in ((2, 3, 4), (1, 3, 4))]

    def total(x, y):
        return torch.linalg.cross(x, y, dim=1).pow(2).sum()

    with torch.no_grad():
        working = record_function(total, [a.clone() for a in given], {})
    slopes_are_autograds(torch, total, given, working)
    other = record_function(lambda x, y: (np.cross(x, y, axis=1) ** 2).sum(), [a.numpy() for a in given], {})
    slopes_are_autograds(torch, total, given, other)


def test_their_formulas():
    assert formula("c = np.convolve(a, v)").text == "c = a ∗ v"
    assert formula("c = np.convolve(a, v)").latex == r"c = a \ast v"
    assert formula('c = np.convolve(a, v, mode="same")').text == "c = convolve(a, v, mode = same)"
    assert formula("n = np.cross(a, b)").text == "n = a × b"
    assert formula("n = convolve(a, v)").text == "n = convolve(a, v)"  # a function of one's own


def test_what_is_left_of_a_long_sum_of_complex_products_is_complex():
    row = np.arange(20) * (1 + 1j)
    (text,) = lines(lambda x, y: np.correlate(x, y, "valid"), row, np.ones(20))
    assert text.endswith("… (16 more, together 120.00 + 120.00i) = 190.00 + 190.00i")
