"""Slices with steps, slice assignment, deletion, list repetition and the shared-row trap of [[0] * n] * m."""


def program(values, patch, amount):
    evens = values[::2]
    odds = values[1::2]
    back = values[::-1]
    work = list(values)
    work[1:3] = patch
    work[-1:] = [amount, amount]
    del work[0]
    work[::2] = [v * 2 for v in work[::2]]
    shared = [[0.0] * 2] * 3
    shared[0][1] += amount
    separate = [[0.0] * 2 for _ in range(3)]
    separate[0][1] += amount
    padded = [0.0] * 2 + values[:3] + [amount] * 2
    rotated = [a * c + b * s for a, b, c, s in zip(evens, odds, patch, [amount] * 2)]
    alias = padded
    alias[2] -= 1.0
    return evens, odds, back, work, shared, separate, padded, rotated, padded[-3:]


FIRST = {"values": [0.1, 0.2, -0.3, 0.4], "patch": [1.5, -1.6, 0.7], "amount": 0.9}
SECOND = {"values": [1.1, -0.7, 0.8, 0.6], "patch": [0.4, 1.3, -0.2], "amount": -1.2}
