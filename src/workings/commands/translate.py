"""`workings translate`: one line in, one line out, by beam search."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, NamedTuple

from workings.commands import output, runs, texts
from workings.commands.options import as_user_errors, count, writing_options
from workings.commands.problems import UserError
from workings.progress import Report, unheard

if TYPE_CHECKING:
    from workings.generation import Beams, Hypothesis

_TOGETHER = 32
"""Lines of a file or pipe that are translated at once."""
_LONGEST = 256


class Translation(NamedTuple):
    """One translation and its score: its log probability, divided by the length penalty."""

    score: float
    text: str


def options(parser: ArgumentParser) -> None:
    """What `workings translate` takes."""
    add = parser.add_argument
    add("run", metavar="RUN", help=runs.RUN_HELP)
    texts.text_options(parser, f"what to translate; {texts.BY_LINE}")
    add("--beam", metavar="N", type=count, default=4, help="how many beginnings are kept; 1 is greedy; 4 unless given")
    add("--best", metavar="N", type=count, help="the N best translations of each text, after their scores")
    add("--alpha", metavar="A", type=float, default=0.6, help="how far longer ones are favoured; 0.6 unless given")
    add("--length", metavar="N", type=count, help=f"the most tokens of a translation; {_LONGEST} unless given")
    writing_options(parser)
    add("-o", "--output", metavar="FILE", help="write to this file")


def run(found: Namespace) -> None:
    """Translate what is given. Raises UserError, TextError and TrainingError."""
    output.check_writable(found.output)
    if found.best is not None and found.best > found.beam:
        hint = f"add --beam {found.best}"
        raise UserError(f"--best {found.best} of {found.beam} beams", f"at most {found.beam}", hint)
    runs.check_installed()
    from workings.generation import Beams

    with as_user_errors("--alpha"):
        beams = Beams(count=found.beam, alpha=found.alpha)
    together = 1 if found.text else _TOGETHER
    parts = texts.parts(texts.lines(found.text, found.input), together)
    translator = runs.translator(found.run).quick(found.weights, together * found.beam)
    length = runs.room_for(translator.model, found.length or _LONGEST, together * found.beam)
    lengths = runs.Lengths(translator.model)
    said = (
        _written(ranked, found.best is not None)
        for part in parts
        for ranked in texts.by_line(part, lambda lines: _translated(translator, lines, beams, found, length, lengths))
    )
    output.write_parts(said, found.output, "\n" if found.best is not None else "")
    lengths.say()


def _translated(
    translator: runs.Translator, lines: list[texts.Line], beams: Beams, found: Namespace, length: int,
    lengths: runs.Lengths,
) -> list[list[Translation]]:  # fmt: skip
    """The best translations of each line, in order."""
    target = translator.target
    return [
        [Translation(each.score, _one_line(target.decode(each.tokens))) for each in ranked]
        for ranked in _searched(translator, lines, beams, found.best or 1, length, lengths)
    ]


def best_tokens(translator: runs.Translator, line: texts.Line, report: Report) -> list[int]:
    """The tokens of the best translation, as it is found unless something else is asked for."""
    from workings.generation import Beams

    [[best]] = _searched(translator, [line], Beams(), 1, None, runs.Lengths(translator.model), report)
    return best.tokens


def _searched(
    translator: runs.Translator, lines: list[texts.Line], beams: Beams, best: int, length: int | None,
    lengths: runs.Lengths, report: Report = unheard,
) -> list[list[Hypothesis]]:  # fmt: skip
    from workings.generation import beam_search

    model, source, target = translator
    sources = [[*source.encode(line.text), source.end] for line in lines]
    for line, tokens in zip(lines, sources, strict=True):
        lengths.check(tokens, line.where)
    begun, longest = [[target.begin]] * len(sources), length or _LONGEST
    with as_user_errors():
        return beam_search(
            model, begun, [target.end], beams, sources=sources, best=best, length=longest, never=target.unwritten,
            on_token=lambda written: report("translating", written, what="tokens"),
        )  # fmt: skip


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _written(ranked: list[Translation], scores: bool) -> str:
    """A line for each translation; an empty one where there is none."""
    lines = [f"{each.score:.4f}\t{each.text}" if scores else each.text for each in ranked]
    return "\n".join(lines or [""]) + "\n"
