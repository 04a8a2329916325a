"""A formula given as text and evaluated with eval, then used in ordinary arithmetic."""

OPAQUE = True

FORMULA = "a * x ** 2 + b * x + c"


def program(a, b, c, xs):
    ys = [eval(FORMULA, {"a": a, "b": b, "c": c, "x": x}) for x in xs]
    area = 0.0
    for (x0, y0), (x1, y1) in zip(zip(xs, ys), zip(xs[1:], ys[1:])):
        area += (x1 - x0) * (y0 + y1) / 2
    return ys, area


FIRST = {"a": 0.5, "b": -1.0, "c": 0.3, "xs": [0.1, 0.5, 1.0, 1.8]}
SECOND = {"a": -0.7, "b": 0.4, "c": 1.2, "xs": [-0.6, 0.2, 0.9, 1.5]}
