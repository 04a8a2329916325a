"""What a batch holds, worked by hand; the order of batches, resumed and shared."""

import json
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.text import (
    IGNORED,
    BatchOrder,
    Labelled,
    LabelledCorpus,
    Pairs,
    ParallelCorpus,
    TextCorpus,
    TextError,
    Tokeniser,
    Windows,
)  # fmt: skip
from workings.text.order import bucketed
from workings.text.ragged import Ragged

LETTERS = Tokeniser.train("character", ["abcdefghij"], spelled=False)  # a 0 … j 9, padding 10, begin 11, end 12
OTHERS = Tokeniser.train("character", ["xyz"], spelled=False)  # x 0, y 1, z 2, padding 3, begin 4, end 5
TEXT = TextCorpus.of(["abcdefghij"], LETTERS)


def pairs(count: int, seed: int = 0) -> Pairs:
    generator = np.random.default_rng(seed)
    made = [
        ("".join(generator.choice(list("abc"), 1 + number % 7)), "xyz"[: 1 + number % 3]) for number in range(count)
    ]
    return Pairs(ParallelCorpus.of(made, LETTERS, OTHERS))


def test_windows_worked_by_hand() -> None:
    batch = Windows(TEXT, 4).batch(np.array([0, 4, 8]))
    assert batch.inputs.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 10, 10, 10]]
    assert batch.targets.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, IGNORED, IGNORED, IGNORED]]
    assert batch.lengths.tolist() == [4, 4, 1]
    assert (batch.tokens, batch.all_tokens, batch.rows, batch.examples) == (9, 9, 3, (0, 4, 8))
    assert {batch.inputs.dtype, batch.targets.dtype, batch.lengths.dtype} == {torch.int64}
    assert batch.source is batch.labels is None


def test_pairs_worked_by_hand() -> None:
    corpus = ParallelCorpus.of([("abc", "x"), ("d", "zyx")], LETTERS, OTHERS)
    batch = Pairs(corpus).batch(np.array([1, 0]))
    assert batch.source.tolist() == [[3, 12, 10, 10], [0, 1, 2, 12]]
    assert batch.source_lengths.tolist() == [2, 4]
    assert batch.inputs.tolist() == [[4, 2, 1, 0], [4, 0, 3, 3]]
    assert batch.targets.tolist() == [[2, 1, 0, 5], [0, 5, IGNORED, IGNORED]]
    assert batch.lengths.tolist() == [4, 2]
    assert (batch.tokens, batch.examples) == (6, (1, 0))


def test_labelled_worked_by_hand() -> None:
    corpus = LabelledCorpus(Ragged.of([[0, 1], [], [2]], 20), np.array([1, 0, 1]), ("no", "yes"), LETTERS)
    batch = Labelled(corpus).batch(np.array([0, 1, 2]))
    assert batch.inputs.tolist() == [[11, 0, 1, 12], [11, 12, 10, 10], [11, 2, 12, 10]]
    assert batch.labels.tolist() == [1, 0, 1]
    assert batch.targets is None
    assert (batch.tokens, batch.all_tokens) == (3, 3)


def test_the_ignored_target_is_the_one_of_torch() -> None:
    batch = Windows(TEXT, 4).batch(np.array([4, 8]))
    logits = torch.randn(2, 4, len(LETTERS), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    total = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), reduction="sum")
    real = [(0, j, 5 + j) for j in range(4)] + [(1, 0, 9)]
    torch.testing.assert_close(total, -sum(logits[i, j].log_softmax(0)[target] for i, j, target in real))


def test_windows_in_order_predict_each_token_once() -> None:
    for context in range(1, 12):
        order = BatchOrder(Windows(TEXT, context), rows=2, seed=None)
        batches = list(order)
        predicted = [target for batch in batches for target in batch.targets.flatten().tolist() if target != IGNORED]
        assert sorted(predicted) == list(range(1, 10))
        assert sum(batch.tokens for batch in batches) == 9


def test_windows_drawn_begin_anywhere() -> None:
    order = BatchOrder(Windows(TEXT, 3), rows=2, seed=1)
    starts = Counter(start for _ in range(400) for batch in order for start in batch.examples)
    assert set(starts) == set(range(7))  # 0 … 6: three tokens and the one after them
    assert sum(starts.values()) == 400 * 3  # nine targets, three at a time
    assert max(starts.values()) < 1.4 * min(starts.values())
    with pytest.raises(TextError, match="a corpus of 10 tokens; expected more than the context of 10"):
        list(BatchOrder(Windows(TEXT, 10), rows=2, seed=1))
    with pytest.raises(TextError, match="a corpus of 1 token; expected at least 2"):
        Windows(TextCorpus.of(["a"], LETTERS), 1)


sizes = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=60)


@settings(deadline=None)
@given(sizes, st.integers(1, 120))
def test_batches_by_tokens_hold_each_example_once_and_no_more_than_asked(
    rows: list[tuple[int, int]], most: int
) -> None:
    lengths = np.array(rows)
    plan = bucketed(np.arange(len(rows)) + 100, lengths, most, None)
    assert sorted(number for batch in plan for number in batch.tolist()) == list(range(100, 100 + len(rows)))
    for batch, following in zip(plan, [*plan[1:], None], strict=True):
        widest = lengths[batch - 100].max()
        assert len(batch) * widest <= most or len(batch) == 1
        if following is not None:  # and the next example would not have fitted
            grown = np.append(batch, following[0]) - 100
            assert len(grown) * lengths[grown].max() > most
    joined = np.concatenate(plan) - 100
    assert [rows[place] for place in joined] == sorted(rows, key=max)  # equals in the order given


@settings(deadline=None)
@given(sizes, st.integers(1, 20))
def test_batches_by_rows(rows: list[tuple[int, int]], most: int) -> None:
    plan = bucketed(np.arange(len(rows)), np.array(rows), None, most)
    assert [len(batch) for batch in plan[:-1]] == [most] * (len(plan) - 1)
    assert sorted(np.concatenate(plan).tolist()) == list(range(len(rows)))


def share_of_real(examples: Pairs) -> float:
    slots = real = 0
    for batch in BatchOrder(examples, tokens=256, seed=1):
        slots += batch.inputs.numel() + batch.source.numel()
        real += batch.tokens + int(batch.source_lengths.sum())
    return real / slots


def test_rows_of_like_length_come_together() -> None:
    alike = [("abc"[number % 3] * (1 + number % 7), "xyz"[number % 3] * (1 + number % 7)) for number in range(2000)]
    assert share_of_real(Pairs(ParallelCorpus.of(alike, LETTERS, OTHERS))) > 0.95
    # Where the sides have nothing to do with one another, the shorter is padded: 1 to 3 letters and the end, of 4.
    assert 0.8 < share_of_real(pairs(2000)) < 0.95


def test_the_shorter_sides_of_a_batch_end_at_different_places() -> None:
    ends = [set(batch.lengths.tolist()) for batch in BatchOrder(pairs(2000), tokens=256, seed=1)]
    assert sum(len(lengths) > 1 for lengths in ends) > 0.9 * len(ends)


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    def seen(order: BatchOrder) -> list[list[int]]:
        return [batch.tolist() for batch in order.plan(3)]

    order = BatchOrder(pairs(200), tokens=64, seed=7)
    wandered = BatchOrder(pairs(200), tokens=64, seed=7)
    for _ in zip(range(50), wandered.forever(), strict=False):
        pass
    assert seen(order) == seen(wandered)
    assert seen(order) != [batch.tolist() for batch in order.plan(4)]
    assert seen(order) != seen(BatchOrder(pairs(200), tokens=64, seed=8))
    fixed = BatchOrder(pairs(200), tokens=64, seed=None)
    assert seen(fixed) == [batch.tolist() for batch in fixed.plan(9)]


def test_an_epoch_is_every_example_once_and_forever_goes_on() -> None:
    order = BatchOrder(pairs(100), rows=8, seed=2)
    first, second = ([example for batch in order for example in batch.examples] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second
    assert (order.epoch, order.batch, len(order)) == (2, 0, 13)
    endless = BatchOrder(pairs(100), rows=8, seed=2).forever()
    assert [example for _ in range(26) for example in next(endless).examples] == first + second


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 60), st.sampled_from(["tokens", "rows"]), st.sampled_from([1, 2, 3]))
def test_resumed_anywhere_it_goes_on_as_if_nothing_had_been(done: int, by: str, world: int) -> None:
    def order() -> BatchOrder:
        return BatchOrder(pairs(60), **{by: {"tokens": 40, "rows": 4}[by]}, seed=5)

    whole = order().forever()
    expected = [next(whole).examples for _ in range(80)]
    stopped = order()
    running = stopped.forever()
    for _ in range(done):
        next(running)
    state = json.loads(json.dumps(stopped.state()))
    resumed = [order().shard(rank, world) for rank in range(world)]
    for part in resumed:
        part.restore(state)
        assert part.state() == state
    going = [part.forever() for part in resumed]
    for wanted in expected[done:]:
        shared = [next(part) for part in going]
        rows = [row for batch in shared if batch.tokens for row in batch.examples]
        assert sorted(rows) == sorted(wanted)


def test_a_state_of_something_else_is_refused() -> None:
    order = BatchOrder(pairs(60), tokens=40, seed=5)
    state = order.state()
    for other in (
        BatchOrder(pairs(61), tokens=40, seed=5),
        BatchOrder(pairs(60, seed=1), tokens=40, seed=5),
        BatchOrder(pairs(60), tokens=41, seed=5),
        BatchOrder(pairs(60), rows=40, seed=5),
    ):
        with pytest.raises(TextError, match="a place in the batches of other data"):
            other.restore(state)
    with pytest.raises(TextError, match="a place in an order with seed 5; expected seed 6"):
        BatchOrder(pairs(60), tokens=40, seed=6).restore(state)
    for damaged in ({}, {**state, "batch": -1}, {**state, "epoch": "1"}):
        with pytest.raises(TextError, match="a place in the data of epoch"):
            order.restore(damaged)


@pytest.mark.parametrize("world", [2, 3, 7])
def test_processes_see_together_what_one_sees(world: int) -> None:
    alone = BatchOrder(pairs(101), tokens=40, seed=3)
    parts = [BatchOrder(pairs(101), tokens=40, seed=3).shard(rank, world) for rank in range(world)]
    for whole, *shared in zip(alone, *parts, strict=True):
        assert sum(batch.tokens for batch in shared) == whole.tokens
        assert {batch.all_tokens for batch in (whole, *shared)} == {whole.tokens}
        assert max(batch.rows for batch in shared) - min(batch.rows for batch in shared) <= 1
        rows = [row for batch in shared for row in real_rows(batch)]
        assert Counter(rows) == Counter(real_rows(whole))


def real_rows(batch) -> list[tuple[tuple[int, ...], ...]]:
    """Source, inputs and targets of each row that has targets, without padding."""
    return [
        (tuple(source[:long].tolist()), tuple(inputs[:length].tolist()), tuple(targets[:length].tolist()))
        for source, long, inputs, targets, length in zip(
            batch.source, batch.source_lengths, batch.inputs, batch.targets, batch.lengths, strict=True
        )
        if (targets != IGNORED).any()
    ]


def test_a_process_without_a_row_gets_one_without_targets() -> None:
    labelled = Labelled(LabelledCorpus(Ragged.of([[0], [1], [2]], 20), np.array([0, 1, 1]), ("a", "b"), LETTERS))
    batches = [next(iter(BatchOrder(labelled, rows=3, seed=1).shard(rank, 4))) for rank in range(4)]
    assert [batch.tokens for batch in batches] == [1, 1, 1, 0]
    assert batches[3].labels.tolist() == [IGNORED]
    assert {batch.all_tokens for batch in batches} == {3}


@pytest.mark.parametrize("given", [{}, {"tokens": 0}, {"rows": 0}, {"tokens": 8, "rows": 8}])
def test_one_size_of_batches_is_needed(given: dict[str, int]) -> None:
    with pytest.raises(TextError, match="one of the two, at least 1"):
        BatchOrder(pairs(3), **given, seed=1)


def test_no_examples() -> None:
    with pytest.raises(TextError, match="no examples"):
        list(BatchOrder(Pairs(ParallelCorpus.of([], LETTERS)), rows=1, seed=1))


def test_moving_a_batch_moves_its_tensors_alone() -> None:
    batch = pairs(5).batch(np.arange(5))
    moved = batch.to("meta")
    assert moved.inputs.device.type == moved.source.device.type == "meta"
    assert (moved.tokens, moved.examples) == (batch.tokens, batch.examples)
