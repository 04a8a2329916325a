"""A class with state, methods that call each other, __call__ and inheritance through super()."""

import math


class Linear:
    def __init__(self, weight, bias=None):
        self.weight = weight
        self.bias = bias

    def __call__(self, x):
        out = [sum(xi * wi for xi, wi in zip(x, row)) for row in self.weight]
        if self.bias is not None:
            out = [o + b for o, b in zip(out, self.bias)]
        return out


class Head:
    scale = 2.0

    def __init__(self, w_q, w_k):
        self.query = Linear(w_q)
        self.key = Linear(w_k)

    def score(self, a, b):
        return sum(x * y for x, y in zip(self.query(a), self.key(b))) / self.scale

    def weights(self, tokens):
        return [self.normalise([self.score(a, b) for b in tokens]) for a in tokens]

    def normalise(self, row):
        exps = [math.exp(s) for s in row]
        self.last_total = sum(exps)
        return [e / self.last_total for e in exps]


class SharpHead(Head):
    def __init__(self, w_q, w_k, sharpness):
        super().__init__(w_q, w_k)
        self.sharpness = sharpness

    def score(self, a, b):
        return self.sharpness * super().score(a, b)


def program(tokens, w_q, w_k, bias, sharpness):
    plain, sharp = Head(w_q, w_k), SharpHead(w_q, w_k, sharpness)
    shifted = [Linear(w_k, bias)(t) for t in tokens]
    return plain.weights(shifted), sharp.weights(shifted), plain.last_total, sharp.last_total


FIRST = {
    "tokens": [[0.4, 0.1], [0.6, 0.9], [-0.2, 0.5]],
    "w_q": [[0.0, 1.0], [1.0, 0.0]],
    "w_k": [[0.5, -0.5], [0.3, 0.8]],
    "bias": [0.1, 0.2],
    "sharpness": 3.0,
}
SECOND = {
    "tokens": [[1.1, -0.3], [0.2, 0.7], [0.9, -0.6]],
    "w_q": [[0.7, 0.4], [-0.2, 1.3]],
    "w_k": [[-0.1, 0.9], [1.2, 0.6]],
    "bias": [-0.5, 0.4],
    "sharpness": 1.5,
}
