"""The decoder block, with its mask (13) and its cross-attention (14), normalised after or before its sub-layers."""

from workings.equations._arrays import Array
from workings.equations._description import equation
from workings.equations.block_weights import DecoderBlockWeights
from workings.equations.encoder_blocks import POST_NORM, PRE_NORM, PRE_NORM_SOURCE
from workings.equations.heads import multi_head
from workings.equations.networks import feed_forward
from workings.equations.norms import layer_norm

SHAPES = {
    "Y": "... t d",
    "memory": "... s m",
    "block": "weights",
    "mask": "... t t",
    "memory_mask": "... t s",
    "result": "... t d",
}
MASK = "Required: a decoder that sees later tokens reads the answer. causal_mask makes it."


@equation(
    number=(11, 13, 14),
    title="Decoder block, post-norm",
    sentence="The tokens written so far exchange information, ask the memory, and are transformed one by one; each "
    "time the result is added to what came in and normalised.",
    latex=r"\begin{aligned} Y' &= \operatorname{LayerNorm}\big(Y + \operatorname{MultiHead}_{\text{masked}}(Y)\big) \\ "
    r"Y'' &= \operatorname{LayerNorm}\big(Y' + \operatorname{Cross}(Y', Z)\big) \\ "
    r"Y''' &= \operatorname{LayerNorm}\big(Y'' + \operatorname{FFN}(Y'')\big) \end{aligned}",
    shapes=SHAPES,
    symbols={
        "Y": "Y",
        "memory": "Z",
        "mask": "M",
        "memory_mask": "M_Z",
        "attended": r"\operatorname{MultiHead}_{\text{masked}}(Y)",
        "attended_sum": r"Y + \operatorname{MultiHead}_{\text{masked}}(Y)",
        "after_attention": "Y'",
        "crossed": r"\operatorname{Cross}(Y', Z)",
        "crossed_sum": r"Y' + \operatorname{Cross}(Y', Z)",
        "after_cross": "Y''",
        "transformed": r"\operatorname{FFN}(Y'')",
        "transformed_sum": r"Y'' + \operatorname{FFN}(Y'')",
        "output": "Y'''",
    },
    section="8",
    source="Vaswani et al. (2017), section 3.1",
    variants={"norm": POST_NORM, "mask": MASK},
)
def decoder_block_post(
    Y: Array, memory: Array, block: DecoderBlockWeights, mask: Array, memory_mask: Array | None = None
) -> Array:
    """Masked self-attention, cross-attention and feed-forward, each followed by its residual sum and normalisation.

    Shapes: Y (..., t, d); memory (..., s, m); mask broadcasts to (..., t, t) and memory_mask to (..., t, s);
    result (..., t, d).
    Source: section 8 of the article, with equations (11), (13) and (14).
    """
    attention, attention_norm, cross, cross_norm, network, network_norm = block
    attended = multi_head(Y, attention.heads, attention.W_O, mask)
    attended_sum = Y + attended
    after_attention = layer_norm(attended_sum, attention_norm.gain, attention_norm.bias, attention_norm.epsilon)
    crossed = multi_head(after_attention, cross.heads, cross.W_O, memory_mask, memory)
    crossed_sum = after_attention + crossed
    after_cross = layer_norm(crossed_sum, cross_norm.gain, cross_norm.bias, cross_norm.epsilon)
    transformed = feed_forward(after_cross, network.W_1, network.b_1, network.W_2, network.b_2, network.activation)
    transformed_sum = after_cross + transformed
    output = layer_norm(transformed_sum, network_norm.gain, network_norm.bias, network_norm.epsilon)
    return output


@equation(
    number=(11, 13, 14),
    title="Decoder block, pre-norm",
    sentence="Each of the three sub-layers reads a normalised copy of the tokens and adds its result to the tokens "
    "themselves.",
    latex=r"\begin{aligned} Y' &= Y + \operatorname{MultiHead}_{\text{masked}}\big(\operatorname{LayerNorm}(Y)\big) \\ "
    r"Y'' &= Y' + \operatorname{Cross}\big(\operatorname{LayerNorm}(Y'), Z\big) \\ "
    r"Y''' &= Y'' + \operatorname{FFN}\big(\operatorname{LayerNorm}(Y'')\big) \end{aligned}",
    shapes=SHAPES,
    symbols={
        "Y": "Y",
        "memory": "Z",
        "mask": "M",
        "memory_mask": "M_Z",
        "normalised": r"\operatorname{LayerNorm}(Y)",
        "attended": r"\operatorname{MultiHead}_{\text{masked}}\big(\operatorname{LayerNorm}(Y)\big)",
        "after_attention": "Y'",
        "normalised_attention": r"\operatorname{LayerNorm}(Y')",
        "crossed": r"\operatorname{Cross}\big(\operatorname{LayerNorm}(Y'), Z\big)",
        "after_cross": "Y''",
        "normalised_cross": r"\operatorname{LayerNorm}(Y'')",
        "transformed": r"\operatorname{FFN}\big(\operatorname{LayerNorm}(Y'')\big)",
        "output": "Y'''",
    },
    section="8",
    source=PRE_NORM_SOURCE,
    variants={
        "norm": PRE_NORM,
        "mask": MASK,
        "memory": "Read as it is: the encoder has already normalised its last sum.",
    },
)
def decoder_block_pre(
    Y: Array, memory: Array, block: DecoderBlockWeights, mask: Array, memory_mask: Array | None = None
) -> Array:
    """Masked self-attention, cross-attention and feed-forward, each over normalised tokens and added to them.

    Shapes: Y (..., t, d); memory (..., s, m); mask broadcasts to (..., t, t) and memory_mask to (..., t, s);
    result (..., t, d), not normalised.
    Source: section 8 of the article with the normalisation moved; Xiong et al. (2020), section 3.
    """
    attention, attention_norm, cross, cross_norm, network, network_norm = block
    normalised = layer_norm(Y, attention_norm.gain, attention_norm.bias, attention_norm.epsilon)
    attended = multi_head(normalised, attention.heads, attention.W_O, mask)
    after_attention = Y + attended
    normalised_attention = layer_norm(after_attention, cross_norm.gain, cross_norm.bias, cross_norm.epsilon)
    crossed = multi_head(normalised_attention, cross.heads, cross.W_O, memory_mask, memory)
    after_cross = after_attention + crossed
    normalised_cross = layer_norm(after_cross, network_norm.gain, network_norm.bias, network_norm.epsilon)
    transformed = feed_forward(normalised_cross, network.W_1, network.b_1, network.W_2, network.b_2, network.activation)
    output = after_cross + transformed
    return output
