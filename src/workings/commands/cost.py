"""`workings cost`: what a model costs for a length, part by part, counted and on request measured."""

from __future__ import annotations

import difflib
import json
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workings.commands import output, runs
from workings.commands.options import count
from workings.commands.problems import UserError
from workings.commands.what import check_file

if TYPE_CHECKING:
    from workings.transformer import Config, Cost

_WEIGHT_BYTES = 4
_WIDTH = 100
_SPECIALS = 4
"""Padding, begin, end and unknown."""


def options(parser: ArgumentParser) -> None:
    """What `workings cost` takes."""
    add = parser.add_argument
    what = "a run file (.toml), a model's config (.json), a trained model, or a well-known shape such as gpt2-small"
    add("config", metavar="CONFIG|RUN", nargs="?", help=f"{what}; left out, these shapes are listed")
    add("--length", metavar="N", type=count, help="tokens of a sequence; the model's context unless given")
    add("--source-length", metavar="N", type=count, help="tokens of the source; as many unless given")
    add("--batch", metavar="N", type=count, default=1, help="sequences in a training step; 1 unless given")
    add("--vocabulary", metavar="N", type=count, help="words, where a run file leaves that to the tokeniser")
    add("--measure", action="store_true", help="build the model and measure it too, on this processor")
    add("-o", "--output", metavar="FILE", help="write to this file")


def run(found: Namespace) -> None:
    """Count, and write a table. Raises UserError, TextError and TrainingError."""
    output.check_writable(found.output)
    if found.config is None:
        output.write(_listing(found), found.output)
        return
    from workings.transformer import cost_of

    config = config_of(found.config, found.vocabulary)
    length = found.length or config.context
    cost = cost_of(config, length, found.source_length)
    lines = [_head(config, cost, length, found.source_length), "", *_table(cost), ""]
    said = _sayings(config, cost, length, found.source_length, found.batch)
    lines += [textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in said]
    if found.measure:
        lines += ["", *_measured(config, cost, length, found.source_length)]
    output.write("\n".join(lines) + "\n", found.output)


def config_of(name: str, vocabulary: int | None = None, otherwise: int | None = None) -> Config:
    """The Config in a file, of a trained model, or of a well-known shape by its name.

    How many words a run file's model has may follow only from its text: `vocabulary` says it, and where that is not
    given, `otherwise` is taken.
    """
    path = Path(name)
    if path.suffix.lower() == ".json" and not path.is_dir():
        return _from_json(name)
    if path.suffix.lower() == ".toml" and not path.is_dir():
        return _from_run_file(name, vocabulary, otherwise)
    from workings.transformer import Config
    from workings.transformer.presets import PRESETS

    if name in PRESETS and not path.exists():
        return PRESETS[name]() if vocabulary is None else PRESETS[name](vocabulary)
    near = difflib.get_close_matches(name, PRESETS, 2, 0.5)
    if near and not path.exists() and not runs.is_run(name):
        expected = "a config, a trained model or a well-known shape"
        raise UserError(f"{name}: there is no such model", expected, f"did you mean {' or '.join(near)}?")
    run = runs.open_run(name)
    if runs.shape_of(run) == "embeddings":
        raise UserError(f"{name}: this is embeddings of words", "a transformer")
    return Config.from_dict(run.description.model)


def _from_json(name: str) -> Config:
    from workings.transformer import Config

    try:
        content = json.loads(check_file(name, "a model's config"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name}: this is no JSON: {error}", "a model's config") from None
    if isinstance(content, dict) and isinstance(content.get("model"), dict):
        content = content["model"]  # as in the config.json of a training
    if not isinstance(content, dict):
        raise UserError(f"{name}: this is a {type(content).__name__}", "an object with the keys of a Config")
    try:
        return Config.from_dict(content)
    except (ValueError, TypeError) as error:
        raise UserError(str(error), where=name) from None


def _from_run_file(name: str, vocabulary: int | None, otherwise: int | None) -> Config:
    """The model that a run file describes. How many words it has may follow only from the text, and is then asked."""
    from workings.training.configuration import Classify, Copy, Embeddings, read_configuration
    from workings.transformer import Config

    found = read_configuration(name)
    if isinstance(found, Embeddings):
        raise UserError(f"{name}: this trains embeddings of words", "a transformer")
    if isinstance(found, Copy):
        words: int | None = found.data.symbols + _SPECIALS
    else:
        words = vocabulary or found.tokeniser.vocabulary or otherwise
    if words is None:
        raise UserError(f"{name}: how many words there are follows from the text", "", "add --vocabulary N")
    own = {"vocabulary": words}
    if isinstance(found, Classify):
        own["classes"] = 2  # as many as labels, which only the data tells; they cost next to nothing
    try:
        return Config.from_dict({**own, **found.model})
    except ValueError as error:
        raise UserError(f"[model] {error}", where=name) from None


def _listing(found: Namespace) -> str:
    """The well-known shapes, one a line. Raises UserError for an option that needs a model."""
    from workings.transformer import cost_of
    from workings.transformer.presets import PRESETS

    for option in ("length", "source_length", "vocabulary", "measure"):
        if getattr(found, option):
            raise UserError(f"--{option.replace('_', '-')} without a model", "a model", "name one before the options")
    rows: list[tuple[str, ...]] = [("", "", "layers", "width", "heads", "projections", "weights")]
    for name, make in PRESETS.items():
        config = make()
        weights = cost_of(config, config.context).weights
        numbers = config.width, config.heads, _projections(config), weights
        rows.append((name, config.shape, _layers(config), *(f"{number:,}" for number in numbers)))
    told = "`workings cost NAME` says what one costs; `workings figure NAME blocks` draws it."
    return "\n".join([*_aligned(rows, "<<>>>>>"), "", told]) + "\n"


def _layers(config: Config) -> str:
    return " + ".join(str(n) for n in (config.encoder_layers, config.decoder_layers) if n)


def _projections(config: Config) -> int:
    """How many matrices make queries, keys and values: of every head, in every attention of every layer."""
    attentions = config.encoder_layers + config.decoder_layers * (2 if config.encoder_layers else 1)
    return attentions * (config.heads + 2 * config.groups)


def _head(config: Config, cost: Cost, length: int, source: int | None) -> str:
    heads = f"{config.heads} head{'s' * (config.heads > 1)} of {config.columns}"
    reads = f"{length:,} tokens" if source is None else f"{length:,} tokens after a source of {source:,}"
    made = f"{config.shape}, {_layers(config)} layers, width {config.width:,}, {heads}"
    return f"{made}; {cost.weights:,} weights; {reads}"


def _table(cost: Cost) -> list[str]:
    """Part by part: multiplications, the share of all, the formula, weights, and what training keeps."""
    rows = [("", "multiplications", "", "", "weights", "kept for training")]
    for part in cost.parts:
        share = f"{100 * part.multiplications / cost.multiplications:.1f}%" if part.multiplications else ""
        formula = part.formula if part.multiplications else ""
        rows.append((part.name, _number(part.multiplications), share, formula, _number(part.weights), size(part.kept)))
    rows.append(("together", _number(cost.multiplications), "", "", _number(cost.weights), size(cost.kept)))
    lines = _aligned(rows, "<>><>>")
    rule = "─" * max(map(len, lines))
    return [lines[0], rule, *lines[1:-1], rule, lines[-1]]


def _aligned(rows: Sequence[tuple[str, ...]], signs: str) -> list[str]:
    """Rows as lines whose columns stand below one another, to the left or to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{c:{sign}{w}}" for c, sign, w in zip(row, signs, widths, strict=True)) for row in rows]
    return [line.rstrip() for line in lines]


def _sayings(config: Config, cost: Cost, length: int, source: int | None, batch: int) -> list[str]:
    """What the numbers mean: the two growths, the heads, memory."""
    held = size(cost.training_bytes(batch) // _WEIGHT_BYTES)
    training = (
        f"Training holds {held} at once: weights, gradients, AdamW's two averages ({size(4 * cost.weights)}), and what "
        f"is kept for {batch} sequence{'s' * (batch > 1)} ({size(batch * cost.kept)})."
    )
    said = [
        "Multiplications of one pass forward over one sequence; back again takes twice as many more.",
        _growth(config, cost, length, source),
        f"Its heads have {_projections(config):,} projections, which make queries, keys and values.",
        _heads(config, length, source),
        training,
    ]
    if cost.cached:
        cached = size(cost.cached)
        said.append(f"Writing holds {size(cost.weights + cost.cached)}: weights, and {cached} of keys and values.")
    if cost.quadratic:
        said.append("Memory grows with the square of the length:")
        said += [f"- {reason}" for reason in cost.quadratic]
    else:
        said.append("Memory grows with the length, not with its square.")
    return [line for line in said if line]


def _growth(config: Config, cost: Cost, length: int, source: int | None) -> str:
    """What twice the length does: L² d of the scores and the mix, L d² of the rest."""
    from workings.transformer import cost_of

    twice = cost_of(config, 2 * length, None if source is None else 2 * source)
    squared = _pairs(cost)
    now, later = cost.multiplications, twice.multiplications
    pairs = "scores and mixed values, which go with L² d" if config.window is None else "scores and mixed values"
    return (
        f"Twice the length takes {later / now:.2f} times as many: {pairs}, {_times(_pairs(twice), squared)} "
        f"(now {100 * squared / now:.1f}% of all); the rest, which goes with L d², "
        f"{_times(later - _pairs(twice), now - squared)}."
    )


def _times(later: int, now: int) -> str:
    return f"{later / now:.2f} times" if now else "none"


def _pairs(cost: Cost) -> int:
    """The multiplications that pairs of tokens take."""
    return sum(part.multiplications for part in cost.parts if part.name.endswith(("scores", "mixed values")))


def _heads(config: Config, length: int, source: int | None) -> str:
    """Heads together cost as one of their common width."""
    if config.heads == 1:
        return ""
    from workings.transformer import cost_of

    one = replace(config, heads=1, key_value_heads=None, head_width=config.heads * config.columns)
    with_one, with_all = _pairs(cost_of(one, length, source)), _pairs(cost_of(config, length, source))
    same = "the same" if with_one == with_all else f"{_number(with_one)}"
    return (
        f"The pairs of tokens of {config.heads} heads of {config.columns} take {_number(with_all)} together; of one "
        f"head of {config.heads * config.columns}, {same}."
    )


def _measured(config: Config, cost: Cost, length: int, source: int | None) -> list[str]:
    runs.check_installed()
    _check_memory(cost)
    from workings.transformer.measuring import measure

    found = measure(config, length, source)
    counted = cost.multiplications
    forward = f"{found.forward_seconds * 1e3:.1f} ms ({rate(counted, found.forward_seconds)})"
    backward = f"{found.backward_seconds * 1e3:.1f} ms ({rate(2 * counted, found.backward_seconds)})"
    return [
        f"{'':<24}  {'counted':>12}  {'measured':>12}",
        f"{'multiplications':<24}  {_number(counted):>12}  {_number(found.multiplications):>12}",
        f"{'kept for training':<24}  {size(cost.kept):>12}  {size(found.kept // _WEIGHT_BYTES):>12}",
        f"forward {forward}, backward {backward}, the shortest of 3",
    ]


def _check_memory(cost: Cost) -> None:
    """Raise UserError where the model would not fit: its weights, their gradients, and what is kept."""
    import torch

    from workings.training.memory import available, said_bytes

    needed, free = _WEIGHT_BYTES * (2 * cost.weights + cost.kept), available(torch.device("cpu"))
    if free is not None and needed > free:
        found = f"--measure would need {said_bytes(needed)} of memory"
        raise UserError(found, f"at most {said_bytes(free)}, which are free", "leave it out; the rest is counted")


def rate(multiplications: int, seconds: float) -> str:
    """Billions of multiplications a second."""
    return f"{multiplications / seconds / 1e9:.1f} G/s"


def size(numbers: int) -> str:
    """The bytes of so many numbers in float32."""
    count = float(_WEIGHT_BYTES * numbers)
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def _number(value: int) -> str:
    """A count: whole where it is small, with its unit where it is not."""
    if value < 100_000:
        return f"{value:,}"
    count = float(value)
    for unit in ("k", "M", "G"):
        count /= 1000
        if count < 1000:
            return f"{count:.1f} {unit}"
    return f"{count / 1000:,.1f} T"
