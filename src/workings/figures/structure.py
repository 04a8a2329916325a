"""What a model is made of, as its diagram needs it: read off the modules of a model, or off the groups of a Working."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from workings.frozen import frozen
from workings.recording.working import Group, Working
from workings.views.naming import names_of

if TYPE_CHECKING:
    from workings.transformer import Config

UNKNOWN = 1
"""The count of words of a model whose text, which alone tells it, has not been read."""
Role = Literal["attention", "cross-attention", "feed-forward"]


@frozen
class Part:
    """A box: the path of its module or group, and its lines."""

    path: str
    lines: tuple[str, ...]


@frozen
class SubLayer:
    """One part of a block with its normalisation. ``before``: the norm reads what comes in (pre-norm), else the sum."""

    role: Role
    part: Part
    norm: Part
    before: bool


@frozen
class Column:
    """A stack, from below: what comes in, its block so many times, what goes out."""

    name: str
    path: str
    entry: tuple[Part, ...]
    block: tuple[SubLayer, ...]
    times: int
    exit: tuple[Part, ...]
    source: str  # what stands below it


@frozen
class Structure:
    """One stack, or two, of which the second attends to what comes out of the first."""

    title: str
    columns: tuple[Column, ...]

    def parts(self) -> Iterator[Part]:
        """Every box."""
        for column in self.columns:
            yield from column.entry
            for sub in column.block:
                yield from (sub.part, sub.norm)
            yield from column.exit


# -- of a model --------------------------------------------------------------------------------------------------------


def of_config(config: Config) -> Structure:
    """The structure of the model that a config describes, which is made without memory for its weights."""
    import torch

    from workings.transformer.models import build

    with torch.device("meta"):
        found = of_model(build(config))
    assert found is not None
    return found


def of_model(model: object) -> Structure | None:
    """The structure of one of our transformers; None for any other module."""
    from workings.transformer import DecoderOnly, EncoderDecoder, EncoderOnly

    if isinstance(model, EncoderDecoder):
        shared = model.source_embedding is None
        encoder = _column(
            "encoder", "encoder", model.encoder, _embedding(model, "embedding" if shared else "source_embedding"), ()
        )
        decoder = _column("decoder", "decoder", model.decoder, _embedding(model, "embedding"), _output(model))
        return Structure("encoder-decoder", (encoder, decoder))
    if isinstance(model, DecoderOnly | EncoderOnly):
        name = "decoder" if isinstance(model, DecoderOnly) else "encoder"
        return Structure(
            model.shape, (_column(name, "stack", model.stack, _embedding(model, "embedding"), _output(model)),)
        )
    return None


def _embedding(model: Any, name: str) -> Part:
    words, width = getattr(model, name).weight.shape
    scaled = ", times √d" if model.embedding_scale != 1.0 else ""
    return Part(name, ("embedding", f"{_words(words)} × {width}{scaled}"))


def _words(count: int) -> str:
    return "every word" if count == UNKNOWN else f"{count:,} words"


def _output(model: Any) -> tuple[Part, ...]:
    """What the states become: scores of words or of classes."""
    classes = model.config.classes
    count, width = model.output_weight.shape
    tied = model.output is None
    what = "scores of the words" if classes is None else "scores of the classes"
    size = f"{width} → {_words(count) if classes is None else count}" + (", by the embedding" if tied else "")
    score = Part("embedding" if tied else "output", (what, size))
    if classes is None:
        return (score,)
    return Part(
        "", (f"{model.config.pooling} of the tokens" if model.config.pooling == "mean" else "the first token",)
    ), score


def _column(name: str, path: str, stack: Any, embedding: Part, output: tuple[Part, ...]) -> Column:
    entry = [embedding]
    positions = _positions(stack.positions)
    if positions and positions[0].startswith("+"):
        entry.append(Part(f"{path}.positions", positions))
    if _is_norm(stack.embedding_norm):
        entry.append(Part(f"{path}.embedding_norm", (_norm(stack.embedding_norm),)))
    within = positions if positions and not positions[0].startswith("+") else ()
    blocks = list(stack.blocks)
    block = tuple(_sub_layers(blocks[0], f"{path}.blocks.0", stack, within)) if blocks else ()
    last = (Part(f"{path}.norm", (_norm(stack.norm),)),) if _is_norm(stack.norm) else ()
    source = (
        "source"
        if name == "encoder" and not output
        else "target"
        if hasattr(blocks[0], "cross_attention")
        else "tokens"
    )
    return Column(name, path, tuple(entry), block, len(blocks), (*last, *output), source)


def _sub_layers(block: Any, path: str, stack: Any, within: tuple[str, ...]) -> Iterator[SubLayer]:
    """In the order in which the block calls them; its class says where the norms stand."""
    from workings.transformer.blocks import PreNormBlock, PreNormCrossBlock

    before = isinstance(block, PreNormBlock | PreNormCrossBlock)
    mask = "each token sees those before it" if stack.causal else "each token sees all"
    if stack.config.window is not None:
        mask = f"sees at most {stack.config.window - 1} tokens {'back' if stack.causal else 'away'}"
    title = "masked self-attention" if stack.causal else "self-attention"
    own = Part(f"{path}.attention", (title, _heads(block.attention), mask, *within))
    yield SubLayer("attention", own, _norm_of(block, path, "attention_norm"), before)
    if hasattr(block, "cross_attention"):
        cross = Part(f"{path}.cross_attention", ("cross-attention", _heads(block.cross_attention)))
        yield SubLayer("cross-attention", cross, _norm_of(block, path, "cross_attention_norm"), before)
    network = Part(f"{path}.feed_forward", ("feed-forward network", *_network(block.feed_forward, stack.config)))
    yield SubLayer("feed-forward", network, _norm_of(block, path, "feed_forward_norm"), before)


def _norm_of(block: Any, path: str, name: str) -> Part:
    return Part(f"{path}.{name}", (_norm(getattr(block, name)),))


def _heads(attention: Any) -> str:
    said = f"{attention.heads} head{'s' * (attention.heads > 1)} of {attention.columns}"
    if attention.groups < attention.heads:
        said += f", {attention.groups} of keys and values"
    return said


def _network(network: Any, config: Any) -> tuple[str, ...]:
    kind = {"relu": "ReLU", "gelu": "GELU", "swiglu": "SwiGLU", "geglu": "GEGLU"}[config.feed_forward.kind]
    width, inner = network.narrow.out_features, network.narrow.in_features
    return (f"{width} → {inner:,} → {width}, {kind}",)


def _is_norm(module: Any) -> bool:
    return type(module).__name__ != "Identity"


def _norm(module: Any) -> str:
    return {"LayerNormalisation": "layer norm", "RootMeanSquareNormalisation": "RMS norm"}[type(module).__name__]


def _positions(module: Any) -> tuple[str, ...]:
    """What says where a token stands: a vector that is added (with a + before it), or something inside attention."""
    found = {
        "SinusoidalPositions": "+ sinusoidal positions",
        "LearnedPositions": "+ learned positions",
        "RotaryPositions": "rotary positions",
        "ALiBiPositions": "ALiBi: far tokens count less",
        "RelativePositions": "relative positions, learned",
    }.get(type(module).__name__)
    return (found,) if found else ()


# -- of a Working ------------------------------------------------------------------------------------------------------

_ROLES: dict[str, Role] = {"cross_attention": "cross-attention", "feed_forward": "feed-forward"}
_BLOCKS = ("encoder_block_post", "encoder_block_pre", "decoder_block_post", "decoder_block_pre")


def of_working(working: Working) -> Structure | None:
    """The blocks that a Working's groups are named after; None where there are none."""
    columns = [
        _worked(working, group) for group in working.groups if group.equation in _BLOCKS and group.kind == "section"
    ]
    columns = [column for column in columns if column.block]
    if not columns:
        return None
    encoder = next((c for c in columns if c.name == "encoder block"), None)
    decoder = next((c for c in columns if c.name == "decoder block"), None)
    return Structure("block", tuple(c for c in (encoder, decoder) if c is not None))


def _worked(working: Working, block: Group) -> Column:
    inner = {g.name: g for g in working.groups if g.parent == block.number and g.kind == "section"}
    path = working.index.group_path(block.number)
    masked = "mask" in names_of(working, block.number)
    subs = []
    for name in ("attention", "self_attention", "cross_attention", "feed_forward"):
        if name in inner and f"{name}_norm" in inner:
            lines = _lines(working, inner[name], masked and name != "cross_attention")
            role = _ROLES.get(name, "attention")
            norm = Part(f"{path}.{name}_norm", ("layer norm",))
            subs.append(SubLayer(role, Part(f"{path}.{name}", lines), norm, block.equation.endswith("_pre")))
    kind = "encoder" if block.equation.startswith("encoder") else "decoder"
    return Column(f"{kind} block", path, (), tuple(subs), 1, (), "rows that come in")


def _lines(working: Working, group: Group, masked: bool) -> tuple[str, ...]:
    if group.equation == "feed_forward":
        names = names_of(working, group.number)
        sizes = [working.steps[names[n].step].shape for n in ("W_1", "W_2") if n in names]
        if len(sizes) == 2:
            return ("feed-forward network", f"{sizes[0][1]} → {sizes[0][0]} → {sizes[1][0]}")
        return ("feed-forward network",)
    heads = sum(1 for g in working.groups if g.parent == group.number and g.equation == "head")
    title = {"cross_attention": "cross-attention"}.get(
        group.name, "masked self-attention" if masked else "self-attention"
    )
    return (title, f"{heads} head{'s' * (heads > 1)}")
