"""functools.reduce, partial, lru_cache and wraps around plain arithmetic."""

import operator
from functools import lru_cache, partial, reduce, wraps


def halved(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) / 2

    return wrapper


@halved
def energy(x, y, *, k=1.0):
    return k * (x - y) ** 2


def step(state, value, rate):
    return state + rate * (value - state)


def program(values, k, rate):
    product = reduce(operator.mul, values)
    total = reduce(lambda acc, v: acc + v, values, 0.0)
    smooth = reduce(partial(step, rate=rate), values)
    stiff = partial(energy, k=k)
    energies = [stiff(a, b) for a, b in zip(values, values[1:])]

    @lru_cache(maxsize=None)
    def weight(n):
        return rate if n == 0 else rate * weight(n - 1)

    return product, total, smooth, energies, [weight(n) for n in range(4)]


FIRST = {"values": [0.5, -1.5, 1.2, 0.8], "k": 2.0, "rate": 0.1}
SECOND = {"values": [1.1, 0.4, -0.9, 1.7], "k": 0.5, "rate": 0.6}
