"""Pieces against hand-worked merges, the tokenizers library and the bytes of the text; what comes back; specials."""

import itertools
import json
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, pre_tokenizers

from workings.text import KINDS, Specials, TextError, Tokeniser
from workings.text.scheme import byte_letters

VERSE = (
    "From fairest creatures we desire increase,\nThat thereby beauty’s rose might never die,\n"
    "But as the riper should by time decease,\nHis tender heir might bear his memory:\n"
)
EXACT = ("character", "bpe", "unigram")
SIZES = {"word": None, "character": None, "bpe": 300, "unigram": 300}
TRAINED = {kind: Tokeniser.train(kind, [VERSE], SIZES[kind]) for kind in KINDS}

# White space of every kind beside letters, signs and numbers: where GPT-2's pattern and Python's \s could differ.
ODD = st.text(st.sampled_from(list(" \n\t\r\x1c\x1f\x85\xa0\u2028\u3000\u200b.,'s1²ⅷaß漢🙂<end>")), max_size=30)
ANY = st.one_of(st.text(), ODD)


@pytest.mark.parametrize("kind", KINDS)
def test_number_of_tokens_is_what_was_asked_for(kind: str) -> None:
    tokeniser = TRAINED[kind]
    characters, words = len(set(VERSE)), 29  # counted in the verse, `,` and `:` among them
    if kind == "unigram":  # there is not enough text for more
        assert 260 < len(tokeniser) <= 300
    else:
        assert len(tokeniser) == {"word": words + 4, "character": characters + 256 + 4, "bpe": 300}[kind]
    assert tokeniser.kind == kind


def test_merges_worked_by_hand() -> None:
    # Words: hug, 2 × " hug", 2 × " pug", " hugs". Pairs: u-g 6, h-u 4, space-h 3, space-p 2, p-u 2, g-s 1: "ug".
    # Then h-ug 4, space-h 3, space-p and p-ug 2: "hug". Then space-hug 3, the others at most 2: " hug".
    tokeniser = Tokeniser.train("bpe", ["hug hug hug pug pug hugs"], 256 + 3 + 4)
    assert tokeniser.pieces([256, 257, 258]) == ["ug", "hug", " hug"]
    assert tokeniser.pieces(tokeniser.encode(" hugs pug hug bug")) == [
        " hug",
        "s",
        " ",
        "p",
        "ug",
        " hug",
        " ",
        "b",
        "ug",
    ]
    assert tokeniser.pieces(range(259, 263)) == ["<padding>", "<begin>", "<end>", "<unknown>"]


def test_unigram_takes_the_most_probable_of_all_ways_to_cut(tmp_path) -> None:
    TRAINED["unigram"].save(tmp_path)
    scores = dict(json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"])
    for word in ("tender", "might", "beauty", "increases"):
        cuts = itertools.product((False, True), repeat=len(word) - 1)
        ways = ["".join(c + "|" * cut for c, cut in zip(word, (*way, False), strict=True)).split("|") for way in cuts]
        possible = [sum(scores[piece] for piece in way) for way in ways if all(piece in scores for piece in way)]
        found = TRAINED["unigram"].pieces(TRAINED["unigram"].encode(word))
        assert math.isclose(sum(scores[piece] for piece in found), max(possible), abs_tol=1e-9)


def test_characters_are_numbered_by_code_point() -> None:
    tokeniser = Tokeniser.train("character", ["hello\n", "world"], spelled=False)
    number = {character: place for place, character in enumerate(sorted(set("hello\nworld")))}
    assert tokeniser.encode("wörld\n") == [number["w"], tokeniser.unknown, *(number[c] for c in "rld\n")]
    assert len(tokeniser) == len(number) + 4
    assert tokeniser.decode(tokeniser.encode("wörld")) == "w<unknown>rld"


def test_characters_outside_the_alphabet_are_spelled_by_their_bytes() -> None:
    tokeniser = Tokeniser.train("character", ["ab"])
    assert tokeniser.encode("a€b") == [0, 2 + 0xE2, 2 + 0x82, 2 + 0xAC, 1]


def test_a_small_alphabet_keeps_the_most_frequent() -> None:
    tokeniser = Tokeniser.train("character", ["aaabbc"], 2 + 4, spelled=False)
    assert tokeniser.pieces(range(2)) == ["a", "b"]


def test_words_are_numbered_by_frequency() -> None:
    text = "The cat, the dog; the cat's bowl. Don't!"
    tokeniser = Tokeniser.train("word", [text])
    counts = Counter(["The", "cat", ",", "the", "dog", ";", "the", "cat's", "bowl", ".", "Don't", "!"])
    assert tokeniser.pieces(range(len(counts))) == sorted(counts, key=lambda word: (-counts[word], word))
    assert tokeniser.decode(tokeniser.encode("the  cat\nand the dog")) == "the cat <unknown> the dog"
    assert tokeniser.find("dog") == tokeniser.encode("dog")[0]
    assert tokeniser.find("horse") is None


def test_byte_letters_are_those_of_the_library() -> None:
    letters = byte_letters()
    assert sorted(letters) == sorted(pre_tokenizers.ByteLevel.alphabet())
    library = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for character in [*map(chr, range(0x300)), "漢", "🙂", "\uffff"]:
        assert library.pre_tokenize_str(character)[0][0] == "".join(letters[byte] for byte in character.encode())


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_the_saved_file_is_the_whole_tokeniser_for_the_library(kind: str, tmp_path) -> None:
    TRAINED[kind].save(tmp_path)
    library = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [library.token_to_id(name) for name in TRAINED[kind].specials.names] == [
        TRAINED[kind].padding, TRAINED[kind].begin, TRAINED[kind].end, TRAINED[kind].unknown
    ]  # fmt: skip
    assert library.get_vocab_size() == len(TRAINED[kind])
    library.encode_special_tokens = True

    @settings(deadline=None)
    @given(ANY)
    def same(text: str) -> None:
        numbers = TRAINED[kind].encode(text)
        assert numbers == library.encode(text).ids
        assert TRAINED[kind].decode(numbers) == library.decode(numbers)

    same()


@pytest.mark.parametrize("kind", EXACT)
def test_any_text_comes_back(kind: str) -> None:
    tokeniser = TRAINED[kind]

    @settings(deadline=None)
    @given(ANY)
    def back(text: str) -> None:
        numbers = tokeniser.encode(text)
        assert tokeniser.decode(numbers) == text
        assert max(numbers, default=0) < len(tokeniser) - 4  # no text is a special token
        assert tokeniser.encode_all([text, VERSE, text]) == [numbers, tokeniser.encode(VERSE), numbers]

    back()


@pytest.mark.parametrize("kind", KINDS)
def test_lone_surrogates_do_not_crash(kind: str) -> None:
    said = TRAINED[kind].decode(TRAINED[kind].encode("die\ud800"))
    assert said == ("die <unknown>" if kind == "word" else "die\ufffd")


def test_words_that_are_known_come_back_with_single_spaces() -> None:
    @settings(deadline=None)
    @given(st.lists(st.sampled_from(["fairest", "rose", ",", "beauty’s", ":"])))
    def back(words: list[str]) -> None:
        assert TRAINED["word"].decode(TRAINED["word"].encode(" \n ".join(words))) == " ".join(words)

    back()


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_of_a_special_token_is_text_unless_asked(kind: str) -> None:
    tokeniser = TRAINED[kind]
    assert not {tokeniser.end, tokeniser.begin} & set(tokeniser.encode("<begin>rose<end>"))
    asked = tokeniser.encode("<begin>rose<end>", specials=True)
    assert asked == [tokeniser.begin, *tokeniser.encode("rose"), tokeniser.end]
    assert tokeniser.decode(asked) == "rose"
    shown = tokeniser.decode(asked, specials=True)
    assert shown == ("<begin> rose <end>" if kind == "word" else "<begin>rose<end>")


def test_other_special_tokens_and_own_names() -> None:
    specials = Specials(padding="[PAD]", begin="[CLS]", end="[SEP]", unknown="[UNK]", others=("[MASK]", "[MASK]2"))
    tokeniser = Tokeniser.train("unigram", [VERSE], 280, specials)
    assert tokeniser.encode("[MASK]2[MASK]", specials=True) == [
        tokeniser.special("[MASK]2"),
        tokeniser.special("[MASK]"),
    ]
    assert tokeniser.special("[MASK]2") == len(tokeniser) - 1
    with pytest.raises(TextError, match=r"'\[MAKS\]'.*did you mean '\[MASK\]'"):
        tokeniser.special("[MAKS]")
    with pytest.raises(TextError, match="two special tokens named '<end>'"):
        Specials(begin="<end>")
    with pytest.raises(TextError, match="expected a name"):
        Specials(begin="")


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_says_what_decoding_says_and_never_half_a_character(kind: str) -> None:
    tokeniser = TRAINED[kind]

    @settings(deadline=None)
    @given(st.lists(st.integers(0, len(tokeniser) - 1)), st.booleans())
    def same(numbers: list[int], specials: bool) -> None:
        stream = tokeniser.stream(specials=specials)
        said = [stream.push(number) for number in numbers]
        assert "".join(said) + stream.finish() == tokeniser.decode(numbers, specials=specials)
        assert stream.push(*numbers) + stream.finish() == tokeniser.decode(numbers, specials=specials)

    @settings(deadline=None)
    @given(ANY)
    def whole(text: str) -> None:
        stream, so_far = tokeniser.stream(), ""
        for number in tokeniser.encode(text):
            so_far += stream.push(number)
            assert kind == "word" or text.startswith(so_far)

    same()
    whole()


def test_a_stream_waits_for_the_last_byte() -> None:
    stream = TRAINED["bpe"].stream()
    assert [stream.push(number) for number in TRAINED["bpe"].encode("🙂")] == ["", "", "", "🙂"]


def test_pieces_are_readable() -> None:
    tokeniser = TRAINED["bpe"]
    assert tokeniser.pieces([*tokeniser.encode("€"), tokeniser.end]) == [r"\xe2", r"\x82", r"\xac", "<end>"]
    assert "".join(tokeniser.pieces(tokeniser.encode(VERSE.replace("’", "'")))) == VERSE.replace("’", "'")
    assert tokeniser.find("e") == tokeniser.encode("e")[0]
    assert tokeniser.find("<end>") == tokeniser.end
    assert tokeniser.find("no such piece") is None


@pytest.mark.parametrize("number", [-1, 300, 10**9])
def test_numbers_outside_the_vocabulary_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"number {number} is outside the vocabulary of 300"):
        TRAINED["bpe"].decode([1, number])


@pytest.mark.parametrize(
    ("kind", "vocabulary", "least"), [("word", 4, 5), ("character", 260, 261), ("bpe", 259, 260), ("unigram", 3, 260)]
)
def test_a_vocabulary_too_small_for_the_special_tokens(kind: str, vocabulary: int, least: int) -> None:
    with pytest.raises(TextError, match=rf"a vocabulary of {vocabulary} .* at least {least}: .*4 special tokens"):
        Tokeniser.train(kind, [VERSE], vocabulary)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [*itertools.product(KINDS, ([], [""])), *((kind, [" ", "\n"]) for kind in KINDS if kind != "character")],
)
def test_nothing_to_learn_from(kind: str, texts: list[str]) -> None:
    with pytest.raises(TextError, match="no text to learn from"):
        Tokeniser.train(kind, texts, SIZES[kind])


def test_an_unknown_kind_is_answered_with_the_near_one() -> None:
    with pytest.raises(TextError, match=r"'charcter'.*word or character or bpe or unigram; did you mean 'character'"):
        Tokeniser.train("charcter", [VERSE])


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_a_special_token_that_is_a_piece_of_the_text(kind: str) -> None:
    with pytest.raises(TextError, match=r"special token 'e' is also a piece of the texts; .*angle brackets"):
        Tokeniser.train(kind, [VERSE], 280, Specials(end="e"))


def test_subwords_need_a_size() -> None:
    with pytest.raises(TextError, match="no size of vocabulary for a bpe tokeniser"):
        Tokeniser.train("bpe", [VERSE])


@pytest.mark.parametrize("kind", KINDS)
def test_training_again_gives_the_same(kind: str) -> None:
    again = Tokeniser.train(kind, iter([VERSE]), SIZES[kind])
    assert again.fingerprint == TRAINED[kind].fingerprint
    assert len({tokeniser.fingerprint for tokeniser in TRAINED.values()}) == len(KINDS)
