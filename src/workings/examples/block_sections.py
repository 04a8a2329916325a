"""Sections about residual sums, normalisation, feed-forward networks and whole blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workings import equations
from workings.examples import programs
from workings.examples.attention_sections import heads_side_by_side
from workings.examples.format import FeedForward, Heads, LayerNorm, Network, Norm, Residual
from workings.examples.format_blocks import DecoderBlock, EncoderBlock
from workings.examples.run import Run
from workings.recording.program import Box


def residual(run: Run, section: Residual) -> None:
    rows, added = run.rows(section.input), run.rows(section.add, "add")
    with run.within(section):
        if rows.value.shape != added.value.shape:
            raise run.wrong(
                "add",
                f"{section.add} has {' × '.join(map(str, added.value.shape))} numbers",
                f"{' × '.join(map(str, rows.value.shape))}, as {section.input} has",
                "a sum needs two values of one size",
            )
        run.results(sum=run.program.call(programs.add, rows, added, names="sum"), main="sum")


def layer_norm(run: Run, section: LayerNorm) -> None:
    rows = run.rows(section.input)
    with run.within(section, "layer_norm"):
        run.result("output", normalise(run, rows, Norm(gain=section.gain, bias=section.bias), "output"), main=True)


def feed_forward(run: Run, section: FeedForward) -> None:
    rows = run.rows(section.input)
    with run.within(section, "feed_forward"):
        network = Network(W_1=section.W_1, W_2=section.W_2, b_1=section.b_1, b_2=section.b_2)
        run.result("output", transform(run, rows, network), main=True)


def normalise(run: Run, rows: Box, norm: Norm, name: str, key: tuple[str, ...] = ()) -> Box:
    """Layer normalisation in the group under way; gain 1 and bias 0 unless given."""
    d = rows.value.shape[1]
    why = f"the rows have {d} columns"
    gain = run.weight("gain", norm.gain, (d,), why, (*key, "gain"), default=lambda: np.ones(d))
    bias = run.weight("bias", norm.bias, (d,), why, (*key, "bias"), default=lambda: np.zeros(d))
    run.used.add("variance")
    box: Box = run.program.call(equations.layer_norm, rows, gain, bias, epsilon=run.convention("epsilon"), names=name)
    return box


def transform(run: Run, rows: Box, network: Network, key: tuple[str, ...] = ()) -> Box:
    """The feed-forward network in the group under way; biases 0 unless given."""
    d = rows.value.shape[1]
    W_1 = run.weight("W_1", network.W_1, (None, d), f"a column for each of the {d} columns of its input", (*key, "W_1"))
    f = W_1.value.shape[0]
    units = [f"unit {number + 1}" for number in range(f)]
    b_1 = run.weight("b_1", network.b_1, (f,), f"W_1 has {f} rows", (*key, "b_1"), default=lambda: np.zeros(f))
    W_2 = run.weight(
        "W_2", network.W_2, (None if not key else d, f), f"a column for each of the {f} rows of W_1", (*key, "W_2")
    )
    out = W_2.value.shape[0]
    b_2 = run.weight("b_2", network.b_2, (out,), f"W_2 has {out} rows", (*key, "b_2"), default=lambda: np.zeros(out))
    run.program.label(W_1, units, None)
    run.program.label(b_1, units)
    run.program.label(W_2, None, units)
    activation = getattr(equations, run.convention("activation"))
    output: Box = run.program.call(equations.feed_forward, rows, W_1, b_1, W_2, b_2, activation, names="output")
    prefix = ".".join((*key, ""))
    for name in ("projected", "hidden"):
        box = run.program.alias(name, run.inner(name, "feed_forward"))
        run.program.label(box, run.labels_of(rows), units)
        run.result(prefix + name, box)
    run.program.label(output, run.labels_of(rows), run.columns_of(rows) if key else None)
    return run.result(prefix + "output", output)


def encoder_block(run: Run, section: EncoderBlock) -> None:
    """Two sub-layers: attention, and the feed-forward network (11)."""
    rows = run.rows(section.input)
    post = run.convention("norm") == "post"
    with run.within(section, "encoder_block_post" if post else "encoder_block_pre"):
        mask = run.mask(section.mask, [], rows, rows)

        def attend(read: Box) -> Box:
            return _heads(run, read, read, section.attention, mask, "attention")

        between = sub_layer(run, rows, attend, section.attention_norm, "attention")
        run.result("between", run.program.alias("between", between))
        output = sub_layer(run, between, _network(run, section.feed_forward), section.feed_forward_norm, "feed_forward")
        run.result("output", run.program.alias("output", output), main=True)


def decoder_block(run: Run, section: DecoderBlock) -> None:
    """Three sub-layers: masked attention (13), attention to the memory (14), and the feed-forward network."""
    rows, memory = run.rows(section.input), run.rows(section.memory, "memory")
    post = run.convention("norm") == "post"
    with run.within(section, "decoder_block_post" if post else "decoder_block_pre"):
        mask = run.mask(section.mask, [], rows, rows)

        def attend(read: Box) -> Box:
            return _heads(run, read, read, section.self_attention, mask, "self_attention")

        def ask(read: Box) -> Box:
            return _heads(run, read, memory, section.cross_attention, None, "cross_attention")

        after_attention = sub_layer(run, rows, attend, section.self_attention_norm, "self_attention")
        run.result("after_attention", run.program.alias("after_attention", after_attention))
        after_cross = sub_layer(run, after_attention, ask, section.cross_attention_norm, "cross_attention")
        run.result("after_cross", run.program.alias("after_cross", after_cross))
        network = _network(run, section.feed_forward)
        output = sub_layer(run, after_cross, network, section.feed_forward_norm, "feed_forward")
        run.result("output", run.program.alias("output", output), main=True)


def sub_layer(run: Run, rows: Box, compute: Callable[[Box], Box], norm: Norm, name: str) -> Box:
    """One sub-layer with its residual sum, normalised after the sum or before the computation."""
    if run.convention("norm") == "post":
        total: Box = run.program.call(programs.add, rows, compute(rows), names=f"{name}_sum")
        output = _normalised(run, total, norm, name)
    else:
        output = run.program.call(programs.add, rows, compute(_normalised(run, rows, norm, name)), names=f"{name}_sum")
        total = output
    run.result(f"{name}_sum", total)
    return output


def _normalised(run: Run, rows: Box, norm: Norm, name: str) -> Box:
    with run.group(f"{name}_norm", "layer_norm", "Layer normalisation"):
        box = normalise(run, rows, norm, "output", (f"{name}_norm",))
    return run.result(f"{name}_norm.output", box)


def _heads(run: Run, rows: Box, memory: Box, heads: Heads, mask: Box | None, name: str) -> Box:
    titles = {
        "attention": "Multi-head attention",
        "self_attention": "Masked attention",
        "cross_attention": "Cross-attention",
    }
    with run.group(name, "multi_head", titles[name]):
        return heads_side_by_side(run, rows, memory, heads.heads, heads.W_O, mask, within=(name,))


def _network(run: Run, network: Network) -> Callable[[Box], Box]:
    def compute(rows: Box) -> Box:
        with run.group("feed_forward", "feed_forward", "Feed-forward network"):
            return transform(run, rows, network, ("feed_forward",))

    return compute
