"""Less common functions, one line each: select, hypot, logaddexp, searchsorted, convolve, bincount, interp."""

import numpy as np


def program(x, y, knots):
    chosen = np.select([x < -0.5, x > 0.5], [-x, x * x], default=0.0)
    lengths = np.hypot(x, y)
    stable = np.logaddexp(x, y)
    angles = np.degrees(np.arctan2(y, x))
    smooth = np.convolve(x, [0.25, 0.5, 0.25], mode="same")
    between = np.interp(x, knots, knots**2)
    places = np.searchsorted(knots, x)
    weighted = np.bincount([0, 1, 0, 2], weights=y)
    groups = np.add.reduceat(x, [0, 2])
    spread = np.ptp(x) + np.median(y) + np.average(x, weights=y)
    slope = np.gradient(x)
    polynomial = np.polyval(knots, y)
    powers = np.vander(y, 3) @ knots
    return chosen, lengths, stable, angles, smooth, between, places, weighted, groups, spread, slope, polynomial, powers


OPAQUE = True
FIRST = {"x": np.array([0.5, -1.2, 0.9, 1.6]), "y": np.array([0.4, 1.3, 0.7, 0.2]), "knots": np.array([-1.0, 0.3, 1.2])}
SECOND = {
    "x": np.array([-0.8, 1.1, 0.3, -0.1]),
    "y": np.array([1.6, 0.25, 1.05, 0.9]),
    "knots": np.array([-0.7, 0.2, 1.4]),
}
