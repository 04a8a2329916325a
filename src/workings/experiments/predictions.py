"""Section 9: temperature, and one masked pass against the loop."""

from __future__ import annotations

import numpy as np

from workings import equations as eq
from workings.experiments import programs
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import ROUNDING, gap, multiplications, recorded, run, said
from workings.experiments.outcome import Outcome, at_least, at_most, is_so, shown
from workings.experiments.timing import shortest

_TEMPERATURES = (0.01, 0.5, 1.0, 2.0, 1e6)
_WORDS = ("Apple", "shares", "fell", "sharply")
_LENGTH = 48


def _temperature(*, inverted: bool = False) -> Outcome:
    working = run("next-token")
    logits, words = working["next.logits"].value, working["next.logits"].labels[0]
    assert words is not None
    chances = [eq.softmax(eq.temperature(logits, 1 / T if inverted else T)) for T in _TEMPERATURES]
    largest = [float(np.max(row)) for row in chances]
    order = [list(np.argsort(row, kind="stable")) for row in chances[1:-1]]
    greedy = np.zeros(len(logits))
    greedy[int(eq.greedy(logits))] = 1.0
    return Outcome(
        f"The largest of the probabilities, that of {words[int(np.argmax(logits))]}, is {largest[2]:.3f} at "
        f"temperature 1, {largest[1]:.3f} at ½ and {largest[3]:.3f} at 2; at 0.01 it is {largest[0]:.3f}, and at a "
        f"million all are {chances[-1].min():.3f} to {largest[-1]:.3f}.",
        (
            is_so("at ½ the largest is larger than at 1", largest[1] > largest[2]),
            is_so("at 2 the largest is smaller than at 1", largest[3] < largest[2]),
            is_so("the order is the same at ½, 1 and 2", order[0] == order[1] == order[2]),
            at_most("towards 0: largest gap from the greedy choice", gap(chances[0], greedy), 1e-12),
            at_most("towards infinity: largest gap from equal shares", gap(chances[-1], 1 / len(logits)), 1e-5),
            shown(f"largest probability at {', '.join(f'{T:g}' for T in _TEMPERATURES)}", largest, 3),
        ),
    )


TEMPERATURE = Experiment(
    name="temperature",
    title="What temperature does to a distribution",
    text="first",
    place="section 9, generation loop",
    claim="One number before the draw decides how bold it is: small temperatures favour the likeliest token, large "
    "ones even the chances out.",
    expected="Below 1 the largest probability grows, above 1 it shrinks, the order never changes; towards 0 only the "
    "greedy choice is left, towards infinity all words are equal.",
    see='workings show next-token --at "next.temperature_2.probabilities[shares]"',
    compute=_temperature,
    counter=CounterCheck("the scores are multiplied by the temperature", {"inverted": True}),
)


def _teacher_forcing(*, mask: bool = True) -> Outcome:
    sentence = [_WORDS[place % len(_WORDS)] for place in range(_LENGTH)]
    working = run("next-token", " ".join(sentence))
    X, W_Q, W_out, b = (working[name].value for name in ("X", "reading.W_Q", "next.W_out", "next.b"))
    pass_ = recorded(programs.at_once, X, W_Q, W_out, b, mask)
    loop = recorded(programs.by_prefixes, X, W_Q, W_out, b)
    counted = [multiplications(pass_), multiplications(loop)]
    seconds = [
        shortest(lambda: programs.at_once(X, W_Q, W_out, b, mask)),
        shortest(lambda: programs.by_prefixes(X, W_Q, W_out, b)),
    ]
    apart = gap(pass_.result, loop.result)
    short = run("next-token")
    printed = [short[f"loop.{turn}.next.probabilities"].value for turn in (1, 2, 3)]
    same = (
        f"give the same distribution, to within {said(apart)}" if apart <= ROUNDING else f"differ by up to {apart:.3f}"
    )
    return Outcome(
        f"At {_LENGTH} positions one pass over the whole sentence and the loop over its prefixes {same}; the loop "
        f"takes {counted[1] / counted[0]:.1f} times the multiplications.",
        (
            at_most("largest gap between the pass and the loop", apart, ROUNDING),
            at_most(
                "largest gap between the pass and the loop of next-token", gap(pass_.result[:3], printed), ROUNDING
            ),
            at_least("how many times more multiplications the loop takes", counted[1] / counted[0], 5, 1),
            shown("multiplications: at once, by the loop", counted),
            shown("how many times longer the loop takes here", seconds[1] / seconds[0], 1),
        ),
    )


TEACHER_FORCING = Experiment(
    name="teacher-forcing",
    title="One masked pass against the loop",
    text="first",
    place="section 9, paragraph on training",
    claim="Training needs no generation: with the mask, a single pass over the true sentence asks every position for "
    "its next token, as the loop would one by one.",
    expected="At every position one masked pass gives the distribution that the loop gives for the same prefix, with "
    "at most a fifth of the multiplications. Time is shown, and nothing is judged by it.",
    see="workings show next-token",
    compute=_teacher_forcing,
    counter=CounterCheck("the pass is made without the mask", {"mask": False}),
)
