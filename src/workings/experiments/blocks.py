"""Section 7: what crosses between tokens in a block, and what two blocks make of it."""

from __future__ import annotations

import math

import numpy as np

from workings import equations as eq
from workings.equations import AttentionWeights, EncoderBlockWeights, FeedForwardWeights, NormWeights
from workings.experiments import programs
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import Numbers, gap, listed, moved_rows, recorded, run, said, words_of
from workings.experiments.outcome import Outcome, at_least, exactly, is_so
from workings.reading.replay import Replay
from workings.recording.working import Working

_NETWORK = "block.feed_forward.output"


def _feed_forward_per_token(*, changed: str = "block.between") -> Outcome:
    working = run("encoder-block")
    words = words_of(working, "X")
    alone = working.replay({f"{changed}[shares]": [2.0, -1.0, 0.5]})
    inside, after = (moved_rows(working[at].value, alone[at]) for at in (_NETWORK, "block.output"))
    through = working.replay({"X[shares]": [0.5, 2.0, 0.0]})["block.attention.output"]
    crossed = moved_rows(working["block.attention.output"].value, through)
    return Outcome(
        f"Another vector for shares at {changed} changes the feed-forward output of "
        f"{listed([words[row] for row in inside])}; before the attention it changes the attention's output of "
        f"{listed([words[row] for row in crossed])}.",
        (
            exactly("rows of the feed-forward output that change with row 1", inside, [1]),
            exactly("rows of the block's output that change with them", after, [1]),
            is_so("through the attention other rows change too", set(crossed) - {1}),
        ),
    )


FEED_FORWARD_PER_TOKEN = Experiment(
    name="feed-forward-per-token",
    title="No token reaches another through the feed-forward network",
    text="first",
    place="section 7, third part of the block",
    claim="The feed-forward network works on one token at a time: whatever a token knows of another, it has from the "
    "attention.",
    expected="Changing one token changes its own row of the feed-forward output and no other, to the last bit; changed "
    "before the attention, it changes others.",
    see='workings show encoder-block --set "block.between[shares] = 2, -1, 0.5"',
    compute=_feed_forward_per_token,
    counter=CounterCheck("the token is changed before the attention", {"changed": "X"}),
)


def _two_blocks(*, asks_fell: bool = True) -> Outcome:
    block = _block_of(run("encoder-block"))
    working = recorded(programs.two_blocks, np.eye(3), block, _mask(asks_fell))
    working.label("X", ("Apple", "shares", "fell"), ("food", "finance", "motion"))
    fell = {"two_blocks.X[fell]": [0.0, 0.8, 0.5]}
    replayed = working.replay(fell)
    # As if shares had not listened in the first block: what it took from fell there is put back to what it was.
    held = working.replay({**fell, "two_blocks.one[1]": working["two_blocks.one[1]"].value})
    first, second = (_difference(working, replayed, name) for name in ("one", "two"))
    without_shares = _difference(working, held, "two")
    return Outcome(
        f"With only the steps that the mask leaves open, another fell moves Apple by {said(first)} in the first block "
        f"and by {said(second)} in the second; with shares held to what it was after the first block, by "
        f"{said(without_shares)}.",
        (
            exactly("how far Apple moves after the first block", first, 0.0),
            at_least("how far shares moves after the first block", _difference(working, replayed, "one", 1), 0.01),
            at_least("how far Apple moves after the second block", second, 0.01),
            exactly("how far Apple moves then, with shares held after the first block", without_shares, 0.0),
        ),
    )


def _difference(working: Working, replayed: Replay, name: str, row: int = 0) -> float:
    """How far a word is from where it was; Apple unless another is named."""
    address = f"two_blocks.{name}[{row}]"
    return gap(working[address].value, replayed[address])


def _mask(asks_fell: bool) -> Numbers:
    """Apple may ask shares, shares may ask fell, fell itself; in the counter-check shares asks itself."""
    mask = np.full((3, 3), -math.inf)
    for row, column in ((0, 1), (1, 2 if asks_fell else 1), (2, 2)):
        mask[row, column] = 0.0
    return mask


def _block_of(working: Working) -> EncoderBlockWeights:
    """The weights of the example's block."""

    def matrix(name: str) -> Numbers:
        found: Numbers = working[f"block.{name}"].value
        return found

    heads = [(matrix(f"attention.{n}.W_Q"), matrix(f"attention.{n}.W_K"), matrix(f"attention.{n}.W_V")) for n in (1, 2)]
    norms = [NormWeights(matrix(f"{n}.gain"), matrix(f"{n}.bias")) for n in ("attention_norm", "feed_forward_norm")]
    W_1, b_1, W_2, b_2 = (matrix(f"feed_forward.{name}") for name in ("W_1", "b_1", "W_2", "b_2"))
    network = FeedForwardWeights(W_1, b_1, W_2, b_2, eq.relu)
    return EncoderBlockWeights(AttentionWeights(heads, matrix("attention.W_O")), norms[0], network, norms[1])


TWO_BLOCKS = Experiment(
    name="two-blocks",
    title="After two blocks, what fell gave shares reaches Apple",
    text="first",
    place="section 7, closing paragraph",
    claim="The second block reads what the first one made, so a token is reached by words that it did not ask itself: "
    "Apple by fell, through shares.",
    expected="With only the steps from fell to shares and from shares to Apple open, changing fell does not move Apple "
    "after the first block, to the last bit, and moves it after the second; not so with shares held to what it was.",
    see="workings show encoder-block",
    compute=_two_blocks,
    counter=CounterCheck("shares asks itself instead of fell", {"asks_fell": False}),
)
