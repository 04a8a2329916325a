"""What a user calls from Python."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import workings as wk

X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6]])
WORDS = ["Apple", "shares", "fell"]


def attention(Q, K, V):
    S = Q @ K.T / np.sqrt(K.shape[-1])
    W = np.exp(S) / np.exp(S).sum(axis=-1, keepdims=True)
    return W @ V


def factorial(n):
    if n <= 1.0:
        return 1.0
    return n * factorial(n - 1.0)


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_costs_nothing():
    loaded = run("import sys, workings; print(*{m.split('.')[0] for m in sys.modules})").split()
    assert not {"torch", "matplotlib", "numpy", "pydantic", "rich", "jinja2", "typer"} & set(loaded)


def test_the_examples_need_no_torch():
    no_torch = "import sys; sys.modules['torch'] = None\n"
    assert run(no_torch + "import workings as wk; print(wk.example('apple').run()['X'].value.shape)") == "(4, 2)\n"


def test_names_are_there():
    assert set(wk.__all__) <= set(dir(wk))
    for name in wk.__all__:
        assert getattr(wk, name) is not None
    assert isinstance(wk.__version__, str)
    with pytest.raises(AttributeError, match="no attribute 'shwo'"):
        _ = wk.shwo


# -- show -------------------------------------------------------------------------------------------------------------


def test_show_gives_a_working_and_the_plain_result():
    working = wk.show(attention, X, X, X)
    assert isinstance(working, wk.Working)
    assert np.array_equal(working.result, attention(X, X, X))
    assert np.allclose(working["S"].value, X @ X.T / np.sqrt(2), atol=0, rtol=1e-15)
    assert str(working["S"].arithmetic(0, 1)).startswith("S[0, 1] = (1.00×0.10 + 0.20×1.00) / √2")


def test_labels_travel():
    keys = X.copy()
    working = wk.show(attention, X, keys, keys, labels={"Q": (WORDS, ["food", "finance"]), "K": (WORDS, None)})
    assert working["S"].labels == (tuple(WORDS), tuple(WORDS))
    assert float(working["S[Apple, shares]"]) == pytest.approx(0.3 / np.sqrt(2))
    assert working["Q"].labels == (tuple(WORDS), ("food", "finance"))


def test_labels_that_do_not_fit():
    with pytest.raises(wk.AddressError, match="2 labels given for axis 0, which has 3 entries"):
        wk.show(attention, X, X, X, labels={"Q": (["a", "b"], None)})
    with pytest.raises(wk.AddressError, match="no value named 'queries'"):
        wk.show(attention, X, X, X, labels={"queries": (WORDS, None)})


def test_keywords_go_to_the_function():
    assert np.array_equal(wk.show(attention, X, K=X, V=2 * X).result, attention(X, X, 2 * X))


def test_what_a_function_raises_is_raised():
    with pytest.raises(ValueError, match="mismatch"):
        wk.show(attention, X, X, np.ones((2, 2)))


@pytest.mark.parametrize(("thing", "hint"), [("apple", "wk.example"), (3, "the function and, after it, its arguments")])
def test_show_wants_a_function(thing, hint):
    with pytest.raises(TypeError, match=hint):
        wk.show(thing)


def test_what_if():
    working = wk.show(attention, X, X.copy(), X.copy())
    changed = np.array([[0.0, 0.0], X[1], X[2]])
    assert np.allclose(working.replay({"Q[0]": [0.0, 0.0]}).result, attention(changed, X, X), rtol=1e-15)


# -- shown ------------------------------------------------------------------------------------------------------------


def test_shown_changes_nothing_and_keeps_the_last_working():
    recorded = wk.shown(attention)
    assert recorded.working is None
    assert recorded.__name__ == "attention"
    assert np.array_equal(recorded(X, X, X), attention(X, X, X))
    first = recorded.working
    assert recorded(2 * X, X, X).shape == (3, 2)
    assert recorded.working is not first
    assert np.array_equal(recorded.working["Q"].value, 2 * X)


def test_shown_with_labels():
    @wk.shown(labels={"rows": (WORDS, None)})
    def double(rows):
        twice = 2.0 * rows
        return twice

    double(X)
    assert double.working["twice"].labels[0] == tuple(WORDS)


def test_shown_recursion_is_one_recording():
    recorded = wk.shown(factorial)
    assert recorded(4.0) == 24.0
    assert recorded.working.result == 24.0


def test_shown_method():
    class Layer:
        def __init__(self, weight):
            self.weight = weight

        @wk.shown
        def forward(self, x):
            y = x * self.weight
            return y

    layer = Layer(3.0)
    assert layer.forward(2.0) == 6.0
    assert Layer.forward.working["y"].value == 6.0


def test_shown_raises_as_the_function_does():
    recorded = wk.shown(attention)
    with pytest.raises(ValueError, match="mismatch"):
        recorded(X, X, np.ones((2, 2)))
    assert np.array_equal(recorded(X, X, X), attention(X, X, X))  # and works after that


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_example():
    working = wk.example("apple").run("shares fell")
    assert working["X"].value.tolist() == [[0.1, 1.0], [0.3, 0.6]]
    with pytest.raises(wk.ExampleError, match="aple"):
        wk.example("aple")


def test_script(tmp_path):
    (tmp_path / "mine.py").write_text("x = 2.0\ny = x * 3.0\n", encoding="utf-8")
    assert wk.script(tmp_path / "mine.py")["y"].value == 6.0
    (tmp_path / "bad.py").write_text("x = 2.0\ny = x * 3.0\nz = y / (x - x)\n", encoding="utf-8")
    with pytest.raises(wk.ScriptError, match="ZeroDivisionError") as stopped:
        wk.script(tmp_path / "bad.py")
    assert stopped.value.working["y"].value == 6.0


def test_record():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 3).double()
    given = torch.tensor(X)
    with wk.record(model) as working:
        result = model(given)
    assert torch.equal(result, model(given))
    assert len(working) > 0


def test_record_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None\nimport workings as wk\n"
        "try:\n    wk.record(None)\nexcept ImportError as error:\n    print(error)"
    )
    assert "pip install 'workings[torch]'" in run(code)


def test_slices_of_a_value_are_numpy():
    working = wk.show(attention, X, X, X, labels={"Q": (WORDS, None)})
    item = working["Q"]
    assert isinstance(item[0:2], np.ndarray)
    assert np.array_equal(item[0:2], X[0:2])
    assert np.array_equal(item[:, 0], X[:, 0])
    assert np.array_equal(item["shares", :], X[1])
    assert np.array_equal(item[..., -1], X[:, -1])
    assert float(item["shares", 0]) == 0.1
    for key in (1.5, True, None, [0, 1]):
        with pytest.raises(TypeError, match="expected a label, a zero-based number, or a slice"):
            item[key]


def test_what_is_no_address(tmp_path):
    working = wk.show(attention, X, X, X)
    with pytest.raises(TypeError, match=r"working\.steps\[0\]"):
        working[0]
    with pytest.raises(TypeError, match=r"working\['S'\]\[0\]"):
        working["S", 0]
    with pytest.raises(ValueError, match="this is a folder"):
        working.save(tmp_path)


def test_only_modules_are_recorded():
    pytest.importorskip("torch")
    with pytest.raises(TypeError, match="record was given a int"):
        wk.record(5)
