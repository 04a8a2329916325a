"""Lines of arithmetic as they are printed, worked out again with nothing but Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
SIGNS = {"×": "*", "−": "-", "^": "**", "≤": "<=", "≥": ">=", "≠": "!=", " = ": " == ", " mod ": " % ", "π": "pi"}
FUNCTIONS: dict[str, Any] = {
    "exp": math.exp, "ln": math.log, "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tanh": math.tanh,
    "erf": math.erf, "absolute": abs, "max": lambda *x: max(x), "min": lambda *x: min(x),
    "argmax": lambda *x: x.index(max(x)), "pi": math.pi,
    "int": int, "float": float, "all": lambda *x: all(x), "any": lambda *x: any(x), "inf": math.inf,
    "isnan": math.isnan, "logical_not": lambda x: not x, "true": True, "false": False,
}  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.\[])\d+(?:\.\d+)?(?:×10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?")


def parted(line: str) -> tuple[str, str, str]:
    """What is worked out, the sign, and the result."""
    match = re.fullmatch(r"(.*) ([=≈]) (\S+)", line)
    assert match, line
    return match[1], match[2], match[3]


def worked(text: str, kind: Callable[[str], Any] = float) -> Any:
    """What a printed arithmetic or number gives, each number read as it is printed."""
    text = re.sub(r" \((?:since|since not) .*\)$", "", text)
    text = re.sub(r"… \(\d+ more, together (.*?)\)(?= [+−)]|$)", r"(\1)", text)
    held: list[Any] = []

    def kept(found: re.Match[str]) -> str:
        digits, _, power = found[0].partition("×10")
        held.append(kind(digits + (f"e{power.translate(RAISED)}" if power else "")))
        return f"N[{len(held) - 1}]"

    text = _NUMBER.sub(kept, text).replace("∞", "inf")
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda raised: f"**({raised[0].translate(RAISED)})", text)
    text = re.sub(r"\|([^|]*)\|", r"absolute(\1)", text)
    text = re.sub(r"√(N\[\d+\])", r"sqrt(\1)", text).replace("√(", "sqrt(")
    for sign, python in SIGNS.items():
        text = text.replace(sign, python)
    return eval(text, {"__builtins__": {}}, {"N": held, **FUNCTIONS})  # lines of our own


def exactly(line: str) -> bool:
    """Whether the digits that stand on the left of a line give the digits on its right."""
    left, _, right = parted(line)
    return bool(worked(left, Fraction) == worked(right, Fraction))
