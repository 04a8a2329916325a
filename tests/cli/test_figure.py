"""`workings figure`, and the pictures of `workings plot`."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest
from tests.cli import trained

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLE = """title = "Two words"
sentence = "a b"
axes = ["x", "y"]
[embeddings]
a = [1, 0]
b = [0, 2]
[[section]]
name = "all"
kind = "plain-attention"
"""
RUN = """task = "lm"
[data]
text = "no-such-text.txt"
[model]
decoder_layers = 5
"""


def svg_texts(path):
    return ["".join(element.itertext()) for element in ElementTree.parse(path).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    return str(trained.language_run(tmp_path_factory.mktemp("runs") / "writer"))


def test_what_there_is_is_listed(workings, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    def named(out):
        """The first word of each line that begins an entry; what it says may go on below."""
        return [line.split()[0] for line in out.splitlines()[2:] if not line.startswith("   ")]

    answer = workings("figure", "apple")
    assert (answer.code, answer.err) == (0, "")
    assert named(answer.out) == ["plane", "weights", "attention", "heads", "positions", "ADDRESS"]
    assert max(map(len, answer.out.splitlines())) <= 80
    assert named(workings("figure", "loss").out) == ["plane", "weights", "attention", "mask", "next", "ADDRESS"]
    assert list(tmp_path.iterdir()) == []


def test_a_figure_is_a_file_and_its_caption_is_said(workings, tmp_path):
    answer = workings("figure", "apple", "plane", "-o", "plane.svg")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("plane.svg: 4 tokens in the plane of food and finance. Dashed: where attention")
    assert {"Apple", "shares", "fell", "sharply", "food", "finance"} <= set(svg_texts(tmp_path / "plane.svg"))
    assert workings("figure", "apple", "weights", "--style", "slides", "--dark", "-o", "weights.png").code == 0
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert workings("figure", "apple", "plain.scores", "-o", "s.PDF").code == 0
    assert (tmp_path / "s.PDF").read_bytes().startswith(b"%PDF-")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plane.svg", "s.PDF", "weights.png"]


def test_to_standard_output(workings):
    answer = workings("figure", "apple", "weights", "-o", "-")
    assert ElementTree.fromstring(answer.out.encode()).tag == f"{SVG}svg"


def test_your_own_numbers(workings, tmp_path):
    (tmp_path / "mine.toml").write_text(EXAMPLE, encoding="utf-8")
    assert workings("figure", "mine.toml", "weights", "--decimals", "2", "-o", "w.svg").code == 0
    # The scores of a are 1 and 0, those of b 0 and 4: e / (e + 1), and 1 / (1 + e⁴).
    assert {"0.73", "0.27", "0.02", "0.98"} <= set(svg_texts(tmp_path / "w.svg"))
    assert workings("figure", "mine.toml", "weights", "b a b", "-o", "w.svg").code == 0
    assert workings("figure", "mine.toml", "plain.scores", "-o", "w.svg").code == 2
    assert workings("figure", "mine.toml", "weights", "--set", "X[a] = 0, 0", "-o", "w.svg").code == 0
    assert svg_texts(tmp_path / "w.svg").count("0.500") == 2


def test_a_script_and_a_saved_working(workings, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nX = np.array([[1.0, 0.2], [0.1, 1.0]])\nW = np.exp(X @ X.T)\n"
        "W = W / W.sum(axis=1, keepdims=True)\nY = W @ X\n",
        encoding="utf-8",
    )
    assert "weights" in workings("figure", "mine.py").out
    assert workings("figure", "mine.py", "weights", "-o", "w.svg").code == 0
    import workings as wk

    wk.script("mine.py").save(tmp_path / "mine.workings")
    assert workings("figure", "mine.workings", "W", "-o", "w.svg").code == 0


def test_the_blocks_of_a_run_file_before_there_is_anything_to_read(workings, tmp_path):
    (tmp_path / "my_run.toml").write_text(RUN, encoding="utf-8")
    assert workings("figure", "my_run.toml", "blocks", "-o", "blocks.svg").code == 0
    written = svg_texts(tmp_path / "blocks.svg")
    assert "decoder × 5" in written
    assert any(text.startswith("every word × ") for text in written)
    assert workings("figure", "my_run.toml", "blocks", "--vocabulary", "99", "-o", "blocks.svg").code == 0
    assert any(text.startswith("99 words × ") for text in svg_texts(tmp_path / "blocks.svg"))
    assert workings("new", "translate", "t.toml").code == 0
    assert workings("figure", "t.toml", "blocks", "-o", "blocks.svg").code == 0
    assert {"encoder × 3", "decoder × 3"} <= set(svg_texts(tmp_path / "blocks.svg"))
    assert workings("figure", "paper-base", "blocks", "-o", "blocks.svg").code == 0
    written = svg_texts(tmp_path / "blocks.svg")
    assert {"encoder × 6", "8 heads of 64", "512 → 2,048 → 512, ReLU", "+ sinusoidal positions"} <= set(written)


def test_a_training(workings, writer, tmp_path):
    listed = workings("figure", writer).out
    assert "blocks" in listed
    assert "losses" in listed
    assert workings("figure", writer, "blocks", "-o", "b.svg").code == 0
    assert {"decoder × 2", "2 heads of 8", "+ learned positions"} <= set(svg_texts(tmp_path / "b.svg"))
    assert workings("figure", writer, "losses", "-o", "l.svg").code == 0
    assert {"training", "validation", "loss", "step"} <= set(svg_texts(tmp_path / "l.svg"))
    assert workings("figure", writer, "losses", "--of", "accuracy", "-o", "l.svg").code == 0
    assert "accuracy" in svg_texts(tmp_path / "l.svg")


def test_the_weights_of_a_trained_model(workings, writer, tmp_path):
    """Its attention is one fused call, opened to be drawn: rows of two heads, with the future hatched."""
    answer = workings("figure", writer, "heads", "to be", "-o", "h.svg")
    assert answer.code == 0
    assert "2 heads of stack.blocks.0.attention" in answer.out
    written = svg_texts(tmp_path / "h.svg")
    assert {"head 0", "head 1", "t", "o", "b", "e", "▁"} <= set(written)
    root = ElementTree.parse(tmp_path / "h.svg").getroot()
    hidden = {e.attrib["id"] for e in root.iter() if e.attrib.get("id", "").startswith("hidden-")}
    assert hidden == {f"hidden-{row}-{column}" for row in range(5) for column in range(row + 1, 5)}


def test_plot_draws_with_the_same_figures(workings, writer, tmp_path):
    for name in ("curves.svg", "curves.png", "curves.pdf"):
        assert workings("plot", writer, "--of", "loss", "--of", "accuracy", "-o", name).code == 0
    assert {"training", "validation", "loss", "accuracy"} <= set(svg_texts("curves.svg"))
    assert workings("plot", writer, writer, "-o", "two.svg").code == 0
    names = [text for text in svg_texts("two.svg") if text.endswith(("writer, training", "writer, validation"))]
    assert len(names) == 4


def test_what_figure_refuses(refused, workings, writer, tmp_path):
    assert "a figure is a file, and none was named; expected -o plane.svg" in refused("figure", "apple", "plane")
    assert ".jpg is not one it draws; expected one of .svg, .png, .pdf" in refused(
        "figure", "apple", "plane", "-o", "a.jpg"
    )
    assert "it has none" in refused("figure", "apple", "plane", "-o", "plane")
    assert "no figure was named" in refused("figure", "apple", "-o", "plane.svg")
    assert "there is no folder" in refused("figure", "apple", "plane", "-o", "no/plane.svg")
    said = refused("figure", "apple", "next", "-o", "a.svg")
    assert "no probabilities of a vocabulary; its figures are plane, weights, attention, heads, positions" in said
    assert "did you mean weights" in refused("figure", "apple", "wieghts", "-o", "a.svg")
    assert "--axes food motion: X has no column 'motion'" in refused(
        "figure", "apple", "plane", "--axes", "food", "motion", "-o", "a.svg"
    )
    assert "--token pear" in refused("figure", "apple", "plane", "--token", "pear", "-o", "a.svg")
    assert "--at pear" in refused("figure", "apple", "weights", "--at", "pear", "-o", "a.svg")
    assert "there is no example named 'aple'" in refused("figure", "aple", "plane", "-o", "a.svg")
    assert "a width of 5 mm" in refused("figure", "apple", "plane", "--width", "5", "-o", "a.svg")
    assert "invalid choice: 'poster'" in refused("figure", "apple", "plane", "--style", "poster", "-o", "a.svg")
    assert "when it reads something" in refused("figure", writer, "weights", "-o", "a.svg")
    (tmp_path / "r.toml").write_text(RUN, encoding="utf-8")
    assert "has no numbers yet; expected blocks" in refused("figure", "r.toml", "losses", "-o", "a.svg")
    assert "--of height" in refused("figure", writer, "losses", "--of", "height", "-o", "a.svg")
    (tmp_path / "stops.py").write_text("import numpy as np\nx = np.eye(2) @ np.eye(3)\n", encoding="utf-8")
    assert "stops.py" in refused("figure", "stops.py", "x", "-o", "a.svg")
    assert not (tmp_path / "a.svg").exists()


def test_what_was_there_stays_where_a_figure_fails(refused, workings, tmp_path):
    assert workings("figure", "apple", "plane", "-o", "a.svg").code == 0
    before = (tmp_path / "a.svg").read_bytes()
    refused("figure", "apple", "next", "-o", "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == before


def test_without_matplotlib(refused, workings, writer, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install 'workings[figures]'" in refused("figure", "apple")
    assert "pip install 'workings[figures]'" in refused("plot", writer, "-o", "a.svg")
    assert workings("plot", writer).code == 0  # the chart in the terminal needs none
