"""What a figure says when it cannot be drawn."""

from __future__ import annotations


class FigureError(Exception):
    """A figure that cannot be drawn: which one, what it needs and what there is."""

    def __init__(self, found: str, expected: str = "", hint: str = "") -> None:
        super().__init__("; ".join(part for part in (found, f"expected {expected}" if expected else "", hint) if part))
