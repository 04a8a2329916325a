"""Experiments of section 6, against NumPy by hand and the printed numbers."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import numpy as np
from tests.facts.support import SWAP, X, softmax

from workings import experiments
from workings.experiments.material import run

from .support import counter_check, failing, outcome, value

FILES = Path(experiments.__file__).parent / "files"
FUND, BANK = "the fund bought the bank", "the bank bought the fund"


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def sinusoids(length, width):
    """One number at a time."""
    angle = [[p / 10000 ** (2 * (column // 2) / width) for column in range(width)] for p in range(length)]
    return np.array([[math.cos(a) if c % 2 else math.sin(a) for c, a in enumerate(row)] for row in angle])


def bank_by_hand(sentence, positions):
    """The example's file, read and computed in plain NumPy."""
    data = tomllib.loads((FILES / "bank.toml").read_text(encoding="utf-8"))
    bag, _, ordered = data["section"]
    assert {key: ordered[key] for key in ("heads", "W_O")} == {key: bag[key] for key in ("heads", "W_O")}
    rows = np.array([data["embeddings"][word] for word in sentence.split()])
    if positions:
        rows = rows + sinusoids(*rows.shape)
    outputs = []
    for head in bag["heads"]:
        queries, keys, values = (rows @ np.array(head[name]) for name in ("W_Q", "W_K", "W_V"))
        outputs.append(softmax(queries @ keys.T / math.sqrt(2)) @ values)
    return np.hstack(outputs) @ np.array(bag["W_O"])


def test_the_sentence_of_the_fund_and_the_bank():
    for sentence in (FUND, BANK):
        working = run("bank", sentence)
        close(working["bag.output"], bank_by_hand(sentence, False))
        close(working["ordered.output"], bank_by_hand(sentence, True))


def test_permutation():
    fund, bank = bank_by_hand(FUND, False), bank_by_hand(BANK, False)
    close(bank, fund[[0, 4, 2, 3, 1]])
    close(value(outcome("permutation"), "fund and bank"), np.max(np.abs(fund[1] - fund[4])))
    fund, bank = bank_by_hand(FUND, True), bank_by_hand(BANK, True)
    apart = np.max(np.abs(bank - fund[[0, 4, 2, 3, 1]]))
    close(value(counter_check("permutation"), "beside itself"), apart)


def test_positions():
    order = [1, 2, 3, 0]
    first, last = X + sinusoids(4, 2), X[order] + sinusoids(4, 2)
    gaps = []
    for queries, factor in ((np.eye(2), 1.0), (np.eye(2), math.sqrt(2)), (SWAP, math.sqrt(2))):
        before, after = (softmax(rows @ queries @ rows.T / factor) for rows in (first, last))
        gaps.append(np.max(np.abs(before[np.ix_(order, order)] - after)))
    found = outcome("positions")
    close(value(found, "largest change in each"), gaps)
    assert [round(x, 2) for x in value(found, "input, last")] == [1.14, -0.79]
    assert value(counter_check("positions"), "weights that change") == (0, 0, 0)


def test_rotation():
    """Pairs as complex numbers: cos + i sin, turned by e^{ikω}."""
    code = sinusoids(900, 8)
    for pair in range(4):
        points = code[:, 2 * pair + 1] + 1j * code[:, 2 * pair]
        turned = points[:-300] * np.exp(300j / 10000 ** (2 * pair / 8))
        np.testing.assert_allclose(points[300:], turned, rtol=0, atol=1e-12)
    assert value(outcome("rotation"), "largest number") <= 1
    assert len(failing(counter_check("rotation"))) == 3


def test_previous_token():
    code = sinusoids(5, 8)
    queries = np.vstack([[math.sin(-1 / w) if c % 2 == 0 else math.cos(-1 / w) for c, w in _waves(8)], code[:-1]])
    weights = softmax(queries @ code.T / math.sqrt(8))
    found = outcome("previous-token")
    close(value(found, "largest weight"), weights.max(axis=1))
    assert np.argmax(weights, axis=1)[1:].tolist() == [0, 1, 2, 3] == list(value(found, "look most"))[:4]


def _waves(width):
    return [(column, 10000 ** (2 * (column // 2) / width)) for column in range(width)]
