"""What the first text claims in sections 7 to 9 and of the whole forward pass, proved on the shipped examples."""

import math

import numpy as np
import pytest
from tests.examples.support import run

import workings as wk
from workings import equations as eq
from workings import examples

from .support import HERE, WORDS, X, assert_close, multiplications, run_text, softmax

FUTURE = np.triu(np.full((4, 4), -np.inf), 1)


def unchanged(before, after):
    """Which rows are the same to the last bit."""
    return (np.asarray(before) == np.asarray(after)).all(axis=1).tolist()


# -- section 7 ----------------------------------------------------------------------------------------------------


def test_the_feed_forward_network_treats_each_token_by_itself():
    working = run("encoder-block")
    replayed = working.replay({"block.between[shares]": [2.0, -1.0, 0.5]})
    assert unchanged(working["block.feed_forward.output"], replayed["block.feed_forward.output"]) == [
        True, False, True, True,
    ]  # fmt: skip
    assert unchanged(working["block.output"], replayed["block.output"]) == [True, False, True, True]


def test_information_crosses_between_tokens_in_the_attention_only():
    working = run("encoder-block")
    attention = working.replay({"X[shares]": [0.5, 2.0, 0.0]})["block.attention.output"]
    assert unchanged(working["block.attention.output"], attention)[0] is False  # Apple asks for finance
    # With what the attention gave held fast, nothing else carries a change from one token to another.
    for address in ("block.attention_sum", "block.between", "block.feed_forward_sum"):
        replayed = working.replay({f"{address}[shares]": [0.5, 2.0, 0.0]})
        assert unchanged(working["block.output"], replayed["block.output"]) == [True, False, True, True]


def test_normalised_vectors_have_mean_0_and_variance_1():
    working = run("encoder-block")
    for norm in ("attention_norm", "feed_forward_norm"):
        rows = working[f"block.{norm}.layer_norm.normalised"].value
        variances = working[f"block.{norm}.layer_norm.variance"].value[:, 0]
        assert_close(rows.mean(axis=1), np.zeros(4))
        assert_close(rows.var(axis=1), variances / (variances + 1e-5))
        assert np.all(rows.var(axis=1) > 0.999)


def test_after_two_blocks_apple_has_what_shares_took_from_fell():
    """Open are only the steps from fell to shares and from shares to Apple."""
    closed = -math.inf
    mask = np.array([[closed, 0.0, closed], [closed, closed, 0.0], [closed, closed, 0.0]])
    first, changed = X[:3].copy(), X[:3].copy()
    changed[2] = [0.9, -0.4]
    moved = []
    for rows in (first, changed):
        one = rows + eq.attention(rows, rows, rows, mask)[0]
        two = one + eq.attention(one, one, one, mask)[0]
        moved.append((one[0], two[0]))
    (one, two), (other_one, other_two) = moved
    assert one.tolist() == other_one.tolist()
    assert_close(other_two - two, changed[2] - first[2])


# -- section 8 ----------------------------------------------------------------------------------------------------


def test_masked_weights_are_exactly_0_and_no_later_token_is_seen():
    working = run("decoder-block")
    weights = working["block.self_attention.1.weights"].value
    assert np.all(weights[np.triu_indices(4, 1)] == 0)
    assert np.all(weights[np.tril_indices(4)] > 0)
    assert_close(weights.sum(axis=1), np.ones(4))
    replayed = working.replay({"X[actions]": [3.0, -1.0, 2.0]})
    assert unchanged(working["block.output"], replayed["block.output"]) == [True, True, False, False]


def test_the_halves_meet_in_the_cross_attention_only():
    working = run("decoder-block")
    replayed = working.replay({"Z": [[0.0, 1, 2], [1, 1, 1], [3, 0, 0], [0, 0, 1]]})
    for address in ("self_attention.output", "after_attention", "cross_attention.1.queries"):
        assert replayed[f"block.{address}"].tolist() == working[f"block.{address}"].value.tolist()
    assert not np.any(replayed["block.cross_attention.1.weights"] == working["block.cross_attention.1.weights"].value)
    given = working.find("Z").step
    users = {working.path(step.number) for step in working.steps if any(ref.step == given for ref in step.inputs)}
    assert users
    assert all(path.startswith("block.cross_attention.") for path in users)


# -- section 9 ----------------------------------------------------------------------------------------------------


def test_the_distribution_is_made_from_the_latest_vector_alone():
    working = run("next-token", "Apple shares fell")
    earlier = working.replay({"reading.output[Apple]": [9.0, 9.0, 9.0], "reading.output[shares]": [-9.0, 9.0, 0.0]})
    assert earlier["next.probabilities"].tolist() == working["next.probabilities"].value.tolist()
    latest = working.replay({"reading.output[fell]": [1.0, 0.0, 0.0]})
    assert_close(latest["next.probabilities"], softmax(np.array([0.0, 4, 0, 0, -1])))


def test_temperature_sharpens_below_1_and_flattens_above():
    working = run("next-token")
    one, cold, hot = (working[f"next.{name}probabilities"].value for name in ("", "temperature_0_5.", "temperature_2."))
    assert cold.max() > one.max() > hot.max()
    for probabilities in (cold, hot):
        assert np.argsort(probabilities, kind="stable").tolist() == np.argsort(one, kind="stable").tolist()
    scores = working["next.logits"].value
    assert eq.softmax(eq.temperature(scores, 0.01)).round(12).tolist() == [0, 1, 0, 0, 0]
    np.testing.assert_allclose(eq.softmax(eq.temperature(scores, 1e6)), np.full(5, 0.2), atol=1e-5)


def test_the_loop_stops_at_the_end_token_or_at_its_greatest_length():
    assert run("next-token", "Apple shares fell sharply")["loop.ids"].labels[0][-1] == "end"
    longest = run("next-token")["loop.ids"].labels[0]
    assert len(longest) == 4  # one word and three turns
    assert "end" not in longest


def test_the_loss_is_summed_over_the_sentence():
    working = run("loss")
    true_words = working["learning.probabilities"].value[range(4), [1, 2, 3, 4]]
    assert_close(working["learning.loss"], -math.log(np.prod(true_words)))


def test_one_masked_pass_gives_what_the_loop_gives():
    one_pass = run("next-token", "Apple shares fell")
    weights, bias = one_pass["next.W_out"].value, one_pass["next.b"].value
    at_once = softmax(one_pass["reading.output"].value @ weights.T + bias)
    loop = run("next-token")
    for turn in (1, 2, 3):
        assert_close(loop[f"loop.{turn}.next.probabilities"], at_once[turn - 1])


def test_attention_takes_the_square_of_the_length_times_the_width():
    for length, width in ((5, 3), (10, 3), (5, 6)):
        rows = np.ones((length, width))
        working = wk.show(eq.attention, rows, rows, rows)
        assert multiplications(working) == 2 * length**2 * width
        assert working["weights"].value.size == length**2


@pytest.mark.parametrize(
    ("recipe", "kept"),
    [("bible-en-es", "EncoderDecoder"), ("reviews", "EncoderOnly"), ("shakespeare", "DecoderOnly")],
)
def test_the_three_shapes(recipe, kept):
    """A translator keeps both halves, a classifier the encoder, a writer of text the decoder."""
    pytest.importorskip("torch")
    from workings.commands.cost import config_of
    from workings.transformer import build

    model = build(config_of(f"{HERE.parents[1]}/recipes/{recipe}.toml", otherwise=20))
    assert type(model).__name__ == kept


# -- the whole forward pass ---------------------------------------------------------------------------------------


def layer_norm(rows):
    return (rows - rows.mean(axis=1, keepdims=True)) / np.sqrt(rows.var(axis=1, keepdims=True) + 1e-5)


TABLE = np.array([[1.0, 0.2, 0, 0], [0.1, 1, 0, 0], [0, 0.6, 1, 0.3], [0, 0.5, 0.2, 1]])


def forward_pass(ids):
    """The eight steps, in NumPy."""
    length = len(ids)
    angles = [[p / 10000 ** (2 * (column // 2) / 4) for column in range(4)] for p in range(length)]
    rows = TABLE[ids] + np.where([True, False, True, False], np.sin(angles), np.cos(angles))
    left, right = rows[:, :2], rows[:, 2:]
    mixed = [
        softmax(queries @ keys.T / math.sqrt(2) + FUTURE[:length, :length]) @ keys
        for queries, keys in ((left[:, ::-1], left), (right, right))
    ]
    between = layer_norm(rows + np.hstack(mixed))
    hidden = np.maximum(0, between @ np.array([[1, -1, 0, 0], [0, 0, 1, -1], [0, 1, 0, 1]]).T + [0, 0, 0.5])
    output = layer_norm(between + np.hstack([np.zeros((length, 1)), hidden]))
    return softmax(2 * output[-1])  # W_out is twice the identity


@pytest.mark.parametrize("sentence", ["Apple shares fell", "fell Apple", "Apple shares fell sharply"])
def test_eight_steps_in_order_make_the_whole_forward_pass(sentence):
    example = examples.load(HERE / "forward_pass.toml")
    working = example.run(sentence)
    assert_close(working["next.probabilities"], forward_pass([WORDS.index(word) for word in sentence.split()]))
    order = [
        "X", "positions.input", "block.attention.1.queries", "block.attention.1.scaled_scores",
        "block.attention.1.weights", "block.attention.1.output", "block.attention.output", "block.between",
        "block.feed_forward.output", "block.output", "next.logits", "next.probabilities",
    ]  # fmt: skip
    steps = [working.find(address).step for address in order]
    assert steps == sorted(steps)


def test_what_a_sentence_without_positions_would_lose(tmp_path):
    """Step 2 is there so that the order survives: without it two orders give one set of outputs."""
    text = (
        'title = "No order"\nsentence = "a b"\n[embeddings]\na = [1, 0]\nb = [0, 2]\n'
        '[[section]]\nname = "all"\nkind = "attention"\n'
    )
    assert_close(run_text(tmp_path, text, "b a")["all.output"], run_text(tmp_path, text)["all.output"].value[::-1])
