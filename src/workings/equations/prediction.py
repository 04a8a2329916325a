"""From the last vector to the next token (equation 15), and the ways to sharpen or trim the choice."""

import math

from workings.equations._arrays import Array, namespace
from workings.equations._description import Range, equation
from workings.equations.distributions import softmax

TIES = "Tokens that tie with the last one kept are kept too, so more may remain."


@equation(
    number=15,
    title="Next-token distribution",
    sentence="The last vector is scored against every word of the vocabulary, and the scores become probabilities.",
    latex=r"P(\text{next token} = v \mid \text{context}) = \operatorname{softmax}\!\left(W^{\text{out}}\,\vec{h}_t + "
    r"\vec{b}\right)_v",
    shapes={"h": "... d", "W_out": "v d", "b": "v", "result": "... v"},
    symbols={
        "h": r"\vec{h}_t",
        "W_out": r"W^{\text{out}}",
        "b": r"\vec{b}",
        "logits": r"W^{\text{out}}\,\vec{h}_t + \vec{b}",
        "probabilities": "P",
    },
    section="9",
    source="Vaswani et al. (2017), section 3.4",
    variants={"orientation": "The matrix stands to the left of the vector (out × in), like an embedding table."},
)
def next_token(h: Array, W_out: Array, b: Array) -> Array:
    """The probability of each word of the vocabulary to come next.

    Shapes: h (..., d); W_out (v, d); b (v,); result (..., v).
    Source: equation (15).
    """
    xp = namespace(h)
    logits = h @ xp.matrix_transpose(W_out) + b
    probabilities = softmax(logits)
    return probabilities


@equation(
    title="Temperature",
    sentence="Dividing the scores by a temperature sharpens the distribution below 1 and flattens it above.",
    latex=r"\vec{z}' = \vec{z} / T",
    shapes={"logits": "... v", "T": "number", "result": "... v"},
    symbols={"logits": r"\vec{z}", "T": "T", "tempered_logits": r"\vec{z} / T"},
    section="9",
    source="Ackley, Hinton and Sejnowski (1985)",
    variants={"T": "1 changes nothing, and is not greedy: greedy is the limit towards 0, which `greedy` takes."},
    ranges={"T": Range(0, above=True)},
)
def temperature(logits: Array, T: float) -> Array:
    """Divide the logits by T.

    Shapes: logits (..., v); result the same.
    Raises: ValueError unless T is a positive finite number.
    """
    if not 0.0 < T < math.inf:
        raise ValueError(f"temperature is {T}; expected a number above 0 (for the limit at 0, use greedy)")
    tempered_logits = logits / T
    return tempered_logits


@equation(
    title="Top-k",
    sentence="Only the k words with the largest scores stay in the draw.",
    latex=r"z'_v = \begin{cases} z_v & z_v \ge z_{(k)} \\ -\infty & \text{otherwise} \end{cases}",
    shapes={"logits": "... v", "k": "integer", "result": "... v"},
    symbols={
        "logits": r"\vec{z}",
        "k": "k",
        "ascending": r"z_{(|V|)} \le \dots \le z_{(1)}",
        "best": r"z_{(k)} \le \dots \le z_{(1)}",
        "threshold": "z_{(k)}",
        "filtered_logits": r"\vec{z}'",
    },
    section="9",
    source="Fan, Lewis and Dauphin (2018)",
    variants={"ties": TIES, "k": "A k beyond the vocabulary keeps every word."},
    ranges={"k": Range(1)},
)
def top_k(logits: Array, k: int) -> Array:
    """Keep the k largest logits and set the others to -inf. Logits that tie with the k-th are kept too.

    Shapes: logits (..., v); result the same.
    Raises: ValueError for k below 1.
    Source: Fan, Lewis and Dauphin (2018).
    """
    if k < 1:
        raise ValueError(f"k is {k}; expected at least 1, or no token is left")
    xp = namespace(logits)
    ascending = xp.sort(logits, axis=-1)
    places = xp.arange(logits.shape[-1], device=logits.device)
    # The k last of them stay in the draw.
    best = xp.where(places < logits.shape[-1] - k, math.inf, ascending)
    threshold = xp.min(best, axis=-1, keepdims=True)
    filtered_logits = xp.where(logits < threshold, -math.inf, logits)
    return filtered_logits


@equation(
    title="Top-p (nucleus)",
    sentence="Words are taken from the most probable down until they share at least p; only these stay in the draw.",
    latex=r"z'_v = \begin{cases} z_v & P_v \ge P_{(n)} \\ -\infty & \text{otherwise} \end{cases}, \qquad "
    r"n = \min\Big\{m : \sum_{j=1}^{m} P_{(j)} \ge p\Big\}",
    shapes={"logits": "... v", "p": "number", "result": "... v"},
    symbols={
        "logits": r"\vec{z}",
        "p": "p",
        "probabilities": "P",
        "descending": r"P_{(1)} \ge \dots \ge P_{(|V|)}",
        "running_totals": r"\sum_{j \le m} P_{(j)}",
        "totals_before": r"\sum_{j < m} P_{(j)}",
        "candidates": r"P_{(1)}, \dots, P_{(n)}",
        "threshold": "P_{(n)}",
        "filtered_logits": r"\vec{z}'",
    },
    section="9",
    source="Holtzman et al. (2020)",
    variants={"ties": TIES, "p": "1 keeps every word, even where rounding lets a total reach 1 too early."},
    ranges={"p": Range(0, 1, above=True)},
)
def top_p(logits: Array, p: float) -> Array:
    """Keep the most probable tokens whose probabilities reach p together, and set the others to -inf.

    The token that reaches p is kept, so at least one is. Tokens that tie with the last one kept are kept too.

    Shapes: logits (..., v); result the same.
    Raises: ValueError unless p is above 0 and at most 1.
    Source: Holtzman et al. (2020).
    """
    if not 0.0 < p <= 1.0:
        raise ValueError(f"p is {p}; expected a number above 0 and at most 1")
    if p == 1.0:
        return logits
    xp = namespace(logits)
    probabilities = softmax(logits)
    descending = xp.flip(xp.sort(probabilities, axis=-1), axis=-1)
    running_totals = xp.cumulative_sum(descending, axis=-1)
    # The totals one place earlier are moved, not recomputed by a difference, so that p = 0.8 stops after 0.5 + 0.3.
    nothing = xp.zeros_like(running_totals[..., :1])
    totals_before = xp.concat([nothing, running_totals[..., :-1]], axis=-1)
    candidates = xp.where(totals_before < p, descending, 1.0)
    threshold = xp.min(candidates, axis=-1, keepdims=True)
    filtered_logits = xp.where(probabilities < threshold, -math.inf, logits)
    return filtered_logits


@equation(
    title="Greedy choice",
    sentence="The word with the largest score is taken.",
    latex=r"\hat{v} = \operatorname*{arg\,max}_v z_v",
    shapes={"logits": "... v", "result": "..."},
    symbols={"logits": r"\vec{z}", "choice": r"\hat{v}"},
    section="9",
    source="Section 9 of the article",
    variants={"ties": "The first of several largest scores wins: the smallest id."},
)
def greedy(logits: Array) -> Array:
    """The id of the largest logit; the smallest such id where several are equal.

    Shapes: logits (..., v); result (...), integers.
    Source: section 9 of the article.
    """
    xp = namespace(logits)
    choice = xp.argmax(logits, axis=-1)
    return choice
