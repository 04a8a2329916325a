"""What if: values replaced, only what depends on them computed again; against the plain program on the new input."""

import numpy as np
import pytest

from workings.recording.address import AddressError
from workings.recording.running import record_function, record_script

X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]])


def attention(X, W):
    Q = X @ W
    S = Q @ X.T / np.sqrt(2)
    E = np.exp(S)
    return E / E.sum(axis=1, keepdims=True) @ X


W = np.array([[0.0, 1.0], [1.0, 0.0]])


@pytest.fixture
def working():
    return record_function(attention, [], {"X": X.copy(), "W": W.copy()})


def test_an_element_a_row_and_a_whole_value_can_be_changed(working):
    changed = X.copy()
    changed[0, 1] = 0.7
    assert np.array_equal(working.replay({"X[0, 1]": 0.7}).result, attention(changed, W))
    changed = X.copy()
    changed[2] = [0.5, -0.5]
    assert np.array_equal(working.replay({"X[2]": [0.5, -0.5]}).result, attention(changed, W))
    assert np.array_equal(working.replay({"X": X * 2}).result, attention(X * 2, W))
    changed = X.copy()
    changed[:, 1] = 0.0
    assert np.array_equal(working.replay({"X[:, 1]": 0.0}).result, attention(changed, W))


def test_a_value_can_be_set_to_another_one(working):
    changed = X.copy()
    changed[3] = X[0]
    assert np.array_equal(working.replay({"X[3]": "X[0]"}).result, attention(changed, W))


def test_several_changes_are_made_together(working):
    changed, swapped = X.copy(), np.eye(2)
    changed[0] = [0.0, 1.0]
    assert np.array_equal(working.replay({"X[0]": [0.0, 1.0], "W": swapped}).result, attention(changed, swapped))


def test_a_value_in_the_middle_can_be_changed(working):
    S = np.zeros((4, 4))
    E = np.exp(S)
    assert np.array_equal(working.replay({"S": S}).result, E / E.sum(axis=1, keepdims=True) @ X)


def test_only_what_depends_on_the_change_is_computed(working):
    replay = working.replay({"S[0, 0]": 1.0})
    upstream = {working.find("X").step, working.find("W").step, working.find("Q").step}
    assert not upstream & set(replay.values)


def test_what_moved_is_in_order_of_how_much(working):
    moved = working.replay({"X[0, 1]": 0.7}).moved()
    sizes = [m.largest for m in moved]
    assert sizes == sorted(sizes, reverse=True)
    first = next(m for m in moved if m.path.endswith("X"))
    assert first.largest == pytest.approx(0.5)
    assert first.where.index == (0, 1)


def test_the_recorded_working_is_left_alone(working):
    before = working["Q"].value.copy()
    working.replay({"X": X * 3})
    assert np.array_equal(working["Q"].value, before)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"X[0]": [1.0, 2.0, 3.0]}, ValueError, "holds 2 numbers, and 3 numbers were given"),
        ({"X[9]": 0.0}, AddressError, "4 entries along axis 0"),
        ({"Z": 0.0}, AddressError, "no value named 'Z'"),
        ({"X": "Y9"}, AddressError, "no value named 'Y9'"),
    ],
)
def test_changes_that_do_not_fit_say_what_was_expected(working, changes, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(")):
        working.replay(changes)


def relu_sum(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x
    return total


def test_a_branch_that_goes_the_other_way_runs_the_source_again():
    working = record_function(relu_sum, [], {"xs": [1.0, -2.0, 3.0]})
    replay = working.replay({"xs[1]": 2.0})
    assert replay.rerun is not None
    assert replay.stopped.reason == "a condition"
    assert replay.result == 6.0
    same_way = working.replay({"xs[0]": 10.0})
    assert same_way.rerun is None
    assert same_way.result == 13.0


def test_a_script_is_replayed_by_the_names_of_its_values(tmp_path):
    script = tmp_path / "mix.py"
    script.write_text(
        "import numpy as np\nX = np.array([[1.0, 2.0], [3.0, 4.0]])\nw = 0.5\n"
        "Y = w * X.sum(axis=0)\nif Y[0] > 5:\n    Y = -Y\n"
    )
    working = record_script(script)
    assert np.array_equal(working.replay({"w": 1.0})["Y"], [4.0, 6.0])
    turned = working.replay({"X[0, 0]": 9.0})
    assert turned.rerun is not None
    assert np.array_equal(turned["Y"], [-6.0, -3.0])


@pytest.mark.parametrize(
    "made",
    [
        "np.array([1.9, 1.6, 1.8])",
        "np.asarray([1, 2, 3])",
        "np.ones(3)",
        "np.linspace(1, 2, 3)",
        "np.arange(1.0, 4.0)",
        "np.full(3, 2.0)",
        "np.array(2.0).reshape(1)",
    ],
)
def test_a_branch_on_an_array_made_in_the_source_is_guarded(tmp_path, made):
    script = tmp_path / "branch.py"
    script.write_text(f"import numpy as np\nB = {made}\nif B.sum() > 0:\n    v = B * 2\nelse:\n    v = B - 1\n")
    working = record_script(script)
    count = working["B"].value.size
    replay = working.replay({"B": [-1.0, -2.0, -3.0][:count]})
    assert replay.rerun is not None
    assert np.array_equal(replay["v"], [-2.0, -3.0, -4.0][:count])


def test_behind_a_call_that_cannot_be_made_again_everything_is_frozen():
    vectorised = np.vectorize(lambda v: v * 2)

    def program(x):
        doubled = vectorised(x)
        return doubled + 1

    working = record_function(program, [], {"x": np.array([1.0, 2.0])})
    assert [loss.kind for loss in working.lost] == ["opaque"]
    replay = working.replay({"x": np.array([5.0, 6.0])})
    assert replay.frozen
    assert working.find("doubled").step in replay.frozen


def test_of_a_value_only_the_numbers_that_were_changed_are_marked(tmp_path):
    file = tmp_path / "marked.py"
    file.write_text("x = [1.0, -1.0, 2.0]\nbest = min(x)\n")
    after = record_script(file).replay({"x[0]": 5.0}).after()
    assert str(after.at("x[0]")) == "x[0] = 5.00  (changed)"
    assert str(after.at("x[1]")) == "x[1] = −1.00"
