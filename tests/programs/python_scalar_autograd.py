"""A small autograd: operator overloading, closures for the backward rules, a topological order by recursion."""

import math


class Scalar:
    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents
        self.push = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        out = Scalar(self.value + other.value, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        out = Scalar(self.value * other.value, (self, other))

        def push():
            self.grad += other.value * out.grad
            other.grad += self.value * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def tanh(self):
        t = math.tanh(self.value)
        out = Scalar(t, (self,))

        def push():
            self.grad += (1 - t**2) * out.grad

        out.push = push
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node.push()


def program(xs, ws, b, y):
    weights = [Scalar(w) for w in ws]
    bias = Scalar(b)
    activation = sum((w * x for w, x in zip(weights, xs)), bias).tanh()
    error = activation - y
    loss = error * error
    loss.backward()
    return loss.value, [w.grad for w in weights], bias.grad


FIRST = {"xs": [0.5, -1.0, 0.3], "ws": [0.2, 0.4, -0.6], "b": 0.1, "y": 0.7}
SECOND = {"xs": [1.2, 0.6, -0.8], "ws": [-0.5, 0.9, 0.3], "b": -0.2, "y": -0.4}
