"""What ``--set`` says: ``address = numbers`` or ``address = another address``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from workings.commands.problems import UserError

FORM = '--set "X[Apple] = 0.1, 1.0", or --set "X[step] = X[journey]"'
_WORDS = {"true": True, "false": False}
_INFINITE = {"inf", "infinity", "∞"}


def parse_changes(texts: Sequence[str]) -> dict[str, Any]:
    """Addresses and what each becomes: a number, a list of numbers, or the address of another value."""
    changes: dict[str, Any] = {}
    for text in texts:
        address, value = _split(text)
        if address in changes:
            raise UserError(
                f"--set {text!r}: {address} is set twice", "one change for each value", "leave one of them out"
            )
        changes[address] = _value(text, value)
    return changes


def _split(text: str) -> tuple[str, str]:
    """At the first ``=`` that does not stand in brackets or quotes."""
    match = re.match(r"""((?:\[(?:"[^"]*"|'[^']*'|[^\]])*\]|[^=\[])*)=(.*)""", text, re.DOTALL)
    address, value = (match[1].strip(), match[2].strip()) if match else ("", "")
    if not address or not value:
        missing = "no = sign" if match is None else "no address before =" if not address else "nothing after ="
        raise UserError(f"--set {text!r}: there is {missing}", "address = numbers", f"for instance {FORM}")
    return address, value


def _value(text: str, value: str) -> Any:
    if value.startswith("["):
        return _rows(text, value)
    pieces = re.split(r"\s*,\s*", value)
    numbers = [_number(text, piece) for piece in pieces]
    if None not in numbers:
        return numbers[0] if len(numbers) == 1 else numbers
    if all(n is None for n in numbers) and _is_address(value):
        return value
    wrong = next(piece for piece, number in zip(pieces, numbers, strict=True) if number is None)
    what = f"{wrong!r} is not a number" if wrong else "a number is missing beside a comma"
    hint = "put a comma between two numbers" if len(wrong.split()) > 1 else f"for instance {FORM}"
    raise UserError(f"--set {text!r}: {what}", "numbers with commas between them, or one address", hint)


def _is_address(value: str) -> bool:
    """One address: any commas stand between brackets, and it does not begin like a number."""
    outside = re.sub(r"\[.*\]", "", value)
    return "," not in outside and not re.match(r"[-+.\d\s]", value)


def _rows(text: str, value: str) -> Any:
    """A list or a matrix in brackets: ``[[0, 1], [1, 0]]``."""
    tokens = re.findall(r"[\[\],]|[^\[\],\s]+", value)
    rows, rest = _row(text, tokens)
    if rest:
        raise UserError(
            f"--set {text!r}: {' '.join(rest)!r} stands after the last bracket", "one list", "mind the brackets"
        )
    return rows


def _row(text: str, tokens: list[str]) -> tuple[list[Any], list[str]]:
    out: list[Any] = []
    rest = tokens[1:]
    while rest and rest[0] != "]":
        if rest[0] == "[":
            entry, rest = _row(text, rest)
            out.append(entry)
        else:
            number = _number(text, rest[0])
            if number is None:
                raise UserError(
                    f"--set {text!r}: {rest[0]!r} is not a number", "numbers in brackets", "[[0, 1], [1, 0]]"
                )
            out.append(number)
            rest = rest[1:]
        if rest and rest[0] == ",":
            rest = rest[1:]
        elif rest and rest[0] != "]":
            raise UserError(
                f"--set {text!r}: a comma is missing before {rest[0]!r}", "numbers in brackets", "[[0, 1], [1, 0]]"
            )
    if not rest:
        raise UserError(
            f"--set {text!r}: a bracket is never closed", "numbers in brackets", "for instance [[0, 1], [1, 0]]"
        )
    if len({len(v) if isinstance(v, list) else -1 for v in out}) > 1:
        raise UserError(
            f"--set {text!r}: the rows are not equally long", "rows of one length", "count the numbers of each row"
        )
    return out, rest[1:]


def _number(text: str, piece: str) -> Any:
    """A number as it is written, None where it is none. Infinities are numbers (of masks); NaN would only spread."""
    plain = piece.replace("−", "-").strip()
    if plain.lower() in _WORDS:
        return _WORDS[plain.lower()]
    if plain.lower() in ("nan", "-nan", "+nan"):
        raise UserError(
            f"--set {text!r}: NaN is not a value to compute with", "a number", "-inf is what a mask hides with"
        )
    if plain.lower().lstrip("+-") in _INFINITE:
        return float("-inf" if plain.startswith("-") else "inf")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        number = float(plain)
    except ValueError:
        return None
    if number in (float("inf"), float("-inf")):
        raise UserError(
            f"--set {text!r}: {piece} is too large for a number", "a number below 1.8e308", "write -inf for infinity"
        )
    return number
