"""Configs: what they refuse and how they say it, and the way to plain data and back."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from typing import Any

import pytest
from tests.transformer.support import CHOICES, configured

from workings.transformer import (
    GEGLU,
    BaseScaling,
    Biases,
    Config,
    DecoderOnly,
    Dropout,
    EncoderDecoder,
    EncoderOnly,
    Gelu,
    LayerNorm,
    LinearScaling,
    LlamaScaling,
    PostNorm,
    RelativeBuckets,
    Relu,
    Rotary,
    Sinusoidal,
    SwiGLU,
    TiedOutput,
    XavierStart,
    build,
    cost_of,
    gpt2_small_shape,
    paper_base,
)

SMALL: dict[str, Any] = {"vocabulary": 13, "width": 12, "heads": 3, "decoder_layers": 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocabulary": 0}, "vocabulary is 0; expected at least 1"),
        ({"width": "12"}, "width is '12'; expected a whole number"),
        ({"width": 12.0}, "width is 12.0; expected a whole number"),
        ({"heads": True}, "heads is True; expected a whole number"),
        ({"heads": 5}, "heads is 5, which does not divide the width 12; expected one of 2, 3, 4, 6, or a head_width"),
        ({"heads": 6, "key_value_heads": 4}, "key_value_heads is 4, which does not divide 6 heads; expected one of"),
        ({"decoder_layers": 0}, "encoder_layers and decoder_layers are both 0"),
        ({"decoder_layers": -1}, "decoder_layers is -1; expected at least 0"),
        ({"context": 0}, "context is 0; expected at least 1"),
        ({"window": 0}, "window is 0; expected at least 1"),
        ({"pooling": "last"}, "pooling is 'last'; expected 'mean' or 'first'"),
        ({"classes": 3}, "classes is 3 in a decoder-only model; expected none"),
        ({"encoder_layers": 1, "decoder_layers": 0, "classes": 1}, "classes is 1; expected at least 2"),
        ({"source_vocabulary": 9}, "source_vocabulary is 9 in a decoder-only model; expected none"),
        ({"head_width": 3}, "3 of a head's 3 would be turned; expected an even number"),
        ({"positions": Rotary(fraction=0.25)}, "1 of a head's 4 would be turned; expected an even number"),
        ({"positions": Rotary(fraction=1.5)}, "6 of a head's 4 would be turned"),
        ({"dropout": Dropout(attention=1.0)}, "dropout.attention is 1.0; expected at least 0 and below 1"),
        ({"dropout": Dropout(rate=-0.1)}, "dropout.rate is -0.1; expected at least 0 and below 1"),
        ({"positions": Sinusoidal(layout="halfs")}, "positions.layout is 'halfs'; expected 'interleaved' or 'halves'"),
        ({"positions": PostNorm()}, "expected Sinusoidal(...) or Learned() or Rotary(...)"),
        ({"positions": RelativeBuckets(buckets=7)}, "positions.buckets is 7; expected an even number"),
        ({"positions": RelativeBuckets(furthest=16)}, "positions.furthest is 16; expected above 16"),
        ({"norm": LayerNorm(epsilon=float("nan"))}, "norm.epsilon is nan; expected above 0"),
        ({"positions": Rotary(scaling=LlamaScaling(fast=1.0))}, "positions.scaling.fast is 1.0; expected above slow"),
        ({"positions": Rotary(scaling=BaseScaling(2.0), fraction=0.5)}, "expected more"),
        ({"positions": Rotary(base=0.0)}, "positions.base is 0.0; expected above 0"),
        ({"positions": Rotary(scaling=LinearScaling(0.0))}, "positions.scaling.factor is 0.0; expected above 0"),
    ],
)
def test_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole message is compared
        Config(**(SMALL | changes))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 12}, "widht is not a key; did you mean 'width'?"),
        ({"layers": 3}, "layers is not a key; did you mean 'encoder_layers' or 'decoder_layers'?"),
        ({"colour": "red"}, "colour is not a key; expected one of 'biases', 'causal', 'classes'"),
        ({"positions": "rotery"}, "positions is 'rotery'; did you mean 'rotary'?"),
        ({"positions": 3}, "positions is 3; expected 'sinusoidal' or"),
        ({"positions": {"base": 3.0}}, "positions.kind is missing; expected 'sinusoidal' or"),
        ({"positions": {"kind": "rotary", "bass": 3.0}}, "positions.bass is not a key; did you mean 'base'?"),
        ({"positions": {"kind": "rotary", "base": "x"}}, "positions.base is 'x'; expected a number"),
        (
            {"positions": {"kind": "rotary", "scaling": {"kind": "lama"}}},
            "positions.scaling is 'lama'; did you mean 'llama'",
        ),
        ({"positions": {"kind": "rotary", "scaling": "linear"}}, "positions.scaling.factor is missing"),
        ({"dropout": "much"}, "dropout is 'much'; expected a number, or a table of rate, attention, inner"),
        ({"width": None}, "width is None; expected a whole number"),
    ],
)
def test_plain_data_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole message is compared
        Config.from_dict(SMALL | changes)
    assert message in str(refused.value)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ValueError, match="width is missing"):
        Config.from_dict({"vocabulary": 13, "heads": 3})


@pytest.mark.parametrize("choice", CHOICES)
def test_round_trip_through_json(choice: str) -> None:
    config = configured("decoder-only", **CHOICES[choice])
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_plain_data_may_be_short() -> None:
    found = Config.from_dict(
        SMALL
        | {
            "positions": {"kind": "rotary", "base": 500, "scaling": {"kind": "llama", "factor": 4}},
            "feed_forward": "swiglu",
            "biases": False,
            "dropout": 0.1,
        }
    )
    expected = Config(
        **SMALL,
        positions=Rotary(base=500, scaling=LlamaScaling(factor=4)),
        feed_forward=SwiGLU(),
        biases=Biases(queries_keys_values=False, attention_output=False, feed_forward=False),
        dropout=Dropout(rate=0.1),
    )
    assert found == expected


def test_sizes_that_follow_from_others() -> None:
    assert (configured("decoder-only").columns, configured("decoder-only").groups) == (4, 3)
    assert Config(**SMALL).inner == 48
    # 8/3 of 12 is 32, a multiple of 8; 8/3 of 100 is 266.7, and 272 the next one.
    assert Config(**SMALL, feed_forward=SwiGLU()).inner == 32
    assert Config(vocabulary=9, width=100, heads=5, decoder_layers=1, feed_forward=GEGLU()).inner == 272


def test_a_config_cannot_be_changed() -> None:
    config = Config(**SMALL)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.width = 3  # type: ignore[misc]
    assert dataclasses.replace(config, width=24).columns == 8


def test_paper_base() -> None:
    """Vaswani et al. (2017), table 3: 65 million parameters with 37,000 shared words."""
    config = paper_base()
    assert (config.encoder_layers, config.decoder_layers, config.width, config.inner) == (6, 6, 512, 2048)
    assert (config.heads, config.columns, config.dropout.rate) == (8, 64, 0.1)
    assert (config.feed_forward, config.placement, config.positions) == (Relu(), PostNorm(), Sinusoidal())
    assert (config.output, config.scaled_embeddings, config.start) == (TiedOutput(), True, XavierStart())
    count = cost_of(config, 1).weights
    # Embeddings; 18 attentions of 4 matrices and biases; 12 networks; 30 normalisations of gain and bias.
    attentions, networks = 18 * 4 * (512 * 512 + 512), 12 * (2 * 512 * 2048 + 2048 + 512)
    assert count == 37000 * 512 + attentions + networks + 30 * 2 * 512
    assert 60e6 < count < 65.5e6


def test_gpt2_small_shape() -> None:
    config = gpt2_small_shape()
    assert config.feed_forward == Gelu("tanh")
    # The published count of the smallest GPT-2 with its tied output.
    assert cost_of(config, 1).weights == 124_439_808


@pytest.mark.parametrize("model", [DecoderOnly, EncoderOnly, EncoderDecoder])
@pytest.mark.parametrize("shape", ["decoder-only", "encoder-only", "encoder-decoder"])
def test_a_model_takes_its_own_shape(model: Any, shape: str) -> None:
    config = configured(shape)
    if type(build(config)) is model:
        return
    with pytest.raises(ValueError, match=f"the config is {shape}"):
        model(config)


def test_configs_do_without_torch() -> None:
    program = "import sys, workings.transformer as t; t.paper_base().to_dict(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
