"""Layer normalisation of lists with math.sqrt, a default epsilon and list arithmetic."""

import math


def mean(xs):
    return sum(xs) / len(xs)


def layer_norm(x, gamma, beta, eps=1e-5):
    mu = mean(x)
    var = mean([(xi - mu) ** 2 for xi in x])
    normed = [(xi - mu) / math.sqrt(var + eps) for xi in x]
    return [g * n + b for g, n, b in zip(gamma, normed, beta)]


def program(tokens, update, gamma, beta):
    residual = [[a + b for a, b in zip(t, u)] for t, u in zip(tokens, update)]
    default = [layer_norm(r, gamma, beta) for r in residual]
    no_epsilon = [layer_norm(r, gamma, beta, eps=0.0) for r in residual]
    return default, no_epsilon


FIRST = {
    "tokens": [[0.5, -1.0, 0.25, 1.5], [1.0, 0.2, -0.3, 0.7]],
    "update": [[0.1, 0.2, -0.1, 0.4], [-0.6, 0.3, 0.9, 0.0]],
    "gamma": [1.0, 1.0, 0.5, 2.0],
    "beta": [0.0, 0.1, 0.0, -0.1],
}
SECOND = {
    "tokens": [[-0.7, 0.4, 1.1, 0.9], [0.3, -1.4, 0.8, 0.2]],
    "update": [[0.5, -0.3, 0.6, -0.2], [1.2, 0.1, -0.4, 0.7]],
    "gamma": [0.8, 1.5, 1.2, 0.6],
    "beta": [0.2, -0.3, 0.4, 0.5],
}
