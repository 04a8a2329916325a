"""A trained model, laid out for writing."""

from __future__ import annotations

import copy
from typing import Literal, TypeAlias, TypeVar, assert_never

from torch import Tensor, nn

from workings.generation.layouts import BlockedLinear, HalfLinear, Int8Linear, PackedLinear, StridedLinear
from workings.transformer.models import DecoderOnly, EncoderDecoder, EncoderOnly

Weights: TypeAlias = Literal["float32", "float16", "int8"]

_MANY = 256
"""Rows of a product that reads many tokens at once."""

AnyModel = TypeVar("AnyModel", DecoderOnly, EncoderDecoder, EncoderOnly)


def quicken(model: AnyModel, weights: Weights = "float32", rows: int = 1) -> AnyModel:
    """The same model with its linear layers laid out for writing, for the CPU.

    With "float32" it computes the same, only in another order. "float16" halves the memory that every token has to be
    read from and keeps 11 bits of each weight; "int8" quarters it and keeps 8, of what is multiplied with them too.
    Embeddings, normalisations and attention stay as they are; they are shared with `model`, which is left as it was.

    Args:
        model: a trained model. Later changes of it may or may not be seen.
        weights: how the weights of the linear layers and of the output are kept.
        rows: how many texts will be written at once, beams counted: one row has another best layout than several.

    Raises: ValueError for weights in 8 or 16 bits of a model that is not in float32 on the CPU.
    """
    if weights not in ("float32", "float16", "int8"):
        raise ValueError(f"weights is {weights!r}; expected 'float32', 'float16' or 'int8'")
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    quick = copy.deepcopy(model, shared).eval()
    output = _layer(model.output_weight.detach(), _detached(model.output_bias), weights, rows)
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear) and module is not model.output:
            # Sources are read whole, and so is what the decoder asks of their memory.
            whole = name.startswith("encoder.") or name.endswith(".keys_values") or isinstance(model, EncoderOnly)
            layer = _layer(module.weight.detach(), _detached(module.bias), weights, _MANY if whole else rows)
            quick.set_submodule(name, layer)
        elif isinstance(module, nn.Dropout):
            quick.set_submodule(name, nn.Identity())
    # The one product that is no module: the method is replaced, in this object alone.
    setattr(quick, "logits", output.forward)  # noqa: B010
    return quick


def _detached(bias: Tensor | None) -> Tensor | None:
    return None if bias is None else bias.detach()


def _layer(weight: Tensor, bias: Tensor | None, weights: Weights, rows: int) -> nn.Module:
    match weights:
        case "int8":
            return Int8Linear(weight, bias)
        case "float16":
            return HalfLinear(weight, bias)
        case "float32":
            if rows == 1:
                return StridedLinear(weight, bias)
            few = rows <= BlockedLinear.MOST or not PackedLinear.fits(weight)
            return BlockedLinear(weight, bias) if few else PackedLinear(weight, bias)
        case _:
            assert_never(weights)
