"""Matrix algebra by nested comprehensions, transposing with zip(*matrix)."""


def transpose(m):
    return [list(column) for column in zip(*m)]


def matmul(a, b):
    columns = transpose(b)
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def add(a, b):
    return [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)]


def program(A, B, bias):
    product = matmul(A, B)
    shifted = add(product, [bias for _ in product])
    gram = matmul(transpose(shifted), shifted)
    upper = [[gram[i][j] if j >= i else 0.0 for j in range(len(gram))] for i in range(len(gram))]
    flat = [x for row in upper for x in row if x is not None]
    return {"product": product, "gram": gram, "upper": upper, "flat": flat, "trace": sum(gram[i][i] for i in range(2))}


FIRST = {"A": [[1.0, -0.5, 0.3], [0.2, 0.8, -1.1]], "B": [[0.4, 1.2], [-0.7, 0.6], [0.9, 0.1]], "bias": [0.1, -0.2]}
SECOND = {"A": [[0.6, 1.4, -0.9], [-1.3, 0.5, 0.7]], "B": [[1.1, -0.3], [0.2, 0.8], [-0.6, 1.5]], "bias": [-0.4, 0.3]}
