"""Writing and reading with a trained model: what the command prints is what the model's own numbers say."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tests.cli import trained

from workings.generation import length_penalty
from workings.training.run_directory import RunDirectory
from workings.transformer import EncoderDecoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    trained.language_run(path / "writer")
    trained.translation_run(path / "translator")
    trained.classification_run(path / "judge")
    return path


@pytest.fixture
def pipe(monkeypatch):
    """Text that comes through the pipe."""

    def through(text: str | bytes) -> None:
        raw = io.BytesIO(text if isinstance(text, bytes) else text.encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw, encoding="utf-8"))

    return through


def opened(path: Path):
    run = RunDirectory.open(path)
    return run.model(), run.tokeniser(), run.target_tokeniser()


# -- generate ---------------------------------------------------------------------------------------------------------


def greedy(path: Path, prompt: str, count: int) -> str:
    """The largest logit, token by token, each time from the whole text so far."""
    model, tokeniser, _ = opened(path)
    tokens = tokeniser.encode(prompt)
    with torch.no_grad():
        for _ in range(count):
            tokens.append(int(model(torch.tensor([tokens]))[0, -1].argmax()))
    assert tokeniser.end not in tokens
    return tokeniser.decode(tokens)


def test_temperature_0_takes_the_largest_logit_each_time(workings, folder):
    run = folder / "writer"
    answer = workings("generate", str(run), "to be", "--temperature", "0", "--length", "20")
    assert answer == (0, greedy(run, "to be", 20) + "\n", "")


def test_the_prompt_comes_from_words_a_file_or_a_pipe(workings, folder, tmp_path, pipe):
    options = ["--seed", "2", "--length", "5"]
    typed = workings("generate", str(folder / "writer"), "be\nor not", *options)
    (tmp_path / "prompt.txt").write_text("be\nor not\n", encoding="utf-8")
    pipe("be\nor not\n")
    assert typed.code == 0
    assert typed.out.startswith("be\nor not")
    assert workings("generate", str(folder / "writer"), "--input", "prompt.txt", *options) == typed
    assert workings("generate", str(folder / "writer"), *options) == typed


def test_each_text_of_several_is_that_of_its_seed_alone(workings, folder):
    run = str(folder / "writer")
    alone = [workings("generate", run, "to be", "--seed", seed, "--length", "12").out for seed in ("4", "5", "6")]
    assert len(set(alone)) == 3
    together = workings("generate", run, "to be", "--seed", "4", "--texts", "3", "--length", "12").out
    assert together == "\n".join(alone)
    streamed = workings("generate", run, "to be", "--seed", "4", "--texts", "3", "--length", "12", "--stream").out
    assert streamed == together


def test_stop_text_and_output_file(workings, folder, tmp_path):
    run = folder / "writer"
    whole = greedy(run, "to be", 20)
    stop = whole[12:14]
    before = whole[: whole.index(stop, 5)]
    answer = workings(
        "generate", str(run), "to be", "--temperature", "0", "--length", "20", "--stop", stop, "-o", "a.txt"
    )
    assert (answer.code, answer.out) == (0, "")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == before + "\n"


def test_the_ledger_is_how_it_was_chosen(workings, folder, tmp_path):
    run = folder / "writer"
    answer = workings(
        "generate", str(run), "to be", "--seed", "3", "--length", "6", "--temperature", "0.8", "--top-k", "4",
        "--ledger", "ledger.json", "--candidates", "24",
    )  # fmt: skip
    ledger = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))
    (text,) = ledger["texts"]
    model, tokeniser, _ = opened(run)
    tokens = tokeniser.encode("to be")
    assert ledger["prompt"]["tokens"] == tokens
    for entry in text["tokens"]:
        with torch.no_grad():
            logits = model(torch.tensor([tokens]))[0, -1].double()
        first, last = entry["stages"][0], entry["stages"][-1]
        assert first["logits"] == pytest.approx(logits[entry["candidates"]].tolist(), abs=1e-4)
        logits[[tokeniser.padding, tokeniser.begin, tokeniser.unknown]] = -math.inf  # never chosen
        best = logits.topk(4)
        shares = dict(zip(best.indices.tolist(), (best.values / 0.8).softmax(-1).tolist(), strict=True))
        for token, share in zip(entry["candidates"], last["probabilities"], strict=True):
            assert share == pytest.approx(shares.get(token, 0.0), abs=1e-5)
        assert last["logits"].count("-Infinity") == 20
        # Side by side in the order of their ids, the tokens before the chosen one fill the line up to `low`.
        assert entry["low"] == pytest.approx(sum(s for t, s in shares.items() if t < entry["chosen"]), abs=1e-5)
        assert entry["low"] <= entry["draw"] < entry["high"]
        assert entry["piece"] == tokeniser.pieces([entry["chosen"]])[0]
        tokens.append(entry["chosen"])
    assert answer.out == tokeniser.decode(tokens) + "\n"


def test_the_ledger_is_a_page_too(workings, folder, tmp_path):
    options = ("--seed", "3", "--length", "6", "--temperature", "0.8", "--top-k", "4")
    for name in ("ledger.json", "ledger.html"):
        assert workings("generate", str(folder / "writer"), "to be", *options, "--ledger", name).code == 0
    (text,) = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))["texts"]
    page = (tmp_path / "ledger.html").read_text(encoding="utf-8")
    assert page.count("<details ") == len(text["tokens"])
    assert page.count('<tr class="chosen">') == len(text["tokens"])
    first = text["tokens"][0]
    assert f"The draw was {first['draw']:.4f}" in page.replace("\n", " ")
    assert "<title>How writer wrote" in page  # and not where the run lies
    assert "<script" not in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page


def test_a_model_that_has_no_position_left_says_so(workings, folder):
    answer = workings("generate", str(folder / "writer"), "to be", "--length", "99", "--temperature", "0")
    assert len(answer.out.rstrip("\n")) >= 32
    assert "32 positions" in answer.err


def test_a_file_that_cannot_be_written_is_named_with_its_option(workings, refused, folder):
    run = str(folder / "writer")
    short = ["generate", run, "to", "--length", "2"]
    assert "workings: --ledger nowhere/a.json: there is no folder" in refused(*short, "--ledger", "nowhere/a.json")
    assert "workings: -o nowhere/a.txt: there is no folder" in refused(*short, "-o", "nowhere/a.txt")
    full = workings(*short, "--ledger", "/dev/full")
    assert (full.code, full.err.count("\n")) == (2, 1)
    assert "workings: --ledger /dev/full: cannot be written (No space left on device)" in full.err
    assert "workings: -o /dev/full: cannot be written (No space" in refused(*short, "-o", "/dev/full")
    assert "workings: nowhere/a.toml: there is no folder" in refused("new", "lm", "nowhere/a.toml")


def test_a_full_standard_output_is_said_once(folder, tmp_path):
    command = [sys.executable, "-m", "workings", "translate", str(folder / "translator"), "a dog"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    said = b"workings: standard output: cannot be written (No space left on device); make room\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_what_generate_refuses(refused, folder):
    run = str(folder / "writer")
    assert "temperature is -1.0" in refused("generate", run, "to", "--temperature", "-1")
    assert "top_p is 2.0" in refused("generate", run, "to", "--top-p", "2")
    assert "'0' is not a count" in refused("generate", run, "to", "--top-k", "0")
    assert "33 tokens long; expected at most 32" in refused("generate", run, "t" * 33)
    assert "the text is empty" in refused("generate", run, "")
    assert "leave one out" in refused("generate", run, "to", "--stream", "-o", "x.txt")
    assert "did you mean --temperature?" in refused("generate", run, "to", "--temprature", "1")


# -- translate --------------------------------------------------------------------------------------------------------


def test_one_beam_takes_the_largest_logit_each_time(workings, folder):
    run = folder / "translator"
    model, source, target = opened(run)
    assert isinstance(model, EncoderDecoder)
    read = torch.tensor([[*source.encode("a man rides a horse"), source.end]])
    tokens = [target.begin]
    with torch.no_grad():
        while tokens[-1] != target.end and len(tokens) < 9:
            logits = model(read, torch.tensor([tokens]))[0, -1]
            logits[[target.padding, target.begin, target.unknown]] = -math.inf  # never chosen
            tokens.append(int(logits.argmax()))
    expected = target.decode(token for token in tokens[1:] if token != target.end)
    answer = workings("translate", str(run), "a man rides a horse", "--beam", "1", "--length", "8")
    assert answer == (0, expected + "\n", "")


def test_the_best_come_with_their_scores(workings, folder):
    run = folder / "translator"
    answer = workings(
        "translate", str(run), "a dog runs", "--beam", "5", "--best", "3", "--alpha", "0.7", "--length", "6"
    )
    found = [line.split("\t") for line in answer.out.splitlines()]
    assert len(found) == 3
    scores = [float(score) for score, _ in found]
    assert scores == sorted(scores, reverse=True)
    model, source, target = opened(run)
    read = torch.tensor([[*source.encode("a dog runs"), source.end]])
    for score, text in zip(scores, (text for _, text in found), strict=True):
        ids = [token for word in text.split() for token in [target.find(word)]]
        endings = [ids, [*ids, target.end]]  # cut off at the length, or ended by itself
        possible = []
        for tokens in endings:
            with torch.no_grad():
                logs = model(read, torch.tensor([[target.begin, *tokens[:-1]]]))[0].log_softmax(-1)
            total = sum(float(logs[place, token]) for place, token in enumerate(tokens))
            possible.append(total / length_penalty(len(tokens), 0.7))
        assert any(math.isclose(score, each, abs_tol=2e-4) for each in possible)


def test_a_line_in_is_a_line_out(workings, folder, tmp_path, pipe):
    run = str(folder / "translator")
    lines = ["a man rides a horse", "", "the dog runs"]
    alone = [workings("translate", run, line).out for line in lines if line]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    together = workings("translate", run, "-i", "in.txt")
    assert together.out == alone[0] + "\n" + alone[1]
    pipe("\r\n".join(lines))
    assert workings("translate", run) == together
    assert workings("translate", run, "a", "man", "rides", "a", "horse").out == alone[0]
    workings("translate", run, "-i", "in.txt", "-o", "out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == together.out


def test_a_pipe_between_processes(process, folder):
    answer = process("translate", str(folder / "translator"), "a dog")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith("\n")


def test_weights_in_8_bits(workings, folder):
    answer = workings("translate", str(folder / "translator"), "a dog", "--weights", "int8")
    assert answer.code == 0


def test_what_translate_refuses(refused, workings, folder, tmp_path, pipe):
    run = str(folder / "translator")
    long = " ".join(["dog"] * 12)
    assert "the text is 13 tokens long; expected at most 12" in refused("translate", run, long)
    (tmp_path / "in.txt").write_text(f"a dog\n{long}\n", encoding="utf-8")
    assert "in.txt, line 2: the text is 13 tokens long" in refused("translate", run, "-i", "in.txt")
    assert "no such file" in refused("translate", run, "-i", "on.txt")
    assert "did you mean 'in.txt'?" in refused("translate", run, "-i", "on.txt")
    (tmp_path / "latin.txt").write_bytes(b"a dog\nun caf\xe9\n")
    assert "latin.txt, line 2: the byte 0xe9" in refused("translate", run, "-i", "latin.txt")
    (tmp_path / "empty.txt").write_text("\n\n", encoding="utf-8")
    assert "at least one line" in workings("translate", run, "-i", "empty.txt").err
    assert "this is a folder" in refused("translate", run, "-i", str(tmp_path))
    assert "leave one out" in refused("translate", run, "a dog", "-i", "in.txt")
    pipe(b"")
    assert "standard input: it is empty" in refused("translate", run)
    pipe(b"a dog\xff")
    assert "standard input, line 1: the byte 0xff" in refused("translate", run)
    assert "--best 5 of 4 beams" in refused("translate", run, "a dog", "--best", "5")
    assert "alpha" in refused("translate", run, "a dog", "--alpha", "nan")


def test_nothing_to_read_on_a_terminal(refused, folder, monkeypatch):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert "there is no text" in refused("translate", str(folder / "translator"))


# -- classify ---------------------------------------------------------------------------------------------------------


def test_the_probabilities_are_those_of_the_model(workings, folder):
    run = folder / "judge"
    model, tokeniser, _ = opened(run)
    tokens = torch.tensor([[tokeniser.begin, *tokeniser.encode("a red dog"), tokeniser.end]])
    with torch.no_grad():
        expected = dict(zip(trained.LABELS, model(tokens)[0].softmax(-1).tolist(), strict=True))
    answer = workings("classify", str(run), "a red dog")
    found = {name: float(share) for name, share in map(str.split, answer.out.splitlines())}
    assert found == pytest.approx(expected, abs=1e-4)
    assert sum(found.values()) == pytest.approx(1, abs=2e-4)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_lines_are_labelled_one_by_one(workings, folder, pipe):
    run = str(folder / "judge")
    pipe("a red dog\nthe man runs\n")
    together = workings("classify", run).out.splitlines()
    for line, text in zip(together, ("a red dog", "the man runs"), strict=True):
        alone = workings("classify", run, text).out.splitlines()
        assert [part.split() for part in line.split("\t")] == [part.split() for part in alone]


@pytest.mark.parametrize(("verb", "run"), [("classify", "judge"), ("translate", "translator")])
def test_a_blank_line_keeps_its_place(workings, folder, pipe, verb, run):
    pipe("a red dog\nthe man runs\n")
    without = workings(verb, str(folder / run))
    pipe("\na red dog\n  \nthe man runs\n")
    found = workings(verb, str(folder / run))
    one, other = without.out.splitlines()
    assert found == (0, f"\n{one}\n\n{other}\n", "")


def test_texts_longer_than_those_of_training_are_counted(workings, folder, tmp_path):
    """Without positions that end, they are read whole, and that is said once."""
    long, short = " ".join(["dog"] * 9), "a dog"
    (tmp_path / "in.txt").write_text(f"{long}\n{short}\n\n{long}\n", encoding="utf-8")
    trained.endless_classifier(tmp_path / "judge", context=8)
    answer = workings("classify", "judge", "-i", "in.txt")
    said = "2 texts longer than the 8 tokens that the model was trained on at once, read whole"
    assert (answer.code, len(answer.out.splitlines())) == (0, 4)
    assert answer.err.count("\n") == 1
    assert said in answer.err
    assert workings("classify", "judge", short).err == ""
    trained.endless_translator(tmp_path / "translator", context=8)
    answer = workings("translate", "translator", "-i", "in.txt", "--beam", "1", "--length", "3")
    assert (answer.code, answer.err.count("\n"), said in answer.err) == (0, 1, True)
    (tmp_path / "out.txt").write_text("hund\n" * 2 + "\nhund\n", encoding="utf-8")
    told = workings("evaluate", "translator", "in.txt", "out.txt", "--beam", "1")
    assert "2 sources longer than the 8 tokens it was trained on, read whole" in told.out


@pytest.mark.parametrize("ending", ["--temperature 0", "--temperature 3", "--temperature 3 --top-k 9"])
def test_what_stands_for_no_text_is_never_written(workings, tmp_path, ending):
    """The output's bias makes the special tokens by far the likeliest."""
    path = trained.endless_run(tmp_path / "writer", favoured=("padding", "begin", "unknown"))
    tokeniser = RunDirectory.open(path).tokeniser()
    options = ["--length", "30", "--ledger", "a.json", *ending.split()]
    answer = workings("generate", "writer", "to be", *options)
    assert answer.code == 0
    assert "<" not in answer.out
    ledger = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert ledger["settings"]["never_chosen"] == ["<padding>", "<begin>", "<unknown>"]
    for entry in ledger["texts"][0]["tokens"]:
        model, never = entry["stages"][:2]
        assert set(entry["pieces"][:3]) == {"<padding>", "<begin>", "<unknown>"}
        assert sum(model["probabilities"][:3]) > 0.99
        assert never["name"] == "never chosen"
        assert never["logits"][:3] == ["-Infinity"] * 3
        assert never["kept"] == len(tokeniser) - 3
    workings("generate", "writer", "to be", *options, "--ledger", "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "&lt;padding&gt;, &lt;begin&gt;, &lt;unknown&gt;" in page
    assert not any(f"would have said <b>&lt;{name}" in page for name in ("padding", "begin", "unknown"))


def test_what_classify_refuses(refused, folder):
    run = str(folder / "judge")
    assert "the text is empty" in refused("classify", run, " ")
    assert "13 tokens long; expected at most 12" in refused("classify", run, " ".join(["dog"] * 11))


# -- the wrong run ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "run", "instead"),
    [
        ("translate", "writer", "generate"),
        ("translate", "judge", "classify"),
        ("generate", "translator", "translate"),
        ("generate", "judge", "classify"),
        ("classify", "writer", "generate"),
        ("classify", "translator", "translate"),
    ],
)
def test_a_run_of_another_kind(refused, folder, verb, run, instead):
    message = refused(verb, str(folder / run), "a dog")
    assert "Traceback" not in message
    assert f"try: workings {instead} {folder / run}" in message


@pytest.mark.parametrize("verb", ["translate", "generate", "classify", "near", "evaluate", "plot", "cost"])
def test_no_such_run(refused, folder, verb):
    words = ["dog"] if verb in ("translate", "generate", "classify", "near") else []
    assert f"did you mean {folder / 'writer'}" in refused(verb, str(folder / "writter"), *words)


@pytest.mark.parametrize("verb", ["translate", "generate", "classify", "near", "evaluate", "plot", "cost", "show"])
def test_a_damaged_run(refused, tmp_path, verb):
    words = ["dog"] if verb in ("translate", "generate", "classify", "near", "show") else []
    run = tmp_path / "broken"
    run.mkdir()
    (run / "metrics.jsonl").write_text("", encoding="utf-8")
    assert "config.json is missing" in refused(verb, "broken", *words)
    (run / "config.json").write_text("{", encoding="utf-8")
    assert "damaged" in refused(verb, "broken", *words)


@pytest.mark.parametrize("verb", ["translate", "generate", "classify"])
def test_damaged_weights(refused, folder, tmp_path, verb):
    import shutil

    name = {"translate": "translator", "generate": "writer", "classify": "judge"}[verb]
    shutil.copytree(folder / name, tmp_path / "copy")
    weights = tmp_path / "copy" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-3] ^= 64
    weights.write_bytes(content)
    assert "model.safetensors: the file is damaged" in refused(verb, "copy", "a dog")
    weights.write_bytes(content[:100])
    assert "damaged" in refused(verb, "copy", "a dog")


def test_a_file_in_place_of_a_run(refused, tmp_path):
    (tmp_path / "run.toml").write_text("", encoding="utf-8")
    assert "train it first: workings train run.toml" in refused("generate", "run.toml", "dog")


def test_without_what_models_need(refused, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else real(name, *rest))
    assert "pip install 'workings[torch]'" in refused("translate", "anything", "a dog")


def test_a_length_beyond_all_memory(workings, refused, folder, tmp_path):
    """Where positions are counted, the text ends with them; where they are not, memory is."""
    assert workings("generate", str(folder / "writer"), "to be", "--length", "9" * 15, "--temperature", "0").code == 0
    trained.endless_run(tmp_path / "endless")
    assert "for their keys and values" in refused("generate", "endless", "to be", "--length", "9" * 15)
    assert "is not a seed" in refused("generate", "endless", "to be", "--seed", "9" * 30)
