"""The second text, matrix form: loops against two matrix products."""

from __future__ import annotations

from workings import equations as eq
from workings.experiments import programs
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import ROUNDING, gap, recorded, run, said
from workings.experiments.outcome import Outcome, about, at_least, at_most, exactly, shown
from workings.experiments.timing import shortest


def _loops_against_products(*, normalise: bool = True) -> Outcome:
    inputs = run("journey")["inputs"].value
    loops, products = recorded(programs.by_loops, inputs, normalise), recorded(eq.plain_attention, inputs)
    apart = gap(loops.result, products.result[0])
    # Steps are what a library is called for: they can be counted, and hardly depend on the machine.
    calls = [len([step for step in working.steps if step.operation != "given"]) for working in (loops, products)]
    matrices = sum(step.operation == "matmul" for step in products.steps)
    seconds = [
        shortest(lambda: programs.by_loops(inputs, normalise)),
        shortest(lambda: eq.plain_attention(inputs)),
    ]
    return Outcome(
        f"The contexts of the loops over six tokens and of the two products are no further apart than {said(apart)}; "
        f"the loops take {calls[0]} steps, the products with their softmax {calls[1]}.",
        (
            at_most("largest gap between the two", apart, ROUNDING),
            about("context of journey, as printed", loops.result[1], [0.4419, 0.6515, 0.5683], 0.00005),
            exactly("matrix products", matrices, 2),
            at_least("how many times more steps the loops take", calls[0] / calls[1], 5, 1),
            shown("how many times longer they take here", seconds[0] / seconds[1], 1),
        ),
    )


LOOPS_AGAINST_PRODUCTS = Experiment(
    name="loops-against-products",
    title="Loops against the two matrix products",
    text="second",
    place="the sentence above the listing of the matrix form",
    claim="The three steps written as loops for each token, and two matrix products around a softmax, are one "
    "computation.",
    expected="Six runs of the loops give the rows of the matrix form, to rounding, and take at least 5 times as many "
    "steps. Time is shown, and nothing is judged by it.",
    see="workings show journey",
    compute=_loops_against_products,
    counter=CounterCheck("the loops mix by the scores themselves, without the softmax", {"normalise": False}),
)
