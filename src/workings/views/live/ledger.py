"""How a text was written, token by token, as a page: the candidates, what each filter left, the draw, the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workings.reading.numbers import number
from workings.views.live.parts import asset, bar, policy, seen, template

DECIMALS = 4
_NEVER = "never chosen"
"""The stage that takes out what must not be written: without it, the largest logit could not have been taken."""


def render(ledger: Mapping[str, Any]) -> str:
    """The page of a ledger as `workings generate --ledger` writes it."""
    style = asset("plain.css")
    return template("ledger.html").render(
        title=seen(f"How {Path(ledger['run']).name or ledger['run']} wrote"),
        settings=[
            (name.replace("_", " "), ", ".join(map(seen, value)) if isinstance(value, list) else value)
            for name, value in ledger["settings"].items()
            if value not in (None, [])
        ],
        prompt=[seen(piece) for piece in ledger["prompt"]["pieces"]],
        texts=[_text(number_, text) for number_, text in enumerate(ledger["texts"], 1)],
        style=style,
        policy=policy(style),
    )


def _text(place: int, text: Mapping[str, Any]) -> dict[str, Any]:
    tokens = [_token(f"t{place}-{n}", token) for n, token in enumerate(text["tokens"], 1)]
    return {"seed": text["seed"], "reason": text["reason"], "margin": _number(text["margin"]), "tokens": tokens}


def _token(name: str, token: Mapping[str, Any]) -> dict[str, Any]:
    """One token: a row for each candidate, a column for each stage; what the largest logit alone would have taken."""
    stages, candidates = token["stages"], token["candidates"]
    first, last = stages[0], stages[-1]
    open_ones = next((stage for stage in stages if stage["name"] == _NEVER), first)
    greedy = max(range(len(candidates)), key=lambda n: _value(open_ones["logits"][n]))
    rows = [
        {
            "piece": seen(piece),
            "chosen": candidates[n] == token["chosen"],
            "logit": _number(first["logits"][n]),
            "shares": [_share(stage["probabilities"][n]) for stage in stages],
            "out": _value(last["logits"][n]) == float("-inf"),
        }
        for n, piece in enumerate(token["pieces"])
    ]
    draw = token["draw"]
    return {
        "name": name,
        "piece": seen(token["piece"]),
        "stages": [(_stage(stage["name"]), f"{stage['kept']:,}".replace(",", " ")) for stage in stages],
        "rows": rows,
        "draw": None if draw is None else number(draw, DECIMALS),
        "at": 0 if draw is None else 1000 * draw,
        "low": 1000 * token["low"],
        "width": max(1000 * (token["high"] - token["low"]), 1),
        "between": (number(token["low"], DECIMALS), number(token["high"], DECIMALS)),
        "greedy": seen(token["pieces"][greedy]),
        "same": candidates[greedy] == token["chosen"],
        "probability": _share(_of(token, last["probabilities"])),
    }


def _of(token: Mapping[str, Any], values: Sequence[Any]) -> Any:
    return values[list(token["candidates"]).index(token["chosen"])]


def _stage(name: str) -> str:
    return "the model" if name == "model" else name


def _value(value: Any) -> float:
    return float(value)  # an infinity is a text


def _number(value: Any) -> str:
    return "" if value is None else number(_value(value), DECIMALS)


def _share(value: Any) -> dict[str, Any]:
    """A probability with the length of its bar, of 100."""
    return {"text": number(_value(value), DECIMALS), "bar": bar(_value(value))}
