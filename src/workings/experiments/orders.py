"""Section 6: attention does not see the order of the words; with positions it does."""

from __future__ import annotations

import numpy as np

from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import ROUNDING, Numbers, gap, point, run, said
from workings.experiments.outcome import Outcome, about, at_least, at_most, exactly, is_so, shown
from workings.recording.working import Working

_FUND, _BANK = "the fund bought the bank", "the bank bought the fund"
_EXCHANGED = [0, 4, 2, 3, 1]
_FIRST, _LAST = "Apple shares fell sharply", "shares fell sharply Apple"
_MOVED = [1, 2, 3, 0]
"""Where each word of the second order stands in the first."""


def _permutation(*, positions: bool = False) -> Outcome:
    section = "ordered" if positions else "bag"
    fund, bank = (run("bank", sentence)[f"{section}.output"].value for sentence in (_FUND, _BANK))
    same = gap(bank, fund[_EXCHANGED])
    apart = max(min(gap(row, other) for other in fund) for row in bank)
    return Outcome(
        f"“{_FUND}” and “{_BANK}” give the same five vectors, exchanged as the words were."
        if max(same, apart) <= ROUNDING
        else f"“{_FUND}” and “{_BANK}” do not give the same vectors: one differs by {said(apart)} from all of the "
        "other sentence.",
        (
            at_most("largest gap between the outputs, each word beside itself", same, ROUNDING),
            at_most("largest gap between the two sets of outputs", apart, ROUNDING),
            at_least("how far the outputs of fund and bank are apart", gap(fund[1], fund[4]), 0.1),
        ),
    )


PERMUTATION = Experiment(
    name="permutation",
    title="Permuted words give permuted outputs",
    text="first",
    place="section 6, first paragraph",
    claim="Attention does not see in which order the words stand: exchange two of them, and their outputs are "
    "exchanged, and that is all.",
    expected=f"“{_FUND}” and “{_BANK}” give the same set of output vectors, to rounding, when no positions are added.",
    see='workings show apple "shares fell sharply Apple"',
    compute=_permutation,
    counter=CounterCheck("positions are added first", {"positions": True}),
)


def _positions(*, positions: bool = True) -> Outcome:
    first, last = (run("apple", sentence) for sentence in (_FIRST, _LAST))
    changed = {name: _pair(f"{name}.weights", first, last, positions) for name in ("plain", "scaled", "projected")}
    gaps = [np.abs(before[np.ix_(_MOVED, _MOVED)] - after) for before, after in changed.values()]
    counts, largest = [int(np.sum(each > ROUNDING)) for each in gaps], [float(np.max(each)) for each in gaps]
    before, after = _pair("projected.output", first, last, positions)
    inputs = [_input(working, positions)[row] for working, row in ((first, 0), (last, 3))]
    return Outcome(
        f"Apple goes in as {point(inputs[0])} when it comes first and as {point(inputs[1])} when it comes last; of the "
        f"sixteen weights {min(counts)} change, by up to {max(largest):.3f}.",
        (
            about("Apple's input, first", inputs[0], [1.00, 1.20], 0.005, 2),
            about("Apple's input, last", inputs[1], [1.14, -0.79], 0.005, 2),
            exactly("weights that change: plain, scaled, projected", counts, [16, 16, 16]),
            at_least("the largest change in each", largest, [0.1] * 3, 3),
            is_so("every row of the output changes", (_gap_by_row(before[_MOVED], after) > ROUNDING).all()),
            shown("largest change of each word's output, shares first", _gap_by_row(before[_MOVED], after), 3),
        ),
    )


def _input(working: Working, positions: bool) -> Numbers:
    """What attention reads: the rows of the sentence, with or without their positions."""
    rows: Numbers = working["positions.input" if positions else "X"].value
    return rows


def _pair(address: str, first: Working, last: Working, positions: bool) -> tuple[Numbers, Numbers]:
    """A value of both orders, attention reading what `_input` says."""
    before, after = (working.replay({"X": _input(working, positions)})[address] for working in (first, last))
    return before, after


def _gap_by_row(one: Numbers, other: Numbers) -> Numbers:
    """The largest difference in each row."""
    gaps: Numbers = np.max(np.abs(one - other), axis=-1)
    return gaps


POSITIONS = Experiment(
    name="positions",
    title="With positions, permuted words no longer give permuted outputs",
    text="first",
    place="section 6, by hand",
    claim="A vector added for each position makes the same word another vector in another place, and no weight stays "
    "what it was.",
    expected="Apple goes in as (1.00, 1.20) when it comes first and as (1.14, −0.79) when it comes last; each of the "
    "sixteen weights changes, and so does every output.",
    see='workings show apple "shares fell sharply Apple" --at "positions.input[Apple, finance]"',
    compute=_positions,
    counter=CounterCheck("no positions are added", {"positions": False}),
)
