"""Experiments: what the two texts claim, made runnable, each with what must come out.

    outcome = load("permutation").run()     # what happened, the numbers it is judged by, whether the claim holds
    load("permutation").counter_check()     # the same judgement of a computation that breaks the claim

An experiment computes with the equations, the examples, a Working's replay or gradient, or a transformer; it has no
mathematics of its own. Its claim is said in our words. Where numbers are drawn, it says so, how often, and how far the
result may be from what is expected.
"""

from workings.experiments.catalogue import load, names
from workings.experiments.experiment import CounterCheck, Experiment, ExperimentError
from workings.experiments.outcome import Measured, Outcome

__all__ = ["CounterCheck", "Experiment", "ExperimentError", "Measured", "Outcome", "load", "names"]
