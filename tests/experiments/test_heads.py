"""Where trained heads look: against the weights that PyTorch's own calls give, and places marked by hand."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch.nn import functional  # noqa: E402 - after the check that PyTorch is there

from workings.experiments import heads  # noqa: E402
from workings.training.run_directory import RunDirectory  # noqa: E402

from .support import counter_check, failing, outcome, value  # noqa: E402

FLOAT32 = 1e-4


def opened(name):
    run = RunDirectory.open(heads._MODELS / name)
    return run.model(), run.tokeniser()


def looked(monkeypatch, model, *rows):
    """The weights of every attention, (rows, heads, t, s), from what the model gives the fused kernel."""
    found, kernel = [], functional.scaled_dot_product_attention

    def kept(queries, keys, values, attn_mask=None, is_causal=False, **others):
        scores = queries.double() @ keys.double().transpose(-1, -2) / queries.shape[-1] ** 0.5
        if is_causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
        assert attn_mask is None
        found.append(scores.softmax(dim=-1).numpy())
        return kernel(queries, keys, values, attn_mask=attn_mask, is_causal=is_causal, **others)

    with monkeypatch.context() as patch, torch.no_grad():
        patch.setattr(functional, "scaled_dot_product_attention", kept)
        model(*map(torch.tensor, rows))
    return found


def test_heads(monkeypatch):
    found = outcome("heads")
    assert found.holds, failing(found)
    model, cut = opened("bible-en-es")
    before, nouns = [], []
    for text in heads._READ[1::2]:
        tokens = [*cut.encode(text), cut.end]
        first, second, *_ = looked(monkeypatch, model, [tokens], [[cut.begin]])
        before.append(np.mean([second[0, 0, t, t - 1] for t in range(1, len(tokens))]))
        articles = [t for t, piece in enumerate(cut.pieces(tokens)) if piece == " the"]
        nouns.append(np.mean([first[0, 2, t, t + 1] for t in articles]))
    assert "encoder.blocks.1.attention, head 0, gives" in found.happened
    assert value(found, "translator: the token just before") == pytest.approx(np.mean(before), abs=FLOAT32)
    assert "encoder.blocks.0.attention, head 2, gives" in found.happened
    assert value(found, "right behind “the”") == pytest.approx(np.mean(nouns), abs=FLOAT32)


def test_the_name_is_where_it_looks_before_it_writes_it(monkeypatch):
    model, cut = opened("bible-en-es")
    english, spanish = heads._FRAMES[1]
    source = [*cut.encode(english.format("Jacob")), cut.end]
    target = [cut.begin, *cut.encode(spanish)]
    at = cut.pieces(source).index(" Jacob")
    texts, written = heads._to_translate(model, cut, ("Jacob",))
    weights = looked(monkeypatch, model, [source], [target])[-1][0, 2, -1]  # the last layer's look into the source
    ours = texts[1].heads["decoder.blocks.1.cross_attention, head 2"]
    np.testing.assert_allclose(ours[-1], weights, atol=FLOAT32)
    assert weights[at] > 0.9
    with torch.no_grad():
        assert cut.pieces([int(model(torch.tensor([source]), torch.tensor([target]))[0, -1].argmax())]) == [" Jacob"]
    assert written == 3


def test_a_model_of_characters(monkeypatch):
    model, cut = opened("shakespeare")
    lines = [heads._PLAY[at : at + 64] for at in range(64, 384, 128)]
    weights = looked(monkeypatch, model, [cut.encode(line) for line in lines])
    begun = []
    for row, line in enumerate(lines):
        pairs = [(t, max(line.rfind(" ", 0, t), line.rfind("\n", 0, t))) for t in range(64) if line[t] not in " \n"]
        begun.append(np.mean([weights[2][row, 3, t, s] for t, s in pairs if s >= 0]))
    assert value(outcome("heads"), "the space or line break") == pytest.approx(np.mean(begun), abs=FLOAT32)
    before = np.mean([np.diagonal(row[1], -1).mean() for row in weights[1]])
    assert value(outcome("heads"), "characters: the one just before") == pytest.approx(before, abs=FLOAT32)


def test_without_training_no_head_has_a_place():
    found = counter_check("heads")
    assert set(failing(found)) == {measured.label for measured in found.values if measured.relation == "≥"} - {
        "heads of its encoder that give no simple place half of their weight"  # without training, none has a name
    }
    assert value(found, "names of 24") == 0


def test_places_by_hand():
    spread = np.arange(36.0).reshape(6, 6)
    pieces = list("a bc d")
    # b and c look back at the first space, d at the second; nothing stands before a.
    assert heads._where_the_word_began(pieces, spread) == pytest.approx((13 + 19 + 34) / 3)
    # Read twice, abc: from the second a to the first b, from b to c, and from c to the second a.
    assert heads._what_followed(list("abcabc"), spread) == pytest.approx((19 + 26 + 33) / 3)
    assert heads._beside(-1)(pieces, spread) == pytest.approx((6 + 13 + 20 + 27 + 34) / 5)
    assert heads._beside(1)(pieces, spread) == pytest.approx((1 + 8 + 15 + 22 + 29) / 5)
    english = ["In", " the", " day", ",", " the", " great"]
    assert heads._behind_article(english, spread) == pytest.approx((8 + 29) / 2)
    assert heads._behind_others(english, spread) == pytest.approx((1 + 15 + 22) / 3)
    assert heads._past_adjective(english, spread) == 9
    assert heads._to_marks(english, spread) == pytest.approx(spread[:, 3].mean())
    assert heads._to_name([" saw", " Jacob", ".", "", "", ""], spread) == 31


def test_a_head_is_chosen_on_other_texts_than_it_is_weighed_on():
    given = [{"0": 9.0, "1": 1.0}, {"0": 2.0, "1": 5.0}]
    texts = [heads._Text([], {head: np.array([[weight]]) for head, weight in text.items()}) for text in given]
    found = heads._best(texts, lambda _, weights: float(weights[0, 0]))
    assert found == ("0", 2.0)


def test_every_name_is_one_token():
    _, cut = opened("bible-en-es")
    for name in (*heads._SAME, *heads._OTHERWISE):
        assert cut.pieces(cut.encode(f"to {name}."))[-2] == f" {name}"
