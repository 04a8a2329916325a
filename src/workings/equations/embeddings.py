"""Tokens as vectors: looking up rows of a table, and comparing directions (equation 1)."""

from workings.equations._arrays import Array, namespace
from workings.equations._checks import check_ids
from workings.equations._description import equation


@equation(
    title="Embedding lookup",
    sentence="Each token's vector is the row of the table that its id points to.",
    latex=r"X_i = E_{\mathrm{id}_i}",
    shapes={"table": "v d", "ids": "... L", "result": "... L d"},
    symbols={"table": "E", "ids": r"\mathrm{id}", "rows": "X"},
    section="1",
    source="Vaswani et al. (2017), section 3.4",
    variants={"ids": "Counted from 0. A negative id is an error here, though NumPy would count it from the end."},
)
def lookup(table: Array, ids: Array) -> Array:
    """Take the row of `table` for each id.

    Shapes: table (v, d); ids (..., L), integers; result (..., L, d).
    Raises: IndexError for an id outside 0 to v - 1; TypeError for ids that are not integers.
    Source: section 1 of the article.
    """
    xp = namespace(table, ids)
    check_ids(ids, table.shape[0])
    if ids.ndim == 1:
        rows = xp.take(table, ids, axis=0)
    else:
        # The standard takes by a list of ids only, so a batch of lists is laid out in one line and folded up again.
        flat_ids = xp.reshape(ids, (-1,))
        flat_rows = xp.take(table, flat_ids, axis=0)
        rows = xp.reshape(flat_rows, (*ids.shape, table.shape[1]))
    return rows


@equation(
    number=1,
    title="Cosine similarity",
    sentence="The cosine of the angle between two vectors compares their directions and ignores their lengths.",
    latex=r"\cos\theta_{ab} = \frac{\sum_{k=1}^{d} a_k\, b_k}{\sqrt{\sum_k a_k^2}\,\sqrt{\sum_k b_k^2}}",
    shapes={"a": "... d", "b": "... d", "result": "..."},
    symbols={
        "a": r"\vec{a}",
        "b": r"\vec{b}",
        "dot_product": r"\vec{a}\cdot\vec{b}",
        "length_a": r"\lVert\vec{a}\rVert",
        "length_b": r"\lVert\vec{b}\rVert",
        "cosine_similarity": r"\cos\theta_{ab}",
    },
    section="1",
    source="Salton and McGill (1983)",
    variants={"zero vector": "It has no direction: the result is 0/0, not a number. PyTorch answers 0."},
)
def cosine(a: Array, b: Array) -> Array:
    """Compare the directions of two vectors: 1 the same, 0 perpendicular, -1 opposite.

    Shapes: a (..., d); b (..., d); result (...), one number for each pair of vectors.
    Source: equation (1).
    """
    xp = namespace(a, b)
    dot_product = xp.sum(a * b, axis=-1)
    length_a = xp.sqrt(xp.sum(a * a, axis=-1))
    length_b = xp.sqrt(xp.sum(b * b, axis=-1))
    cosine_similarity = dot_product / (length_a * length_b)
    return cosine_similarity


@equation(
    number=1,
    title="Cosine similarity of every pair",
    sentence="Every row is compared with every row by the cosine of the angle between them.",
    latex=r"C_{ij} = \frac{\vec{x}_i\cdot\vec{x}_j}{\lVert\vec{x}_i\rVert\,\lVert\vec{x}_j\rVert}",
    shapes={"X": "... L d", "result": "... L L"},
    symbols={
        "X": "X",
        "dot_products": r"XX^{\mathsf T}",
        "lengths": r"\lVert\vec{x}_i\rVert",
        "length_products": r"\lVert\vec{x}_i\rVert\,\lVert\vec{x}_j\rVert",
        "cosines": "C",
    },
    section="1",
    source="Salton and McGill (1983)",
    variants={"zero vector": "It has no direction: its row and column are 0/0, not a number."},
)
def cosine_matrix(X: Array) -> Array:
    """Compare the directions of all rows of X with one another.

    Shapes: X (..., L, d); result (..., L, L), symmetric with 1 along the diagonal.
    Source: equation (1), for every pair.
    """
    xp = namespace(X)
    dot_products = X @ xp.matrix_transpose(X)
    lengths = xp.sqrt(xp.sum(X * X, axis=-1, keepdims=True))
    length_products = lengths * xp.matrix_transpose(lengths)
    cosines = dot_products / length_products
    return cosines
