"""Greedy decoding over a table of next-token scores: the chosen words differ on the second input."""

BRANCHES = True

VOCABULARY = ["<end>", "the", "shares", "fell", "again"]


def argmax(row):
    best = 0
    for i, value in enumerate(row):
        if value > row[best]:
            best = i
    return best


def program(table, start):
    token, total, said = start, 0.0, []
    while len(said) < 6:
        row = table[token]
        token = argmax(row)
        total += row[token]
        if token == 0:
            break
        said.append(VOCABULARY[token])
    return total, total / (len(said) + 1), len(said)


FIRST = {
    "table": [
        [0.0, 0.9, 0.1, 0.2, 0.3],
        [-1.0, 0.1, 1.5, 0.4, 0.2],
        [0.2, 0.1, 0.0, 1.8, 0.3],
        [1.1, 0.2, 0.3, 0.1, 0.9],
        [1.4, 0.1, 0.2, 0.3, 0.0],
    ],
    "start": 1,
}
SECOND = {
    "table": [
        [0.1, 0.8, 0.2, 0.3, 0.4],
        [-0.9, 0.2, 1.1, 0.6, 0.3],
        [0.3, 0.2, 0.1, 1.2, 0.5],
        [0.7, 0.3, 0.4, 0.2, 1.6],
        [1.9, 0.2, 0.3, 0.4, 0.1],
    ],
    "start": 2,
}
