"""Words of messages: counts, near names, keys that do not exist."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from workings.generation import Sampling
from workings.transformer import Config, Rotary
from workings.wording import counted, meant


@pytest.mark.parametrize(("number", "said"), [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens"), (1200, "1,200 tokens")])
def test_one_is_one_and_others_are_several(number: int, said: str) -> None:
    assert counted(number, "token") == said


@pytest.mark.parametrize(
    ("word", "expected"),
    [("ml", ["lm"]), ("LM", ["lm"]), ("cpoy", ["copy"]), ("translat", ["translate"]), ("xyz", []), ("", [])],
)
def test_letters_left_out_exchanged_or_large(word: str, expected: list[str]) -> None:
    assert meant(word, ["translate", "lm", "classify", "copy", "embeddings"]) == expected


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Config(vocabulary=9, widht=8, heads=2), "Config has no key 'widht'; did you mean 'width'?"),
        (lambda: Rotary(bsae=1.0), "Rotary has no key 'bsae'; did you mean 'base'?"),
        (lambda: Sampling(temprature=1.0), "Sampling has no key 'temprature'; did you mean 'temperature'?"),
        (lambda: dataclasses.replace(Sampling(), zzz=1), "Sampling has no key 'zzz'; it has repetition_penalty, temp"),
    ],
)
def test_a_key_that_does_not_exist_is_named_with_a_near_one(make, said: str) -> None:
    with pytest.raises(TypeError) as found:
        make()
    assert str(found.value).startswith(said)


def test_what_offers_names_is_a_dataclass_like_any_other() -> None:
    config = Config(vocabulary=9, width=8, heads=2, decoder_layers=1)
    assert pickle.loads(pickle.dumps(config)) == config
    assert dataclasses.replace(config, width=16).width == 16
    with pytest.raises(TypeError, match="missing"):
        Config(vocabulary=9)  # type: ignore[call-arg]


def test_an_object_is_asked_for_as_python_writes_it() -> None:
    with pytest.raises(ValueError, match=r"^positions is 'rotary'; expected Sinusoidal\(\.\.\.\) or Learned\(\)"):
        Config(vocabulary=9, width=8, heads=2, decoder_layers=1, positions="rotary")  # type: ignore[arg-type]
