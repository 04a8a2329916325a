"""PyTorch's side of a recording. This is the only place that imports torch, and it is imported when torch is there."""

from workings.recording.tensors.operators import resolve_operator
from workings.recording.tensors.side import TensorSide

__all__ = ["TensorSide", "resolve_operator"]
