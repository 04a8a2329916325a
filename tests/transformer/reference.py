"""The three models once more, from the equations alone: one sequence at a time, one head at a time, in plain steps.

The functions read the weights of a model, so that values and gradients of both can be compared. What the equations
leave out (windows, ALiBi, buckets, scaled angles) is written here as the papers write it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from workings import equations
from workings.transformer import (
    GEGLU,
    Additive,
    ALiBi,
    BaseScaling,
    Config,
    DotProduct,
    Gelu,
    LayerNorm,
    Learned,
    LinearScaling,
    PreNorm,
    RelativeBuckets,
    Relu,
    Rotary,
    Sinusoidal,
    SwiGLU,
    TiedOutput,
)

Drop = Callable[[Tensor, float], Tensor]


def keep(x: Tensor, share: float) -> Tensor:
    """What dropout does outside training."""
    return x


def norm(config: Config, module: Any, x: Tensor) -> Tensor:
    if isinstance(config.norm, LayerNorm):
        bias = torch.zeros_like(module.weight) if module.bias is None else module.bias
        return equations.layer_norm(x, module.weight, bias, config.norm.epsilon)
    return equations.rms_norm(x, module.weight, config.norm.epsilon)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return x @ weight.T if bias is None else x @ weight.T + bias


def turned(config: Config, x: Tensor) -> Tensor:
    """Queries or keys of one head, (t, c), with rotary positions."""
    choice = config.positions
    if not isinstance(choice, Rotary):
        return x
    width = int(config.columns * choice.fraction)
    positions, base = torch.arange(len(x), dtype=x.dtype), choice.base
    if isinstance(choice.scaling, LinearScaling):
        positions = positions / choice.scaling.factor
    elif isinstance(choice.scaling, BaseScaling):
        base = base * choice.scaling.factor ** (width / (width - 2))
    else:
        assert choice.scaling is None
    return torch.cat([equations.rotary(x[:, :width], positions, base, choice.pairing), x[:, width:]], dim=-1)


def bucket(distance: int, buckets: int, furthest: int, both_sides: bool) -> int:
    """The bucket of a distance, key minus query: Raffel et al. (2020), as their code numbers them."""
    first = 0
    if both_sides:
        buckets //= 2
        first = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(0, -distance)
    single = buckets // 2
    if distance < single:
        return first + distance
    grown = math.log(distance / single) / math.log(furthest / single) * (buckets - single)
    return first + min(single + int(grown), buckets - 1)


def added_to_scores(config: Config, stack: Any, length: int, causal: bool) -> list[Tensor]:
    """Everything that is added to the scores of each head: h of (t, t)."""
    pairs = [[(i, j) for j in range(length)] for i in range(length)]
    added = torch.zeros(length, length, dtype=torch.float64)
    if causal:
        added = equations.causal_mask(length, added)
    if config.window is not None:
        size = config.window
        added = added + torch.tensor([[0.0 if abs(i - j) < size else -math.inf for i, j in row] for row in pairs])
    if isinstance(config.positions, ALiBi):
        away = torch.tensor([[float(abs(i - j)) for i, j in row] for row in pairs], dtype=torch.float64)
        return [added - away * slope for slope in ALIBI_SLOPES[config.heads]]
    if isinstance(config.positions, RelativeBuckets):
        choice = config.positions
        buckets = [[bucket(j - i, choice.buckets, choice.furthest, not causal) for i, j in row] for row in pairs]
        numbers = stack.positions.weight[torch.tensor(buckets)]
        return [added + numbers[:, :, head] for head in range(config.heads)]
    return [added] * config.heads


ALIBI_SLOPES = {
    2: (1 / 16, 1 / 256),
    3: (1 / 16, 1 / 256, 1 / 4),
    4: (1 / 4, 1 / 16, 1 / 64, 1 / 256),
    6: (1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8),
}
"""Press et al. (2022), section 3, and for other numbers of heads the rule in their published code."""


def score_and_mix(config: Config, module: Any, head: int, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    if isinstance(config.score, Additive):
        eye = torch.eye(config.columns, dtype=q.dtype)
        return equations.additive_attention(q, k, v, eye, eye, module.score.weight[head], mask)[0]
    assert isinstance(config.score, DotProduct)
    return equations.attention(q, k, v, mask, config.score.scale)[0]


def slices(config: Config, packed: Tensor, *heads: int) -> list[list[Tensor]]:
    """Packed columns, (t, (…) c), cut into parts of so many heads, and these into heads."""
    cut = equations.split_heads(packed, sum(heads))
    parts = []
    for count in heads:
        parts.append(cut[:count])
        cut = cut[count:]
    return parts


def self_attention(config: Config, module: Any, x: Tensor, masks: list[Tensor]) -> Tensor:
    packed = linear(x, module.projections.weight, module.projections.bias)
    queries, keys, values = slices(config, packed, config.heads, config.groups, config.groups)
    outputs = []
    for number in range(config.heads):
        group = number // (config.heads // config.groups)
        q, k = turned(config, queries[number]), turned(config, keys[group])
        outputs.append(score_and_mix(config, module, number, q, k, values[group], masks[number]))
    return linear(torch.cat(outputs, dim=-1), module.output.weight, module.output.bias)


def cross_attention(config: Config, module: Any, x: Tensor, memory: Tensor) -> Tensor:
    (queries,) = slices(config, linear(x, module.queries.weight, module.queries.bias), config.heads)
    packed = linear(memory, module.keys_values.weight, module.keys_values.bias)
    keys, values = slices(config, packed, config.groups, config.groups)
    nothing = torch.zeros(len(x), len(memory), dtype=x.dtype)
    outputs = []
    for number in range(config.heads):
        group = number // (config.heads // config.groups)
        outputs.append(score_and_mix(config, module, number, queries[number], keys[group], values[group], nothing))
    return linear(torch.cat(outputs, dim=-1), module.output.weight, module.output.bias)


def feed_forward(config: Config, module: Any, x: Tensor, drop: Drop) -> Tensor:
    choice = config.feed_forward
    widened = linear(x, module.widen.weight, module.widen.bias)
    if isinstance(choice, Relu):
        hidden = equations.relu(widened)
    elif isinstance(choice, Gelu):
        hidden = equations.gelu(widened) if choice.form == "erf" else equations.gelu_tanh(widened)
    else:
        gates, widened = widened[:, : config.inner], widened[:, config.inner :]
        if isinstance(choice, SwiGLU):
            hidden = equations.silu(gates) * widened
        else:
            assert isinstance(choice, GEGLU)
            hidden = (equations.gelu(gates) if choice.form == "erf" else equations.gelu_tanh(gates)) * widened
    return linear(drop(hidden, config.dropout.inner), module.narrow.weight, module.narrow.bias)


def run_stack(
    config: Config, stack: Any, x: Tensor, causal: bool, memory: Tensor | None = None, drop: Drop = keep
) -> Tensor:
    """A stack over the embeddings of one sequence, (t, d)."""
    choice, length, rate = config.positions, len(x), config.dropout.rate
    if isinstance(choice, Sinusoidal):
        encoding = equations.sinusoidal_positions(length, config.width, x, choice.base, choice.layout)
        x = equations.add_positions(x, encoding)
    elif isinstance(choice, Learned):
        x = equations.add_positions(x, stack.positions.weight[:length])
    if config.embedding_norm:
        x = norm(config, stack.embedding_norm, x)
    x = drop(x, rate)
    masks = added_to_scores(config, stack, length, causal)
    for block in stack.blocks:
        sublayers: list[tuple[Any, Callable[[Tensor], Tensor]]] = [
            (block.attention_norm, lambda y, b=block: self_attention(config, b.attention, y, masks)),
            (block.feed_forward_norm, lambda y, b=block: feed_forward(config, b.feed_forward, y, drop)),
        ]
        if memory is not None:
            asked = (
                block.cross_attention_norm,
                lambda y, b=block: cross_attention(config, b.cross_attention, y, memory),
            )
            sublayers.insert(1, asked)
        for its_norm, sublayer in sublayers:
            if isinstance(config.placement, PreNorm):
                x = x + drop(sublayer(norm(config, its_norm, x)), rate)
            else:
                x = norm(config, its_norm, x + drop(sublayer(x), rate))
    final = isinstance(config.placement, PreNorm) or config.placement.final_norm
    return norm(config, stack.norm, x) if final else x


def embed(config: Config, table: Tensor, tokens: Tensor) -> Tensor:
    embedded = equations.lookup(table, tokens)
    return embedded * math.sqrt(config.width) if config.scaled_embeddings else embedded


def word_scores(model: Any, states: Tensor) -> Tensor:
    """The score of every word: equation (15) without its softmax."""
    output = model.config.output
    weight = model.embedding.weight if isinstance(output, TiedOutput) else model.output.weight
    states = states * output.scale if isinstance(output, TiedOutput) else states
    return linear(states, weight, model.output_bias if output.bias else None)


def decoder_only(model: Any, tokens: Tensor, drop: Drop = keep) -> Tensor:
    """Logits of one sequence: (t,) to (t, v)."""
    config = model.config
    x = embed(config, model.embedding.weight, tokens)
    return word_scores(model, run_stack(config, model.stack, x, config.causal, drop=drop))


def encoder_only(model: Any, tokens: Tensor) -> Tensor:
    """Logits of one sequence: (t,) to (t, v), or to (classes,)."""
    config = model.config
    states = run_stack(config, model.stack, embed(config, model.embedding.weight, tokens), causal=False)
    if config.classes is None:
        return word_scores(model, states)
    pooled = states.mean(dim=0) if config.pooling == "mean" else states[0]
    return linear(pooled, model.output.weight, model.output_bias)


def encoder_decoder(model: Any, source: Tensor, target: Tensor) -> Tensor:
    """Logits of one pair: (s,) and (t,) to (t, v)."""
    config = model.config
    table = model.embedding if config.source_vocabulary is None else model.source_embedding
    memory = run_stack(config, model.encoder, embed(config, table.weight, source), causal=False)
    x = embed(config, model.embedding.weight, target)
    return word_scores(model, run_stack(config, model.decoder, x, config.causal, memory))
