"""Greedy text, drawn text's distribution and beams against the transformers library, with weights copied."""

from __future__ import annotations

from typing import Any

import pytest
import torch

transformers: Any = pytest.importorskip("transformers", reason="compares with the transformers library: install it")

from tests.transformer.support import strong, tokens  # noqa: E402 - after the skip
from tests.transformer.test_transformers_library import GPT2, copy, t5_layout  # noqa: E402

from workings.generation import GREEDY, Beams, beam_search, generate, quicken  # noqa: E402
from workings.transformer import (  # noqa: E402
    Biases,
    Config,
    DecoderOnly,
    DotProduct,
    EncoderDecoder,
    Gelu,
    Learned,
    RelativeBuckets,
    Relu,
    RMSNorm,
    TiedOutput,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def gpt2() -> tuple[Any, DecoderOnly]:
    sizes = {"vocab_size": 211, "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 64}
    torch.manual_seed(0)
    theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0)).eval()
    config = Config(
        vocabulary=211, width=64, heads=4, decoder_layers=2, context=64, positions=Learned(), feed_forward=Gelu("tanh")
    )
    ours = DecoderOnly(config)
    copy(ours, theirs, GPT2, transposed=True)
    return theirs, ours


@pytest.mark.parametrize("rows", [1, 3])
def test_greedy_text_in_float32(rows: int) -> None:
    theirs, ours = gpt2()
    batch = tokens(rows, 9, vocabulary=211)
    options = {"do_sample": False, "eos_token_id": None, "attention_mask": torch.ones_like(batch), "pad_token_id": 0}
    with torch.no_grad():
        expected = theirs.generate(batch, max_new_tokens=50, **options)[:, 9:].tolist()
    for model in (ours, quicken(ours, "float32", rows)):
        found = generate(model, batch.tolist(), GREEDY, length=50)
        assert [row.tokens for row in found] == expected
        assert min(row.margin for row in found) > 1e-5


def t5() -> tuple[Any, EncoderDecoder]:
    theirs = strong(
        transformers.T5ForConditionalGeneration(
            transformers.T5Config(
                vocab_size=13,
                d_model=12,
                d_kv=3,
                num_heads=6,
                d_ff=7,
                num_layers=2,
                relative_attention_num_buckets=8,
                relative_attention_max_distance=6,
                decoder_start_token_id=1,
                eos_token_id=0,
                pad_token_id=2,
            )
        ),
        deviation=0.3,
    )
    config = Config(
        vocabulary=13,
        width=12,
        heads=6,
        head_width=3,
        inner_width=7,
        encoder_layers=2,
        decoder_layers=2,
        positions=RelativeBuckets(buckets=8, furthest=6),
        norm=RMSNorm(epsilon=1e-6),
        feed_forward=Relu(),
        score=DotProduct(scale=1.0),
        biases=Biases.none(),
        output=TiedOutput(scale=12**-0.5),
    )
    ours = EncoderDecoder(config).double()
    copy(ours, theirs, t5_layout(False))
    return theirs, ours


@pytest.mark.parametrize("count", [1, 2, 4])
def test_beams(count: int) -> None:
    """With penalty 0, where both libraries mean the same: the score is the log probability."""
    theirs, ours = t5()
    source = tokens(4, 7)
    with torch.no_grad():
        expected = theirs.generate(
            source,
            attention_mask=torch.ones_like(source),
            num_beams=count,
            num_return_sequences=count,
            length_penalty=0.0,
            early_stopping=True,
            max_new_tokens=6,
            do_sample=False,
            return_dict_in_generate=True,
            output_scores=True,
        )
    found = beam_search(
        ours, [[1]] * 4, [0], Beams(count=count, alpha=0.0), sources=source.tolist(), best=count, length=6
    )
    texts = [each.tokens + [0] * each.ended for row in found for each in row]
    assert texts == [[token for token in row[1:] if token != 2] for row in expected.sequences.tolist()]
    if count > 1:
        scores = torch.tensor([each.score for row in found for each in row])
        torch.testing.assert_close(scores, expected.sequences_scores.float(), rtol=1e-5, atol=1e-5)
