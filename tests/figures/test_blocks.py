"""Block diagrams: each box is a module of the model, in the order in which the model itself calls them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tests.figures.support import by_gid, example, outside, route, texts

import workings as wk
from workings.figures.structure import of_config, of_model
from workings.transformer import Config, build

TRANSLATOR = {
    "vocabulary": 11,
    "source_vocabulary": 13,
    "width": 8,
    "heads": 2,
    "encoder_layers": 2,
    "decoder_layers": 3,
}
CONFIGS = {
    "as in 2017": TRANSLATOR | {"positions": "sinusoidal", "placement": "post", "feed_forward": "relu"},
    "pre-norm": TRANSLATOR | {"source_vocabulary": None, "norm": "rms", "feed_forward": "geglu", "output": "separate"},
    "writer": {"vocabulary": 11, "width": 8, "heads": 4, "key_value_heads": 2, "decoder_layers": 2, "window": 5},
    "one layer": {"vocabulary": 11, "width": 8, "heads": 1, "decoder_layers": 1, "positions": "alibi"},
    "reader": {"vocabulary": 11, "width": 8, "heads": 2, "encoder_layers": 2, "classes": 3, "placement": "post",
               "embedding_norm": True, "positions": "learned"},
    "first token": {"vocabulary": 11, "width": 8, "heads": 2, "encoder_layers": 1, "classes": 3, "pooling": "first",
                    "positions": "relative-buckets"},
}  # fmt: skip
SHOWN = ("attention", "cross_attention", "feed_forward", "norm", "positions", "embedding", "output")


def drawn(config):
    model = build(Config.from_dict(config))
    return model, wk.figure(model, "blocks")


def called(model):
    """The modules of the first block of each stack and around them, in the order in which they really run."""
    order = []
    names = {module: name for name, module in model.named_modules()}
    for module, name in names.items():
        last = name.rpartition(".")[2]
        block = ".blocks." in name
        inside = block and (not name.split(".blocks.")[1].startswith("0.") or name.count(".") > 3)
        if last.removesuffix("_norm") in SHOWN and not inside and not isinstance(module, torch.nn.Identity):
            module.register_forward_hook(lambda m, *_: order.append(names[m]))
    tokens = torch.tensor([[1, 2, 3]])
    model(tokens, tokens) if hasattr(model, "encoder") else model(tokens)
    return list(dict.fromkeys(order))


@pytest.mark.parametrize("name", CONFIGS)
def test_the_boxes_are_the_models_modules_in_their_order(name):
    """From below to above in each column, as the modules are called; only one block of each stack is drawn."""
    model, drawing = drawn(CONFIGS[name])
    boxes = by_gid(drawing)
    modules = dict(model.named_modules())
    paths = {path: box for path, box in boxes.items() if path in modules}
    order = called(model)
    assert set(order) <= set(paths)
    for start in ("encoder.", "decoder.", "stack."):
        column = [path for path in order if path.startswith(start)]
        heights = [paths[path].get_y() for path in column]
        assert heights == sorted(heights), column
        left = {round(paths[path].get_x(), 6) for path in column}
        assert len(left) <= 1
    assert outside(drawing) == []


@pytest.mark.parametrize("name", CONFIGS)
def test_a_residual_arrow_around_every_sub_layer(name):
    model, drawing = drawn(CONFIGS[name])
    boxes = by_gid(drawing)
    parts = ("attention", "cross_attention", "feed_forward")
    subs = [p for p, _ in model.named_modules() if ".blocks.0." in p and p.rpartition(".")[2] in parts]
    arrows = {gid for gid in boxes if gid.endswith(":residual")}
    assert arrows == {f"{path}:residual" for path in subs}
    for path in subs:
        part, norm, total = boxes[path], boxes[f"{path}_norm"], boxes[f"{path}:sum"]
        (_, start), *_, (_, end) = route(boxes[f"{path}:residual"])
        before = model.config.placement.kind == "pre"
        first = norm if before else part
        assert start < first.get_y()  # it leaves before the sub-layer and ends at the sum behind it
        assert total.get_y() > part.get_y()
        assert total.get_y() < end < total.get_y() + total.get_height()
        assert (norm.get_y() < part.get_y()) is before
        assert (norm.get_y() > total.get_y()) is not before


def test_encoder_and_decoder_with_residual_arrows_and_the_link_between_them():
    """Figure 6 of the first text: two and three sub-layers, and the memory from the encoder to the cross-attention."""
    model, drawing = drawn(CONFIGS["as in 2017"])
    boxes = by_gid(drawing)
    residual = [gid for gid in boxes if gid.endswith(":residual")]
    assert [sum(gid.startswith(stack) for gid in residual) for stack in ("encoder.", "decoder.")] == [2, 3]
    asks = boxes["decoder.blocks.0.cross_attention"]
    link = route(boxes["memory:decoder.blocks.0.cross_attention"])
    modules = dict(model.named_modules())
    top = max(box.get_y() for path, box in boxes.items() if path in modules and path.startswith("encoder."))
    assert link[0][1] > top
    assert link[-1][0] == pytest.approx(asks.get_x())
    assert asks.get_y() < link[-1][1] < asks.get_y() + asks.get_height()
    assert not any(gid.startswith("memory:") for gid in by_gid(drawn(CONFIGS["writer"])[1]))


def test_what_the_boxes_say_is_the_models():
    written = texts(drawn(CONFIGS["as in 2017"])[1])
    assert {"encoder × 2", "decoder × 3", "+ sinusoidal positions", "2 heads of 4", "8 → 32 → 8, ReLU"} <= set(written)
    assert {"13 words × 8", "11 words × 8", "masked self-attention", "cross-attention", "source", "target"} <= set(
        written
    )
    written = texts(drawn(CONFIGS["writer"])[1])
    assert {"4 heads of 2, 2 of keys and values", "sees at most 4 tokens back", "rotary positions"} <= set(written)
    assert {"layer norm", "8 → 11 words, by the embedding"} <= set(written)
    written = texts(drawn(CONFIGS["reader"])[1])
    assert {"scores of the classes", "8 → 3", "mean of the tokens", "+ learned positions"} <= set(written)
    assert "the first token" in texts(drawn(CONFIGS["first token"])[1])
    assert "RMS norm" in texts(drawn(CONFIGS["pre-norm"])[1])


def test_a_large_model_is_drawn_without_its_weights():
    large = Config(vocabulary=50257, width=12288, heads=96, decoder_layers=24)  # 44 billion weights
    structure = of_config(large)
    assert structure == of_config(large)
    assert "96 heads of 128" in structure.columns[0].block[0].part.lines
    assert structure.columns[0].times == 24


def test_only_our_transformers():
    assert of_model(torch.nn.Linear(2, 2)) is None
    with pytest.raises(TypeError, match=r"torch.nn.modules.linear.Linear; expected a Working, or a transformer"):
        wk.figure(torch.nn.Linear(2, 2), "blocks")
    with pytest.raises(wk.FigureError, match="weights: a model alone has no such figure; expected blocks"):
        wk.figure(build(Config.from_dict(CONFIGS["writer"])), "weights")


@pytest.mark.parametrize(("name", "parts"), [
    ("encoder-block", ["attention", "attention_norm", "feed_forward", "feed_forward_norm"]),
    ("decoder-block", ["self_attention", "self_attention_norm", "cross_attention", "cross_attention_norm",
                       "feed_forward", "feed_forward_norm"]),
])  # fmt: skip
def test_the_block_of_an_example(name, parts):
    """Figure 6 of the first text, equations (11), (13) and (14): attention, sum, norm, network, sum, norm."""
    boxes = by_gid(wk.figure(example(name), "blocks"))
    heights = [boxes[f"block.{part}"].get_y() for part in parts]
    assert heights == sorted(heights)
    assert ("memory:block.cross_attention" in boxes) is (name == "decoder-block")


def test_a_block_with_the_norm_before(tmp_path):
    from workings.examples import example as examples

    text = (
        (Path(examples.__file__).parent / "files" / "encoder-block.toml")
        .read_text(encoding="utf-8")
        .replace('norm = "post"', 'norm = "pre"')
    )
    (tmp_path / "pre.toml").write_text(text, encoding="utf-8")
    boxes = by_gid(wk.figure(wk.example(tmp_path / "pre.toml").run(), "blocks"))
    assert boxes["block.attention_norm"].get_y() < boxes["block.attention"].get_y()
