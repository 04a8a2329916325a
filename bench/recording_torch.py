"""What recording a PyTorch model costs, in time and in memory held, beside the plain forward pass.

Run it as ``python bench/recording_torch.py [--json FILE] [--threads N]``. Plain and recorded passes alternate; printed
are medians with the middle half of the measurements. Memory held is the tensors that the recording keeps and the model
and the plain pass do not, counted once for each piece of memory; the process's own size is given beside it.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from workings.recording.tensors.session import record

LENGTHS = (256, 512, 1024)
REPEATS = 12
ALLOWED_TIME = 1.1
ALLOWED_BYTES = 100e6


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        queries, keys, values = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        out: torch.Tensor = self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return out


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        out: torch.Tensor = x + self.feed_forward(self.norm2(x))
        return out


class Decoder(nn.Module):
    """A decoder of GPT-2-small's size: 12 layers, 768 wide, 12 heads, with a smaller vocabulary."""

    def __init__(self, layers: int = 12, width: int = 768, heads: int = 12, vocabulary: int = 8192) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(max(LENGTHS), width)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x)
        out: torch.Tensor = self.head(self.norm(x))
        return out


def held_bytes(working: Any, model: nn.Module, *others: torch.Tensor) -> int:
    """Bytes of tensors that only the recording keeps, each piece of memory once."""
    known = {t.untyped_storage().data_ptr() for t in (*model.parameters(), *model.buffers(), *others)}
    held: dict[int, int] = {}
    for step in working.steps:
        if step.kept and isinstance(step.value, torch.Tensor):
            storage = step.value.untyped_storage()
            if storage.data_ptr() not in known:
                held[storage.data_ptr()] = storage.nbytes()
    return sum(held.values())


def resident() -> int:
    """The memory the process holds now, in bytes; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * 4096


def spread(values: list[float]) -> tuple[float, float, float]:
    ordered = sorted(values)
    return statistics.median(ordered), ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]


def measure(model: nn.Module, length: int) -> dict[str, Any]:
    """Plain and recorded passes in turn, and what the last recording holds."""
    ids = torch.arange(length)[None, :] * 7 % 8192
    plain: list[float] = []
    recorded: list[float] = []
    with torch.no_grad():
        model(ids)
        for _ in range(REPEATS):
            start = time.perf_counter()
            expected = model(ids)
            plain.append(time.perf_counter() - start)
            start = time.perf_counter()
            with record(model) as working:
                found = model(ids)
            recorded.append(time.perf_counter() - start)
        assert torch.equal(expected, found), "the recorded pass must give the plain pass's numbers"
        held = held_bytes(working, model, ids, found)
        steps = len(working.steps)
        del working, found, expected
        gc.collect()
        before = resident()
        with record(model) as again:
            output = model(ids)
        gc.collect()
        grown = resident() - before - output.untyped_storage().nbytes()
        assert len(again.steps) == steps
    ratios = [r / p for r, p in zip(recorded, plain, strict=True)]
    return {
        "length": length, "steps": steps, "plain": spread(plain), "recorded": spread(recorded), "ratio": spread(ratios),
        "held": held, "resident": grown,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="for both sides alike")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(f"{options.threads} thread(s)")
    torch.manual_seed(0)
    model = Decoder().eval()
    results = [measure(model, length) for length in LENGTHS]
    for r in results:
        print(
            f"{r['length']:5d} tokens, {r['steps']} steps: "
            f"plain {r['plain'][0]:.3f} s ({r['plain'][1]:.3f} to {r['plain'][2]:.3f}), "
            f"recorded {r['recorded'][0]:.3f} s ({r['recorded'][1]:.3f} to {r['recorded'][2]:.3f}), "
            f"ratio {r['ratio'][0]:.3f} ({r['ratio'][1]:.3f} to {r['ratio'][2]:.3f}); "
            f"held {r['held'] / 1e6:.1f} MB, process grew {r['resident'] / 1e6:.1f} MB"
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    slow = [r for r in results if r["ratio"][0] > ALLOWED_TIME]
    large = [r for r in results if r["held"] > ALLOWED_BYTES]
    return 1 if slow or large else 0


if __name__ == "__main__":
    raise SystemExit(main())
