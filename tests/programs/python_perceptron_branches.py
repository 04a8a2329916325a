"""Perceptron training in pure Python: weights change only on mistakes, which differ on the second input."""

BRANCHES = True


def predict(w, b, x):
    return 1 if sum(wi * xi for wi, xi in zip(w, x)) + b > 0 else -1


def program(points, labels, rate):
    w, b = [0.0, 0.0], 0.0
    for epoch in range(10):
        mistakes = 0
        for x, y in zip(points, labels):
            if predict(w, b, x) != y:
                w = [wi + rate * y * xi for wi, xi in zip(w, x)]
                b += rate * y
                mistakes += 1
        if mistakes == 0:
            break
    return w, b, mistakes


FIRST = {"points": [[1.0, 0.5], [-0.5, 1.0], [0.8, -0.6], [-1.0, -0.4]], "labels": [1, -1, 1, -1], "rate": 0.5}
SECOND = {"points": [[0.2, 1.3], [0.4, -1.1], [-0.9, 0.7], [0.6, -0.8]], "labels": [1, 1, -1, -1], "rate": 0.3}
