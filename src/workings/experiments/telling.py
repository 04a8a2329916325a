"""An experiment and its outcome as text, as Markdown and as data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workings.experiments.experiment import SOURCES, Experiment
from workings.experiments.outcome import Measured, Outcome, Value
from workings.reading.numbers import MINUS, is_short, number
from workings.views.markdown import code, escape
from workings.views.paper import Paper, wrapped

VERSION = 1
_MARKS = {True: "yes", False: "no", None: ""}
COLUMNS = ("measured", "value", "must be", "met")


@dataclass(frozen=True)
class Told:
    """An experiment with what came out, None where it was not run; ``counter`` where it was its counter-check."""

    experiment: Experiment
    outcome: Outcome | None
    counter: bool = False

    @property
    def verdict(self) -> str:
        if self.outcome is None:
            return "not run"
        return "holds" if self.outcome.holds else "does not hold"

    @property
    def as_it_must(self) -> bool:
        """Whether it came out as it must: the claim holds, or its counter-check does not. So is what was not run."""
        return self.outcome is None or self.outcome.holds != self.counter


def listing(experiments: Sequence[Experiment], width: int | None = None) -> str:
    """A line for each: its name and title; then the two texts, and what may be asked."""
    names = max(len(experiment.name) for experiment in experiments)
    paper = Paper(width, False)
    for text, source in SOURCES.items():
        paper.blank()
        paper.text(f"The {text} text: {source}")
        for experiment in experiments:
            if experiment.text == text:
                needs = "  (needs workings[torch])" if experiment.missing else ""
                paper.text(f"{experiment.name:<{names}}  {experiment.title}{needs}", indent=2, hang=names + 4)
    paper.blank()
    paper.text("`workings experiment NAME` runs one, `workings experiment --all` every one.")
    return paper.finished()


def as_text(told: Told, width: int | None = None, colour: bool = False) -> str:
    """One experiment whole: the claim, what must come out, what happened, and the values it is judged by."""
    experiment, outcome = told.experiment, told.outcome
    paper = Paper(width, colour)
    paper.text(f"{experiment.name}: {experiment.title}", "title")
    paper.text(experiment.source, "dim")
    paper.blank()
    for word, said in paragraphs(told):
        _paragraph(paper, word, said)
    if outcome is not None:
        paper.blank()
        _table(paper, [row(measured) for measured in outcome.values])
        paper.blank()
        paper.text(sentence(told), "result" if told.as_it_must else "error")
        paper.blank()
        _paragraph(paper, "Worked out by", experiment.see)
    return paper.finished()


def outcome_text(outcome: Outcome, width: int | None = None) -> str:
    """What came out, without the claim: what happened, the values, the verdict."""
    paper = Paper(width, False)
    paper.text(outcome.happened)
    paper.blank()
    _table(paper, [row(measured) for measured in outcome.values])
    paper.blank()
    paper.text("Holds." if outcome.holds else "Does not hold.")
    return paper.finished()


def as_line(told: Told, width: int | None = None, colour: bool = False) -> str:
    """One of many: its name and verdict, and what happened below."""
    paper = Paper(width, colour)
    style = "dim" if told.outcome is None else "result" if told.as_it_must else "error"
    paper.sides([(told.experiment.name, style)], told.verdict)
    paper.text(told.experiment.lacking if told.outcome is None else told.outcome.happened, indent=2, hang=2)
    return paper.finished()


def summary(everything: Sequence[Told], counter: bool = False) -> str:
    """How many hold, do not, and were not run."""
    counts = {word: sum(told.verdict == word for told in everything) for word in ("holds", "does not hold", "not run")}
    said = f"{counts['holds']} hold, {counts['does not hold']} do not, {counts['not run']} were not run"
    return f"{said}; of a counter-check, none may hold.\n" if counter else f"{said}.\n"


def as_markdown(told: Told, level: int = 1) -> str:
    """One experiment whole, as GitHub-flavoured Markdown, below a heading of this level."""
    experiment, outcome = told.experiment, told.outcome
    out = [f"{'#' * level} {escape(experiment.title)}", f"*`{experiment.name}`: {escape(experiment.source)}*"]
    out += [f"**{word}.** {escape(said)}" for word, said in paragraphs(told)]
    if outcome is not None:
        rows = [COLUMNS, *(row(measured) for measured in outcome.values)]
        lines = [f"| {' | '.join(map(_cell, cells))} |" for cells in rows]
        out += ["\n".join([lines[0], "|---|---|---|---|", *lines[1:]]), f"**{escape(sentence(told))}**"]
        out.append(f"Worked out by {code(experiment.see)}")
    return "\n\n".join(out) + "\n"


def _cell(text: str) -> str:
    """A cell of a Markdown table, where a number begins no list and nothing may stand."""
    return escape(text).replace("\\.", ".") if text else ""


def as_json(everything: Sequence[Told]) -> str:
    """``{"workings": 1, "experiments": [...]}``, with every value at full precision; NaN and infinities are texts."""
    entries = [json.dumps(_entry(told), ensure_ascii=False, allow_nan=False) for told in everything]
    body = ",\n".join(entries)
    return f'{{\n"workings": {VERSION},\n"experiments": [\n{body}\n]\n}}\n'


def _entry(told: Told) -> dict[str, Any]:
    experiment, outcome = told.experiment, told.outcome
    about = {name: getattr(experiment, name) for name in ("name", "title", "text", "place", "claim", "expected", "see")}
    entry: dict[str, Any] = {**about, "statistical": experiment.statistical, "verdict": told.verdict}
    if told.counter:
        entry["counter_check"] = experiment.counter.what
    if outcome is None:
        return entry | {"holds": None, "reason": experiment.lacking}
    values = [
        {
            "label": measured.label,
            "value": _data(measured.value),
            "relation": measured.relation,
            "expected": _data(measured.expected),
            "tolerance": measured.tolerance if measured.relation == "≈" else None,
            "meets": measured.meets,
        }
        for measured in outcome.values
    ]
    return entry | {"holds": outcome.holds, "happened": outcome.happened, "values": values}


def _data(value: Value | None) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple):
        return [_data(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def paragraphs(told: Told) -> list[tuple[str, str]]:
    """The paragraphs above the values, each with its word."""
    experiment = told.experiment
    parts = [("Claim", experiment.claim), ("Must come out", experiment.expected)]
    if experiment.statistical:
        parts.append(("Drawn", f"{_begun(experiment.statistical)}."))
    if told.counter:
        parts.append(("Counter-check", f"{_begun(experiment.counter.what)}. Judged so, the claim must not hold."))
    parts.append(("Not run", experiment.lacking) if told.outcome is None else ("Came out", told.outcome.happened))
    return parts


def _begun(words: str) -> str:
    """Words as the beginning of a sentence."""
    return words[0].upper() + words[1:]


def sentence(told: Told) -> str:
    """The verdict."""
    if told.counter:
        return "Does not hold, as it must." if told.as_it_must else "Holds, and must not: the judgement cannot fail."
    return "Holds." if told.as_it_must else "Does not hold."


def row(measured: Measured) -> tuple[str, str, str, str]:
    """Label, value, what it must be, and whether it is."""
    return measured.label, _shown(measured.value, measured.decimals), _must(measured), _MARKS[measured.meets]


def _must(measured: Measured) -> str:
    """What a value must be: "4.00 ± 0.40", "at most 10⁻¹²"; empty where it is shown only."""
    if measured.relation is None or measured.expected is None:
        return ""
    expected = _shown(measured.expected, measured.decimals)
    match measured.relation:
        case "=":
            return expected
        case "≈":
            return f"{expected} ± {_bound(measured.tolerance, measured.decimals)}"
        case "≥":
            return f"at least {expected}"
        case "≤" if isinstance(measured.expected, float):
            return f"at most {_bound(measured.expected, measured.decimals)}"
        case "≤":
            return f"at most {expected}"


def _bound(value: float, decimals: int) -> str:
    """A small number by which others are judged, written out or as a power of ten: 0.00005, 10⁻¹²."""
    if value >= 1e-5 or value == 0:
        return number(value, 5 if is_short(value, 5) else decimals, least=min(2, decimals))
    return number(value, 1).removeprefix("1.0×")


def _shown(value: Value, decimals: int) -> str:
    """A number as it is shown everywhere; a row of one number only as that number and how often."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        if len(value) > 2 and all(each == value[0] for each in value):
            return f"{len(value)} × {_shown(value[0], decimals)}"
        # As in a table: one count of decimals for the row.
        if any(isinstance(each, float) and abs(each) >= 0.5 * 10.0**-decimals for each in value):
            return ", ".join(number(each, decimals, least=decimals) for each in value)
        return ", ".join(_shown(each, decimals) for each in value) or "none"
    if isinstance(value, int):
        return f"{value:,}".replace("-", MINUS)
    return number(value, decimals, least=min(2, decimals)) if value else "0"


def _paragraph(paper: Paper, word: str, said: str) -> None:
    """A word in the margin and a paragraph beside it."""
    margin = 15
    for place, line in enumerate(wrapped(said, paper.width - margin, paper.width - margin)):
        paper.put((f"{'' if place else word:<{margin}}", "label"), (line, ""))


def _table(paper: Paper, rows: Sequence[tuple[str, str, str, str]]) -> None:
    """The values: in columns where they fit, else each below its label."""
    everything = [COLUMNS, *rows]
    widths = [max(len(cells[column]) for cells in everything) for column in range(4)]
    room = paper.width - sum(widths[1:]) - 8
    if room < 24:
        for label, value, must, mark in rows:
            paper.text(label, indent=2, hang=4)
            paper.text(f"{value}{f'  (must be {must})' if must else ''}  {mark}".rstrip(), "result", indent=4, hang=6)
        return
    widths[0] = min(widths[0], room)
    for place, values in enumerate(everything):
        lines = wrapped(values[0], widths[0], widths[0])
        for line, text in enumerate(lines):
            last = line == len(lines) - 1
            cells = [text, *(values[1:] if last else ("", "", ""))]
            shown = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
            paper.put(("  ", ""), (shown.rstrip(), "dim" if not place else ""))
