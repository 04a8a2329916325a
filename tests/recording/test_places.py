"""What stands in dictionaries and in lists of arrays has the name that reaches it.

The values are those that Python leaves behind, or are worked out by hand.
"""

import runpy

import numpy as np
import pytest

from workings.recording.address import AddressError
from workings.recording.running import record_script

SOURCE = """\
import numpy as np
cfg = {"rate": 0.1, "layers": {"W": [[1.0, 2.0], [3.0, 4.0]], "b": 0.5}, "n": 3}
cfg["rate"] *= 2.0
cfg["layers"]["W"][1][0] += 5.0
cfg["layers"]["b"] = cfg["rate"] - 0.5
cfg["n"] += 1
p = {"W": np.eye(2), "b": np.zeros(2)}
p["W"][0] += 3.0
p["b"] -= 0.1 * np.array([1.0, 2.0])
heads = []
for h in range(2):
    heads.append(np.array([1.0, 2.0]) * (h + 1))
pair = (np.ones(2), np.zeros(3))
"""
PLACES = {
    "cfg[rate]": lambda s: s["cfg"]["rate"],
    "cfg[layers][W]": lambda s: s["cfg"]["layers"]["W"],
    "cfg[layers][W][1][0]": lambda s: s["cfg"]["layers"]["W"][1][0],
    "cfg[layers][b]": lambda s: s["cfg"]["layers"]["b"],
    "cfg[n]": lambda s: s["cfg"]["n"],
    'p["W"]': lambda s: s["p"]["W"],
    "p[W][0, 1]": lambda s: s["p"]["W"][0, 1],
    "p.b[1]": lambda s: s["p"]["b"][1],
    "heads[0]": lambda s: s["heads"][0],
    "heads[1][1]": lambda s: s["heads"][1][1],
    "pair[1]": lambda s: s["pair"][1],
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    file = tmp_path_factory.mktemp("places") / "places.py"
    file.write_text(SOURCE)
    return record_script(file), runpy.run_path(str(file))


@pytest.mark.parametrize("address", PLACES)
def test_a_place_is_found_as_the_source_writes_it(both, address):
    working, left = both
    assert np.array_equal(working.value(working.find(address)), PLACES[address](left))


def test_a_number_in_a_place_is_worked_out(both):
    assert str(both[0].at("cfg[rate]")) == "cfg[rate] = 0.10×2.00 = 0.20"


@pytest.mark.parametrize("address", ["cfg", "cfg[lr]", "pair[2]"])
def test_a_place_that_is_not_there_is_said_with_those_that_are(both, address):
    with pytest.raises(AddressError, match=r"there is no value named|did you mean"):
        both[0].find(address)


BRANCH = """\
d = {"k": 2.0, "w": [1.0, 2.0]}
y = d["k"] * 3.0
if d["k"] > 5.0:
    y = y - 100.0
z = y + d["w"][1]
"""


@pytest.mark.parametrize(
    ("changes", "z"),
    [
        ({"d[k]": 3.0}, 11.0),
        ({"d[k]": 6.0}, -80.0),
        ({"d[w][1]": 7.0}, 13.0),
        ({"d[w]": [0.0, 1.0], "d[k]": 6.0}, -81.0),
    ],
)
def test_a_changed_place_changes_what_follows_also_through_a_branch(tmp_path, changes, z):
    file = tmp_path / "branch.py"
    file.write_text(BRANCH)
    assert record_script(file).replay(changes).value("z") == pytest.approx(z)


def test_a_tuple_is_made_anew_with_the_change(tmp_path):
    file = tmp_path / "tuple.py"
    file.write_text(
        "import numpy as np\nt = (np.ones(2), np.zeros(3))\ny = t[0].sum()\nif y > 5.0:\n    y = y - 100.0\n"
    )
    assert record_script(file).replay({"t[0]": [6.0, 6.0]}).value("y") == -88.0


def test_what_has_no_name_is_not_run_without_its_change(tmp_path):
    """Behind the branch that turns, values stay as they were, and that is said."""
    file = tmp_path / "unnamed.py"
    file.write_text("import numpy as np\ny = np.array([1.0, 1.0]).sum()\nif y > 5.0:\n    y = y - 100.0\n")
    out = record_script(file).replay({"y.array": [6.0, 6.0]})
    assert out.rerun is None
    assert any("no name" in reason for reason in out.frozen.values())


def test_names_in_a_called_function_are_counted_at_every_call(tmp_path):
    """A list that ended otherwise than it began has two names a call; the change is to the second call's first."""
    file = tmp_path / "calls.py"
    file.write_text(
        "def f(x):\n    out = [x]\n    out.append(2.0 * x)\n    u = out[0] + 1.0\n    if u > 5.0:\n        u = 0.0\n"
        "    return u\na = f(1.0)\nb = f(2.0)\n"
    )
    working = record_script(file)
    out = working.replay({"f.u": 9.0})
    assert (out.value("a"), out.value("b")) == (2.0, 0.0)


HEADS = """\
import numpy as np

class Head:
    def __init__(self, a):
        self.W = {"q": a * np.ones(2), "k": a}

    def __call__(self, x):
        return self.W["q"] @ x

heads = [Head(2.0), Head(3.0)]
x = np.array([[1.0], [2.0]])
outs = [h(x) for h in heads]
first = heads[0].W
"""


def test_what_an_attribute_or_a_call_holds_is_named_as_the_source_reaches_it(tmp_path):
    file = tmp_path / "heads.py"
    file.write_text(HEADS)
    page = str(record_script(file))
    assert "W[q][1] = 2.00×1.00 = 2.00" in page
    assert "W[k] = 2.00" in page
    assert "outs = [h(x) for h ∈ heads]" in page
    assert "outs[1][0] = 3.00×1.00 + 3.00×2.00 = 9.00" in page
    assert "first = heads[0].W" in page


def test_keys_of_every_kind_are_reached(tmp_path):
    file = tmp_path / "keys.py"
    file.write_text(
        "e = {('a', 'b'): 1.0, 2.5: 3.0, None: 4.0, 'h.0.w': 5.0, ('x', 1): [1.0, 2.0], 'with [#]': 6.0}\n"
        "e['a', 'b'] *= 2.0\nf = {k: v * 2.0 for k, v in {('p', 'q'): 0.5}.items()}\n"
    )
    working = record_script(file)
    found = {a: np.asarray(working.value(working.find(a))).tolist() for a in (
        "e[a, b]", "e[2.5]", "e[None]", "e[h.0.w]", "e[x, 1][1]", "f[p, q]", "e[with (♯)]",
    )}  # fmt: skip
    assert list(found.values()) == [2.0, 3.0, 4.0, 5.0, 2.0, 1.0, 6.0]
    assert "e[a, b] = 1.00×2.00 = 2.00" in str(working)


def test_a_number_that_a_place_does_not_have_is_said_of_that_place(both):
    with pytest.raises(AddressError, match=r"cfg\[layers\]\[W\] has 2 entries along axis 1, numbered 0 to 1; 7 was"):
        both[0].find("cfg[layers][W][1][7]")
