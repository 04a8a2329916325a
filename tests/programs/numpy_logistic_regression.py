"""Logistic regression as a class with fit and predict, a loss history and accuracy as a mean of booleans."""

import numpy as np


class LogisticRegression:
    def __init__(self, rate=0.1, steps=4):
        self.rate = rate
        self.steps = steps
        self.history = []

    def fit(self, X, y):
        self.weights = np.zeros(X.shape[1])
        self.bias = 0
        for _ in range(self.steps):
            p = self.probability(X)
            self.history.append(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))
            error = p - y
            self.weights -= self.rate * np.dot(X.T, error) / len(y)
            self.bias -= self.rate * np.mean(error)
        return self

    def probability(self, X):
        return 1 / (1 + np.exp(-(np.dot(X, self.weights) + self.bias)))

    def predict(self, X, threshold=0.5):
        return (self.probability(X) >= threshold).astype(int)


def program(X, y, rate):
    model = LogisticRegression(rate=rate).fit(X, y)
    accuracy = np.mean(model.predict(X) == y)
    return model.weights, model.bias, model.history, accuracy


FIRST = {
    "X": np.array([[1.0, 0.2], [-0.1, -1.0], [0.3, 0.6], [-0.8, 0.5]]),
    "y": np.array([1.0, 0.0, 1.0, 0.0]),
    "rate": 0.5,
}
SECOND = {
    "X": np.array([[0.4, -0.9], [1.3, 0.7], [-0.6, 0.15], [0.25, 1.1]]),
    "y": np.array([0.0, 1.0, 0.0, 1.0]),
    "rate": 0.8,
}
