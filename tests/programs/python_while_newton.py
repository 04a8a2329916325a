"""A while loop until converged: Newton's square root and fixed-point iteration, with a counter."""

import math


def square_root(a, start=1.0):
    x = start
    steps = 0
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
        steps += 1
    return x, steps


def fixed_point(f, x, n):
    while n > 0:
        x = f(x)
        n -= 1
    return x


def program(a, x):
    root, steps = square_root(a)
    settled = fixed_point(math.cos, x, 12)
    i = 0
    series = term = 1.0
    while True:
        i += 1
        term *= x / i
        series += term
        if i == 8:
            break
    return root, steps, settled, series


FIRST = {"a": 2.0, "x": 0.5}
SECOND = {"a": 1.8, "x": -0.7}
