"""An LSTM cell over a sequence: one big matrix product cut into four gates by slices, states carried in a loop."""

import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def lstm_cell(x, h, c, W, b):
    size = h.shape[0]
    gates = np.concatenate([x, h]) @ W + b
    i = sigmoid(gates[:size])
    f = sigmoid(gates[size : 2 * size])
    o = sigmoid(gates[2 * size : 3 * size])
    g = np.tanh(gates[3 * size :])
    c = f * c + i * g
    return o * np.tanh(c), c


def program(X, W, b):
    h, c = np.zeros(2), np.zeros(2)
    states = []
    for x in X:
        h, c = lstm_cell(x, h, c, W, b)
        states.append(h)
    return np.array(states), c


FIRST = {
    "X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]),
    "W": np.sin(np.arange(40.0)).reshape(5, 8),
    "b": np.linspace(-0.4, 0.3, 8),
}
SECOND = {
    "X": np.array([[-0.7, 0.4, 1.2], [0.1, 0.9, 0.6]]),
    "W": np.cos(0.6 * np.arange(40.0)).reshape(5, 8),
    "b": np.linspace(0.5, -0.2, 8),
}
