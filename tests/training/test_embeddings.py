"""The geometry of a table of vectors made by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from workings.text import Tokeniser
from workings.training.embeddings import Embeddings, Neighbour
from workings.training.errors import TrainingError

# Length counts nowhere: queen is twice as long as it need be, and banana has another direction altogether.
TABLE = {
    "man": [1.0, 0.0, 0.0],
    "woman": [0.0, 1.0, 0.0],
    "king": [3.0, 0.0, 4.0],  # the direction (0.6, 0, 0.8)
    "queen": [0.0, 1.2, 1.6],
    "prince": [0.8, 0.0, 0.6],
    "banana": [-1.0, -1.0, -1.0],
}


def table() -> Embeddings:
    return Embeddings(list(TABLE), torch.tensor(list(TABLE.values())))


def test_nearest_words_worked_by_hand() -> None:
    found = table().nearest("king", 3)
    assert [each.word for each in found] == ["prince", "queen", "man"]
    # 0.6 · 0.8 + 0.8 · 0.6 = 0.96; 0.8 · 0.8 = 0.64; 0.6.
    assert [each.cosine for each in found] == pytest.approx([0.96, 0.64, 0.6])
    assert table().cosine("man", "woman") == 0.0
    assert table().cosine("man", "banana") == pytest.approx(-1 / math.sqrt(3))
    assert len(table().nearest("king", 100)) == 5
    assert table().vector("king").tolist() == [3.0, 0.0, 4.0]


def test_an_analogy_worked_by_hand() -> None:
    # king - man + woman = (0.6 - 1, 1, 0.8), of length √1.8; its cosine with queen's (0, 0.6, 0.8) is 1.24 / √1.8.
    [best] = table().analogy("man", "king", "woman")
    assert best == Neighbour("queen", pytest.approx(1.24 / math.sqrt(1.8)))
    # prince has (-0.32 + 0.48) / √1.8, banana (-0.6 - 0.8) / √5.4: they come after queen, and nothing given does.
    second, third = table().analogy("man", "king", "woman", 10)[1:]
    assert second == Neighbour("prince", pytest.approx(0.16 / math.sqrt(1.8)))
    assert third == Neighbour("banana", pytest.approx(-1.4 / math.sqrt(5.4)))


def test_analogies_are_scored_honestly() -> None:
    questions = [
        ("man", "king", "woman", "queen"),  # right, also with nothing left out: king itself has 0.4 / √1.8
        ("woman", "queen", "man", "king"),  # wrong: prince, with 1.28 / √1.8, is nearer than king, with 1.24 / √1.8
        ("man", "woman", "king", "queen"),  # right as well; nearest to king alone is prince
        (
            "man",
            "woman",
            "prince",
            "king",
        ),  # wrong: that is queen; nearest to prince alone is king
        ("man", "king", "woman", "empress"),
        ["lad", "king", "woman", "empress"],
    ]
    score = table().score_analogies(questions)
    assert (score.asked, score.known, score.right) == (6, 4, 2)
    # The second: among all words prince is the nearest too.
    assert (score.right_among_all, score.right_by_nearness) == (2, 2)
    assert score.unknown == ("empress", "lad")
    assert score.accuracy == 0.5
    assert json.loads(json.dumps(score.to_dict()))["unknown"] == ["empress", "lad"]
    nothing = table().score_analogies([])
    assert (nothing.asked, nothing.accuracy) == (0, 0.0)
    with pytest.raises(ValueError, match="expected four words"):
        table().score_analogies([("man", "king", "woman")])


def test_many_analogies_are_answered_as_one_by_one() -> None:
    generator = torch.Generator().manual_seed(1)
    words = [f"w{number}" for number in range(40)]
    embeddings = Embeddings(words, torch.randn(40, 4, generator=generator))
    places = torch.randint(0, 40, (600, 4), generator=generator).tolist()
    questions = [tuple(words[place] for place in row) for row in places]
    right = sum(embeddings.analogy(a, b, c)[0].word == d for a, b, c, d in questions)
    assert embeddings.score_analogies(questions).right == right > 0


def test_a_word_without_a_vector_is_said_with_near_ones() -> None:
    with pytest.raises(TrainingError, match=r"no vector for the word 'quen'; did you mean 'queen'\?"):
        table().nearest("quen")
    with pytest.raises(TrainingError, match="no vector for the word 'xyz'; it may be too rare"):
        table().analogy("man", "king", "xyz")
    with pytest.raises(ValueError, match="count is 0"):
        table().nearest("king", 0)
    assert "king" in table()
    assert "quen" not in table()
    assert len(table()) == 6


def test_words_come_from_the_tokeniser() -> None:
    tokeniser = Tokeniser.train("word", ["king queen queen"])  # queen 0, king 1
    weights = {"centres": torch.tensor([[1.0, 2.0], [3.0, 4.0]]), "tokens": torch.tensor([1, 0])}
    assert Embeddings.of(weights, tokeniser).vector("king").tolist() == [1.0, 2.0]
    with pytest.raises(TrainingError, match="no word vectors"):
        Embeddings.of({}, tokeniser)
    with pytest.raises(TrainingError, match="no word vectors"):
        Embeddings.of({**weights, "tokens": torch.tensor([1, 77])}, tokeniser)


def test_saved_and_loaded(tmp_path: Path) -> None:
    table().save(tmp_path / "vectors")
    found = Embeddings.load(tmp_path / "vectors")
    assert found.words == tuple(TABLE)
    assert torch.equal(found.vectors, table().vectors)
    (tmp_path / "vectors" / "words.json").write_text('{"words": ["man", "woman"]}')
    with pytest.raises(TrainingError, match="damaged: 2 words and vectors of shape"):
        Embeddings.load(tmp_path / "vectors")
    (tmp_path / "vectors" / "words.json").unlink()
    with pytest.raises(TrainingError, match=r"words\.json: it cannot be read"):
        Embeddings.load(tmp_path / "vectors")
    with pytest.raises(TrainingError, match="there is no such file"):
        Embeddings.load(tmp_path)


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="1 words and vectors of shape"):
        Embeddings(["king"], torch.zeros(2, 3))
    with pytest.raises(ValueError, match="a word occurs twice"):
        Embeddings(["king", "king"], torch.zeros(2, 3))
