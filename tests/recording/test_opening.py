"""Opening a composite step: its equation on the very numbers it had, against PyTorch's and NumPy's own results."""

import numpy as np
import pytest

from workings.recording.opening import open_step
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
