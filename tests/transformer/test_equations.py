"""Every choice, fused, against the equations: values and gradients in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.transformer import reference
from tests.transformer.support import CHOICES, SOME, made, tokens
from torch import Tensor

from workings import equations
from workings.equations import (
    AttentionWeights,
    DecoderBlockWeights,
    EncoderBlockWeights,
    FeedForwardWeights,
    NormWeights,
)
from workings.transformer import Biases, Config, Dropout, Learned, NoPositions, PostNorm, PreNorm, Relu
from workings.transformer.blocks import make_block, make_cross_block
from workings.transformer.dropping import Dropout as Dropping
from workings.transformer.masks import Causal, KernelMask

TOLERANCE = 1e-10
EVERY = pytest.mark.parametrize("choice", CHOICES)
LENGTHS = torch.tensor([7, 4, 1])


def agree(model: Any, found: list[Tensor], expected: list[Tensor]) -> None:
    """The real rows' values, and the gradients of all weights of a weighted sum of them."""
    sums = []
    for rows in (found, expected):
        weighted = [(row * torch.linspace(-1.0, 1.0, row.numel()).reshape(row.shape).double()).sum() for row in rows]
        sums.append(torch.stack(weighted).sum())
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=TOLERANCE, atol=TOLERANCE)
    names, weights = zip(*model.named_parameters(), strict=True)
    ours, theirs = (torch.autograd.grad(total, weights, allow_unused=True) for total in sums)
    for name, one, other in zip(names, ours, theirs, strict=True):
        assert (one is None) == (other is None), name
        if one is not None:
            torch.testing.assert_close(
                one, other, rtol=TOLERANCE, atol=TOLERANCE, msg=lambda text, name=name: f"gradient of {name}: {text}"
            )


@EVERY
def test_decoder_only(choice: str) -> None:
    model = made("decoder-only", **CHOICES[choice])
    batch = tokens(3, 7)
    logits = model(batch, LENGTHS)
    expected = [reference.decoder_only(model, row[:length]) for row, length in zip(batch, LENGTHS, strict=True)]
    agree(model, [row[:length] for row, length in zip(logits, LENGTHS, strict=True)], expected)


@EVERY
def test_encoder_only(choice: str) -> None:
    model = made("encoder-only", **CHOICES[choice])
    batch = tokens(3, 7)
    logits = model(batch, LENGTHS)
    expected = [reference.encoder_only(model, row[:length]) for row, length in zip(batch, LENGTHS, strict=True)]
    agree(model, [row[:length] for row, length in zip(logits, LENGTHS, strict=True)], expected)


@EVERY
def test_encoder_decoder(choice: str) -> None:
    model = made("encoder-decoder", **CHOICES[choice])
    source, target = tokens(2, 7), tokens(2, 5, seed=6)
    source_lengths, target_lengths = torch.tensor([7, 3]), torch.tensor([2, 5])
    logits = model(source, target, source_lengths, target_lengths)
    expected = [
        reference.encoder_decoder(model, source[row, : source_lengths[row]], target[row, : target_lengths[row]])
        for row in range(2)
    ]
    agree(model, [row[:length] for row, length in zip(logits, target_lengths, strict=True)], expected)


def test_source_vocabulary_of_its_own() -> None:
    model = made("encoder-decoder", source_vocabulary=17)
    source, target = tokens(2, 6, vocabulary=17), tokens(2, 5)
    expected = [reference.encoder_decoder(model, source[row], target[row]) for row in range(2)]
    agree(model, list(model(source, target)), expected)


@pytest.mark.parametrize("choice", SOME)
def test_without_the_causal_mask(choice: str) -> None:
    model = made("decoder-only", causal=False, **CHOICES[choice])
    batch = tokens(3, 7)
    logits = model(batch, LENGTHS)
    expected = [reference.decoder_only(model, row[:length]) for row, length in zip(batch, LENGTHS, strict=True)]
    agree(model, [row[:length] for row, length in zip(logits, LENGTHS, strict=True)], expected)


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_classes(pooling: str) -> None:
    model = made("encoder-only", classes=3, pooling=pooling)
    batch = tokens(3, 7)
    expected = [reference.encoder_only(model, row[:length]) for row, length in zip(batch, LENGTHS, strict=True)]
    agree(model, list(model(batch, LENGTHS)), expected)
    torch.testing.assert_close(model(batch)[0], expected[0])


@pytest.mark.parametrize("placement", [PreNorm(), PostNorm()])
def test_dropout_falls_where_it_is_said_to(placement: PreNorm | PostNorm) -> None:
    model = made("decoder-only", dropout=Dropout(rate=0.3, inner=0.2), placement=placement).train()
    row = tokens(6)
    torch.manual_seed(3)
    logits = model(row[None])[0]
    torch.manual_seed(3)
    expected = reference.decoder_only(model, row, lambda x, share: Dropping(share)(x))
    agree(model, [logits], [expected])


def test_dropout_of_attention_weights() -> None:
    """With the values all 1, each output is the sum of what is left of a row's weights: its mean stays 1."""
    model = made("decoder-only", dropout=Dropout(attention=0.5), biases=Biases.none(), placement=PostNorm())
    score = model.stack.blocks[0].attention.score
    queries, ones = torch.randn(1, 3, 4000, 4).double(), torch.ones(1, 3, 16, 4).double()
    torch.testing.assert_close(score(queries, ones, ones, KernelMask(None, False)), torch.ones(1, 3, 4000, 4).double())
    dropped = score.train()(queries, ones, ones, KernelMask(None, False))
    # 12,000 sums of 16 weights of 1/16, each doubled or gone: standard deviation 1/4, of their mean 0.0023.
    assert abs(dropped[..., 0].mean() - 1.0) < 0.012
    assert abs(dropped[..., 0].std() - 0.25) < 0.02


class TestBlockEquations:
    """The blocks against equations (11) to (14) as they stand, with W^Q, W^K and W^V of every head."""

    config = Config(
        vocabulary=5,
        width=10,
        heads=5,
        encoder_layers=1,
        decoder_layers=1,
        inner_width=7,
        feed_forward=Relu(),
        positions=NoPositions(),
        biases=Biases(queries_keys_values=False, attention_output=False),
    )

    def heads(self, queries: Tensor, keys: Tensor, values: Tensor, output: Tensor) -> AttentionWeights:
        parts = [weight.reshape(5, 2, 10).transpose(1, 2) for weight in (queries, keys, values)]
        return AttentionWeights(list(zip(*parts, strict=True)), output.T)

    def norm(self, module: Any) -> NormWeights:
        return NormWeights(module.weight, module.bias)

    def network(self, module: Any) -> FeedForwardWeights:
        return FeedForwardWeights(module.widen.weight, module.widen.bias, module.narrow.weight, module.narrow.bias)

    @pytest.mark.parametrize("pre", [True, False])
    def test_two_sublayers(self, pre: bool) -> None:
        from dataclasses import replace

        from tests.transformer.support import strong

        block = strong(make_block(replace(self.config, placement=PreNorm() if pre else PostNorm())))
        x = torch.randn(3, 6, 10, dtype=torch.float64)
        weights = EncoderBlockWeights(
            self.heads(*block.attention.projections.weight.chunk(3), block.attention.output.weight),
            self.norm(block.attention_norm),
            self.network(block.feed_forward),
            self.norm(block.feed_forward_norm),
        )
        equation = equations.encoder_block_pre if pre else equations.encoder_block_post
        for mask, added in (
            (KernelMask(None, False), None),
            (Causal().kernel_arguments(6, 6), equations.causal_mask(6, x)),
        ):
            agree(block, [block(x, mask, None, None)], [equation(x, weights, added)])

    @pytest.mark.parametrize("pre", [True, False])
    def test_three_sublayers(self, pre: bool) -> None:
        from dataclasses import replace

        from tests.transformer.support import strong

        block = strong(make_cross_block(replace(self.config, placement=PreNorm() if pre else PostNorm())))
        y, memory = (torch.randn(3, length, 10, dtype=torch.float64) for length in (4, 6))
        keep = torch.arange(6) < torch.tensor([[6], [2], [5]])
        cross = block.cross_attention
        weights = DecoderBlockWeights(
            self.heads(*block.attention.projections.weight.chunk(3), block.attention.output.weight),
            self.norm(block.attention_norm),
            self.heads(cross.queries.weight, *cross.keys_values.weight.chunk(2), cross.output.weight),
            self.norm(block.cross_attention_norm),
            self.network(block.feed_forward),
            self.norm(block.feed_forward_norm),
        )
        equation = equations.decoder_block_pre if pre else equations.decoder_block_post
        expected = equation(y, memory, weights, equations.causal_mask(4, y), equations.padding_mask(keep, y))
        found = block(y, KernelMask(None, True), None, None, memory, KernelMask(keep[:, None, None], False))
        agree(block, [found], [expected])


def test_learned_positions_have_an_end() -> None:
    model = made("decoder-only", positions=Learned())
    with pytest.raises(ValueError, match="12 tokens is longer than the 11 learned positions"):
        model(tokens(1, 12))
