"""What training minimises: the cross-entropy under teacher forcing."""

from typing import Literal, TypeAlias

from workings.equations._arrays import Array, namespace
from workings.equations._checks import check_choice, check_ids
from workings.equations._description import Range, equation
from workings.equations.distributions import log_softmax

Reduction: TypeAlias = Literal["sum", "mean"]
"""How the losses of all positions become one number."""

REDUCTIONS = ("sum", "mean")


@equation(
    title="Cross-entropy",
    sentence="Each position pays the negative logarithm of the probability it gave to the token that truly came next.",
    latex=r"\mathcal{L} = -\sum_{t} \left( (1 - \alpha) \log P_{t, y_t} + "
    r"\frac{\alpha}{|V|} \sum_{v} \log P_{t, v} \right)",
    shapes={
        "logits": "... L v",
        "targets": "... L",
        "label_smoothing": "number",
        "reduction": "choice",
        "result": "",
    },
    symbols={
        "logits": r"\vec{z}_t",
        "targets": "y_t",
        "label_smoothing": r"\alpha",
        "log_probabilities": r"\log P",
        "target_log_probabilities": r"\log P_{t, y_t}",
        "target_losses": r"-\log P_{t, y_t}",
        "uniform_losses": r"-\frac{1}{|V|} \sum_{v} \log P_{t, v}",
        "losses": r"\mathcal{L}_t",
        "loss": r"\mathcal{L}",
    },
    section="9",
    source="Vaswani et al. (2017), section 5.4; Szegedy et al. (2016), section 7, for label smoothing",
    variants={
        "reduction": "'sum' over all positions as the article has it, or 'mean' over them as PyTorch does unless told.",
        "label_smoothing": "The share of the target that is spread evenly over the whole vocabulary, the true token "
        "included.",
    },
    ranges={"label_smoothing": Range(0, 1)},
)
def cross_entropy(logits: Array, targets: Array, label_smoothing: float = 0.0, reduction: Reduction = "sum") -> Array:
    """The cross-entropy between the predicted distributions and the true tokens, in nats.

    Shapes: logits (..., L, v); targets (..., L), integer ids counted from 0; result one number without axes.
    Raises: IndexError for a target outside 0 to v - 1; ValueError for a smoothing outside 0 to 1, an unknown reduction,
    or logits that are all -inf.
    Source: section 9 of the article; Szegedy et al. (2016), section 7, for label smoothing.
    """
    check_choice("reduction", reduction, REDUCTIONS)
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"label_smoothing is {label_smoothing}; expected a number from 0 to 1")
    xp = namespace(logits, targets)
    check_ids(targets, logits.shape[-1])
    log_probabilities = log_softmax(logits)
    target_log_probabilities = xp.take_along_axis(log_probabilities, targets[..., None], axis=-1)[..., 0]
    target_losses = -target_log_probabilities
    if label_smoothing == 0.0:
        losses = target_losses
    else:
        uniform_losses = -xp.mean(log_probabilities, axis=-1)
        losses = (1.0 - label_smoothing) * target_losses + label_smoothing * uniform_losses
    if reduction == "sum":
        loss = xp.sum(losses)
    else:
        loss = xp.mean(losses)
    return loss


@equation(
    title="Teacher forcing",
    sentence="In training the decoder is given the true tokens, one place late, and must name the true token at every "
    "place.",
    latex=r"\text{inputs} = (\text{begin}, y_1, \dots, y_{L-1}), \qquad \text{targets} = (y_1, \dots, y_L)",
    shapes={"ids": "... L", "begin": "integer", "result": "... L; ... L"},
    symbols={
        "ids": r"(y_1, \dots, y_L)",
        "begin": r"\text{begin}",
        "first": r"\text{begin}",
        "earlier": r"(y_1, \dots, y_{L-1})",
        "inputs": r"\text{inputs}",
        "targets": r"\text{targets}",
    },
    section="9",
    source="Williams and Zipser (1989); Vaswani et al. (2017), section 3.1",
    variants={"begin": "The id that opens every sentence. The end of the sentence must already be among the ids."},
)
def teacher_forcing(ids: Array, begin: int) -> tuple[Array, Array]:
    """The decoder's inputs, shifted one place to the right, and its targets.

    Shapes: ids (..., L), integers, L at least 1; inputs (..., L); targets (..., L), the ids themselves.
    Source: section 9 of the article.
    """
    xp = namespace(ids)
    first = xp.full_like(ids[..., :1], begin)
    earlier = ids[..., :-1]
    inputs = xp.concat([first, earlier], axis=-1)
    targets = ids
    return inputs, targets
