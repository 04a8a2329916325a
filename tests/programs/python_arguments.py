"""Positional, default, keyword-only, *args and **kwargs, and unpacking them in calls."""


def weighted(*values, weights=None, offset=0.0):
    if weights is None:
        weights = [1 / len(values)] * len(values)
    return sum(w * v for w, v in zip(weights, values)) + offset


def total(first, *rest, **named):
    result = first
    for value in rest:
        result += value
    for name, value in named.items():
        result += value if name.startswith("plus") else -value
    return result


def affine(x, slope=2.0, /, intercept=1.0, *, power=1):
    return slope * x**power + intercept


def program(values, weights, offset):
    options = {"weights": weights, "offset": offset}
    a = weighted(*values)
    b = weighted(*values, **options)
    c = total(*values, plus_one=a, minus=b)
    d = affine(c)
    e = affine(c, weights[0], power=2)
    f = affine(*values[:2], intercept=offset)
    return a, b, c, d, e, f


FIRST = {"values": [0.5, -1.5, 2.0], "weights": [0.2, 0.3, 0.5], "offset": 0.25}
SECOND = {"values": [1.25, 0.75, -0.4], "weights": [0.6, 0.1, 0.4], "offset": -0.7}
