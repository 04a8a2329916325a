"""Running examples: other sentences, what-ifs, conventions, the starting file, and small files drawn at random."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings import examples
from workings.examples import reading
from workings.recording.address import AddressError

from .support import run


def load(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return examples.load(path)


def as_data(declared):
    if dataclasses.is_dataclass(declared):
        return {f.name: as_data(getattr(declared, f.name)) for f in dataclasses.fields(declared)} | {
            "is": type(declared)
        }
    if isinstance(declared, list):
        return [as_data(item) for item in declared]
    return {k: as_data(v) for k, v in declared.items()} if isinstance(declared, dict) else declared


class TestShipped:
    def test_names_and_what_they_say_of_themselves(self):
        assert examples.names() == ["apple", "journey", "encoder-block", "decoder-block", "next-token", "loss"]
        for name in examples.names():
            example = examples.load(name)
            assert example.title
            assert example.description.endswith(".")
            assert example.sentence in example.source_text

    @pytest.mark.parametrize("name", examples.names())
    def test_is_valid_by_the_rules_for_users_and_reads_the_same(self, name):
        example = examples.load(name)
        assert as_data(reading.read(example.source_text, name)) == as_data(example.document)

    @pytest.mark.parametrize("name", examples.names())
    def test_is_followed_whole(self, name):
        working = run(name)
        assert working.lost == []
        assert working.source.kind == "example"
        assert working.source.text
        assert all(s.text for s in examples.load(name).document.section)

    def test_needs_neither_torch_nor_pydantic(self):
        code = (
            "import sys; from workings import examples; examples.load('apple').run(); "
            "print([m for m in ('torch', 'pydantic', 'matplotlib') if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

    def test_both_names_of_the_second_texts_rows(self):
        working = run("journey")
        np.testing.assert_array_equal(working["X"].value, working["inputs"].value)
        assert working["inputs[step]"].value.tolist() == [0.05, 0.80, 0.55]

    def test_the_rows_come_from_the_table(self):
        before, after = run("apple"), run("apple").replay({"E[fell, food]": 0.9})
        assert float(before["X[fell, food]"]) == 0.3
        assert float(after["X"][2, 0]) == 0.9

    def test_sections_of_the_text(self):
        sections = {g.name: g.section for g in run("apple").groups if g.section}
        assert sections == {
            "similarity": "1",
            "plain": "3",
            "scaled": "4",
            "projected": "4",
            "heads": "5",
            "positions": "6",
        }


class TestOtherSentences:
    def test_words_are_matched_exactly_and_else_by_either_case(self):
        assert run("apple", "SHARES fell apple")["X"].labels[0] == ("shares", "fell", "Apple")
        both = 'title = "T"\nsentence = "US us"\n[embeddings]\nus = [1]\nUS = [2]\n'
        both += '[[section]]\nname = "c"\nkind = "cosine"\n'
        example = examples.Example("t", "t", both, reading.read(both, "t"))
        assert example.run()["X"].value.ravel().tolist() == [2, 1]
        assert example.run("Us")["X"].value.ravel().tolist() == [1]

    def test_a_word_twice(self):
        working = run("apple", "Apple shares Apple")
        assert working["projected.weights[Apple#2, shares]"].value == working["projected.weights[Apple, shares]"].value
        assert working["positions.input[Apple#2]"].value.tolist() != working["positions.input[Apple]"].value.tolist()

    def test_one_word(self):
        assert run("apple", "fell")["projected.weights"].value.tolist() == [[1.0]]

    def test_without_the_word_that_asks(self):
        working = run("journey", "one step")
        assert working["query.query"].value.tolist() == [0.77, 0.25, 0.10]
        assert any("'journey'" in note for note in working.notes)

    def test_unknown_words_are_refused(self):
        with pytest.raises(examples.ExampleError, match=r"'sharpy'.*did you mean 'sharply'"):
            examples.load("apple").run("Apple fell sharpy")


class TestWhatIf:
    def test_the_exercise_of_the_second_text(self):
        X = np.array(run("journey")["X"].value)
        X[5] = X[1]
        weights = np.exp(X @ X.T) / np.exp(X @ X.T).sum(axis=1, keepdims=True)
        replayed = run("journey").replay({"X[step]": "X[journey]"})
        np.testing.assert_allclose(replayed["all.weights"], weights, rtol=1e-13)
        np.testing.assert_allclose(replayed["query.context"], (weights @ X)[1], rtol=1e-13)

    def test_changes_given_to_run(self):
        working = examples.load("journey").run(changes={"X[step]": [0.55, 0.87, 0.66]})
        assert working["query.weights[step]"].value == working["query.weights[journey]"].value

    def test_another_choice_of_word_runs_the_loop_again(self):
        working = run("next-token")
        replayed = working.replay({"next.b[end]": 9.0})
        assert replayed.rerun is not None
        assert replayed.rerun["loop.ids"].labels == (("Apple", "end"),)
        assert working.replay({"next.b[end]": -2.0}).rerun is None

    def test_one_weight_serves_all_turns(self):
        replayed = run("next-token").replay({"next.W_out[Apple, food]": 1.0})
        assert replayed["loop.1.next.logits"][0] == 1.0

    def test_the_step_follows_the_learning_rate(self):
        before = float(run("loss")["learning.loss"])
        losses = [float(run("loss").replay({"learning_rate": rate})["step.loss"]) for rate in (0.0, 0.5, 1.0)]
        assert losses[0] == before > losses[1] > losses[2]

    def test_an_unknown_address(self):
        with pytest.raises(AddressError):
            examples.load("apple").run(changes={"Y[Apple]": 0.0})


SMALL = """title = "Small"
sentence = "one two three"
[embeddings]
one = [1, 0.5, -1, 0.25]
two = [0.5, 2, 0, 1]
three = [-1, 0, 1, 0.5]
[conventions]
%s
"""


class TestConventions:
    def test_only_those_that_changed_numbers(self):
        card = run("journey").conventions
        assert card["attention scale"] == "scores not divided by anything"
        assert not {"norm", "mask", "epsilon", "activation", "positions", "loss"} & set(card)
        card = run("encoder-block").conventions
        assert {"attention scale", "norm", "variance divisor", "epsilon", "activation"} <= set(card)
        assert not {"mask", "positions", "loss"} & set(card)
        assert "1e-05" in card["epsilon"]

    @pytest.mark.parametrize(("scale", "factor"), [("'none'", 1.0), ("'sqrt(d_k)'", 0.5), ("0.25", 0.25)])
    def test_scale(self, tmp_path, scale, factor):
        text = SMALL % f"scale = {scale}" + "[[section]]\nname = 'a'\nkind = 'attention'\n"
        working = load(tmp_path, text).run()
        X = working["X"].value
        np.testing.assert_allclose(working["a.scaled_scores"].value, X @ X.T * factor, rtol=1e-14)

    def test_pre_norm_agrees_with_the_equation(self, tmp_path):
        from workings import equations as eq

        source = examples.load("encoder-block").source_text.replace('norm = "post"', 'norm = "pre"')
        working = load(tmp_path, source).run()
        column = lambda place, size=1.0: np.eye(3)[:, [place]] * size  # noqa: E731
        heads = [(column(0), column(1, 2.0), column(1)), (column(1), column(2, 2.0), column(2))]
        norm = eq.NormWeights(np.ones(3), np.zeros(3))
        network = eq.FeedForwardWeights(
            np.array([[1.0, 0, -1], [0, 0, 1]]), np.array([0, 0.5]), np.array([[-1.0, 0], [1, 0], [0, 1]]), np.zeros(3)
        )
        block = eq.EncoderBlockWeights(
            eq.AttentionWeights(heads, np.array([[0.0, 1, 0], [0, 0, 1]])), norm, network, norm
        )
        np.testing.assert_allclose(
            working["block.output"].value, eq.encoder_block_pre(working["X"].value, block), rtol=1e-13
        )
        assert working.conventions["norm"].endswith("before each sub-layer")

    @pytest.mark.parametrize(("pairing", "partner"), [("adjacent", [1, 0, 3, 2]), ("halves", [2, 3, 0, 1])])
    def test_rotary_positions(self, tmp_path, pairing, partner):
        text = SMALL % f"pairing = '{pairing}'" + "[[section]]\nname = 'p'\nkind = 'positions'\nencoding = 'rotary'\n"
        text += "[[section]]\nname = 'a'\nkind = 'attention'\nrotary = true\n"
        working = load(tmp_path, text).run()
        X = working["X"].value
        first = [0, 2] if pairing == "adjacent" else [0, 1]
        turned = np.empty_like(X)
        for p in range(3):
            for pair, i in enumerate(first):
                angle, j = p / 10000 ** (pair / 2), partner[i]
                turned[p, i] = X[p, i] * np.cos(angle) - X[p, j] * np.sin(angle)
                turned[p, j] = X[p, i] * np.sin(angle) + X[p, j] * np.cos(angle)
        np.testing.assert_allclose(working["p.rotated"].value, turned, rtol=1e-12)
        np.testing.assert_allclose(working["a.scores"].value, turned @ turned.T, rtol=1e-12, atol=1e-14)

    def test_a_loss_averaged_is_the_sum_divided(self, tmp_path):
        source = examples.load("loss").source_text.replace('reduction = "sum"', 'reduction = "mean"')
        working = load(tmp_path, source).run()
        for address in ("learning.loss", "learning.gradient.gradient"):
            assert float(working[address]) == pytest.approx(float(run("loss")[address]) / 4, rel=1e-13)


PIECES = """
[values]
wide = { numbers = [[1, 0], [0, 1], [1, 1], [0, 2]] }
Z = { numbers = [[1, 2, 3, 4], [0, 1, 0, 1]], rows = ["a", "b"] }
[[section]]
name = "asking"
kind = "cross-attention"
memory = "Z"
[[section]]
name = "added"
kind = "additive-attention"
W_Q = "wide"
W_K = "wide"
v = [1, -1]
mask = "causal"
[[section]]
name = "together"
kind = "residual"
add = "asking"
[[section]]
name = "steady"
kind = "layer-norm"
input = "together"
gain = [1, 2, 1, 2]
[[section]]
name = "thought"
kind = "feed-forward"
input = "steady"
W_1 = [[1, 0, 1, 0]]
W_2 = [[1], [2]]
b_2 = [0, 1]
[[section]]
name = "others"
kind = "lookup"
sentence = "Three one"
"""


def test_the_pieces_that_no_shipped_example_uses(tmp_path):
    working = load(tmp_path, SMALL % "" + PIECES).run()
    X, Z = working["X"].value, np.array([[1.0, 2, 3, 4], [0, 1, 0, 1]])
    weights = np.exp(X @ Z.T / 2) / np.exp(X @ Z.T / 2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(working["asking.output"].value, weights @ Z, rtol=1e-13)
    assert working["asking.weights"].labels == (("one", "two", "three"), ("a", "b"))
    wide, v = working["wide"].value, np.array([1.0, -1])
    sums = np.array(
        [[v @ np.tanh(q @ wide + k @ wide) if j <= i else -np.inf for j, k in enumerate(X)] for i, q in enumerate(X)]
    )
    added = np.exp(sums) / np.exp(sums).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(working["added.weights"].value, added, rtol=1e-13)
    together = X + weights @ Z
    centred = together - together.mean(axis=1, keepdims=True)
    steady = centred / np.sqrt(together.var(axis=1, keepdims=True) + 1e-5) * [1, 2, 1, 2]
    np.testing.assert_allclose(working["steady.output"].value, steady, rtol=1e-12)
    hidden = np.maximum(0, steady[:, [0]] + steady[:, [2]])
    np.testing.assert_allclose(working["thought.output"].value, hidden @ [[1.0, 2]] + [0, 1], rtol=1e-12, atol=1e-15)
    assert working["others.rows"].labels[0] == ("three", "one")
    assert working.lost == []


def test_the_starting_file_is_valid_and_runs(tmp_path):
    example = load(tmp_path, examples.template())
    working = example.run()
    X = working["positions.input"].value
    scores = X[:, ::-1] @ X.T / np.sqrt(2)
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(working["looking.weights"].value, expected, rtol=1e-13)
    assert working["heads.1.weights"].labels[0] == ("the", "Apple", "bought", "the", "bank")


@st.composite
def small_files(draw):
    """A valid file: words, rows, a sentence, plain and projected attention and two heads, masked or not."""
    words = draw(
        st.lists(st.text("abcdé<&$ß'", min_size=1, max_size=4), min_size=1, max_size=4, unique_by=str.casefold)
    )
    d, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    number = st.floats(-3, 3, width=32).map(lambda x: round(x, 2))

    def matrix(rows, columns):
        return draw(st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows))

    def projections():
        return f"W_Q = {matrix(d, width)}\nW_K = {matrix(d, width)}\n"

    sentence = draw(st.lists(st.sampled_from(words), min_size=1, max_size=5))
    mask, scale = draw(st.sampled_from(["none", "causal"])), draw(st.sampled_from(['"sqrt(d_k)"', '"none"', "0.5"]))
    rows = "\n".join(f'"{word}" = {row}' for word, row in zip(words, matrix(len(words), d), strict=True))
    return f"""title = "Drawn"
sentence = "{" ".join(sentence)}"
[embeddings]
{rows}
[conventions]
scale = {scale}
[[section]]
name = "plain"
kind = "plain-attention"
[[section]]
name = "projected"
kind = "attention"
mask = "{mask}"
{projections()}
[[section]]
name = "heads"
kind = "multi-head"
mask = "{mask}"
[[section.heads]]
{projections()}
[[section.heads]]
{projections()}
"""


@settings(max_examples=25, deadline=None)
@given(small_files())
def test_files_drawn_at_random_run_and_their_weights_sum_to_one(text):
    working = examples.Example("drawn", "drawn", text, reading.read(text, "drawn")).run()
    assert working.lost == []
    for address in ("plain.weights", "projected.weights", "heads.1.weights", "heads.2.weights"):
        weights = working[address].value
        assert np.all(weights >= 0)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)
        if 'mask = "causal"' in text and address != "plain.weights":
            assert np.all(np.triu(weights, 1) == 0)
