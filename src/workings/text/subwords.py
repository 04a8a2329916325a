"""Text cut into learned pieces of words, over bytes: byte-pair encoding and unigram, by the tokenizers library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from workings.text.errors import TextError
from workings.text.scheme import byte_letters, clean, room
from workings.text.specials import Specials

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MODELS = {"bpe": "BPE", "unigram": "Unigram"}
_PART = re.compile(r"\s*\S+(?:[^\S \n]\s*\S*)*|\s+")
"""Text up to a space or line end that follows something else: there, GPT-2's pattern always parts as well."""
_REMEMBERED = 1 << 21
"""Characters of the parts that are remembered."""
_LETTER_STEP = 0.0001


class Subwords:
    """Byte-level BPE (Sennrich et al. 2016, over bytes as in GPT-2) or unigram (Kudo 2018) over the same bytes.

    Text is first parted by GPT-2's pattern and its UTF-8 bytes are written as 256 letters. All 256 are pieces, so
    every text can be spelled, comes back exactly, and nothing is ever unknown. The library's own file holds the
    special tokens too, with the numbers used here.
    """

    joiner = b""

    def __init__(self, kind: str, tokenizer: Tokenizer, text: str, specials: Specials) -> None:
        self.kind = kind
        self.json = text
        self.unknown = -1
        self._tokenizer = tokenizer
        self._seen: dict[str, list[int]] = {}
        self._seen_characters = 0
        # Without this the library takes the name of a special token in a text for the token itself.
        tokenizer.encode_special_tokens = True
        byte_of = {letter: byte for byte, letter in enumerate(byte_letters())}
        size = tokenizer.get_vocab_size() - len(specials)
        written = [tokenizer.id_to_token(number) or "" for number in range(size)]
        self.pieces = [bytes(byte_of[letter] for letter in piece) for piece in written]

    @classmethod
    def train(cls, kind: str, texts: Iterable[str], vocabulary: int | None, specials: Specials) -> Subwords:
        """Pieces learned from the texts: as many as the vocabulary asks for, or fewer where the texts hold no more."""
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        if vocabulary is None:
            raise TextError(f"no size of vocabulary for a {kind} tokeniser", "a number", "8000 suits a small corpus")
        room(kind, vocabulary, 256 + len(specials), f"256 bytes and {len(specials)} special tokens")
        options: dict[str, Any] = {
            "vocab_size": vocabulary - len(specials),
            "initial_alphabet": sorted(byte_letters()),
            "show_progress": False,
        }
        tokenizer = Tokenizer(models.BPE() if kind == "bpe" else models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(**options) if kind == "bpe" else trainers.UnigramTrainer(**options)
        tokenizer.train_from_iterator(_some_text(texts), trainer)
        taken = [name for name in specials.names if tokenizer.token_to_id(name) is not None]
        if taken:
            hint = "choose a name that no text holds, such as one in angle brackets"
            raise TextError(f"the special token {taken[0]!r} is also a piece of the texts", "another name", hint)
        # After the training, and not by the trainer: a unigram model would find them as pieces of any text.
        tokenizer.add_special_tokens(list(specials.names))
        text = tokenizer.to_str(pretty=False)
        # The library does not read back every score that it writes to the last bit: the file is what counts.
        return cls.from_json(kind, text if kind == "bpe" else _settled(text), specials)

    @classmethod
    def from_json(cls, kind: str, text: str, specials: Specials) -> Subwords:
        """From the text of a tokenizer.json, which is kept as `json`.

        Raises:
            ValueError: it is not what was written for this kind and these special tokens.
        """
        from tokenizers import Tokenizer

        saved = json.loads(text)
        if not isinstance(saved, dict) or (saved.get("model") or {}).get("type") != _MODELS[kind]:
            raise ValueError(f"a model that is not {_MODELS[kind]}")
        if (saved.get("pre_tokenizer") or {}).get("type") != "ByteLevel" or saved.get("normalizer"):
            raise ValueError("pieces that are not over plain bytes")
        try:
            tokenizer = Tokenizer.from_str(text)
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(str(error)) from None
        first = tokenizer.get_vocab_size() - len(specials)
        if [tokenizer.token_to_id(name) for name in specials.names] != list(range(first, first + len(specials))):
            raise ValueError("special tokens that are not the described ones")
        try:
            return cls(kind, tokenizer, text, specials)
        except KeyError as error:
            raise ValueError(f"a piece with the letter {error}, which stands for no byte") from None

    def encode(self, text: str) -> list[int]:
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        # Words come again and again: the library sees each once, which makes this several times as fast as it.
        parted = [_PART.findall(clean(text)) for text in texts]
        seen = self._seen
        new = list({part for parts in parted for part in parts if part not in seen})
        for part, encoding in zip(new, self._tokenizer.encode_batch_fast(new, add_special_tokens=False), strict=True):
            seen[part] = encoding.ids
            self._seen_characters += len(part)
        numbers = [[number for part in parts for number in seen[part]] for parts in parted]
        if self._seen_characters > _REMEMBERED:
            seen.clear()
            self._seen_characters = 0
        return numbers

    def find(self, piece: str) -> int | None:
        letters = byte_letters()
        number = self._tokenizer.token_to_id("".join(letters[byte] for byte in clean(piece).encode()))
        return number if number is not None and number < len(self.pieces) else None

    def description(self) -> dict[str, object]:
        return {}


def _settled(text: str) -> str:
    """The file of a unigram model without what differs from one training to the next on the same texts.

    The library adds up scores in any order, lists equal ones anyhow, and gives letters that it did not see the lowest
    score, the lowest plus 0.0001, plus 0.0002 …, also anyhow. Here scores have six decimals, equals the order of the
    alphabet, and those letters the lowest score.
    """
    saved = json.loads(text)
    learned = saved["model"]["vocab"]
    lowest = min(score for _, score in learned)

    def settled(piece: str, score: float) -> float:
        steps = (score - lowest) / _LETTER_STEP
        unseen = len(piece) == 1 and steps < 256 and abs(steps - round(steps)) < 1e-6
        return round(lowest if unseen else score, 6)

    pieces = [(piece, settled(piece, score)) for piece, score in learned]
    saved["model"]["vocab"] = sorted(pieces, key=lambda entry: (-entry[1], entry[0]))
    return json.dumps(saved, ensure_ascii=False)


def _some_text(texts: Iterable[str]) -> Iterator[str]:
    """The texts, cleaned; an error if there was nothing in them."""
    something = False
    for text in texts:
        something = something or bool(text.strip())
        yield clean(text)
    if not something:
        raise TextError("no text to learn from", "at least one word")
