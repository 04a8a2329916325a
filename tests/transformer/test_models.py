"""The weights that models start from, other dtypes, and what surrounds a model in use."""

from __future__ import annotations

import copy
import math
from typing import Any, ClassVar

import pytest
import torch
from tests.transformer.support import CHOICES, SHAPES, SOME, configured, made, tokens
from torch.nn import functional

from workings.transformer import (
    GEGLU,
    Biases,
    Config,
    DecoderOnly,
    EncoderDecoder,
    EncoderOnly,
    Learned,
    NormalStart,
    PostNorm,
    Rotary,
    SeparateOutput,
    Sinusoidal,
    TiedOutput,
    XavierStart,
    build,
)


def run(model: Any) -> torch.Tensor:
    if model.config.shape == "encoder-decoder":
        return model(tokens(3, 7), tokens(3, 5, seed=6), torch.tensor([7, 4, 1]))
    return model(tokens(3, 7), torch.tensor([7, 4, 1]))


class TestStart:
    sizes: ClassVar[dict[str, Any]] = {"vocabulary": 500, "width": 60, "heads": 5, "inner_width": 160}

    def test_normal(self) -> None:
        """GPT-2's: deviation 0.02, divided by √(2 N) in what adds to the residual. Radford et al. (2019)."""
        model = DecoderOnly(Config(**self.sizes, decoder_layers=8, positions=Learned(), output=SeparateOutput()))
        block = model.stack.blocks[3]
        plain = [model.embedding, model.stack.positions, model.output, block.attention.projections]
        for module in (*plain, block.feed_forward.widen):
            assert module.weight.std().item() == pytest.approx(0.02, rel=0.05)
        for module in (block.attention.output, block.feed_forward.narrow):
            assert module.weight.std().item() == pytest.approx(0.02 / math.sqrt(16), rel=0.05)
            assert module.bias.abs().max() == 0.0
        assert torch.equal(block.attention_norm.weight, torch.ones(60))

    def test_normal_with_a_memory(self) -> None:
        model = EncoderDecoder(Config(**self.sizes, encoder_layers=2, decoder_layers=3, start=NormalStart(0.1)))
        assert model.encoder.blocks[0].attention.output.weight.std().item() == pytest.approx(0.1 / 2, rel=0.05)
        for part in ("attention", "cross_attention"):
            deviation = getattr(model.decoder.blocks[0], part).output.weight.std().item()
            assert deviation == pytest.approx(0.1 / 3, rel=0.05)

    @pytest.mark.parametrize(("start", "deviation"), [(NormalStart(), 0.02), (XavierStart(), 60**-0.5)])
    def test_embeddings_start_alike_whether_they_are_scaled_or_not(
        self, start: NormalStart | XavierStart, deviation: float
    ) -> None:
        model = DecoderOnly(Config(**self.sizes, decoder_layers=1, scaled_embeddings=True, start=start))
        assert model.embedding.weight.std().item() == pytest.approx(deviation, rel=0.03)

    def test_xavier(self) -> None:
        """Uniform up to √(6 / (in + out)) of each matrix by itself, however they are packed. Glorot (2010)."""
        config = Config(**self.sizes, encoder_layers=1, decoder_layers=1, feed_forward=GEGLU(), start=XavierStart())
        model = EncoderDecoder(config)
        block = model.decoder.blocks[0]
        square = math.sqrt(6 / 120)
        for part in (*block.attention.projections.weight.chunk(3), *block.cross_attention.keys_values.weight.chunk(2)):
            assert part.abs().max().item() == pytest.approx(square, rel=0.01)
        for part in block.feed_forward.widen.weight.chunk(2):
            assert part.abs().max().item() == pytest.approx(math.sqrt(6 / 220), rel=0.01)

    @pytest.mark.parametrize("placement", ["pre", "post"])
    @pytest.mark.parametrize("positions", ["rotary", "sinusoidal", "learned"])
    def test_the_first_loss_is_near_that_of_guessing(self, placement: str, positions: str) -> None:
        data = self.sizes | {"decoder_layers": 3, "placement": placement, "positions": positions}
        torch.manual_seed(0)
        model = DecoderOnly(Config.from_dict(data))
        batch = torch.randint(0, 500, (4, 32))
        loss = functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        assert loss.item() == pytest.approx(math.log(500), abs=0.15)

    def test_the_seed_decides(self) -> None:
        weights = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            weights.append(build(configured("decoder-only")).embedding.weight)
        assert torch.equal(weights[0], weights[1])
        assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("choice", SOME)
def test_bfloat16(choice: str, shape: str) -> None:
    """All of a model in bfloat16, and a float32 model under autocast, with gradients: near the float32 result."""
    torch.manual_seed(0)
    model = build(configured(shape, **CHOICES[choice]))
    expected = run(model)
    found = run(copy.deepcopy(model).bfloat16())
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.float(), expected, atol=0.02, rtol=0.05)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = run(model)
    torch.testing.assert_close(found.float(), expected, atol=0.02, rtol=0.05)
    found.float().sum().backward()


def test_a_cache_under_autocast() -> None:
    model = build(configured("decoder-only"))
    assert isinstance(model, DecoderOnly)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        cache, lengths = model.cache(3, 9), torch.tensor([5, 2, 4])
        model(tokens(3, 5), lengths, cache)
        assert model(tokens(3, 1), cache=cache).shape == (3, 1, 13)


@pytest.mark.parametrize("positions", [Sinusoidal(), Rotary(), Learned()])
def test_training_goes_on_after_inference(positions: Any) -> None:
    model = build(configured("decoder-only", positions=positions))
    with torch.inference_mode():
        run(model)
    run(model).sum().backward()
    assert model.embedding.weight.grad is not None


@pytest.mark.parametrize("shape", SHAPES)
def test_every_weight_gets_a_gradient(shape: str) -> None:
    """Data parallel training waits for each of them."""
    for changes in ({}, {"classes": 3, "output": SeparateOutput()}, {"source_vocabulary": 17}):
        if ("classes" in changes and shape != "encoder-only") or (
            "source_vocabulary" in changes and "r-d" not in shape
        ):
            continue
        model = made(shape, **changes)
        run(model).square().sum().backward()
        assert [name for name, weight in model.named_parameters() if weight.grad is None] == []


@pytest.mark.parametrize(
    ("choice", "shape"),
    [("rotary, adjacent", "decoder-only"), ("window", "encoder-decoder")],
)
def test_compiles_in_one_piece(choice: str, shape: str) -> None:
    model = made(shape, **CHOICES[choice])
    torch.testing.assert_close(run(torch.compile(model, backend="eager", fullgraph=True)), run(model))


def test_weights_are_saved_by_name_and_nothing_else() -> None:
    """Tables of positions are computed, and what is tied is there once."""
    model = made("encoder-decoder", positions=Sinusoidal(), output=TiedOutput(bias=True), biases=Biases.none())
    names = set(model.state_dict())
    assert names == {name for name, _ in model.named_parameters()}
    assert {"embedding.weight", "output_bias", "decoder.blocks.1.cross_attention.keys_values.weight"} <= names
    other = build(model.config).double().eval()
    other.load_state_dict(model.state_dict())
    assert torch.equal(run(other), run(model))


def test_states_give_the_logits() -> None:
    model = made("decoder-only", output=TiedOutput(bias=True, scale=0.3), placement=PostNorm())
    states = model.states(tokens(3, 7))
    torch.testing.assert_close(states @ model.output_weight.T + model.output_bias, model(tokens(3, 7)))
    classes = made("encoder-only", classes=3)
    assert isinstance(classes, EncoderOnly)
    assert classes.output_weight.shape == (3, 12)


@pytest.mark.parametrize("wrong", [-1, 13, 999])
def test_a_token_outside_the_vocabulary_is_named(wrong: int) -> None:
    said = rf"the tokens hold {wrong} at \[1, 2\]; expected numbers from 0 to 12, a vocabulary of 13"
    row = torch.tensor([[1, 2, 3], [4, 5, wrong]])
    with pytest.raises(ValueError, match=said):
        made("decoder-only")(row)
    with pytest.raises(ValueError, match=said):
        made("encoder-decoder")(row, row[:, :2])
