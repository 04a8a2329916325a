"""Arithmetic as it is written: expected lines written by hand."""

import pytest

from workings.reading.exact import exact, sign_between, sign_of
from workings.reading.notation import Notation
from workings.recording.operations.expression import (
    Apply,
    Choice,
    Leaf,
    Negative,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
)

L = Leaf


@pytest.mark.parametrize(
    ("node", "text", "latex"),
    [
        (Sum((Product((L(0.2), L(0.1))), Product((L(1.0), L(1.0))))), "0.20×0.10 + 1.00×1.00",
         r"0.20 \times 0.10 + 1.00 \times 1.00"),
        (Sum((L(1.0), L(-0.5))), "1.00 − 0.50", "1.00 - 0.50"),
        (Sum((L(-1.0), Negative(L(0.5)))), "−1.00 − 0.50", "-1.00 - 0.50"),
        (Sum((L(1.0), Negative(L(-0.5)))), "1.00 − (−0.50)", r"1.00 - \left(-0.50\right)"),
        (Product((L(0.5), L(-0.3))), "0.50×(−0.30)", r"0.50 \times \left(-0.30\right)"),
        (Product((L(-0.5), L(-0.3))), "−0.50×(−0.30)", r"-0.50 \times \left(-0.30\right)"),
        (Sum((L(2.0), Product((L(-0.5), L(0.3))))), "2.00 − 0.50×0.30", r"2.00 - 0.50 \times 0.30"),
        (Quotient(Sum((L(1.0), L(2.0))), L(3.0)), "(1.00 + 2.00) / 3.00", r"\frac{1.00 + 2.00}{3.00}"),
        (Quotient(L(1.02), Apply("sqrt", (L(2),))), "1.02 / √2", r"\frac{1.02}{\sqrt{2}}"),
        (Quotient(L(1.0), Product((L(2.0), L(3.0)))), "1.00 / (2.00×3.00)", r"\frac{1.00}{2.00 \times 3.00}"),
        (Apply("exp", (L(-0.25),)), "exp(−0.25)", r"e^{-0.25}"),
        (Apply("sqrt", (Sum((L(1.0), L(2.0))),)), "√(1.00 + 2.00)", r"\sqrt{1.00 + 2.00}"),
        (Apply("log", (L(2.0),)), "ln(2.00)", r"\ln\left(2.00\right)"),
        (Power(L(0.5), L(2)), "0.50²", "0.50^{2}"),
        (Power(L(-0.5), L(2)), "(−0.50)²", r"\left(-0.50\right)^{2}"),
        (Power(Sum((L(1.0), L(2.0))), L(-1)), "(1.00 + 2.00)⁻¹", r"\left(1.00 + 2.00\right)^{-1}"),
        (Power(L(10000), Quotient(L(2), L(4))), "10000^(2 / 4)", r"10000^{\frac{2}{4}}"),
        (Apply("max", (L(0.1), L(0.2))), "max(0.10, 0.20)", r"\max\left(0.10, 0.20\right)"),
        (Quotient(L(1 + 2j), L(3 - 1j)), "(1.00 + 2.00i) / (3.00 − 1.00i)", r"\frac{1.00 + 2.00i}{3.00 - 1.00i}"),
        (Product((L(3j), L(-2j))), "3.00i×(−2.00i)", r"3.00i \times \left(-2.00i\right)"),
        (Sum((L(True), L(False), L(True))), "1 + 0 + 1", "1 + 0 + 1"),
        (Negative(Sum((L(1.0), L(2.0)))), "−(1.00 + 2.00)", r"-\left(1.00 + 2.00\right)"),
        (Relation("≤", L(1), L(2)), "1 ≤ 2", r"1 \le 2"),
        (Product((Quotient(L(1.0), L(3)), L(3))), "(1.00 / 3)×3", r"\frac{1.00}{3} \times 3"),
        (Product((Product((L(0.5), L(2.0))), Product((L(-0.5), L(2.0))))), "0.50×2.00×(−0.50)×2.00",
         r"0.50 \times 2.00 \times \left(-0.50\right) \times 2.00"),
        (Sum((L(1.0), Product((Product((L(-0.5), L(2.0))), L(3.0))))), "1.00 − 0.50×2.00×3.00",
         r"1.00 - 0.50 \times 2.00 \times 3.00"),
        (Relation("mod", L(7.0), L(-3.0)), "7.00 mod (−3.00)", r"7.00 \bmod \left(-3.00\right)"),
        (Sum((L(5.0), L(4.0)), 998, 12.0), "5.00 + 4.00 + … (998 more, together 12.00)",
         r"5.00 + 4.00 + \cdots\ (\text{998 more, together } 12.00)"),
        (Choice(Relation(">", L(0.5), L(0)), L(0.5), L(0), True), "0.50 (since 0.50 > 0)",
         r"0.50\ (\text{since } 0.50 > 0)"),
    ],
)  # fmt: skip
def test_written_as_on_the_board(node, text, latex):
    assert Notation(3).write(node) == text
    assert Notation(3, latex=True).write(node) == latex


@pytest.mark.parametrize(
    ("node", "value", "sign"),
    [
        (Sum((Product((L(0.2), L(0.1))), Product((L(1.0), L(1.0))))), 0.2 * 0.1 + 1.0, "="),
        (Quotient(L(1.0), L(3.0)), 1 / 3, "≈"),
        (Quotient(L(1.0), L(4.0)), 0.25, "="),
        (Apply("exp", (L(0.0),)), 1.0, "="),
        (Apply("exp", (L(1.0),)), 2.718281828, "≈"),
        (Apply("sqrt", (L(4),)), 2.0, "="),
        (Apply("sqrt", (L(2),)), 2**0.5, "≈"),
        (Apply("max", (L(0.3192326), L(0.2))), 0.3192326, "="),
        # the first text's own line: what is shown adds up to 0.4963, the true value is 0.4965…, so 0.497 is shown
        (Sum((Product((L(0.40126), L(0.2))), Product((L(0.19144), L(1.0))), Product((L(0.21586), L(0.6))),
              Product((L(0.19144), L(0.5))))), 0.49692, "≈"),
        (Sum((L(0.1), L(0.2))), 0.1 + 0.2, "="),
        (Apply("round", (L(0.1257), L(1))), 0.1, "="),
        (Apply("int", (L(3.4),)), 3, "="),
        (Apply("sign", (L(-2.0),)), -1.0, "="),
        (Apply("argmax", (L(0.1), L(0.7), L(0.2))), 1, "="),
        (Sum((L(True), L(True), L(False))), 2, "="),
        (Apply("exp", (L(float("-inf")),)), 0.0, "="),
        (Apply("max", (L(0.25), L(float("-inf")))), 0.25, "="),
        (Relation("//", L(1.0), L(2)), 0.0, "="),
        (L(float("nan")), float("nan"), "="),
        (Relation("&", L(6), L(3)), 2, "="),
        (Relation("|", L(6), L(3)), 7, "="),
        (Relation("^", L(7), L(2)), 5, "="),
        (Relation("<<", L(1), L(3)), 8, "="),
        (Relation(">>", L(9), L(1)), 4, "="),
        (Apply("invert", (L(5),)), -6, "="),
        (Apply("log2", (L(8.0),)), 3.0, "="),
        (Apply("log2", (L(0.125),)), -3.0, "="),
        (Apply("log2", (L(7.0),)), 2.807355, "≈"),
        (Apply("log10", (L(1000),)), 3.0, "="),
        (Product((L(1 + 2j), L(3 - 1j))), 5 + 5j, "="),
        (Quotient(L(1 + 2j), L(3 - 1j)), 0.1 + 0.7j, "="),
        (Quotient(L(1 + 0j), L(3j)), -1j / 3, "≈"),
        (Power(L(1 + 2j), L(2)), -3 + 4j, "="),
        (Power(L(2j), L(-1)), -0.5j, "="),
        (Apply("absolute", (L(3 + 4j),)), 5.0, "="),
        (Apply("exp", (L(1j),)), 0.5403023 + 0.8414710j, "≈"),
    ],
)  # fmt: skip
def test_equals_only_where_what_is_shown_is_exact(node, value, sign):
    assert sign_between(node, value, 3) == sign


def test_exact_arithmetic_reads_what_is_shown_not_what_is_meant():
    third = L(1 / 3)
    assert float(exact(Sum((third, third, third)), 3)) == 0.999


def test_the_same_arithmetic_on_exact_numbers_is_equal():
    inner = Sum((Product((L(1.0), L(1.0))), Product((L(0.2), L(0.2)))))
    assert sign_of(Apply("sqrt", (inner,)), Apply("sqrt", (L(1.04),)), 3) == "="
    assert sign_of(Apply("sqrt", (Quotient(L(1.0), L(3.0)),)), Apply("sqrt", (L(1 / 3),)), 3) == "≈"
