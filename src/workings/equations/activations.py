"""The bends between the two layers of a feed-forward network, each applied to every number on its own."""

import math

from workings.equations._arrays import Array, erf, namespace
from workings.equations._description import equation

GELU_VARIANT = "The exact form uses the error function; the tanh form is off by up to 0.0005 and is what GPT-2 uses."


@equation(
    title="Rectified linear unit",
    sentence="Negative numbers become 0 and the others stay as they are.",
    latex=r"\operatorname{ReLU}(x) = \max(0, x)",
    shapes={"x": "...", "result": "..."},
    symbols={"x": "x", "output": r"\max(0, x)"},
    section="7",
    source="Vaswani et al. (2017), section 3.3",
    variants={"slope at 0": "Taken as 0, as PyTorch does."},
)
def relu(x: Array) -> Array:
    """The larger of 0 and x.

    Shapes: x (...), result the same.
    Source: section 7 of the article.
    """
    xp = namespace(x)
    # Not maximum(x, 0): libraries give that a slope of one half where x is exactly 0, as hand-chosen numbers often are.
    output = xp.where(x <= 0, 0.0, x)
    return output


@equation(
    title="Gaussian error linear unit",
    sentence="Each number is kept in proportion to the chance that a standard normal draw is smaller.",
    latex=r"\operatorname{GELU}(x) = x\,\Phi(x) = \frac{x}{2}\left(1 + \operatorname{erf}\frac{x}{\sqrt{2}}\right)",
    shapes={"x": "...", "result": "..."},
    symbols={"x": "x", "probabilities": r"\Phi(x)", "output": r"\operatorname{GELU}(x)"},
    source="Hendrycks and Gimpel (2016), section 2",
    variants={"form": GELU_VARIANT},
)
def gelu(x: Array) -> Array:
    """x times the normal distribution function of x, exactly.

    Shapes: x (...), result the same.
    Source: Hendrycks and Gimpel (2016), section 2.
    """
    probabilities = 0.5 * (1.0 + erf(x / math.sqrt(2.0)))
    output = x * probabilities
    return output


@equation(
    title="Gaussian error linear unit by tanh",
    sentence="The same curve as GELU, very nearly, drawn with a hyperbolic tangent.",
    latex=r"\operatorname{GELU}(x) \approx \frac{x}{2}\left(1 + \tanh\!\left(\sqrt{\tfrac{2}{\pi}}\,"
    r"(x + 0.044715\,x^3)\right)\right)",
    shapes={"x": "...", "result": "..."},
    symbols={
        "x": "x",
        "bent": "x + 0.044715\\,x^3",
        "probabilities": r"\tfrac{1}{2}\left(1 + \tanh(\dots)\right)",
        "output": r"\operatorname{GELU}(x)",
    },
    source="Hendrycks and Gimpel (2016), section 2",
    variants={"form": GELU_VARIANT},
)
def gelu_tanh(x: Array) -> Array:
    """x times the usual approximation of the normal distribution function.

    Shapes: x (...), result the same.
    Source: Hendrycks and Gimpel (2016), section 2.
    """
    xp = namespace(x)
    bent = x + 0.044715 * x**3
    probabilities = 0.5 * (1.0 + xp.tanh(math.sqrt(2.0 / math.pi) * bent))
    output = x * probabilities
    return output


@equation(
    title="Logistic function",
    sentence="Any number becomes one between 0 and 1: small ones near 0, large ones near 1, and 0 becomes one half.",
    latex=r"\sigma(x) = \frac{1}{1 + e^{-x}}",
    shapes={"x": "...", "result": "..."},
    symbols={
        "x": "x",
        "never_positive": r"-\lvert x\rvert",
        "decay": r"e^{-\lvert x\rvert}",
        "numerators": r"e^{\min(0, x)}",
        "output": r"\sigma(x)",
    },
    source="Goodfellow, Bengio and Courville (2016), section 3.10",
    variants={"form": "For negative x both parts of the fraction are multiplied by e^x, so that nothing overflows."},
)
def sigmoid(x: Array) -> Array:
    """The logistic function, without overflow at either end.

    Shapes: x (...), result the same, between 0 and 1.
    Source: Goodfellow, Bengio and Courville (2016), section 3.10.
    """
    xp = namespace(x)
    # Written with where and not with abs, whose slope at 0 would be lost.
    never_positive = xp.where(x >= 0, -x, x)
    decay = xp.exp(never_positive)
    numerators = xp.where(x >= 0, 1.0, decay)
    output = numerators / (1.0 + decay)
    return output


@equation(
    title="Sigmoid linear unit",
    sentence="Each number is multiplied by its own logistic function: large ones pass, very negative ones vanish.",
    latex=r"\operatorname{SiLU}(x) = x\,\sigma(x) = \frac{x}{1 + e^{-x}}",
    shapes={"x": "...", "result": "..."},
    symbols={"x": "x", "gates": r"\sigma(x)", "output": r"\operatorname{SiLU}(x)"},
    source="Elfwing, Uchibe and Doya (2018), section 2; called Swish by Ramachandran, Zoph and Le (2017)",
    variants={"slope": "Swish has a factor inside the logistic function; here it is 1."},
)
def silu(x: Array) -> Array:
    """x times the logistic function of x.

    Shapes: x (...), result the same.
    Source: Elfwing, Uchibe and Doya (2018), section 2.
    """
    gates = sigmoid(x)
    output = x * gates
    return output
