"""Code in, a Working out: a script, a function, a piece of source."""

from __future__ import annotations

import collections
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import io
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from workings.progress import Report, unheard
from workings.recording import containers, source
from workings.recording.collecting import few_collections
from workings.recording.comments import label_from_comments
from workings.recording.ledger import CONSTANT
from workings.recording.recorder import Box, Frame, Recorder
from workings.recording.stopped import ScriptError
from workings.recording.warned import warnings_of_the_program
from workings.recording.working import Ref, Source, Working

_CALLS_FOR_ONE = 8  # how deep the recorder stands in one call of the source's, with room to spare
_MOST_CALLS = 100_000


class _Folder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports of modules that lie beside the script are rewritten as they are loaded."""

    def __init__(self, folder: Path, recorder: Recorder) -> None:
        self.folder = folder
        self.recorder = recorder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        base = self.folder.joinpath(*fullname.split("."))
        for file, package in ((base / "__init__.py", True), (base.with_suffix(".py"), False)):
            if file.is_file():
                return importlib.util.spec_from_file_location(
                    fullname, file, loader=self, submodule_search_locations=[str(base)] if package else None
                )
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        file = str(module.__file__)
        code = source.compile_module(source.read_text(file), file)
        frame = Frame(self.recorder.root.group)
        self.recorder.modules[id(module.__dict__)] = frame
        module.__dict__[source.RECORDER] = self.recorder
        module.__dict__[source.MODULE_FRAME] = frame
        before = self.recorder.current
        exec(code, module.__dict__)
        self.recorder.current = before


class _NoInput(io.TextIOBase):
    """Standard input for a recorded script: it has none, and is told so."""

    def readable(self) -> bool:
        return True

    def readline(self, *_: Any) -> Any:
        raise EOFError(
            "the script reads standard input, and a recorded script has none; put the values into the script"
        )

    read = readline


@contextmanager
def _as_main(path: Path, recorder: Recorder) -> Iterator[None]:
    finder = _Folder(path.parent, recorder)
    before = (sys.argv, list(sys.path), sys.stdin, set(sys.modules))
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    sys.meta_path.insert(0, finder)
    sys.stdin = _NoInput()
    try:
        yield
    finally:
        sys.argv, sys.path[:], sys.stdin = before[0], before[1], before[2]
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before[3]:
            if getattr(getattr(sys.modules[name], "__spec__", None), "loader", None) is finder:
                del sys.modules[name]


@contextmanager
def _room() -> Iterator[None]:
    """A recorded call takes several of Python's; and what a recording keeps is not worth searching for cycles often."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit * _CALLS_FOR_ONE, _MOST_CALLS))
    try:
        with few_collections(), warnings_of_the_program():
            yield
    finally:
        sys.setrecursionlimit(limit)


def record_script(
    path: str | Path,
    *,
    overrides: Mapping[tuple[str, int], Callable[[Any], Any]] | None = None,
    report: Report = unheard,
) -> Working:
    """Run a script and record it; `report` is told of the steps so far.

    Raises :class:`ScriptError` where the script raises, exits with a failure, reads standard input or is interrupted;
    the error carries what was recorded until then.
    """
    path = Path(path).resolve()
    text = source.read_text(path)
    code = source.compile_module(text, str(path))
    recorder = Recorder(Source("script", path.name, str(path), text), source.SITES)
    recorder.overrides = dict(overrides or {})
    recorder.working.source.rerun = lambda changes, _: record_script(path, overrides=changes)
    report("recording", recorder.working.steps, what="steps")
    namespace: dict[str, Any] = {
        "__name__": "__main__",
        "__file__": str(path),
        "__builtins__": __builtins__,
        source.RECORDER: recorder,
        source.MODULE_FRAME: recorder.root,
    }
    module = types.ModuleType("__main__")
    module.__dict__.update(namespace)
    recorder.modules[id(module.__dict__)] = recorder.root
    printed = io.StringIO()
    saved = sys.modules.get("__main__")
    try:
        with _as_main(path, recorder), _room(), redirect_stdout(printed):
            sys.modules["__main__"] = module
            exec(code, module.__dict__)
    except SystemExit as stop:
        if stop.code not in (None, 0):
            raise _stopped(recorder, printed, f"the script exits with {stop.code!r}", stop) from None
    except KeyboardInterrupt as stop:
        raise _stopped(recorder, printed, "interrupted", stop) from None
    except Exception as error:
        raise _stopped(recorder, printed, f"the script raised {type(error).__name__}: {error}", error) from None
    finally:
        if saved is not None:
            sys.modules["__main__"] = saved
    working = recorder.finish()
    _complete(working, printed)
    return working


def _complete(working: Working, printed: io.StringIO) -> None:
    working.printed = printed.getvalue()
    label_from_comments(working)


def _stopped(recorder: Recorder, printed: io.StringIO, message: str, error: BaseException) -> ScriptError:
    site = recorder.current.site
    where = f" at line {site.line}: {site.text.splitlines()[0]}" if site is not None and site.text else ""
    working = recorder.finish()
    working.source.error = message + where
    _complete(working, printed)
    return ScriptError(message + where, working, error)


def record_function(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    overrides: Mapping[tuple[str, int], Callable[[Any], Any]] | None = None,
) -> Working:
    """Call a function and record what happens inside it."""
    name = getattr(function, "__name__", type(function).__name__)
    file = getattr(getattr(function, "__code__", None), "co_filename", "")
    recorder = Recorder(Source("function", name, file), source.SITES)
    recorder.overrides = dict(overrides or {})
    recorder.imported()
    working = recorder.working
    try:
        boxes = [_argument(recorder, value) for value in args]
        named = {key: _argument(recorder, value) for key, value in kwargs.items()}
        arguments = dict(enumerate(boxes)) | named
        parts = working.argument_parts = {str(key): _parts(recorder, box) for key, box in arguments.items()}

        def rerun(changes: Mapping[tuple[str, int], Callable[[Any], Any]], value: Callable[[Ref], Any]) -> Working:
            again = {key: rebuilt(part, value) for key, part in parts.items()}
            positional = [again.pop(str(place)) for place in range(len(args))]
            return record_function(function, positional, again, overrides=changes)

        working.source.rerun = rerun
        with _room():
            result = recorder.calls.call(recorder.root, function, boxes, named)
        recorder.current = recorder.root
        working.result = result.value
        working.result_parts = _parts(recorder, result)
    finally:
        recorder.finish()
    return working


def rebuilt(parts: Any, value: Callable[[Ref], Any]) -> Any:
    """An argument or a result, made anew from the values of its parts. What was one array twice is one array again."""
    whole: dict[int, Any] = {}

    def make(part: Any) -> Any:
        if isinstance(part, Ref):
            if not part.index:
                whole.setdefault(part.step, value(part))
                return whole[part.step]
            return value(part)
        if isinstance(part, list):
            return [make(p) for p in part]
        if isinstance(part, tuple):
            return tuple(map(make, part)) if type(part) is tuple else type(part)(*map(make, part))
        if isinstance(part, dict):
            return {k: make(v) for k, v in part.items()}
        if isinstance(part, containers.Made):
            return part.make(make(part.parts))
        return part

    return make(parts)


def steps_of(parts: Any) -> Iterator[int]:
    """The steps that the parts of an argument or a result name."""
    if isinstance(parts, Ref):
        yield parts.step
    elif isinstance(parts, (list, tuple)):
        for part in parts:
            yield from steps_of(part)
    elif isinstance(parts, dict):
        yield from steps_of(list(parts.values()))
    elif isinstance(parts, containers.Made):
        yield from steps_of(parts.parts)


def _argument(recorder: Recorder, value: Any) -> Box:
    """An argument of a shown function: its numbers are given."""
    box = Box(value)
    if isinstance(value, (list, tuple, dict)):
        containers.adopt(recorder, value)
    elif type(value) in (int, float, complex):
        box.tag = recorder.given(value, lost=False)
    ref = recorder.ref(box) if type(value) is not bool else None
    if isinstance(ref, Ref):
        recorder.found(ref)
    return box


def _parts(recorder: Recorder, box: Box) -> Any:
    """The shape of a result, with the origin of each number or array in its place."""
    value, ledger = box.value, recorder.ledger
    if isinstance(value, (list, tuple)):
        tags = ledger.shadow_of(value).tags
        parts = [_parts(recorder, Box(v, t)) for v, t in zip(value, tags, strict=True)]
        if type(value) in (list, tuple):
            return type(value)(parts)
        return type(value)(*parts) if hasattr(value, "_fields") else value
    if isinstance(value, dict):
        return {k: _parts(recorder, Box(v, ledger.entry(value, k, v))) for k, v in value.items()}
    if isinstance(value, collections.deque):
        places = zip(value, ledger.shadow_of(value).tags, strict=True)
        made: Any = functools.partial(collections.deque, maxlen=value.maxlen)
        return containers.Made(made, [_parts(recorder, Box(v, t)) for v, t in places])
    if type(value) in recorder.calls.users and isinstance(getattr(value, "__dict__", None), dict):
        fields = {n: _parts(recorder, Box(v, ledger.attribute(value, n, v))) for n, v in vars(value).items()}
        return containers.Made(type(value), fields)
    if isinstance(box.tag, Ref):
        return recorder.ref(box)
    if type(value) is str:
        recorder.opened_text(value)
        return value
    if box.tag is CONSTANT or type(value) is bool:
        return value
    ref = recorder.ref(box)
    return value if ref is None else ref


__all__ = ["ScriptError", "record_function", "record_script"]
