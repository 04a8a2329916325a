"""`workings show RUN "..."`: the trained model's working, with its tokens along the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tests.cli import trained

from workings.commands import runs
from workings.commands.model_working import working_of_run
from workings.training.run_directory import RunDirectory


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    trained.language_run(path / "writer")
    trained.translation_run(path / "translator")
    trained.classification_run(path / "judge")
    trained.embeddings_run(path / "words")
    return path


def test_a_language_model(folder):
    working = working_of_run(str(folder / "writer"), "to be")
    run = RunDirectory.open(folder / "writer")
    model, tokeniser = run.model(), run.tokeniser()
    with torch.no_grad():
        logits = model(torch.tensor([tokeniser.encode("to be")]))
    assert torch.equal(torch.as_tensor(working["output"].value), logits)
    assert working["tokens"].labels[1] == ("t", "o", "▁", "b", "e")
    # The words stand along what is made from them: weights of attention, their queries and keys, the logits.
    assert working["stack.blocks.0.attention.score.output"].labels[2] == ("t", "o", "▁", "b", "e")
    assert working["embedding.weight"].labels[0][:3] == ("\n", "▁", ",")
    place = tokeniser.find("q")
    assert float(working["output[0, e, q]"]) == float(logits[0, 4, place])
    shares = logits[0, -1].double().softmax(-1)
    best = int(shares.argmax())
    assert working.notes[-1].startswith(f"What comes next: {tokeniser.pieces([best])[0]} {float(shares[best]):.4f}, ")


def test_its_title_has_the_name_of_the_run_and_not_where_it_lies(folder, monkeypatch):
    assert working_of_run(str(folder / "writer"), "to be").groups[0].title == "writer: to be"
    monkeypatch.chdir(folder / "writer")
    assert working_of_run(".", "to be").groups[0].title == "writer: to be"


def test_a_classifier(folder):
    working = working_of_run(str(folder / "judge"), "a red dog")
    assert working["tokens"].labels[1] == ("<begin>", "a", "red", "dog", "<end>")
    assert working["output"].labels[1] == trained.LABELS
    logits = torch.as_tensor(working["output"].value)[0]
    shares = logits.double().softmax(-1)
    assert f"{trained.LABELS[int(shares.argmax())]} {float(shares.max()):.4f}" in working.notes[-1]


def test_a_translator_with_its_own_translation_as_the_target(workings, folder):
    run = str(folder / "translator")
    working = working_of_run(run, "a man rides")
    assert working["source"].labels[1] == ("a", "man", "rides", "<end>")
    target = working["target"].labels[1]
    assert target[0] == "<begin>"
    assert len(target) <= 12
    printed = workings("translate", run, "a man rides").out.split()
    # The untrained model writes special tokens too, which are not printed.
    written = [token for token in target if token not in ("<begin>", "<padding>")]
    assert len(written) >= 2
    assert written == printed[: len(written)]
    assert working["source_embedding.weight"].labels[0][0] == "a"
    assert working["output"].labels[1] == target


def test_as_the_command(workings, folder, tmp_path):
    run = str(folder / "judge")
    answer = workings("show", run, "a", "red", "dog")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("judge: a red dog")
    assert "Its labels: " in answer.out
    assert "Every number was followed to where it came from." in answer.out
    one = workings("show", run, "a red dog", "--at", "output[0, good]").out
    assert "stack.output" in one or "×" in one
    assert workings("show", run, "a red dog", "-o", "dog.json").code == 0
    steps = json.loads((tmp_path / "dog.json").read_text(encoding="utf-8"))["steps"]
    assert next(s for s in steps if s["path"] == "tokens")["labels"][1] == ["<begin>", "a", "red", "dog", "<end>"]
    changed = workings("show", run, "a red dog", "--set", "embedding.output[0, red] = embedding.output[0, dog]")
    assert changed.code == 0


def test_what_show_refuses(refused, folder):
    assert "workings show" in refused("show", str(folder / "judge"))
    assert "workings near" in refused("show", str(folder / "words"), "king")
    assert "13 tokens long; expected at most 12" in refused("show", str(folder / "judge"), *["dog"] * 11)


def test_a_model_that_ships_is_named_alone(workings, refused, folder, monkeypatch):
    monkeypatch.setattr(runs, "SHIPPED", folder)
    shipped, named = (workings("show", name, "a red dog").out for name in ("judge", str(folder / "judge")))
    assert shipped.splitlines()[1:] == named.splitlines()[1:]
    assert shipped.startswith("judge: a red dog")
    assert workings("generate", "writer", "to be").out == workings("generate", str(folder / "writer"), "to be").out
    assert "did you mean writer?" in refused("generate", "writr", "to be")
    assert "one that ships: judge, translator, words, writer" in refused("generate", "xyz", "to be")


def test_an_unknown_name_is_no_example_and_no_model(refused, folder, monkeypatch):
    monkeypatch.setattr(runs, "SHIPPED", folder)
    message = refused("show", "judg")
    assert "no example named 'judg'" in message
    assert "judge" in message
