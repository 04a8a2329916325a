"""A two-layer perceptron as a class: forward keeps a cache dictionary, backward fills a dictionary of gradients."""

import numpy as np


class MLP:
    def __init__(self, W1, b1, W2, b2):
        self.params = {"W1": W1.copy(), "b1": b1.copy(), "W2": W2.copy(), "b2": b2.copy()}

    def forward(self, X):
        p = self.params
        z = X @ p["W1"] + p["b1"]
        h = np.maximum(z, 0)
        out = h @ p["W2"] + p["b2"]
        self.cache = {"X": X, "z": z, "h": h, "out": out}
        return out

    def backward(self, Y):
        c, grads = self.cache, {}
        d_out = 2 * (c["out"] - Y) / Y.size
        grads["W2"], grads["b2"] = c["h"].T @ d_out, d_out.sum(axis=0)
        dz = (d_out @ self.params["W2"].T) * (c["z"] > 0)
        grads["W1"], grads["b1"] = c["X"].T @ dz, dz.sum(axis=0)
        return grads

    def step(self, grads, rate):
        for key in self.params:
            self.params[key] -= rate * grads[key]


def program(X, Y, W1, b1, W2, b2, rate):
    model = MLP(W1, b1, W2, b2)
    before = ((model.forward(X) - Y) ** 2).mean()
    grads = model.backward(Y)
    model.step(grads, rate)
    after = ((model.forward(X) - Y) ** 2).mean()
    return before, after, grads, model.params


FIRST = {
    "X": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]),
    "Y": np.array([[0.4], [-0.2], [0.7]]),
    "W1": np.array([[0.5, -0.3, 0.8], [0.2, 0.6, -0.4]]),
    "b1": np.array([0.1, 0.0, -0.1]),
    "W2": np.array([[0.7], [-0.5], [0.3]]),
    "b2": np.array([0.2]),
    "rate": 0.1,
}
SECOND = {
    "X": np.array([[-0.4, 0.9], [1.2, 0.35], [0.65, 0.15]]),
    "Y": np.array([[0.1], [0.8], [-0.6]]),
    "W1": np.array([[0.25, 0.9, -0.7], [-0.1, 0.4, 1.1]]),
    "b1": np.array([0.3, -0.2, 0.5]),
    "W2": np.array([[-0.6], [0.45], [1.3]]),
    "b2": np.array([-0.35]),
    "rate": 0.2,
}
