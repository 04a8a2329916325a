"""Where a result goes: to standard output, or to a file that is whole or not there at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from workings.commands.problems import UserError, drop_output

FORMATS = {
    "txt": "terminal text",
    "md": "Markdown",
    "tex": "LaTeX",
    "json": "JSON",
    "html": "a live page",
    "ipynb": "a notebook",
}


def format_for(asked: str | None, output: str | None) -> str:
    """The format asked for, or the one the file's name says; text where neither does."""
    if asked is None:
        suffix = Path(output).suffix.lower().removeprefix(".") if output else ""
        if suffix and suffix not in FORMATS:
            endings = ", ".join(f".{name}" for name in FORMATS)
            raise UserError(f"-o {output}: .{suffix} is not an ending it knows", f"one of {endings}", "or add --format")
        return suffix or "txt"
    chosen = asked.lower()
    if chosen in FORMATS:
        return chosen
    import difflib

    near = difflib.get_close_matches(
        {"markdown": "md", "latex": "tex", "text": "txt"}.get(chosen, chosen), FORMATS, 1, 0.4
    )
    hint = f"did you mean --format {near[0]}?" if near else "leave --format out for text"
    raise UserError(f"--format {asked}: there is no such format", f"one of {', '.join(FORMATS)}", hint)


OPTION = "-o "
"""What messages put before a file's name, unless another option names it; nothing where it is no option."""


def check_writable(output: str | None, option: str = OPTION) -> None:
    """Find out before the work is done whether its result can be written."""
    if output is None or output == "-":
        return
    path = Path(output)
    if path.is_dir():
        hint = f"write {option}{path / 'result.txt'}"
        raise UserError(f"{option}{output}: this is a folder", "the name of a file", hint)
    folder = path.resolve().parent
    if not folder.is_dir():
        found = f"{option}{output}: there is no folder {folder}"
        raise UserError(found, "a file in a folder that exists", "make the folder first")
    if not (os.access(path, os.W_OK) if path.exists() else os.access(folder, os.W_OK | os.X_OK)):
        raise UserError(f"{option}{output}: it cannot be written", "a place you may write to", "choose another folder")


def write(text: str, output: str | None = None, option: str = OPTION) -> None:
    """Write a result: to standard output where no file is named."""
    if output is None or output == "-":
        _print(text)
        return
    write_bytes(text.encode("utf-8", "backslashreplace"), output, option)


def write_bytes(content: bytes, output: str, option: str = OPTION) -> None:
    """Write a file, whole or not at all."""
    try:
        write_file(Path(output), content)
    except OSError as error:
        found = f"{option}{output}: cannot be written ({error.strerror or error})"
        raise UserError(found, "", "nothing was written; choose another file") from None


def write_parts(parts: Iterable[str], output: str | None = None, between: str = "") -> None:
    """Write a result part by part: to the screen each as it comes; to a file all at the end, whole or not at all."""
    if output is None or output == "-":
        for number, part in enumerate(parts):
            _print(between * (number > 0) + part)
    else:
        write(between.join(parts), output)


def write_now(text: str) -> None:
    """Print a piece of a line that is still growing."""
    out = sys.stdout
    if hasattr(out, "reconfigure"):
        # Where the terminal lacks a sign it shows the sign's code, rather than our failing.
        out.reconfigure(errors="backslashreplace")
    try:
        out.write(text)
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise UserError(f"standard output: cannot be written ({error.strerror or error})", "", "make room") from None


def _print(text: str) -> None:
    write_now(text if text.endswith("\n") else text + "\n")


def write_file(path: Path, content: bytes) -> None:
    """Put the content in a file beside, then rename: a reader finds the old file or the new one, never a part."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a device or a pipe: there is nothing to rename
        return
    import tempfile  # loads a good deal, and most results go to the screen

    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, _mode(path))
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those any new file would get."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
