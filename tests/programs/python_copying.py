"""copy and deepcopy of nested lists, objects and arrays; changes do not leak."""

import copy

import numpy as np


class Node:
    def __init__(self, value, children=()):
        self.value = value
        self.children = list(children)

    def total(self):
        return self.value + sum(c.total() for c in self.children)


def program(x, y, A):
    nested = [[x, y], [y, [x]]]
    shallow, deep = copy.copy(nested), copy.deepcopy(nested)
    nested[0][0] = 9.0
    tree = Node(x, [Node(y), Node(x * y, [Node(2.0)])])
    other = copy.deepcopy(tree)
    other.children[0].value += 1
    tree.value *= 2
    d = {"a": A, "b": [x]}
    e = copy.deepcopy(d)
    e["a"] += 1
    e["b"].append(y)
    return shallow, deep, tree.total(), other.total(), d, e, copy.copy(A) * 2


FIRST = {"x": 0.5, "y": 1.25, "A": np.array([1.0, 2.0])}
SECOND = {"x": 0.75, "y": 1.5, "A": np.array([-1.0, 0.5])}
