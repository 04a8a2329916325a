"""Every number that the article prints for an equation, to its printed decimals."""

import numpy
import pytest

from workings import equations as eq

X = numpy.array([[1.00, 0.20], [0.10, 1.00], [0.30, 0.60], [0.20, 0.50]])
SWAP = numpy.array([[0.0, 1.0], [1.0, 0.0]])
FINANCE = numpy.array([[0.0], [1.0]])
FOOD = numpy.array([[1.0], [0.0]])

TABLE_1 = [
    [0.401, 0.191, 0.216, 0.191],
    [0.176, 0.359, 0.245, 0.220],
    [0.238, 0.293, 0.245, 0.224],
    [0.233, 0.290, 0.247, 0.230],
]
TABLE_2 = [
    [0.206, 0.319, 0.247, 0.227],
    [0.361, 0.202, 0.227, 0.210],
    [0.296, 0.240, 0.240, 0.225],
    [0.292, 0.238, 0.241, 0.229],
]
TABLE_3 = [[0.000, 1.000], [0.841, 0.540], [0.909, -0.416], [0.141, -0.990]]
TABLE_3_SUMS = [[1.000, 1.200], [0.941, 1.540], [1.209, 0.184], [0.341, -0.490]]


def assert_printed(found: numpy.ndarray, printed: object, decimals: int = 3) -> None:
    numpy.testing.assert_array_equal(numpy.round(found, decimals), numpy.asarray(printed))


def test_section_1_cosine_of_apple_and_shares() -> None:
    assert_printed(eq.cosine(X[0], X[1]), 0.29, 2)
    assert_printed(eq.cosine_matrix(X)[0, 1], 0.29, 2)


def test_section_1_looking_up_the_sentence() -> None:
    table = numpy.array([[0.2, 0.5], [1.0, 0.2], [0.3, 0.6], [0.1, 1.0]])
    numpy.testing.assert_array_equal(eq.lookup(table, numpy.array([1, 3, 2, 0])), X)


def test_section_3_dot_products_of_apple() -> None:
    assert_printed((X @ X.T)[0], [1.04, 0.30, 0.42, 0.30], 2)


def test_table_1_and_the_new_vector_of_apple() -> None:
    output, weights = eq.plain_attention(X)
    assert_printed(weights, TABLE_1)
    assert_printed(output[0], [0.523, 0.497])


def test_section_4_scaling_alone() -> None:
    scaled = (X @ X.T)[0] / numpy.sqrt(2.0)
    assert_printed(scaled, [0.735, 0.212, 0.297, 0.212])
    assert_printed(eq.softmax(scaled), [0.353, 0.209, 0.228, 0.209])
    assert_printed(eq.attention(X, X, X)[1][0], [0.353, 0.209, 0.228, 0.209])


def test_equation_7_and_the_scores_of_apple() -> None:
    queries = X @ SWAP
    assert_printed(queries, [[0.20, 1.00], [1.00, 0.10], [0.60, 0.30], [0.50, 0.20]], 2)
    assert_printed((queries @ X.T / numpy.sqrt(2.0))[0], [0.283, 0.721, 0.467, 0.382])


def test_table_2_and_the_output_for_apple() -> None:
    output, weights = eq.attention(X @ SWAP, X, X)
    assert_printed(weights, TABLE_2)
    assert_printed(output[0], [0.358, 0.623])


@pytest.mark.parametrize(
    ("axis", "apple"), [(FOOD, [0.425, 0.173, 0.211, 0.191]), (FINANCE, [0.232, 0.272, 0.251, 0.246])]
)
def test_section_5_weights_of_each_head(axis: numpy.ndarray, apple: list[float]) -> None:
    assert_printed(eq.attention(X @ axis, X @ axis, X @ axis)[1][0], apple)


def test_section_5_two_heads_side_by_side() -> None:
    heads = [(FINANCE, FINANCE, FINANCE), (FOOD, FOOD, FOOD)]
    assert_printed(eq.multi_head(X, heads, numpy.eye(2))[0], [0.591, 0.544])
    packed = numpy.array([[0.0, 1.0], [1.0, 0.0]])
    assert_printed(eq.multi_head_packed(X, packed, packed, packed, numpy.eye(2), 2)[0], [0.591, 0.544])


def test_table_3_positions() -> None:
    encoding = eq.sinusoidal_positions(4, 2, X)
    assert_printed(encoding, TABLE_3)
    assert_printed(eq.add_positions(X, encoding), TABLE_3_SUMS)


def test_section_6_apple_at_the_end() -> None:
    encoding = eq.sinusoidal_positions(4, 2, X)
    assert_printed(eq.add_positions(X[0], encoding[0]), [1.00, 1.20], 2)
    assert_printed(eq.add_positions(X[0], encoding[3]), [1.14, -0.79], 2)
