"""map, filter, sorted with key, max and min with key, abs, round, divmod, any, all, enumerate from 1."""

import math


def program(scores, vectors):
    exps = list(map(math.exp, scores))
    products = list(map(lambda a, b: a * b, scores, exps))
    positive = list(filter(lambda s: s > 0, scores))
    ranked = sorted(scores, reverse=True)
    by_size = sorted(scores, key=abs)
    longest = max(vectors, key=lambda v: v[0] ** 2 + v[1] ** 2)
    lowest = min(range(len(scores)), key=scores.__getitem__)
    whole, part = divmod(abs(scores[0]) * 10, 3)
    ranks = [(rank, value) for rank, value in enumerate(ranked, start=1)]
    weighted = sum(value / rank for rank, value in ranks)
    flags = [any(s > 1 for s in scores), all(s < 5 for s in scores)]
    pairs = dict(zip("abcd", by_size))
    return {
        "exps": exps,
        "products": products,
        "positive": positive,
        "ranked": ranked,
        "by_size": by_size,
        "longest": longest,
        "lowest": scores[lowest],
        "divmod": (whole, part),
        "weighted": weighted,
        "rounded": [round(e, 2) for e in exps],
        "flags": flags,
        "biggest": max(abs(s) for s in scores),
        "pair": pairs["a"] * pairs["d"],
        "smallest": min(scores[0], scores[1], 3.0),
        "whole": int(exps[2]),
        "p": pow(scores[0], 2),
    }


FIRST = {"scores": [0.5, -1.2, 1.7, 0.9], "vectors": [[0.3, 0.4], [1.1, -0.5], [0.6, 0.2]]}
SECOND = {"scores": [0.4, -0.8, 1.9, 0.6], "vectors": [[0.1, -0.2], [0.9, 0.8], [-0.3, 0.5]]}
