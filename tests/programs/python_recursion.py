"""Functions that call themselves: Horner's scheme, a tree of sums, a recurrence with memory."""


def horner(coefficients, x):
    if len(coefficients) == 1:
        return coefficients[0]
    head, *tail = coefficients
    return head + x * horner(tail, x)


def tree_sum(node):
    if isinstance(node, (int, float)):
        return node
    return sum(tree_sum(child) for child in node)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def state(t, a, b, memory):
    if t in memory:
        return memory[t]
    memory[t] = a * state(t - 1, a, b, memory) + b * state(t - 2, a, b, memory)
    return memory[t]


def program(coefficients, x, tree, a, b):
    memory = {0: x, 1: coefficients[0]}
    return horner(coefficients, x), tree_sum(tree), power(x, 5), state(6, a, b, memory), memory


FIRST = {
    "coefficients": [1.0, -0.5, 0.25, 2.0],
    "x": 0.8,
    "tree": [1.0, [0.5, [0.25, -1.5]], [0.3]],
    "a": 0.9,
    "b": -0.4,
}
SECOND = {
    "coefficients": [0.4, 1.3, -0.6, 0.7],
    "x": -1.1,
    "tree": [0.2, [-0.9, [1.4, 0.6]], [1.7]],
    "a": 0.3,
    "b": 0.8,
}
