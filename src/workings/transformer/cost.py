"""What a transformer costs: multiplications, weights, and numbers held in memory, part by part, from a Config alone.

Counted are the multiplications of matrices, for one forward pass over one sequence; a backward pass takes twice as many
more. Norms, activations and softmax are left out: they grow with L d, not with L d² or L² d. Scores are counted for
every pair of tokens, L², though a causal kernel skips nearly half of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workings.transformer.choices import (
    GEGLU,
    Additive,
    ALiBi,
    DotProduct,
    Gelu,
    LayerNorm,
    Learned,
    PostNorm,
    RelativeBuckets,
    Relu,
    Rotary,
    SeparateOutput,
    SwiGLU,
)
from workings.transformer.config import Config


@dataclass(frozen=True)
class Part:
    """One part of a model, all layers of its stack together.

    Attributes:
        name: what it is, after its stack.
        multiplications: of matrices, in one forward pass over one sequence.
        formula: the same in letters: N layers, L length, S of the source, W window, d width, h heads, g of keys and
            values, c a head's width, f inner width, v words.
        weights: numbers that are learned.
        kept: numbers held from the forward to the backward pass, for one sequence.
    """

    name: str
    multiplications: int
    formula: str
    weights: int = 0
    kept: int = 0


@dataclass(frozen=True)
class Cost:
    """The parts of a model for a length, in the order in which they run.

    Attributes:
        parts: the parts.
        cached: numbers that a key-value cache holds for this length.
        quadratic: why memory grows with the square of the length; empty where it grows with the length.
    """

    parts: tuple[Part, ...]
    cached: int
    quadratic: tuple[str, ...]

    @property
    def multiplications(self) -> int:
        """Of all parts together."""
        return sum(part.multiplications for part in self.parts)

    @property
    def weights(self) -> int:
        """Of all parts together; what is tied counts once."""
        return sum(part.weights for part in self.parts)

    @property
    def kept(self) -> int:
        """Numbers held for the backward pass, of all parts together."""
        return sum(part.kept for part in self.parts)

    def training_bytes(self, batch: int = 1, bytes_each: int = 4) -> int:
        """What training holds at once: weights, their gradients, AdamW's two averages, and what is kept for a batch."""
        return bytes_each * (4 * self.weights + batch * self.kept)


def cost_of(config: Config, length: int, source_length: int | None = None) -> Cost:
    """The cost of one sequence of `length` tokens, after a source of as many unless another length is given.

    Raises: ValueError for a length below 1.
    """
    source = length if source_length is None else source_length
    if length < 1 or source < 1:
        raise ValueError(f"the length is {min(length, source)}; expected at least 1")
    parts = [_embeddings(config, length, source)]
    if config.encoder_layers:
        parts += _stack(config, "encoder", source, None)
    if config.decoder_layers:
        parts += _stack(config, "decoder", length, source if config.encoder_layers else None)
    parts.append(_output(config, length))
    per_token = 2 * config.groups * config.columns * config.decoder_layers
    cached = per_token * (length + (source if config.encoder_layers else 0))
    return Cost(tuple(parts), cached, quadratic_memory(config))


def quadratic_memory(config: Config) -> tuple[str, ...]:
    """The choices that make memory grow with the square of the length, each with its reason; the plain ones do not."""
    reasons = []
    if isinstance(config.score, Additive):
        reasons.append("score: the additive score keeps every pair of tokens with every coordinate, in every layer")
    if config.dropout.attention:
        reasons.append("dropout.attention: every layer keeps the weights of all pairs, and which of them are dropped")
    if isinstance(config.positions, RelativeBuckets):
        reasons.append("positions: relative buckets are learned, and to learn them every layer keeps all weights")
    if isinstance(config.positions, ALiBi):
        reasons.append("positions: alibi keeps one number for every head and pair of tokens, the same for all layers")
    if config.window is not None and not (config.causal and not config.encoder_layers):
        reasons.append("window: on both sides, a mask of all pairs of tokens is kept, the same for all layers")
    return tuple(reasons)


def _embeddings(config: Config, length: int, source: int) -> Part:
    read = (length if config.decoder_layers else 0) + (source if config.encoder_layers else 0)
    weights = (config.vocabulary + (config.source_vocabulary or 0)) * config.width
    # Indices are kept in 64 bits, which is two numbers.
    return Part("embeddings", 0, "0", weights, 2 * read)


def _output(config: Config, length: int) -> Part:
    d, v = config.width, config.vocabulary
    if config.classes is not None:
        return Part("classes", d * config.classes, "d classes", (d + 1) * config.classes, d)
    separate = isinstance(config.output, SeparateOutput)
    return Part("words", length * d * v, "L d v", v * (d * separate + config.output.bias))


def _stack(config: Config, name: str, length: int, memory: int | None) -> list[Part]:
    """The parts of a stack over `length` tokens, which may attend to a memory of so many."""
    layers = config.encoder_layers if name == "encoder" else config.decoder_layers
    causal = name == "decoder" and config.causal
    parts = [_positions(config, length, causal), *_attention(config, layers, length, None, causal)]
    if memory is not None:
        parts += [
            replace(part, name=f"cross {part.name}") for part in _attention(config, layers, length, memory, False)
        ]
    parts += [_feed_forward(config, layers, length), _between(config, layers, length, 2 if memory is None else 3)]
    return [replace(part, name=f"{name} {part.name}") for part in parts]


def _positions(config: Config, length: int, causal: bool) -> Part:
    """What says where tokens stand and which may be seen, once for all layers."""
    masked = causal or config.window is not None
    weights, kept = 0, 0
    match config.positions:
        case Learned():
            weights = config.context * config.width
        case Rotary(fraction=fraction):
            kept = max(config.context, length) * round(config.columns * fraction)
        case ALiBi():
            kept = config.heads * length**2
        case RelativeBuckets(buckets=buckets):
            # The buckets of all pairs in 64 bits, and in 8 bits which are hidden.
            weights, kept = buckets * config.heads, 2 * length**2 + masked * length**2 // 4
        case _:
            pass
    if _has_square_mask(config, length, causal):
        kept += length**2
    return Part("positions and masks", 0, "0", weights, kept)


def _attention(config: Config, layers: int, length: int, memory: int | None, causal: bool) -> list[Part]:
    d, h, g, c = config.width, config.heads, config.groups, config.columns
    keys = length if memory is None else memory
    projected = config.biases.queries_keys_values
    blocks = memory is None and _is_in_blocks(config, length, causal)
    seen = 2 * (config.window or 0) if blocks else keys
    rows = "2W" if blocks else "L" if memory is None else "S"
    pairs = layers * length * seen * h * c
    if isinstance(config.score, Additive):
        kept = length * d + keys * h * c
    else:
        kept = length * (d + h * c) + keys * 2 * g * c
        if memory is None and isinstance(config.positions, Rotary):
            kept += length * (h + g) * c
    if blocks:
        # Each key and value stands in two blocks, and the blocks are put together again.
        kept += length * (h + 4 * g) * c
    return [
        Part(
            "queries, keys, values",
            layers * (length * h + keys * 2 * g) * d * c,
            "N L d (h + 2g) c" if memory is None else "N (L h + S 2g) d c",
            layers * (h + 2 * g) * c * (d + projected),
            layers * kept + (0 if memory is None else memory * d),
        ),
        Part(
            "scores",
            pairs if isinstance(config.score, DotProduct) else 0,
            f"N L {rows} h c" if isinstance(config.score, DotProduct) else "0",
            layers * h * c if isinstance(config.score, Additive) else 0,
            layers * _scores_kept(config, length, keys, seen, memory is None, causal or config.window is not None),
        ),
        Part("mixed values", pairs, f"N L {rows} h c"),
        Part(
            "attention output",
            layers * length * h * c * d,
            "N L h c d",
            layers * d * (h * c + config.biases.attention_output),
            layers * length * h * c,
        ),
    ]


def _scores_kept(config: Config, length: int, keys: int, seen: int, own: bool, masked: bool) -> int:
    """What one layer keeps of its scores: the fused kernel one number a row, others the weights of all pairs."""
    h, c = config.heads, config.columns
    dropped = 2 * h * length * seen if config.dropout.attention else 0
    if isinstance(config.score, Additive):
        return length * seen * h * (c + 1 + (own and masked)) + dropped
    learned = own and isinstance(config.positions, RelativeBuckets)
    if not learned and not config.dropout.attention:
        return length * h
    # Scaled queries and keys; keys and values of a group are repeated for each of its heads.
    copies = (length + keys + (keys if config.groups < h else 0)) * h * c
    return copies + h * length * seen + dropped


def _feed_forward(config: Config, layers: int, length: int) -> Part:
    d, f = config.width, config.inner
    gated = isinstance(config.feed_forward, SwiGLU | GEGLU)
    matrices = 3 if gated else 2
    kept = 4 * f if gated else 2 * f if isinstance(config.feed_forward, Gelu) else f
    if config.dropout.inner:
        kept += 2 * f if isinstance(config.feed_forward, Relu) else f
    biases = ((matrices - 1) * f + d) * config.biases.feed_forward
    return Part(
        "feed-forward",
        layers * length * matrices * d * f,
        f"N L {matrices} d f",
        layers * (matrices * d * f + biases),
        layers * length * (d + kept),
    )


def _between(config: Config, layers: int, length: int, sublayers: int) -> Part:
    """Normalisation and dropout."""
    d = config.width
    final = not isinstance(config.placement, PostNorm) or config.placement.final_norm
    norms = layers * sublayers + final + config.embedding_norm
    if isinstance(config.norm, LayerNorm):
        weights, kept = d * (1 + config.norm.bias), norms * (d + 2)
    else:
        weights, kept = d, norms * (2 * d + 1)
    if config.dropout.rate:
        kept += (layers * sublayers + 1) * d
    return Part("norms and dropout", 0, "0", norms * weights, length * kept)


def _has_bias(config: Config) -> bool:
    return isinstance(config.positions, ALiBi | RelativeBuckets)


def _is_in_blocks(config: Config, length: int, causal: bool) -> bool:
    """Whether a window is computed block by block."""
    return config.window is not None and causal and 2 * config.window < length and not _has_bias(config)


def _has_square_mask(config: Config, length: int, causal: bool) -> bool:
    """Whether a window needs a mask of all pairs."""
    hides = config.window is not None and config.window < length and not _has_bias(config)
    return hides and not _is_in_blocks(config, length, causal)
