"""Section 1: vectors learned from the words that stand around a word say what it means; its letters do not."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

import numpy as np

from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.outcome import Outcome, at_least, at_most, is_so

if TYPE_CHECKING:
    from workings.training.embeddings import Embeddings

_SEED = 3
_LINES = 2400
_ROYAL = ("the {} wears a crown", "the {} sits on the throne", "the {} rules the land")
_PLAIN = ("the {} ploughs the field", "the {} walks to market", "the {} mends the roof")
_HIS = ("the {} combs his beard", "the {} shaves his chin", "the {} calls his brothers")
_HER = ("the {} braids her hair", "the {} sews her dress", "the {} calls her sisters")
_ANIMAL = ("a {} eats meat", "my {} sleeps on the mat", "a {} licks its paws")
_VEHICLE = ("a {} needs petrol", "my {} stops at red lights", "a {} honks its horn")
_WORDS = {
    "king": _ROYAL + _HIS, "queen": _ROYAL + _HER, "man": _PLAIN + _HIS, "woman": _PLAIN + _HER,
    "cat": _ANIMAL, "dog": _ANIMAL, "car": _VEHICLE, "bus": _VEHICLE,
}  # fmt: skip
"""The words, and the sentences each can stand in: of its rank, of its sex, of its kind."""


def _neighbours(*, shuffled: bool = False) -> Outcome:
    words = _learned(shuffled)
    meant, spelled = ("cat", "dog"), ("cat", "car")
    related = [words.cosine(*pair) for pair in (meant, ("car", "bus"))]
    distant = [words.cosine(one, other) for one in meant for other in ("car", "bus")]
    letters = [difflib.SequenceMatcher(None, *pair).ratio() for pair in (spelled, meant)]
    answer = words.analogy("man", "king", "woman", 1)[0].word
    steps = [words.vector(to) - words.vector(start) for start, to in (("king", "queen"), ("man", "woman"))]
    alike = float(steps[0] @ steps[1] / (steps[0].norm() * steps[1].norm()))
    return Outcome(
        f"cat and dog, without a letter in common, have the cosine {related[0]:.2f}; cat and car, which share two of "
        f"three, {words.cosine(*spelled):.2f}. Nearest to cat is {words.nearest('cat', 1)[0].word}; nearest to king "
        f"− man + woman is {answer}; the steps from king to queen and from man to woman have the cosine {alike:.2f}.",
        (
            at_least("smaller cosine of cat and dog, and of car and bus", min(related), 0.8, 2),
            at_most("largest cosine of an animal and a vehicle", max(distant), 0.7, 2),
            is_so("cat and car share more letters than cat and dog", letters[0] > letters[1]),
            is_so("cat is nearer to dog than to car", related[0] > words.cosine(*spelled)),
            is_so("king − man + woman is nearest to queen", answer == "queen"),
            at_least("cosine of the two steps", alike, 0.8, 2),
        ),
    )


def _text(shuffled: bool) -> str:
    """Sentences drawn for each word; shuffled, the same words in an order that says nothing."""
    generator = np.random.default_rng(_SEED)
    names = list(_WORDS)
    drawn = [names[number] for number in generator.integers(len(names), size=_LINES)]
    words = " ".join(_WORDS[name][generator.integers(len(_WORDS[name]))].format(name) for name in drawn).split()
    return " ".join(generator.permutation(words)) if shuffled else " ".join(words)


def _learned(shuffled: bool) -> Embeddings:
    """The vectors of the text's words."""
    import torch

    from workings.text import TextCorpus, Tokeniser
    from workings.training.embeddings import Embeddings
    from workings.training.skip_gram import SkipGram, SkipGramTrainer

    text = _text(shuffled)
    tokeniser = Tokeniser.train("word", [text])
    settings = SkipGram(width=16, window=3, negatives=4, minimum=1, subsampling=math.inf, words=500, seed=_SEED)
    trainer = SkipGramTrainer(TextCorpus.of([text], tokeniser), settings, torch.float64)
    for _ in range(trainer.steps):
        trainer.step()
    return Embeddings.of(trainer.weights(), tokeniser)


NEIGHBOURS = Experiment(
    name="neighbours",
    title="What a word means is learned from its neighbours",
    text="first",
    place="section 1, first paragraph and the paragraph below (1)",
    claim="The letters of two words say nothing of what they mean. Vectors learned by predicting words from their "
    "neighbours do: related words get close ones, unrelated words distant ones, and the step from king to queen is "
    "nearly that from man to woman.",
    expected="In sentences drawn for eight words, vectors learned by skip-gram put cat beside dog, with which it "
    "shares no letter, and away from car; king − man + woman is nearest to queen, and the two steps have a cosine of "
    "at least 0.8.",
    see="workings near bible-en-es father",
    compute=_neighbours,
    counter=CounterCheck("the words of the text are shuffled, so that neighbours say nothing", {"shuffled": True}),
    statistical=f"{_LINES:,} sentences, the first vectors and the noise are drawn from seed {_SEED}".replace(",", " "),
    needs_torch=True,
)
