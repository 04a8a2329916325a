"""What is said about a model, by hand; and measured, against plain PyTorch with one text at a time."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import sacrebleu
import torch
from torch.nn import functional

from workings.generation import Beams, beam_search, quicken
from workings.text import LabelledCorpus, ParallelCorpus, TextCorpus, Tokeniser
from workings.text.ragged import Ragged
from workings.training.evaluation import (
    class_log_probabilities,
    evaluate_classifier,
    perplexity,
    target_perplexity,
    translate,
)
from workings.training.scores import Per, Perplexity, classification_scores, translation_scores
from workings.transformer import (
    Config,
    DecoderOnly,
    Dropout,
    EncoderDecoder,
    EncoderOnly,
    Learned,
    SeparateOutput,
    Sinusoidal,
    TiedOutput,
)
from workings.transformer.models import build

LETTERS = Tokeniser.train("character", ["abc "], spelled=False)  # " " 0, a 1, b 2, c 3; padding, begin, end, unknown


def random_model(seed: int = 1, std: float = 0.7, **choices: Any) -> Any:
    """A tiny model in float64 whose weights are far from their start."""
    config = Config(vocabulary=len(LETTERS), width=8, heads=2, dropout=Dropout(rate=0.5), **choices)
    torch.manual_seed(seed)
    model = build(config).double()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=std)
    return model


def letters(count: int, seed: int = 0) -> str:
    return "".join(np.random.default_rng(seed).choice(list("abc "), count))


def constant_model(probabilities: dict[str, float]) -> DecoderOnly:
    """A model that gives each letter this probability, whatever came before."""
    output = TiedOutput(bias=True)
    config = Config(vocabulary=len(LETTERS), width=4, heads=1, decoder_layers=1, context=3, output=output)
    model = DecoderOnly(config).double()
    with torch.no_grad():
        model.embedding.weight.zero_()
        assert model.output_bias is not None
        model.output_bias.fill_(-1000.0)
        for letter, probability in probabilities.items():
            model.output_bias[LETTERS.encode(letter)[0]] = math.log(probability)
    return model


def test_perplexity_worked_by_hand() -> None:
    # Predicted: b (2 bits), a (1), the space (3), c (3), a (1), a (1) = 11 bits, in two words "ba", "caa".
    model = constant_model({"a": 0.5, "b": 0.25, "c": 0.125, " ": 0.125})
    found = perplexity(model, TextCorpus.of(["aba caa"], LETTERS))
    assert (found.tokens, found.characters, found.words, found.correct, found.unknown) == (6, 6, 2, 3, 0)
    assert found.per_token.bits == pytest.approx(11 / 6, abs=1e-12)
    assert found.per_character.perplexity == pytest.approx(2 ** (11 / 6), abs=1e-12)
    assert found.per_word.bits == pytest.approx(5.5, abs=1e-12)
    assert found.per_word.nats == pytest.approx(5.5 * math.log(2), abs=1e-12)
    assert found.accuracy == 0.5
    assert json.loads(json.dumps(found.to_dict()))["word"]["count"] == 2


def test_what_the_tokeniser_hides_is_counted() -> None:
    tokeniser = Tokeniser.train("word", ["a b"])
    torch.manual_seed(1)
    model = DecoderOnly(Config(vocabulary=len(tokeniser), width=4, heads=1, decoder_layers=1))
    found = perplexity(model, TextCorpus.of(["a b z b y"], tokeniser))
    # Predicted is "b ? b ?".
    assert (found.tokens, found.words, found.characters, found.unknown) == (4, 4, 7, 2)


def test_a_loss_that_no_word_carries_is_infinite() -> None:
    nothing = Perplexity(nats=1.0, tokens=1, characters=1, words=0, correct=0, unknown=0)
    assert nothing.per_word.perplexity == math.inf
    assert Per(1, 800.0).perplexity == math.inf


@pytest.mark.parametrize("stride", [1, 2, 3, 5])
@pytest.mark.parametrize("length", [2, 5, 6, 7, 33])
def test_each_token_is_predicted_once_with_the_context_that_the_stride_leaves(stride: int, length: int) -> None:
    context = 5
    model: DecoderOnly = random_model(decoder_layers=2, context=context, positions=Learned())
    text = letters(length)
    tokens = LETTERS.encode(text)
    # One window after the other, each token from the first window that holds it as a target.
    starts = [*range(0, max(0, length - 1 - context), stride), max(0, length - 1 - context)]
    nats, least = 0.0, context
    with torch.no_grad():
        for place in range(1, length):
            start = next(s for s in starts if place <= s + context)
            least = min(least, place - start) if place > context else least
            logits = model.eval()(torch.tensor([tokens[start:place]]))[0, -1]
            nats -= float(logits.log_softmax(-1)[tokens[place]])
    assert least > context - stride
    model.train()
    told: list[int] = []
    found = perplexity(model, TextCorpus.of([text], LETTERS), stride=stride, tokens=13, on_done=told.append)
    assert found.nats == pytest.approx(nats, rel=1e-12)
    assert found.tokens == sum(told) == length - 1
    assert model.training


def test_settings_that_do_not_fit_are_refused() -> None:
    model = random_model(decoder_layers=1, context=5)
    with pytest.raises(ValueError, match="has 1 token; expected at least 2"):
        perplexity(model, TextCorpus.of(["a"], LETTERS))
    with pytest.raises(ValueError, match="stride is 6; expected from 1 to 5"):
        perplexity(model, TextCorpus.of(["aaa"], LETTERS), stride=6)


def test_a_model_laid_out_for_speed_is_measured_with_its_own_weights() -> None:
    model: DecoderOnly = random_model(decoder_layers=1, context=8).float()
    corpus = TextCorpus.of([letters(100)], LETTERS)
    plain = perplexity(model, corpus)
    assert perplexity(quicken(model, "float32"), corpus).nats == pytest.approx(plain.nats, rel=1e-5)
    narrow = perplexity(quicken(model, "int8"), corpus).nats
    assert narrow != plain.nats
    assert narrow == pytest.approx(plain.nats, rel=0.2)
    # The scores of words too are those of the quick model, which here says nothing.
    silent = quicken(model, "float32")
    setattr(silent, "logits", lambda states: states.new_zeros(len(states), len(LETTERS)))  # noqa: B010
    assert perplexity(silent, corpus).per_token.perplexity == pytest.approx(len(LETTERS), rel=1e-6)


PAIRS = [("ab c", "ca"), ("b", "a b a"), ("cc", "b"), ("abcabc", "c a")]


def test_targets_of_an_encoder_decoder_against_one_pair_at_a_time() -> None:
    model: EncoderDecoder = random_model(encoder_layers=1, decoder_layers=1, positions=Sinusoidal())
    nats, correct = 0.0, 0
    with torch.no_grad():
        for source, target in PAIRS:
            read = torch.tensor([[*LETTERS.encode(source), LETTERS.end]])
            wanted = torch.tensor([*LETTERS.encode(target), LETTERS.end])
            logits = model.eval()(read, torch.tensor([[LETTERS.begin, *LETTERS.encode(target)]]))[0]
            nats += float(functional.cross_entropy(logits, wanted, reduction="sum"))
            correct += int((logits.argmax(-1) == wanted).sum())
    found = target_perplexity(model, ParallelCorpus.of(PAIRS, LETTERS), tokens=14)
    assert found.nats == pytest.approx(nats, rel=1e-12)
    # "ca", "a b a", "b", "c a": 11 letters and spaces, and four ends.
    assert (found.tokens, found.characters, found.words, found.unknown) == (15, 11, 7, 0)
    assert found.correct == correct


@pytest.mark.parametrize("beams", [None, Beams(count=3)])
def test_translations_are_those_of_each_text_alone(beams: Beams | None) -> None:
    model: EncoderDecoder = random_model(16, 1.5, encoder_layers=2, decoder_layers=2, output=SeparateOutput())
    texts = [letters(length, seed=length) for length in (9, 1, 4, 0, 7, 7, 2)]
    expected, open_ends = [], 0
    for text in texts:
        source = [*LETTERS.encode(text), LETTERS.end]
        if beams is None:
            wanted, ended = greedily(model, source, 12)
        else:
            begin, end, never = LETTERS.begin, LETTERS.end, [4, 5, 7]
            [[best]] = beam_search(model, [[begin]], [end], beams, sources=[source], length=12, never=never)
            wanted, ended = best.tokens, best.ended
        expected.append(LETTERS.decode(wanted))
        open_ends += not ended
    told: list[int] = []
    found = translate(model, texts, LETTERS, beams=beams, length=12, tokens=30, on_done=told.append)
    assert found.texts == expected
    assert len(set(expected)) > 2
    assert (found.cut, found.unfinished, sum(told)) == (0, open_ends, len(texts))


def greedily(model: EncoderDecoder, source: list[int], length: int) -> tuple[list[int], bool]:
    written = [LETTERS.begin]
    with torch.no_grad():
        while len(written) <= length:
            logits = model.eval()(torch.tensor([source]), torch.tensor([written]))[0, -1]
            logits[[4, 5, 7]] = -math.inf  # padding, begin and unknown are never written
            token = int(logits.argmax())
            if token == LETTERS.end:
                return written[1:], True
            written.append(token)
    return written[1:], False


def test_sources_longer_than_the_positions_are_cut_and_counted() -> None:
    model: EncoderDecoder = random_model(encoder_layers=1, decoder_layers=1, positions=Learned(), context=6)
    both = translate(model, ["abcab", "abcabcabc"], LETTERS)
    assert both.texts[0] == both.texts[1]
    assert both.cut == 1
    assert translate(model, [], LETTERS).texts == []


def test_bleu_worked_by_hand() -> None:
    # 5 words for 6; of 1, 2, 3 and 4 words 5/5, 3/4, 2/3 and 1/2 are found: e^(1 - 6/5) · (1/4)^(1/4).
    found = translation_scores(["the cat sat on mat"], ["the cat sat on the mat"])
    assert found.bleu == pytest.approx(100 * math.exp(-0.2) * 0.25**0.25, abs=1e-9)
    assert found.precisions == pytest.approx((100, 75, 200 / 3, 50))
    assert found.brevity_penalty == pytest.approx(math.exp(-0.2))
    assert found.length_ratio == pytest.approx(5 / 6)
    assert (found.sentences, found.exact) == (1, 0)


def test_scores_are_those_of_sacrebleu() -> None:
    hypotheses = ["A man rides a horse.", "Two dogs, running.", "", "A girl in a red dress is dancing on the stage ."]
    references = ["A man is riding a horse.", "Two dogs are running.", "Snow.", "A girl in red dances on a stage."]
    found = translation_scores(hypotheses, references)
    assert found.bleu == sacrebleu.corpus_bleu(hypotheses, [references]).score
    assert found.chrf == sacrebleu.corpus_chrf(hypotheses, [references]).score
    assert found.bleu_signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert found.chrf_signature.startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:")
    assert translation_scores(references, references).exact == 4
    assert json.loads(json.dumps(found.to_dict()))["sentences"] == 4


def test_translations_without_their_references_are_refused() -> None:
    with pytest.raises(ValueError, match="2 translations and 1 references"):
        translation_scores(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="0 translations"):
        translation_scores([], [])


def test_classes_worked_by_hand() -> None:
    found = classification_scores([0, 0, 0, 1, 1, 2, 0], [0, 0, 1, 1, 0, 1, 0], ["good", "bad", "dull", "lost"])
    assert found.confusion == ((3, 1, 0, 0), (1, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0))
    good, bad, dull, lost = found.classes
    assert (good.precision, good.recall, good.f1) == (3 / 4, 3 / 4, 3 / 4)
    assert (bad.precision, bad.recall, bad.f1) == (1 / 3, 1 / 2, 2 / 5)
    assert (dull.precision, dull.recall, dull.f1) == (0.0, 0.0, 0.0)
    assert (lost.precision, lost.recall, lost.f1) == (0.0, 0.0, None)
    assert (found.texts, found.accuracy, found.majority) == (7, 4 / 7, 4 / 7)
    assert found.macro_f1 == pytest.approx((0.75 + 0.4 + 0.0) / 3)
    assert json.loads(json.dumps(found.to_dict()))["classes"][1]["support"] == 2


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one prediction for each"):
        classification_scores([0, 1], [0], ["x", "y"])
    with pytest.raises(ValueError, match="one prediction for each"):
        classification_scores([], [], ["x", "y"])
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        classification_scores([0, 2], [0, 0], ["x", "y"])


def labelled(texts: list[str], labels: list[int], names: tuple[str, ...]) -> LabelledCorpus:
    ragged = Ragged.of([LETTERS.encode(text) for text in texts], len(LETTERS))
    return LabelledCorpus(ragged, np.array(labels), names, LETTERS)


def test_a_classifier_against_one_text_at_a_time() -> None:
    model: EncoderOnly = random_model(encoder_layers=1, classes=3)
    texts, labels = [letters(length, length) for length in (5, 1, 8, 3, 3, 6)], [0, 2, 1, 1, 0, 2]
    corpus = labelled(texts, labels, ("x", "y", "z"))
    rows = []
    with torch.no_grad():
        for text in texts:
            rows.append(model.eval()(torch.tensor([[LETTERS.begin, *LETTERS.encode(text), LETTERS.end]]))[0])
    scores = torch.stack(rows)
    np.testing.assert_allclose(class_log_probabilities(model, corpus, tokens=14), scores.log_softmax(-1), rtol=1e-12)
    found = evaluate_classifier(model, corpus, tokens=14)
    assert found.loss == pytest.approx(float(functional.cross_entropy(scores, torch.tensor(labels))), rel=1e-12)
    assert found.accuracy == float((scores.argmax(-1) == torch.tensor(labels)).double().mean())
    with pytest.raises(ValueError, match="2 labels; expected 3"):
        evaluate_classifier(model, labelled(texts, [0] * 6, ("x", "y")))
