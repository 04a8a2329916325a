"""`%%workings` over a notebook cell: the cell runs as it would, and its working is shown below it."""

from __future__ import annotations

import gc
import itertools
import linecache
import shlex
import sys
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workings.recording.working import Working

_DEPTHS = ("sentences", "steps", "numbers")
_cells = itertools.count(1)


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext workings` calls."""

    def workings(line: str, cell: str) -> Any:
        """%%workings [--depth sentences|steps|numbers] [NAME]: run the cell, show its working, and bind it to NAME."""
        __tracebackhide__ = True
        depth, name = options(line)
        return run_cell(cell, shell.user_ns, depth, name)

    shell.register_magic_function(workings, magic_kind="cell", magic_name="workings")


def options(line: str) -> tuple[str, str]:
    """The magic's line. Raises ValueError for what it does not know."""
    words = shlex.split(line)
    depth, names = "steps", []
    while words:
        word = words.pop(0)
        if word == "--depth" and words:
            depth = words.pop(0)
        else:
            names.append(word)
    if depth not in _DEPTHS or len(names) > 1 or any(not name.isidentifier() for name in names):
        raise ValueError(f"%%workings {line}: expected %%workings [--depth {'|'.join(_DEPTHS)}] [NAME]")
    return depth, names[0] if names else ""


def run_cell(text: str, namespace: dict[str, Any], depth: str = "steps", name: str = "") -> Any:
    """Run a cell in a namespace and show its working; hand back what a cell gives, which the notebook shows.

    What the cell raises goes on to the caller, after what was recorded until then has been shown.
    """
    __tracebackhide__ = True
    from workings.recording.running import ScriptError

    try:
        working, last = record_cell(text, namespace)
    except ScriptError as stopped:
        display(stopped.working, depth)
        raise stopped.cause.with_traceback(_own_part(stopped.cause.__traceback__)) from None
    if name:
        namespace[name] = working
    display(working, depth)
    return None if text.rstrip().endswith(";") else last


def _own_part(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the recorder's frames, as the cell would have it by itself."""
    from workings.recording.user_code import is_user_file

    if trace is None:
        return None
    rest = _own_part(trace.tb_next)
    if not is_user_file(trace.tb_frame.f_code.co_filename):
        return rest
    trace.tb_next = rest
    return trace


def record_cell(text: str, namespace: dict[str, Any]) -> tuple[Working, Any]:
    """Run source in a namespace and record it; the names it binds stay bound there. And what its last line gives.

    Raises SyntaxError, and ScriptError, with what was recorded, where the cell stops.
    """
    from workings.recording import source
    from workings.recording.recorder import Box, Recorder
    from workings.recording.running import ScriptError
    from workings.recording.warned import warnings_of_the_program
    from workings.recording.working import Source

    # The name says to the recorder that this is the user's code; the lines are there for tracebacks.
    file = f"<workings cell {next(_cells)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    plain = compile(text, file, "exec")
    code = source.compile_module(text, file, keep_last=True)
    recorder = Recorder(Source("cell", "notebook cell", file, text), source.SITES)
    recorder.modules[id(namespace)] = recorder.root
    recorder.imported()
    namespace.setdefault("__builtins__", __builtins__)
    namespace |= {source.RECORDER: recorder, source.MODULE_FRAME: recorder.root}
    try:
        with warnings_of_the_program():
            exec(code, namespace)
    except (Exception, KeyboardInterrupt) as error:
        working = recorder.finish()
        message = f"the cell raised {type(error).__name__}: {error}"
        working.source.error = message
        raise ScriptError(message, working, error) from None
    finally:
        _make_plain(plain, file, namespace)
        last = namespace.pop(source.LAST, None)
        for hidden in (source.RECORDER, source.MODULE_FRAME):
            namespace.pop(hidden, None)
    return recorder.finish(), last.value if isinstance(last, Box) else last


def _make_plain(code: types.CodeType, file: str, namespace: dict[str, Any]) -> None:
    """Functions that the cell defined are its own again, so that later cells call them as they stand there."""
    originals = {(c.co_qualname, c.co_firstlineno): c for c in _codes(code)}
    for function in gc.get_objects():
        if type(function) is not types.FunctionType or function.__code__.co_filename != file:
            continue
        original = originals.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if original is None:
            continue
        if original.co_freevars == function.__code__.co_freevars:
            function.__code__ = original
            continue
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name in [n for n, value in namespace.items() if value is function]:
            closure = tuple(cells[free] for free in original.co_freevars)
            made = types.FunctionType(original, namespace, function.__name__, function.__defaults__, closure)
            made.__kwdefaults__, made.__doc__ = function.__kwdefaults__, function.__doc__
            made.__dict__.update(function.__dict__)
            namespace[name] = made


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def display(working: Working, depth: str = "steps") -> None:
    """Show a Working where we are: live in a notebook, as plain text in IPython's terminal and elsewhere."""
    from workings.views import terminal

    text = terminal.render(working, depth=depth, colour=False)
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(text)
        return
    from workings.views import notebook

    ipython.display.display({"text/html": notebook.render(working, depth=depth), "text/plain": text}, raw=True)
