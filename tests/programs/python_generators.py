"""Generators with yield and yield from, generator expressions, next() and a generator that is sent values."""

import math


def running_mean(values):
    total = 0.0
    for count, value in enumerate(values, start=1):
        total += value
        yield total / count


def windows(values, size):
    for start in range(len(values) - size + 1):
        yield values[start : start + size]


def both(values):
    yield from running_mean(values)
    yield from (math.exp(v) for v in values)


def smoother(rate):
    average = yield 0.0
    while True:
        value = yield average
        average = (1 - rate) * average + rate * value


def program(values, rate):
    means = list(running_mean(values))
    sums = [sum(window) for window in windows(values, 2)]
    squares = (v * v for v in values)
    first_square = next(squares)
    other_squares = sum(squares)
    smooth = smoother(rate)
    next(smooth)
    smoothed = [smooth.send(v) for v in values]
    return means, sums, first_square, other_squares, list(both(values)), smoothed


FIRST = {"values": [0.5, -1.0, 1.5, 0.25], "rate": 0.1}
SECOND = {"values": [1.2, 0.7, -0.6, -1.8], "rate": 0.3}
