"""The texts' figures: what is drawn is what the texts print, or plain NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest
from tests.figures.support import (
    EXAMPLES,
    STYLES,
    by_gid,
    cell_texts,
    draw,
    ends,
    example,
    heats,
    mesh_of,
    outside,
    texts,
)

import workings as wk

X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]])
WORDS = ["Apple", "shares", "fell", "sharply"]
# Tables 1 and 2 of the first text.
TABLE_1 = [[0.401, 0.191, 0.216, 0.191], [0.176, 0.359, 0.245, 0.220], [0.238, 0.293, 0.245, 0.224],
           [0.233, 0.290, 0.247, 0.230]]  # fmt: skip
TABLE_2 = [[0.206, 0.319, 0.247, 0.227], [0.361, 0.202, 0.227, 0.210], [0.296, 0.240, 0.240, 0.225],
           [0.292, 0.238, 0.241, 0.229]]  # fmt: skip


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


# -- plane ------------------------------------------------------------------------------------------------------------


def test_four_arrows_and_where_attention_takes_apple():
    """Figure 1 of the first text: the rows of equation (2), and the vector of Apple in section 3."""
    drawing = draw("apple", "plane")
    ax = drawing.axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("food", "finance")
    arrows = by_gid(drawing, "token-")
    assert [ends(arrows[f"token-{row}"]) for row in range(4)] == [((0, 0), tuple(point)) for point in X]
    (move,) = by_gid(drawing, "move-").values()
    start, end = ends(move)
    assert start == (1.0, 0.2)
    assert np.round(end, 3).tolist() == [0.523, 0.497]
    assert move.get_linestyle() not in ("-", "solid")
    assert {*WORDS, "new Apple"} <= set(texts(drawing))
    assert "Dashed: where attention (plain) takes Apple." in drawing.caption


def test_another_attention_another_word_and_every_word():
    (move,) = by_gid(draw("apple", "plane", at="projected"), "move-").values()
    assert np.round(ends(move)[1], 3).tolist() == [0.358, 0.623]  # section 4
    (move,) = by_gid(draw("apple", "plane", token="fell"), "move-").values()
    assert ends(move)[0] == (0.3, 0.6)
    assert ends(move)[1] == pytest.approx((softmax(X @ X.T) @ X)[2])
    moves = by_gid(draw("apple", "plane", token=":"), "move-")
    assert [ends(moves[f"move-{row}"])[1] for row in range(4)] == [pytest.approx(p) for p in softmax(X @ X.T) @ X]


def test_both_axes_have_one_scale_and_hold_every_point():
    drawing = draw("apple", "plane")
    ax = drawing.axes[0]
    assert ax.get_aspect() == 1
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert max(left, low) < 0
    assert min(right, high) > 1


def test_of_more_axes_two_are_asked_for_by_name():
    with pytest.raises(wk.FigureError, match=r"columns, and a plane has 2; expected two of them by name.*food finance"):
        draw("encoder-block", "plane")
    drawing = draw("encoder-block", "plane", axes=("motion", "food"))
    arrows = by_gid(drawing, "token-")
    # fell is [0, 0, 1] and Apple [1, 0, 0] on food, finance, motion; shares is the origin here, and has no arrow.
    assert ends(arrows["token-2"])[1] == (1.0, 0.0)
    assert ends(arrows["token-0"])[1] == (0.0, 1.0)
    assert "token-1" not in arrows
    drawing = draw("journey", "plane", axes=("0", "2"))
    assert ends(by_gid(drawing, "token-")["token-1"])[1] == (0.55, 0.66)
    for wrong in (("food",), ("food", "colour"), ("food", "food")):
        with pytest.raises(wk.FigureError):
            draw("encoder-block", "plane", axes=wrong)


def test_names_do_not_cover_each_other():
    for name, axes in (("apple", ()), ("journey", ("0", "1"))):
        drawing = draw(name, "plane", axes=axes)
        drawing.draw_without_rendering()
        boxes = [part.get_window_extent() for part in by_gid(drawing, "name-").values()]
        pairs = [(a, b) for n, a in enumerate(boxes) for b in boxes[n + 1 :]]
        assert not any(a.overlaps(b) for a, b in pairs)


# -- weights ----------------------------------------------------------------------------------------------------------


def test_plain_beside_projected():
    """Figure 2 of the first text: Tables 1 and 2, with their words along both sides, every number in its cell."""
    drawing = draw("apple", "weights")
    (plain, *names), (projected, *_) = heats(drawing)
    assert np.round(plain, 3).tolist() == TABLE_1
    assert np.round(projected, 3).tolist() == TABLE_2
    assert names == [WORDS, WORDS]
    left, right = drawing.axes
    assert [left.get_title(), right.get_title()] == ["plain", "projected"]
    assert cell_texts(left, 4) == [[f"{number:.3f}" for number in row] for row in TABLE_1]
    assert cell_texts(right, 4) == [[f"{number:.3f}" for number in row] for row in TABLE_2]
    assert {"a row asks", "a column answers"} <= set(texts(drawing))
    # One scale for both: the same shade is the same weight.
    assert mesh_of(left).norm is mesh_of(right).norm
    assert "scaled" in drawing.caption  # which is here too, and is said to be


def test_darker_is_heavier():
    for dark in (False, True):
        image = mesh_of(draw("apple", "weights", dark=dark).axes[0])
        light = [image.cmap(image.norm(value))[:3] for value in (0.0, 0.2, 0.4)]
        grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in light]
        assert grey == sorted(grey, reverse=not dark)
        assert abs(grey[0] - grey[1]) > 0.1
        assert abs(grey[1] - grey[2]) > 0.1


def test_the_second_texts_heat_map():
    """The six rows of weights: the row of journey as the second text prints it."""
    (weights, rows, columns), *_ = heats(draw("journey", "weights"))
    assert rows == columns == ["Your", "journey", "starts", "with", "one", "step"]
    assert np.round(weights[1], 4).tolist() == [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]


def test_which_weights_are_asked_for():
    drawing = draw("apple", "weights", at=["scaled", "heads.2"])
    (scaled, *_), (head, *_) = heats(drawing)
    assert np.round(scaled[0], 3).tolist() == [0.353, 0.209, 0.228, 0.209]  # section 4
    assert np.round(head[0], 3).tolist() == [0.425, 0.173, 0.211, 0.191]  # section 5
    with pytest.raises(wk.FigureError, match="no attention there; expected one of plain, scaled, projected"):
        draw("apple", "weights", at="plane")


def test_what_a_mask_hides_is_hatched():
    drawing = draw("loss", "weights")
    hidden = set(by_gid(drawing, "hidden-"))
    assert hidden == {f"hidden-{row}-{column}" for row in range(4) for column in range(row + 1, 4)}
    mask, weights = draw("loss", "mask").axes
    assert len(mask.patches) == len(weights.patches) == 6
    later = np.triu(np.ones((4, 4)), 1) == 1
    assert np.array_equal(np.isnan(np.ma.filled(mesh_of(mask).get_array(), np.nan)), later)
    assert (np.asarray(mesh_of(weights).get_array())[later] == 0).all()
    assert [text.get_text() for text in mask.texts].count("−∞") == 6


def test_any_address_is_a_heat_map():
    ((scores, rows, columns),) = heats(draw("apple", "plain.scores"))
    assert scores == pytest.approx(X @ X.T)
    assert (rows, columns) == (WORDS, WORDS)
    ((row, *_),) = heats(draw("apple", "plain.scores[Apple]"))
    assert row == pytest.approx((X @ X.T)[:1])
    ((vector, _, words),) = heats(draw("next-token", "next.probabilities"))
    assert vector.shape == (1, 5)
    assert words == ["Apple", "shares", "fell", "sharply", "end"]
    with pytest.raises(wk.FigureError, match="is one number; expected a vector or a matrix"):
        draw("apple", "plain.scores[Apple, shares]")
    with pytest.raises(
        wk.FigureError, match=r"no figure 'plain.score', and no one value.*its figures are plane, weights"
    ):
        draw("apple", "plain.score")


def test_weights_of_a_script_are_known_by_their_rows():
    def attend(Q):
        S = Q @ Q.T
        W = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
        return W @ Q

    working = wk.show(attend, X, labels={"Q": (WORDS, ["food", "finance"])})
    ((weights, rows, _),) = heats(wk.figure(working, "weights"))
    assert np.round(weights, 3).tolist() == TABLE_1
    assert rows == WORDS
    (move,) = by_gid(wk.figure(working, "plane"), "move-").values()
    assert np.round(ends(move)[1], 3).tolist() == [0.523, 0.497]


def test_a_fused_kernel_is_opened():
    """PyTorch's own module, which computes no weights: they are those it gives when it is asked for them."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module, rows = torch.nn.MultiheadAttention(4, 2, batch_first=True).double().eval(), torch.randn(1, 3, 4).double()
    with torch.no_grad(), wk.record(module) as working:
        module(rows, rows, rows, need_weights=False)
    (first, *_), (second, *_) = heats(wk.figure(working, "heads"))
    with torch.no_grad():
        _, expected = module(rows, rows, rows, average_attn_weights=False)
    assert np.stack([first, second]) == pytest.approx(expected[0].numpy(), abs=1e-12)


def test_only_what_is_drawn_is_opened():
    """A model's layers are many: naming their heads opens none, drawing those of one layer opens one."""
    torch = pytest.importorskip("torch")
    rows = torch.ones(1, 2, 3, 4)
    with torch.no_grad(), wk.record() as working:
        for _ in range(3):
            rows = torch.nn.functional.scaled_dot_product_attention(rows, rows, rows)
    from workings.figures.registry import offered

    assert [kind.name for kind in offered(working)] == ["weights", "heads"]
    assert not working.__dict__.get("_opened")
    assert len(heats(wk.figure(working, "heads"))) == 2
    assert len(working.__dict__["_opened"]) == 1


def test_weights_are_followed_through_dropout_and_new_shapes():
    """In training, PyTorch drops some weights before they mix: what is drawn is the softmax, and drawn once."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    rows = torch.randn(1, 2, 4, 3, requires_grad=True)
    with wk.record() as working:
        torch.nn.functional.scaled_dot_product_attention(rows, rows, rows, dropout_p=0.5)
    found = heats(wk.figure(working, "weights"))
    expected = torch.softmax(rows @ rows.transpose(-1, -2) / 3**0.5, dim=-1)[0].detach().numpy()
    assert np.stack([weights for weights, *_ in found]) == pytest.approx(expected, abs=1e-6)


def test_weights_that_are_no_attention_are_not_taken_for_one():
    def regression(X):
        weights = np.array([2.0, -1.0])
        return X @ weights

    with pytest.raises(wk.FigureError, match="this Working has no weights of attention"):
        wk.figure(wk.show(regression, X), "weights")


def test_whole_numbers_and_large_masks():
    working = wk.show(lambda a: a + 1, np.arange(6).reshape(2, 3))
    assert cell_texts(wk.figure(working, "a").axes[0], 3) == [["0", "1", "2"], ["3", "4", "5"]]
    later = np.triu(np.full((60, 60), -np.inf), 1)
    drawing = wk.figure(wk.show(lambda mask: mask + 0.0, later), "mask")
    assert len(drawing.axes[0].patches) == 0  # 1,770 hatches would be slow; one colour says it
    assert np.ma.count_masked(mesh_of(drawing.axes[0]).get_array()) == 1770


# -- one word's attention ---------------------------------------------------------------------------------------------


def test_apple_through_attention():
    """Figure 3 of the first text, with the numbers of its section 4."""
    drawing = draw("apple", "attention")
    written = texts(drawing)
    for text in ("Apple", "query", "key", "value", "W_Q", "softmax", "new Apple", "[0.20, 1.00]", "[0.358, 0.623]"):
        assert text in written
    assert [t for t in written if t in ("0.283", "0.721", "0.467", "0.382")] == ["0.283", "0.721", "0.467", "0.382"]
    bars = by_gid(drawing, "weight-")
    widths = [bars[f"weight-{place}"].get_width() for place in range(4)]
    assert np.array(widths) / widths[1] == pytest.approx(np.array(TABLE_2[0]) / TABLE_2[0][1], abs=0.003)
    for arrow in ("row-query", "row-key", "row-value", "query-scores", "key-scores", "softmax", "value-row", "mix"):
        assert arrow in by_gid(drawing)


def test_what_the_mask_hides_has_no_score():
    written = texts(draw("loss", "attention", token="Apple"))  # the second of four words
    assert written.count("hidden") == 2
    # Unless a word is asked for, it is one that sees all: the last one here, the first without a mask.
    assert "new fell" in texts(draw("loss", "attention"))
    assert "new Your" in texts(draw("journey", "attention"))


def test_another_word_and_a_memory():
    assert "[0.10, 1.00]" in texts(draw("apple", "attention", token="shares"))
    written = texts(draw("decoder-block", "attention", at="block.cross_attention"))
    assert written.count("of the memory") == 2  # its keys and values are of other rows
    with pytest.raises(wk.FigureError, match="--token pear: there is no such word here"):
        draw("apple", "attention", token="pear")


# -- heads ------------------------------------------------------------------------------------------------------------


def test_two_heads_joined():
    """Figure 4 of the first text, with the numbers of its section 5."""
    drawing = draw("apple", "heads")
    first, first_out, second, second_out, joined, w_o, together = heats(drawing)
    assert np.round(first[0][0], 3).tolist() == [0.232, 0.272, 0.251, 0.246]
    assert np.round(second[0][0], 3).tolist() == [0.425, 0.173, 0.211, 0.191]
    assert np.round([first_out[0][0, 0], second_out[0][0, 0]], 3).tolist() == [0.591, 0.544]
    assert np.round(joined[0][0], 3).tolist() == [0.591, 0.544]
    assert joined[2] == w_o[1] == ["head 1", "head 2"]
    assert w_o[0].tolist() == [[1, 0], [0, 1]]
    assert together[0] == pytest.approx(joined[0] @ w_o[0])


# -- positions --------------------------------------------------------------------------------------------------------


def test_positions_on_the_circle():
    """Figure 5 of the first text: Table 3's sines and cosines; from one to the next, a turn of one radian."""
    drawing = draw("apple", "positions")
    points = by_gid(drawing, "position-")
    places = [tuple(float(part[0]) for part in points[f"position-{p}"].get_data()) for p in range(4)]
    assert np.round(places, 3).tolist() == [[0.0, 1.0], [0.841, 0.540], [0.909, -0.416], [0.141, -0.990]]
    angles = [np.arctan2(x, y) for x, y in places]  # from the second axis
    assert np.unwrap(angles) == pytest.approx([0, 1, 2, 3])
    assert len(by_gid(drawing, "turn-")) == 3
    assert texts(drawing).count("1 rad") == 3


def test_more_coordinates_are_a_map(tmp_path):
    (tmp_path / "wide.toml").write_text(
        'title = "Wide"\nsentence = "a b a b a"\n[embeddings]\n'
        "a = [1, 0, 0, 0, 0, 0, 0, 1]\nb = [0, 1, 0, 0, 0, 0, 1, 0]\n"
        '[[section]]\nname = "positions"\nkind = "positions"\n',
        encoding="utf-8",
    )
    drawing = wk.figure(wk.example(tmp_path / "wide.toml").run(), "positions")
    (found, *_), *_ = heats(drawing)
    p, i = np.arange(5)[:, None], np.arange(4)[None, :]
    angles = p / 10000 ** (2 * i / 8)
    assert found[:, 0::2] == pytest.approx(np.sin(angles))
    assert found[:, 1::2] == pytest.approx(np.cos(angles))
    assert "coordinate: fast on the left, slow on the right" in texts(drawing)


# -- the next word ----------------------------------------------------------------------------------------------------


def test_a_bar_for_each_word():
    """The example's own weights: h of Apple is [1, 0, 0], so that the scores are 0, 4, 0, 0 and -1."""
    expected = softmax(np.array([0.0, 4.0, 0.0, 0.0, -1.0]))
    drawing = draw("next-token", "next")
    ax = drawing.axes[0]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(expected)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Apple", "shares", "fell", "sharply", "end"]
    assert [text.get_text() for text in ax.texts] == [f"{p:.3f}" for p in expected]
    both = draw("next-token", "next", at=["next", "next.temperature_2"])
    assert [bar.get_width() for bar in both.axes[1].patches] == pytest.approx(
        softmax(np.array([0.0, 4.0, 0.0, 0.0, -1.0]) / 2)
    )


# -- all of them ------------------------------------------------------------------------------------------------------


def kinds(name):
    from workings.figures.registry import offered

    return [kind.name for kind in offered(example(name))]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_draws_what_it_offers_and_nothing_is_cut(name):
    offered = kinds(name)
    assert "weights" in offered
    for kind in offered:
        drawing = draw(name, kind, axes=() if name in ("apple", "loss") else ("0", "1"))
        assert outside(drawing) == [], kind
        assert drawing.caption.endswith((".", ")."))


@pytest.mark.parametrize(("style", "dark"), STYLES)
def test_every_style_holds_all_of_apple(style, dark):
    for kind in kinds("apple"):
        drawing = draw("apple", kind, style=style, dark=dark)
        assert outside(drawing) == [], kind
        width, height = drawing.get_size_inches()
        if style == "slides":
            assert width / height == pytest.approx(16 / 9)
        if style == "paper":
            assert any(width * 25.4 == pytest.approx(w) for w in (84, 174))


def test_what_is_not_there_is_named():
    with pytest.raises(
        wk.FigureError, match="next: this Working has no probabilities of a vocabulary; its figures are"
    ):
        draw("apple", "next")
    with pytest.raises(wk.FigureError, match="no attention with heads"):
        draw("journey", "heads")
    with pytest.raises(TypeError, match=r"expected a Working, or a transformer"):
        wk.figure(object(), "blocks")
    with pytest.raises(wk.FigureError, match="there is no style 'poster'; expected one of page, paper, slides"):
        draw("apple", "plane", style="poster")
    with pytest.raises(wk.FigureError, match="a width of 3 mm"):
        draw("apple", "plane", width=3)
