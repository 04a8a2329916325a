"""Sets of numbers, sorting with ties and keys of several parts, min and max with default, bisect."""

import bisect

BRANCHES = True


def program(xs, k):
    unique = sorted(set(xs))
    pairs = sorted([(x * k, i) for i, x in enumerate(xs)])
    by = sorted(range(len(xs)), key=lambda i: (-xs[i], i))
    xs2 = list(xs)
    xs2.sort(key=lambda v: abs(v - k))
    low = min([], default=k)
    place = bisect.bisect(unique, k)
    seen = set()
    firsts = []
    for x in xs:
        if x not in seen:
            seen.add(x)
            firsts.append(x * 2)
    return unique, [p[0] for p in pairs], by, xs2, low, place, firsts, len(seen), k in xs, xs.index(max(xs))


FIRST = {"xs": [0.5, 1.5, 0.5, 1.0], "k": 0.9}
SECOND = {"xs": [2.5, 0.25, 1.0, 2.5], "k": 0.7}
