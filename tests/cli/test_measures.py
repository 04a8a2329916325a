"""Measuring a trained model, drawing its losses, its words' geometry, and what it costs."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from tests.cli import trained

from workings.commands.chart import round_numbers, text_chart
from workings.figures.curves import Curve
from workings.training.run_directory import RunDirectory


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    trained.language_run(path / "writer")
    trained.translation_run(path / "translator")
    trained.classification_run(path / "judge")
    trained.embeddings_run(path / "words")
    return path


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return name


# -- evaluate ---------------------------------------------------------------------------------------------------------


def test_perplexity_of_a_text_that_fits_into_one_window(workings, folder, tmp_path):
    run = RunDirectory.open(folder / "writer")
    model, tokeniser = run.model(), run.tokeniser()
    text = "to be or not to be"
    tokens = torch.tensor([tokeniser.encode(text)])
    with torch.no_grad():
        loss = float(torch.nn.functional.cross_entropy(model(tokens)[0, :-1].double(), tokens[0, 1:]))
    answer = workings("evaluate", str(folder / "writer"), written(tmp_path, "a.txt", text), "-f", "json")
    (result,) = json.loads(answer.out)["results"]
    assert result["token"]["perplexity"] == pytest.approx(math.exp(loss), rel=1e-4)
    assert result["character"]["bits"] == pytest.approx(loss / math.log(2), rel=1e-4)
    # 17 characters after the first, in 6 words.
    assert result["word"] == pytest.approx({"count": 6, "nats": loss * 17 / 6, "bits": loss * 17 / 6 / math.log(2),
                                            "perplexity": math.exp(loss * 17 / 6)}, rel=1e-4)  # fmt: skip
    told = workings("evaluate", str(folder / "writer"), "a.txt").out
    assert "17 tokens, 17 characters, 6 words" in told
    assert "windows of 32 tokens, each 16 after the one before; training's validation loss is of windows side" in told
    assert f"{math.exp(loss):,.2f}" in told.replace(f"{math.exp(loss):,.3f}", f"{math.exp(loss):,.2f}")


def test_bleu_and_chrf_of_what_translate_prints(workings, folder, tmp_path):
    from sacrebleu import corpus_bleu, corpus_chrf

    run = str(folder / "translator")
    written(tmp_path, "source.txt", "\n".join(trained.SOURCE) + "\n")
    written(tmp_path, "target.txt", "\n".join(trained.TARGET) + "\n")
    hypotheses = workings("translate", run, "-i", "source.txt", "--beam", "2", "--length", "40").out.splitlines()
    files = ["source.txt", "target.txt"]
    (result,) = json.loads(workings("evaluate", run, *files, "--beam", "2", "-f", "json").out)["results"]
    assert result["bleu"] == pytest.approx(corpus_bleu(hypotheses, [trained.TARGET]).score)
    assert result["chrf"] == pytest.approx(corpus_chrf(hypotheses, [trained.TARGET]).score)
    table = "".join(f"{s}\t{t}\n" for s, t in zip(trained.SOURCE, trained.TARGET, strict=True))
    answer = workings("evaluate", run, written(tmp_path, "both.tsv", table), "--beam", "2", "-f", "json")
    (same,) = json.loads(answer.out)["results"]
    assert {**same, "text": ""} == {**result, "text": ""}
    told = workings("evaluate", run, *files, "--beam", "2").out
    assert "3 sentences" in told
    assert f"chrF {result['chrf']:6.2f}   nrefs:1|" in told


def test_accuracy_and_f1_by_hand(workings, folder, tmp_path):
    run = str(folder / "judge")
    texts = ["a red dog", "the man runs", "a horse", "is red", "the the the"]
    given = [workings("classify", run, text).out.split()[0] for text in texts]
    labels = [given[0], given[1], *("good" if g == "bad" else "bad" for g in given[2:4]), given[4]]
    table = "".join(f"{text}\t{label}\n" for text, label in zip(texts, labels, strict=True))
    (result,) = json.loads(workings("evaluate", run, written(tmp_path, "a.tsv", table), "-f", "json").out)["results"]
    assert result["accuracy"] == pytest.approx(3 / 5)
    both = {*given, *labels}
    f1 = [2 * sum(g == w == name for g, w in zip(given, labels, strict=True)) / (given.count(name) + labels.count(name))
          for name in both]  # fmt: skip
    assert result["macro_f1"] == pytest.approx(sum(f1) / len(f1))
    assert "accuracy  60.00%" in workings("evaluate", run, "a.tsv").out


def test_analogies(workings, folder, tmp_path):
    name = written(tmp_path, "a.txt", ": family\nman king woman queen\nwoman queen man king\nman king woman pear\n")
    (result,) = json.loads(workings("evaluate", str(folder / "words"), name, "-f", "json").out)["results"]
    assert (result["asked"], result["known"], result["right"], result["unknown"]) == (3, 2, 2, ["pear"])


def test_what_evaluate_refuses(refused, folder, tmp_path):
    one, two = written(tmp_path, "one.txt", "a dog\n"), written(tmp_path, "two.txt", "ein hund\nein mann\n")
    run = str(folder / "translator")
    assert "two.txt, line 2" in refused("evaluate", run, one, two)
    assert "3 files" in refused("evaluate", run, one, two, two)
    assert "no such file" in refused("evaluate", str(folder / "writer"), "no.txt")
    assert "empty" in refused("evaluate", str(folder / "writer"), written(tmp_path, "empty.txt", ""))
    assert "the label 'great'" in refused(
        "evaluate", str(folder / "judge"), written(tmp_path, "a.tsv", "a dog\tgreat\n")
    )
    one_token = refused("evaluate", str(folder / "writer"), written(tmp_path, "t.txt", "t"))
    assert "t.txt: the corpus has 1 token; expected at least 2" in one_token
    assert "stride is 99" in refused("evaluate", str(folder / "writer"), two, "--stride", "99")
    assert "four words a line" in refused("evaluate", str(folder / "words"))
    assert "one.txt, line 1: 2 words" in refused("evaluate", str(folder / "words"), one)


# -- plot -------------------------------------------------------------------------------------------------------------


def test_a_chart_by_hand():
    """Two points at the ends of both axes: in the first row and column, and in the last ones."""
    lines = text_chart("loss", [Curve("falling", ((0, 4.0), (100, 2.0)))], width=40, height=5)
    assert lines[0] == "loss"
    rows = lines[1:6]
    assert [row.split("┤")[0].strip() for row in rows] == ["4", "3.5", "3", "2.5", "2"]
    assert rows[0].split("┤")[1] == "●"
    assert rows[4].split("┤")[1].index("●") == len(lines[6].strip()) - 2
    assert lines[-1].strip() == "● falling: last 2 at 100, lowest 2 at 100, highest 4 at 0"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.0, 10.0, (0, 2, 4, 6, 8, 10)), (1.47, 5.2, (1, 2, 3, 4, 5, 6)), (0.31, 0.34, (0.31, 0.32, 0.33, 0.34))],
)
def test_round_numbers(low, high, expected):
    assert round_numbers(low, high) == pytest.approx(expected)


@pytest.mark.parametrize("height", [0.0, -3.0, 1e-12, 1e9])
def test_a_curve_without_height_is_drawn(height):
    for curve in (Curve("flat", ((1, height), (2, height))), Curve("one point", ((5, height),))):
        assert any("●" in line for line in text_chart("loss", [curve], 60)[1:-1])


SVG = "{http://www.w3.org/2000/svg}"


def marks(root):
    """The groups of marks of each curve of a chart."""
    return [group for group in root.iter(f"{SVG}g") if group.attrib.get("id", "").startswith("curve-")]


def test_losses_of_two_runs(workings, folder, tmp_path):
    runs = [str(folder / "writer"), str(folder / "translator")]
    out = workings("plot", *runs).out
    for run in runs:
        assert f"{run}, training: last 2 at 2, lowest 2 at 2, highest 3 at 1" in out
        assert f"{run}, validation: last 2.5 at 2" in out
    assert workings("plot", runs[0], "-o", "curves.svg").code == 0
    # The points stand as shapes of the file: the training's two, then the validation's one.
    root = ElementTree.parse(tmp_path / "curves.svg").getroot()
    lines = [[(float(u.attrib["x"]), float(u.attrib["y"])) for u in group.iter(f"{SVG}use")] for group in marks(root)]
    training, validation = lines
    assert training[0][0] < training[1][0]  # to the right
    assert training[0][1] < training[1][1]  # and down, which is larger
    # 2.5 lies half way between 3 and 2, above the last step.
    assert validation == [(training[1][0], pytest.approx((training[0][1] + training[1][1]) / 2, abs=0.1))]
    accuracy = workings("plot", runs[0], "--of", "accuracy", "--of", "loss", "--width", "60").out
    assert "lowest 0.25 at 1" in accuracy
    assert all(len(line) <= 80 for line in accuracy.splitlines() if "│" in line)


def test_what_plot_refuses(refused, folder, tmp_path):
    assert ".gif is not one it draws; expected one of .svg, .png, .pdf" in refused(
        "plot", str(folder / "writer"), "-o", "a.gif"
    )
    assert "there is no learning rate to draw" in refused("plot", str(folder / "writer"), "--of", "rate")
    assert "cannot be read" in refused("plot", str(folder / "words"))


# -- near and analogy -------------------------------------------------------------------------------------------------


def test_nearest_by_cosine(workings, folder):
    vectors = torch.nn.functional.normalize(torch.tensor(trained.VECTORS), dim=1)
    expected = sorted(
        ((float(vectors[0] @ vector), word) for word, vector in zip(trained.WORDS, vectors, strict=True)), reverse=True
    )
    out = workings("near", str(folder / "words"), "King", "--count", "3").out
    found = [line.split() for line in out.splitlines()]
    assert [(word, float(cosine)) for word, cosine in found] == [
        (word, pytest.approx(cosine, abs=1e-4)) for cosine, word in expected[1:4]
    ]


def test_king_minus_man_plus_woman(workings, folder):
    out = workings("analogy", str(folder / "words"), "man", "king", "woman", "--count", "2").out
    assert out.splitlines()[0].split()[0] == "queen"


def test_the_embeddings_of_a_transformer(workings, folder):
    run = RunDirectory.open(folder / "judge")
    weight, tokeniser = run.model().embedding.weight.detach(), run.tokeniser()
    words = [tokeniser.pieces([n])[0] for n in range(len(tokeniser) - 4)]  # without the special tokens
    cosines = torch.cosine_similarity(weight[tokeniser.find("dog")], weight[: len(words)]).tolist()
    best = max((cosine, word) for cosine, word in zip(cosines, words, strict=True) if word != "dog")
    out = workings("near", str(folder / "judge"), "dog", "--count", "50").out.splitlines()
    assert len(out) == len(words) - 1
    assert out[0].split() == [best[1], f"{best[0]:.4f}"]


def test_a_word_without_a_vector(refused, folder):
    assert "no vector for the word 'quean'; did you mean 'queen'?" in refused("near", str(folder / "words"), "quean")
    assert "expected" not in refused("analogy", str(folder / "words"), "man", "king", "pear")


# -- cost -------------------------------------------------------------------------------------------------------------

SMALL = {"vocabulary": 7, "width": 6, "heads": 2, "decoder_layers": 1, "inner_width": 8, "positions": "none"}


def test_multiplications_by_hand(workings, tmp_path):
    """L = 5, d = 6, 2 heads of 3, f = 8, v = 7: each product of matrices, rows × inner × columns."""
    out = workings("cost", written(tmp_path, "a.json", json.dumps(SMALL)), "--length", "5").out
    counted = {
        name.strip(): int(number.replace(",", ""))
        for name, number in re.findall(r"^(\w[\w ,-]*?) {2,}([\d,]+) ", out, re.MULTILINE)
    }
    parts = {
        "decoder queries, keys, values": 3 * 5 * 6 * 6,
        "decoder scores": 2 * 5 * 3 * 5,
        "decoder mixed values": 2 * 5 * 5 * 3,
        "decoder attention output": 5 * 6 * 6,
        "decoder feed-forward": 2 * 5 * 6 * 8,
        "words": 5 * 6 * 7,
    }
    assert {name: counted[name] for name in parts} == parts
    assert counted["together"] == sum(parts.values())
    # L² d twice: for the scores and for the mix; twice the length takes four times as many.
    assert "scores and mixed values, which go with L² d, 4.00 times" in out
    assert "the rest, which goes with L d², 2.00 times" in " ".join(out.split())
    assert f"The pairs of tokens of 2 heads of 3 take {2 * 5 * 5 * 6} together; of one head of 6, the same." in out


def test_a_run_and_its_config_cost_the_same(workings, folder, tmp_path):
    config = json.loads((folder / "writer" / "config.json").read_text(encoding="utf-8"))["model"]
    out = workings("cost", str(folder / "writer")).out
    assert "32 tokens" in out
    assert workings("cost", written(tmp_path, "c.json", json.dumps(config))).out == out
    weights = sum(p.numel() for p in RunDirectory.open(folder / "writer").model().parameters())
    assert f"{weights:,} weights" in out


def test_the_cost_of_a_run_file(workings, refused, tmp_path):
    assert workings("new", "copy", "copy.toml").code == 0
    out = workings("cost", "copy.toml", "--length", "10").out
    assert "encoder-decoder, 2 + 2 layers, width 64" in out
    assert workings("new", "lm", "lm.toml").code == 0
    assert "add --vocabulary N" in refused("cost", "lm.toml")
    assert workings("cost", "lm.toml", "--vocabulary", "65").code == 0


def test_well_known_shapes_are_listed(workings, refused):
    """Projections by hand: layers × heads × 3, in an encoder-decoder with three attentions for two layers."""
    lines = workings("cost").out.splitlines()
    assert [line.split() for line in lines[1:5]] == [
        ["paper-base", "encoder-decoder", "6", "+", "6", "512", "8", f"{18 * 8 * 3}", "63,082,496"],
        ["gpt2-small", "decoder-only", "12", "768", "12", f"{12 * 12 * 3}", "124,439,808"],
        ["bert-base", "encoder-only", "12", "768", "12", f"{12 * 12 * 3}", "108,890,112"],
        ["llama-7b", "decoder-only", "32", "4,096", "32", f"{32 * 32 * 3:,}", "6,738,415,616"],
    ]
    assert "did you mean gpt2-small" in refused("cost", "gpt2")
    assert "--length without a model" in refused("cost", "--length", "5")


def test_keys_and_values_of_several_heads_are_projected_once(workings, tmp_path):
    grouped = SMALL | {"width": 12, "heads": 6, "key_value_heads": 2}
    out = workings("cost", written(tmp_path, "a.json", json.dumps(grouped))).out
    assert f"Its heads have {SMALL['decoder_layers'] * (6 + 2 + 2)} projections" in out


def test_what_does_not_fit_is_not_measured(refused):
    assert "--measure would need" in refused("cost", "llama-7b", "--measure", "--length", "1000000")


def test_measured_beside_counted(workings, tmp_path):
    name = written(tmp_path, "a.json", json.dumps(SMALL | {"width": 64, "heads": 4, "inner_width": 128}))
    out = workings("cost", name, "--length", "16", "--measure").out
    counted, measured = re.search(r"^multiplications +([\d.]+ ?\w*) {2,}([\d.]+ ?\w*)$", out, re.MULTILINE).groups()
    assert counted == measured


def test_what_cost_refuses(refused, folder, tmp_path):
    assert "heads is 4, which does not divide" in refused(
        "cost", written(tmp_path, "a.json", json.dumps(SMALL | {"heads": 4}))
    )
    assert "did you mean" in refused("cost", written(tmp_path, "b.json", json.dumps(SMALL | {"witdh": 4})))
    assert "this is no JSON" in refused("cost", written(tmp_path, "c.json", "{"))
    assert "expected an object" in refused("cost", written(tmp_path, "d.json", "[1]"))
    assert "no such file" in refused("cost", "nowhere.json")
    assert "expected a transformer" in refused("cost", str(folder / "words"))
