"""Which code is the user's own, and the user's classes with their methods followed."""

from __future__ import annotations

import builtins
import functools
import os
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder

_LIBRARY = os.path.dirname(os.path.realpath(os.__file__)) + os.sep
_OWN = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
# Parts of this package that are written to be recorded like anyone's code.
_RECORDED = tuple(
    os.path.join(_OWN, part)
    for part in (
        "equations" + os.sep,
        "equations.py",
        "recording/operations/lowered" + os.sep,
        "examples/programs.py",
        "experiments/programs.py",
        "reading/backward.py",
    )
)
_USER_FILES: dict[str, bool] = {}


def is_user_file(file: str) -> bool:
    """Whether code of this file is followed: the user's own, not a library's, not the recorder's."""
    known = _USER_FILES.get(file)
    if known is None:
        known = _USER_FILES[file] = _is_user_file(file)
    return known


def _is_user_file(file: str) -> bool:
    if file.startswith("<") and not (file.startswith(("<ipython", "<stdin", "<workings"))):
        return False
    path = os.path.realpath(file)
    if path.startswith(_OWN):
        return path.startswith(_RECORDED) and not os.path.basename(path).startswith("_")
    if "site-packages" in path or "dist-packages" in path:
        return False
    return not path.startswith(_LIBRARY)


def is_user_module(module: types.ModuleType) -> bool:
    """Whether a module is the user's own."""
    file = getattr(module, "__file__", None)
    return module.__name__ == "__main__" or bool(file and is_user_file(file))


def is_user_type(kind: type) -> bool:
    """Whether a class is the user's own."""
    module = sys.modules.get(getattr(kind, "__module__", "") or "")
    if module is None:
        return getattr(kind, "__module__", "") not in ("builtins", None)
    if module is builtins:
        return False
    file = getattr(module, "__file__", None)
    return (file is None and module.__name__ == "__main__") or bool(file and is_user_file(file))


def adopt_class(kind: type, recorder: Recorder) -> None:
    """For the time of a recording, the methods of a user's class are its rewritten ones."""
    for owner in kind.__mro__:
        if owner in recorder.adopted or not is_user_type(owner):
            continue
        recorder.adopted.add(owner)
        for name, member in list(vars(owner).items()):
            new = _adopted(member, recorder)
            if new is not None and new is not member:
                recorder.patched.append((owner, name, member))
                setattr(owner, name, new)


def _adopted(member: Any, recorder: Recorder) -> Any:
    from workings.recording import source

    if isinstance(member, types.FunctionType):
        return source.rewritten(member, recorder) or source.wrapping(member, recorder)
    if isinstance(member, (staticmethod, classmethod)) and isinstance(member.__func__, types.FunctionType):
        new = source.rewritten(member.__func__, recorder)
        return type(member)(new) if new is not None and new is not member.__func__ else None
    if isinstance(member, property):
        parts = (member.fget, member.fset, member.fdel)
        own: list[Any] = [_adopted(p, recorder) or p for p in parts]
        changed = any(a is not b for a, b in zip(own, parts, strict=True))
        return property(own[0], own[1], own[2], member.__doc__) if changed else None
    if isinstance(member, functools.cached_property):
        function = _adopted(member.func, recorder)
        if function is None or function is member.func:
            return None
        cached = functools.cached_property(function)
        if member.attrname is not None:
            cached.__set_name__(object, member.attrname)
        return cached
    return None
