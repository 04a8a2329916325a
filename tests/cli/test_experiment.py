"""`workings experiment`: the list, one, several, all, counter-checks, files, mistakes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from workings import experiments
from workings.experiments import catalogue
from workings.experiments.outcome import Outcome, exactly, shown

FEW = ("perpendicular", "permutation", "leak")


@pytest.fixture
def few(monkeypatch):
    """Only a few experiments, the last of which cannot be run for want of a package."""
    chosen = {name: catalogue.EXPERIMENTS[name] for name in FEW}
    monkeypatch.setattr(catalogue, "EXPERIMENTS", chosen)
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    return chosen


@pytest.fixture
def broken(monkeypatch):
    """One experiment whose claim does not hold."""
    wrong = Outcome("Two and two made five.", (exactly("two and two", 5, 4), shown("seconds", float("nan"))))
    chosen = {
        "permutation": catalogue.EXPERIMENTS["permutation"],
        "perpendicular": replace(catalogue.EXPERIMENTS["perpendicular"], compute=lambda **_: wrong),
    }
    monkeypatch.setattr(catalogue, "EXPERIMENTS", chosen)


def test_the_list(workings):
    answer = workings("experiment")
    assert answer.code == 0
    for name in experiments.names():
        assert f"  {name} " in answer.out
        assert experiments.load(name).title in " ".join(answer.out.split())
    assert answer.out.index("The first text") < answer.out.index("The second text")


def test_one(process):
    answer = process("experiment", "permutation")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("permutation: Permuted words give permuted outputs\nthe first text, section 6")
    for words in ("Claim", "Must come out", "Came out", "at most 10⁻¹²", "\nHolds.\n", "Worked out by  workings show"):
        assert words in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100


@pytest.mark.parametrize("width", ["20", "60", "79", "200"])
def test_no_line_is_wider_than_asked(workings, width):
    out = workings("experiment", "step-as-journey", "variance", "--width", width).out
    assert max(map(len, out.splitlines())) <= max(int(width), 40)


def test_several(workings):
    out = workings("experiment", "perpendicular", "permutation", "Perpendicular").out
    assert out.count("Holds.") == 2  # the one that is named twice runs once


def test_a_counter_check_does_not_hold_as_it_must(workings):
    answer = workings("experiment", "permutation", "--counter")
    assert answer.code == 0
    assert "Counter-check  Positions are added first" in answer.out
    assert "\nDoes not hold, as it must.\n" in answer.out


def test_all(workings, few):
    answer = workings("experiment", "--all")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert [line.split(maxsplit=1) for line in lines if line[:1] not in (" ", "")][:-1] == [
        ["perpendicular", "holds"],
        ["permutation", "holds"],
        ["leak", "not run"],
    ]
    assert "torch cannot be imported" in answer.out
    assert lines[-1] == "2 hold, 0 do not, 1 were not run."


def test_what_does_not_hold_ends_with_1_and_is_shown_whole(workings, broken):
    answer = workings("experiment", "perpendicular")
    assert answer.code == 1
    assert answer.err == ""
    assert "Two and two made five." in answer.out
    assert "\nDoes not hold.\n" in answer.out
    every = workings("experiment", "--all")
    assert every.code == 1
    assert "Must come out" in every.out
    assert every.out.endswith("\n1 hold, 1 do not, 0 were not run.\n")


def test_a_counter_check_that_holds_ends_with_1(workings, monkeypatch):
    good = Outcome("It came out.", (exactly("two and two", 4, 4),))
    chosen = {"permutation": replace(catalogue.EXPERIMENTS["permutation"], compute=lambda **_: good)}
    monkeypatch.setattr(catalogue, "EXPERIMENTS", chosen)
    answer = workings("experiment", "permutation", "--counter")
    assert answer.code == 1
    assert "the judgement cannot fail" in answer.out


# -- files ------------------------------------------------------------------------------------------------------------


def test_json(workings, few, tmp_path):
    answer = workings("experiment", "--all", "-o", "claims.json")
    assert (answer.code, answer.out) == (0, "")
    found = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert found["workings"] == 1
    perpendicular, permutation, leak = found["experiments"]
    assert (perpendicular["name"], perpendicular["holds"], permutation["verdict"]) == ("perpendicular", True, "holds")
    weights = perpendicular["values"][1]
    assert (weights["relation"], weights["expected"], weights["meets"]) == ("≈", [0.4222, 0.1492, 0.2271, 0.2014], True)
    assert len(weights["value"]) == 4
    assert (leak["holds"], leak["verdict"]) == (None, "not run")
    assert "torch" in leak["reason"]


def test_json_has_no_number_that_is_none(workings, broken):
    answer = workings("experiment", "perpendicular", "--format", "json")
    assert answer.code == 1
    (one,) = json.loads(answer.out)["experiments"]
    assert (one["holds"], one["values"][1]["value"]) == (False, "NaN")


def test_markdown(workings, tmp_path):
    assert workings("experiment", "permutation", "-o", "claims.md").out == ""
    text = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert text.startswith("# Permuted words give permuted outputs\n")
    assert text.count("\n|") == 5  # head, rule and three values
    assert "**Holds.**" in text
    assert "Worked out by `workings show apple" in text
    workings("experiment", "permutation", "step-as-journey", "-o", "claims.md")
    text = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert "| weights of Your, after | 0.1988, 0.1900, 0.1877, 0.1177, 0.1156, 0.1900 |  |  |" in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Claims, run",
        "## Permuted words give permuted outputs",
        "## Step made equal to journey",
    ]


def test_a_file_that_cannot_be_written_is_said_before_anything_runs(refused, broken):
    assert "there is no folder" in refused("experiment", "perpendicular", "-o", "nowhere/claims.md")


# -- mistakes ---------------------------------------------------------------------------------------------------------


def test_a_name_that_there_is_not(refused):
    assert "did you mean permutation" in refused("experiment", "permutaton")
    assert "there are neighbours, one-vector-per-word" in refused("experiment", "xyzzy")


def test_options_that_do_not_fit(refused):
    assert "expected one of the two" in refused("experiment", "permutation", "--all")
    assert "--counter without an experiment" in refused("experiment", "--counter")
    assert "one of txt, md, json" in refused("experiment", "permutation", "--format", "tex")
    assert "the list of experiments is text" in refused("experiment", "--format", "json")
    assert "at least 20 columns" in refused("experiment", "permutation", "--width", "7")
    assert "did you mean --counter" in refused("experiment", "permutation", "--conter")


def test_one_that_needs_torch_says_so(refused, few):
    message = refused("experiment", "leak")
    assert "leak: torch cannot be imported" in message
    assert "pip install 'workings[torch]'" in message
