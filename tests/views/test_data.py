"""The JSON view: every step, full precision, and numbers that JSON has no word for."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import workings as wk
from workings.recording.working import Room
from workings.views import data

KEYS = ["path", "name", "operation", "equation", "line", "shape", "dtype", "labels", "inputs", "parameters", "value"]


def document(working: wk.Working) -> dict[str, object]:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(data.render(working), parse_constant=refuse)


def softmax_of(scores, mask):
    hidden = scores + mask
    largest = np.max(hidden, axis=-1, keepdims=True)
    weights = np.exp(hidden - largest)
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.fixture(scope="module")
def apple() -> dict[str, object]:
    return document(wk.example("apple").run())


def test_form(apple):
    assert list(apple) == ["workings", "source", "conventions", "steps", "lost"]
    assert apple["workings"] == 1
    assert (apple["source"]["kind"], apple["source"]["name"]) == ("example", "apple")
    assert any("√d_k" in words for words in apple["conventions"].values())
    assert apple["lost"] == []
    assert all(list(step) == KEYS for step in apple["steps"])


def test_every_step_at_full_precision(apple):
    working = wk.example("apple").run()
    assert len(apple["steps"]) == len(working)
    for step, entry in zip(working, apple["steps"], strict=True):
        value = np.asarray(working.value(step.number))
        assert entry["path"] == working.path(step.number)
        assert entry["shape"] == list(value.shape)
        assert np.array_equal(np.asarray(entry["value"], dtype=value.dtype), value)


def test_the_numbers_are_those_of_numpy(apple):
    X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]])
    (embedded,) = [s for s in apple["steps"] if s["path"] == "X"]
    assert np.array_equal(embedded["value"], X)
    assert embedded["labels"] == [["Apple", "shares", "fell", "sharply"], ["food", "finance"]]
    (scores,) = [
        s
        for s in apple["steps"]
        if s["equation"] == "attention" and s["path"].startswith("projected") and s["name"] == "scores"
    ]
    assert np.array_equal(scores["value"], (X @ [[0.0, 1.0], [1.0, 0.0]]) @ X.T)
    assert scores["operation"] == "matmul"


def test_inputs_are_paths_that_exist(apple):
    paths = [step["path"] for step in apple["steps"]]
    assert len(set(paths)) == len(paths)
    for place, step in enumerate(apple["steps"]):
        for used in step["inputs"]:
            assert used["path"] in paths[:place]
            assert all(isinstance(i, int) for i in used["index"])


def test_parameters_say_where_the_inputs_went():
    working = wk.show(softmax_of, np.array([[1.0, 2.0]]), np.array([[0.0, 0.0]]))
    (largest,) = [s for s in document(working)["steps"] if s["name"] == "largest"]
    assert largest["parameters"]["a"] == {"input": 0}
    assert (largest["parameters"]["axis"], largest["parameters"]["keepdims"]) == (-1, True)


def test_numbers_that_json_does_not_have():
    working = wk.show(softmax_of, np.array([[1.0, 2.0], [3.0, math.nan]]), np.array([[0.0, -np.inf], [0.0, np.inf]]))
    steps = {step["name"]: step["value"] for step in document(working)["steps"]}
    assert steps["mask"] == [[0.0, "-Infinity"], [0.0, "Infinity"]]
    assert steps["scores"] == [[1.0, 2.0], [3.0, "NaN"]]


def test_kinds_of_numbers():
    def kinds(whole, small, flags, turn):
        out = (whole * 2, small * np.float32(3.0), ~flags, turn * 1j)
        return out

    given = (np.array([2**53 + 1, -1]), np.array([0.1], dtype=np.float32), np.array([True, False]), np.array([1 + 2j]))
    values = [step["value"] for step in document(wk.show(kinds, *given))["steps"]]
    assert [2**53 + 1, -1] in values
    assert [float(np.float32(0.1))] in values
    assert [True, False] in values
    assert [[1.0, 2.0]] in values


def test_text_from_users_is_only_text():
    nasty = '\x1b[31m"</script>\u2028\\'
    working = wk.show(softmax_of, np.zeros((1, 2)), np.zeros((1, 2)), labels={"scores": ([nasty], None)})
    (scores,) = [s for s in document(working)["steps"] if s["name"] == "scores"]
    assert scores["labels"] == [[nasty], None]
    assert "\x1b" not in data.render(working)


def test_what_was_lost_is_listed(tmp_path):
    source = "import numpy as np\nx = np.array([1.0, 2.0])\ny = np.vectorize(float.__neg__)(x)\nz = y * 2.0\n"
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    (lost,) = document(wk.script(tmp_path / "mine.py"))["lost"]
    assert list(lost) == ["kind", "what", "path", "line"]
    assert lost["line"] == 3
    assert lost["path"] == "y"


def test_tensors():
    torch = pytest.importorskip("torch")
    rows = torch.tensor([[1.0, 2.0]], dtype=torch.bfloat16)
    with wk.record() as working:
        _ = rows * 2.0
    values = [step["value"] for step in document(working)["steps"]]
    assert [[2.0, 4.0]] in values


class Itself:
    """Something with a shape and a number type that holds itself, and has no usable text."""

    shape, dtype = (1,), "strange"

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        out = np.empty(1, dtype=object)
        out[0] = self
        return out

    def __repr__(self) -> str:
        raise RuntimeError


def test_what_json_has_no_word_for():
    assert data.plain(Room((2, 3), "float64")) == {"new": {"shape": [2, 3], "dtype": "float64"}}
    assert data.plain(range(3)) == "range(0, 3)"
    json.dumps(data.plain(Itself()))
