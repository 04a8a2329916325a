"""The feed-forward networks of a block, applied to each token on its own."""

from collections.abc import Callable
from typing import TypeAlias

from workings.equations._arrays import Array, namespace
from workings.equations._description import equation
from workings.equations.activations import relu, silu

Activation: TypeAlias = Callable[[Array], Array]
"""A function of each number on its own: `relu`, `gelu`, `gelu_tanh`, `silu`."""


@equation(
    title="Feed-forward network",
    sentence="Each token passes alone through two layers: widened, bent by the activation, and brought back.",
    latex=r"\operatorname{FFN}(\vec{x}) = W_2 \max(0, W_1\vec{x} + \vec{b}_1) + \vec{b}_2",
    shapes={
        "x": "... d",
        "W_1": "f d",
        "b_1": "f",
        "W_2": "d f",
        "b_2": "d",
        "activation": "function",
        "result": "... d",
    },
    symbols={
        "x": r"\vec{x}",
        "W_1": "W_1",
        "b_1": r"\vec{b}_1",
        "W_2": "W_2",
        "b_2": r"\vec{b}_2",
        "projected": r"W_1\vec{x} + \vec{b}_1",
        "hidden": r"\max(0, W_1\vec{x} + \vec{b}_1)",
        "output": r"\operatorname{FFN}(\vec{x})",
    },
    section="7",
    source="Vaswani et al. (2017), section 3.3",
    variants={
        "activation": "ReLU in the paper; GELU by the error function in BERT, by tanh in GPT-2.",
        "orientation": "The matrices stand to the left of the vector (out × in), as the article writes them and as "
        "nn.Linear keeps them.",
        "width": "The inner width f is 4d in the paper.",
    },
)
def feed_forward(x: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array, activation: Activation = relu) -> Array:
    """Two layers with an activation between them, for each vector on its own.

    Shapes: x (..., d); W_1 (f, d); b_1 (f,); W_2 (d, f); b_2 (d,); result (..., d).
    Source: section 7 of the article; Vaswani et al. (2017), section 3.3.
    """
    xp = namespace(x)
    projected = x @ xp.matrix_transpose(W_1) + b_1
    hidden = activation(projected)
    output = hidden @ xp.matrix_transpose(W_2) + b_2
    return output


@equation(
    title="Feed-forward network with SwiGLU",
    sentence="One layer widens the token, a second decides how much of each widened number passes, a third narrows it.",
    latex=r"\operatorname{FFN}(\vec{x}) = W_{\text{down}}\left(\operatorname{SiLU}(W_{\text{gate}}\vec{x}) \odot "
    r"W_{\text{up}}\vec{x}\right)",
    shapes={"x": "... d", "W_gate": "f d", "W_up": "f d", "W_down": "d f", "result": "... d"},
    symbols={
        "x": r"\vec{x}",
        "W_gate": r"W_{\text{gate}}",
        "W_up": r"W_{\text{up}}",
        "W_down": r"W_{\text{down}}",
        "gates": r"\operatorname{SiLU}(W_{\text{gate}}\vec{x})",
        "widened": r"W_{\text{up}}\vec{x}",
        "hidden": r"\operatorname{SiLU}(W_{\text{gate}}\vec{x}) \odot W_{\text{up}}\vec{x}",
        "output": r"\operatorname{FFN}(\vec{x})",
    },
    source="Shazeer (2020), section 2",
    variants={
        "bias": "None, as in the paper and in Llama.",
        "orientation": "The matrices stand to the left of the vector (out × in); the paper writes them to the right.",
    },
)
def swiglu_feed_forward(x: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    """Two layers side by side, one gating the other, and a third that brings the width back.

    Shapes: x (..., d); W_gate (f, d); W_up (f, d); W_down (d, f); result (..., d).
    Source: Shazeer (2020), section 2.
    """
    xp = namespace(x)
    gates = silu(x @ xp.matrix_transpose(W_gate))
    widened = x @ xp.matrix_transpose(W_up)
    hidden = gates * widened
    output = hidden @ xp.matrix_transpose(W_down)
    return output
