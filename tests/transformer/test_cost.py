"""What is counted against what is measured, against other counts, and by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.transformer.support import CHOICES, SHAPES, configured

from workings.transformer import (
    GEGLU,
    Additive,
    ALiBi,
    Config,
    Dropout,
    Gelu,
    NoPositions,
    PostNorm,
    RelativeBuckets,
    Relu,
    RMSNorm,
    Rotary,
    build,
    cost_of,
    gpt2_small_shape,
)
from workings.transformer.measuring import measure

WIDE: dict[str, Any] = {"width": 32, "heads": 4, "inner_width": 56, "context": 48}


def part(config: Config, length: int, name: str) -> int:
    (found,) = [part.multiplications for part in cost_of(config, length).parts if part.name == name]
    return found


def test_by_hand() -> None:
    """L = 5, d = 6, 2 heads of 3, f = 8, v = 7, 1 layer: each product of matrices, rows × inner × columns."""
    config = Config(vocabulary=7, width=6, heads=2, decoder_layers=1, inner_width=8, positions=NoPositions())
    counted = {part.name: part.multiplications for part in cost_of(config, 5).parts}
    assert counted == {
        "embeddings": 0,
        "decoder positions and masks": 0,
        "decoder queries, keys, values": 3 * 5 * 6 * 6,
        "decoder scores": 2 * 5 * 3 * 5,
        "decoder mixed values": 2 * 5 * 5 * 3,
        "decoder attention output": 5 * 6 * 6,
        "decoder feed-forward": 2 * 5 * 6 * 8,
        "decoder norms and dropout": 0,
        "words": 5 * 6 * 7,
    }


def test_heads_cost_the_same_together_as_one() -> None:
    """The scores of a layer take L² d multiplications, whatever the number of heads."""
    for heads in (1, 2, 3, 4, 6, 12):
        config = Config(vocabulary=7, width=12, heads=heads, decoder_layers=1, positions=NoPositions())
        assert part(config, 10, "decoder scores") == 10 * 10 * 12


def test_scores_grow_with_the_square_of_the_length_and_the_rest_with_the_length() -> None:
    short, long = (
        {part.name: part.multiplications for part in cost_of(gpt2_small_shape(), length).parts} for length in (100, 300)
    )
    for name, multiplications in short.items():
        assert long[name] == multiplications * (9 if name in ("decoder scores", "decoder mixed values") else 3)


@pytest.mark.parametrize("choice", CHOICES)
def test_weights(choice: str) -> None:
    for shape in SHAPES:
        config = configured(shape, **CHOICES[choice])
        assert cost_of(config, 5).weights == build(config).parameter_count()


def test_weights_of_classes_and_of_a_source() -> None:
    for config in (configured("encoder-only", classes=3), configured("encoder-decoder", source_vocabulary=17)):
        assert cost_of(config, 5).weights == build(config).parameter_count()


MEASURED: dict[str, dict[str, Any]] = {
    "plain": {},
    "post-norm": {"placement": PostNorm(), "feed_forward": Relu()},
    "root mean square": {"norm": RMSNorm(), "feed_forward": GEGLU()},
    "rotary": {"positions": Rotary(), "key_value_heads": 2},
    "alibi": {"positions": ALiBi()},
    "relative buckets": {"positions": RelativeBuckets(buckets=8, furthest=16)},
    "window": {"window": 4},
    "wide window": {"window": 30},
    "dropout": {"dropout": Dropout(rate=0.1, inner=0.1)},
    "inner dropout after relu": {"dropout": Dropout(inner=0.1), "feed_forward": Relu()},
    "dropout of weights": {"dropout": Dropout(attention=0.1)},
    "additive": {"score": Additive()},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("choice", MEASURED)
def test_measured(choice: str, shape: str) -> None:
    """Multiplications exactly, and what is kept to a twentieth, which small things that are not counted stay below."""
    config = configured(shape, **({"positions": NoPositions(), "feed_forward": Gelu()} | WIDE | MEASURED[choice]))
    source = 24 if shape == "encoder-decoder" else None
    # Alone, a sequence is cut into blocks without a copy.
    batch = 2 if choice == "window" else 1
    counted, measured = cost_of(config, 40, source), measure(config, 40, source, batch, runs=1)
    assert measured.kept == pytest.approx(4 * batch * counted.kept, rel=0.05)
    # Blocks skip the keys before the first, of which the count knows nothing.
    within = 0.05 if choice == "window" else 0.0
    assert measured.multiplications == pytest.approx(batch * counted.multiplications, rel=within)


@pytest.mark.parametrize(
    ("changes", "grows"),
    [
        ({}, 2.0),
        ({"positions": Rotary()}, 2.0),
        ({"window": 4}, 2.0),
        ({"positions": ALiBi()}, 4.0),
        ({"positions": RelativeBuckets(buckets=8, furthest=16)}, 4.0),
        ({"dropout": Dropout(attention=0.1)}, 4.0),
        ({"score": Additive()}, 4.0),
    ],
)
def test_memory_grows_as_it_is_said_to(changes: dict[str, Any], grows: float) -> None:
    """Measured: the plain choices grow with the length, those that `quadratic` names with its square."""
    sizes: dict[str, Any] = {"width": 8, "heads": 4, "inner_width": 8, "context": 2, "positions": NoPositions()}
    config = configured("decoder-only", **(sizes | changes))
    lengths = (400, 800) if grows == 2.0 else (200, 400)
    short, long = (measure(config, length, runs=1).kept for length in lengths)
    assert long / short == pytest.approx(grows, rel=0.2)
    assert bool(cost_of(config, 10).quadratic) == (grows == 4.0)


def test_cache() -> None:
    config = configured("encoder-decoder", heads=6, key_value_heads=2)
    cache = build(config).cache(1, 9)  # type: ignore[union-attr]
    own = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    memory = 2 * 2 * 7 * 2 * config.columns
    assert cost_of(config, 9, 7).cached == own + memory


def test_a_length_below_1() -> None:
    with pytest.raises(ValueError, match="the length is 0; expected at least 1"):
        cost_of(configured("decoder-only"), 0)
