"""Opening a composite step: its equation on the very numbers it had, against PyTorch's and NumPy's own results."""

import numpy as np
import pytest

import workings as wk
from workings.recording.opening import NotOpened, open_step
from workings.recording.operations.lowered import reductions
from workings.recording.operations.lowering import LOWERINGS, Plan
from workings.recording.running import record_function

RNG = np.random.default_rng(11)


def opened(function, operation, index=None, **arguments):
    working = record_function(function, [], arguments)
    step = next(s for s in working.steps if s.operation == operation and not s.output)
    inside = open_step(working, step.number, index)
    return working, step, inside


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (lambda x: x.mean(axis=1, keepdims=True), "mean"),
        (lambda x: x.var(axis=0), "var"),
        (lambda x: np.var(x, ddof=1), "var"),
        (lambda x: np.std(x, axis=-1, keepdims=True), "std"),
        (lambda x: np.linalg.norm(x, axis=1), "norm"),
        (lambda x: np.ptp(x, axis=1), "ptp"),
        (lambda x: np.linalg.inv(x @ x.T + np.eye(5)), "linalg_inv"),
        (lambda x: np.linalg.solve(x @ x.T + np.eye(5), x), "linalg_solve"),
        (lambda x: np.linalg.det(x @ x.T + np.eye(5)), "linalg_det"),
        (lambda x: np.diff(x, axis=0), "diff"),
    ],
)
def test_numpys_composites_open_to_the_same_numbers(function, operation):
    x = RNG.normal(size=(5, 3))
    working, step, inside = opened(function, operation, x=x)
    np.testing.assert_allclose(inside.working.value(inside.output), working.value(step.number), rtol=1e-12)


def test_one_element_opens_only_its_row():
    x = RNG.normal(size=(1000, 3))
    _, _, inside = opened(lambda x: x.mean(axis=1), "mean", (617,), x=x)
    assert inside.working.steps[0].shape == (1, 3)
    assert inside.working.element(inside.output) == pytest.approx(x[617].sum() / 3, rel=1e-14)


def test_fused_attention_opens_to_the_numbered_equation():
    torch = pytest.importorskip("torch")
    Q, K, V = (torch.tensor(RNG.normal(size=(2, 3, 5, 4))) for _ in range(3))

    def fused(Q, K, V):
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True)

    working, step, inside = opened(fused, "scaled_dot_product_attention", Q=Q, K=K, V=V)
    scores = np.einsum("bhik,bhjk->bhij", Q.numpy(), K.numpy()) / 2.0
    scores[..., np.triu(np.ones((5, 5), dtype=bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    np.testing.assert_allclose(inside.working["weights"].value, weights, atol=1e-14)
    assert np.all(inside.working["weights"].value[..., np.triu(np.ones((5, 5), dtype=bool), 1)] == 0)
    np.testing.assert_allclose(inside.working.value(inside.output), working.value(step.number).numpy(), atol=3e-15)


def test_grouped_heads_share_their_keys():
    torch = pytest.importorskip("torch")
    Q = torch.tensor(RNG.normal(size=(1, 4, 5, 2)))
    K, V = (torch.tensor(RNG.normal(size=(1, 2, 5, 2))) for _ in range(2))

    def fused(Q, K, V):
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V, enable_gqa=True)

    working = record_function(fused, [], {"Q": Q, "K": K, "V": V})
    expected = torch.nn.functional.scaled_dot_product_attention(Q, K.repeat_interleave(2, 1), V.repeat_interleave(2, 1))
    found = working.value(working.result_parts)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-14)


def test_layer_norm_opens_with_its_gain_and_bias():
    torch = pytest.importorskip("torch")
    x, gain, bias = (torch.tensor(RNG.normal(size=n)) for n in ((7, 3), (3,), (3,)))

    def fused(x, gain, bias):
        return torch.nn.functional.layer_norm(x, (3,), gain, bias, eps=1e-3)

    working, step, inside = opened(fused, "layer_norm", x=x, gain=gain, bias=bias)
    a = x.numpy()
    expected = (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-3) * gain.numpy() + bias.numpy()
    np.testing.assert_allclose(inside.working.value(inside.output), expected, atol=1e-13)
    np.testing.assert_allclose(working.value(step.number).numpy(), expected, atol=1e-13)


@pytest.mark.parametrize("learned", [("gain",), ("bias",), ("gain", "bias"), ()])
@pytest.mark.parametrize("axes", [1, 2])
def test_a_layer_normalisation_opens_with_what_it_has_learned(learned, axes):
    torch = pytest.importorskip("torch")
    shape = (4, 3)[2 - axes :]
    given = {name: torch.tensor(RNG.normal(size=shape)) for name in learned}

    def normalised(x):
        return torch.nn.functional.layer_norm(x, shape, given.get("gain"), given.get("bias"), 1e-3)

    x = torch.tensor(RNG.normal(size=(2, 4, 3)))
    working, step, inside = opened(normalised, "layer_norm", x=x)
    numbers, over = x.numpy(), tuple(range(3 - axes, 3))
    expected = (numbers - numbers.mean(over, keepdims=True)) / np.sqrt(numbers.var(over, keepdims=True) + 1e-3)
    expected = expected * given.get("gain", torch.ones(())).numpy() + given.get("bias", torch.zeros(())).numpy()
    np.testing.assert_allclose(inside.working.value(inside.output), expected, atol=1e-14)
    np.testing.assert_allclose(working.value(step.number).numpy(), expected, atol=1e-14)


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (lambda x: np.linalg.norm(x, 2), "norm"),  # the largest singular value
        (lambda x: np.linalg.norm(x, "nuc"), "norm"),  # the sum of all singular values
        (lambda x: np.kron(x, [1.0, 2.0]), "kron"),
        (lambda x: np.linalg.norm(x, 0, axis=1), "norm"),  # how many are not 0
        (lambda x: np.median(x, axis=(0, 1), keepdims=True), "median"),
    ],
)
def test_a_call_in_a_way_that_is_not_worked_out_says_so(function, operation):
    x = abs(RNG.normal(size=(5, 3))) * [1.0, -1.0, 1.0]
    working = record_function(function, [], {"x": x})
    step = next(s for s in working.steps if s.operation == operation)
    with pytest.raises(NotOpened, match=f"{operation} was called in a way that is not worked out here"):
        open_step(working, step.number)
    said = str(working.at(f"{working.path(step.number)}[{', '.join('0' for _ in step.shape)}]"))
    assert "was called in a way that is not worked out here" in said
    assert [(loss.kind, loss.step) for loss in working.unfollowed()] == [("opaque", step.number)]
    assert "Every number was followed" not in str(working)


def test_an_opening_of_another_shape_is_refused(monkeypatch):
    def whole(bound, index):
        return Plan(reductions.mean, {"x": bound.operand(0)}, {"axis": (0, 1), "keepdims": False, "count": 15})

    working = record_function(lambda x: x.mean(axis=0), [], {"x": RNG.normal(size=(5, 3))})
    monkeypatch.setitem(LOWERINGS, "mean", whole)
    with pytest.raises(NotOpened):
        open_step(working, next(s.number for s in working.steps if s.operation == "mean"))


def test_in_single_precision_too_a_line_must_give_its_number():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0, 4.0]])
    working = wk.show(lambda x: torch.linalg.vector_norm(x, 3.0, dim=1), x)
    said = str(working.at(f"{working.path(len(working.steps) - 1)}[0]"))
    assert "4.1793" in said  # the third root of 1 + 8 + 64
    assert "4.5826" not in said  # the root of 1 + 4 + 16
