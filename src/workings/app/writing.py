"""The page of a model that writes: its text, who could come next, and the settings that decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.responses import Response

from workings.app.answers import address, page
from workings.generation import Sampling
from workings.reading.numbers import number
from workings.views.live.parts import seen

if TYPE_CHECKING:
    from workings.app.models import Turn

Number = TypeVar("Number", int, float)

MOST = 500
"""The most tokens that are written at once."""
_DECIMALS = 4
_BEGINNING = "To be, or"


def sampling_of(asked: Mapping[str, str]) -> Sampling:
    """The settings of a request. Raises ValueError for what is no number, or does not fit."""
    temperature = _number(asked, "temperature", float)
    return Sampling(
        temperature=1.0 if temperature is None else temperature,
        top_k=_number(asked, "top_k", int),
        top_p=_number(asked, "top_p", float),
    )


def more_of(asked: Mapping[str, str]) -> int:
    """How many tokens are to be written; 0 unless said. Raises ValueError for what is no such number."""
    found = _number(asked, "more", int) or 0
    if not 0 <= found <= MOST:
        raise ValueError(f"more is {found}; expected at most {MOST} tokens")
    return found


def tokens_of(asked: Mapping[str, str]) -> tuple[int, ...]:
    """The tokens that a text has so far. Raises ValueError for what are no numbers."""
    return tuple(_read("tokens", token, int) for token in asked.get("tokens", "").split(",") if token)


def _number(asked: Mapping[str, str], name: str, kind: Callable[[str], Number]) -> Number | None:
    return _read(name, asked[name], kind) if asked.get(name) else None


def _read(name: str, text: str, kind: Callable[[str], Number]) -> Number:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}; expected {'whole numbers' if kind is int else 'a number'}") from None


def writing_page(chosen: Mapping[str, str], sampling: Sampling, text: str, turn: Turn | None) -> Response:
    """The page; without a turn it asks how the text begins.

    Args:
        chosen: what names the model in an address.
        text: how the text began.
    """
    settings = {
        name: value for name in ("temperature", "top_k", "top_p") if (value := getattr(sampling, name)) is not None
    }
    (name,) = chosen.values()
    kept = {**chosen, **settings, "text": text}
    return page(
        "write.html", title=f"{seen(name)} writes", name=seen(name), chosen=chosen, settings=settings, kept=kept,
        text=text or _BEGINNING, most=MOST, turn=None if turn is None else _shown(turn, kept),
    )  # fmt: skip


def _shown(turn: Turn, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The text, and the candidates, each with the address of the text that it would make."""
    entry, last = turn.entry, turn.entry["stages"][-1]
    rows = []
    for n, token in enumerate(entry["candidates"]):
        rows.append(
            {
                "piece": seen(entry["pieces"][n]),
                "link": address("/write", **kept, tokens=_listed((*turn.tokens, token))),
                "logit": number(entry["stages"][0]["logits"][n], _DECIMALS),
                "before": number(entry["stages"][0]["probabilities"][n], _DECIMALS),
                "share": number(last["probabilities"][n], _DECIMALS),
                "bar": round(100 * last["probabilities"][n], 2),
                "chosen": token == entry["chosen"],
                "largest": n == 0,
            }
        )
    back = address("/write", **kept, tokens=_listed(turn.tokens[:-1])) if len(turn.tokens) > 1 else ""
    return {
        "pieces": [seen(piece) for piece in turn.pieces],
        "tokens": _listed(turn.tokens),
        "rows": rows,
        "kept": last["kept"],
        "note": turn.note,
        "back": back,
    }


def _listed(tokens: tuple[int, ...]) -> str:
    return ",".join(map(str, tokens))
