"""Draw docs/picture.svg: part of what `workings show apple` prints, and one number of it worked out.

    python docs/picture.py

Every line is what the commands print, with its colours. What is left out between them is said by a line of dots. Each
word is placed by its column, so that the picture looks the same in whatever monospaced font is there.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

COLUMNS = 84
WORKED_OUT = ["--at", "projected.weights[Apple, shares]", "--depth", "2"]
BLOCKS = ["Queries, keys and values", "projected.scores ", "projected.weights "]
"""What the first lines of the drawn blocks have in them."""

WIDE, HIGH, MARGIN = 8.4, 20, 16  # of a character, of a line, around them; in units of the drawing
PAPER, INK, FAINT = "#1d2330", "#e8e8e3", "#98a0b0"
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">
<title>Part of what `workings show apple` prints: a table of attention weights, and one of them worked out</title>
<rect width="100%" height="100%" rx="8" fill="{paper}"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="{ink}">
"""


def printed(*arguments: str) -> list[str]:
    """The lines that the command prints on a terminal with colours."""
    command = [sys.executable, "-m", "workings", "show", "apple", *arguments, "--width", str(COLUMNS)]
    environment = {**os.environ, "FORCE_COLOR": "1"}
    environment.pop("NO_COLOR", None)
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, encoding="utf-8"
    ).stdout.splitlines()


def blocks(lines: list[str]) -> list[list[str]]:
    """The lines of a page, cut at its empty lines."""
    found: list[list[str]] = [[]]
    for line in lines:
        if plain(line).strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return found


def plain(line: str) -> str:
    return Text.from_ansi(line).plain


def lines_drawn() -> list[str]:
    page = blocks(printed())
    drawn = ["$ workings show apple", "⋮"]
    for wanted in BLOCKS:
        drawn += [*next(block for block in page if any(wanted in plain(line) for line in block[:2])), ""]
    shown = " ".join(f'"{word}"' if " " in word else word for word in WORKED_OUT)
    return [*drawn[:-1], "⋮", f"$ workings show apple {shown}", *printed(*WORKED_OUT)]


def drawn(line: str, row: int, console: Console) -> Iterator[str]:
    """A line as shapes: the background of its runs, then each word where it stands."""
    column = 0
    for run in Text.from_ansi(line).render(console, end=""):
        style = run.style or Style()
        x, y = MARGIN + column * WIDE, MARGIN + row * HIGH
        if style.bgcolor is not None:
            fill = hexadecimal(style.bgcolor)
            yield f'<rect x="{x:.1f}" y="{y:g}" width="{len(run.text) * WIDE:.1f}" height="{HIGH}" fill="{fill}"/>'
        for word in re.finditer(r"\S+", run.text):
            # A rule of many dashes is one line; anything else is text.
            at, end = x + word.start() * WIDE, x + word.end() * WIDE
            if set(word[0]) == {"─"}:
                yield f'<path d="M{at:.1f} {y + HIGH / 2:g}H{end:.1f}" stroke="{FAINT}" stroke-opacity=".6"/>'
            else:
                yield f'<text x="{at:.1f}" y="{y + 15:g}"{looks(style)}>{escape(word[0])}</text>'
        column += len(run.text)


def looks(style: Style) -> str:
    out = ' font-weight="bold"' if style.bold else ""
    out += ' font-style="italic"' if style.italic else ""
    if style.dim:
        return f'{out} fill="{FAINT}"'
    return f'{out} fill="{hexadecimal(style.color)}"' if style.color is not None else out


def hexadecimal(color: Color) -> str:
    """A terminal chooses its first sixteen colours; these are our choice of the two that are used."""
    chosen = {6: "#5fc6cf", 15: "#ffffff"}
    return chosen.get(color.number or 0) or color.get_truecolor().hex


def main() -> None:
    console = Console(force_terminal=True, color_system="truecolor", width=COLUMNS)
    lines = lines_drawn()
    size = {"width": 2 * MARGIN + COLUMNS * WIDE, "height": 2 * MARGIN + len(lines) * HIGH}
    shapes = [shape for row, line in enumerate(lines) for shape in drawn(line, row, console)]
    picture = HEAD.format(**size, paper=PAPER, ink=INK) + "\n".join(shapes) + "\n</g>\n</svg>\n"
    Path(__file__).with_name("picture.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
