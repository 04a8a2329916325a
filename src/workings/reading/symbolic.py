"""A step's formula from its operation and the names of its inputs, for steps that no line of source spells out."""

from __future__ import annotations

from workings.recording.operations.catalogue import describe
from workings.recording.working import Ref, Step, Working


def step_text(working: Working, step: Step) -> str:
    """``softmax(scores)``: as plain text."""
    return _filled(describe(step.operation).text, [_name(working, r) for r in step.inputs])


def step_latex(working: Working, step: Step) -> str:
    r"""``\operatorname{softmax}(S)``: as LaTeX."""
    return _filled(describe(step.operation).latex, [_latex_name(_name(working, r)) for r in step.inputs])


def _filled(template: str, names: list[str]) -> str:
    while True:
        try:
            return template.format(*names)
        except IndexError:
            names = [*names, "…"]


def _name(working: Working, ref: Ref) -> str:
    name = working.path(ref.step).split(".")[-1].split("#")[0]
    return f"{name}[{', '.join(map(str, ref.index))}]" if ref.index else name


def _latex_name(name: str) -> str:
    return name if len(name) == 1 else rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}"
