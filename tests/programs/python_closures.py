"""Closures that carry weights, a nonlocal running total, nested functions and lambdas kept in a list."""

import math


def make_linear(weight, bias):
    def forward(x):
        return [sum(w * xi for w, xi in zip(row, x)) + b for row, b in zip(weight, bias)]

    return forward


def make_meter():
    total = 0.0
    count = 0

    def record(value):
        nonlocal total, count
        total += value
        count += 1
        return total / count

    return record


def program(x, weight, bias, slope):
    activations = [math.tanh, lambda z: max(z, 0.0), lambda z, a=slope: z if z > 0 else a * z]
    layer = make_linear(weight, bias)
    meter = make_meter()
    means = []
    for activation in activations:
        hidden = [activation(z) for z in layer(x)]
        for h in hidden:
            means.append(meter(h))
    compose = lambda f, g: lambda v: f(g(v))
    twice = compose(layer, layer)
    return means, twice(x)


FIRST = {"x": [0.5, -1.0], "weight": [[0.3, -0.8], [1.2, 0.4]], "bias": [0.1, -0.6], "slope": 0.1}
SECOND = {"x": [0.9, -0.7], "weight": [[0.6, -0.5], [0.2, 1.1]], "bias": [0.4, -0.3], "slope": 0.2}
