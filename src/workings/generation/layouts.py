"""Linear layers laid out for writing: few rows at a time, the same weights again and again.

Each takes the place of an `nn.Linear`: x (..., in) to (..., out). They have no gradients and are not saved.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.nn import functional


class StridedLinear(nn.Module):
    """For one row: the weight lies (in, out) in memory where it is wider than long, and (out, in) where it is not.

    So the product with one row reads it in long stretches. The numbers are the same, added in another order.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        outputs, inputs = weight.shape
        self.weight = weight.t().contiguous().t() if outputs >= inputs else weight.contiguous()
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)


class BlockedLinear(nn.Module):
    """For a few rows: the weight is cut into blocks of 16 outputs, (n, in, 16), each small enough to stay at hand."""

    WIDTH = 16
    MOST = 32
    """With more rows than this, putting the blocks together costs less than it brings."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.outputs, inputs = weight.shape
        filled = functional.pad(weight, (0, 0, 0, -self.outputs % self.WIDTH))
        self.blocks = filled.view(-1, self.WIDTH, inputs).transpose(1, 2).contiguous()
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        count, inputs, width = self.blocks.shape
        if len(rows) > self.MOST:
            product = rows @ self.blocks.transpose(0, 1).reshape(inputs, count * width)
        else:
            product = torch.bmm(rows.expand(count, -1, -1), self.blocks).transpose(0, 1).reshape(len(rows), -1)
        if count * width > self.outputs:
            product = product[:, : self.outputs]
        if self.bias is not None:
            product += self.bias
        return product.view(*x.shape[:-1], self.outputs)


class PackedLinear(nn.Module):
    """For many rows: the weight lies in the blocks that oneDNN's kernels read; others make them each time."""

    ROWS = 64
    """The rows that blocks are chosen for; those of 2 to 256 rows were seen to be the same."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), self.ROWS)
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = torch.ops.mkldnn._linear_pointwise.default(x, self.weight, self.bias, "none", [], "")
        return product

    @staticmethod
    def fits(weight: Tensor) -> bool:
        """Whether this machine and this PyTorch have such kernels."""
        here = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        here = here and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        return bool(here) and weight.dtype == torch.float32 and weight.device.type == "cpu"


class Int8Linear(nn.Module):
    """Weights in 8 bits, with a scale for each output; inputs in 8 bits (7 on x86), with one scale for all rows.

    A quarter of the memory. As all rows of a batch share one scale, a row's numbers depend a little on the others.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        if weight.dtype != torch.float32 or weight.device.type != "cpu":
            raise ValueError(f"int8 weights are made from float32 on the CPU; found {weight.dtype} on {weight.device}")
        engine = torch.backends.quantized.engine
        # The kernels for x86 add pairs of products in 16 bits, which holds 7 bits times 8, but not 8 times 8.
        self.reduced = engine in ("x86", "fbgemm", "onednn")
        scales = weight.abs().amax(dim=1).clamp(min=torch.finfo(torch.float32).tiny).double() / 127
        zeros = torch.zeros(len(weight), dtype=torch.int64)
        with warnings.catch_warnings():
            # PyTorch 2.13 says that tensors of these dtypes will go one day. Nothing else feeds its int8 kernels, and
            # the tensor lives for one line.
            warnings.filterwarnings("ignore", message=".*quantized tensor creation functions", category=UserWarning)
            quantised = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
        self.packed = torch.ops.quantized.linear_prepack(quantised, bias)

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = torch.ops.quantized.linear_dynamic.default(x, self.packed, self.reduced)
        return product


class HalfLinear(nn.Module):
    """Weights in 16 bits, multiplied in 32: half the memory, and hardly another number."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        if weight.dtype != torch.float32 or weight.device.type != "cpu":
            raise ValueError(
                f"float16 weights are made from float32 on the CPU; found {weight.dtype} on {weight.device}"
            )
        self.packed = torch.ops.quantized.linear_prepack_fp16(weight.contiguous(), bias)

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = torch.ops.quantized.linear_dynamic_fp16.default(x, self.packed)
        return product


LAYOUTS = (StridedLinear, BlockedLinear, PackedLinear, Int8Linear, HalfLinear)


def is_quick(model: nn.Module) -> bool:
    """Whether a model's linear layers are laid out for writing."""
    return any(isinstance(module, LAYOUTS) for module in model.modules())
