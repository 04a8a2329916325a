"""What a user calls from Python: show a function, record a model, run an example or a script, load what was saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from workings.examples import Example
    from workings.experiments import Experiment
    from workings.recording.working import Working

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
AxisNames = Sequence[Sequence[str] | None]


def show(
    function: Callable[..., Any], /, *args: Any, labels: Mapping[str, AxisNames] | None = None, **kwargs: Any
) -> Working:
    """Call a function and record everything it does: ``working = show(attention, Q, K, V)``.

    ``labels`` name the entries of each axis of a value, by its address: ``{"X": (["Apple", "shares"], ["food",
    "finance"])}``, None for an axis without names; values made from it inherit them. A parameter of the function that
    is itself called ``labels`` is reached through a lambda. The function's result is ``working.result``.

    Raises what the function raises, TypeError for something that cannot be called, and AddressError for labels of a
    value that is not there or has another size.
    """
    if not callable(function):
        hint = "write the function and, after it, its arguments"
        if isinstance(function, (str, Path)):
            hint = "for an example use wk.example(name).run(), for a script wk.script(path)"
        raise TypeError(f"show was given a {type(function).__name__}; expected a function; {hint}")
    from workings.recording.running import record_function

    return labelled(record_function(function, args, kwargs), labels)


def labelled(working: Working, labels: Mapping[str, AxisNames] | None) -> Working:
    """Name entries of axes: a sequence of names, or None, for each axis from the first on."""
    for address, axes in (labels or {}).items():
        working.label(address, *axes)
    return working


class Shown(Generic[Parameters, Result]):
    """A function that records each call of it. ``working`` is the Working of the last call, None before the first."""

    working: Working | None

    def __init__(self, function: Callable[Parameters, Result], labels: Mapping[str, AxisNames] | None = None) -> None:
        update_wrapper(self, function)
        self._function = function
        self._labels = labels
        self._under_way = False
        self.working = None

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        if self._under_way:  # it calls itself: that belongs to the recording under way
            return self._function(*args, **kwargs)
        from workings.recording.running import record_function

        self._under_way = True
        try:
            working = record_function(self._function, args, kwargs)
        finally:
            self._under_way = False
        self.working = labelled(working, self._labels)
        result: Result = working.result
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """A method: bound to its object as any function is, and recorded as it is called."""
        if instance is None:
            return self

        def bound(*args: Any, **kwargs: Any) -> Result:
            return self(instance, *args, **kwargs)  # type: ignore[arg-type]

        update_wrapper(bound, self._function)
        return bound

    def __repr__(self) -> str:
        return f"<shown {getattr(self._function, '__qualname__', self._function)}>"


def shown(
    function: Callable[Parameters, Result] | None = None, *, labels: Mapping[str, AxisNames] | None = None
) -> Any:
    """A decorator: the function works as before, each call is recorded, and ``function.working`` is the last Working.

    Plain, ``@shown``, or with labels, ``@shown(labels={"X": (rows, columns)})``.
    """
    if function is None:
        return lambda named: Shown(named, labels)
    return Shown(function, labels)


def record(model: Any = None) -> AbstractContextManager[Working]:
    """PyTorch: ``with record(model) as working:`` records whatever runs inside.

    Raises ImportError without PyTorch, and TypeError for a model that is not a ``torch.nn.Module``.
    """
    try:
        from workings.recording.tensors.session import record as recording

        import_torch()
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            "wk.record records PyTorch, which is not installed here; pip install 'workings[torch]'"
        ) from None
    return recording(model)


def import_torch() -> None:
    """Find out at the call, not at the `with`, whether PyTorch is there."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")


def example(name: str | Path) -> Example:
    """A shipped example by its name, or an example file by its path; ``.run()`` gives its Working.

    Raises ExampleError for what is neither, or is not valid.
    """
    from workings import examples

    return examples.load(name)


def experiment(name: str) -> Experiment:
    """An experiment by its name; ``.run()`` gives its Outcome: what happened, and whether the claim ``holds``.

    Raises ExperimentError for another name, and from ``.run()`` where PyTorch is needed and not installed.
    """
    from workings import experiments

    return experiments.load(name)


def script(path: str | Path) -> Working:
    """Run a script as it is and record it.

    Raises SyntaxError, and ScriptError, which carries what was recorded, where it stops before its end.
    """
    from workings.recording.running import record_script

    return record_script(path)


def load(path: str | Path) -> Working:
    """Read a Working that was saved with ``working.save(path)``. Raises SavedFileError for any other file."""
    from workings.recording.saving import load as load_file

    return load_file(Path(path))
