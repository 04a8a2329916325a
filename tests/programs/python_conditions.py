"""Chained comparisons, conditional expressions, and/or, the walrus and an assert, on plain floats."""


def clamp(x, low=-1.0, high=1.0):
    return low if x < low else high if x > high else x


def bucket(x):
    if -2.0 <= x < 0.0:
        return 0.5 * x
    elif 0.0 <= x <= 1.0:
        return x * x
    else:
        return 2 * x - 1


def program(xs, temperature):
    assert 0 < temperature < 10
    clamped = [clamp(x) for x in xs]
    buckets = [bucket(x) for x in xs]
    large = [y for x in xs if (y := x * temperature) > 0.5]
    if (n := len(large)) > 1 and not any(v > 100 for v in large):
        average = sum(large) / n
    else:
        average = 0.0
    safe = xs[0] or 1.0
    sign = 1 if xs[1] > 0 else -1
    return clamped, buckets, large, average, safe, sign * abs(xs[1])


FIRST = {"xs": [0.5, -0.7, 1.5, 0.9], "temperature": 1.2}
SECOND = {"xs": [0.8, -0.2, 1.9, 0.6], "temperature": 1.5}
