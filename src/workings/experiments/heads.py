"""Section 5: where the heads of trained models look. Those of the two models that ship, on texts of our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.outcome import Outcome, at_least, at_most, shown

if TYPE_CHECKING:
    from torch import Tensor

    from workings.text import Tokeniser
    from workings.transformer import Model

Weights: TypeAlias = NDArray[np.floating[Any]]
"""Where one head looks: a row for each token that asks, a column for each that answers."""
Measure: TypeAlias = Callable[[list[str], Weights], float]
"""How much of its weight a head gives to a certain place, on average; the pieces are those of the columns."""

_MODELS = Path(__file__).parents[1] / "models"
_SEED = 5
_READ = (
    "And the king sent a man to the city with the people.",
    "Then the priest took the bread out of the house of his father.",
    "They came to the river, and the people saw the prophet there.",
    "He said to the woman, Give the water to the child and the servant.",
    "The men of the city heard the voice and went to the mountain.",
    "In the morning the servants found the way to the gate of the temple.",
    "She went out with the son of the king, and they ate the bread.",
    "In the night the people burned the gate, and the army went into the house.",
)
"""An article stands right before its noun in each of them; below, there is an adjective between the two."""
_GREAT = (
    "He came to the great city.",
    "They saw the great river.",
    "We built the great house.",
    "I saw the great sea.",
)
_OTHER = (
    "They saw the good land.",
    "He sent the young king.",
    "He gave it to the poor woman.",
    "I saw the evil servant.",
)
_FRAMES = (
    ("The LORD said to {}, Arise.", "Y Jehová dijo á"),
    ("These are the sons of {}.", "Estos son los hijos de"),
    ("They told the king the words of {}.", "Y dijeron al rey las palabras de"),
)
"""A sentence with a name, and its translation up to the name."""
_SAME = ("David", "Jacob", "Abraham", "Samuel", "Joab", "Samaria", "Israel", "Moab")
_OTHERWISE = ("Moses", "Aaron", "Judah")
"""Names that are one token each, of which Spanish writes the first as English does, and the others otherwise."""
_PLAY = """\
'Tis time
I should inform thee farther. Lend thy hand,
And pluck my magic garment from me. So:
Lie there, my art. Wipe thou thine eyes; have comfort.
The direful spectacle of the wreck, which touch'd
The very virtue of compassion in thee,
I have with such provision in mine art
So safely ordered that there is no soul--
No, not so much perdition as an hair
Betid to any creature in the vessel
"""
"""The Tempest, act 1, scene 2: of the part of the plays that the model was not trained on."""
_LINE = 64
"""Characters that the model of characters sees at once."""
_PARTING = " \n"
_ARTICLES = (" the", "The", " a")


class _Text(NamedTuple):
    """A text that was read: its pieces, and where each head looked, by its name."""

    pieces: list[str]
    heads: dict[str, Weights]


class _Found(NamedTuple):
    """The head that gives a place most of its weight, and how much that is."""

    head: str
    weight: float


def _heads(*, trained: bool = True) -> Outcome:
    translator, words = _opened("bible-en-es", trained)
    speaker, letters = _opened("shakespeare", trained)
    read, great, adjectives = (
        [_encoded(translator, words, text) for text in texts] for texts in (_READ, _GREAT, _OTHER)
    )
    before, noun = _best(read, _beside(-1)), _best(read, _behind_article)
    other = _mean(read, noun.head, _behind_others)
    over, seldom = (_mean(texts, noun.head, _past_adjective) for texts in (great, adjectives))
    unnamed = sum(max(_mean(read, head, place) for place in _SIMPLE) < 0.5 for head in read[0].heads)
    same, written = _to_translate(translator, words, _SAME)
    name = _best(same, _to_name)
    otherwise = _mean(_to_translate(translator, words, _OTHERWISE)[0], name.head, _to_name)
    lines = _spoken(speaker, letters, [_PLAY[at : at + _LINE] for at in range(0, 6 * _LINE, _LINE)])
    character, begun = _best(lines, _beside(-1)), _best(lines, _where_the_word_began)
    again = _spoken(speaker, letters, [2 * _PLAY[at : at + _LINE // 2] for at in range(0, 3 * _LINE, _LINE // 2)])
    copied = max(_mean(again, head, _what_followed) for head in again[0].heads)
    return Outcome(
        f"In bible-en-es, {before.head}, gives {before.weight:.2f} to the token just before; {noun.head}, gives "
        f"{noun.weight:.2f} from “the” to the noun behind it, and {over:.2f} past “great”; {name.head}, gives "
        f"{name.weight:.2f} to the name that is to be written. In shakespeare, {character.head}, gives "
        f"{character.weight:.2f} to the character just before, and {begun.head}, gives {begun.weight:.2f} to where "
        f"the word began. {unnamed} of {len(read[0].heads)} heads of the encoder have no simple name.",
        (
            at_least("translator: the token just before", before.weight, 0.4, 2),
            at_least("translator: the noun right behind “the”", noun.weight, 0.9, 2),
            at_least("the same head: the noun behind “the great”", over, 0.75, 2),
            shown("the same head: the noun behind other adjectives", seldom, 2),
            at_most("the same head, from other words: what stands behind them", other, 0.3, 2),
            at_least("translator, from one language to the other: the name that comes next", name.weight, 0.85, 2),
            at_least(f"names of {len(same)} that the model then writes as they stand", written, len(same) - 3),
            shown("the same head: names that Spanish writes otherwise", otherwise, 2),
            at_least("heads of its encoder that give no simple place half of their weight", unnamed, 3),
            at_least("characters: the one just before", character.weight, 0.4, 2),
            at_least("characters: the space or line break before the word", begun.weight, 0.6, 2),
            at_most("characters: what followed when the same was read before, of any head", copied, 0.1, 2),
        ),
    )


# -- what is read -----------------------------------------------------------------------------------------------------


def _opened(name: str, trained: bool) -> tuple[Model, Tokeniser]:
    """A model that ships, as it was trained or with weights to start from, and how its texts are cut."""
    import torch

    from workings.training.run_directory import RunDirectory
    from workings.transformer import build

    run = RunDirectory.open(_MODELS / name)
    model = run.model()
    if not trained:
        with torch.random.fork_rng(devices=[]):  # whoever asks keeps their own random numbers
            torch.manual_seed(_SEED)
            model = build(model.config).eval()
    return model, run.tokeniser()


def _encoded(model: Model, cut: Tokeniser, text: str) -> _Text:
    """A text as the encoder reads it."""
    source = [*cut.encode(text), cut.end]
    (read,), _ = _looked(model, "encoder", [cut.pieces(source)], [source], [[cut.begin]])
    return read


def _to_translate(model: Model, cut: Tokeniser, names: Sequence[str]) -> tuple[list[_Text], int]:
    """Each name in each sentence, as the decoder reads it before it writes the name; how many it writes unchanged."""
    texts, written = [], 0
    for english, spanish in _FRAMES:
        sources = [[*cut.encode(english.format(name)), cut.end] for name in names]
        targets = [[cut.begin, *cut.encode(spanish)]] * len(names)
        read, scores = _looked(model, "cross", [cut.pieces(source) for source in sources], sources, targets)
        wanted = [cut.encode(f" {name}")[0] for name in names]
        written += sum(int(row[-1].argmax()) == number for row, number in zip(scores, wanted, strict=True))
        texts += read
    return texts, written


def _spoken(model: Model, cut: Tokeniser, texts: Sequence[str]) -> list[_Text]:
    """Texts of one length as a model of characters reads them."""
    rows = [cut.encode(text) for text in texts]
    return _looked(model, "", [cut.pieces(row) for row in rows], rows)[0]


def _looked(
    model: Model, part: str, pieces: Sequence[list[str]], *rows: Sequence[Sequence[int]]
) -> tuple[list[_Text], Tensor]:
    """Rows of tokens as a model reads them, all of one length: where the heads of a part look, and what comes out."""
    import torch

    from workings.recording.tensors.session import record
    from workings.views.live.model import maps

    with torch.no_grad(), record(model) as working:
        scores = model(*(torch.tensor(tokens) for tokens in rows))
    texts = [_Text(row, {}) for row in pieces]
    for layer in maps(working):
        each = layer.weights.reshape(len(texts), -1, *layer.weights.shape[1:])
        for text, heads in zip(texts, each, strict=True):
            text.heads.update({f"{layer.name}, head {n}": head for n, head in enumerate(heads) if part in layer.name})
    return texts, scores


# -- what is weighed --------------------------------------------------------------------------------------------------


def _best(texts: Sequence[_Text], place: Measure) -> _Found:
    """The head that gives a place most in every second text, and what it gives it in the others.

    Whoever is chosen by what is then measured would be praised for luck.
    """
    head = max(texts[0].heads, key=lambda head: _mean(texts[::2], head, place))
    return _Found(head, _mean(texts[1::2], head, place))


def _mean(texts: Sequence[_Text], head: str, place: Measure) -> float:
    return float(np.mean([place(text.pieces, text.heads[head]) for text in texts]))


def _beside(steps: int) -> Measure:
    """The token so many steps behind the one that asks."""
    return lambda _, weights: float(np.diagonal(weights, steps).mean())


def _behind_article(pieces: list[str], weights: Weights) -> float:
    return float(np.mean([weights[t, t + 1] for t, piece in enumerate(pieces) if piece == _ARTICLES[0]]))


def _behind_others(pieces: list[str], weights: Weights) -> float:
    return float(np.mean([weights[t, t + 1] for t, piece in enumerate(pieces[:-1]) if piece not in _ARTICLES]))


def _past_adjective(pieces: list[str], weights: Weights) -> float:
    at = pieces.index(_ARTICLES[0])
    return float(weights[at, at + 2])


def _to_name(pieces: list[str], weights: Weights) -> float:
    """From the last token that is written, the name comes next."""
    return float(weights[-1, [piece.strip() in (*_SAME, *_OTHERWISE) for piece in pieces]].sum())


def _to_marks(pieces: list[str], weights: Weights) -> float:
    return float(weights[:, [piece in (",", ".") for piece in pieces]].sum(axis=1).mean())


def _to_end(_: list[str], weights: Weights) -> float:
    return float(weights[:, -1].mean())


_SIMPLE: tuple[Measure, ...] = (_beside(0), _beside(-1), _beside(1), _to_marks, _to_end)
"""Itself, the token before, the one behind, commas and full stops, the mark of the end."""


def _where_the_word_began(pieces: list[str], weights: Weights) -> float:
    """From each letter, the space or line break before its word."""
    found, began = [], None
    for t, piece in enumerate(pieces):
        if piece in _PARTING:
            began = t
        elif began is not None:
            found.append(weights[t, began])
    return float(np.mean(found))


def _what_followed(pieces: list[str], weights: Weights) -> float:
    """Of a text that is read twice: from each character of the second time, the one behind it in the first."""
    return float(np.diagonal(weights[len(pieces) // 2 :], 1).mean())


HEADS = Experiment(
    name="heads",
    title="Where the heads of trained models look",
    text="first",
    place="section 5, paragraph below (8)",
    claim="In trained models one head follows the syntax, one looks at the token before, one copies, and for many "
    "there is no name.",
    expected="In bible-en-es a head of the encoder gives the token just before at least 0.4 of its weight, where an "
    "even spread would give it 0.06. Another gives at least 0.9 from “the” to the noun right behind it and 0.75 past "
    "“great”, but no more than 0.3 from other words to what stands behind them; other adjectives often stop it: this "
    "much syntax it knows, and no more. One that looks from the translation into the source gives at least 0.85 to "
    "a name that stays as it is, and 21 of 24 such names are then written. At least 3 heads of the encoder give no "
    "simple place (itself, the token before or behind, a comma or full stop, the end) half of their weight. "
    "shakespeare, a small model of characters, gives 0.4 to the character just before. Of syntax it shows where words "
    "begin (0.6). It has no head for copying: what followed when it read the same before gets at most 0.1 from any.",
    see='workings show shakespeare "To be, or" --at "stack.blocks.2.attention.score.output[0, 3, r, 0]" --depth 1',
    compute=_heads,
    counter=CounterCheck("the models have the weights that training starts from", {"trained": False}),
    statistical=f"the first weights, of the counter-check alone, are drawn from seed {_SEED}",
    needs_torch=True,
)
