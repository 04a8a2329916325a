"""How fast a model is trained and how much memory that takes, beside other libraries, on the same threads, in one run.

Run it as ``python bench/training.py [--rounds 10] [--threads 2] [--only CASE] [--pairs EN DE] [--json FILE]``. Everyone
is a process of its own, which waits while the others work: in each round everyone makes a few steps, one after the
other. Printed are medians, of the ratios too, the share of the rate at which this machine multiplies matrices, and by
how much the process grew at its peak since before the model was made.

``small`` and ``large`` are decoders (6 layers, width 384, 6 heads, context 256) with 256 and 50,257 words;
``translation`` is an encoder-decoder (3 + 3 layers, width 256, 4 heads, 8,000 words), for which ``--pairs`` names two
files of sentences, and only real target tokens count. Ours makes batches of like lengths, of 2,048 positions; the
others get as many sentences a batch, drawn at random, as is usual. All train in float32 with fused AdamW and clipping,
without dropout.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from peers import run_again
from torch import Tensor, nn

LAYERS, WIDTH, HEADS, CONTEXT = 6, 384, 6, 256
VOCABULARIES = {"small": 256, "large": 50_257}
ROWS = {"small": 12, "large": 8}
SIDE_LAYERS, SIDE_WIDTH, SIDE_HEADS, SIDE_VOCABULARY, POSITIONS = 3, 256, 4, 8000, 2048
STEPS = {"small": 3, "large": 2, "translation": 8}
PEERS = {
    "small": ("gpt2", "x-transformers"),
    "large": ("gpt2", "x-transformers"),
    "translation": ("torch.nn", "marian"),
}
MODULES = {"gpt2": "transformers", "marian": "transformers", "x-transformers": "x_transformers"}
RATE = 1e-4

Step = Callable[[], int]
"""Makes one step of training; returns how many real targets it had."""


# Those who train


def of_ours(objective: Any, batches: Any) -> Step:
    from workings.training.schedules import Constant
    from workings.training.trainer import Settings, Trainer

    trainer = Trainer(objective, batches, Settings(schedule=Constant(peak=RATE)))
    return lambda: trainer.step()[0].tokens


def of_theirs(model: nn.Module, loss: Callable[[Any], Tensor], batches: Iterator[tuple[Any, int]]) -> Step:
    """The usual loop."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, fused=True)
    model.train()

    def step() -> int:
        batch, targets = next(batches)
        optimiser.zero_grad(set_to_none=True)
        loss(batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        return targets

    return step


def decoder(name: str, case: str) -> Step:
    words, rows = VOCABULARIES[case], ROWS[case]
    generator = torch.Generator().manual_seed(0)
    windows = [torch.randint(0, words, (rows, CONTEXT + 1), generator=generator) for _ in range(8)]
    targets = rows * CONTEXT

    def forever() -> Iterator[tuple[Tensor, int]]:
        while True:
            for window in windows:
                yield window, targets

    if name == "workings":
        from workings.text.batches import Batch
        from workings.training.objective import Objective
        from workings.training.trainer import Listed
        from workings.transformer import Config, Learned, build

        config = Config(
            vocabulary=words, width=WIDTH, heads=HEADS, decoder_layers=LAYERS, context=CONTEXT, positions=Learned()
        )
        lengths = torch.full((rows,), CONTEXT)
        batches = [
            Batch(inputs=w[:, :-1], targets=w[:, 1:], lengths=lengths, tokens=targets, all_tokens=targets)
            for w in windows
        ]
        return of_ours(Objective(build(config)), Listed(batches))
    if name == "gpt2":
        from transformers import GPT2Config, GPT2LMHeadModel

        sizes = {"n_layer": LAYERS, "n_embd": WIDTH, "n_head": HEADS, "n_positions": CONTEXT, "vocab_size": words}
        off = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "bos_token_id": 0, "eos_token_id": 0}
        gpt = GPT2LMHeadModel(GPT2Config(**sizes, **off, attn_implementation="sdpa"))

        def gpt_loss(window: Tensor) -> Tensor:
            logits = gpt(window[:, :-1], use_cache=False).logits
            return nn.functional.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())

        return of_theirs(gpt, gpt_loss, forever())
    from x_transformers import Decoder, TransformerWrapper

    layers = Decoder(dim=WIDTH, depth=LAYERS, heads=HEADS, attn_flash=True)
    other = TransformerWrapper(num_tokens=words, max_seq_len=CONTEXT, attn_layers=layers, tie_embedding=True)

    def loss(window: Tensor) -> Tensor:
        return nn.functional.cross_entropy(other(window[:, :-1]).flatten(0, 1), window[:, 1:].flatten())

    return of_theirs(other, loss, forever())


def translator(name: str, pairs: tuple[Path, Path]) -> Step:
    from workings.text import BatchOrder, Pairs, ParallelCorpus, Tokeniser
    from workings.text.batches import IGNORED
    from workings.text.parallel import read_pairs

    rows = list(read_pairs(*pairs))
    tokeniser = Tokeniser.train("bpe", (text for row in rows for text in row), SIDE_VOCABULARY)
    examples = Pairs(ParallelCorpus.of(rows, tokeniser))
    if name == "workings":
        from workings.training.objective import Objective
        from workings.transformer import Config, build

        config = Config(
            vocabulary=SIDE_VOCABULARY,
            width=SIDE_WIDTH,
            heads=SIDE_HEADS,
            encoder_layers=SIDE_LAYERS,
            decoder_layers=SIDE_LAYERS,
            context=256,
        )
        return of_ours(Objective(build(config)), BatchOrder(examples, tokens=POSITIONS, seed=0))
    planned = BatchOrder(examples, tokens=POSITIONS, seed=0).plan(0)
    sentences = round(statistics.mean(len(batch) for batch in planned))

    def forever() -> Iterator[tuple[Any, int]]:
        order = random.Random(0)
        numbers = examples.draw(None)
        while True:
            batch = examples.batch(numbers[order.sample(range(len(numbers)), sentences)])
            yield batch, batch.tokens

    if name == "marian":
        from transformers import MarianConfig, MarianMTModel

        side = {"layers": SIDE_LAYERS, "attention_heads": SIDE_HEADS, "ffn_dim": 4 * SIDE_WIDTH}
        sizes = {f"{part}_{key}": value for part in ("encoder", "decoder") for key, value in side.items()}
        off = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0}
        numbers = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "max_position_embeddings": 256}
        config = MarianConfig(vocab_size=SIDE_VOCABULARY, d_model=SIDE_WIDTH, **sizes, **off, **numbers)
        marian = MarianMTModel(config)

        def marian_loss(batch: Any) -> Tensor:
            real = torch.arange(batch.source.shape[1]) < batch.source_lengths[:, None]
            logits = marian(
                input_ids=batch.source, attention_mask=real.long(), decoder_input_ids=batch.inputs, use_cache=False
            ).logits
            return nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)

        return of_theirs(marian, marian_loss, forever())
    model = Plain()

    def loss(batch: Any) -> Tensor:
        logits = model(batch.source, batch.source_lengths, batch.inputs)
        return nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)

    return of_theirs(model, loss, forever())


class Plain(nn.Module):
    """`torch.nn.Transformer` with what it lacks: embeddings, positions, tied scores."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(SIDE_VOCABULARY, SIDE_WIDTH)
        self.places = nn.Embedding(256, SIDE_WIDTH)
        self.transformer = nn.Transformer(
            SIDE_WIDTH, SIDE_HEADS, SIDE_LAYERS, SIDE_LAYERS, 4 * SIDE_WIDTH, 0.0, batch_first=True, norm_first=True
        )

    def embed(self, tokens: Tensor) -> Tensor:
        embedded: Tensor = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        return embedded

    def forward(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        padding = torch.arange(source.shape[1]) >= lengths[:, None]
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1], dtype=torch.bool)
        states = self.transformer(
            self.embed(source), self.embed(target), tgt_mask=mask, tgt_is_causal=True,
            src_key_padding_mask=padding, memory_key_padding_mask=padding,
        )  # fmt: skip
        return nn.functional.linear(states, self.words.weight)


# Measuring


def resident(kind: str) -> int:
    """This process's memory in bytes: VmRSS now, or VmHWM at its highest since the last reset."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(kind):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no {kind}; expected a Linux kernel")


def work(options: argparse.Namespace) -> None:
    """One of those who train: for each line read, a few steps and their time; at the end, the memory at its peak."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    case, name = options.work
    for module in ("workings.training.trainer", MODULES.get(name, "torch")):
        importlib.import_module(module)  # what is imported does not count as the model's memory
    before = resident("VmRSS")
    step = translator(name, tuple(options.pairs)) if case == "translation" else decoder(name, case)
    step()
    Path("/proc/self/clear_refs").write_text("5")
    step()
    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        tokens = sum(step() for _ in range(STEPS[case]))
        print(tokens / (time.perf_counter() - start), flush=True)
    print(resident("VmHWM") - before, flush=True)


class Worker:
    """A process that trains when it is told to."""

    def __init__(self, case: str, name: str, options: argparse.Namespace) -> None:
        self.name = name
        more = ["--pairs", *map(str, options.pairs)] if options.pairs else []
        arguments = [sys.executable, __file__, "--work", case, name, "--threads", str(options.threads), *more]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while (line := self._line()) != "ready":
            print(line)

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended: status {self.process.wait()}")
        return line.strip()

    def round(self) -> float:
        """Targets a second."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return float(self._line())

    def end(self) -> int:
        """The bytes of its peak."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return int(self._line())


def matrix_rate() -> float:
    """Multiplications and additions a second, of the matrices of a feed-forward layer: the best of many."""
    left, right = torch.randn(2048, WIDTH), torch.randn(WIDTH, 4 * WIDTH)
    best = 0.0
    for _ in range(30):
        start = time.perf_counter()
        left @ right
        best = max(best, 2.0 * left.numel() * right.shape[1] / (time.perf_counter() - start))
    return best


def work_of_a_target(case: str) -> float:
    """Multiplications and additions of matrices for one target, forward and backward; a decoder's alone."""
    from workings.transformer import Config, cost_of

    config = Config(vocabulary=VOCABULARIES[case], width=WIDTH, heads=HEADS, decoder_layers=LAYERS, context=CONTEXT)
    return 2 * 3 * cost_of(config, CONTEXT).multiplications / CONTEXT


class Result(NamedTuple):
    case: str
    name: str
    rates: list[float]
    peak: int


def compare(case: str, options: argparse.Namespace) -> list[Result]:
    workers = [Worker(case, name, options) for name in ("workings", *PEERS[case])]
    rates: list[list[float]] = [[] for _ in workers]
    matrices = []
    for _ in range(options.rounds):
        matrices.append(matrix_rate())
        for worker, found in zip(workers, rates, strict=True):
            found.append(worker.round())
    results = [Result(case, w.name, found, w.end()) for w, found in zip(workers, rates, strict=True)]
    ours, matrix = results[0], statistics.median(matrices)
    print(f"\n{case}: matrices are multiplied at {matrix / 1e9:.0f} GFLOP/s")
    for result in results:
        line = f"  {result.name:<15}{statistics.median(result.rates):8.0f} targets/s"
        if case != "translation":
            line += f", {statistics.median(result.rates) * work_of_a_target(case) / matrix:.0%} of that rate"
        line += f", {result.peak / 2**20:6.0f} MiB"
        if result is not ours:
            ratio = statistics.median(mine / their for mine, their in zip(ours.rates, result.rates, strict=True))
            line += f"; we are {ratio:.2f} times as fast, with {ours.peak / result.peak:.2f} times the memory"
        print(line, flush=True)
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--only", choices=list(PEERS))
    parser.add_argument("--pairs", nargs=2, type=Path, metavar=("SOURCE", "TARGET"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--peers", type=Path, help="a folder for the environment of the peers, to keep")
    parser.add_argument("--work", nargs=2, metavar=("CASE", "NAME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options)
        return 0
    elsewhere = run_again(["transformers", "x-transformers"], options.peers, options.threads)
    if elsewhere is not None:
        return elsewhere
    torch.set_num_threads(options.threads)
    cases = [options.only] if options.only else [c for c in PEERS if c != "translation" or options.pairs]
    results = [result for case in cases for result in compare(case, options)]
    if options.json:
        options.json.write_text(json.dumps([r._asdict() for r in results], indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
