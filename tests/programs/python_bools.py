"""Comparisons as numbers: sums of truths, booleans stored, counted, used as indices and factors."""


def program(xs, t):
    above = [x > t for x in xs]
    n = sum(above)
    flag = xs[0] > t
    gate = flag * 2.0 + (not flag) * 3.0
    signs = [(x > 0) - (x < 0) for x in xs]
    pick = (10.0, 20.0)[xs[1] > t]
    some = any(above) and not all(above)
    return n, gate, signs, pick, some, above.count(True), int(flag), float(flag) + 1, flag + 1, n / len(xs), True + t


FIRST = {"xs": [0.5, -1.25, 2.0], "t": 0.1}
SECOND = {"xs": [0.7, -1.5, 2.5], "t": 0.2}
