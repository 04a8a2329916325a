"""Our own four examples against calculations written out here, without our equations, and against PyTorch."""

import math

import numpy as np
import pytest

from .support import run

AGREES = {"rtol": 1e-12, "atol": 1e-12}


def softmax(scores):
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


def layer_norm(rows, epsilon=1e-5):
    return np.array([(row - sum(row) / 3) / math.sqrt(sum((row - sum(row) / 3) ** 2) / 3 + epsilon) for row in rows])


def agrees(working, address, expected):
    np.testing.assert_allclose(working[address].value, expected, err_msg=address, **AGREES)


FUTURE = np.triu(np.full((4, 4), -np.inf), 1)


class TestEncoderBlock:
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]])

    def expected(self):
        food, finance, motion = self.X.T
        weights_1 = softmax(np.outer(food, 2 * finance))  # d_k = 1: nothing to divide by
        weights_2 = softmax(np.outer(finance, 2 * motion))
        attended = np.stack([np.zeros(4), weights_1 @ finance, weights_2 @ motion], axis=1)
        between = layer_norm(self.X + attended)
        unit_1 = np.maximum(0, between[:, 0] - between[:, 2])
        unit_2 = np.maximum(0, between[:, 2] + 0.5)
        transformed = np.stack([-unit_1, unit_1, unit_2], axis=1)
        return weights_1, weights_2, between, layer_norm(between + transformed)

    def test_by_hand(self):
        working = run("encoder-block")
        weights_1, weights_2, between, output = self.expected()
        agrees(working, "block.attention.1.weights", weights_1)
        agrees(working, "block.attention.2.weights", weights_2)
        agrees(working, "block.between", between)
        agrees(working, "block.output", output)

    def test_a_word_that_does_not_ask_averages_all(self):
        np.testing.assert_array_equal(run("encoder-block")["block.attention.1.weights[shares]"].value, [0.25] * 4)

    def test_pytorch(self):
        """Its layer wants heads that share out the width: a third one, whose values are 0, changes nothing."""
        torch = pytest.importorskip("torch")
        layer = torch.nn.TransformerEncoderLayer(3, 3, 2, dropout=0.0, batch_first=True, dtype=torch.float64).eval()
        attention = layer.self_attn
        with torch.no_grad():
            queries, keys, values = (
                [[1, 0, 0], [0, 1, 0], [0, 0, 0]],
                [[0, 2, 0], [0, 0, 2], [0] * 3],
                [[0, 1, 0], [0, 0, 1], [0] * 3],
            )
            attention.in_proj_weight.copy_(torch.tensor(queries + keys + values))
            attention.in_proj_bias.zero_()
            attention.out_proj.weight.copy_(torch.tensor([[0, 1, 0], [0, 0, 1], [0, 0, 0]]).T)
            attention.out_proj.bias.zero_()
            layer.linear1.weight.copy_(torch.tensor([[1, 0, -1], [0, 0, 1]]))
            layer.linear1.bias.copy_(torch.tensor([0, 0.5]))
            layer.linear2.weight.copy_(torch.tensor([[-1, 0], [1, 0], [0, 1]]))
            layer.linear2.bias.zero_()
            output = layer(torch.tensor(self.X)[None])[0]
        agrees(run("encoder-block"), "block.output", output.numpy())


class TestDecoderBlock:
    Y = np.array([[0.0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 0, 0]])
    Z = np.array([[2.0, 1, 0], [0, 2, 0], [0, 0, 2], [0, 1, 1]])

    def test_by_hand(self):
        working = run("decoder-block")
        own = softmax(self.Y @ self.Y.T / math.sqrt(3) + FUTURE)
        after_attention = layer_norm(self.Y + own @ self.Y)
        cross = softmax(2 * after_attention @ self.Z.T / math.sqrt(3))
        after_cross = layer_norm(after_attention + cross @ self.Z)
        unit_1 = np.maximum(0, after_cross[:, 0] + after_cross[:, 1])
        unit_2 = np.maximum(0, after_cross[:, 2])
        transformed = np.stack([np.zeros(4), unit_1, unit_2], axis=1)
        agrees(working, "block.self_attention.1.weights", own)
        agrees(working, "block.after_attention", after_attention)
        agrees(working, "block.cross_attention.1.weights", cross)
        agrees(working, "block.after_cross", after_cross)
        agrees(working, "block.output", layer_norm(after_cross + transformed))

    def test_the_future_weighs_exactly_nothing(self):
        weights = run("decoder-block")["block.self_attention.1.weights"].value
        assert np.all(weights[np.triu_indices(4, 1)] == 0)

    def test_rows_are_french_and_columns_english(self):
        labels = run("decoder-block")["block.cross_attention.1.weights"].labels
        assert labels == (("begin", "les", "actions", "Apple"), ("Apple", "shares", "fell", "sharply"))

    def test_pytorch(self):
        torch = pytest.importorskip("torch")
        layer = torch.nn.TransformerDecoderLayer(3, 1, 2, dropout=0.0, batch_first=True, dtype=torch.float64).eval()
        with torch.no_grad():
            for attention, asking in ((layer.self_attn, 1), (layer.multihead_attn, 2)):
                attention.in_proj_weight.copy_(torch.cat([asking * torch.eye(3), torch.eye(3), torch.eye(3)]))
                attention.in_proj_bias.zero_()
                attention.out_proj.weight.copy_(torch.eye(3))
                attention.out_proj.bias.zero_()
            layer.linear1.weight.copy_(torch.tensor([[1, 1, 0], [0, 0, 1]]))
            layer.linear2.weight.copy_(torch.tensor([[0, 0], [1, 0], [0, 1]]))
            layer.linear1.bias.zero_()
            layer.linear2.bias.zero_()
            output = layer(torch.tensor(self.Y)[None], torch.tensor(self.Z)[None], tgt_mask=torch.tensor(FUTURE))[0]
        agrees(run("decoder-block"), "block.output", output.numpy())


class TestNextToken:
    E = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]])
    W_out = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [0, 3, 3]])
    b = np.array([0.0, 0, 0, 0, -1])

    def scores(self, ids):
        X = self.E[ids]
        read = softmax(3 * X[-1] @ X.T / math.sqrt(3)) @ X  # the last row sees the whole prefix
        return self.W_out @ read + self.b

    def test_the_distribution(self):
        working = run("next-token")
        agrees(working, "next.logits", [0, 4, 0, 0, -1])
        total = 3 + math.exp(4) + math.exp(-1)
        agrees(working, "next.probabilities", np.array([1, math.exp(4), 1, 1, math.exp(-1)]) / total)
        assert int(working["next.choice"].value) == 1

    def test_temperature_and_few_candidates(self):
        working = run("next-token")
        agrees(working, "next.temperature_0_5.probabilities", softmax(np.array([0, 8.0, 0, 0, -2])))
        agrees(working, "next.temperature_2.probabilities", softmax(np.array([0, 2.0, 0, 0, -0.5])))
        # Three words share the second place with 0, so the two best are four; shares alone has more than 0.9.
        agrees(working, "next.top_k.probabilities", softmax(np.array([0, 4.0, 0, 0, -np.inf])))
        agrees(working, "next.top_p.probabilities", [0, 1, 0, 0, 0])

    def test_three_turns_write_the_sentence(self):
        working = run("next-token")
        ids = [0]
        for turn in (1, 2, 3):
            scores = self.scores(ids)
            agrees(working, f"loop.{turn}.next.logits", scores)
            agrees(working, f"loop.{turn}.next.probabilities", softmax(scores))
            ids.append(int(np.argmax(scores)))
            assert working[f"loop.{turn}.ids"].value.tolist() == ids
        assert working["loop.ids"].labels == (("Apple", "shares", "fell", "sharply"),)
        assert "loop writes: Apple shares fell sharply" in working.notes

    def test_the_loop_stops_at_the_end(self):
        working = run("next-token", "Apple shares fell sharply")
        assert working["loop.ids"].labels[0][-1] == "end"
        assert "loop.2" not in {working.index.group_path(g.number) for g in working.groups}


class TestLoss:
    E = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [0, 2]])
    W_out = np.array([[0.0, 0], [0, 0], [1, 0], [0, 1], [1, 1]])
    targets = np.array([1, 2, 3, 4])

    def hidden(self):
        rows = self.E[[0, 1, 2, 3]]
        return softmax(rows @ rows.T / math.sqrt(2) + FUTURE) @ rows

    def loss(self, W_out):
        probabilities = softmax(self.hidden() @ W_out.T)
        return -np.log(probabilities[range(4), self.targets])

    def test_teacher_forcing(self):
        working = run("loss")
        assert working["forced.inputs"].labels == (("begin", "Apple", "shares", "fell"),)
        assert working["forced.targets"].value.tolist() == self.targets.tolist()

    def test_loss_of_each_position_and_their_sum(self):
        working = run("loss")
        agrees(working, "learning.losses", self.loss(self.W_out))
        agrees(working, "learning.loss", sum(self.loss(self.W_out)))
        assert float(working["learning.losses[begin]"]) == pytest.approx(math.log(5), rel=1e-14)

    def test_slope_by_the_chain_rule_and_by_differences(self):
        working = run("loss")
        hidden, probabilities = self.hidden(), softmax(self.hidden() @ self.W_out.T)
        is_fell = np.array([0, 0, 1, 0])
        agrees(working, "gradient.contributions", (probabilities[:, 3] - is_fell) * hidden[:, 1])
        slope = float(working["learning.gradient.gradient"])
        assert slope == pytest.approx(np.sum((probabilities[:, 3] - is_fell) * hidden[:, 1]), rel=1e-13)
        step = np.zeros((5, 2))
        step[3, 1] = 1e-6
        difference = (sum(self.loss(self.W_out + step)) - sum(self.loss(self.W_out - step))) / 2e-6
        assert slope == pytest.approx(difference, rel=1e-8)

    def test_one_step_lowers_the_loss(self):
        working = run("loss")
        moved = self.W_out.copy()
        moved[3, 1] -= 0.5 * float(working["learning.gradient.gradient"])
        agrees(working, "step.new_W_out", moved)
        agrees(working, "step.loss", sum(self.loss(moved)))
        assert float(working["step.loss"]) < float(working["learning.loss"])

    def test_pytorch(self):
        torch = pytest.importorskip("torch")
        W_out = torch.tensor(self.W_out, requires_grad=True)
        scores = torch.tensor(self.hidden()) @ W_out.T
        loss = torch.nn.functional.cross_entropy(scores, torch.tensor(self.targets), reduction="sum")
        loss.backward()
        agrees(run("loss"), "learning.loss", loss.item())
        agrees(run("loss"), "learning.gradient.gradient", W_out.grad[3, 1].item())
