"""What recording NumPy code costs, beside the plain run: attention on 512 tokens, 64 wide.

Run it as ``python bench/recording.py [--json FILE]``. Plain and recorded runs alternate, so that both meet the same
machine; what is printed are medians with the middle half of the measurements. PyTorch's part is
``bench/recording_torch.py``.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from workings.recording.running import record_function

TOKENS, WIDTH = 512, 64
REPEATS = 41
ALLOWED = 1.3


def softmax(scores: Any) -> Any:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def attention(X: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(K.shape[-1])
    W = softmax(S)
    return W @ V


def loops(X: Any, steps: int) -> Any:
    """Scalar work, one number at a time: what a recording costs where it has the most to write down."""
    total = 0.0
    for i in range(steps):
        total += X[i % len(X), i % 7] * 0.5
    return total


def timed(run: Callable[[], Any]) -> float:
    """Seconds of one run that follows another of its kind.

    What a run finds free in memory depends on what ran before it: straight after a plain run, which gives more back to
    the system, a recorded one spends a third of its time on getting it again, and a plain one is spared that.
    """
    run()
    gc.collect()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(plain: Callable[[], Any], recorded: Callable[[], Any], repeats: int) -> dict[str, Any]:
    """Interleaved times in milliseconds: medians, the middle half, and the ratio of the medians."""
    plain(), recorded()
    times: dict[str, list[float]] = {"plain": [], "recorded": []}
    for _ in range(repeats):
        times["plain"].append(1000 * timed(plain))
        times["recorded"].append(1000 * timed(recorded))
    out: dict[str, Any] = {}
    for name, values in times.items():
        low, median, high = statistics.quantiles(values, n=4)
        out[name] = {"median": median, "from": low, "to": high}
    out["ratio"] = out["recorded"]["median"] / out["plain"]["median"]
    return out


def told(title: str, found: dict[str, Any]) -> str:
    plain, recorded = found["plain"], found["recorded"]
    return (
        f"{title}: plain {plain['median']:.2f} ms ({plain['from']:.2f} to {plain['to']:.2f}), "
        f"recorded {recorded['median']:.2f} ms ({recorded['from']:.2f} to {recorded['to']:.2f}), "
        f"{found['ratio']:.2f} times"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the measurements to this file")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(TOKENS, WIDTH))
    weights = [rng.normal(size=(WIDTH, WIDTH)) / 8 for _ in range(3)]
    arguments = (X, *weights)
    found = compare(lambda: attention(*arguments), lambda: record_function(attention, arguments, {}), REPEATS)
    print(told(f"attention {TOKENS}×{WIDTH}", found))
    slow = compare(lambda: loops(X, 5000), lambda: record_function(loops, (X, 5000), {}), 5)
    print(told("5,000 scalar additions", slow))
    if options.json:
        options.json.write_text(json.dumps({"attention": found, "scalars": slow}, indent=2), encoding="utf-8")
    if found["ratio"] > ALLOWED:
        print(f"more than the {ALLOWED} times that are allowed")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
