"""All experiments, in the order of the texts."""

from __future__ import annotations

import difflib

from workings.experiments import (
    averages,
    blocks,
    costs,
    gradients,
    heads,
    leaking,
    lining_up,
    looking_up,
    loops,
    masks,
    neighbours,
    orders,
    places,
    predictions,
    scales,
)
from workings.experiments.experiment import Experiment, ExperimentError

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        neighbours.NEIGHBOURS,
        looking_up.ONE_VECTOR_PER_WORD,
        averages.PERPENDICULAR,
        averages.ROWS_INDEPENDENT,
        scales.VARIANCE,
        lining_up.LINING_UP,
        costs.HEADS_COST,
        heads.HEADS,
        orders.PERMUTATION,
        orders.POSITIONS,
        places.ROTATION,
        places.PREVIOUS_TOKEN,
        blocks.FEED_FORWARD_PER_TOKEN,
        gradients.RESIDUAL_GRADIENT,
        blocks.TWO_BLOCKS,
        masks.MASK_ZEROS,
        leaking.LEAK,
        predictions.TEMPERATURE,
        predictions.TEACHER_FORCING,
        costs.LENGTH,
        loops.LOOPS_AGAINST_PRODUCTS,
        averages.SHAPE_CONTRACT,
        averages.STEP_AS_JOURNEY,
    )
}


def names() -> list[str]:
    """The experiments, in the order of the texts."""
    return list(EXPERIMENTS)


def load(name: str) -> Experiment:
    """An experiment by its name. Raises ExperimentError for another name, with near ones."""
    wanted = str(name).strip().casefold().replace("_", "-").replace(" ", "-").removeprefix("experiment.")
    if wanted in EXPERIMENTS:
        return EXPERIMENTS[wanted]
    near = difflib.get_close_matches(wanted, EXPERIMENTS, 2, 0.5) or [n for n in EXPERIMENTS if wanted and wanted in n]
    hint = f"did you mean {' or '.join(near[:2])}?" if near else f"there are {', '.join(EXPERIMENTS)}"
    raise ExperimentError(f"there is no experiment {name!r}; expected a name that `workings experiment` lists; {hint}")
