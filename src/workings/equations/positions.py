"""Where a token stands: sinusoids added to its vector (equations 9 and 10), or rotations of queries and keys."""

from typing import Literal, TypeAlias

from workings.equations._arrays import Array, namespace
from workings.equations._checks import check_choice
from workings.equations._description import equation

Layout: TypeAlias = Literal["interleaved", "halves"]
"""Where sines and cosines stand: in turn, or all sines before all cosines."""

Pairing: TypeAlias = Literal["adjacent", "halves"]
"""Which coordinates are turned together: neighbours, or one of the first half with one of the second."""

LAYOUTS = ("interleaved", "halves")
PAIRINGS = ("adjacent", "halves")


@equation(
    number=10,
    title="Sinusoidal positions",
    sentence="Each position gets a vector of sines and cosines, whose waves grow longer from left to right.",
    latex=r"\operatorname{PE}(p)_{2i} = \sin\!\left(\frac{p}{10000^{2i/d}}\right), \qquad "
    r"\operatorname{PE}(p)_{2i+1} = \cos\!\left(\frac{p}{10000^{2i/d}}\right)",
    shapes={
        "length": "integer",
        "width": "integer",
        "like": "...",
        "base": "number",
        "layout": "choice",
        "result": "L d",
    },
    symbols={
        "length": "L",
        "width": "d",
        "base": "10000",
        "positions": "p",
        "pairs": "i",
        "exponents": "2i/d",
        "divisors": "10000^{2i/d}",
        "angles": "p / 10000^{2i/d}",
        "sines": r"\sin(p / 10000^{2i/d})",
        "cosines": r"\cos(p / 10000^{2i/d})",
        "encoding": r"\operatorname{PE}",
    },
    section="6",
    source="Vaswani et al. (2017), section 3.5",
    variants={
        "layout": "'interleaved' as in the paper: sine and cosine of one frequency stand side by side. 'halves', as in "
        "tensor2tensor: all sines, then all cosines.",
        "exponent": "2i/d, where i counts the pairs from 0. Some code divides by d - 2 instead, or counts coordinates.",
        "base": "10000 in the paper.",
        "positions": "Counted from 0; angles are in radians.",
        "odd width": "The last frequency has a sine and no cosine.",
    },
)
def sinusoidal_positions(
    length: int, width: int, like: Array, base: float = 10000.0, layout: Layout = "interleaved"
) -> Array:
    """The encodings of positions 0 to length - 1.

    Shapes: `like` any array, which gives the library, dtype and device; result (L, d) with L = `length`, d = `width`.
    Angles are in radians.
    Raises: ValueError for an unknown layout.
    Source: equation (10).
    """
    check_choice("layout", layout, LAYOUTS)
    xp = namespace(like)
    positions = xp.arange(length, dtype=like.dtype, device=like.device)[:, None]
    columns = xp.arange(width, dtype=like.dtype, device=like.device)
    if layout == "interleaved":
        pairs = columns // 2
        is_sine = columns % 2 == 0
    else:
        sine_count = (width + 1) // 2
        pairs = columns % sine_count
        is_sine = columns < sine_count
    exponents = 2 * pairs / width
    divisors = base**exponents
    angles = positions / divisors
    sines = xp.sin(angles)
    cosines = xp.cos(angles)
    encoding = xp.where(is_sine, sines, cosines)
    return encoding


@equation(
    number=9,
    title="Adding positions",
    sentence="The vector of a position is added to the vector of the token that stands there.",
    latex=r"\vec{x}_p \leftarrow \vec{x}_p + \operatorname{PE}(p)",
    shapes={"X": "... L d", "encoding": "L d", "result": "... L d"},
    symbols={"X": "X", "encoding": r"\operatorname{PE}", "positioned": r"X + \operatorname{PE}"},
    section="6",
    source="Vaswani et al. (2017), section 3.5",
    variants={"embedding scale": "None: the 2017 paper multiplies the embeddings by the square root of d beforehand."},
)
def add_positions(X: Array, encoding: Array) -> Array:
    """Add an encoding to the tokens, position by position.

    Shapes: X (..., L, d); encoding (L, d); result (..., L, d).
    Source: equation (9).
    """
    positioned = X + encoding
    return positioned


@equation(
    title="Rotary positions",
    sentence="Each pair of coordinates is turned by an angle that grows with the position, so that the dot product of "
    "a query and a key depends only on how far apart they stand.",
    latex=r"\begin{pmatrix} x'_{a} \\ x'_{b} \end{pmatrix} = \begin{pmatrix} \cos p\theta_i & -\sin p\theta_i \\ "
    r"\sin p\theta_i & \cos p\theta_i \end{pmatrix} \begin{pmatrix} x_{a} \\ x_{b} \end{pmatrix}, \qquad "
    r"\theta_i = 10000^{-2i/d_k}, \qquad (a, b) = (2i, 2i + 1) \text{ or } (i, i + d_k/2)",
    shapes={
        "x": "... L d_k",
        "positions": "... L",
        "base": "number",
        "pairing": "choice",
        "result": "... L d_k",
    },
    symbols={
        "x": r"\vec{x}",
        "positions": "p",
        "base": "10000",
        "width": "d_k",
        "pairs": "i",
        "exponents": "2i/d_k",
        "divisors": "10000^{2i/d_k}",
        "angles": r"p\theta_i",
        "sines": r"\sin p\theta_i",
        "cosines": r"\cos p\theta_i",
        "first": "x_a",
        "second": "x_b",
        "turned_first": "x'_a",
        "turned_second": "x'_b",
        "partners": "(x'_a, x'_b)",
        "rotated": r"\vec{x}'",
    },
    section="6",
    source="Su et al. (2021), section 3.2",
    variants={
        "pairing": "'adjacent' as in the paper: coordinates 2i and 2i + 1 turn together. 'halves' as in GPT-NeoX and "
        "in the Llama checkpoints of Hugging Face: coordinates i and i + d_k/2.",
        "base": "10000 in the paper; many later models use more.",
        "positions": "Counted from 0; angles are in radians.",
    },
)
def rotary(x: Array, positions: Array, base: float = 10000.0, pairing: Pairing = "adjacent") -> Array:
    """Turn each pair of coordinates of queries or keys by an angle proportional to the position.

    Shapes: x (..., L, d_k), d_k even; positions (L,), or (..., L) with the leading axes of x; result (..., L, d_k).
    Angles are in radians.
    Raises: ValueError for an odd width or an unknown pairing.
    Source: Su et al. (2021), section 3.2.
    """
    check_choice("pairing", pairing, PAIRINGS)
    xp = namespace(x, positions)
    width = x.shape[-1]
    if width % 2 != 0:
        raise ValueError(
            f"rotary positions turn pairs of coordinates, but x has {width} of them; expected an even width"
        )
    pairs = xp.arange(width // 2, dtype=x.dtype, device=x.device)
    exponents = 2 * pairs / width
    divisors = base**exponents
    angles = xp.astype(positions, x.dtype)[..., None] / divisors
    sines = xp.sin(angles)
    cosines = xp.cos(angles)
    if pairing == "adjacent":
        first = x[..., 0::2]
        second = x[..., 1::2]
    else:
        first = x[..., : width // 2]
        second = x[..., width // 2 :]
    turned_first = first * cosines - second * sines
    turned_second = first * sines + second * cosines
    if pairing == "adjacent":
        # Axes (..., L, d_k/2, 2), so that reading them off in order puts the partners side by side again.
        partners = xp.stack([turned_first, turned_second], axis=-1)
        rotated = xp.reshape(partners, x.shape)
    else:
        rotated = xp.concat([turned_first, turned_second], axis=-1)
    return rotated
