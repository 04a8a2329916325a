"""The backward pass worked out, against PyTorch's autograd and against differences."""

import numpy as np
import pytest

from workings import equations as eq
from workings.reading.gradient import gradient
from workings.reading.slope_rules import NoGradient
from workings.recording.program import Program
from workings.recording.running import record_function
from workings.recording.working import Source


def numeric(function, arguments, name, step=1e-6):
    base = {k: np.array(v, dtype=float) for k, v in arguments.items()}
    out = np.zeros_like(base[name])
    for place in np.ndindex(out.shape):
        sides = []
        for sign in (1, -1):
            moved = {k: v.copy() for k, v in base.items()}
            moved[name][place] += sign * step
            sides.append(float(function(**moved)))
        out[place] = (sides[0] - sides[1]) / (2 * step)
    return out


RNG = np.random.default_rng(7)
A, B, V = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 5)), RNG.normal(size=5)
FUNCTIONS = {
    "matmul": (lambda a, b: ((a @ b) ** 2).sum(), {"a": A, "b": B}),
    "einsum": (lambda a, b: np.einsum("ij,jk->", a, b), {"a": A, "b": B}),
    "broadcast": (lambda a, v: (a[:, :1] * v + v / 3 - a.sum()).sum(), {"a": A, "v": V}),
    "functions": (lambda v: (np.exp(v) + np.sin(v) * np.cos(v) + np.tanh(v)).sum(), {"v": V}),
    "roots and logarithms": (lambda v: (np.log(v**2 + 1) + np.sqrt(v**2 + 1)).sum(), {"v": V}),
    "reductions": (lambda a: a.mean(axis=0).var() + np.linalg.norm(a) + a.max(axis=1).sum() + a.prod(), {"a": A}),
    "deviation": (lambda a: a.std(), {"a": A}),
    "movements": (lambda a: (np.concatenate([a, a[::-1]]).T.reshape(-1)[[0, 0, 3]] ** 3).sum(), {"a": A}),
    "power": (lambda a, v: (np.abs(v) ** a[0, 0]).sum(), {"a": A, "v": V}),
    "choices": (lambda v: np.where(v > 0, v**2, v).sum() + np.maximum(v, 0.1).sum(), {"v": V}),
    "limits": (lambda v: np.clip(v, -1, 1).sum(), {"v": V}),
    "cumulative": (lambda v: (np.cumsum(v) ** 2).sum(), {"v": V}),
}  # fmt: skip


def written_in_place(a):
    out = np.zeros(3)
    for i in range(3):
        out[i] = a[i] @ a[0]
    out[1] += out[0] ** 2
    return out.sum()


FUNCTIONS["in place"] = (written_in_place, {"a": A})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_slopes_agree_with_differences(name):
    function, arguments = FUNCTIONS[name]
    working = record_function(function, [], {k: v.copy() for k, v in arguments.items()})
    result = working.path(working.result_parts.step)
    for argument in arguments:
        path = working.path(working.argument_parts[argument].step)
        slopes = gradient(working, result, [path])
        found = slopes[f"gradient.{path.replace('.', '_')}"].value
        np.testing.assert_allclose(found, numeric(function, arguments, argument), rtol=1e-6, atol=1e-8)


def test_a_whole_block_agrees_with_autograd():
    torch = pytest.importorskip("torch")
    shapes = {
        "X": (5, 3),
        "W_Q": (3, 3),
        "gain": (3,),
        "bias": (3,),
        "W_1": (7, 3),
        "b_1": (7,),
        "W_2": (11, 7),
        "b_2": (11,),
    }
    given = {name: RNG.normal(size=shape) for name, shape in shapes.items()}
    targets = np.array([1, 2, 3, 4, 10])
    program = Program(Source("example", "block"))
    box = {name: program.given(name, value.copy()) for name, value in given.items()}
    queries = program.call(np.matmul, box["X"], box["W_Q"])
    mixed = program.call(
        eq.attention, queries, box["X"], box["X"], eq.causal_mask(5, np.zeros(1)), names=("mixed", "")
    )[0]
    normed = program.call(eq.layer_norm, program.call(np.add, mixed, box["X"]), box["gain"], box["bias"])
    weights = [box[n] for n in ("W_1", "b_1", "W_2", "b_2")]
    logits = program.call(eq.feed_forward, normed, *weights, activation=eq.gelu)
    program.call(eq.cross_entropy, logits, targets, label_smoothing=0.1, reduction="sum", names="loss")
    slopes = gradient(program.finish(), "loss", list(given))

    tensors = {name: torch.tensor(value, requires_grad=True) for name, value in given.items()}
    F = torch.nn.functional
    mask = torch.full((5, 5), float("-inf"), dtype=torch.float64).triu(1)
    X = tensors["X"]
    weights = torch.softmax(X @ tensors["W_Q"] @ X.T / 3**0.5 + mask, -1)
    normed = F.layer_norm(weights @ X + X, (3,), tensors["gain"], tensors["bias"])
    logits = F.gelu(normed @ tensors["W_1"].T + tensors["b_1"]) @ tensors["W_2"].T + tensors["b_2"]
    F.cross_entropy(logits, torch.from_numpy(targets), label_smoothing=0.1, reduction="sum").backward()
    for name, tensor in tensors.items():
        np.testing.assert_allclose(slopes[f"gradient.{name}"].value, tensor.grad.numpy(), rtol=0, atol=1e-12)


def test_a_working_is_asked_for_its_slopes():
    working = record_function(lambda w, x: (w * x) ** 2, [], {"w": 3.0, "x": 2.0})
    slopes = working.gradient(working.path(working.result_parts.step), [working.path(working.argument_parts["w"].step)])
    assert slopes.bindings[-1].name.endswith("w")
    assert float(slopes.value(slopes.bindings[-1].ref)) == 24.0  # 2 (w x) x = 2 · 6 · 2


def test_a_slope_is_of_one_number():
    working = record_function(lambda a: a * 2, [], {"a": A.copy()})
    with pytest.raises(ValueError, match="one number"):
        gradient(working, "multiply")


def test_what_cannot_be_followed_is_named():
    working = record_function(lambda a: np.linalg.svd(a)[1].sum(), [], {"a": A.copy()})
    with pytest.raises(NoGradient, match=r"svd|opaque"):
        gradient(working, working.path(working.result_parts.step))
