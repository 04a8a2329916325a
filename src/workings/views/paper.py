"""Lines of styled text of a limited width: what the terminal view writes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells, set_cell_size

if TYPE_CHECKING:
    from rich.color import ColorSystem
    from rich.style import Style

Piece = tuple[str, str]  # text and the name of its style
NARROWEST, WIDEST, USUAL = 40, 200, 80

STYLES = {
    "title": "bold",
    "heading": "bold cyan",
    "sub": "bold",
    "sentence": "italic",
    "name": "bold",
    "formula": "",
    "dim": "dim",
    "label": "dim",
    "result": "bold",
    "error": "bold red",
    "note": "dim italic",
    "up": "green",
    "down": "red",
}
# Background of the lightest and the heaviest weight, in red, green and blue, for a dark and for a light terminal.
_DARK = ((10, 22, 34), (48, 150, 214))
_LIGHT = ((246, 250, 254), (20, 92, 156))
_SHADES = 16
BLOCKS = " ▁▂▃▄▅▆▇█"


class Paper:
    """Collects lines. Without colour it is plain text; nothing on it is wider than its width."""

    def __init__(self, width: int | None, colour: bool | None) -> None:
        self.width = max(NARROWEST, min(width if width is not None else terminal_width(), WIDEST))
        self.colour = wants_colour() if colour is None else colour
        self.lines: list[list[Piece]] = []

    def put(self, *pieces: Piece) -> None:
        """One line that is known to fit."""
        self.lines.append([piece for piece in pieces if piece[0]])

    def blank(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append([])

    def beside(self, left: Paper, right: Paper, gap: int) -> bool:
        """What stands on two other papers, side by side; False where it is too wide for that."""
        widths = [sum(cell_len(text) for text, _ in line) for line in left.lines]
        start = max(widths, default=0) + gap
        reach = max((sum(cell_len(text) for text, _ in line) for line in right.lines), default=0)
        if start + reach > self.width:
            return False
        for at in range(max(len(left.lines), len(right.lines))):
            first = left.lines[at] if at < len(left.lines) else []
            second = right.lines[at] if at < len(right.lines) else []
            used = widths[at] if at < len(widths) else 0
            self.put(*first, (" " * (start - used), ""), *second)
        return True

    def text(self, text: str, style: str = "", indent: int = 0, hang: int | None = None) -> None:
        """A paragraph, wrapped at spaces; lines after the first are indented by ``hang``."""
        after = indent if hang is None else hang
        for number, line in enumerate(wrapped(text, self.width - indent, self.width - after)):
            self.put((" " * (after if number else indent), ""), (line, style))

    def sides(self, left: Sequence[Piece], right: str, indent: int = 0, hang: int = 0) -> None:
        """Something on the left and a dim remark at the right edge, a line further down where both do not fit."""
        used = indent + sum(cell_len(t) for t, _ in left)
        room = self.width - used - cell_len(right)
        if room >= (2 if right else 0):
            self.put((" " * indent, ""), *left, (" " * max(room, 0) if right else "", ""), (right, "dim"))
            return
        if used <= self.width:
            self.put((" " * indent, ""), *left)
        else:
            self.text("".join(t for t, _ in left), left[0][1] if left else "", indent, indent + hang)
        if not right:
            return
        right = shortened(right, self.width)
        self.put((" " * (self.width - cell_len(right)), ""), (right, "dim"))

    def finished(self) -> str:
        while self.lines and not self.lines[-1]:
            self.lines.pop()
        return "\n".join("".join(self._styled(*piece) for piece in line).rstrip() for line in self.lines) + "\n"

    def _styled(self, text: str, style: str) -> str:
        if not self.colour or not style or not text:
            return text
        return str(_style(STYLES.get(style, style)).render(text, color_system=_system()))


def shade(level: float) -> str:
    """The style of a cell whose weight is ``level`` of the heaviest."""
    lightest, heaviest = _LIGHT if _is_light() else _DARK
    part = round(level * _SHADES) / _SHADES
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(lightest, heaviest, strict=True))
    text = "black" if _is_light() and part < 0.6 else "bright_white"
    return f"{text} on #{red:02x}{green:02x}{blue:02x}"


def block(level: float) -> str:
    """The same without colour: a bar one column wide."""
    return BLOCKS[min(int(level * (len(BLOCKS) - 1) + 0.5), len(BLOCKS) - 1)]


def wrapped(text: str, first: int, rest: int) -> list[str]:
    """Text cut at spaces into lines of display width ``first`` and then ``rest``; longer words are cut through."""
    out: list[str] = []
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in paragraph.split(" "):
            room = rest if out or line else first
            room = rest if out else first
            candidate = f"{line} {word}" if line else word
            if cell_len(candidate) <= room:
                line = candidate
                continue
            if line:
                out.append(line)
                room = rest
            pieces = chop_cells(word, max(room, 1)) or [""]
            out += pieces[:-1]
            line = pieces[-1]
        out.append(line)
    return out


def shortened(text: str, width: int) -> str:
    """Text cut to a display width, with an ellipsis where something is missing."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"


def aligned(text: str, width: int, *, right: bool = False) -> str:
    """Text padded to a display width."""
    text = shortened(text, width)
    gap = " " * (width - cell_len(text))
    return gap + text if right else text + gap


def wants_colour() -> bool:
    """Whether standard output is a terminal that shows colour and the user has not said no (https://no-color.org)."""
    import sys

    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown", "")


def terminal_width(otherwise: int = USUAL) -> int:
    """Columns of the terminal, as ``shutil.get_terminal_size`` finds them; ``otherwise`` where there is no terminal.

    (``shutil`` brings five modules for compressed archives along.)
    """
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    screen = sys.__stdout__
    try:
        return os.get_terminal_size(screen.fileno()).columns or otherwise if screen else otherwise
    except (AttributeError, ValueError, OSError):  # closed, replaced, or no terminal
        return otherwise


@cache
def _style(definition: str) -> Style:
    from rich.style import Style

    return Style.parse(definition)


@lru_cache(maxsize=1)
def _system() -> ColorSystem:
    from rich.color import ColorSystem

    known = os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    return ColorSystem.TRUECOLOR if known else ColorSystem.EIGHT_BIT


def _is_light() -> bool:
    """COLORFGBG, where a terminal sets it, ends in the number of the background: 7 and 15 are light."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
