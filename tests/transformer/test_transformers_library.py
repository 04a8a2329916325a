"""Against tiny random models of the transformers library, with their weights copied, in float64.

Each layout is a table: our name, and their names whose matrices stand below one another in ours. `{}` is the layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.transformer.support import strong, tokens
from torch import Tensor

from workings import equations
from workings.transformer import (
    GEGLU,
    Biases,
    Config,
    DecoderOnly,
    DotProduct,
    EncoderDecoder,
    EncoderOnly,
    Gelu,
    LinearScaling,
    LlamaScaling,
    PostNorm,
    RelativeBuckets,
    Relu,
    RMSNorm,
    Rotary,
    SeparateOutput,
    Sinusoidal,
    SwiGLU,
    TiedOutput,
    bert_base_shape,
    cost_of,
    gpt2_small_shape,
    llama_7b_shape,
)
from workings.transformer.presets import PRESETS

transformers: Any = pytest.importorskip("transformers", reason="compares with the transformers library: install it")
pytestmark = pytest.mark.filterwarnings("ignore")

FLOAT64 = 1e-10
FLOAT32_INSIDE = 1e-5
"""Llama's angles and T5's and Llama's root mean squares are computed in float32 whatever the dtype of the model."""

LAYERS, LENGTHS = 2, torch.tensor([7, 3, 5])
SIZES: dict[str, Any] = {"vocabulary": 13, "width": 12, "heads": 6, "context": 11, "inner_width": 7}
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

Layout = dict[str, str | tuple[str, ...]]

GPT2: Layout = {
    "embedding.weight": "transformer.wte.weight",
    "stack.positions.weight": "transformer.wpe.weight",
    "stack.norm": "transformer.ln_f",
    "stack.blocks.{}.attention_norm": "transformer.h.{}.ln_1",
    "stack.blocks.{}.attention.projections": "transformer.h.{}.attn.c_attn",
    "stack.blocks.{}.attention.output": "transformer.h.{}.attn.c_proj",
    "stack.blocks.{}.feed_forward_norm": "transformer.h.{}.ln_2",
    "stack.blocks.{}.feed_forward.widen": "transformer.h.{}.mlp.c_fc",
    "stack.blocks.{}.feed_forward.narrow": "transformer.h.{}.mlp.c_proj",
}
LLAMA: Layout = {
    "embedding.weight": "model.embed_tokens.weight",
    "output.weight": "lm_head.weight",
    "stack.norm": "model.norm",
    "stack.blocks.{}.attention_norm": "model.layers.{}.input_layernorm",
    "stack.blocks.{}.attention.projections": tuple(f"model.layers.{{}}.self_attn.{part}_proj" for part in "qkv"),
    "stack.blocks.{}.attention.output": "model.layers.{}.self_attn.o_proj",
    "stack.blocks.{}.feed_forward_norm": "model.layers.{}.post_attention_layernorm",
    "stack.blocks.{}.feed_forward.widen": ("model.layers.{}.mlp.gate_proj", "model.layers.{}.mlp.up_proj"),
    "stack.blocks.{}.feed_forward.narrow": "model.layers.{}.mlp.down_proj",
}
BERT_LAYER = "encoder.layer.{}."
BERT: Layout = {
    "embedding.weight": "embeddings.word_embeddings.weight",
    "stack.positions.weight": "embeddings.position_embeddings.weight",
    "stack.embedding_norm": "embeddings.LayerNorm",
    "stack.blocks.{}.attention.projections": tuple(
        f"{BERT_LAYER}attention.self.{part}" for part in ("query", "key", "value")
    ),
    "stack.blocks.{}.attention.output": BERT_LAYER + "attention.output.dense",
    "stack.blocks.{}.attention_norm": BERT_LAYER + "attention.output.LayerNorm",
    "stack.blocks.{}.feed_forward.widen": BERT_LAYER + "intermediate.dense",
    "stack.blocks.{}.feed_forward.narrow": BERT_LAYER + "output.dense",
    "stack.blocks.{}.feed_forward_norm": BERT_LAYER + "output.LayerNorm",
}


def t5_layout(gated: bool) -> Layout:
    layout: Layout = {"embedding.weight": "shared.weight"}
    for stack, last in (("encoder", 1), ("decoder", 2)):
        ours, theirs = f"{stack}.blocks.{{}}.", f"{stack}.block.{{}}.layer."
        network = f"{theirs}{last}.DenseReluDense."
        layout |= {
            f"{stack}.norm": f"{stack}.final_layer_norm",
            f"{stack}.positions.weight": f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            f"{ours}attention_norm": f"{theirs}0.layer_norm",
            f"{ours}attention.projections": tuple(f"{theirs}0.SelfAttention.{part}" for part in "qkv"),
            f"{ours}attention.output": f"{theirs}0.SelfAttention.o",
            f"{ours}feed_forward_norm": f"{theirs}{last}.layer_norm",
            f"{ours}feed_forward.widen": (f"{network}wi_0", f"{network}wi_1") if gated else f"{network}wi",
            f"{ours}feed_forward.narrow": f"{network}wo",
        }
    asked = "decoder.block.{}.layer.1."
    return layout | {
        "decoder.blocks.{}.cross_attention_norm": f"{asked}layer_norm",
        "decoder.blocks.{}.cross_attention.queries": f"{asked}EncDecAttention.q",
        "decoder.blocks.{}.cross_attention.keys_values": tuple(f"{asked}EncDecAttention.{part}" for part in "kv"),
        "decoder.blocks.{}.cross_attention.output": f"{asked}EncDecAttention.o",
    }


def marian_layout() -> Layout:
    layout: Layout = {"embedding.weight": "model.shared.weight", "output_bias": "final_logits_bias"}
    for stack in ("encoder", "decoder"):
        ours, theirs = f"{stack}.blocks.{{}}.", f"model.{stack}.layers.{{}}."
        layout |= {
            f"{ours}attention.projections": tuple(f"{theirs}self_attn.{part}_proj" for part in "qkv"),
            f"{ours}attention.output": f"{theirs}self_attn.out_proj",
            f"{ours}attention_norm": f"{theirs}self_attn_layer_norm",
            f"{ours}feed_forward.widen": f"{theirs}fc1",
            f"{ours}feed_forward.narrow": f"{theirs}fc2",
            f"{ours}feed_forward_norm": f"{theirs}final_layer_norm",
        }
    asked = "model.decoder.layers.{}.encoder_attn"
    return layout | {
        "decoder.blocks.{}.cross_attention.queries": f"{asked}.q_proj",
        "decoder.blocks.{}.cross_attention.keys_values": (f"{asked}.k_proj", f"{asked}.v_proj"),
        "decoder.blocks.{}.cross_attention.output": f"{asked}.out_proj",
        "decoder.blocks.{}.cross_attention_norm": f"{asked}_layer_norm",
    }


def copy(ours: Any, theirs: Any, layout: Layout, transposed: bool = False) -> None:
    """Give our model their weights; each of ours is given exactly once."""
    named = dict(ours.named_parameters())
    held = theirs.state_dict(keep_vars=True)
    given = set()
    for name, rows in layout.items():
        sources = (rows,) if isinstance(rows, str) else rows
        for layer in range(LAYERS if "{}" in name else 1):
            for kind in (".weight", ".bias"):
                mine, their = name.format(layer), [source.format(layer) for source in sources]
                if mine not in named:
                    mine, their = mine + kind, [source + kind for source in their]
                if mine in given or mine not in named:
                    continue
                weight = torch.cat([held[source] for source in their])
                weight = weight.T if transposed and "blocks" in mine and weight.dim() == 2 else weight
                with torch.no_grad():
                    named[mine].copy_(weight.reshape(named[mine].shape))
                given.add(mine)
    assert given == named.keys()


def padded() -> Tensor:
    return (torch.arange(7) < LENGTHS[:, None]).long()


def close(found: Tensor, expected: Tensor, lengths: Tensor | None = None, tolerance: float = FLOAT64) -> None:
    for row in range(len(found)):
        end = None if lengths is None else int(lengths[row])
        torch.testing.assert_close(found[row, :end], expected[row, :end], rtol=tolerance, atol=tolerance)


def gpt2() -> tuple[Any, DecoderOnly]:
    theirs = strong(
        transformers.GPT2LMHeadModel(
            transformers.GPT2Config(
                vocab_size=13, n_embd=12, n_head=6, n_layer=LAYERS, n_positions=11, n_inner=7, **IDS
            )
        )
    )
    ours = DecoderOnly(replace(gpt2_small_shape(), **SIZES, decoder_layers=LAYERS)).double()
    copy(ours, theirs, GPT2, transposed=True)
    return theirs, ours


def test_gpt2() -> None:
    theirs, ours = gpt2()
    batch = tokens(3, 7)
    found, expected = ours(batch), theirs(batch).logits
    close(found, expected)
    (mine,) = torch.autograd.grad(found.logsumexp(dim=-1).sum(), [ours.embedding.weight])
    (their,) = torch.autograd.grad(expected.logsumexp(dim=-1).sum(), [theirs.transformer.wte.weight])
    torch.testing.assert_close(mine, their, rtol=1e-10, atol=1e-10)


def test_gpt2_writes_the_same() -> None:
    theirs, ours = gpt2()
    batch = tokens(3, 4)
    with torch.no_grad():
        expected = theirs.generate(
            batch, attention_mask=torch.ones_like(batch), max_new_tokens=6, do_sample=False, eos_token_id=None
        )
        cache, new = ours.cache(3, 10), batch
        for _ in range(6):
            new = ours(new, cache=cache)[:, -1:].argmax(dim=-1)
            batch = torch.cat([batch, new], dim=1)
    assert batch.tolist() == expected.tolist()


ROPES: dict[str, tuple[Rotary, dict[str, Any]]] = {
    "plain": (Rotary(base=50.0), {"rope_type": "default", "rope_theta": 50.0}),
    "linear": (
        Rotary(base=50.0, scaling=LinearScaling(3.0)),
        {"rope_type": "linear", "rope_theta": 50.0, "factor": 3.0},
    ),
    "llama": (
        Rotary(base=50.0, scaling=LlamaScaling(factor=4.0, slow=1.0, fast=2.5, trained_context=20)),
        {
            "rope_type": "llama3",
            "rope_theta": 50.0,
            "factor": 4.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 2.5,
            "original_max_position_embeddings": 20,
        },
    ),
}


@pytest.mark.parametrize("rope", ROPES)
@pytest.mark.parametrize("window", [None, 3])
def test_llama_and_mistral(rope: str, window: int | None) -> None:
    choice, parameters = ROPES[rope]
    sizes = {
        "vocab_size": 13,
        "hidden_size": 24,
        "intermediate_size": 7,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rms_norm_eps": 1e-3,
        "max_position_embeddings": 11,
        "rope_parameters": parameters,
        "tie_word_embeddings": False,
        **IDS,
    }
    if window is None:
        theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes))
    else:
        theirs = transformers.MistralForCausalLM(transformers.MistralConfig(**sizes, sliding_window=window))
    strong(theirs, deviation=0.2)
    ours = DecoderOnly(
        Config(
            vocabulary=13,
            width=24,
            heads=4,
            key_value_heads=2,
            head_width=8,
            inner_width=7,
            decoder_layers=LAYERS,
            positions=choice,
            norm=RMSNorm(epsilon=1e-3),
            feed_forward=SwiGLU(),
            biases=Biases.none(),
            output=SeparateOutput(),
            window=window,
        )
    ).double()
    copy(ours, theirs, LLAMA)
    batch = tokens(3, 7)
    close(ours(batch), theirs(batch).logits, tolerance=FLOAT32_INSIDE)


def test_llama() -> None:
    """With all that the library takes for granted of a Llama, as its 7B has it."""
    sizes = {"vocab_size": 13, "hidden_size": 12, "intermediate_size": 7, "num_attention_heads": 6}
    theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, num_hidden_layers=LAYERS, **IDS))
    strong(theirs, deviation=0.2)
    ours = DecoderOnly(replace(llama_7b_shape(), **SIZES, decoder_layers=LAYERS)).double()
    copy(ours, theirs, LLAMA)
    batch = tokens(3, 7)
    close(ours(batch), theirs(batch).logits, tolerance=FLOAT32_INSIDE)


# Of BERT, two vectors of the kinds of text and the layer that pools are theirs alone.
PUBLISHED = {
    "gpt2-small": (transformers.GPT2LMHeadModel, transformers.GPT2Config, 124_439_808, 0),
    "bert-base": (transformers.BertModel, transformers.BertConfig, 109_482_240, 2 * 768 + 768 * 768 + 768),
    "llama-7b": (transformers.LlamaForCausalLM, transformers.LlamaConfig, 6_738_415_616, 0),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sizes(name: str) -> None:
    """What the library makes of its own defaults, without memory for the weights."""
    model, choices, weights, theirs_alone = PUBLISHED[name]
    with torch.device("meta"):
        theirs = model(choices())
    assert sum(parameter.numel() for parameter in theirs.parameters()) == weights
    config, about = PRESETS[name](), theirs.config
    assert cost_of(config, 1).weights == weights - theirs_alone
    layers = config.encoder_layers + config.decoder_layers
    assert (config.vocabulary, config.width, config.heads) == (
        about.vocab_size, about.hidden_size, about.num_attention_heads,
    )  # fmt: skip
    assert (layers, config.context) == (about.num_hidden_layers, about.max_position_embeddings)


def test_bert() -> None:
    theirs = strong(
        transformers.BertModel(
            transformers.BertConfig(
                vocab_size=13,
                hidden_size=12,
                num_attention_heads=6,
                num_hidden_layers=LAYERS,
                intermediate_size=7,
                max_position_embeddings=11,
            ),
            add_pooling_layer=False,
        )
    )
    with torch.no_grad():
        # Every token is of the first type, which is then one more vector added to every position.
        types = theirs.embeddings.token_type_embeddings.weight
        theirs.embeddings.position_embeddings.weight.add_(types[0])
        types.zero_()
    ours = EncoderOnly(replace(bert_base_shape(), **SIZES, encoder_layers=LAYERS)).double().eval()
    copy(ours, theirs, BERT)
    batch = tokens(3, 7)
    expected = theirs(batch, attention_mask=padded()).last_hidden_state
    close(ours.states(batch, LENGTHS), expected, LENGTHS)


@pytest.mark.parametrize("gated", [False, True])
def test_t5(gated: bool) -> None:
    theirs = strong(
        transformers.T5ForConditionalGeneration(
            transformers.T5Config(
                vocab_size=13,
                d_model=12,
                d_kv=3,
                num_heads=6,
                d_ff=7,
                num_layers=LAYERS,
                relative_attention_num_buckets=8,
                relative_attention_max_distance=6,
                feed_forward_proj="gated-gelu" if gated else "relu",
                decoder_start_token_id=0,
            )
        ),
        deviation=0.3,
    )
    ours = EncoderDecoder(
        Config(
            **SIZES,
            head_width=3,
            encoder_layers=LAYERS,
            decoder_layers=LAYERS,
            positions=RelativeBuckets(buckets=8, furthest=6),
            norm=RMSNorm(epsilon=1e-6),
            feed_forward=GEGLU("tanh") if gated else Relu(),
            score=DotProduct(scale=1.0),
            biases=Biases.none(),
            output=TiedOutput(scale=12**-0.5),
        )
    ).double()
    copy(ours, theirs, t5_layout(gated))
    source, target = tokens(3, 7), tokens(3, 6, seed=6)
    expected = theirs(input_ids=source, attention_mask=padded(), decoder_input_ids=target).logits
    close(ours(source, target, LENGTHS), expected, tolerance=FLOAT32_INSIDE)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_marian(activation: str) -> None:
    sides = {
        f"{side}_{key}": value
        for side in ("encoder", "decoder")
        for key, value in {"layers": LAYERS, "attention_heads": 6, "ffn_dim": 7}.items()
    }
    theirs = strong(
        transformers.MarianMTModel(
            transformers.MarianConfig(
                vocab_size=13,
                d_model=12,
                max_position_embeddings=11,
                activation_function=activation,
                scale_embedding=True,
                decoder_start_token_id=0,
                **sides,
                **IDS,
            )
        ),
        deviation=0.3,
    )
    # Their table of sinusoids is a parameter, rounded to float32: here it is the equation's.
    table = equations.sinusoidal_positions(11, 12, torch.zeros(1, dtype=torch.float64), layout="halves")
    with torch.no_grad():
        theirs.model.encoder.embed_positions.weight.copy_(table)
        theirs.model.decoder.embed_positions.weight.copy_(table)
        theirs.final_logits_bias.copy_(torch.linspace(-1.0, 1.0, 13))
    ours = EncoderDecoder(
        Config(
            **SIZES,
            encoder_layers=LAYERS,
            decoder_layers=LAYERS,
            positions=Sinusoidal(layout="halves"),
            placement=PostNorm(),
            feed_forward=Relu() if activation == "relu" else Gelu(),
            output=TiedOutput(bias=True),
            scaled_embeddings=True,
        )
    ).double()
    copy(ours, theirs, marian_layout())
    source, target = tokens(3, 7), tokens(3, 6, seed=6)
    expected = theirs(input_ids=source, attention_mask=padded(), decoder_input_ids=target).logits
    close(ours(source, target, LENGTHS), expected)


@pytest.mark.parametrize("both_sides", [False, True])
def test_buckets(both_sides: bool) -> None:
    """The buckets of T5's own size, at every distance up to far beyond the furthest."""
    from transformers.models.t5.modeling_t5 import T5Attention

    from workings.transformer.positions import relative_buckets

    away = torch.arange(-400, 401)
    expected = T5Attention._relative_position_bucket(away, both_sides, 32, 128)
    assert torch.equal(relative_buckets(away, 32, 128, both_sides), expected)
