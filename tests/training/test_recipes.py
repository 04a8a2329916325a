"""The recipes: each can be read, says what it gave, and goes on exactly; small here, with all its choices."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.training.support import LINES

from workings.training import RunDirectory, configured, read_configuration, train
from workings.training.listeners import Listener, Report

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
DATA = {
    "translate": {"source": "pairs.tsv"},
    "lm": {"text": "text.txt"},
    "classify": {"texts": "labels.tsv"},
    "copy": {"pairs": 60, "validation_pairs": 10, "longest": 6},
    "embeddings": {"text": "text.txt"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = [f"{line} {number}" for number, line in enumerate(LINES * 3)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{text}\t{' '.join(text.split()[::-1])}\n" for text in texts))
    (tmp_path / "labels.tsv").write_text("".join(f"{t}\t{'red' if 'red' in t else 'other'}\n" for t in texts))
    (tmp_path / "text.txt").write_text("\n".join(texts) * 3)
    return tmp_path


def small(recipe: Path) -> dict[str, Any]:
    """A recipe with other data, less width and a few steps."""
    given = tomllib.loads(recipe.read_text(encoding="utf-8"))
    given["data"] = DATA[given["task"]]
    given["training"] |= {"save_every": 3, "report_every": 1}
    if given["task"] == "embeddings":
        given["model"] |= {"width": 8, "minimum": 1}
        given["training"] |= {"words": 60, "passes": 2}
        return given
    given["model"] |= {"width": 8 * given["model"]["heads"], "context": 24}
    given["batches"] = {"rows": 4}
    given["training"] |= {"steps": 7, "warmup": 2, "preflight": False, "validate_every": 2}
    if "vocabulary" in given.get("tokeniser", {}):
        given["tokeniser"]["vocabulary"] = 300
    return given


class Killer(Listener):
    """Ends a training in the middle, without any chance to save."""

    class Killed(Exception):
        pass

    def stepped(self, report: Report) -> None:
        if report.step == 5:
            raise self.Killed


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_the_header_says_what_it_gave(recipe: Path) -> None:
    read_configuration(recipe)
    header = [line for line in recipe.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    found = {line[1:].split()[0]: line for line in header if line.startswith("#   ") and line[4] != " "}
    assert {"data", "train", "result"} <= found.keys()
    assert f"workings train recipes/{recipe.name}" in found["train"]
    assert any(character.isdigit() for character in found["result"])


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_it_goes_on_exactly(recipe: Path, folder: Path) -> None:
    """Killed after five steps, it goes on from the third, and ends as if nothing had happened, bit for bit."""
    configuration = configured(small(recipe))
    train(configuration, folder / "straight", folder=folder)
    with pytest.raises(Killer.Killed):
        train(configuration, folder / "killed", folder=folder, listener=Killer())
    outcome = train(configuration, folder / "killed", folder=folder, resume=True)
    assert outcome.step > 5
    one, two = (RunDirectory.open(folder / name).state() for name in ("straight", "killed"))
    assert one is not None
    assert two is not None
    assert one[0].keys() == two[0].keys()
    assert [name for name in one[0] if not torch.equal(one[0][name], two[0][name])] == []
