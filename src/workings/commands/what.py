"""What is shown: from the word on the command line to a Working."""

from __future__ import annotations

import contextlib
import io
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

from workings.commands.problems import UserError
from workings.progress import Report, unheard

if TYPE_CHECKING:
    from workings.recording.working import Working

LIMIT = 1_000_000
"""The largest file that is read, in bytes. What a person follows number by number is far smaller."""
KINDS = {".py": "a script", ".toml": "an example", ".workings": "a saved Working"}


def working_of(what: str, sentence: str | None = None, report: Report = unheard) -> Working:
    """Run an example, a script or a trained model, or load a saved Working; `report` is told how far it is.

    Raises UserError for what is none of these; ScriptError where a script stops, with what was recorded until then.
    """
    suffix = Path(what).suffix.lower()
    if suffix == ".py":
        return _script(what, sentence, report)
    if suffix == ".workings":
        report("loading what was recorded")
        return _saved(what, sentence)
    from workings import examples

    if suffix == ".toml":
        check_file(what, "an example")
    elif what not in examples.names():
        from workings.commands import runs

        if runs.is_run(what):
            from workings.commands.model_working import working_of_run

            return working_of_run(what, sentence, report)
        raise _unknown(what, examples.names())
    report("recording")
    return examples.load(what).run(sentence)


def _script(what: str, sentence: str | None, report: Report) -> Working:
    text = check_file(what, "a script")
    _no_sentence(what, sentence, "a script")
    from workings.recording.running import record_script

    try:
        working = record_script(what, report=report)
    except SyntaxError as error:
        raise UserError(_syntax_error(what, text, error)) from None
    except RecursionError:
        raise UserError(
            f"{what}: it is nested too deeply", "a script as people write it", "break its longest line up"
        ) from None
    if not computes(working):
        given = sum(1 for step in working.steps if step.operation == "given")
        found = f"{given} values are given, and nothing is computed from them" if given else "nothing is computed"
        raise UserError(
            f"{what}: {found}", "at least one operation on numbers", "call your function in the script, on some numbers"
        )
    return working


# Steps that put given numbers into an array, or count them, and make nothing of them.
_GIVING = {"given", "size", "order", "array", "asarray", "asanyarray", "ascontiguousarray", "copy", "raises"}


def computes(working: Working) -> bool:
    """Whether anything was worked out, rather than only given."""
    return any(step.operation not in _GIVING for step in working.steps)


def _saved(what: str, sentence: str | None) -> Working:
    if not Path(what).is_file():
        check_file(what, "a saved Working")
    _no_sentence(what, sentence, "a saved Working")
    from workings.recording.saving import load

    return load(Path(what))


def _no_sentence(what: str, sentence: str | None, kind: str) -> None:
    if sentence is not None:
        found = f"{what} is {kind}, and a sentence was given too: {sentence!r}"
        raise UserError(found, "a sentence only with an example", f"workings show {what}")


def _unknown(what: str, names: list[str]) -> UserError:
    there = _there(what) if what else None  # no name at all is the path of this folder
    if there is not None:
        return there
    import difflib

    from workings.commands.runs import shipped_names

    near = difflib.get_close_matches(what.lower(), [*names, *shipped_names()], 2, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`workings examples` lists them"
    expected = f"one of {', '.join([*names, *shipped_names()])}, a .py or .toml file, or the folder of a training"
    return UserError(f"there is no example named {what!r}", expected, hint)


def _there(what: str) -> UserError | None:
    """What is wrong with a folder or a file of that name, where there is one."""
    path = Path(what)
    if path.is_dir():
        expected = "an example's name, a file, or the folder of a training"
        return UserError(f"{what}: this is a folder", expected, "name the file inside it")
    if path.exists():
        kinds = ", ".join(f"{kind} ({suffix})" for suffix, kind in KINDS.items())
        return UserError(f"{what}: its name does not say what it is", kinds, "give the file one of these endings")
    for suffix in (".py", ".toml"):
        if path.with_name(path.name + suffix).is_file():
            return UserError(f"there is no example named {what!r}", "", f"did you mean the file {what}{suffix}?")
    return None


def check_file(what: str, kind: str) -> str:
    """The text of a file that is there, not too large, and text in UTF-8."""
    path = Path(what)
    if path.is_dir():
        raise UserError(f"{what}: this is a folder", f"{kind}, which is one file", "name the file inside it")
    if not path.exists():
        raise UserError(f"{what}: there is no such file", kind, _neighbour(path))
    if not path.is_file():
        raise UserError(f"{what}: this is not a file of text", kind, "save it to a file first")
    size = path.stat().st_size
    if size > LIMIT:
        raise UserError(f"{what}: the file has {size / 1e6:.1f} MB", f"at most {LIMIT / 1e6:.0f} MB",
                        "leave out data: a few rows show how the numbers are made")  # fmt: skip
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{what}: it cannot be read ({error.strerror})", kind, "check its permissions") from None
    if b"\0" in content:
        raise UserError(f"{what}: this is a binary file", f"{kind}, as text", "name the file it was made from")
    encoding = "utf-8-sig"
    if path.suffix == ".py":  # Python's own may say in which encoding they are
        with contextlib.suppress(SyntaxError):
            encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{what}, line {line}: byte {content[error.start]:#04x} is not UTF-8", "text in UTF-8",
                        "save the file in that encoding") from None  # fmt: skip


def _neighbour(path: Path) -> str:
    """A file beside the one that is missing, with nearly its name."""
    import difflib

    folder = path.parent
    there = [p.name for p in folder.iterdir() if p.is_file()] if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, there, 1, 0.6)
    return f"did you mean {folder / near[0]}?" if near else "check the name and the folder"


def _syntax_error(what: str, text: str, error: SyntaxError) -> str:
    """The line that Python cannot read, and a mark under the place."""
    lines = text.splitlines()
    message = f"{what}, line {error.lineno}: {error.msg}; expected Python"
    if not error.lineno or error.lineno > len(lines):
        return message + "; run it with Python first"
    line = lines[error.lineno - 1]
    mark = " " * (max(error.offset or 1, 1) - 1) + "^"
    return f"{message}; the line is\n    {line}\n    {mark}"
