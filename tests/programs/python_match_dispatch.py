"""match/case and a dictionary of functions: a list of layers interpreted one after another."""

import math

ACTIVATIONS = {"relu": lambda v: max(0.0, v), "sigmoid": lambda v: 1 / (1 + math.exp(-v)), "tanh": math.tanh}


def apply(layer, x):
    match layer:
        case ("linear", weight, bias):
            return [sum(w * v for w, v in zip(row, x)) + b for row, b in zip(weight, bias)]
        case ("scale", factor):
            return [factor * v for v in x]
        case (name,) if name in ACTIVATIONS:
            return [ACTIVATIONS[name](v) for v in x]
        case {"clip": limit}:
            return [min(limit, max(-limit, v)) for v in x]
        case _:
            raise ValueError(layer)


def program(x, weight, bias, factor, limit):
    layers = [("linear", weight, bias), ("tanh",), ("scale", factor), ("sigmoid",), ("relu",), {"clip": limit}]
    trace = [x]
    for layer in layers:
        trace.append(apply(layer, trace[-1]))
    return trace


FIRST = {"x": [0.5, -0.2], "weight": [[0.3, 0.9], [-1.1, 0.4]], "bias": [0.1, 0.2], "factor": 1.5, "limit": 0.5}
SECOND = {"x": [-0.8, 1.3], "weight": [[0.7, -0.6], [0.5, 1.2]], "bias": [-0.3, 0.4], "factor": 0.8, "limit": 0.6}
