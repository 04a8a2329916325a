"""A gradient by central differences: a loss closed over data, one weight nudged up and down at a time."""

import math


def numeric_gradient(f, w, h=1e-5):
    gradient = []
    for i in range(len(w)):
        up, down = list(w), list(w)
        up[i] += h
        down[i] -= h
        gradient.append((f(up) - f(down)) / (2 * h))
    return gradient


def program(w, xs, ys, rate):
    def loss(weights):
        error = 0.0
        for x, y in zip(xs, ys):
            prediction = math.tanh(weights[0] * x + weights[1])
            error += (prediction - y) ** 2
        return error / len(xs)

    g = numeric_gradient(loss, w)
    new = [wi - rate * gi for wi, gi in zip(w, g)]
    return loss(w), g, new, loss(new)


FIRST = {"w": [0.5, -0.3], "xs": [0.2, 1.0, -0.7], "ys": [0.1, 0.9, -0.5], "rate": 0.1}
SECOND = {"w": [-0.4, 0.8], "xs": [1.1, -0.6, 0.4], "ys": [-0.2, 0.3, 0.7], "rate": 0.2}
