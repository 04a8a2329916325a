"""Where a result goes: to standard output, or to a file that is whole or not there at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from workings.commands.problems import UserError

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


def check_writable(output: str | None) -> None:
    """Find out before the work is done whether its result can be written."""
    if output is None or output == "-":
        return
    path = Path(output)
    if path.is_dir():
        raise UserError(f"-o {output}: this is a folder", "the name of a file", f"write -o {path / 'result.txt'}")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UserError(
            f"-o {output}: there is no folder {folder}", "a file in a folder that exists", "make the folder first"
        )
    if not (os.access(path, os.W_OK) if path.exists() else os.access(folder, os.W_OK | os.X_OK)):
        raise UserError(f"-o {output}: it cannot be written", "a place you may write to", "choose another folder")


def write(text: str, output: str | None = None) -> None:
    """Write a result: to standard output where no file is named."""
    if output is None or output == "-":
        _print(text)
        return
    write_bytes(text.encode("utf-8", "backslashreplace"), output)


def write_bytes(content: bytes, output: str) -> None:
    """Write a file, whole or not at all."""
    try:
        write_file(Path(output), content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(
            f"-o {output}: cannot be written ({reason})", "", "nothing was written; choose another file"
        ) from None


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
    out.write(text)
    out.flush()


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
