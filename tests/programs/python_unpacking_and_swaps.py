"""Tuple and star unpacking, nested targets, swaps of names and of list elements, chained assignment."""


def min_max(values):
    lowest = highest = values[0]
    for v in values[1:]:
        lowest, highest = min(lowest, v), max(highest, v)
    return lowest, highest


def program(values, pairs):
    a, b, *middle, z = values
    a, b = b, a
    low, high = min_max(values)
    x = y = a - z
    x += 1.0
    swapped = list(values)
    swapped[0], swapped[-1] = swapped[-1], swapped[0]
    total = 0.0
    for i, (u, (v, w)) in enumerate(pairs):
        total += (i + 1) * u * v - w
    (first, _), *others = pairs
    fib = [a, b]
    for _ in range(4):
        a, b = b, a + b
        fib.append(b)
    return a, b, x, y, middle, low, high, swapped, total, first, others[0][0], fib


FIRST = {"values": [0.5, -1.0, 1.5, 0.25, 2.0], "pairs": [(0.1, (0.2, 0.3)), (1.0, (-0.5, 0.7))]}
SECOND = {"values": [-0.3, 0.8, 0.6, -1.4, 1.1], "pairs": [(0.9, (1.2, -0.4)), (-0.6, (0.75, 1.3))]}
