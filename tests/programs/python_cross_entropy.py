"""Teacher forcing by hand: logits to probabilities with a temperature, minus the log of the target's, averaged."""

from math import exp, log

TARGETS = [2, 0, 1]


def log_softmax(row, temperature=1.0):
    scaled = [z / temperature for z in row]
    m = max(scaled)
    log_total = m + log(sum(exp(z - m) for z in scaled))
    return [z - log_total for z in scaled]


def program(logits, smoothing, temperature):
    losses = []
    for row, target in zip(logits, TARGETS):
        logp = log_softmax(row)
        hard = -logp[target]
        uniform = -sum(logp) / len(logp)
        losses.append((1 - smoothing) * hard + smoothing * uniform)
    loss = sum(losses) / len(losses)
    gradient = [
        [exp(lp) - (1.0 if j == t else 0.0) for j, lp in enumerate(log_softmax(row))] for row, t in zip(logits, TARGETS)
    ]
    sampled = [exp(lp) for lp in log_softmax(logits[-1], temperature)]
    return loss, exp(loss), gradient, sampled


FIRST = {"logits": [[0.5, -1.0, 2.0], [1.2, 0.3, -0.7], [0.1, 0.9, 0.4]], "smoothing": 0.1, "temperature": 0.7}
SECOND = {"logits": [[-0.6, 0.8, 1.1], [0.7, 1.4, -0.2], [-1.3, 0.6, 1.0]], "smoothing": 0.2, "temperature": 1.8}
