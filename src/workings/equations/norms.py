"""Keeping the scale of each token's vector steady: layer normalisation (equation 12) and its shorter kin."""

from workings.equations._arrays import Array, namespace
from workings.equations._description import equation


@equation(
    number=12,
    title="Layer normalisation",
    sentence="Each vector is shifted to mean 0 and scaled to variance 1, then given a learned scale and shift.",
    latex=r"\operatorname{LayerNorm}(\vec{x}) = \gamma \odot \frac{\vec{x} - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta, "
    r"\qquad \mu = \frac{1}{d}\sum_{k=1}^{d} x_k, \qquad \sigma^2 = \frac{1}{d}\sum_{k=1}^{d} (x_k - \mu)^2",
    shapes={"x": "... d", "gain": "d", "bias": "d", "epsilon": "number", "result": "... d"},
    symbols={
        "x": r"\vec{x}",
        "gain": r"\gamma",
        "bias": r"\beta",
        "epsilon": r"\epsilon",
        "mean": r"\mu",
        "centred": r"\vec{x} - \mu",
        "variance": r"\sigma^2",
        "deviation": r"\sqrt{\sigma^2 + \epsilon}",
        "normalised": r"(\vec{x} - \mu) / \sqrt{\sigma^2 + \epsilon}",
        "output": r"\operatorname{LayerNorm}(\vec{x})",
    },
    section="7",
    source="Ba, Kiros and Hinton (2016), section 3",
    variants={
        "variance": "Divided by d. Dividing by d - 1 is another function, and a common mistake.",
        "epsilon": "Stands inside the root, added to the variance. Some code adds it to the root instead.",
    },
)
def layer_norm(x: Array, gain: Array, bias: Array, epsilon: float = 1e-5) -> Array:
    """Normalise each vector to mean 0 and variance 1, then scale and shift it.

    Shapes: x (..., d); gain (d,); bias (d,); result (..., d).
    Source: equation (12).
    """
    xp = namespace(x)
    mean = xp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    deviation = xp.sqrt(variance + epsilon)
    normalised = centred / deviation
    output = gain * normalised + bias
    return output


@equation(
    title="Root-mean-square normalisation",
    sentence="Each vector is divided by the root of the mean of its squares, then given a learned scale.",
    latex=r"\operatorname{RMSNorm}(\vec{x}) = "
    r"\gamma \odot \frac{\vec{x}}{\sqrt{\frac{1}{d}\sum_{k=1}^{d} x_k^2 + \epsilon}}",
    shapes={"x": "... d", "gain": "d", "epsilon": "number", "result": "... d"},
    symbols={
        "x": r"\vec{x}",
        "gain": r"\gamma",
        "epsilon": r"\epsilon",
        "mean_square": r"\frac{1}{d}\sum_k x_k^2",
        "root_mean_square": r"\sqrt{\frac{1}{d}\sum_k x_k^2 + \epsilon}",
        "normalised": r"\vec{x} / \sqrt{\frac{1}{d}\sum_k x_k^2 + \epsilon}",
        "output": r"\operatorname{RMSNorm}(\vec{x})",
    },
    section="7",
    source="Zhang and Sennrich (2019), section 4",
    variants={
        "mean": "The mean is not subtracted, and nothing is added at the end.",
        "epsilon": "Stands inside the root. 1e-6 as in T5 and the first Llama; later Llamas use 1e-5.",
    },
)
def rms_norm(x: Array, gain: Array, epsilon: float = 1e-6) -> Array:
    """Divide each vector by its root mean square, then scale it.

    Shapes: x (..., d); gain (d,); result (..., d).
    Source: Zhang and Sennrich (2019), section 4.
    """
    xp = namespace(x)
    mean_square = xp.mean(x * x, axis=-1, keepdims=True)
    root_mean_square = xp.sqrt(mean_square + epsilon)
    normalised = x / root_mean_square
    output = gain * normalised
    return output
