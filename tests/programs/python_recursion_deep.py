"""Mutual recursion, memo dictionaries, recursion over dictionaries, permutations, quicksort on numbers."""

BRANCHES = True


def even(n, x):
    return x if n == 0 else odd(n - 1, x * 0.5)


def odd(n, x):
    return -x if n == 0 else even(n - 1, x + 1)


def quicksort(v):
    if len(v) <= 1:
        return v
    p, *rest = v
    return quicksort([a for a in rest if a < p]) + [p] + quicksort([a for a in rest if a >= p])


def walk(d):
    return {k: walk(v) if isinstance(v, dict) else v * 2 for k, v in d.items()}


def fib(n, memo={}):  # noqa: B006 - a memory kept in a default, as people write it
    if n < 2:
        return n
    if n not in memo:
        memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]


def program(x, v, d):
    return even(6, x), odd(3, x), quicksort(v), walk(d), fib(12) * x


FIRST = {"x": 0.5, "v": [3.0, 1.5, 2.5, 0.5], "d": {"a": 1.0, "b": {"c": 2.0}}}
SECOND = {"x": 0.7, "v": [1.0, 3.5, 0.5, 2.5], "d": {"a": 0.3, "b": {"c": 4.0}}}
