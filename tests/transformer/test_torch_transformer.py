"""Against torch.nn's encoder and decoder layers, with their weights copied, in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.transformer.support import strong
from torch import Tensor, nn

from workings.transformer import Config, Gelu, NoPositions, PostNorm, PreNorm, Relu
from workings.transformer.masks import Everything, Padding
from workings.transformer.stacks import CrossStack, Stack

WIDTH, HEADS, INNER, LAYERS = 10, 5, 7, 2
LENGTHS, MEMORY_LENGTHS = torch.tensor([6, 3, 1]), torch.tensor([2, 5, 4])
PLACES = pytest.mark.parametrize("pre", [False, True], ids=["post-norm", "pre-norm"])
ACTIVATIONS = pytest.mark.parametrize("activation", ["relu", "gelu"])


def config(pre: bool, activation: str) -> Config:
    return Config(
        vocabulary=5,
        width=WIDTH,
        heads=HEADS,
        inner_width=INNER,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        positions=NoPositions(),
        placement=PreNorm() if pre else PostNorm(final_norm=True),
        feed_forward=Relu() if activation == "relu" else Gelu(),
    )


def options(pre: bool, activation: str) -> dict[str, Any]:
    return {
        "d_model": WIDTH,
        "nhead": HEADS,
        "dim_feedforward": INNER,
        "dropout": 0.0,
        "activation": activation,
        "batch_first": True,
        "norm_first": pre,
        "dtype": torch.float64,
    }


def copy(stack: Any, theirs: Any) -> None:
    """Give our stack the weights of a torch.nn stack."""
    ours = dict(stack.named_parameters())
    taken = {"norm.weight": theirs.norm.weight, "norm.bias": theirs.norm.bias}
    for number, layer in enumerate(theirs.layers):
        cross = hasattr(layer, "multihead_attn")
        modules = {
            "attention.output": layer.self_attn.out_proj,
            "attention_norm": layer.norm1,
            "feed_forward.widen": layer.linear1,
            "feed_forward.narrow": layer.linear2,
            "feed_forward_norm": layer.norm3 if cross else layer.norm2,
        }
        if cross:
            modules |= {"cross_attention.output": layer.multihead_attn.out_proj, "cross_attention_norm": layer.norm2}
        for kind in ("weight", "bias"):
            for name, module in modules.items():
                taken[f"blocks.{number}.{name}.{kind}"] = getattr(module, kind)
            packed = getattr(layer.self_attn, f"in_proj_{kind}")
            taken[f"blocks.{number}.attention.projections.{kind}"] = packed
            if cross:
                packed = getattr(layer.multihead_attn, f"in_proj_{kind}")
                taken[f"blocks.{number}.cross_attention.queries.{kind}"] = packed[:WIDTH]
                taken[f"blocks.{number}.cross_attention.keys_values.{kind}"] = packed[WIDTH:]
    assert taken.keys() == ours.keys()
    with torch.no_grad():
        for name, weight in taken.items():
            ours[name].copy_(weight)


def padding(lengths: Tensor, most: int) -> Tensor:
    """True where torch.nn is to ignore a key."""
    return torch.arange(most) >= lengths[:, None]


def close_where_real(found: Tensor, expected: Tensor, lengths: Tensor) -> None:
    for row, length in enumerate(lengths):
        torch.testing.assert_close(found[row, :length], expected[row, :length], rtol=1e-10, atol=1e-10)


@ACTIVATIONS
@PLACES
def test_encoder(pre: bool, activation: str) -> None:
    layer = nn.TransformerEncoderLayer(**options(pre, activation))
    theirs = strong(nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False))
    ours = Stack(config(pre, activation), LAYERS, causal=False).double().eval()
    copy(ours, theirs)
    x = torch.randn(3, 6, WIDTH, dtype=torch.float64)
    close_where_real(ours(x, LENGTHS), theirs(x, src_key_padding_mask=padding(LENGTHS, 6)), LENGTHS)


@ACTIVATIONS
@PLACES
def test_causal_encoder(pre: bool, activation: str) -> None:
    """A decoder-only stack is an encoder with a causal mask."""
    layer = nn.TransformerEncoderLayer(**options(pre, activation))
    theirs = strong(nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False))
    ours = Stack(config(pre, activation), LAYERS, causal=True).double().eval()
    copy(ours, theirs)
    x = torch.randn(3, 6, WIDTH, dtype=torch.float64)
    mask = nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.float64)
    expected = theirs(x, mask=mask, is_causal=True)
    close_where_real(ours(x, LENGTHS), expected, LENGTHS)


@ACTIVATIONS
@PLACES
def test_decoder(pre: bool, activation: str) -> None:
    layer = nn.TransformerDecoderLayer(**options(pre, activation))
    theirs = strong(nn.TransformerDecoder(layer, LAYERS, nn.LayerNorm(WIDTH)))
    ours = CrossStack(config(pre, activation), LAYERS, causal=True).double().eval()
    copy(ours, theirs)
    y, memory = torch.randn(3, 6, WIDTH, dtype=torch.float64), torch.randn(3, 5, WIDTH, dtype=torch.float64)
    mask = nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.float64)
    expected = theirs(y, memory, tgt_mask=mask, memory_key_padding_mask=padding(MEMORY_LENGTHS, 5), tgt_is_causal=True)
    memory_mask = Padding(MEMORY_LENGTHS).kernel_arguments(6, 5)
    close_where_real(ours(y, LENGTHS, memory=memory, memory_mask=memory_mask), expected, LENGTHS)


# nn.Transformer asks for the nested path and warns where its own layers do not allow it.
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@PLACES
def test_whole_transformer_and_its_gradients(pre: bool) -> None:
    theirs = strong(
        nn.Transformer(num_encoder_layers=LAYERS, num_decoder_layers=LAYERS, **options(pre, "relu")), deviation=0.2
    )
    chosen = config(pre, "relu")
    encoder = Stack(chosen, LAYERS, causal=False).double().eval()
    decoder = CrossStack(chosen, LAYERS, causal=True).double().eval()
    copy(encoder, theirs.encoder)
    copy(decoder, theirs.decoder)
    ours_in = [torch.randn(3, length, WIDTH, dtype=torch.float64).requires_grad_() for length in (5, 6)]
    theirs_in = [x.detach().clone().requires_grad_() for x in ours_in]
    mask = nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.float64)
    memory_mask = Everything().kernel_arguments(6, 5)
    found = decoder(ours_in[1], memory=encoder(ours_in[0]), memory_mask=memory_mask)
    expected = theirs(*theirs_in, tgt_mask=mask, tgt_is_causal=True)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)
    weights = torch.linspace(-1.0, 1.0, found.numel(), dtype=torch.float64).reshape(found.shape)
    ours_gradients = torch.autograd.grad((found * weights).sum(), ours_in)
    theirs_gradients = torch.autograd.grad((expected * weights).sum(), theirs_in)
    torch.testing.assert_close(ours_gradients, theirs_gradients, rtol=1e-10, atol=1e-10)
