"""np.einsum with trace, diagonal, implicit output, sums, outer products, three operands and broadcasting."""

import numpy as np


def program(A, B, x, y):
    trace = np.einsum("ii", A)
    diagonal = np.einsum("ii->i", A)
    implicit = np.einsum("ij,jk", A, B)
    swapped = np.einsum("ba", B)  # implicit output is in alphabetical order: a transpose
    inner = np.einsum("i,i", x, x)
    outer = np.einsum("i,j->ij", x, y)
    total = np.einsum("ij->", A)
    columns = np.einsum("ij->j", B)
    bilinear = np.einsum("i,ij,j->", x, B, y)
    weighted = np.einsum("ij,i->ij", B, x)
    cosines = np.einsum("ik,jk->ij", A, A) / np.sqrt(np.einsum("ij,ij->i", A, A))[:, None]
    return trace, diagonal, implicit, swapped, inner, outer, total, columns, bilinear, weighted, cosines


FIRST = {
    "A": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]),
    "B": np.array([[1.0, 0.4], [-0.3, 0.9], [0.6, -0.2]]),
    "x": np.array([0.2, -0.5, 1.1]),
    "y": np.array([0.7, 1.3]),
}
SECOND = {
    "A": np.array([[-0.4, 0.6, 1.1], [0.3, 1.4, 0.9], [-0.7, 0.25, 0.85]]),
    "B": np.array([[0.15, -0.8], [1.2, 0.35], [-0.9, 0.65]]),
    "x": np.array([1.3, 0.45, -0.6]),
    "y": np.array([-0.2, 0.95]),
}
