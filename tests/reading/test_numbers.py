"""How numbers are written: expected strings worked out by hand."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings.reading.numbers import column, latex_number, number, rounded, shown


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1.02, 3, "1.02"),
        (0.3192326, 3, "0.319"),
        (0.1 * 0.2 + 1.0, 3, "1.02"),  # 1.02 to binary rounding
        (1.0, 3, "1.00"),
        (0.0, 3, "0.00"),
        (-0.0, 3, "0.00"),
        (-0.7899925, 2, "−0.79"),
        (-0.0004, 3, "−4.00×10⁻⁴"),  # would show as zero: powers of ten instead
        (1.2e-7, 3, "1.20×10⁻⁷"),
        (6.02e23, 3, "6.02×10²³"),
        (0.12345, 0, "0"),
        (7, 3, "7"),
        (np.int64(-7), 3, "−7"),
        (True, 3, "true"),
        (np.bool_(False), 3, "false"),
        (float("nan"), 3, "NaN"),
        (float("inf"), 3, "∞"),
        (float("-inf"), 3, "−∞"),
        (1 - 2j, 2, "1.00 − 2.00i"),
    ],
)
def test_number_is_written_as_a_person_would(value, decimals, text):
    assert number(value, decimals) == text


def test_latex_writes_powers_and_infinities():
    assert latex_number(1.2e-7, 3) == r"1.20 \times 10^{-7}"
    assert latex_number(float("-inf"), 3) == r"-\infty"
    assert latex_number(0.5, 3) == "0.50"


@pytest.mark.parametrize(
    ("value", "expected"), [(0.4963, "0.496"), (0.49652, "0.497"), (2.5, "2.500"), (-1e-9, "-0.000")]
)
def test_rounded_keeps_the_count_of_decimals(value, expected):
    assert str(rounded(value, 3)) == expected


@given(st.floats(-1e6, 1e6), st.integers(0, 8))
def test_what_is_shown_is_within_half_a_last_digit(value, decimals):
    decimal = shown(value, decimals)
    assert decimal is not None
    gap = abs(decimal - Decimal(value))
    assert gap <= Decimal("0.5") * Decimal(10) ** -decimals + Decimal(abs(value)) * Decimal(2) ** -46


def test_a_table_has_one_count_of_decimals():
    assert column(np.array([[1.0, 0.2], [0.1, 1.0]]), 3) == [["1.00", "0.20"], ["0.10", "1.00"]]
    assert column(np.array([[0.3192326, 0.2]]), 3) == [["0.319", "0.200"]]
    assert column(np.array([[1, -2]]), 3) == [["1", "−2"]]
    assert column(np.array([[0.9997, 0.0003]]), 3) == [["1.000", "0.000"]]
    assert column(np.array([[2e-7, 4e-8]]), 3) == [["2.00×10⁻⁷", "4.00×10⁻⁸"]]
    assert column(np.array([[-np.inf, 0.0]]), 3) == [["−∞", "0.00"]]
