"""The conventions card of an example: each choice that changed a number of this run, in words."""

from __future__ import annotations

from workings.examples.run import Run

WORDS: dict[str, dict[object, str]] = {
    "scale": {
        "sqrt(d_k)": "scores divided by √d_k, the root of the width of one head's keys",
        "none": "scores not divided by anything",
    },
    "norm": {
        "post": "layer normalisation after each residual sum",
        "pre": "layer normalisation before each sub-layer",
    },
    "empty": {
        "zero": "a token with nothing to attend to gets weights of 0",
        "error": "a token with nothing to attend to is an error",
    },
    "layout": {
        "interleaved": "sine and cosine of one frequency side by side",
        "halves": "all sines, then all cosines",
    },
    "pairing": {
        "adjacent": "rotary positions turn neighbouring coordinates together",
        "halves": "rotary positions turn one coordinate of the first half with one of the second",
    },
    "activation": {
        "relu": "ReLU, max(0, x)",
        "gelu": "GELU by the error function",
        "gelu_tanh": "GELU by the hyperbolic tangent",
        "silu": "SiLU, x times its sigmoid",
    },
    "reduction": {"sum": "summed over the positions", "mean": "averaged over the positions"},
}

NAMES = {
    "scale": "attention scale",
    "norm": "norm",
    "variance": "variance divisor",
    "epsilon": "epsilon",
    "mask": "mask",
    "empty": "empty rows",
    "layout": "positions",
    "base": "wave lengths",
    "pairing": "rotary pairs",
    "activation": "activation",
    "reduction": "loss",
    "label_smoothing": "label smoothing",
}

FIXED = {
    "variance": "divided by d, not d - 1",
    "mask": "added to the scores: 0 may be attended to, -inf is hidden; hidden weights are exactly 0",
}


def conventions(run: Run) -> dict[str, str]:
    """Name and words of every convention the run has used."""
    chosen = run.example.document.conventions
    card: dict[str, str] = {}
    for key, name in NAMES.items():
        if key not in run.used:
            continue
        if key in FIXED:
            card[name] = FIXED[key]
            continue
        choice = getattr(chosen, key)
        words = WORDS.get(key, {}).get(choice)
        if key == "scale":
            card[name] = _scales(run)
        elif key == "epsilon":
            card[name] = f"{choice:g}, added to the variance inside the root"
        elif key == "base":
            card[name] = f"waves grow by powers of {choice:g}; positions count from 0, angles in radians"
        else:
            card[name] = words if words is not None else f"{choice:g}"
    return card


def _scales(run: Run) -> str:
    """One sentence, or one for each scale with the sections it holds for."""
    words = {choice: WORDS["scale"].get(choice, f"scores multiplied by {choice}") for choice in run.scales}
    if len(words) == 1:
        return next(iter(words.values()))
    return "; ".join(f"{', '.join(dict.fromkeys(run.scales[choice]))}: {said}" for choice, said in words.items())
