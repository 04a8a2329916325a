"""Section 7: residual sums let the gradient through a deep stack."""

from __future__ import annotations

import numpy as np

from workings import equations as eq
from workings.equations import AttentionWeights, EncoderBlockWeights, FeedForwardWeights, NormWeights
from workings.experiments import programs
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import Numbers, gap, recorded, said
from workings.experiments.outcome import Outcome, about, at_least, exactly, shown

_SEED = 7
_DRAWS = 5
_DEPTH = 16
_LENGTH, _WIDTH, _INNER, _HEADS = 4, 8, 16, 1
_SPREAD = 0.5
"""Weights are drawn with this deviation, divided by the root of the numbers that are added up."""


def _residual_gradient(*, residual: bool = True) -> Outcome:
    kept, lost = [], []
    for draw in range(_DRAWS):
        generator = np.random.default_rng((_SEED, draw))
        X, towards = (generator.normal(size=(_LENGTH, _WIDTH)) for _ in range(2))
        towards /= np.linalg.norm(towards)
        blocks = [_block(generator) for _ in range(_DEPTH)]
        lost.append(_slope(X, blocks, False, towards))
        kept.append(_slope(X, blocks, True, towards) if residual else lost[-1])
    with_sums, without = float(np.median(kept)), float(np.median(lost))
    first = "with residual sums" if residual else "in the first stack, which is without residual sums too,"
    return Outcome(
        f"Through {_DEPTH} blocks the gradient at the input has a size of {said(with_sums)} {first} and of "
        f"{said(without)} without them (medians of {_DRAWS} draws; at the output it is 1).",
        (
            about("size of the gradient at the input, with residual sums", with_sums, 1.0, 0.7, 3),
            shown("size of the gradient at the input, without them", without, 4),
            at_least("how many times larger it is with them", with_sums / without, 20, 0),
            exactly("how far a pre-norm block whose sub-layers give 0 is from its input", _block_of_nothing(X), 0.0),
            shown("size in each draw, with residual sums", kept, 3),
            shown("size in each draw, without them", lost, 4),
        ),
    )


def _block_of_nothing(X: Numbers) -> float:
    """How far a pre-norm block whose sub-layers give 0 is from handing on what came in."""
    block = _block(np.random.default_rng(_SEED))
    attention, network = block.attention, block.feed_forward
    silent = block._replace(
        attention=attention._replace(W_O=np.zeros_like(attention.W_O)),
        feed_forward=network._replace(W_2=np.zeros_like(network.W_2)),
    )
    return gap(eq.encoder_block_pre(X, silent), X)


def _slope(X: Numbers, blocks: list[EncoderBlockWeights], residual: bool, towards: Numbers) -> float:
    """The size of the gradient of the stack's output, in one direction, with respect to its input."""
    working = recorded(programs.stack, X, blocks, residual, towards)
    slopes = working.gradient("stack.number", ["stack.X"])["gradient.stack_X"].value
    return float(np.linalg.norm(slopes))


def _block(generator: np.random.Generator) -> EncoderBlockWeights:
    """One block with weights that are drawn, gains of 1 and biases of 0."""

    def drawn(rows: int, columns: int, added: int) -> Numbers:
        numbers: Numbers = _SPREAD * generator.normal(size=(rows, columns)) / np.sqrt(added)
        return numbers

    norm = NormWeights(np.ones(_WIDTH), np.zeros(_WIDTH))
    one = _WIDTH // _HEADS
    heads = [
        (drawn(_WIDTH, one, _WIDTH), drawn(_WIDTH, one, _WIDTH), drawn(_WIDTH, one, _WIDTH)) for _ in range(_HEADS)
    ]
    W_1, W_2 = drawn(_INNER, _WIDTH, _WIDTH), drawn(_WIDTH, _INNER, _INNER)
    network = FeedForwardWeights(W_1, np.zeros(_INNER), W_2, np.zeros(_WIDTH), eq.relu)
    return EncoderBlockWeights(AttentionWeights(heads, drawn(_WIDTH, _WIDTH, _WIDTH)), norm, network, norm)


RESIDUAL_GRADIENT = Experiment(
    name="residual-gradient",
    title="Residuals carry the gradient through a deep stack",
    text="first",
    place="section 7, second part of the block",
    claim="Where each sub-layer's input is added to its output, the slope finds a way past every sub-layer, and what "
    "a block has to learn is the difference from its input.",
    expected=f"Through {_DEPTH} blocks of equation (11) the gradient at the input keeps its size, 0.3 to 1.7 times "
    "that at the output, with residual sums; without them it is at least 20 times smaller. A block whose sub-layers "
    "give 0 hands on exactly what came in.",
    see='workings explain "residual connection"',
    compute=_residual_gradient,
    counter=CounterCheck("both stacks are without residual sums", {"residual": False}),
    statistical=f"{_DRAWS} stacks with inputs and weights drawn from seed {_SEED}; medians are judged",
)
