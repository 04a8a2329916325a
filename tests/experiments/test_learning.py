"""The experiments that learn: their texts against counted neighbours, their measures against PyTorch's own."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch.nn import functional  # noqa: E402 - after the check that PyTorch is there

from workings.experiments import lining_up, neighbours  # noqa: E402

from .support import counter_check, failing, outcome, value  # noqa: E402

# -- section 1 --------------------------------------------------------------------------------------------------------


def counted(text):
    """Vectors without any training: how much more often each word stands beside another than by chance, by logarithm.

    Levy and Goldberg (2014): what skip-gram factorises.
    """
    words = text.split()
    names = sorted(set(words))
    together, alone = Counter(), Counter(words)
    for apart in (1, 2, 3):
        for pair in zip(words, words[apart:], strict=False):
            together[pair] += 1
            together[pair[::-1]] += 1
    total = together.total()
    table = np.array(
        [
            [
                max(0.0, np.log(max(together[one, other], 1e-9) * len(words) ** 2 / total / alone[one] / alone[other]))
                for other in names
            ]
            for one in names
        ]
    )
    vectors = table / np.linalg.norm(table, axis=1, keepdims=True)
    return dict(zip(names, vectors, strict=True))


def test_neighbours():
    assert outcome("neighbours").holds, failing(outcome("neighbours"))
    found = neighbours._learned(False)
    vectors = {word: np.asarray(found.vector(word)) for word in neighbours._WORDS}

    def cosine(one, other):
        return one @ other / np.linalg.norm(one) / np.linalg.norm(other)

    assert value(outcome("neighbours"), "smaller cosine") == pytest.approx(
        min(cosine(vectors["cat"], vectors["dog"]), cosine(vectors["car"], vectors["bus"]))
    )
    assert value(outcome("neighbours"), "of the two steps") == pytest.approx(
        cosine(vectors["queen"] - vectors["king"], vectors["woman"] - vectors["man"])
    )
    assert "king − man + woman is nearest to queen" in failing(counter_check("neighbours"))


def test_counting_neighbours_says_the_same_of_the_text():
    vectors = counted(neighbours._text(False))
    assert vectors["cat"] @ vectors["dog"] > 2 * (vectors["cat"] @ vectors["car"])
    wanted = vectors["king"] - vectors["man"] + vectors["woman"]
    others = {word: vector for word, vector in vectors.items() if word not in ("king", "man", "woman")}
    assert max(others, key=lambda word: float(others[word] @ wanted)) == "queen"


def test_the_shuffled_text_has_the_same_words():
    plain, shuffled = (neighbours._text(mixed).split() for mixed in (False, True))
    assert Counter(plain) == Counter(shuffled)
    assert list(pairwise(plain)) != list(pairwise(shuffled))


# -- section 4 --------------------------------------------------------------------------------------------------------


def test_lining_up():
    assert outcome("lining-up").holds, failing(outcome("lining-up"))
    assert value(outcome("lining-up"), "before training, of four") == pytest.approx(0.25, abs=0.02)
    # Where no key helps, the best there is is to guess among the four.
    assert value(counter_check("lining-up"), "loss after") == pytest.approx(np.log(4), abs=0.15)
    assert failing(counter_check("lining-up"))


def test_what_is_looked_up_is_pytorchs_attention():
    torch.manual_seed(2)
    names, weights = torch.randn(10, 12).double(), [torch.randn(12, 12).double() for _ in range(2)]
    texts = lining_up._draw(50, unrelated=False)
    queries, keys, likely = lining_up._looked_up(texts, names, weights)
    answers = torch.eye(4).double().expand(50, 4, 4)
    torch.testing.assert_close(likely[:, None], functional.scaled_dot_product_attention(queries, keys, answers))
    for text in range(50):
        asked = names[texts.names[text, texts.asked[text]]]
        torch.testing.assert_close(queries[text, 0], asked @ weights[0])
        assert len(set(texts.names[text].tolist())) == 4
    weight, cosine, loss = lining_up._measured(texts, names, weights)
    helpful, rows = keys[range(50), texts.asked], likely[range(50), texts.asked]
    assert weight == pytest.approx(float(rows.mean()))
    assert cosine == pytest.approx(float(functional.cosine_similarity(queries[:, 0], helpful, dim=1).mean()))
    assert loss == pytest.approx(float(functional.nll_loss(likely.log(), texts.answer)))


def test_nothing_of_the_answers_says_where_to_look_in_the_counter_check():
    texts = lining_up._draw(20_000, unrelated=True)
    assert float((texts.answer == texts.asked).double().mean()) == pytest.approx(0.25, abs=0.02)
