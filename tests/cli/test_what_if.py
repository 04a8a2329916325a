"""`--set`: before, after, and what moved."""

from __future__ import annotations

import json

import pytest

from workings.commands.changes import parse_changes


def test_before_and_after(process):
    answer = process("show", "apple", "--set", "X[Apple] = 0.1, 1.0")
    assert answer.code == 0
    # Apple becomes shares: its score with shares falls from 0.2·0.1 + 1·1 to 1·0.1 + 0.1·1.
    assert "1.02 → 0.20" in answer.out
    assert "before" in answer.out
    assert "after" in answer.out


def test_a_value_in_the_place_of_another(workings):
    answer = workings("show", "journey", "--set", "X[step] = X[journey]", "--format", "json")
    (embedded,) = [s for s in json.loads(answer.out)["steps"] if s["path"] == "X"]
    assert embedded["value"][5] == embedded["value"][1] == [0.55, 0.87, 0.66]


def test_a_number_before_and_after(workings):
    answer = workings(
        "show", "apple", "--set", "X[Apple] = 0.1, 1.0", "--at", "projected.scores[Apple, shares]", "--depth", "0"
    )
    before, after = answer.out.split("After:")
    assert "0.20×0.10 + 1.00×1.00 = 1.02" in before
    assert "1.00×0.10 + 0.10×1.00 = 0.20" in after


def test_json_has_the_new_values(workings):
    plain = json.loads(workings("show", "apple", "--format", "json").out)
    changed = json.loads(workings("show", "apple", "--set", "X[Apple, food] = 2", "--format", "json").out)
    scores = [
        next(s["value"] for s in document["steps"] if s["path"] == "projected.scores" or s["name"] == "scores")
        for document in (plain, changed)
    ]
    assert scores[0] != scores[1]
    assert len(plain["steps"]) == len(changed["steps"])


def test_several_changes(workings):
    answer = workings(
        "show", "apple", "--set", "X[Apple, food] = 2", "--set", "X[fell, food] = 3", "--at", "X[fell, food]"
    )
    assert "X[fell, food] = 3.00" in answer.out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X[Apple] = 0.1, 1.0", {"X[Apple]": [0.1, 1.0]}),
        ("X[Apple]=−0.1,1e-3", {"X[Apple]": [-0.1, 0.001]}),
        ("n = 3", {"n": 3}),
        ("mask[0, 1] = -inf", {"mask[0, 1]": float("-inf")}),
        ("flag = true", {"flag": True}),
        ('X["a=b", 0] = 1', {'X["a=b", 0]': 1}),
        ("X[step] = X[journey]", {"X[step]": "X[journey]"}),
        ("X[a, 0] = heads.1.weights[b, 1]", {"X[a, 0]": "heads.1.weights[b, 1]"}),
        ("W = [[0, 1], [1, 0]]", {"W": [[0, 1], [1, 0]]}),
    ],
)
def test_what_can_be_written(text, expected):
    assert parse_changes([text]) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("X[Apple]", "there is no = sign"),
        ("= 1", "no address before ="),
        ("X[Apple] =", "nothing after ="),
        ("X[Apple] = 0.1", "holds 2 numbers, and one was given"),
        ("X[Apple] = 1, 2, 3", "holds 2 numbers, and 3 numbers were given"),
        ("X[Apple] = E", "holds 2 numbers, and 4 × 2 numbers were given"),
        ("X[Apple] = 0.1; 1.0", "'0.1; 1.0' is not a number"),
        ("X[Apple] = 0.1 1.0", "put a comma between two numbers"),
        ("X[Apple] = 0.1, one", "'one' is not a number"),
        ("X[Apple] = 0.1,, 2", "a number is missing beside a comma"),
        ("X[Apple] = nan, 1", "NaN is not a value to compute with"),
        ("X[Apple] = 1e999, 1", "too large"),
        ("X[Aple] = 1, 2", "did you mean Apple?"),
        ("XX[Apple] = 1, 2", "no value named 'XX'"),
        ("X[9] = 1, 2", "numbered 0 to 3; 9 was asked for"),
        ("X[Apple] = X[aple]", "did you mean Apple"),
        ("X = [[1, 2], [3]]", "the rows are not equally long"),
        ("X = [[1, 2], [3, 4]", "a bracket is never closed"),
        ("X = [[1 2]]", "a comma is missing before '2'"),
        ("X = [1, b]", "'b' is not a number"),
        ("weights = 1", "'weights' could be any of"),
    ],
)
def test_what_cannot(refused, text, said):
    message = refused("show", "apple", "--set", text)
    assert "--set" in message
    assert said in message


def test_the_same_value_twice(refused):
    assert "X[Apple] is set twice" in refused("show", "apple", "--set", "X[Apple] = 1, 2", "--set", "X[Apple] = 3, 4")


def test_a_change_that_stops_the_computation(refused, tmp_path):
    (tmp_path / "root.py").write_text("import math\nx = 4.0\ny = math.sqrt(x)\n", encoding="utf-8")
    message = refused("show", "root.py", "--set", "x = -1")
    assert message.startswith("workings: with the change, ")
    assert "math domain error" in message


def test_a_branch_that_goes_the_other_way(workings, tmp_path):
    source = "x = 2.0\nif x > 1.0:\n    y = x * 10.0\nelse:\n    y = x + 100.0\nz = y * 1.0\n"
    (tmp_path / "branch.py").write_text(source, encoding="utf-8")
    answer = workings("show", "branch.py", "--set", "x = 0.5", "--at", "z", "--depth", "0")
    assert "20" in answer.out.split("After:")[0]
    assert "100.5" in answer.out.split("After:")[1]
