"""Exceptions half-way through expressions, finally, nested try, errors that depend on numbers."""

import math


def risky(x):
    if x < 0:
        raise ValueError(x)
    return math.sqrt(x)


def safe(x):
    try:
        return risky(x) + 1
    except ValueError as error:
        return -error.args[0]
    finally:
        LOG.append(x)


LOG = []


def program(a, b, zero):
    LOG.clear()
    total = a
    try:
        total = total + risky(b) * risky(-abs(b) - 1)
    except ValueError as error:
        total += error.args[0]
    try:
        ratio = a / zero
    except ZeroDivisionError:
        ratio = a * 2
    try:
        logged = math.log(-a * a)
    except ValueError:
        logged = b
    try:
        [a][3]
    except IndexError:
        total *= 2
    try:
        {"a": 1}["b"]
    except (KeyError, IndexError) as e:
        name = str(e)
    return total, ratio, logged, safe(4.0 * b * b), safe(-b * b), list(LOG), name


FIRST = {"a": 0.5, "b": 1.5, "zero": 0.0}
SECOND = {"a": 1.25, "b": 0.75, "zero": 0.0}
