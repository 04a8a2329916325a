"""Masks that are added to scores: 0 where a query may attend, -inf where it may not (equation 13)."""

import math

from workings.equations._arrays import Array, namespace
from workings.equations._checks import check_keep
from workings.equations._description import equation

POLARITY = "The mask is added: 0 lets a query attend, -inf hides the key. Others use booleans, in both senses."


@equation(
    number=13,
    title="Causal mask",
    sentence="A token may attend to itself and to what comes before it; everything later is hidden.",
    latex=r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
    shapes={"length": "integer", "like": "...", "result": "L L"},
    symbols={
        "length": "L",
        "query_positions": "i",
        "key_positions": "j",
        "later": "j > i",
        "mask": "M",
    },
    section="8",
    source="Vaswani et al. (2017), section 3.2.3",
    variants={"polarity": POLARITY, "diagonal": "A token may attend to itself: every row keeps at least one key."},
)
def causal_mask(length: int, like: Array) -> Array:
    """Hide from each token all tokens after it.

    Shapes: `like` any array, which gives the library, dtype and device; result (L, L) with L = `length`.
    Source: equation (13).
    """
    xp = namespace(like)
    positions = xp.arange(length, device=like.device)
    query_positions = positions[:, None]
    key_positions = positions[None, :]
    later = key_positions > query_positions
    nothing_hidden = xp.zeros((length, length), dtype=like.dtype, device=like.device)
    mask = xp.where(later, -math.inf, nothing_hidden)
    return mask


@equation(
    number=13,
    title="Padding mask",
    sentence="Tokens that only fill up a batch are hidden from every query.",
    latex=r"M_{ij} = \begin{cases} 0 & \text{token } j \text{ is real} \\ -\infty & \text{token } j \text{ is padding} "
    r"\end{cases}",
    shapes={"keep": "... s", "like": "...", "result": "... 1 s"},
    symbols={"keep": r"\text{real}_j", "hidden_keys": r"M_{\cdot j}", "mask": "M"},
    section="8",
    source="Vaswani et al. (2017), section 3.2.3",
    variants={
        "polarity": POLARITY,
        "like": "Gives the dtype and device; the library's own floating dtype and the device of `keep` unless given.",
    },
)
def padding_mask(keep: Array, like: Array | None = None) -> Array:
    """Hide from every query the keys that are not kept.

    Shapes: keep (..., s), booleans, True for a real token; `like` any array; result (..., 1, s), for all queries alike.
    Raises: TypeError when `keep` is not boolean.
    Source: the mask of equation (13), for padding.
    """
    check_keep(keep)
    xp = namespace(keep)
    if like is None:
        nothing_hidden = xp.zeros(keep.shape, device=keep.device)
    else:
        nothing_hidden = xp.zeros(keep.shape, dtype=like.dtype, device=like.device)
    hidden_keys = xp.where(keep, nothing_hidden, -math.inf)
    mask = hidden_keys[..., None, :]
    return mask
