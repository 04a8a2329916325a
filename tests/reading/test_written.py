"""Under a line that writes into memory stands what the name in that line holds then, not the rest of the memory."""

import numpy as np
import pytest

from workings.reading.walk import walk
from workings.recording.running import record_script

HEAD = "import numpy as np\nimport torch\na = np.arange(4.0)\nt = torch.arange(4.0)\n"
CASES = {
    "a view": ("v = a.reshape(2, 2)\nv[1, 1] = -1\na[0] = 5.0\n", 6, [[0, 1], [2, -1]]),
    "a view, twice": ("v = a.reshape(2, 2)\nv[0, 0] = 3\nv[1, 1] = -1\na[1] = 5.0\n", 7, [[3, 1], [2, -1]]),
    "a view after its base": ("v = a.reshape(2, 2)\na[1] = 7.0\nv[1, 1] = -1\na[1] = 5.0\n", 7, [[0, 7], [2, -1]]),
    "a row of an array": ("m = a.reshape(2, 2) * 1.0\nm[0][1] = 9.0\nm[1] = 4.0\n", 6, [[0, 9], [2, 3]]),
    "through out": ("v = a.reshape(2, 2)\nnp.multiply(v, 2.0, out=v)\nlate = 2.0 * 3.0\n", 6, [[0, 2], [4, 6]]),
    "by a method": ("v = a[1:3]\nv.fill(6.0)\nlate = 2.0 * 3.0\n", 6, [6, 6]),
    "a view of a tensor": ("v = t.view(2, 2)\nv[1, 1] = -1\nt[0] = 5.0\n", 6, [[0, 1], [2, -1]]),
    "a tensor in place": ("v = t[1:3]\nv.fill_(6.0)\nt[0] = 5.0\n", 6, [6, 6]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_line_shows_what_was_written_into(case, tmp_path):
    source, line, value = CASES[case]
    file = tmp_path / "written.py"
    file.write_text(HEAD + source)
    shown = [e for e in walk(record_script(file)).entries() if e.site is not None and e.site.line == line]
    assert [np.asarray(v.array).tolist() for e in shown for v in e.values] == [value]


def test_an_optimisers_step_shows_every_parameter_it_moves(tmp_path):
    """One step down the slope, by hand: y = 2·3 + 1 = 7, so both slopes are 2·7 times 3 and 1; the rate is 0.01."""
    file = tmp_path / "step.py"
    file.write_text(
        "import torch\nnet = torch.nn.Linear(1, 1)\nwith torch.no_grad():\n    net.weight.fill_(2.0)\n"
        "    net.bias.fill_(1.0)\nopt = torch.optim.SGD(net.parameters(), lr=0.01)\n"
        "loss = (net(torch.tensor([[3.0]])) ** 2).sum()\nloss.backward()\nopt.step()\n"
    )
    (line,) = [e for e in walk(record_script(file)).entries() if e.site is not None and e.site.line == 9]
    shown = {v.name: np.asarray(v.array).reshape(-1).tolist() for v in line.values}
    assert shown == {"Linear.weight": pytest.approx([2 - 0.42]), "Linear.bias": pytest.approx([1 - 0.14])}


def lines_of(tmp_path, source):
    """Under every line of a script, what its values are called and what they are."""
    file = tmp_path / "lines.py"
    file.write_text(source)
    out = {}
    for entry in walk(record_script(file)).entries():
        if entry.site is not None and not entry.held:
            out.setdefault(entry.site.line, {}).update({v.name: np.asarray(v.array).tolist() for v in entry.values})
    return out


def test_an_attribute_that_is_changed_is_shown_as_it_is_then(tmp_path):
    """2 − 0.1·2 = 1.8; 1 + 2 = 3; the moving mean of 2 and then 4 is 0.2 and 0.58."""
    told = lines_of(
        tmp_path,
        "import numpy as np\nclass M:\n    def __init__(self):\n        self.mean = np.zeros(1)\n"
        "    def see(self, x):\n        self.mean *= 0.9\n        self.mean += 0.1 * x\nm = M()\n"
        "m.W = np.array([1.0, 2.0])\nm.W -= 0.1 * np.array([1.0, 2.0])\nm.n = 1.0\nm.n += 2\n"
        "m.see(np.array([2.0]))\nm.see(np.array([4.0]))\nlayers = [m]\nlayers[0].W = layers[0].W + 1.0\n",
    )
    assert told[10] == {"W": pytest.approx([0.9, 1.8])}
    assert told[12] == {"n": 3.0}
    assert told[7] == {"mean": pytest.approx([0.58])}
    assert told[16] == {"W": pytest.approx([1.9, 2.8])}


def test_a_truth_that_only_steers_is_not_what_the_line_makes(tmp_path):
    file = tmp_path / "steer.py"
    file.write_text(
        "total = 4.0\nlabel = 'big' if total > 3 else 'small'\ndef fact(n):\n"
        "    return 1 if n <= 1 else n * fact(n - 1)\nf5 = fact(5)\n"
    )
    entries = [e for e in walk(record_script(file)).entries() if e.site is not None and not e.held]
    assert not [e for e in entries if e.site.line == 2]
    assert [v.array.tolist() for e in entries if e.site.line == 4 for v in e.values] == [4, 120, 3, 24, 2, 6, 1, 2]


def test_an_array_written_through_out_is_shown_in_its_own_shape(tmp_path):
    told = lines_of(
        tmp_path,
        "import numpy as np\nA = np.arange(6.0).reshape(2, 3)\nnp.multiply(A, 2, out=A)\nA += 1.0\n",
    )
    assert list(told[3].values()) == [[[0, 2, 4], [6, 8, 10]]]
