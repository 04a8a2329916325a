"""Words looked up in a dictionary of vectors, dict.items, get, setdefault, dict and set comprehensions."""

import math

SENTENCE = "apple shares fell sharply and shares fell".split()


def cosine(a, b):
    num = sum(x * y for x, y in zip(a, b))
    return num / (math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b)))


def program(vectors):
    unknown = [0.0, 0.1]
    X = [vectors.get(word, unknown) for word in SENTENCE]
    similar = {(a, b): cosine(va, vb) for a, va in vectors.items() for b, vb in vectors.items() if a < b}
    counts = {}
    for word in SENTENCE:
        counts[word] = counts.get(word, 0) + 1
    sums = {}
    for word, x in zip(SENTENCE, X):
        total = sums.setdefault(word, [0.0, 0.0])
        for j, value in enumerate(x):
            total[j] += value
    means = {word: [t / counts[word] for t in total] for word, total in sums.items()}
    best = max(similar, key=similar.get)
    distinct = {round(v, 1) for v in means["apple"]}
    lengths = sum(len(w) for w in set(SENTENCE))
    del sums["and"]
    return similar, means, " ".join(best), similar[best], len(distinct), lengths, sorted(sums)


FIRST = {"vectors": {"apple": [1.0, 0.2], "shares": [0.1, 1.0], "fell": [0.3, 0.6], "sharply": [0.2, 0.5]}}
SECOND = {"vectors": {"apple": [0.8, -0.3], "shares": [0.4, 1.2], "fell": [0.7, 0.9], "sharply": [0.5, 0.6]}}
