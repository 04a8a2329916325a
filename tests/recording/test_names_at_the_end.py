"""A name means what it holds when its scope ends, and stands at the line that last changed it.

The values are those that the same script leaves behind when Python runs it alone.
"""

import runpy

import numpy as np
import pytest

from workings.recording.running import record_script

SCRIPTS = {
    "a view is written": (
        "import numpy as np\na = np.arange(4.0)\nv = a.reshape(2, 2)\nv[1, 1] = -1\nb = a.T\n",
        {"a": 4, "v": 4, "b": 5},
    ),
    "the base is written": (
        "import numpy as np\na = np.arange(6.0)\nv = a.reshape(2, 3)\nr = v[1]\na[4] = 9.0\nt = v.T\na += 1.0\n",
        {"a": 7, "v": 7, "r": 7, "t": 7},
    ),
    "a row is written": (
        "import numpy as np\na = np.zeros((2, 2))\nrow = a[0]\nrow += 5.0\ntotal = a.sum()\n",
        {"a": 4, "row": 4, "total": 5},
    ),
    "a function writes": (
        "import numpy as np\ndef fill(x):\n    x[0] = 7.0\na = np.zeros(2)\nv = a[::-1]\nfill(a)\nlate = 2.0 * 3.0\n",
        {"a": 6, "v": 6, "late": 7},
    ),
    "a list is filled in a loop": (
        "row = [0.0] * 3\nfor i in range(3):\n    row[i] = row[i - 1] + 0.1 * i\nlate = 2.0 * 3.0\n",
        {"row": 3, "late": 4},
    ),
    "lists in a list": (
        "acc = [[0, 0], [0, 0]]\nfor i in range(2):\n    acc[i][1] += i + 2\nlate = 2.0 * 3.0\n",
        {"acc": 3, "late": 4},
    ),
    "a list grows by values made before": (
        "out = []\nx = 0.5 * 4.0\ny = 3.0 * x\nout.append(y)\nout.append(x)\nlate = y + 1.0\n",
        {"out": 5, "x": 2, "y": 3, "late": 6},
    ),
    "a function appends": (
        "def add(where, x):\n    where.append(x * 2.0)\nout = [1.0]\nadd(out, 3.0)\nlate = 2.0 * 3.0\n",
        {"out": 4, "late": 5},
    ),
    "a list is written in both ways": (
        "g = [1.0, 2.0, 3.0]\ng[0] = 5.0\ng.insert(1, 4.0)\ng.reverse()\nlate = g[0] * 2.0\n",
        {"g": 4, "late": 5},
    ),
    "a comprehension has a variable of the same name": (
        "i = 5\nys = [i * 2 for i in [1, 2, 3]]\ntotal = sum(i for i in ys)\nz = i + 1\n",
        {"i": 1, "ys": 2, "total": 3, "z": 4},
    ),
    "a view of a tensor is written": (
        "import torch\na = torch.arange(4.0)\nv = a.view(2, 2)\nv[1, 1] = -1\nb = v.T\na.mul_(2.0)\n",
        {"a": 6, "v": 6, "b": 6},
    ),
    "a tensor and an array share memory": (
        "import numpy as np\nimport torch\na = np.arange(3.0)\nt = torch.from_numpy(a)\nt[1] = 8.0\n",
        {"a": 5, "t": 5},
    ),
}


@pytest.mark.parametrize("case", SCRIPTS)
def test_a_name_means_what_it_holds_at_the_end(case, tmp_path):
    source, lines = SCRIPTS[case]
    file = tmp_path / "ends.py"
    file.write_text(source)
    left = runpy.run_path(str(file))
    working = record_script(file)
    last = {b.name: b for b in working.bindings if b.group == 0}
    for name, line in lines.items():
        assert np.array_equal(np.asarray(working.value(last[name].ref)), np.asarray(left[name])), name
        assert last[name].site.line == line, name


def test_a_list_may_hold_itself(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("own = [1.0]\nown.append(own)\nown.append(own)\nlate = 2.0 * own[0]\n")
    assert record_script(file)["late"].value == 2.0


def test_a_change_goes_to_the_variable_and_not_to_that_of_a_comprehension(tmp_path):
    file = tmp_path / "same.py"
    file.write_text("i = 5\nys = [i * 2 for i in [1, 2, 3]]\nz = i + 1\n")
    out = record_script(file).replay({"i": 7})
    assert out.value("z") == 8
    assert np.array_equal(out.value("ys"), [2, 4, 6])
