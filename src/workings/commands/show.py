"""`workings show`: run, ask, and write in the format asked for."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workings.commands import output
from workings.commands.changes import parse_changes
from workings.commands.problems import YOURS, Ended, UserError, printable, say
from workings.commands.what import computes, working_of
from workings.frozen import frozen

if TYPE_CHECKING:
    from workings.reading.line import Arithmetic
    from workings.reading.replay import Replay
    from workings.recording.stopped import ScriptError
    from workings.recording.working import Working

DEPTHS = ("sentences", "steps", "numbers")


@frozen
class Request:
    """What the command line asks for."""

    what: str
    sentence: str | None = None
    at: Sequence[str] = ()
    changes: Sequence[str] = ()
    format: str | None = None
    output: str | None = None
    depth: str | None = None
    decimals: int | None = None
    width: int | None = None
    colour: bool = True
    predict: bool = False


@frozen
class Look:
    """How it is written down."""

    format: str
    depth: str
    levels: int | None
    width: int
    colour: bool


def show(request: Request) -> None:
    """Run what was named and write what was asked about it. Raises UserError; ends with 2 where a script stops."""
    look = _look(request)
    changes = parse_changes(request.changes)
    output.check_writable(request.output)
    from workings.recording.stopped import ScriptError

    try:
        working = working_of(request.what, request.sentence)
        if request.decimals is not None:
            working.decimals = request.decimals
        if request.predict and look.format != "html":
            _ask(working, request, changes, look)
            return
        result = _answer(working, request, changes, look)
    except ScriptError as stopped:
        _show_stopped(stopped, request, look)
        raise Ended(YOURS) from None
    output.write(result, request.output)


def _answer(working: Working, request: Request, changes: dict[str, Any], look: Look) -> str:
    if look.format == "html":
        return _page(working, request, changes, look)
    if look.format == "ipynb":
        return _notebook(working, request, changes)
    if not changes:
        return _arithmetic(working, request.at, look) if request.at else _rendered(working, look)
    replay = replayed(working, changes)
    after = replay.after()
    after.decimals = working.decimals
    after.notes = [*after.notes, *(f"What if: {text}" for text in request.changes)]
    if request.at:
        return _arithmetic(after, request.at, look, before=working)
    if look.format == "txt":
        from workings.views import terminal

        return terminal.render_replay(replay, colour=look.colour, width=look.width)
    return _rendered(after, look)


def _ask(working: Working, request: Request, changes: dict[str, Any], look: Look) -> None:
    """Ask for each value before it is shown, in the terminal."""
    from workings.commands.predicting import predict

    if request.at or changes or look.format != "txt" or request.output not in (None, "-"):
        hint = "or write a page that asks: --format html -o FILE"
        raise UserError("--predict asks in the terminal", "without --at, --set, --format and --output", hint)
    predict(working, look.depth, look.colour, look.width)


def _page(working: Working, request: Request, changes: dict[str, Any], look: Look) -> str:
    """The live page; what is changed on the command line can be taken back on it."""
    from workings.views.live import pages

    if request.at:
        raise UserError("--at with --format html", "one of the two", "every number of the page opens its own working")
    for address, new in changes.items():
        _check_change(working, address, new)
    try:
        return pages.render(working, depth=look.depth, ask=request.predict, changes=changes)
    except pages.TooLarge as error:
        raise UserError(f"{error}, or --format md", where=request.what) from None


def _notebook(working: Working, request: Request, changes: dict[str, Any]) -> str:
    """A notebook that records the same again."""
    if request.at or changes:
        raise UserError("--format ipynb with --at or --set", "a whole Working", "ask and change in the notebook")
    from importlib.util import find_spec

    if find_spec("nbformat") is None:
        hint = "install what is needed with: pip install 'workings[notebook]'"
        raise UserError("nbformat cannot be imported, which notebooks need", "", hint)
    from workings.views import ipynb

    try:
        return ipynb.render(working)
    except ValueError as error:
        raise UserError(f"{request.what}: {error}") from None


def replayed(working: Working, changes: dict[str, Any]) -> Replay:
    """What if: run again with the changes. Raises UserError for what is not there, does not fit or stops."""
    for address, new in changes.items():
        _check_change(working, address, new)
    from workings.recording.stopped import ScriptError

    try:
        return working.replay(changes)
    except ScriptError as stopped:  # a branch went the other way, and the script itself ran again
        raise UserError(f"with the change, {stopped}", "", "try other numbers") from None
    except (ArithmeticError, ValueError, IndexError) as error:
        raise UserError(f"with the change, the computation stops: {error}", "", "try other numbers") from None


def _check_change(working: Working, address: str, new: Any) -> None:
    """Before anything is run again: the address is there, and the numbers are as many as it holds."""
    from workings.reading.replay import changed_value
    from workings.recording.address import Address, AddressError

    hint = "count the numbers after the = sign"
    try:
        _, whole = changed_value(working, address, new, {})
        ref, selectors = working.index.whole(Address.parse(address))
        part = whole[(*ref.index, *working.index.region(ref, selectors, address))] if hasattr(whole, "shape") else whole
    except AddressError as error:
        raise UserError(str(error), where=f"--set {address!r}") from None
    except ValueError as misfit:
        raise UserError(f"--set {address!r}: {misfit}", "", hint) from None
    shape = tuple(getattr(part, "shape", ()))
    if math.prod(shape) > 1 and not isinstance(new, (str, list)):
        # Elsewhere one number would fill the whole; here it is more likely that the others were forgotten.
        held = " × ".join(map(str, shape))
        raise UserError(
            f"--set {address!r}: {address} holds {held} numbers, and one was given", f"{held} numbers", hint
        )


def _rendered(working: Working, look: Look) -> str:
    match look.format:
        case "md":
            from workings.views import markdown

            return markdown.render(working, depth=look.depth)
        case "tex":
            from workings.views import latex

            return latex.render(working, depth=look.depth)
        case "json":
            from workings.views import data

            return data.render(working)
    from workings.views import terminal

    return terminal.render(working, depth=look.depth, colour=look.colour, width=look.width)


def _arithmetic(working: Working, addresses: Sequence[str], look: Look, before: Working | None = None) -> str:
    if look.format == "txt":
        return "\n\n".join(_in_text(working, address, look, before) for address in addresses) + "\n"
    found = [(address, _worked(working, address, look)) for address in addresses]
    if look.format == "json":
        from workings.views import data

        return data.render_arithmetic(found)
    if look.format == "tex":
        return _document([result.latex() for _, result in found])
    return "\n".join(_display(result.latex()) for _, result in found)


def _in_text(working: Working, address: str, look: Look, before: Working | None = None) -> str:
    """One number worked out; of an array its table, with how to ask for one of its numbers."""
    from workings.recording.address import AddressError
    from workings.recording.working import Ref
    from workings.views import terminal

    if before is not None:
        return f"Before:\n{_in_text(before, address, look)}\n\nAfter:\n{_in_text(working, address, look)}"
    try:
        ref = working.find(address)
    except AddressError as error:
        raise UserError(str(error), where=f"--at {address!r}") from None
    shape = working.steps[ref.step].shape[len(ref.index) :]
    if not shape:
        return terminal.render_arithmetic(working, _worked(working, address, look), look.colour, look.width).rstrip()
    table = terminal.render_value(working, ref, bool(look.colour), look.width).rstrip()
    if 0 in shape:
        return table
    one = working.index.element_path(Ref(ref.step, (*ref.index, *(0 for _ in shape))))
    return f"{table}\n\n  To see one of these numbers worked out, name it: --at {one!r}"


def _worked(working: Working, address: str, look: Look) -> Arithmetic:
    from workings.recording.address import AddressError

    try:
        return working.at(address, depth=look.levels)
    except (AddressError, ValueError) as error:  # no such value, or an array where one number is asked for
        raise UserError(str(error), where=f"--at {address!r}") from None


def _display(latex: str) -> str:
    return "$$\n" + latex.replace("align*", "aligned") + "\n$$\n"


def _document(parts: list[str]) -> str:
    head = "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n\\usepackage{amsmath}\n"
    return head + "\\allowdisplaybreaks\n\\begin{document}\n" + "\n\n".join(parts) + "\n\\end{document}\n"


def _show_stopped(stopped: ScriptError, request: Request, look: Look) -> None:
    """A script that raised, exited or was interrupted: what there is, then its own traceback, then what happened."""
    working = stopped.working
    # A file, and a format that programs read, is written whole or not at all.
    unwritten = request.output not in (None, "-") or look.format in ("json", "tex")
    if computes(working) and not unwritten:
        if request.decimals is not None:
            working.decimals = request.decimals
        output.write(_arithmetic(working, request.at, look) if request.at else _rendered(working, look))
    if not isinstance(stopped.cause, (KeyboardInterrupt, SystemExit)):
        from workings.commands.tracebacks import own_traceback

        say(own_traceback(stopped.cause))
    shown = "shown is what was recorded up to there" if computes(working) else "nothing was computed yet"
    if unwritten:
        shown = f"nothing was written to {request.output or 'standard output'}"
    say(f"workings: {request.what}: {stopped}; {shown}")


def _look(request: Request) -> Look:
    chosen = output.format_for(request.format, request.output)
    depth, levels = _depth(request)
    if request.width is not None and request.width < 20:
        raise UserError(f"--width {request.width}", "at least 20 columns", "leave it out to fit the window")
    to_screen = request.output in (None, "-") and sys.stdout.isatty()
    colour = request.colour and "NO_COLOR" not in os.environ and (to_screen or bool(os.environ.get("FORCE_COLOR")))
    from workings.views.paper import terminal_width

    # A pipe or a file has no width of its own: 100 columns, the same everywhere.
    width = request.width or terminal_width(100)
    return Look(chosen, depth, levels, width, colour)


def _depth(request: Request) -> tuple[str, int | None]:
    """How much is shown: a word for a Working, a count of lines back for one number."""
    asked = request.depth
    if asked is None:
        return "steps", None
    if asked.isdecimal():
        if not request.at:
            raise UserError(
                f"--depth {asked}: a count of lines goes with --at",
                f"one of {', '.join(DEPTHS)}",
                "or add --at ADDRESS",
            )
        return "steps", int(asked)
    if asked in DEPTHS:
        return asked, None
    import difflib

    near = difflib.get_close_matches(asked.lower(), DEPTHS, 1, 0.4)
    hint = f"did you mean --depth {near[0]}?" if near else "steps is the usual one"
    raise UserError(f"--depth {printable(asked)}", f"one of {', '.join(DEPTHS)}, or a count of lines with --at", hint)
