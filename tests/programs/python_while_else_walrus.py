"""while/else, walrus, chained comparison, conditional expressions, nested comprehensions, del, assert."""

BRANCHES = True


def program(xs, limit):
    total, n = 0.0, 0
    while (n := n + 1) < 10 and total < limit:
        total += xs[n % len(xs)]
    else:
        total -= 0.5
    flat = [a * b for a in xs for b in xs if a != b]
    nested = [[a + b for b in xs] for a in xs]
    inside = [y for x in xs if (y := x * 2) > -100]
    mid = sorted(xs)[len(xs) // 2]
    ok = -1000 < mid < 1000 != limit
    best = xs[0] if xs[0] > xs[1] else xs[1]
    for i, x in enumerate(xs):
        if x < -50:
            break
    else:
        i = -1
    del xs[0]
    assert len(xs) == 2, "no"
    either = xs[0] or 3.0
    both = xs[0] and xs[1]
    neither = not xs
    a = b = c = xs[1] * 2
    (d, e), f = [a, b], c
    return (
        total,
        flat,
        nested,
        inside,
        y,
        mid,
        ok,
        best,
        i,
        either,
        both,
        neither,
        d + e + f,
        {x for x in "aa"},
        {k: v for k, v in zip("ab", xs)},
    )


FIRST = {"xs": [0.5, 0.25, 1.5], "limit": 4.0}
SECOND = {"xs": [0.6, 0.3, 1.4], "limit": 4.5}
