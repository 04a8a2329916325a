"""Models laid out for writing: the same numbers in float32 and float64, and a bounded error in fewer bits."""

from __future__ import annotations

import copy

import pytest
import torch
from tests.transformer.support import CHOICES, made, tokens
from torch import Tensor
from torch.nn import functional

from workings.generation import GREEDY, Beams, Sampling, beam_search, generate, quicken
from workings.generation.decoding import Decoding
from workings.generation.layouts import BlockedLinear, HalfLinear, Int8Linear, PackedLinear, StridedLinear
from workings.transformer import Rotary

FLOAT64 = {"rtol": 1e-11, "atol": 1e-11}
FLOAT32 = {"rtol": 1e-4, "atol": 1e-4}
"""Of models whose weights are far from their start, with logits of about 10."""

ROWS = pytest.mark.parametrize("rows", [1, 4])


@ROWS
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_gives_the_same_logits(name: str, dtype: torch.dtype, rows: int) -> None:
    model = made("decoder-only", **CHOICES[name]).to(dtype)
    batch = tokens(3, 5)
    with torch.no_grad():
        found, expected = quicken(model, "float32", rows)(batch), model(batch)
    torch.testing.assert_close(found, expected, **(FLOAT64 if dtype == torch.float64 else FLOAT32))


@ROWS
@pytest.mark.parametrize("shape", ["encoder-only", "encoder-decoder"])
def test_every_shape_gives_the_same_logits(shape: str, rows: int) -> None:
    model = made(shape).float()
    batch = [tokens(3, 5)] if shape == "encoder-only" else [tokens(3, 5), tokens(3, 4, seed=8)]
    with torch.no_grad():
        torch.testing.assert_close(quicken(model, "float32", rows)(*batch), model(*batch), **FLOAT32)


@ROWS
def test_the_same_text(rows: int) -> None:
    model = made("decoder-only", positions=Rotary()).float()
    quick = quicken(model, "float32", rows)
    prompts = [[3, 1, 4], [1, 5, 9, 2, 6], [5]]
    for sampling in (GREEDY, Sampling(top_k=5)):
        expected = generate(model, prompts, sampling, length=20)
        found = generate(quick, prompts, sampling, length=20)
        assert min(row.margin for row in expected) > 1e-5
        assert [row.tokens for row in found] == [row.tokens for row in expected]


def test_the_same_beams() -> None:
    model = made("encoder-decoder", positions=Rotary()).float()
    options = {"sources": [[7, 1, 2], [5]], "best": 3, "length": 8}
    expected = beam_search(model, [[1], [1]], [0], Beams(count=3), **options)
    found = beam_search(quicken(model, "float32", rows=6), [[1], [1]], [0], Beams(count=3), **options)
    assert [[each.tokens for each in row] for row in found] == [[each.tokens for each in row] for row in expected]


@pytest.mark.parametrize("weights", ["float32", "float16", "int8"])
def test_the_model_is_left_as_it_was(weights: str) -> None:
    model = made("decoder-only").float().train()
    before = copy.deepcopy(model.state_dict())
    batch = tokens(2, 5)
    with torch.no_grad():
        expected = model(batch)
        quick = quicken(model, weights)
        quick(batch)
    assert model.training
    assert not quick.training
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert torch.equal(model(batch), expected)
    # What is not laid out anew is not held twice.
    assert quick.embedding.weight is model.embedding.weight


def layer(outputs: int = 24, inputs: int = 17, seed: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    weight, bias, x = (
        torch.randn(*shape, generator=generator) for shape in ((outputs, inputs), (outputs,), (2, 3, inputs))
    )
    return weight * 0.2, bias, x


@pytest.mark.parametrize("kind", [StridedLinear, BlockedLinear, PackedLinear])
@pytest.mark.parametrize("sizes", [(24, 17), (17, 24)])
def test_layouts_of_float32(
    kind: type[StridedLinear] | type[BlockedLinear] | type[PackedLinear], sizes: tuple[int, int]
) -> None:
    weight, bias, x = layer(*sizes)
    if kind is PackedLinear and not PackedLinear.fits(weight):
        pytest.skip("this machine has no packed kernels")
    exact = functional.linear(x.double(), weight.double(), bias.double())
    with torch.inference_mode():
        torch.testing.assert_close(kind(weight, bias)(x).double(), exact, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(kind(weight, None)(x).double(), exact - bias.double(), rtol=1e-5, atol=1e-6)
        many = x.repeat(9, 1, 1)
        torch.testing.assert_close(kind(weight, bias)(many).double(), exact.repeat(9, 1, 1), rtol=1e-5, atol=1e-6)


def test_float16_rounds_the_weights_and_nothing_else() -> None:
    weight, bias, x = layer()
    exact = functional.linear(x.double(), weight.half().double(), bias.double())
    torch.testing.assert_close(HalfLinear(weight, bias)(x).double(), exact, rtol=1e-5, atol=1e-6)


def test_int8_errs_no_more_than_its_steps() -> None:
    weight, bias, x = layer()
    exact = functional.linear(x.double(), weight.double(), bias.double())
    found = Int8Linear(weight, bias)(x).double()
    # Each weight and each input is at most half a step away from its own number.
    weight_step = weight.abs().amax(dim=1).double() / 127
    input_step = (x.max().clamp(min=0) - x.min().clamp(max=0)).double() / 127
    of_inputs = weight.abs().sum(dim=1).double() * input_step / 2
    of_weights = x.abs().sum(dim=-1, keepdim=True).double() * weight_step / 2
    both = weight.shape[1] * weight_step * input_step / 4
    assert bool(((found - exact).abs() <= (of_inputs + of_weights + both) * 1.001).all())
    assert 0.001 < (found - exact).abs().max() < 0.1


def test_a_row_of_zeros_can_be_quantised() -> None:
    weight, bias, x = layer()
    weight[3] = 0.0
    assert Int8Linear(weight, bias)(x)[..., 3].allclose(bias[3])


@pytest.mark.parametrize("weights", ["float16", "int8"])
def test_fewer_bits_stay_near(weights: str) -> None:
    model = made("decoder-only", positions=Rotary(), width=48, heads=4).float()
    batch = tokens(4, 9)
    with torch.no_grad():
        found, expected = quicken(model, weights)(batch), model(batch)
    distance = (found - expected).norm() / expected.norm()
    assert 0 < distance < {"float16": 2e-3, "int8": 0.1}[weights]


def test_what_cannot_be_quantised_is_refused() -> None:
    model = made("decoder-only")
    for weights in ("int8", "float16"):
        with pytest.raises(ValueError, match=r"made from float32 on the CPU; found torch\.float64 on cpu"):
            quicken(model, weights)
    with pytest.raises(ValueError, match="weights is 'int4'"):
        quicken(model, "int4")


@pytest.mark.parametrize("equal", [True, False], ids=["equal rows", "unequal rows"])
@pytest.mark.parametrize("shape", ["decoder-only", "encoder-decoder"])
@pytest.mark.parametrize("name", CHOICES)
def test_steps_give_the_same_logits(name: str, shape: str, equal: bool) -> None:
    """Token by token, rows moved about as beams are, and prompts that end, against the model's own cache."""
    model = made(shape, **CHOICES[name])
    prompts = [[3, 1, 4], [1, 5, 9]] if equal else [[3, 1], [1, 5, 9, 2]]
    sources = [[7, 1, 2], [5]] if shape == "encoder-decoder" else None
    with torch.inference_mode():
        ours = Decoding(quicken(model), prompts, sources, copies=2, room=6)
        plain = Decoding(model, prompts, sources, copies=2, room=6)
        torch.testing.assert_close(ours.logits, plain.logits, **FLOAT64)
        for new, rows in (([3, 7, 2, 8], [0, 0, 3, 2]), ([1, 2, 3, 4], [2, 3]), ([5, 6], [1, 0]), ([6, 2], None)):
            for decoding in (ours, plain):
                decoding.step(torch.tensor(new))
                if rows is not None:
                    decoding.reorder(torch.tensor(rows))
            torch.testing.assert_close(ours.logits, plain.logits, **FLOAT64)


@pytest.mark.parametrize("weights", ["float16", "int8"])
def test_steps_in_fewer_bits_are_those_of_the_whole(weights: str) -> None:
    model = quicken(made("decoder-only", positions=Rotary()).float(), weights)
    with torch.inference_mode():
        decoding = Decoding(model, [[3, 1, 4]], None, 1, 2)
        decoding.step(torch.tensor([5]))
        whole = model(torch.tensor([[3, 1, 4, 5]]))[:, -1]
    # The inputs of a layer share a scale, which differs where more tokens are read at once.
    torch.testing.assert_close(decoding.logits, whole, rtol=0.0, atol=1e-5 if weights == "float16" else 1.0)
    assert torch.corrcoef(torch.cat([decoding.logits, whole]))[0, 1] > 0.99


def test_many_keys() -> None:
    model = made("decoder-only", positions=Rotary(), context=200)
    with torch.inference_mode():
        ours, plain = (Decoding(each, [[3, 1] * 63], None, 1, 9) for each in (quicken(model), model))
        for token in (3, 1, 4, 1, 5):
            for decoding in (ours, plain):
                decoding.step(torch.tensor([token]))
            torch.testing.assert_close(ours.logits, plain.logits, **FLOAT64)
