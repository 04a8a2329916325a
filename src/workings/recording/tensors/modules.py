"""Modules as groups: every call of a module opens one, and names its parameters and conventions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules import module as hooks

from workings.recording import user_code
from workings.recording.frames import Frame
from workings.recording.working import Group

if TYPE_CHECKING:
    from workings.recording.tensors.side import TensorSide


# module, the frame before, its own frame, its path, whether it is (inside) one of several alike
_Open = tuple[torch.nn.Module, Frame, Frame, str, bool]


class ModuleScopes:
    """The modules under way in one recording."""

    def __init__(self, side: TensorSide) -> None:
        self._side = side
        self._plain: Callable[..., Any] | None = None
        self._open: list[_Open] = []
        self._paths: dict[int, tuple[Any, str, bool]] = {}  # id -> (module, path in its root, one of several alike)
        self._noted: set[tuple[type, bool]] = set()
        self._names: dict[type, tuple[tuple[str, ...], bool]] = {}
        self._entered: Frame | None = None
        self._adopted: set[int] = set()
        self.root_name: str | None = None  # what the outermost module is called; None: after its class

    def start(self) -> None:
        """Calls of modules pass through here until ``stop``.

        PyTorch's global hooks would see them too, by a path that costs every call several times as much. (What
        ``__call__`` calls is replaced, not itself: a special method is written into every class below.)
        """
        plain: Callable[..., Any] = torch.nn.Module._call_impl
        self._plain = plain
        side = self._side

        @functools.wraps(plain)
        def call(module: torch.nn.Module, /, *args: Any, **kwargs: Any) -> Any:
            if side.silent:
                return plain(module, *args, **kwargs)
            if _has_hooks(module):
                return self._among_hooks(plain, module, args, kwargs)
            self._before(module, args)
            output = None
            try:
                output = plain(module, *args, **kwargs)
                return output
            finally:
                self._after(module, output)

        torch.nn.Module._call_impl = call  # type: ignore[method-assign, assignment]

    def stop(self) -> None:
        if self._plain is not None:
            torch.nn.Module._call_impl = self._plain  # type: ignore[method-assign]
            self._plain = None
        self._paths.clear()

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
        with self._side.quiet():
            for path, part in parts.items():
                self._await(frame, part, path + "." if path else "")

    # -- calls --------------------------------------------------------------------------------------------------

    def _among_hooks(self, plain: Callable[..., Any], module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        """A module with hooks: they run where PyTorch's global ones say, the first inside its group, the last after it.

        (Hooks put on the module itself would switch PyTorch to other code paths.)
        """

        def before(called: torch.nn.Module, args: Any) -> None:
            if called is module:
                self._before(module, args)

        def after(called: torch.nn.Module, args: Any, output: Any) -> None:
            if called is module:
                self._after(module, output)

        first = hooks.register_module_forward_pre_hook(before)
        last = hooks.register_module_forward_hook(after, always_call=True)
        try:
            return plain(module, *args, **kwargs)
        finally:
            first.remove()
            last.remove()

    def _before(self, module: torch.nn.Module, args: tuple[Any, ...]) -> None:
        side = self._side
        recorder = side.recorder
        path, repeated = self._path(module)
        inside, above = False, ""
        if self._open:
            _, _, _, above, inside = self._open[-1]
        name = path
        if above and path.startswith(above + "."):
            name = path[len(above) + 1 :]
        elif not path:
            name = type(module).__name__ if self.root_name is None or self._open else self.root_name
        current = recorder.current
        working = recorder.working
        groups = working.groups
        kind = (type(module), module.training)
        if kind not in self._noted:  # its conventions are noted the first time one of its class is met
            self._noted.add(kind)
            _conventions(working.conventions, module)
        number = len(groups)
        told = functools.partial(_line, module)
        groups.append(Group(number, current.group, name, "module", current.statement, site=current.site, told=told))
        frame = Frame(number, current.site, current.statement)
        self._open.append((module, current, frame, path, repeated or inside))
        recorder.current = self._entered = frame
        side.silent += 1
        try:
            self._bind(frame, module, args, repeated and not inside)
        finally:
            side.silent -= 1

    def _after(self, module: torch.nn.Module, output: Any) -> None:
        side = self._side
        while self._open:
            opened, before, frame, _, _ = self._open.pop()
            side.recorder.current = before
            if opened is module:
                if (
                    self.root_name is not None
                    and isinstance(output, torch.Tensor)
                    and self._parameters(type(module))[1]
                ):
                    ref = side.ledger.at_hand(output)
                    if ref is None:
                        with side.quiet():
                            ref = side.ledger.read(output, lost=False)
                    self._bound(frame, "output", ref)
                return

    def take_frame(self, caller: Frame) -> Frame | None:
        """The frame of the module whose ``forward`` begins, if it has just been called."""
        frame, self._entered = self._entered, None
        return frame if frame is caller else None

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

    def _bind(self, frame: Frame, module: torch.nn.Module, args: tuple[Any, ...], boundary: bool) -> None:
        ledger = self._side.ledger
        for name, tensor in self._await(frame, module):
            self._bound(frame, name, ledger.read(tensor, lost=False))
        names, follows = self._parameters(type(module))
        if follows and module._modules and not isinstance(module, torch.nn.Sequential):  # which calls all its parts
            for path, part in _parts(module).items():
                if path:
                    self._await(frame, part, path + ".")
        for name, value in zip(names, args, strict=False):
            if not isinstance(value, torch.Tensor):
                continue
            ref = ledger.read(value, lost=False)
            if follows:
                self._bound(frame, name, ref)
            if boundary and not ref.index:
                ledger.keep(ref, value, must=True)

    def _await(self, frame: Frame, module: torch.nn.Module, path: str = "") -> list[tuple[str, torch.Tensor]]:
        """A module's parameters and buffers are named when they are used; given back are those that were already."""
        known: list[tuple[str, torch.Tensor]] = []
        for held in (module._parameters, module._buffers):
            if not held:
                continue
            awaits = self._side.ledger.parameters.awaits
            for name, tensor in held.items():
                if tensor is not None and not awaits(tensor, frame, path + name if path else name):
                    known.append((name, tensor))
        return known

    def _bound(self, frame: Frame, name: str, ref: Any) -> None:
        self._side.recorder.name_at(frame, name, ref, frame.statement, frame.site)

    def _parameters(self, kind: type) -> tuple[tuple[str, ...], bool]:
        """The names of the arguments of a class's ``forward``, and whether only we name them (a library's class)."""
        known = self._names.get(kind)
        if known is None:
            forward = getattr(kind, "forward", None)  # the class of compiled modules (TorchScript) has none
            names = list(inspect.signature(forward).parameters) if forward is not None else []
            known = self._names[kind] = (tuple(names[1:]), not user_code.is_user_type(kind))
        return known


def _has_hooks(module: torch.nn.Module) -> bool:
    return bool(
        module._forward_hooks
        or module._forward_pre_hooks
        or module._backward_hooks
        or module._backward_pre_hooks
        or hooks._global_forward_hooks
        or hooks._global_forward_pre_hooks
        or hooks._global_backward_hooks
        or hooks._global_backward_pre_hooks
    )


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


def _say(card: dict[str, str], choice: str, value: str) -> None:
    """Modules may differ: every value of a choice stands on the card."""
    known = card.get(choice)
    if known is None or value not in known.split("; "):
        card[choice] = f"{known}; {value}" if known else value


def _conventions(card: dict[str, str], module: torch.nn.Module) -> None:
    """The choices of a module that change numbers."""
    kind = type(module).__name__
    _say(card, "mode", "training" if module.training else "evaluation")
    if isinstance(module, torch.nn.Dropout) and module.p:
        _say(card, "dropout", f"{module.p:g}, {'drawn at every call' if module.training else 'off: evaluation mode'}")
    eps = getattr(module, "eps", None)
    if isinstance(eps, float) and "Norm" in kind:
        _say(card, f"{kind} epsilon", f"{eps:g}, inside the root")
    first = getattr(module, "norm_first", None)
    if isinstance(first, bool):
        _say(card, "norm", "before each sub-layer (pre-norm)" if first else "after each residual (post-norm)")
    batch = getattr(module, "batch_first", None)
    if isinstance(batch, bool):
        _say(card, "axes", "batch, position, width" if batch else "position, batch, width")
    if isinstance(module, torch.nn.GELU):
        _say(card, "GELU", "tanh approximation" if module.approximate == "tanh" else "exact, by erf")
    activation = getattr(module, "activation", None)
    if callable(activation):
        _say(card, "activation", getattr(activation, "__name__", type(activation).__name__))
    if isinstance(module, torch.nn.MultiheadAttention):
        _say(card, "scale", f"1/√{module.head_dim}, the width of one head")
