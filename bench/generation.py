"""How fast a model writes, beside CTranslate2 and transformers with the same weights, on the same threads, in one run.

Run it as ``python bench/generation.py [--rounds 3] [--threads 1] [--json FILE]``. The peers are installed into an
environment of their own, which is thrown away afterwards unless ``--peers FOLDER`` names one to keep. Weights are
random and known to all: speed does not depend on them, and all must write the same text in float32. In each round
everyone runs once, one after the other; what is printed are medians, of the ratios too. On a machine that is shared,
look at the processor's time: it does not count the time that went to others.

``--perplexity FOLDER TEXT`` measures instead what fewer bits cost: FOLDER is a run directory, TEXT a file it has not
been trained on.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from peers import run_again
from torch import Tensor, nn

from workings.generation import GREEDY, Beams, beam_search, generate, quicken
from workings.transformer import (
    Config,
    DecoderOnly,
    EncoderDecoder,
    PostNorm,
    Relu,
    Sinusoidal,
    TiedOutput,
    gpt2_small_shape,
)

PROMPT, NEW = 32, 128
SENTENCES, TARGET = 16, 24
VOCABULARY = 32_000
END, BEGIN = 0, VOCABULARY - 1


class Contender(NamedTuple):
    """Someone who writes: `run` returns what was written, token by token, for each row."""

    name: str
    run: Callable[[], list[list[int]]]


class Result(NamedTuple):
    task: str
    name: str
    unit: str
    wall: list[float]
    processor: list[float]


# Models


def gpt2() -> tuple[Any, DecoderOnly]:
    """A random GPT-2-small of the transformers library, and ours with its weights."""
    import transformers

    theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(bos_token_id=0, eos_token_id=0)).eval()
    ours = DecoderOnly(gpt2_small_shape()).eval()
    rows = {
        "embedding.weight": "wte.weight",
        "stack.positions.weight": "wpe.weight",
        "stack.norm": "ln_f",
        "stack.blocks.{}.attention_norm": "h.{}.ln_1",
        "stack.blocks.{}.attention.projections": "h.{}.attn.c_attn",
        "stack.blocks.{}.attention.output": "h.{}.attn.c_proj",
        "stack.blocks.{}.feed_forward_norm": "h.{}.ln_2",
        "stack.blocks.{}.feed_forward.widen": "h.{}.mlp.c_fc",
        "stack.blocks.{}.feed_forward.narrow": "h.{}.mlp.c_proj",
    }
    copy_weights(ours, theirs.transformer, {ours: (theirs,) for ours, theirs in rows.items()}, 12, transposed=True)
    return theirs, ours


def marian() -> tuple[Any, EncoderDecoder]:
    """A random Marian of the paper's base size, which never ends a text by itself, and ours with its weights."""
    import transformers

    sides = {f"{side}_layers": 6 for side in ("encoder", "decoder")}
    sides |= {f"{side}_attention_heads": 8 for side in ("encoder", "decoder")}
    sides |= {f"{side}_ffn_dim": 2048 for side in ("encoder", "decoder")}
    theirs = transformers.MarianMTModel(
        transformers.MarianConfig(
            vocab_size=VOCABULARY,
            d_model=512,
            activation_function="relu",
            scale_embedding=True,
            decoder_start_token_id=BEGIN,
            pad_token_id=BEGIN,
            eos_token_id=END,
            forced_eos_token_id=None,
            **sides,
        )
    ).eval()
    with torch.no_grad():
        theirs.final_logits_bias[0, [END, BEGIN]] = -1e4
    config = Config(
        vocabulary=VOCABULARY,
        width=512,
        heads=8,
        encoder_layers=6,
        decoder_layers=6,
        inner_width=2048,
        positions=Sinusoidal(layout="halves"),
        placement=PostNorm(),
        feed_forward=Relu(),
        output=TiedOutput(bias=True),
        scaled_embeddings=True,
    )
    ours = EncoderDecoder(config).eval()
    rows: dict[str, tuple[str, ...]] = {
        "embedding.weight": ("model.shared.weight",),
        "output_bias": ("final_logits_bias",),
    }
    for stack in ("encoder", "decoder"):
        mine, their = f"{stack}.blocks.{{}}.", f"model.{stack}.layers.{{}}."
        rows |= {
            f"{mine}attention.projections": tuple(f"{their}self_attn.{part}_proj" for part in "qkv"),
            f"{mine}attention.output": (f"{their}self_attn.out_proj",),
            f"{mine}attention_norm": (f"{their}self_attn_layer_norm",),
            f"{mine}feed_forward.widen": (f"{their}fc1",),
            f"{mine}feed_forward.narrow": (f"{their}fc2",),
            f"{mine}feed_forward_norm": (f"{their}final_layer_norm",),
        }
    asking, asked = "decoder.blocks.{}.cross_attention", "model.decoder.layers.{}.encoder_attn"
    rows |= {
        f"{asking}.queries": (f"{asked}.q_proj",),
        f"{asking}.keys_values": (f"{asked}.k_proj", f"{asked}.v_proj"),
        f"{asking}.output": (f"{asked}.out_proj",),
        f"{asking}_norm": (f"{asked}_layer_norm",),
    }
    copy_weights(ours, theirs, rows, 6)
    return theirs, ours


def copy_weights(
    ours: nn.Module, theirs: Any, rows: dict[str, tuple[str, ...]], layers: int, transposed: bool = False
) -> None:
    """Give our model their weights: each row names one of ours, and those whose rows stand below one another in it."""
    named, held, given = dict(ours.named_parameters()), theirs.state_dict(), set()
    for name, sources in rows.items():
        for layer in range(layers if "{}" in name else 1):
            for kind in ("", ".weight", ".bias"):
                mine = name.format(layer) + kind
                if mine not in named:
                    continue
                weight = torch.cat([held[source.format(layer) + kind] for source in sources])
                weight = weight.T if transposed and "{}" in name and weight.dim() == 2 else weight
                named[mine].data.copy_(weight.reshape(named[mine].shape))
                given.add(mine)
    assert given == named.keys(), given ^ named.keys()


# Peers


def converted(loader: str, model: Any, quantisation: str, folder: Path, threads: int, words: int) -> Any:
    """The model as CTranslate2 runs it."""
    import ctranslate2
    from ctranslate2.converters import transformers as converters

    spec = getattr(converters, loader)().get_model_spec(copy.deepcopy(model))
    # Of Marian, they leave out the last word, with which targets begin.
    vocabulary = [str(number) for number in range(words if loader == "GPT2Loader" else words - 1)]
    options = {"device": "cpu", "compute_type": quantisation, "intra_threads": threads, "inter_threads": 1}
    if loader == "GPT2Loader":
        spec.register_vocabulary(vocabulary)
        spec.config.unk_token = spec.config.bos_token = spec.config.eos_token = "0"
    else:
        spec.register_source_vocabulary(vocabulary)
        spec.register_target_vocabulary(vocabulary)
        spec.config.decoder_start_token = spec.config.eos_token = spec.config.bos_token = str(END)
        spec.config.unk_token = "1"
        spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization=None if quantisation == "float32" else quantisation)
    folder.mkdir()
    spec.save(str(folder))
    return (ctranslate2.Generator if loader == "GPT2Loader" else ctranslate2.Translator)(str(folder), **options)


def words(rows: list[list[int]]) -> list[list[str]]:
    return [[str(token) for token in row] for row in rows]


# Tasks


def writing(threads: int, new: int, rounds: int, scratch: Path) -> Iterator[Result]:
    """GPT-2-small's shape, 32 tokens read and 128 written, one row and eight."""
    theirs, ours = gpt2()
    peers = {
        kind: converted("GPT2Loader", theirs, kind, scratch / kind, threads, 50257) for kind in ("float32", "int8")
    }
    prompts = torch.randint(1, 50257, (8, PROMPT), generator=torch.Generator().manual_seed(1)).tolist()

    for rows in (1, 8):
        batch = prompts[:rows]

        def peer(kind: str, batch: list[list[int]] = batch) -> list[list[int]]:
            options = {"max_length": new, "min_length": new, "sampling_topk": 1, "include_prompt_in_result": False}
            found = peers[kind].generate_batch(words(batch), **options)
            return [each.sequences_ids[0] for each in found]

        def library(batch: list[list[int]] = batch) -> list[list[int]]:
            tokens = torch.tensor(batch)
            options = {"do_sample": False, "eos_token_id": None, "pad_token_id": 0, "max_new_tokens": new}
            with torch.inference_mode():
                found = theirs.generate(tokens, attention_mask=torch.ones_like(tokens), **options)
            return found[:, PROMPT:].tolist()

        for kind in ("float32", "int8"):
            quick = quicken(ours, kind, rows)

            def own(quick: DecoderOnly = quick, batch: list[list[int]] = batch) -> list[list[int]]:
                return [row.tokens for row in generate(quick, batch, GREEDY, length=new)]

            contenders = [Contender("workings", own), Contender("ctranslate2", lambda kind=kind, peer=peer: peer(kind))]
            contenders += [Contender("transformers", library)] if kind == "float32" else []
            task = f"GPT-2-small shape, batch {rows}, {kind}"
            yield from race(task, contenders, rows * new, "tokens", rounds, same=kind == "float32")


def translating(threads: int, rounds: int, scratch: Path) -> Iterator[Result]:
    """6 + 6 layers of width 512, 16 sentences of 8 to 32 tokens, 24 tokens written of each."""
    theirs, ours = marian()
    kinds = ("float32", "int8")
    peers = {
        kind: converted("MarianMTLoader", theirs, kind, scratch / f"marian-{kind}", threads, VOCABULARY)
        for kind in kinds
    }
    generator = torch.Generator().manual_seed(2)
    lengths = torch.randint(8, 33, (SENTENCES,), generator=generator).tolist()
    sources = [torch.randint(2, BEGIN, (length,), generator=generator).tolist() for length in lengths]
    starts = [[BEGIN]] * SENTENCES

    for beams in (1, 4):

        def peer(kind: str, beams: int = beams) -> list[list[int]]:
            options = {"beam_size": beams, "max_decoding_length": TARGET, "min_decoding_length": TARGET}
            found = peers[kind].translate_batch(words(sources), **options)
            return [[int(token) for token in each.hypotheses[0]] for each in found]

        for kind in kinds:
            quick = quicken(ours, kind, SENTENCES * beams)

            def own(quick: EncoderDecoder = quick, beams: int = beams) -> list[list[int]]:
                if beams == 1:
                    return [row.tokens for row in generate(quick, starts, GREEDY, sources=sources, length=TARGET)]
                found = beam_search(quick, starts, [END], Beams(count=beams), sources=sources, length=TARGET)
                return [row[0].tokens for row in found]

            contenders = [Contender("workings", own), Contender("ctranslate2", lambda kind=kind, peer=peer: peer(kind))]
            task = f"6 + 6 layers, width 512, batch {SENTENCES}, {'greedy' if beams == 1 else f'beam {beams}'}, {kind}"
            yield from race(task, contenders, SENTENCES, "sentences", rounds, same=kind == "float32")


# Measuring


def race(task: str, contenders: list[Contender], count: int, unit: str, rounds: int, same: bool) -> Iterator[Result]:
    """Everyone once to warm up and to compare what is written, then everyone once in each round."""
    written = [contender.run() for contender in contenders]
    times: list[list[tuple[float, float]]] = [[] for _ in contenders]
    for _ in range(rounds):
        for place, contender in enumerate(contenders):
            wall, processor = time.perf_counter(), time.process_time()
            contender.run()
            times[place].append((time.perf_counter() - wall, time.process_time() - processor))
    print(f"\n{task}")
    for contender, found, taken in zip(contenders, written, times, strict=True):
        walls, processors = [t[0] for t in taken], [t[1] for t in taken]
        result = Result(task, contender.name, unit, [count / t for t in walls], [count / t for t in processors])
        equal = sum(mine == other for mine, other in zip(written[0], found, strict=True))
        note = "" if contender is contenders[0] else f"; {ratios(times[0], taken)}"
        note += f"; {equal} of {len(found)} texts equal" if same and contender is not contenders[0] else ""
        print(
            f"  {contender.name:<13}{statistics.median(result.wall):8.1f} {unit} a second, "
            f"{statistics.median(result.processor):8.1f} in a second of the processor{note}",
            flush=True,
        )
        yield result


def ratios(ours: list[tuple[float, float]], theirs: list[tuple[float, float]]) -> str:
    """How many times as fast we were, by the clock and by the processor's time: the median of the rounds."""
    wall, processor = (
        statistics.median(their[kind] / mine[kind] for mine, their in zip(ours, theirs, strict=True)) for kind in (0, 1)
    )
    return f"we are {wall:.2f} times as fast, {processor:.2f} by processor time"


def read_rate(threads: int) -> float:
    """Bytes a second that a sum reads from memory: the best of several, on as many threads."""
    numbers = torch.ones(128 * 2**20, dtype=torch.float32)
    best = math.inf
    for _ in range(7):
        start = time.process_time()
        numbers.sum()
        best = min(best, time.process_time() - start)
    return numbers.nbytes * threads / best


def limits(results: list[Result], rate: float) -> None:
    """What share of the speed we reach that reading the weights from memory, once for each token, would allow."""
    weights = sum(p.numel() for n, p in DecoderOnly(gpt2_small_shape()).named_parameters() if "positions" not in n)
    print(f"\nA sum reads {rate / 1e9:.1f} GB a second. Every token needs {weights * 4 / 1e6:.0f} MB of weights")
    print(f"in float32, {weights / 1e6:.0f} MB in int8, read once for all rows of a batch:")
    for result in results:
        if result.name == "workings" and "GPT-2" in result.task:
            size = weights * (1 if "int8" in result.task else 4)
            rows = 8 if "batch 8" in result.task else 1
            reached = statistics.median(result.processor) / (rate / size * rows)
            print(f"  {result.task}: {reached:.0%} of {rate / size * rows:.0f} tokens a second")


# What fewer bits cost


def perplexities(folder: Path, text: Path) -> None:
    """The perplexity per token of a run's model on a text, with its weights in each kind."""
    from safetensors.torch import load_file

    from workings.text import Tokeniser

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    model = DecoderOnly(Config.from_dict(config.get("model", config))).eval()
    model.load_state_dict(load_file(folder / "model.safetensors"))
    tokens = torch.tensor(Tokeniser.load(folder / "tokeniser").encode(text.read_text(encoding="utf-8")))
    length = min(model.config.context, 256)
    windows = tokens[: len(tokens) // (length + 1) * (length + 1)].view(-1, length + 1)[:64]
    exact = perplexity(model, windows)
    print(f"{windows[:, 1:].numel()} tokens in windows of {length}: perplexity {exact:.4f} in float32")
    for kind in ("float32", "float16", "int8"):
        found = perplexity(quicken(model, kind, len(windows)), windows)
        print(f"  {kind:<8} {found:.4f}, {found / exact - 1:+.3%}")


def perplexity(model: DecoderOnly, windows: Tensor) -> float:
    with torch.inference_mode():
        losses = [nn.functional.cross_entropy(model(window[None, :-1])[0].double(), window[1:]) for window in windows]
    return float(torch.stack(losses).mean().exp())


# All of it


def run(options: argparse.Namespace) -> int:
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    rate = read_rate(options.threads)
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as scratch:
        if options.only != "translation":
            results += writing(options.threads, options.new, options.rounds, Path(scratch))
        if options.only != "writing":
            results += translating(options.threads, options.rounds, Path(scratch))
    limits(results, rate)
    if options.json:
        options.json.write_text(json.dumps([r._asdict() for r in results], indent=1) + "\n", encoding="utf-8")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--new", type=int, default=NEW, help="tokens to write in the first task")
    parser.add_argument("--only", choices=["writing", "translation"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--peers", type=Path, help="a folder for the environment of the peers, to keep")
    parser.add_argument("--perplexity", nargs=2, type=Path, metavar=("FOLDER", "TEXT"))
    options = parser.parse_args()
    if options.perplexity:
        perplexities(*options.perplexity)
        return 0
    elsewhere = run_again(["ctranslate2", "transformers"], options.peers, options.threads)
    if elsewhere is not None:
        return elsewhere
    return run(options)


if __name__ == "__main__":
    raise SystemExit(main())
