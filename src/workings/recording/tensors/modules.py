"""Modules as groups: global hooks open one for every call of a module, and name its parameters and conventions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules import module as hooks

from workings.recording import user_code
from workings.recording.frames import Frame
from workings.recording.working import Binding, Group

if TYPE_CHECKING:
    from workings.recording.tensors.side import TensorSide


class ModuleScopes:
    """The modules under way in one recording."""

    def __init__(self, side: TensorSide) -> None:
        self._side = side
        self._handles: list[Any] = []
        self._open: list[
            tuple[torch.nn.Module, Frame, Frame, str, bool]
        ] = []  # module, before, its frame, path, repeated
        self._paths: dict[int, tuple[Any, str, bool]] = {}  # id -> (module, path in its root, one of several alike)
        self._noted: set[tuple[type, bool]] = set()
        self._names: dict[type, tuple[tuple[str, ...], bool]] = {}
        self._entered: Frame | None = None
        self._adopted: set[int] = set()
        self.root_name: str | None = None  # what the outermost module is called; None: after its class

    def start(self) -> None:
        self._handles = [
            hooks.register_module_forward_pre_hook(self._before),
            hooks.register_module_forward_hook(self._after, always_call=True),
        ]

    def stop(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def adopt(self, module: torch.nn.Module) -> None:
        """The user's classes among a module's parts have their methods rewritten, and what is learned has its name.

        A part that is called names its parameters itself, in its own group; some are never called, and only lend
        theirs (``out_proj`` of ``nn.MultiheadAttention``).
        """
        if id(module) in self._adopted:
            return
        parts = _parts(module)
        self._adopted.update(map(id, parts.values()))
        for kind in dict.fromkeys(map(type, parts.values())):
            self._side.recorder.calls.adopt(kind)
        frame = self._side.recorder.current
        for path, part in parts.items():
            self._await(frame, part, path + "." if path else "")

    # -- hooks --------------------------------------------------------------------------------------------------

    def _before(self, module: torch.nn.Module, args: Any) -> None:
        side = self._side
        if side.silent:
            return
        recorder = side.recorder
        path, repeated = self._path(module)
        above = self._open[-1][3] if self._open else ""
        name = path
        if above and path.startswith(above + "."):
            name = path[len(above) + 1 :]
        elif not path:
            name = type(module).__name__ if self.root_name is None or self._open else self.root_name
        current = recorder.current
        groups = recorder.working.groups
        group = Group(len(groups), current.group, name, "module", current.statement, site=current.site)
        group.told = self._detail(module)
        groups.append(group)
        frame = Frame(group.number, current.site, current.statement)
        inside = bool(self._open) and self._open[-1][4]
        self._open.append((module, current, frame, path, repeated or inside))
        recorder.current = frame
        self._entered = frame
        side.silent += 1
        try:
            self._bind(frame, module, args, repeated and not inside)
        finally:
            side.silent -= 1

    def _after(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if self._side.silent:
            return
        while self._open:
            opened, before, frame, _, _ = self._open.pop()
            self._side.recorder.current = before
            if opened is module:
                if (
                    self.root_name is not None
                    and isinstance(output, torch.Tensor)
                    and self._parameters(type(module))[1]
                ):
                    with self._side.quiet():
                        self._name(frame, "output", output)
                return

    def take_frame(self, caller: Frame) -> Frame | None:
        """The frame of the module whose ``forward`` begins, if it has just been called."""
        frame, self._entered = self._entered, None
        return frame if frame is caller else None

    def _detail(self, module: torch.nn.Module) -> Callable[[], str]:
        """What tells one line about a module; its conventions are noted the first time one of its class is met."""
        kind = (type(module), module.training)
        if kind not in self._noted:
            self._noted.add(kind)
            _conventions(self._side.recorder.working.conventions, module)
        return functools.partial(_line, module)

    # -- names --------------------------------------------------------------------------------------------------

    def _path(self, module: torch.nn.Module) -> tuple[str, bool]:
        known = self._paths.get(id(module))
        if known is None or known[0] is not module:
            self.adopt(module)
            parents: dict[int, torch.nn.Module] = {}
            for path, part in _parts(module).items():
                for child in part._modules.values():
                    parents.setdefault(id(child), part)
                self._paths[id(part)] = (part, path, _repeats(part, parents.get(id(part))))
            known = self._paths[id(module)]
        return known[1], known[2]

    def _bind(self, frame: Frame, module: torch.nn.Module, args: Any, boundary: bool) -> None:
        for name, tensor in self._await(frame, module):
            self._name(frame, name, tensor)
        names, follows = self._parameters(type(module))
        for name, value in zip(names, args, strict=False):
            if not isinstance(value, torch.Tensor):
                continue
            ref = self._side.ledger.read(value, lost=False)
            if follows:
                self._bound(frame, name, ref)
            if boundary and not ref.index:
                self._side.ledger.keep(ref, value, must=True)

    def _await(self, frame: Frame, module: torch.nn.Module, path: str = "") -> list[tuple[str, torch.Tensor]]:
        """A module's parameters and buffers are named when they are used; given back are those that were already."""
        ledger = self._side.ledger
        known = []
        for held in (module._parameters, module._buffers):
            for name, tensor in held.items():
                if tensor is None:
                    continue
                if ledger.memory(tensor) is None:
                    ledger.waiting[id(tensor)] = (tensor, frame, path + name)
                else:
                    known.append((name, tensor))
        return known

    def _name(self, frame: Frame, name: str, tensor: torch.Tensor) -> None:
        self._bound(frame, name, self._side.ledger.read(tensor, lost=False))

    def _bound(self, frame: Frame, name: str, ref: Any) -> None:
        self._side.recorder.working.bindings.append(Binding(frame.group, name, ref, frame.statement, frame.site))

    def _parameters(self, kind: type) -> tuple[tuple[str, ...], bool]:
        """The names of the arguments of a class's ``forward``, and whether only we name them (a library's class)."""
        known = self._names.get(kind)
        if known is None:
            names = list(inspect.signature(kind.forward).parameters)  # type: ignore[attr-defined]
            known = self._names[kind] = (tuple(names[1:]), not user_code.is_user_type(kind))
        return known


def _line(module: torch.nn.Module) -> str:
    return f"{type(module).__name__}({module.extra_repr()})"


def _parts(module: torch.nn.Module) -> dict[str, torch.nn.Module]:
    """A module and all inside it by their paths, each once: what ``named_modules`` gives, without its generators."""
    found: dict[str, torch.nn.Module] = {}
    seen: set[int] = set()

    def walk(part: torch.nn.Module, path: str) -> None:
        seen.add(id(part))
        found[path] = part
        for name, child in part._modules.items():
            if child is not None and id(child) not in seen:
                walk(child, f"{path}.{name}" if path else name)

    walk(module, "")
    return found


def _repeats(module: torch.nn.Module, parent: torch.nn.Module | None) -> bool:
    """Whether a module is one of several alike, as the blocks of a model are."""
    if not isinstance(parent, (torch.nn.ModuleList, torch.nn.Sequential)) or len(parent) < 2:
        return False
    return bool(module._modules) and all(type(m) is type(module) for m in parent)


def _conventions(card: dict[str, str], module: torch.nn.Module) -> None:
    """The choices of a module that change numbers."""
    kind = type(module).__name__
    card.setdefault("mode", "training" if module.training else "evaluation")
    if isinstance(module, torch.nn.Dropout) and module.p:
        card.setdefault(
            "dropout", f"{module.p:g}, {'drawn at every call' if module.training else 'off: evaluation mode'}"
        )
    eps = getattr(module, "eps", None)
    if isinstance(eps, float) and "Norm" in kind:
        card.setdefault(f"{kind} epsilon", f"{eps:g}, inside the root")
    first = getattr(module, "norm_first", None)
    if isinstance(first, bool):
        card.setdefault("norm", "before each sub-layer (pre-norm)" if first else "after each residual (post-norm)")
    batch = getattr(module, "batch_first", None)
    if isinstance(batch, bool):
        card.setdefault("axes", "batch, position, width" if batch else "position, batch, width")
    if isinstance(module, torch.nn.GELU):
        card.setdefault("GELU", "tanh approximation" if module.approximate == "tanh" else "exact, by erf")
    activation = getattr(module, "activation", None)
    if callable(activation):
        card.setdefault("activation", getattr(activation, "__name__", type(activation).__name__))
    if isinstance(module, torch.nn.MultiheadAttention):
        card.setdefault("scale", f"1/√{module.head_dim}, the width of one head")
