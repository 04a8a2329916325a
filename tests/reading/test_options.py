"""Options of layers, losses and reductions: every number has its arithmetic, and slopes agree with autograd."""

import itertools
import math

import numpy as np
import pytest

from workings.reading.formula import formula
from workings.reading.gradient import gradient
from workings.recording.running import record_function

torch = pytest.importorskip("torch")
F = torch.nn.functional
D = torch.float64


def _draw(*shape):
    return torch.randn(*shape, dtype=D, generator=_GENERATOR)


_GENERATOR = torch.Generator().manual_seed(0)
X, W, B = _draw(3, 4), _draw(4).abs() + 0.5, _draw(4)
SIGNAL, KERNEL, KERNEL_BIAS, PAIRWISE = _draw(2, 3, 6), _draw(2, 3, 2), _draw(2), _draw(6, 1, 2)
CHANNELS, Q, MASK = _draw(2, 4, 5), _draw(1, 3, 4), _draw(1, 3, 3)
Y, CLASSES = torch.tensor([1, 3, 0]), _draw(4).abs() + 0.5
YES = (X > 0).double()
SEEN = torch.tensor([[True, False, False], [True, True, False], [False, True, True]])


def kept_averages(x, w, b):
    mean, variance = torch.zeros(4, dtype=D), torch.ones(4, dtype=D)
    return F.batch_norm(x, mean, variance, w, b, training=True, momentum=0.3) * x


LAYERS = {
    "batch_norm in training": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True).pow(2) * x, (X, W, B)),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, B / 9, W * 2, w, b, False) * x, (X, W, B)),
    "batch_norm that keeps averages": (kept_averages, (X, W, B)),
    "batch_norm of images": (lambda c: F.batch_norm(c, None, None, W, None, True).pow(3), (CHANNELS,)),
    "convolution with bias": (
        lambda x, k, b: F.conv1d(x, k, b, padding=1, stride=2).pow(2), (SIGNAL, KERNEL, KERNEL_BIAS),
    ),
    "convolution, dilated": (lambda x, k: F.conv1d(x, k, dilation=2, padding=1).pow(2), (SIGNAL, KERNEL)),
    "convolution in groups": (lambda x, k: F.conv1d(x, k, torch.ones(6, dtype=D), groups=3).pow(2), (SIGNAL, PAIRWISE)),
    "attention, added mask": (lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m).pow(2), (Q, MASK)),
    "attention, flags": (
        lambda q: F.scaled_dot_product_attention(q, q, q, attn_mask=SEEN, scale=0.3).pow(2), (Q,),
    ),
    "group_norm": (lambda c, w, b: F.group_norm(c, 2, w, b).pow(2) * c, (CHANNELS, W, B)),
    "instance_norm": (lambda c, w, b: F.instance_norm(c, weight=w, bias=b).pow(2) * c, (CHANNELS, W, B)),
    "layer_norm without bias": (lambda x, w: F.layer_norm(x, (4,), w).pow(2), (X, W)),
    "layer_norm over two axes": (lambda x: F.layer_norm(x, (3, 4)).pow(3), (X,)),
    "rms_norm": (lambda x, w: F.rms_norm(x, (4,), w, eps=1e-3), (X, W)),
    "cross_entropy, weights": (lambda x: F.cross_entropy(x, Y, weight=CLASSES), (X,)),
    "cross_entropy, all": (
        lambda x: F.cross_entropy(x, Y, weight=CLASSES, label_smoothing=0.2, reduction="sum", ignore_index=3), (X,),
    ),
    "cross_entropy, soft": (lambda x: F.cross_entropy(x, torch.softmax(X * 2, -1)), (X,)),
    "nll_loss, each": (lambda x: F.nll_loss(F.log_softmax(x, -1), Y, CLASSES, reduction="none"), (X,)),
    "binary_cross_entropy": (lambda x: F.binary_cross_entropy(torch.sigmoid(x), YES, weight=CLASSES), (X,)),
    "the same of scores": (
        lambda x: F.binary_cross_entropy_with_logits(x, YES, weight=CLASSES, pos_weight=CLASSES * 2), (X,),
    ),
    "huber and smooth": (lambda x: F.huber_loss(x, YES, delta=0.5) + F.smooth_l1_loss(x, YES, beta=0.7), (X,)),
    "l1_loss": (lambda x: F.l1_loss(x, YES, reduction="sum"), (X,)),
    "kl_div": (lambda x: F.kl_div(F.log_softmax(x, -1), torch.softmax(X * 2, -1), reduction="batchmean"), (X,)),
    "norms": (lambda x: x.norm(dim=1, p=3) + x.norm(dim=1, p=float("inf")) + x.norm(dim=1, p=1), (X,)),
    "normalize": (lambda x: F.normalize(x, p=1, dim=1) + F.normalize(x, p=2.5, dim=0), (X,)),
    "deviations": (
        lambda x: torch.std_mean(x, dim=0)[0] * torch.var_mean(x, dim=0, correction=0)[1] + x.var((0, 1)), (X,),
    ),
    "quantile": (lambda x: torch.quantile(x, 0.3, dim=1), (X,)),
    "median": (lambda x: x.median(1).values + x.median(), (X,)),
    "hardtanh": (lambda x: F.hardtanh(x) + F.relu6(x * 4), (X,)),
    "hardswish": (lambda x: F.hardsigmoid(x * 2) * 3, (X,)),
    "mish and glu": (lambda x: F.mish(x)[:, :2] + F.glu(x), (X,)),
    "threshold": (lambda x: F.threshold(x, 0.1, 9.0), (X,)),
    "elu": (lambda x: F.elu(x, 0.7) + F.selu(x) + F.celu(x, 2.0), (X,)),
    "softplus": (lambda x: F.softplus(x, 2.0) + F.logsigmoid(x), (X,)),
    "gelu": (lambda x: F.gelu(x) + F.gelu(x, approximate="tanh"), (X,)),
    "leaky": (lambda x, w: F.leaky_relu(x, 0.2) + F.prelu(x, w) + F.silu(x), (X, W)),
    "pools": (lambda x: F.avg_pool1d(x, 3, 2, 1).pow(2) + F.max_pool1d(x, 2).pow(2), (SIGNAL,)),
    "running": (lambda x: torch.logcumsumexp(x, 1) + torch.cumsum(x, 0), (X,)),
    "addmm": (lambda x, w: torch.addmm(w, x, x.T @ x, beta=0.5, alpha=2), (X, W)),
    "distances": (lambda x, w: torch.cdist(x, x * 2 + 1).sum(1) + F.pairwise_distance(x, w[None], p=1.0), (X, W)),
    "similarity": (lambda x, w: F.cosine_similarity(x, w[None], dim=1), (X, W)),
    "rounded quotients": (
        lambda x, w: x * torch.div(x, w, rounding_mode="floor") + x.div(w, rounding_mode="trunc"), (X, W),
    ),
    "remainders": (lambda x, w: torch.fmod(x, w) + torch.remainder(x, w), (X, W)),
    "between": (lambda x, w: torch.lerp(x, w.expand(3, 4), 0.3) + torch.addcmul(x, x, w, value=2), (X, W)),
    "angles": (lambda x: torch.atan(x) + torch.asin(x / 9) + torch.acos(x / 9) + torch.hypot(x, x + 1), (X,)),
    "trace": (lambda x: (x @ x.T).trace() + torch.diagonal(x, 1).sum(), (X,)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_every_number_is_worked_out_and_slopes_are_autograds(name):
    layer, given = LAYERS[name]

    def function(*arguments):
        return layer(*arguments).sum()

    leaves = [a.clone().requires_grad_() for a in given]
    function(*leaves).backward()
    with torch.no_grad():
        working = record_function(function, [a.clone() for a in given], {})
    assert working.unfollowed() == []
    assert unexplained(working) == []
    arguments = [working.path(working.argument_parts[str(place)].step) for place in range(len(given))]
    slopes = gradient(working, working.path(working.result_parts.step), arguments)
    for path, leaf in zip(arguments, leaves, strict=True):
        found = np.asarray(slopes[f"gradient.{path.replace('.', '_')}"].value)
        # PyTorch takes a sixth in float32 on the way back through hardsigmoid.
        np.testing.assert_allclose(found, leaf.grad.numpy(), rtol=1e-7 if "hard" in name else 1e-9, atol=1e-12)


N = np.array([[1.5, -2.5, 7.0], [2.0, 0.5, 1.0]])
REDUCTIONS = {
    "max": lambda n: np.max(n, axis=1, where=n < 5, initial=-np.inf) + np.max(n, axis=1, initial=3.0),
    "min": lambda n: np.min(n, initial=-9.0) + np.min(n, where=n > 0, initial=9.0),
    "sum": lambda n: np.sum(n, axis=0, where=n > 1) + np.sum(n, where=n > 1, initial=10.0),
    "long sum": lambda n: np.sum(np.arange(40.0) * n[0, 0], initial=3.0),
    "prod": lambda n: np.prod(n, axis=1, where=[True, False, True], initial=2.0),
    "mean": lambda n: n.mean(axis=1, where=n > 0) + np.mean(n, where=n[0] > 0),
    "var": lambda n: np.var(n, axis=0, where=n > 0, keepdims=True) + np.std(n, where=n > 0, ddof=1),
    "about a mean": lambda n: np.std(n, axis=1, ddof=1, mean=n.mean(axis=1, keepdims=True), keepdims=True),
    "all and any": lambda n: np.all(n, axis=1, where=n > 1) & np.any(n > 6, where=n > 1),
    "norms": lambda n: np.linalg.norm(n, 3, axis=1) + np.linalg.norm(n, np.inf, axis=1) + np.linalg.norm(n, "fro"),
    "average": lambda n: np.average(n, axis=0, weights=[1.0, 3.0]) + np.average(n, weights=n * n),
    "percentile": lambda n: np.percentile(n, [30, 80]).sum() + np.percentile(n, 50, axis=1, keepdims=True),
    "quantile": lambda n: np.quantile(n, [[0.1, 0.2], [0.5, 1.0]], axis=1) + np.quantile(n, 0.3, method="lower"),
    "median": lambda n: np.median(n, axis=1, keepdims=True) + np.median(n),
    "kron and polyval": lambda n: np.kron(n, [[1.0, 2.0]])[:, :3] + np.polyval(n[0], n),
    "reduce": lambda n: np.add.reduce(n, axis=1, initial=5.0),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_numpys_options_are_worked_out(name):
    working = record_function(REDUCTIONS[name], [N.copy()], {})
    np.testing.assert_array_equal(working.value(working.result_parts), REDUCTIONS[name](N))
    assert unexplained(working) == []


def test_what_does_not_count_is_not_in_the_sum():
    def total(n):
        kept = np.sum(n, axis=1, where=n > 1)
        return kept

    working = record_function(total, [N.copy()], {})
    assert str(working.at("kept[0]")).splitlines()[0].startswith("kept[0] = 1.50 + 7.00 = 8.50")


def unexplained(working):
    """The elements, of the first few of each step, that have no arithmetic; each was held against its value."""
    return [
        (step.operation, place)
        for step in working.steps
        for place in itertools.islice(np.ndindex(*step.shape), 8)
        if any(words in _told(working, step, place) for words in ("origin not recorded", "not followed"))
    ]


def _told(working, step, place):
    address = working.path(step.number)
    return str(working.at(f"{address}[{', '.join(map(str, place))}]" if place else address))


ROUNDED = {
    "a sign of what is divided": (torch.fmod, "fmod(−7.00, 3.00) = −1.00"),
    "a sign of the divisor": (torch.remainder, "(−7.00) mod 3.00 = 2.00"),
    "rounded down": (lambda x, y: torch.div(x, y, rounding_mode="floor"), "(−7.00) // 3.00 = −3.00"),
    "cut off": (lambda x, y: x.div(y, rounding_mode="trunc"), "trunc(−7.00 / 3.00) = −2.00"),
    "not rounded": (lambda x, y: x.div(y, rounding_mode=None), "−7.00 / 3.00 ≈ −2.3333"),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_quotients_and_what_is_left_of_them(name):
    function, text = ROUNDED[name]
    quotient = record_function(function, [torch.tensor([-7.0]), torch.tensor([3.0])], {})
    assert _last_line(quotient).partition(" = ")[2] == text
    whole = record_function(function, [torch.tensor([-7]), torch.tensor([3])], {})
    assert "wrapped" not in _last_line(whole)


def _last_line(working):
    return str(working.at(f"{working.path(working.steps[-1].number)}[0]", depth=0))


def test_their_formulas():
    assert formula("r = torch.fmod(x, y)").text == "r = fmod(x, y)"
    assert formula("r = x.fmod(y) + x % y").text == "r = fmod(x, y) + x mod y"
    assert formula('q = torch.div(x, y, rounding_mode="floor")').text == "q = ⌊x / y⌋"
    assert formula('q = x.div(y, rounding_mode="trunc")').text == "q = trunc(x / y)"
    assert formula("q = x.div(y, rounding_mode=None)").text == "q = x / y"


M = np.array([[-1.0, 2.0, 4.0], [5.0, 7.0, 1.5]])
OPTIONS = {
    "trace beside the diagonal": (lambda x: np.trace(x, offset=1), ["2.00 + 1.50 = 3.50"]),
    "trace below it": (lambda x: x.trace(-1), ["5.00"]),
    "trace of axes the other way": (lambda x: np.trace(x, 1, 1, 0), ["5.00"]),
    "differences of differences": (lambda x: np.diff(x, n=2), ["2.00 − 3.00 = −1.00", "−5.50 − 2.00 = −7.50"]),
    "differences from a number": (
        lambda x: np.diff(x[0], prepend=0.5), ["−1.00 − 0.50 = −1.50", "2.00 − (−1.00) = 3.00", "4.00 − 2.00 = 2.00"],
    ),
    "differences to a column": (
        lambda x: np.diff(x[:, :1], append=[[1.0], [2.0]]), ["1.00 − (−1.00) = 2.00", "2.00 − 5.00 = −3.00"],
    ),
    "a product with a beginning": (lambda x: math.prod(x[0].tolist(), start=3), ["3×(−1.00)×2.00×4.00 = −24.00"]),
    "multiples of rows added": (
        lambda x: torch.ones(3, dtype=D).index_add(0, torch.tensor([0, 2]), torch.from_numpy(x[0, 1:]), alpha=2),
        ["1.00 + 4.00 = 5.00", "1.00", "1.00 + 8.00 = 9.00"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_functions_of_numpy_and_python(name):
    function, texts = OPTIONS[name]
    working = record_function(function, [M], {})
    step = working.steps[-1]
    for place, text in zip(np.ndindex(*step.shape), texts, strict=True):
        lines = working.at(f"{working.path(step.number)}{list(place) if place else ''}").lines
        assert lines[-1].text().partition(" = ")[2] == text
