"""PyTorch's operators: what each means, what it writes, and how it is run again without changing anything.

A recorded operator is named exactly (``aten.mm.default``). Run again it is a function: operators that change an
argument work on a copy and give back the new value; what an operator only fills (``out=``, ``copy_``) is made anew. The
outputs are the values written, in the order of the schema, then what is returned and is not one of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch

from workings.frozen import frozen

# The plain meaning of an operator, where its own name is another. In-place forms go by the name without the underscore.
_MEANINGS = {
    "mm": "matmul", "bmm": "matmul", "mv": "matmul", "sub": "subtract", "mul": "multiply", "div": "divide",
    "true_divide": "divide", "pow": "power", "neg": "negative", "abs": "absolute", "_softmax": "softmax",
    "_log_softmax": "log_softmax", "native_layer_norm": "layer_norm", "t": "transpose", "permute": "transpose",
    "numpy_T": "transpose", "view": "reshape", "_unsafe_view": "reshape", "_reshape_alias": "reshape",
    "select": "getitem", "slice": "getitem", "index": "getitem", "narrow": "getitem", "cat": "concatenate",
    "expand": "broadcast_to", "clone": "copy", "_to_copy": "astype", "copy": "cast", "amax": "max", "amin": "min",
    "gather": "take_along_axis", "index_select": "take", "eq": "equal", "ne": "not_equal", "lt": "less",
    "le": "less_equal",
    "gt": "greater", "ge": "greater_equal", "nll_loss_forward": "nll_loss", "native_batch_norm": "batch_norm",
    "unsqueeze": "expand_dims", "clamp": "clip", "linalg_vector_norm": "vector_norm", "index_put": "put",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "_native_batch_norm_legit": "batch_norm",
    "native_dropout": "dropout", "constant_pad_nd": "pad", "native_group_norm": "group_norm",
    "_fused_rms_norm": "rms_norm", "_native_multi_head_attention": "multi_head_attention",
    "_transformer_encoder_layer_fwd": "encoder_block",
}  # fmt: skip
_ATTENTION = "_scaled_dot_product_"
# Only what the operator puts there matters, not what was there before.
_FILLS = {
    "copy_",
    "fill_",
    "zero_",
    "normal_",
    "uniform_",
    "random_",
    "exponential_",
    "log_normal_",
    "cauchy_",
    "geometric_",
}
_EMPTY = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"}
_SPECIAL = {"lift_fresh", "cumprod"}
_COMPOSED = torch._C.DispatchKey.CompositeImplicitAutograd
_STATISTICS = {"native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm"}
# Draws that start a value (a weight) rather than disturb a computation.
_INITIALISERS = {"normal_", "uniform_", "randn", "rand", "randperm", "randint", "normal", "random_"}


@frozen
class Operator:
    """What the recorder needs to know of one operator."""

    name: str
    base: str
    operation: str
    call: Any
    writes: tuple[tuple[int, str], ...]  # schema position and name of each argument that is changed
    changes: bool  # whether a call may change an argument
    blanks: frozenset[str]  # arguments whose old content does not matter
    numbers: frozenset[int]  # schema positions of plain numbers (not sizes, axes or indices)
    operands: frozenset[int]  # those, and the positions of tensors, where a number may stand for one
    chance: tuple[int, str] | None  # the probability without which nothing is drawn
    names: tuple[str, ...]
    reshapes: bool  # changes the shape of its argument, not its content
    random: bool
    disturbs: bool  # a draw that takes part in a computation
    empty: bool
    picks: bool  # gives a row or a block of its argument, whose place is worth knowing
    composed: bool  # PyTorch has no kernel of its own for it everywhere, and makes it of other operators
    simple: bool  # nothing about its call is special: no write, no draw, no statistics, one plain result


_DESCRIBED: dict[int, Operator] = {}  # by identity: an operator's own hash is slow


def describe(call: Any) -> Operator:
    """What is known of an operator, read from its schema the first time."""
    known = _DESCRIBED.get(id(call))
    if known is None:
        known = _DESCRIBED[id(call)] = _described(call)
    return known


def _described(call: Any) -> Operator:
    schema = call._schema
    namespace, _, base = schema.name.partition("::")
    overload = schema.overload_name or "default"
    name = f"aten.{base}.{overload}" if namespace == "aten" else f"aten.{namespace}::{base}.{overload}"
    arguments = list(schema.arguments)
    writes = tuple((i, a.name) for i, a in enumerate(arguments) if a.alias_info is not None and a.alias_info.is_write)
    random = torch.Tag.nondeterministic_seeded in call.tags or base == "native_dropout"
    blanks = {a.name for i, a in enumerate(arguments) if a.kwarg_only and (i, a.name) in writes}
    if base in _FILLS or (random and base.endswith("_")):
        blanks.add("self")
    kinds = [str(a.real_type).removeprefix("Optional[").rstrip("]") for a in arguments]
    chance = next(
        ((i, a.name) for i, a in enumerate(arguments) if a.name in ("dropout_p", "dropout") and kinds[i] == "float"),
        None,
    )
    operands = {i for i, kind in enumerate(kinds) if kind in ("number", "float", "Scalar", "Tensor")}
    numbers = {i for i in operands if kinds[i] != "Tensor"}
    composed = torch._C._dispatch_has_kernel_for_dispatch_key(call.name(), _COMPOSED)
    plain = base[:-1] if base.endswith("_") and not base.endswith("__") else base
    operation = _MEANINGS.get(plain, plain)
    if plain.startswith(_ATTENTION) and not plain.endswith("backward"):
        operation = "scaled_dot_product_attention"
    return Operator(
        name, base, operation, call, writes, bool(writes) or base in _STATISTICS, frozenset(blanks),
        frozenset(numbers), frozenset(operands), chance, tuple(a.name for a in arguments),
        torch.Tag.inplace_view in call.tags, random, random and base not in _INITIALISERS, base in _EMPTY,
        base in ("select", "slice", "unbind"), composed,
        not (writes or random or blanks or composed or base in _STATISTICS or base in _SPECIAL)
        and [str(r.real_type) for r in schema.returns] == ["Tensor"],
    )  # fmt: skip


def is_composed(operator: Operator, args: Sequence[Any]) -> bool:
    """Whether PyTorch makes this call of other operators, as it does above autograd: it has no kernel for the place."""
    first = next(flatten(args), None)
    if not operator.composed or (first is not None and first.is_nested):
        return False
    place = torch._C._dispatch_key_for_device(first.device.type if first is not None else "cpu")
    return not torch._C._dispatch_has_kernel_for_dispatch_key(operator.call.name(), place)


def compose(operator: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Make a call of other operators."""
    return operator.call._op_dk(_COMPOSED, *args, **kwargs)


def draws(operator: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a call draws random numbers."""
    if not operator.random or operator.chance is None:
        return operator.random
    position, name = operator.chance
    return bool(args[position] if position < len(args) else kwargs.get(name))


def flatten(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor among an operator's results."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, torch.Tensor):
                yield item
            elif isinstance(item, (list, tuple)):
                yield from flatten(item)


def places_written(operator: Operator, args: Sequence[Any]) -> tuple[tuple[int, str], ...]:
    """The arguments a call changes: as the schema says, and the running statistics, of which it does not say so."""
    if operator.base in _STATISTICS and len(args) > 5 and args[5]:
        return ((3, "running_mean"), (4, "running_var"))
    return operator.writes


def meaning_of(operator: Operator, output: int, changed: int) -> str:
    """What an operator does for one of its results: of a batch normalisation, some are averages that it keeps."""
    if operator.operation == "batch_norm" and output < changed:
        return ("running_mean", "running_variance")[output]
    return operator.operation


def written(operator: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors an operator's call changes."""
    out: list[torch.Tensor] = []
    for position, name in places_written(operator, args):
        value = args[position] if position < len(args) else kwargs.get(name)
        out += flatten(value)
    return out


# -- arguments as plain data ------------------------------------------------------------------------------------------

_WORDS = (torch.dtype, torch.layout, torch.memory_format)


def encode(value: Any) -> Any:
    """A setting of a call as plain data: number types and devices become words."""
    if isinstance(value, _WORDS):
        return str(value)
    if isinstance(value, torch.device):
        return f"device:{value}"
    if isinstance(value, torch.Generator):
        return None
    return value


def decode(value: Any) -> Any:
    """The setting behind a word."""
    if type(value) is str:
        if value.startswith("torch."):
            return getattr(torch, value[6:])
        if value.startswith("device:"):
            return torch.device(value[7:])
    elif type(value) is list:
        return [decode(v) for v in value]
    elif type(value) is tuple:
        return tuple(decode(v) for v in value)
    elif type(value) is dict:
        return torch.empty(value["blank"], dtype=decode(value["dtype"]))
    elif isinstance(value, np.generic):
        return value.item()
    elif isinstance(value, np.ndarray):
        return torch.from_numpy(np.array(value))
    return value


def blank(tensor: torch.Tensor) -> dict[str, Any]:
    """A place to be filled, as plain data."""
    return {"blank": list(tensor.shape), "dtype": str(tensor.dtype)}


# -- running again ----------------------------------------------------------------------------------------------------


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return [_copied(v) for v in value] if isinstance(value, (list, tuple)) else value


def run_again(operator: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call an operator without changing any of its arguments."""
    values = [decode(a) for a in args]
    named = {k: decode(v) for k, v in kwargs.items()}
    for position in operator.numbers:
        if position < len(values) and isinstance(values[position], torch.Tensor):
            values[position] = values[position].item()
        elif operator.names[position] in named and isinstance(named[operator.names[position]], torch.Tensor):
            named[operator.names[position]] = named[operator.names[position]].item()
    for position, name in places_written(operator, values):
        if position < len(values):
            values[position] = _copied(values[position])
        elif name in named:
            named[name] = _copied(named[name])
    with torch.no_grad():
        result = operator.call(*values, **named)
    if operator.empty:
        return result.zero_()
    out = written(operator, values, named)
    out += [t for t in flatten(result) if not any(t is w for w in out)]
    if not out:
        return result
    return out[0] if len(out) == 1 else tuple(out)


@cache
def resolve_operator(name: str) -> Callable[..., Any] | None:
    """The function behind ``aten.mm.default``; None for a random draw, which cannot be had twice, or an unknown one."""
    namespace, rest = "aten", name.removeprefix("aten.")
    if "::" in rest:
        namespace, _, rest = rest.partition("::")
    base, _, overload = rest.rpartition(".")
    try:
        call = getattr(getattr(getattr(torch.ops, namespace), base), overload)
    except (AttributeError, RuntimeError):
        return None
    operator = describe(call)
    if operator.random and operator.chance is None:
        return None

    def again(*args: Any, **kwargs: Any) -> Any:
        return run_again(operator, args, kwargs)

    again.__name__ = name
    return again
