"""The encoder block (equation 11), with normalisation after or before its sub-layers."""

from workings.equations._arrays import Array
from workings.equations._description import equation
from workings.equations.block_weights import EncoderBlockWeights
from workings.equations.heads import multi_head
from workings.equations.networks import feed_forward
from workings.equations.norms import layer_norm

SHAPES = {"X": "... L d", "block": "weights", "mask": "... L L", "result": "... L d"}
PRE_NORM_SOURCE = "Xiong et al. (2020), section 3"
POST_NORM = "After each residual sum, as in 2017: the output of a block is normalised."
PRE_NORM = "Before each sub-layer, as in GPT-2: the sum of a stack is normalised once more after its last block."


@equation(
    number=11,
    title="Encoder block, post-norm",
    sentence="The tokens exchange information, then each is transformed alone; both times the result is added to what "
    "came in and normalised.",
    latex=r"\begin{aligned} X' &= \operatorname{LayerNorm}\big(X + \operatorname{MultiHead}(X)\big) \\ "
    r"Z &= \operatorname{LayerNorm}\big(X' + \operatorname{FFN}(X')\big) \end{aligned}",
    shapes=SHAPES,
    symbols={
        "X": "X",
        "mask": "M",
        "attended": "A",
        "attended_sum": "X + A",
        "between": "X'",
        "transformed": "F",
        "transformed_sum": "X' + F",
        "output": "Z",
    },
    section="7",
    source="Vaswani et al. (2017), section 3.1",
    variants={"norm": POST_NORM},
)
def encoder_block_post(X: Array, block: EncoderBlockWeights, mask: Array | None = None) -> Array:
    """Self-attention and feed-forward, each followed by its residual sum and normalisation.

    Shapes: X (..., L, d); mask broadcasts to (..., L, L); result (..., L, d).
    Source: equation (11).
    """
    attention, attention_norm, network, network_norm = block
    attended = multi_head(X, attention.heads, attention.W_O, mask)
    attended_sum = X + attended
    between = layer_norm(attended_sum, attention_norm.gain, attention_norm.bias, attention_norm.epsilon)
    transformed = feed_forward(between, network.W_1, network.b_1, network.W_2, network.b_2, network.activation)
    transformed_sum = between + transformed
    output = layer_norm(transformed_sum, network_norm.gain, network_norm.bias, network_norm.epsilon)
    return output


@equation(
    number=11,
    title="Encoder block, pre-norm",
    sentence="Each sub-layer reads a normalised copy of the tokens and adds its result to the tokens themselves.",
    latex=r"\begin{aligned} X' &= X + \operatorname{MultiHead}\big(\operatorname{LayerNorm}(X)\big) \\ "
    r"Z &= X' + \operatorname{FFN}\big(\operatorname{LayerNorm}(X')\big) \end{aligned}",
    shapes=SHAPES,
    symbols={
        "X": "X",
        "mask": "M",
        "normalised": r"\operatorname{LayerNorm}(X)",
        "attended": "A",
        "between": "X'",
        "normalised_between": r"\operatorname{LayerNorm}(X')",
        "transformed": "F",
        "output": "Z",
    },
    section="7",
    source=PRE_NORM_SOURCE,
    variants={"norm": PRE_NORM},
)
def encoder_block_pre(X: Array, block: EncoderBlockWeights, mask: Array | None = None) -> Array:
    """Self-attention and feed-forward, each over normalised tokens and added to the tokens themselves.

    Shapes: X (..., L, d); mask broadcasts to (..., L, L); result (..., L, d), not normalised.
    Source: equation (11) with the normalisation moved; Xiong et al. (2020), section 3.
    """
    attention, attention_norm, network, network_norm = block
    normalised = layer_norm(X, attention_norm.gain, attention_norm.bias, attention_norm.epsilon)
    attended = multi_head(normalised, attention.heads, attention.W_O, mask)
    between = X + attended
    normalised_between = layer_norm(between, network_norm.gain, network_norm.bias, network_norm.epsilon)
    transformed = feed_forward(
        normalised_between, network.W_1, network.b_1, network.W_2, network.b_2, network.activation
    )
    output = between + transformed
    return output
