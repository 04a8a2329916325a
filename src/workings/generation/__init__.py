"""Writing with a trained model: greedily, by drawing, or by beam search.

    texts = generate(model, [prompt], Sampling(temperature=0.8, top_k=40), length=200, seed=1)
    best = beam_search(model, [[begin]], [end], Beams(count=4), sources=[source])
    quick = quicken(model, "int8")                   # the same model, laid out for writing

PyTorch is imported when one of these is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workings.generation.settings import GREEDY, Sampling

if TYPE_CHECKING:
    from workings.generation.beam import Beams as Beams
    from workings.generation.beam import Hypothesis as Hypothesis
    from workings.generation.beam import beam_search as beam_search
    from workings.generation.beam import length_penalty as length_penalty
    from workings.generation.fast import quicken as quicken
    from workings.generation.ledger import LedgerEntry as LedgerEntry
    from workings.generation.ledger import LedgerStage as LedgerStage
    from workings.generation.sampling import Generated as Generated
    from workings.generation.sampling import Piece as Piece
    from workings.generation.sampling import generate as generate

_HOMES = {
    **dict.fromkeys(("Beams", "Hypothesis", "beam_search", "length_penalty"), "beam"),
    "quicken": "fast",
    **dict.fromkeys(("LedgerEntry", "LedgerStage"), "ledger"),
    **dict.fromkeys(("Generated", "Piece", "generate"), "sampling"),
}

__all__ = [
    "GREEDY",
    "Beams",
    "Generated",
    "Hypothesis",
    "LedgerEntry",
    "LedgerStage",
    "Piece",
    "Sampling",
    "beam_search",
    "generate",
    "length_penalty",
    "quicken",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'workings.generation' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"workings.generation.{home}"), name)
