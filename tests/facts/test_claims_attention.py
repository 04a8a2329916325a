"""What the first text claims in sections 4 to 6, proved on the shipped example and the equations."""

import math

import numpy as np
import pytest
from tests.examples.support import run

import workings as wk
from workings import equations as eq

from .support import OTHER_ORDER, SWAP, X, assert_close, multiplications, run_text, softmax

# -- section 4 ----------------------------------------------------------------------------------------------------


def test_queries_keys_and_values_come_from_one_vector_and_can_differ():
    working = run("apple")
    assert_close(working["projected.queries"], [[0.2, 1.0], [1.0, 0.1], [0.6, 0.3], [0.5, 0.2]])
    for part in ("keys", "values"):
        assert working[f"projected.{part}"].value.tolist() == X.tolist()


def test_the_scale_alone_flattens_every_row():
    plain, scaled = (run("apple")[f"{section}.weights"].value for section in ("plain", "scaled"))
    assert_close(scaled, softmax(X @ X.T / math.sqrt(2)))
    assert np.all(scaled.max(axis=1) < plain.max(axis=1))
    assert np.all(scaled.min(axis=1) > plain.min(axis=1))


def test_the_swap_makes_apple_ask_for_finance_and_find_shares():
    working = run("apple")
    query = working["projected.queries[Apple]"].value
    assert query.tolist() == X[0, ::-1].tolist()
    assert np.argmax(working["projected.scaled_scores"].value[0]) == 1
    assert np.argmax(working["projected.weights"].value[1]) == 0  # and shares looks back


def test_the_projected_output_lies_further_towards_finance():
    plain, projected = (run("apple")[f"{section}.output"].value[0] for section in ("plain", "projected"))
    assert projected[1] > plain[1]
    assert projected[0] < plain[0]


def test_no_scale_makes_shares_apples_best_match_on_raw_embeddings():
    scores = run("apple")["plain.scores"].value[0]
    assert_close(scores, X @ X[0])
    for scale in (0.001, 1 / math.sqrt(2), 1.0, 100.0):
        assert np.argmax(softmax(scale * scores)) == 0


def test_one_product_projects_all_tokens():
    queries = run("apple")["projected.queries"]
    assert queries.step.operation == "matmul"
    assert_close(queries.value, [row @ SWAP for row in X])


# -- section 5 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_narrow_heads_take_as_many_multiplications_as_one_wide_head(heads):
    length, width = 6, 8
    tokens, square = np.ones((length, width)), np.eye(width)
    working = wk.show(eq.multi_head_packed, tokens, square, square, square, square, heads)
    projections, pairs = 4 * length * width**2, 2 * length**2 * width
    assert multiplications(working) == projections + pairs


def test_on_the_food_axis_apple_attends_to_itself_the_most():
    assert np.argmax(run("apple")["heads.2.weights"].value[0]) == 0


def test_on_the_finance_axis_apples_weights_are_nearly_uniform():
    assert np.max(np.abs(run("apple")["heads.1.weights"].value[0] - 0.25)) < 0.025


def test_with_the_identity_the_concatenation_is_the_output():
    working = run("apple")
    assert working["heads.W_O"].value.tolist() == [[1, 0], [0, 1]]
    assert_close(working["heads.output"], working["heads.concatenated"])


def test_one_wide_head_adds_up_what_two_heads_ask():
    working = run("apple")
    assert_close(working["plain.scores"].value, working["heads.1.scores"].value + working["heads.2.scores"].value)


# -- section 6 ----------------------------------------------------------------------------------------------------


def test_permuted_tokens_give_permuted_outputs(tmp_path):
    for section in ("plain", "scaled", "projected", "heads"):
        there, here = run("apple", OTHER_ORDER), run("apple")
        assert_close(there[f"{section}.output"], here[f"{section}.output"].value[[1, 2, 3, 0]])
    text = (
        'title = "Bank"\nsentence = "the fund bought the bank"\n[embeddings]\nthe = [1, 0, 2]\nfund = [0, 3, 1]\n'
        'bought = [-1, 0.5, 0]\nbank = [2, -2, 1]\n[[section]]\nname = "all"\nkind = "plain-attention"\n'
    )
    fund, bank = run_text(tmp_path, text), run_text(tmp_path, text, "the bank bought the fund")
    assert_close(bank["all.output"], fund["all.output"].value[[0, 4, 2, 3, 1]])


def test_with_positions_every_weight_changes():
    order, rows = [1, 2, 3, 0], {}
    for sentence, embeddings in {"Apple shares fell sharply": X, OTHER_ORDER: X[order]}.items():
        encoding = np.array([[math.sin(p), math.cos(p)] for p in range(4)])
        rows[sentence] = run("apple", sentence)["positions.input"].value
        assert_close(rows[sentence], embeddings + encoding)
    first, other = rows.values()
    assert np.round(other[3], 2).tolist() == [1.14, -0.79]
    for weights in (
        lambda r: eq.plain_attention(r)[1],
        lambda r: eq.attention(r, r, r)[1],
        lambda r: eq.attention(r @ SWAP, r, r)[1],
    ):
        before, after = weights(first)[np.ix_(order, order)], weights(other)
        assert np.all(before != after)
        assert np.max(np.abs(before - after)) > 0.1


def test_low_coordinates_are_fast_and_high_ones_slow():
    encoding = eq.sinusoidal_positions(100, 8, X)
    steps = np.abs(np.diff(encoding, axis=0)).max(axis=0)
    assert np.all(np.diff(steps[0::2]) < 0)  # each pair of coordinates moves less than the pair before it
    assert np.min(np.linalg.norm(np.diff(encoding[:, :2], axis=0), axis=1)) > 0.9  # the first tells neighbours apart
    assert np.all(np.diff(encoding[:, 6]) > 0)  # the last grows along the whole sentence


def test_adding_positions_keeps_the_width():
    working = run("apple")
    assert working["positions.input"].value.shape == working["X"].value.shape == (4, 2)


def test_a_head_can_look_at_the_word_before_from_positions_alone():
    """Queries turned back by one position; the words themselves are left out."""
    encoding = eq.sinusoidal_positions(12, 8, X)
    turn = np.zeros((8, 8))
    for pair in range(4):
        angle = 1 / 10000 ** (2 * pair / 8)
        cosine, sine = math.cos(angle), math.sin(angle)
        turn[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cosine, sine], [-sine, cosine]]
    weights = eq.attention(encoding @ turn, encoding, encoding)[1]
    assert np.argmax(weights, axis=1)[1:].tolist() == list(range(11))


def test_a_fixed_offset_is_a_fixed_rotation():
    encoding = eq.sinusoidal_positions(2000, 6, X)
    for pair, exponent in enumerate((0, 1 / 3, 2 / 3)):
        points = encoding[:, 2 * pair + 1] + 1j * encoding[:, 2 * pair]
        for offset in (1, 7, 300):
            turned = points[:-offset] * np.exp(1j * offset / 10000**exponent)
            np.testing.assert_allclose(points[offset:], turned, rtol=0, atol=1e-12)
    sines, cosines = run("apple")["positions.encoding"].value.T
    assert_close(np.arctan2(sines, cosines), [0, 1, 2, 3])


def test_encodings_are_bounded_at_any_length():
    encoding = eq.sinusoidal_positions(100_000, 4, X)
    assert np.max(np.abs(encoding)) <= 1
    assert encoding[-1, 0] == pytest.approx(math.sin(99_999), abs=1e-12)


def test_the_encoding_does_not_depend_on_the_words():
    assert run("apple", OTHER_ORDER)["positions.encoding"].value.tolist() == (
        run("apple")["positions.encoding"].value.tolist()
    )
