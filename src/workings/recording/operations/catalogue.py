"""Every operation in one plain sentence and one formula. ``{0}``, ``{1}`` … stand for its operands."""

from __future__ import annotations

from workings.frozen import frozen


@frozen
class Description:
    """What a reader is told about an operation."""

    sentence: str
    latex: str
    text: str


def _d(sentence: str, latex: str, text: str) -> Description:
    return Description(sentence, latex, text)


_FUNCTION_SENTENCES = {
    "log": "The natural logarithm of each number.",
    "log2": "The logarithm of each number to base 2.",
    "log10": "The logarithm of each number to base 10.",
    "sin": "The sine of each angle, in radians.",
    "cos": "The cosine of each angle, in radians.",
    "tan": "The tangent of each angle, in radians.",
    "arcsin": "The angle whose sine each number is.",
    "arccos": "The angle whose cosine each number is.",
    "arctan": "The angle whose tangent each number is.",
    "sinh": "The hyperbolic sine of each number.",
    "cosh": "The hyperbolic cosine of each number.",
    "tanh": "Each number squeezed between −1 and 1.",
    "erf": "The error function of each number: twice the area under the bell curve of variance ½ from 0 to it.",
    "sign": "−1, 0 or 1, by the sign of each number.",
    "floor": "Each number rounded down.",
    "ceil": "Each number rounded up.",
    "round": "Each number rounded.",
    "relu": "Each number where it is positive, 0 elsewhere.",
    "sigmoid": "Each number squeezed between 0 and 1.",
    "silu": "Each number times its own sigmoid.",
    "gelu": "Each number times the share of the bell curve that lies below it.",
}

CATALOGUE: dict[str, Description] = {
    "given": _d("A value that was given: an input, or a number written in the source.", "{0}", "{0}"),
    "size": _d("How many entries an array has along an axis.", r"\#{0}", "size of {0}"),
    "add": _d("Two values added, number by number.", "{0} + {1}", "{0} + {1}"),
    "subtract": _d("One value taken from another, number by number.", "{0} - {1}", "{0} − {1}"),
    "multiply": _d("Two values multiplied, number by number.", r"{0} \odot {1}", "{0} ⊙ {1}"),
    "divide": _d("One value divided by another, number by number.", r"\frac{{{0}}}{{{1}}}", "{0} / {1}"),
    "power": _d("Each number raised to a power.", "{0}^{{{1}}}", "{0}^{1}"),
    "negative": _d("The sign of every number turned.", "-{0}", "−{0}"),
    "exp": _d(
        "e to the power of each number: always positive, and differences become ratios.", "e^{{{0}}}", "exp({0})"
    ),
    "sqrt": _d("The square root of each number.", r"\sqrt{{{0}}}", "√{0}"),
    "square": _d("Each number times itself.", "{0}^2", "{0}²"),
    "absolute": _d("Each number without its sign.", r"\left|{0}\right|", "|{0}|"),
    "reciprocal": _d("One divided by each number.", r"\frac{{1}}{{{0}}}", "1 / {0}"),
    "rsqrt": _d("One divided by the square root of each number.", r"\frac{{1}}{{\sqrt{{{0}}}}}", "1 / √{0}"),
    "maximum": _d("The larger of two numbers, place by place.", r"\max({0}, {1})", "max({0}, {1})"),
    "minimum": _d("The smaller of two numbers, place by place.", r"\min({0}, {1})", "min({0}, {1})"),
    "clip": _d("Each number held between two limits.", r"\operatorname{{clip}}({0})", "clip({0})"),
    "where": _d(
        "One of two numbers, chosen by a condition, place by place.",
        r"\operatorname{{where}}({0}, {1}, {2})",
        "where({0}, {1}, {2})",
    ),
    "sum": _d("Numbers added up along an axis.", r"\sum {0}", "Σ {0}"),
    "total": _d("Several values added one after another.", r"\sum {0}", "Σ {0}"),
    "prod": _d("Numbers multiplied together along an axis.", r"\prod {0}", "Π {0}"),
    "mean": _d("The sum of the numbers divided by how many there are.", r"\overline{{{0}}}", "mean({0})"),
    "var": _d("The mean of the squared distances from the mean.", r"\operatorname{{Var}}({0})", "Var({0})"),
    "std": _d("The square root of the variance.", r"\sqrt{{\operatorname{{Var}}({0})}}", "√Var({0})"),
    "max": _d("The largest number along an axis.", r"\max {0}", "max {0}"),
    "min": _d("The smallest number along an axis.", r"\min {0}", "min {0}"),
    "argmax": _d("Where the largest number stands.", r"\operatorname*{{arg\,max}} {0}", "argmax {0}"),
    "argmin": _d("Where the smallest number stands.", r"\operatorname*{{arg\,min}} {0}", "argmin {0}"),
    "cumsum": _d("The running sum along an axis.", r"\operatorname{{cumsum}}({0})", "cumsum({0})"),
    "norm": _d("The length of a vector: the square root of the sum of its squares.", r"\lVert {0} \rVert", "‖{0}‖"),
    "matmul": _d("Rows times columns: each number is the dot product of a row with a column.", "{0} {1}", "{0} {1}"),
    "dot": _d("The dot product: numbers multiplied in pairs, then added up.", r"{0} \cdot {1}", "{0} · {1}"),
    "outer": _d("Every number of one vector times every number of another.", r"{0} \otimes {1}", "{0} ⊗ {1}"),
    "einsum": _d("Products added up over the letters that the result does not have.", r"\sum {0}\,{1}", "Σ {0} {1}"),
    "transpose": _d("Rows become columns.", r"{0}^{{\top}}", "{0}ᵀ"),
    "matrix_transpose": _d("Rows become columns.", r"{0}^{{\top}}", "{0}ᵀ"),
    "reshape": _d("The same numbers in another shape.", r"\operatorname{{reshape}}({0})", "reshape({0})"),
    "concatenate": _d("Values placed side by side.", r"\operatorname{{Concat}}({0}, {1})", "Concat({0}, {1})"),
    "stack": _d("Values laid on one another along a new axis.", r"\operatorname{{stack}}({0}, {1})", "stack({0}, {1})"),
    "list": _d("Numbers gathered into a list.", r"({0}, \ldots)", "[{0}, …]"),
    "array": _d("Numbers gathered into an array.", "{0}", "{0}"),
    "getitem": _d("Some of the numbers, picked by their place.", r"{0}_{{\ldots}}", "{0}[…]"),
    "take": _d("Rows looked up by their number.", r"{0}_{{{1}}}", "{0}[{1}]"),
    "put": _d("An array with some of its numbers replaced.", r"{0}\ \text{{with}}\ {1}", "{0} with {1}"),
    "put_flat": _d("An array with some of its numbers replaced.", r"{0}\ \text{{with}}\ {1}", "{0} with {1}"),
    "take_flat": _d("The same numbers, seen through another array.", "{0}", "{0}"),
    "masked_fill": _d("Hidden places filled with one number.", r"\operatorname{{mask}}({0})", "mask({0})"),
    "softmax": _d("Scores become positive weights that sum to 1.", r"\operatorname{{softmax}}({0})", "softmax({0})"),
    "log_softmax": _d("The logarithm of the softmax.", r"\log\operatorname{{softmax}}({0})", "log softmax({0})"),
    "layer_norm": _d(
        "Each token brought to mean 0 and variance 1, then scaled and shifted.",
        r"\operatorname{{LayerNorm}}({0})",
        "LayerNorm({0})",
    ),
    "rms_norm": _d(
        "Each token divided by its root mean square, then scaled.", r"\operatorname{{RMSNorm}}({0})", "RMSNorm({0})"
    ),
    "linear": _d("A matrix times each token, plus a bias.", r"{0} {1}^{{\top}} + b", "{0} {1}ᵀ + b"),
    "addmm": _d("A matrix product plus a bias.", "{1} {2} + {0}", "{1} {2} + {0}"),
    "scaled_dot_product_attention": _d(
        "Each query's mix of the values, weighted by how well it matches each key.",
        r"\operatorname{{softmax}}\!\left(\frac{{{0} {1}^{{\top}}}}{{\sqrt{{d_k}}}}\right) {2}",
        "softmax({0} {1}ᵀ / √d_k) {2}",
    ),
    "embedding": _d("Rows of a table looked up by token number.", r"{0}_{{{1}}}", "{0}[{1}]"),
    "nll_loss": _d("Minus the log-probability of the true answer.", r"-\log p", "−log p"),
    "opaque": _d("A call into code that is not followed.", r"\operatorname{{?}}({0})", "?({0})"),
    **{
        name: _d(sentence, rf"\operatorname{{{{{name}}}}}({{0}})", f"{name}({{0}})")
        for name, sentence in _FUNCTION_SENTENCES.items()
    },
}


def describe(operation: str) -> Description:
    """The description of an operation; one made from its name where it has none of its own."""
    known = CATALOGUE.get(operation)
    if known is not None:
        return known
    name = operation.replace("_", " ").strip()
    latex = operation.replace("_", r"\_")
    return Description(f"The operation {name}.", rf"\operatorname{{{{{latex}}}}}({{0}})", f"{operation}({{0}})")
