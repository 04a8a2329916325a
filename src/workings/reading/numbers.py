"""How numbers are written: the decimals the reader asked for, never more than the number has."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any

import numpy as np

MINUS = "−"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_RELATIVE = 2.0**-46  # a number this close to a short decimal is that decimal, written in binary


def rounded(value: float, decimals: int) -> Decimal:
    """A number rounded to a count of decimals, from its full value."""
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)


def places(value: float, decimals: int, least: int = 2) -> int:
    """How many decimals a number needs: the fewest that give it exactly, between ``least`` and ``decimals``."""
    for count in range(min(least, decimals), decimals):
        if is_short(value, count):
            return count
    return decimals


def is_short(value: float, decimals: int) -> bool:
    """Whether a number is, to binary rounding, one with this many decimals."""
    if not math.isfinite(value) or abs(value) > 2**52:
        return False
    return abs(round(value, decimals) - value) <= _RELATIVE * max(abs(value), 10.0**-decimals * 1e-3)


def is_whole(value: Any) -> bool:
    """Whether a value is of an integer kind (not a float that happens to be whole)."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def number(value: Any, decimals: int, *, least: int = 2, minus: str = MINUS) -> str:
    """A number as it is shown in arithmetic: ``1.02``, ``0.319``, ``−0.79``, ``1.2×10⁻⁷``, ``−∞``, ``NaN``."""
    text, exponent = mantissa(value, decimals, least=least)
    text = text.replace("-", minus)
    if exponent is None:
        return text
    return f"{text}×10{str(exponent).translate(_SUPERSCRIPT)}"


def latex_number(value: Any, decimals: int, *, least: int = 2) -> str:
    """The same in LaTeX."""
    text, exponent = mantissa(value, decimals, least=least)
    text = text.replace("∞", r"\infty").replace("NaN", r"\mathrm{NaN}")
    text = {"true": r"\text{true}", "false": r"\text{false}"}.get(text, text)
    return text if exponent is None else rf"{text} \times 10^{{{exponent}}}"


def mantissa(value: Any, decimals: int, *, least: int = 2) -> tuple[str, int | None]:
    """The digits of a number and its power of ten, None where it is written without one."""
    if isinstance(value, (bool, np.bool_)):
        return ("true" if value else "false"), None
    if is_whole(value):
        return str(int(value)), None
    if isinstance(value, (complex, np.complexfloating)):
        real, imaginary = number(value.real, decimals, minus="-"), number(abs(value.imag), decimals)
        if not value.real:
            return f"{'-' if value.imag < 0 else ''}{imaginary}i", None
        return f"{real} {'-' if value.imag < 0 else '+'} {imaginary}i", None
    value = float(str(value)) if isinstance(value, (np.float32, np.float16)) else float(value)
    if math.isnan(value):
        return "NaN", None
    if math.isinf(value):
        return ("∞" if value > 0 else "-∞"), None
    if _needs_power(value, decimals):
        digits = f"{value:.{max(decimals - 1, 1)}e}"
        head, _, tail = digits.partition("e")
        return head, int(tail)
    count = places(value, decimals, least)
    return _digits(value, count), None


def _needs_power(value: float, decimals: int) -> bool:
    """Whether a number would vanish, or run across the page, without a power of ten."""
    return bool(value) and (abs(value) >= 1e9 or (decimals > 0 and abs(value) < 0.5 * 10.0**-decimals))


def shown(value: Any, decimals: int, *, least: int = 2) -> Decimal | None:
    """The exact decimal that is shown for a number; None where none is (NaN, infinity, complex)."""
    if isinstance(value, (bool, np.bool_, complex, np.complexfloating)):
        return None
    if is_whole(value):
        return Decimal(int(value))
    if not math.isfinite(float(value)):
        return None
    text, exponent = mantissa(value, decimals, least=least)
    try:
        return Decimal(text).scaleb(exponent or 0)
    except InvalidOperation:
        return None


def column(values: np.ndarray[Any, Any], decimals: int) -> list[list[str]]:
    """A table's cells: one count of decimals for the whole table, the fewest that all its numbers need."""
    if values.dtype in (np.float32, np.float16):
        values = values.astype(str).astype(float)  # the shortest decimal that stands for each number
    flat = values.reshape(-1).tolist()
    if values.dtype.kind in "iub":
        return [[number(v, decimals) for v in row] for row in values]
    finite = [v for v in flat if isinstance(v, (int, float)) and math.isfinite(v)]
    largest = max(map(abs, finite), default=0.0)
    if values.dtype.kind == "c" or _needs_power(largest, decimals):
        return [[number(v, decimals) for v in row] for row in values]
    count = max((places(v, decimals) for v in finite), default=decimals)
    return [[_fixed(v, count, decimals) for v in row] for row in values.tolist()]


def _fixed(value: float, count: int, decimals: int) -> str:
    if not math.isfinite(value):
        return number(value, decimals)
    return _digits(value, count).replace("-", MINUS)


def _digits(value: float, count: int) -> str:
    """A finite number with a count of decimals, as `rounded` rounds it; what rounds to zero has no sign."""
    return format(value, f"z.{count}f")
