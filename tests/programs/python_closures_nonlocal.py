"""Closures that change outer variables, late binding in loops, defaults that bind early, decorators with arguments."""

import functools


def scaled(k):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            inner.calls += 1
            return k * f(*args, **kwargs)

        inner.calls = 0
        return inner

    return wrap


@scaled(3.0)
def affine(x, /, slope, *, shift=1.0):
    return slope * x + shift


def account(balance):
    history = []

    def deposit(amount):
        nonlocal balance
        balance += amount
        history.append(balance)
        return balance

    def undo():
        nonlocal balance
        if history:
            balance = history.pop()
        return balance

    return deposit, undo, lambda: balance


def program(x, y):
    deposit, undo, look = account(x)
    deposit(y)
    deposit(x * y)
    late = [lambda: x * i for i in range(3)]  # noqa: B023 - bound late, on purpose
    early = [lambda i=i, w=x * y: w * i for i in range(3)]

    def power(n, base=x):
        return base if n <= 1 else base * power(n - 1)

    twice = scaled(x)(lambda v: v + y)
    z = (lambda *a, **k: sum(a) + k["b"])(x, y, b=y)
    return (
        look(),
        undo(),
        look(),
        [f() for f in late],
        [f() for f in early],
        power(3),
        power(2, y),
        affine(x, slope=y),
        affine(y, x, shift=x),
        twice(1.0),
        z,
        affine.calls > 0,
    )


FIRST = {"x": 0.5, "y": 1.25}
SECOND = {"x": 0.75, "y": 1.5}
