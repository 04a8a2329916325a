"""Dictionaries: nested, counted, merged, sorted by value, mutated while copied, keys from numbers."""

from collections import Counter, defaultdict


def program(xs, k):
    prices = {"a": xs[0], "b": xs[1]}
    prices["c"] = prices["a"] * k
    prices |= {"d": k}
    total = sum(prices.values())
    shares = {n: p / total for n, p in prices.items()}
    ranked = sorted(shares.items(), key=lambda kv: kv[1], reverse=True)
    nested = defaultdict(dict)
    nested["x"]["y"] = k
    nested["x"]["z"] = nested["x"]["y"] + 1
    groups = defaultdict(float)
    for n, p in prices.items():
        groups[n in "ab"] += p
    count = Counter("hello")
    weighted = {c: n * k for c, n in count.items()}
    copy = dict(prices)
    copy.update(a=1.0, e=xs[2])
    popped = copy.pop("b")
    got = prices.get("zz", k) + prices.get("a", 0)
    inverse = {v: n for n, v in {"p": 1, "q": 2}.items()}
    cached = {}
    for n in (1, 2, 1):
        if n not in cached:
            cached[n] = xs[n] * 2
    setd = prices.setdefault("new", k * 2)
    last = list(prices)[-1]
    return (
        prices,
        shares,
        [r[1] for r in ranked],
        ranked[0][0],
        nested["x"],
        dict(groups),
        weighted,
        copy,
        popped,
        got,
        inverse[2],
        cached,
        setd,
        last,
    )


FIRST = {"xs": [0.5, 1.25, 2.0], "k": 3.0}
SECOND = {"xs": [0.6, 1.0, 1.5], "k": 2.5}
