"""Every claim has its experiment, each holds, and each judgement can fail."""

from __future__ import annotations

import inspect
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import workings as wk
from workings import experiments
from workings.cli import main

from .support import counter_check, failing, outcome

FACTS = Path(__file__).parents[1] / "facts"
SLOW = {"leak", "residual-gradient"}
EVERY = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in experiments.names()]


def rows() -> dict[str, dict]:
    """The rows of kind experiment, by the name behind `experiment.`, with the text each is of."""
    found = {}
    for text in ("first", "second"):
        facts = tomllib.loads((FACTS / f"{text}_text.toml").read_text(encoding="utf-8"))
        for row in facts["experiment"]:
            found[row["id"].removeprefix("experiment.")] = {**row, "text": text}
    return found


def test_every_row_of_the_facts_has_its_experiment():
    assert set(experiments.names()) == set(rows())
    for name, row in rows().items():
        experiment = experiments.load(name)
        assert (experiment.name, experiment.title, experiment.text) == (name, row["title"], row["text"])
        assert row["command"] == f"workings experiment {name}"


def skip_without_what_it_needs(name):
    missing = experiments.load(name).missing
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


@pytest.mark.parametrize("name", EVERY)
def test_the_claim_holds(name):
    skip_without_what_it_needs(name)
    found = outcome(name)
    assert found.holds, failing(found)
    assert len(found.values) >= 2
    assert found.happened.endswith(".")


@pytest.mark.parametrize("name", EVERY)
def test_its_judgement_can_fail(name):
    skip_without_what_it_needs(name)
    assert not counter_check(name).holds
    assert failing(counter_check(name))


@pytest.mark.parametrize("name", experiments.names())
def test_its_record_is_whole(name):
    experiment = experiments.load(name)
    told = (experiment.title, experiment.place, experiment.claim, experiment.expected, experiment.counter.what)
    for words in (*told, experiment.see):
        assert words.strip() == words != ""
    taken = inspect.signature(experiment.compute).parameters
    assert set(experiment.counter.arguments) <= set(taken)
    assert all(parameter.default is not inspect.Parameter.empty for parameter in taken.values())


@pytest.mark.parametrize("command", sorted({experiments.load(name).see for name in experiments.names()}))
def test_the_command_beside_it_runs(command, capsys):
    program, *arguments = shlex.split(command)
    assert program == "workings"
    main(arguments)
    assert capsys.readouterr().out.strip()


def test_what_draws_numbers_says_so():
    """Whoever draws numbers to judge by states how often and from which seed."""
    drawn = {name for name in experiments.names() if experiments.load(name).statistical}
    assert drawn == {"neighbours", "variance", "lining-up", "heads", "residual-gradient", "leak", "shape-contract"}
    for name in drawn:
        assert "seed" in experiments.load(name).statistical


# -- names ------------------------------------------------------------------------------------------------------------


def test_from_python():
    assert wk.experiment("permutation").run().holds
    assert wk.experiment("Two Blocks") is wk.experiment("two_blocks") is wk.experiment("experiment.two-blocks")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("permutaton", "did you mean permutation"),
        ("mask", "did you mean mask-zeros"),
        ("xyzzy", "there are neighbours, one-vector"),
    ],
)
def test_another_name_is_answered_with_near_ones(name, hint):
    with pytest.raises(wk.ExperimentError, match=hint):
        wk.experiment(name)


# -- what is loaded ---------------------------------------------------------------------------------------------------


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)


def test_without_torch_the_others_run_and_this_one_says_what_it_needs():
    done = python(
        "import sys; sys.modules['torch'] = None\nimport workings as wk\n"
        "assert wk.experiment('perpendicular').run().holds\n"
        "assert 'torch' in wk.experiment('leak').missing\n"
        "try: wk.experiment('leak').run()\nexcept wk.ExperimentError as error: print(error)"
    )
    assert "torch" in done.stdout, done.stderr
    assert "pip install 'workings[torch]'" in done.stdout


def test_an_experiment_that_needs_no_torch_does_not_import_it():
    done = python(
        "import sys, workings as wk\nfor name in ('permutation', 'two-blocks', 'temperature'):\n"
        "    assert wk.experiment(name).run().holds\nprint('torch' in sys.modules)"
    )
    assert done.stdout == "False\n", done.stderr
