"""Section 3 of the first text and the second text: the weighted average, its weights, and what it keeps."""

from __future__ import annotations

import numpy as np

from workings import equations as eq
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import (
    ROUNDING,
    Numbers,
    gap,
    listed,
    moved_rows,
    point,
    recorded,
    run,
    said,
    words_of,
)
from workings.experiments.outcome import Outcome, about, at_most, exactly, is_so, shown

_SEED = 20261012
_SIZES = 40


def _perpendicular(*, shares: tuple[float, float] = (-0.20, 1.00)) -> Outcome:
    replayed = run("apple").replay({"X[shares]": list(shares)})
    words = words_of(replayed.working, "plain.weights")
    weights, score = replayed["plain.weights"][0], float(replayed["plain.scores[Apple, shares]"])
    least = [word for word, weight in zip(words, weights, strict=True) if weight <= min(weights) + ROUNDING]
    return Outcome(
        f"With shares at {point(shares)} its score for Apple is {score:.2f}, and Apple gives the least, "
        f"{min(weights):.4f}, to {listed(least)}.",
        (
            exactly("score of Apple and shares", score, 0.0),
            about("Apple's weights", weights, [0.4222, 0.1492, 0.2271, 0.2014], 0.00005),
            is_so("shares alone gets the smallest of them", least == ["shares"]),
        ),
    )


PERPENDICULAR = Experiment(
    name="perpendicular",
    title="The perpendicular pair gets the smallest weight",
    text="first",
    place="section 3, remark",
    claim="Plain scores find only words that are alike already: two that stand at right angles score 0, and the "
    "weight between them is the smallest, however much they have to do with each other.",
    expected="With shares at (−0.20, 1.00), perpendicular to Apple, their score is 0, Apple's weights are 0.4222, "
    "0.1492, 0.2271, 0.2014, and the smallest is that of shares.",
    see='workings show apple --set "X[shares] = -0.20, 1.00" --at "plain.weights[Apple, shares]"',
    compute=_perpendicular,
    counter=CounterCheck("shares stays where the text puts it", {"shares": (0.10, 1.00)}),
)


def _rows_independent(*, axis: int = -1) -> Outcome:
    example = run("apple")
    scores = example["projected.scaled_scores"].value
    working = recorded(eq.softmax, scores, axis)
    words = words_of(example, "projected.weights")
    alone = [eq.softmax(scores[row : row + 1], axis)[0] for row in range(len(words))]
    changed = working.replay({"scores[0]": [2.0, -1.0, 0.5, 0.0]})
    rows = moved_rows(working.result, changed.result)
    asked = example.replay({"projected.queries[Apple]": [5.0, -3.0]})
    outputs = moved_rows(example["projected.output"].value, asked["projected.output"])
    apart = gap(alone, working.result)
    itself = "is that row of the whole" if apart <= ROUNDING else f"differs by up to {apart:.3f} from that of the whole"
    return Outcome(
        f"Each row of weights worked out by itself {itself}. With other scores for Apple, the weights "
        f"of {listed([words[row] for row in rows])} change; with another query of Apple, the output of "
        f"{listed([words[row] for row in outputs])}.",
        (
            at_most("largest gap between a row alone and in the whole", apart, ROUNDING),
            exactly("rows of weights that change with Apple's scores", rows, [0]),
            exactly("rows of the output that change with Apple's query", outputs, [0]),
        ),
    )


ROWS_INDEPENDENT = Experiment(
    name="rows-independent",
    title="Rows of weights do not touch one another",
    text="first",
    place="section 3, steps",
    claim="Every token's scores, softmax and mix are worked out without those of the others, which is why all of them "
    "can run at once.",
    expected="Each row worked out by itself is that row of the whole, and another query of one token changes one row.",
    see='workings show apple --set "projected.queries[Apple] = 5, -3"',
    compute=_rows_independent,
    counter=CounterCheck("the softmax runs down the columns: over the tokens that ask", {"axis": -2}),
)


def _shape_contract(*, positions: bool = False) -> Outcome:
    generator = np.random.default_rng(_SEED)
    shapes = outside = exchanged = 0.0
    for _ in range(_SIZES):
        length, width = (int(size) for size in generator.integers(2, 17, size=2))
        rows = generator.normal(size=(length, width))
        order = np.arange(length)
        one, other = generator.choice(length, size=2, replace=False)
        order[[one, other]] = order[[other, one]]
        output, again = (_mixed(X, positions) for X in (rows, rows[order]))
        shapes += output.shape == rows.shape
        outside = max(outside, float(np.max(output - rows.max(axis=0))), float(np.max(rows.min(axis=0) - output)))
        exchanged = max(exchanged, gap(again, output[order]))
    return Outcome(
        f"In all {_SIZES} drawn sentences, of 2 to 16 tokens and 2 to 16 numbers each, as many vectors came out as "
        "went in, as wide, none beyond the smallest and largest number of its column; two tokens exchanged exchanged "
        "their outputs."
        if shapes == _SIZES and outside <= ROUNDING and exchanged <= ROUNDING
        else f"Of {_SIZES} drawn sentences {shapes:.0f} kept their shape; outputs went beyond the inputs by up to "
        f"{said(max(outside, 0))}, and an exchange of two tokens changed the outputs by up to {said(exchanged)}.",
        (
            exactly("sentences whose output has the shape of the input", int(shapes), _SIZES),
            at_most("how far an output goes beyond its column", max(outside, 0.0), ROUNDING),
            at_most("largest change of an output when two tokens are exchanged", exchanged, ROUNDING),
        ),
    )


def _mixed(rows: Numbers, positions: bool) -> Numbers:
    """Every token's weighted average of all tokens, or of all tokens with their positions."""
    if positions:
        length, width = rows.shape
        rows = eq.add_positions(rows, eq.sinusoidal_positions(length, width, rows))
    output: Numbers = eq.plain_attention(rows)[0]
    return output


SHAPE_CONTRACT = Experiment(
    name="shape-contract",
    title="The shape contract",
    text="second",
    place="the paragraph below the printed contexts",
    claim="Attention gives back one vector for each token, where it stood and as wide as it was; being an average, it "
    "never leaves the range of what went in.",
    expected="For any number of tokens and any width the output has the input's shape, no number of it lies beyond the "
    "smallest and largest of its column, and exchanging two tokens exchanges their outputs and nothing else.",
    see="workings show journey",
    compute=_shape_contract,
    counter=CounterCheck("positions are added first: the average is no longer one of the inputs", {"positions": True}),
    statistical=f"{_SIZES} sentences drawn from seed {_SEED}, each of which must keep the contract to {said(ROUNDING)}",
)


def _step_as_journey(*, copied: str = "journey") -> Outcome:
    working = run("journey")
    replayed = working.replay({"X[step]": f"X[{copied}]"})
    before, weights = working["all.weights"].value, replayed["all.weights"]
    contexts = replayed["all.contexts"]
    smaller = [bool(now < then) for now, then in zip(weights[0], before[0], strict=True)]
    return Outcome(
        f"With step made equal to {copied}, Your gives journey {weights[0, 1]:.4f} and step {weights[0, 5]:.4f}, and "
        f"its context moves to {point(contexts[0], 4)}: towards {copied}, which it now meets twice.",
        (
            about("Your for journey and step, before", before[0, [1, 5]], [0.2006, 0.1452], 0.00005),
            about("Your for journey and step, after", weights[0, [1, 5]], [0.1900, 0.1900], 0.00005),
            at_most(
                "largest gap of the weights of journey and step, in any row",
                gap(weights[:, 1], weights[:, 5]),
                ROUNDING,
            ),
            at_most("gap of their contexts", gap(contexts[1], contexts[5]), ROUNDING),
            is_so("for Your every weight but that of step shrinks", smaller == [True] * 5 + [False]),
            about("context of Your, before", working["all.contexts"].value[0], [0.4421, 0.5931, 0.5790], 0.00005),
            about("context of Your, after", contexts[0], [0.5165, 0.6173, 0.5984], 0.00005),
            shown("weights of Your, after", weights[0]),
        ),
    )


STEP_AS_JOURNEY = Experiment(
    name="step-as-journey",
    title="Step made equal to journey",
    text="second",
    place="the closing exercise",
    claim="Make the vector of step that of journey, and say beforehand what becomes of the weights, and of the context "
    "of Your. (The exercise asks; the answer is ours.)",
    expected="In every row step gets exactly the weight of journey, and their rows become the same. For Your both get "
    "0.1900 (before: 0.2006 and 0.1452), every other weight shrinks a little, and its context goes from (0.4421, "
    "0.5931, 0.5790) to (0.5165, 0.6173, 0.5984).",
    see='workings show journey --set "X[step] = X[journey]"',
    compute=_step_as_journey,
    counter=CounterCheck("step is made equal to with instead", {"copied": "with"}),
)
