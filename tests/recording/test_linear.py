"""``F.linear`` is one step where no gradient is asked for, and the operators below autograd everywhere else."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

import workings as wk
from workings.recording.running import record_function
from workings.recording.tensors.dispatch import Dispatch
from workings.recording.working import Working

X = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
WEIGHT = torch.tensor([[2.0, 0.0], [1.0, -1.0]])
BIAS = torch.tensor([0.5, -0.5])


def functions(working: Working) -> list[str]:
    return [step.function for step in working.steps if step.function]


def layer() -> nn.Linear:
    made = nn.Linear(2, 2)
    with torch.no_grad():
        made.weight.copy_(WEIGHT)
        assert made.bias is not None
        made.bias.copy_(BIAS)
    return made


def test_one_step_with_the_plain_numbers() -> None:
    model = layer()
    with torch.no_grad(), wk.record(model) as working:
        out = model(X)
    assert functions(working) == ["aten.linear.default"]
    # [1 2]·[2 0] + 0.5, [1 2]·[1 −1] − 0.5; and so on, by hand
    assert out.tolist() == [[2.5, -1.5], [6.5, 3.5], [1.5, -0.25]]
    assert working.steps[-1].value.tolist() == out.tolist()


def test_one_number_is_worked_out() -> None:
    model = layer()
    with torch.no_grad(), wk.record(model) as working:
        model(X)
    shown = str(working["output"].arithmetic(1, 0))
    assert "3.0" in shown
    assert "6.5" in shown


def test_without_a_bias_and_called_directly() -> None:
    with torch.no_grad(), wk.record() as working:
        out = F.linear(X, WEIGHT)
    assert functions(working) == ["aten.linear.default"]
    assert out.tolist() == [[2.0, -1.0], [6.0, 4.0], [1.0, 0.25]]


def test_a_replay_gives_what_the_layer_gives() -> None:
    model = layer()
    with torch.no_grad(), wk.record(model) as working:
        model(X)
    new = [[5.0, 1.0], [0.0, 0.0], [-1.0, 2.0]]
    with torch.no_grad():
        expected = model(torch.tensor(new))
    assert working.replay({"input": new}).value("output").tolist() == expected.tolist()


def test_a_change_in_place_is_followed() -> None:
    with torch.no_grad(), wk.record() as working:
        first = F.linear(X, WEIGHT)
        first.add_(1.0)
        second = F.linear(first, WEIGHT)
    by_hand = (X @ WEIGHT.T + 1.0) @ WEIGHT.T
    assert torch.equal(second, by_hand)
    last = working.steps[-1]
    assert working.steps[last.inputs[0].step].operation == "add"


def test_with_gradients_the_operators_are_recorded() -> None:
    model = layer()
    with wk.record(model) as working:
        model(X).sum().backward()
    assert "aten.addmm.default" in functions(working)
    assert "aten.linear.default" not in functions(working)
    assert model.weight.grad is not None
    assert model.weight.grad.tolist() == [[4.5, 1.25], [4.5, 1.25]]  # the sums of X's columns


def test_lower_precision_by_autocast_is_not_hidden() -> None:
    model = layer()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16), wk.record(model) as working:
        out = model(X)
    assert out.dtype is torch.bfloat16
    assert "aten.linear.default" not in functions(working)


class _Listener(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.heard: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.heard.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("outside", [True, False])
def test_somebody_else_who_listens_still_hears(outside: bool) -> None:
    listener = _Listener()
    model = layer()
    with torch.no_grad():
        if outside:
            with listener, wk.record(model):
                model(X)
        else:
            with wk.record(model), listener:
                model(X)
    assert "aten.addmm.default" in listener.heard


def test_the_function_is_given_back() -> None:
    before = F.linear
    with pytest.raises(RuntimeError), torch.no_grad(), wk.record():
        F.linear(X, torch.ones(3, 3))
    assert F.linear is before


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # PyTorch's own, for its forward mode
@pytest.mark.parametrize("function", [lambda t: F.linear(t, WEIGHT), lambda t: F.layer_norm(t, (2,)), F.gelu])
def test_mapped_or_differentiated_forwards_every_operator_is_recorded(function: Any) -> None:
    def run() -> tuple[torch.Tensor, torch.Tensor]:
        rows = torch.vmap(function)(X)
        with forward_ad.dual_level():
            tangent = forward_ad.unpack_dual(function(forward_ad.make_dual(X, X + 1.0))).tangent
        assert tangent is not None
        return rows, tangent

    plain = run()
    with torch.no_grad(), wk.record() as working:
        recorded = run()
    assert all(map(torch.equal, plain, recorded))
    assert "aten.linear.default" not in functions(working)
    values = [step.value for step in working.steps if step.function and isinstance(step.value, torch.Tensor)]
    assert any(torch.equal(value, recorded[1]) for value in values)


class Moves(nn.Module):
    """Operators and movements, which a followed source asks for by itself."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, width = x.shape
        turned = x.view(1, rows, width).permute(2, 0, 1).transpose(0, 2)
        mixed = (turned + x) * x - turned / (x * x)
        counts = torch.arange(width)
        return mixed.transpose(-2, -1).transpose(1, 2) * counts.view(1, 1, width) + torch.tensor(0.5).double()


class Another(TorchDispatchMode):
    """With somebody else listening, nothing is written down as a whole."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("parts", [(nn.LayerNorm(2), nn.GELU()), (Moves(),)])
@pytest.mark.parametrize("inference", [False, True])
def test_whole_calls_are_written_down_as_the_dispatch_mode_would(parts: tuple[nn.Module, ...], inference: bool) -> None:
    model = nn.Sequential(*parts).eval()

    def run(mode: AbstractContextManager[Any]) -> Working:
        with torch.inference_mode() if inference else torch.no_grad(), wk.record(model) as working, mode:
            model(X)
        return working

    with torch.no_grad():
        plain = model(X)
    whole, seen = run(nullcontext()), run(Another())  # type: ignore[no-untyped-call]
    assert torch.equal(whole["output"].value, plain)
    for one, other in zip(whole.steps, seen.steps, strict=True):
        assert (one.operation, one.function, one.inputs, one.arguments, one.keywords, one.output) == (
            other.operation, other.function, other.inputs, other.arguments, other.keywords, other.output,
        )  # fmt: skip
        assert np.array_equal(one.value, other.value)
    assert [(b.group, b.name, b.ref) for b in whole.bindings] == [(b.group, b.name, b.ref) for b in seen.bindings]


def test_a_call_that_pytorch_refuses_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    simple = Dispatch.simple

    def counted(self: Dispatch, operator: Any, call: Any, args: Any) -> Any:
        calls.append(operator.name)
        return simple(self, operator, call, args)

    monkeypatch.setattr(Dispatch, "simple", counted)
    with torch.no_grad(), pytest.raises(RuntimeError, match=r"shape '\[5\]' is invalid for input of size 6"):
        record_function(lambda x: x.view(5), [torch.ones(2, 3)], {})
    assert calls == ["aten.view.default"]
    with torch.no_grad(), pytest.raises(TypeError, match="invalid combination of arguments"):
        record_function(lambda x: x.view(), [torch.ones(1)], {})  # PyTorch wants a size, if an empty one
