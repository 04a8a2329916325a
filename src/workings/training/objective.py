"""What training makes small: the cross-entropy of the real targets, summed.

The sum is divided once, by the targets of the whole step, so that a step's gradient does not depend on how its rows
are spread over micro-batches and processes.
"""

from __future__ import annotations

from typing import Any, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.text.batches import IGNORED, Batch
from workings.transformer.models import EncoderDecoder, Model

_SCORES = 1 << 24
"""The most logits held at once."""
_MOST_POSITIONS = 1024


def cross_entropy(
    states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None = None, *, smoothing: float = 0.0
) -> tuple[Tensor, Tensor]:
    """The cross-entropy of the logits ``states @ weight.T + bias``, which are never held whole, nor their gradient.

    Equals ``cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)`` of PyTorch, in whose terms
    the target gets 1 - ε and all words share ε. Szegedy et al. (2016), section 7.

    Args:
        states: (..., d), in float32, float64 or, under autocast, bfloat16.
        weight: (v, d).
        targets: (...), int64; positions that hold `IGNORED` count nowhere.
        bias: (v,).
        smoothing: ε, from 0 to below 1.

    Returns: the sum over all targets, and how many targets have the highest score.
    """
    targets, states = targets.reshape(-1), states.reshape(-1, states.shape[-1])
    real = targets != IGNORED
    if not bool(real.all()):
        states, targets = states[real], targets[real]
    loss, correct = _apply(states, weight, targets, bias, smoothing)
    return loss, correct


@torch.compiler.disable  # type: ignore[untyped-decorator]  # PyTorch's; a compiled model calls it as it is
def _apply(*arguments: Any) -> tuple[Tensor, Tensor]:
    result: tuple[Tensor, Tensor] = _Chunked.apply(*arguments)  # type: ignore[no-untyped-call]
    return result


class _Chunked(torch.autograd.Function):
    """Loss and gradients of some positions after others, both in the forward pass: logits are made once.

    The logits of n positions stand as (v, n): that product runs at nearly twice the speed of (n, v) where v is large.
    """

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        with torch.autocast(states.device.type, enabled=False):
            sums = _Sums(states, weight, bias, smoothing, ctx.needs_input_grad)
            for chunk in range(0, len(states), sums.positions):
                sums.add(slice(chunk, min(chunk + sums.positions, len(states))), targets)
            ctx.gradients = sums.gradients()
        ctx.mark_non_differentiable(sums.correct)
        return sums.loss, sums.correct

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        if ctx.gradients is None:
            raise RuntimeError("this loss's gradient was already taken; it is not kept for a second time")
        states, weight, bias = (None if g is None else g.mul_(gradient) for g in ctx.gradients)
        ctx.gradients = None
        return states, weight, None, bias, None


class _Sums:
    """The sums over the positions seen so far. Logits, their exponentials and all sums are at least float32."""

    def __init__(
        self, states: Tensor, weight: Tensor, bias: Tensor | None, smoothing: float, needed: tuple[bool, ...]
    ) -> None:
        self.states, self.smoothing = states, smoothing
        self.weight, self.weight_dtype = weight.to(states.dtype), weight.dtype
        wide = torch.promote_types(states.dtype, torch.float32)
        self.bias = None if bias is None else bias.to(wide)
        words = len(weight)
        self.positions = _positions(words, len(states))
        self.scores = torch.empty(words * self.positions, dtype=wide, device=states.device)
        self.loss = torch.zeros((), dtype=wide, device=states.device)
        self.correct = torch.zeros((), dtype=torch.int64, device=states.device)
        self.for_states = torch.empty_like(states) if needed[0] else None
        # The first product is written into it; where there is none, or it is added, there must be zeros.
        new = torch.empty if len(states) and states.dtype == wide else torch.zeros
        self.for_weight = new(weight.shape, dtype=wide, device=states.device) if needed[1] else None
        self.for_bias = torch.zeros(words, dtype=wide, device=states.device) if needed[3] else None
        self.mean = self.weight.to(wide).mean(dim=0) if smoothing else None  # its product with a state: the mean logit

    def add(self, here: slice, targets: Tensor) -> None:
        """Add the positions of this slice."""
        states, targets = self.states[here], targets[here]
        scores = self._scores(states)
        target_scores = scores.gather(0, targets[None])[0]
        highest = scores.amax(dim=0)
        self.correct += (target_scores >= highest).sum()
        totals = scores.sub_(highest).exp_().sum(dim=0)
        self.loss += (totals.log() + highest - (1 - self.smoothing) * target_scores).sum()
        if self.mean is not None:
            self.loss -= self.smoothing * (states.to(self.mean.dtype) @ self.mean).sum()
            if self.bias is not None:
                self.loss -= self.smoothing * len(targets) * self.bias.mean()
        self._add_gradients(here, scores, totals.reciprocal_(), targets)

    def _scores(self, states: Tensor) -> Tensor:
        """The logits of some positions: (v, n), where the last ones stood."""
        scores = self.scores[: len(self.weight) * len(states)].view(len(self.weight), len(states))
        if states.dtype != scores.dtype:
            scores.copy_(self.weight @ states.T)
        else:
            torch.mm(self.weight, states.T, out=scores)
        return scores if self.bias is None else scores.add_(self.bias[:, None])

    def _add_gradients(self, here: slice, powers: Tensor, shares: Tensor, targets: Tensor) -> None:
        """Equation: d loss / d logits = softmax - (1 - ε) [is the target] - ε / v, where softmax = powers × shares."""
        states, kept, spread = self.states[here], 1 - self.smoothing, self.smoothing / len(self.weight)
        low = powers.to(states.dtype)
        if self.for_states is not None:
            product = (low.T @ self.weight).mul_(shares[:, None].to(states.dtype))
            product.sub_(self.weight[targets], alpha=kept)
            if self.mean is not None:
                product.sub_(self.mean.to(states.dtype), alpha=self.smoothing)
            self.for_states[here] = product
        if self.for_weight is not None:
            scaled = states * shares[:, None].to(states.dtype)
            if states.dtype != self.for_weight.dtype:
                self.for_weight += low @ scaled
            elif here.start == 0:
                torch.mm(low, scaled, out=self.for_weight)
            else:
                self.for_weight.addmm_(low, scaled)
            wide = states.to(self.for_weight.dtype)
            self.for_weight.index_add_(0, targets, wide, alpha=-kept)
            if spread:
                self.for_weight.sub_(wide.sum(dim=0), alpha=spread)
        if self.for_bias is not None:
            self.for_bias.addmv_(powers, shares)
            self.for_bias.index_add_(0, targets, torch.ones_like(shares), alpha=-kept).sub_(spread * len(targets))

    def gradients(self) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """For states, weight and bias, each in its own dtype."""
        return (
            self.for_states,
            None if self.for_weight is None else self.for_weight.to(self.weight_dtype),
            None if self.for_bias is None or self.bias is None else self.for_bias,
        )


def score_bytes(words: int, width: int, positions: int) -> int:
    """The bytes that `cross_entropy` holds at most, in float32: logits of a part, gradients of weight and states."""
    return 4 * (words * _positions(words, positions) + words * width + 2 * positions * width)


def _positions(words: int, positions: int) -> int:
    """How many positions are looked at together."""
    return max(16, min(_MOST_POSITIONS, _SCORES // words // 16 * 16, positions))


@final
class Objective(nn.Module):
    """A transformer and the cross-entropy of what it predicts, words or classes.

    Calling it with a `Batch` gives the loss summed over the real targets, and how many of them have the highest score.
    Smoothing counts in training only: `eval()` measures the plain loss.
    """

    def __init__(self, model: Model, smoothing: float = 0.0) -> None:
        super().__init__()
        if not 0.0 <= smoothing < 1.0:
            raise ValueError(f"smoothing is {smoothing}; expected at least 0 and below 1")
        self.model = model
        self.smoothing = smoothing

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        smoothing = self.smoothing if self.training else 0.0
        if batch.labels is not None:
            return _of_classes(self.model(batch.inputs, batch.lengths), batch.labels, smoothing)
        if batch.targets is None:
            raise ValueError("the batch has neither targets nor labels; expected one of the two")
        model, states = self.model, states_of(self.model, batch)
        return cross_entropy(states, model.output_weight, batch.targets, model.output_bias, smoothing=smoothing)


def states_of(model: Model, batch: Batch) -> Tensor:
    """The final states (b, t, d) at the target positions of a batch: teacher forcing."""
    if isinstance(model, EncoderDecoder):
        if batch.source is None:
            raise ValueError("the batch has no source; expected one: the model is an encoder-decoder")
        return model.states(batch.source, batch.inputs, batch.source_lengths, batch.lengths)
    return model.states(batch.inputs, batch.lengths)


def _of_classes(scores: Tensor, labels: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    loss = functional.cross_entropy(scores, labels, reduction="sum", label_smoothing=smoothing, ignore_index=IGNORED)
    return loss, (scores.argmax(dim=-1) == labels).sum()
