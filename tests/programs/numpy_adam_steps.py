"""Adam on a dictionary of parameters: dict comprehensions of zeros, moments updated in place, items() in a loop."""

import numpy as np


def gradients(params, X, y):
    error = X @ params["w"] + params["b"] - y
    return {"w": 2 * X.T @ error / len(y), "b": 2 * error.mean(keepdims=True)}


def program(w, b, X, y, rate):
    params = {"w": w.copy(), "b": b.copy()}
    m = {name: np.zeros_like(p) for name, p in params.items()}
    v = {name: np.zeros_like(p) for name, p in params.items()}
    for t in range(1, 4):
        for name, g in gradients(params, X, y).items():
            m[name] = 0.9 * m[name] + 0.1 * g
            v[name] *= 0.999
            v[name] += 0.001 * g**2
            corrected = m[name] / (1 - 0.9**t)
            params[name] -= rate * corrected / (np.sqrt(v[name] / (1 - 0.999**t)) + 1e-8)
    return params, m, v


FIRST = {
    "w": np.array([0.5, -0.3]),
    "b": np.array([0.1]),
    "X": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]),
    "y": np.array([0.9, -0.4, 0.7]),
    "rate": 0.1,
}
SECOND = {
    "w": np.array([-0.8, 0.6]),
    "b": np.array([0.4]),
    "X": np.array([[0.35, -0.7], [1.2, 0.5], [-0.9, 0.15]]),
    "y": np.array([0.2, 1.1, -0.5]),
    "rate": 0.05,
}
