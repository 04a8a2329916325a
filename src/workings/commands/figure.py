"""`workings figure`: a picture of an example, a script, a saved Working, a training or a model."""

from __future__ import annotations

import tomllib
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from workings.commands import output
from workings.commands.options import decimals
from workings.commands.problems import UserError

if TYPE_CHECKING:
    from workings.figures.style import Drawing, Style
    from workings.figures.wish import Wish
    from workings.recording.working import Working

ENDINGS = ("svg", "png", "pdf")
_OF_A_RUN = ("blocks", "losses")
_STYLES = ("page", "paper", "slides")


def options(parser: ArgumentParser) -> None:
    """What `workings figure` takes."""
    add = parser.add_argument
    what = "an example's name, an example or run file (.toml), a script (.py), a saved Working, a training, gpt2-small"
    add("what", metavar="WHAT", help=f"what is drawn: {what}")
    add(
        "figure",
        metavar="FIGURE",
        nargs="?",
        help="its name, or the address of any value; left out, what there is is listed",
    )
    add("sentence", metavar="SENTENCE", nargs="*", help="after an example or a trained model: what it reads")
    add("-o", "--output", metavar="FILE", help="write to this file: .svg, .png or .pdf; - is standard output")
    add(
        "--at",
        metavar="ADDRESS",
        action="append",
        help="which attention, mask or probabilities; may be given several times",
    )
    add("--token", metavar="WORD", action="append", help="which word; may be given several times, : is each")
    add("--axes", metavar="NAME", nargs=2, help="the two columns that the plane has")
    add("--of", metavar="WHAT", action="append", help="of a training: loss, accuracy, rate or norm; may be repeated")
    add("--set", metavar="CHANGE", action="append", dest="changes", help="what if: 'address = numbers', as in show")
    add("--decimals", metavar="N", type=decimals, help="how many decimals are written")
    add("--vocabulary", metavar="N", type=int, help="words, where a run file leaves that to the tokeniser")
    add("--width", metavar="MM", type=float, help="so many millimetres wide")
    style_options(parser)


def style_options(parser: ArgumentParser) -> None:
    """How a figure looks."""
    add = parser.add_argument
    add("--style", choices=_STYLES, default="page", help="for a page, a paper (84 or 174 mm wide) or slides (16:9)")
    add("--dark", action="store_true", help="light on dark")


def run(found: Namespace) -> None:
    """Draw, or list what there is to draw. Raises UserError, FigureError, AddressError, and those of what is run."""
    check_installed()
    kind = kind_of(found.output) if found.figure else "svg"
    output.check_writable(found.output)
    from workings.figures.style import style_named

    style = style_named(found.style, found.dark, found.width)
    if found.figure is None:
        if found.output is not None:
            raise UserError(f"-o {found.output}: no figure was named", f"workings figure {found.what} FIGURE -o FILE",
                            f"`workings figure {found.what}` lists what there is")  # fmt: skip
        output.write(_listed(found))
        return
    if found.output is None:
        hint = f"-o {_safe(found.figure)}.svg, or .png or .pdf"
        raise UserError("a figure is a file, and none was named", hint)
    save(_drawn(found, style), found.output, kind)


def check_installed() -> None:
    """Raise UserError where there is no matplotlib."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        hint = "install what is needed with: pip install 'workings[figures]'"
        raise UserError("matplotlib cannot be imported, which figures need", "", hint)


def kind_of(file: str | None) -> str:
    """The format that a file's ending asks for."""
    if file in (None, "-"):
        return "svg"
    ending = Path(str(file)).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        told = f".{ending} is not one it draws" if ending else "its ending says the format, and it has none"
        raise UserError(f"-o {file}: {told}", "one of .svg, .png, .pdf", f"write {Path(str(file)).stem}.svg")
    return ending


def save(drawing: Drawing, file: str, kind: str) -> None:
    """Write a figure, whole or not at all, and say what it shows."""
    from io import BytesIO

    content = BytesIO()
    drawing.savefig(content, format=kind)
    if file == "-":
        output.write(content.getvalue().decode("utf-8"))
        return
    output.write_bytes(content.getvalue(), file)
    output.write(f"{file}: {drawing.caption}")


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)


# -- of what -----------------------------------------------------------------------------------------------------------


def _drawn(found: Namespace, style: Style) -> Drawing:
    if _is_training(found.what) and found.figure in _OF_A_RUN:
        return _blocks(found, style) if found.figure == "blocks" else _losses(found, style)
    if _is_config(found.what):
        if found.figure == "blocks":
            return _blocks(found, style)
        hint = f"train it, then: workings figure RUN {found.figure}"
        raise UserError(
            f"{found.figure}: {found.what} says what a model is made of, and has no numbers yet", "blocks", hint
        )
    if _is_training(found.what) and not found.sentence:
        hint = f'give it a sentence: workings figure {found.what} {found.figure} "..." -o FILE'
        raise UserError(
            f"{found.figure}: a trained model has numbers when it reads something", "blocks or losses", hint
        )
    from workings.figures.registry import draw

    working = _working(found)
    return draw(working, found.figure, _wish(found, style))


def _wish(found: Namespace, style: Style) -> Wish:
    from workings.figures.wish import Wish

    return Wish(style, tuple(found.at or ()), tuple(found.token or ()), tuple(found.axes or ()))


def _working(found: Namespace) -> Working:
    from workings.commands.changes import parse_changes
    from workings.commands.show import replayed
    from workings.commands.what import working_of
    from workings.recording.stopped import ScriptError

    changes = parse_changes(found.changes or ())
    try:
        working = working_of(found.what, " ".join(found.sentence) or None)
    except ScriptError as stopped:
        hint = f"run it first, or see how far it comes: workings show {found.what}"
        raise UserError(f"{found.what}: {stopped}", "", hint) from None
    if changes:
        before = working
        working = replayed(working, changes).after()
        working.decimals = before.decimals
    if found.decimals is not None:
        working.decimals = found.decimals
    return working


def _is_training(what: str) -> bool:
    from workings.commands import runs

    return runs.is_run(what)


def _is_config(what: str) -> bool:
    """Whether this says what a model is made of: a run file, a config as JSON, or a well-known shape by its name."""
    from workings.transformer.presets import PRESETS

    path = Path(what)
    if path.suffix.lower() == ".json" or (what in PRESETS and not path.exists()):
        return True
    # An example is a .toml file too, and has no task.
    if path.suffix.lower() != ".toml" or not path.is_file():
        return False
    try:
        return "task" in tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return False  # whoever reads it next says what is wrong


def _blocks(found: Namespace, style: Style) -> Drawing:
    """The modules of the model itself, made without memory for its weights."""
    from workings.commands import runs
    from workings.commands.cost import config_of
    from workings.figures.blocks import draw_blocks
    from workings.figures.structure import UNKNOWN, of_config

    runs.check_installed()
    return draw_blocks(of_config(config_of(found.what, found.vocabulary, otherwise=UNKNOWN)), style)


def _losses(found: Namespace, style: Style) -> Drawing:
    from workings.commands.plot import charts_of
    from workings.figures.losses import draw_losses

    return draw_losses(charts_of([found.what], found.of), style)


# -- what there is -----------------------------------------------------------------------------------------------------


def _listed(found: Namespace) -> str:
    """The figures there are, with how one is drawn."""
    from workings.figures.registry import MODEL_KIND, offered

    lines: list[tuple[str, str]] = []
    if _is_training(found.what) or _is_config(found.what):
        lines.append(MODEL_KIND)
        if _is_training(found.what):
            lines.append(("losses", "the course of the training (--of loss, accuracy, rate, norm)"))
            lines.append(
                ("FIGURE SENTENCE", "with something to read: weights, heads, or any address of what is recorded")
            )
    else:
        lines += [(kind.name, kind.sentence) for kind in offered(_working(found))]
        lines.append(("ADDRESS", "any value as a heat map, by its address, such as X"))
    from workings.views.paper import Paper, terminal_width

    widest = max(len(name) for name, _ in lines)
    first = lines[0][0]
    paper = Paper(terminal_width(100), False)
    paper.text(f"Figures of {found.what}; draw one with: workings figure {found.what} {first} -o {first}.svg")
    paper.blank()
    for name, what in lines:
        paper.text(f"{name:<{widest}}  {what}", indent=2, hang=widest + 4)
    return paper.finished()
