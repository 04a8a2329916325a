"""try/except/finally, raise, a context manager of one's own and a global counter."""

from contextlib import contextmanager

calls = 0
history = []


class TooLarge(ValueError):
    pass


@contextmanager
def scaled(values, factor):
    for i in range(len(values)):
        values[i] *= factor
    try:
        yield values
    finally:
        for i in range(len(values)):
            values[i] /= factor


def divide(a, b):
    global calls
    calls += 1
    try:
        result = a / b
    except ZeroDivisionError:
        result = a
    else:
        result += 0.5
    finally:
        history.append(b)
    return result


def check(x):
    if x > 1000:
        raise TooLarge(x)
    return x


def program(values, divisors, factor):
    global calls
    calls = 0
    history.clear()
    work = list(values)
    with scaled(work, factor) as bigger:
        ratios = [divide(a, b) for a, b in zip(bigger, divisors)]
    try:
        top = check(1001.0 + values[0])
    except TooLarge as error:
        top = error.args[0] / 1000
    return ratios, work, top, calls, list(history)


FIRST = {"values": [0.5, -1.5, 0.8], "divisors": [0.25, 0.0, 2.0], "factor": 2.0}
SECOND = {"values": [1.4, 0.9, -0.6], "divisors": [1.6, 0.0, -0.5], "factor": 3.0}
