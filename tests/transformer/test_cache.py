"""Reading with a cache against reading all at once: the same numbers in float64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from tests.transformer.support import CHOICES, SOME, made, tokens
from torch import Tensor

from workings.transformer import Cache, Window
from workings.transformer.masks import Causal, KernelMask

EVERY = pytest.mark.parametrize("choice", CHOICES)


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.fixture(autouse=True)
def without_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def in_parts(model: Any, batch: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """The logits of a batch that is read in parts of these sizes."""
    cache = model.cache(len(batch), batch.shape[1])
    return torch.cat([model(part, cache=cache) for part in batch.split(sizes, dim=1)], dim=1)


@pytest.mark.parametrize("choice", SOME)
def test_one_by_one(choice: str) -> None:
    model, batch = made("decoder-only", **CHOICES[choice]), tokens(2, 9)
    close(in_parts(model, batch, (1,) * 9), model(batch))


@EVERY
def test_in_parts(choice: str) -> None:
    model, batch = made("decoder-only", **CHOICES[choice]), tokens(2, 9)
    close(in_parts(model, batch, (4, 1, 3, 1)), model(batch))


@EVERY
def test_prompts_of_different_lengths(choice: str) -> None:
    """Each row goes on where its own prompt ended, alone or several tokens at a time."""
    model, batch, lengths = made("decoder-only", **CHOICES[choice]), tokens(3, 10), torch.tensor([2, 5, 1])
    whole, rows = model(batch), torch.arange(3)[:, None]
    cache = model.cache(3, 10)
    first = model(batch[:, :5], lengths, cache)
    for row, length in enumerate(lengths):
        close(first[row, :length], whole[row, :length])
    for size, real in ((1, None), (3, torch.tensor([3, 1, 2])), (1, None)):
        places = lengths[:, None] + torch.arange(size)
        found = model(batch[rows, places], real, cache)
        grown = torch.full_like(lengths, size) if real is None else real
        for row in range(3):
            close(found[row, : grown[row]], whole[row, places[row, : grown[row]]])
        lengths = lengths + grown
    assert cache.longest == lengths.max()


@EVERY
def test_translation(choice: str) -> None:
    model, source, target = made("encoder-decoder", **CHOICES[choice]), tokens(3, 7), tokens(3, 6, seed=6)
    lengths = torch.tensor([7, 2, 4])
    memory, cache = model.encode(source, lengths), model.cache(3, 6)
    found = [model.decode(target[:, :2], memory, lengths, cache)]
    found += [model.decode(target[:, place : place + 1], None, cache=cache) for place in range(2, 6)]
    close(model.logits(torch.cat(found, dim=1)), model(source, target, lengths))


@pytest.mark.parametrize("choice", ["rotary, halves", "grouped", "additive", "window", "relative buckets"])
def test_beams_share_a_memory(choice: str) -> None:
    """Six rows read three memories; they are exchanged within their sentences, and a sentence is dropped."""
    model, source, target = made("encoder-decoder", **CHOICES[choice]), tokens(3, 7), tokens(6, 6, seed=6)
    lengths = torch.tensor([7, 2, 4])
    memory, cache = model.encode(source, lengths), model.cache(6, 8)
    sentences = torch.arange(3).repeat_interleave(2)
    expected = model(source[sentences], target, lengths[sentences])
    close(model.logits(model.decode(target, memory, lengths)), expected)
    close(model.logits(model.decode(target, memory, lengths, cache)), expected)

    for order in (torch.tensor([1, 1, 2, 3, 5, 4]), torch.tensor([2, 3, 5, 5])):
        cache.reorder(order)
        target, sentences = target[order], sentences[order]
        target = torch.cat([target, tokens(len(order), 1, seed=7)], dim=1)
        found = model.logits(model.decode(target[:, -1:], None, cache=cache))
        close(found, model(source[sentences], target, lengths[sentences])[:, -1:])


def test_rows_may_change_places_and_number() -> None:
    model, batch, lengths = made("decoder-only"), tokens(3, 5), torch.tensor([2, 5, 3])
    cache = model.cache(3, 11)
    model(batch, lengths, cache)
    for order in ([2, 0, 1], [1, 1, 1], [0, 0, 1, 2, 2], [4]):
        rows = torch.tensor(order)
        cache.reorder(rows)
        batch, lengths = batch[rows], lengths[rows]
        longer = torch.cat([batch, batch.new_zeros(len(batch), 1)], dim=1)
        longer[torch.arange(len(rows)), lengths] = token = tokens(len(rows), seed=9)
        found = model(token[:, None], cache=cache)
        batch, lengths = longer, lengths + 1
        close(found[:, 0], model(batch)[torch.arange(len(rows)), lengths - 1])


def test_what_was_read_can_be_forgotten() -> None:
    model, batch = made("decoder-only"), tokens(2, 9)
    cache = model.cache(2, 9)
    model(batch[:, :7], cache=cache)
    cache.keep(torch.tensor([3, 3]))
    close(model(batch[:, 3:], cache=cache), model(batch)[:, 3:])
    cache.keep(torch.tensor([4, 2]))
    found = model(batch[[0, 1], [4, 2]][:, None], cache=cache)
    close(found[:, 0], model(batch)[[0, 1], [4, 2]])


def test_one_new_token_after_equal_rows_needs_no_mask() -> None:
    assert Causal().kernel_arguments(1, 9, 8) == KernelMask(None, False)
    # Of 9 keys a window of 3 leaves the last 3; asked about these, it hides nothing.
    assert (Causal() & Window(3)).kernel_arguments(1, 3, 2) == KernelMask(None, False)


class TestErrors:
    def test_no_room(self) -> None:
        model = made("decoder-only")
        cache = model.cache(1, 4)
        model(tokens(1, 3), cache=cache)
        with pytest.raises(ValueError, match=r"room for 4 tokens, and 3 \+ 2 do not fit"):
            model(tokens(1, 2), cache=cache)
        # Nothing was half done: what fits can still be read.
        model(tokens(1, 1), cache=cache)

    def test_other_rows(self) -> None:
        model = made("decoder-only")
        with pytest.raises(ValueError, match="the tokens have 3 rows; expected 2"):
            model(tokens(3, 2), cache=model.cache(2, 4))

    def test_not_causal(self) -> None:
        with pytest.raises(ValueError, match="causal is false"):
            made("decoder-only", causal=False).cache(1, 4)

    def test_rows_of_two_memories_mixed(self) -> None:
        model = made("encoder-decoder")
        cache: Cache = model.cache(4, 4)
        model.decode(tokens(4, 2), model.encode(tokens(2, 3)), cache=cache)
        with pytest.raises(ValueError, match="each 2 rows share a row of the memory"):
            cache.reorder(torch.tensor([0, 2, 2, 3]))

    def test_no_memory(self) -> None:
        model = made("encoder-decoder")
        with pytest.raises(ValueError, match="there is no memory"):
            model.decode(tokens(2, 2), None)

    def test_rows_that_do_not_divide(self) -> None:
        model = made("encoder-decoder")
        with pytest.raises(ValueError, match="the target has 3 rows, the memory 2"):
            model.decode(tokens(3, 2), model.encode(tokens(2, 3)))
