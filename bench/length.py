"""How a training step's memory grows with the length of a sequence: the plain choices, and those that make it square.

Run it as ``python bench/length.py [--json FILE] [--most 8192]``. Each measurement is a process of its own, which runs
one forward and backward pass over one sequence (2 layers, width 256, 4 heads; states, without logits) and reports by
how much its resident memory rose at its peak. Beside it stands what `workings.transformer.cost_of` counts as kept
between the passes. Plain choices must stay below 2.3 times the memory for each doubling above 1,024 tokens.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PLAIN: dict[str, dict[str, Any]] = {
    "causal": {"decoder_layers": 2, "positions": "learned"},
    "both sides": {"encoder_layers": 2, "positions": "learned"},
    "causal, rotary": {"decoder_layers": 2, "positions": "rotary"},
    "causal, grouped": {"decoder_layers": 2, "positions": "rotary", "key_value_heads": 1},
    "causal, window of 128": {"decoder_layers": 2, "positions": "rotary", "window": 128},
    "both sides, half of it padding": {"encoder_layers": 2, "positions": "learned"},
}
SQUARE: dict[str, dict[str, Any]] = {
    "dropout of attention weights": {"decoder_layers": 2, "dropout": {"kind": "dropout", "attention": 0.1}},
    "relative buckets": {"decoder_layers": 2, "positions": "relative-buckets"},
    "alibi": {"decoder_layers": 2, "positions": "alibi"},
    "both sides, window of 128": {"encoder_layers": 2, "window": 128},
}
SHORTEST, MOST_SQUARE, MOST = 512, 2048, 8192
ALLOWED = 2.3


def data(name: str, length: int) -> dict[str, Any]:
    """The config of a case, as plain data."""
    return {"vocabulary": 256, "width": 256, "heads": 4, "context": length} | (PLAIN | SQUARE)[name]


def resident(kind: str) -> int:
    """This process's memory in bytes: VmRSS now, or VmHWM at its highest since the last reset."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(kind):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no {kind}; expected a Linux kernel")


def measure_here(name: str, length: int) -> None:
    """One pass over a short sequence, and one that is measured; prints JSON."""
    import torch

    from workings.transformer import Config, build, cost_of

    torch.manual_seed(0)
    model: Any = build(Config.from_dict(data(name, length)))

    def step(count: int) -> None:
        tokens = torch.randint(0, 256, (1, count))
        model.states(tokens, torch.tensor([count // 2]) if "padding" in name else None).sum().backward()

    step(8)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    start = time.perf_counter()
    step(length)
    seconds = time.perf_counter() - start
    counted = 4 * cost_of(model.config, length).kept
    print(json.dumps({"peak": resident("VmHWM") - before, "kept": counted, "seconds": seconds}))


def measure(name: str, length: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", name, "--most", str(length)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {"case": name, "length": length, **json.loads(done.stdout)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the measurements here")
    parser.add_argument("--most", type=int, default=MOST, help="the longest sequence")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure_here(options.one, options.most)
        return 0
    rows, failed = [], []
    print(f"{'':32}{'tokens':>8}{'peak MB':>10}{'× before':>10}{'kept MB, counted':>18}{'seconds':>9}")
    for name in PLAIN | SQUARE:
        length, previous = SHORTEST, None
        while length <= (options.most if name in PLAIN else min(options.most, MOST_SQUARE)):
            row = measure(name, length)
            grown = row["peak"] / previous if previous else None
            rows.append(row | {"grown": grown})
            shown = f"{grown:10.2f}" if grown else f"{'':10}"
            print(
                f"{name:32}{length:8}{row['peak'] / 1e6:10.1f}{shown}{row['kept'] / 1e6:18.1f}{row['seconds']:9.2f}",
                flush=True,
            )
            if name in PLAIN and grown and length > 1024 and grown > ALLOWED:
                failed.append(f"{name} at {length}: {grown:.2f} times the memory of half the length")
            length, previous = 2 * length, row["peak"]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    for line in failed:
        print(f"FAILED: {line}")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
