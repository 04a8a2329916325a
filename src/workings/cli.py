"""The command line: one verb a line, each handed on to what does it.

It is read with the standard library's argparse: `workings show apple` is to take less than three times `import numpy`,
and the usual toolkits load for as long as our whole recorder does.
"""

from __future__ import annotations

import gc
import re
import sys
from argparse import REMAINDER, ArgumentParser, BooleanOptionalAction, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NoReturn

from workings.commands.options import decimals
from workings.commands.problems import FINE, YOURS, Ended, answered, say
from workings.wording import meant

_ABOUT = "Shows the working of code: every number traced to those it was made from."
_VERBS = {
    "show": "show a computation worked out: an example, or a script of yours as it is",
    "explain": "explain an equation or a word: sentence, formula, shapes, its code, and who uses it",
    "examples": "list the examples that come with Workings",
    "serve": "examples, your files and trained models in the browser: workings serve [FOLDER]",
    "experiment": "run a claim of the texts: what it says, what happened, holds or not; without a name, list them",
    "figure": "draw a figure of an example, a script, a training or a model; without its name, list what there is",
    "new": "write a commented file to start from: workings new example|translate|lm|classify|copy|embeddings FILE",
}
_MODEL_VERBS = {
    "train": "train a transformer as a run file says: workings train FILE, or go on with --resume",
    "evaluate": "measure a trained model on text: perplexity, BLEU and chrF, accuracy and F1",
    "translate": "translate sentences with a trained model",
    "generate": "continue a text with a trained model",
    "classify": "the label of a text, with the probability of each",
    "plot": "draw the losses of one training, or of several side by side",
    "near": "the words that a trained model puts nearest to a word",
    "analogy": "what is to the third word as the second is to the first: workings analogy RUN man king woman",
    "cost": "count multiplications and memory of a model, part by part, for a length",
}
_EVERY_VERB = _VERBS | _MODEL_VERBS


class _Parser(ArgumentParser):
    """Answers a mistake in one line, as everything else here does."""

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ").split()[0]
        if unknown.startswith("--"):
            message = f"there is no option {unknown}{_meant(unknown.split('=')[0], self._option_string_actions)}"
        elif choice := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message):
            message += _meant(choice[1], [name.strip("' ") for name in choice[2].split(",")])
        say(f"workings: {message}; `{self.prog} --help` says what is expected")
        raise Ended(YOURS)


def main(arguments: Sequence[str] | None = None) -> None:
    """What the command `workings` runs.

    Ends with 0 where all is well, 2 for a user's mistake, 1 for ours and where an experiment did not come out.
    """
    gc.set_threshold(100_000, 50, 50)  # loading makes many objects, and hardly any of them is rubbish
    with answered():
        verb, rest = _verb(sys.argv[1:] if arguments is None else arguments)
        own = {"show": _show, "explain": _explain, "examples": _examples, "new": _new}
        own.get(verb, partial(_by_module, verb))(rest)


def _verb(arguments: Sequence[str]) -> tuple[str, list[str]]:
    verbs = "\n".join(f"  {verb:<10} {what}" for verb, what in _EVERY_VERB.items())
    parser = _Parser(
        prog="workings", usage="workings VERB ...", description=f"{_ABOUT}\n\n{verbs}", allow_abbrev=False,
        epilog="`workings VERB --help` says more of each.", formatter_class=RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    parser.add_argument("verb", nargs="?", help=f"one of {', '.join(_EVERY_VERB)}")
    parser.add_argument("rest", nargs=REMAINDER, help="what the verb needs")
    found = parser.parse_args(arguments)
    if found.version:
        from workings import __version__

        print(f"workings {__version__}")
        raise Ended(FINE)
    if found.verb is None:
        parser.print_help()
        raise Ended(FINE)
    if found.verb not in _EVERY_VERB:
        parser.error(f"there is no verb {found.verb!r}{_meant(found.verb, _EVERY_VERB)}")
    return found.verb, found.rest


def _meant(word: str, known: Iterable[str]) -> str:
    """The end of a message: what was probably meant."""
    close = meant(word, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _parsed(parser: ArgumentParser, rest: list[str]) -> Namespace:
    """Options may stand before, between and after the words."""
    return parser.parse_intermixed_args(rest)


def _parser(verb: str) -> ArgumentParser:
    about = _EVERY_VERB[verb]
    return _Parser(prog=f"workings {verb}", description=f"{about[0].upper()}{about[1:]}.", allow_abbrev=False)


def _by_module(verb: str, rest: list[str]) -> None:
    """A verb whose module says what it takes and does it, so that its options cost nothing to the others."""
    from importlib import import_module

    module = import_module("workings.app.serve" if verb == "serve" else f"workings.commands.{verb}")
    parser = _parser(verb)
    module.options(parser)
    module.run(_parsed(parser, rest))


def _show(rest: list[str]) -> None:
    parser = _parser("show")
    add = parser.add_argument
    words_help = (
        "an example's name, an example file (.toml), a script (.py), or a trained model; after an example or a model, "
        "a sentence"
    )
    change_help = "what if: 'address = numbers' or 'address = another address'; may be given several times"
    add("words", metavar="WHAT [SENTENCE]", nargs="*", help=words_help)
    add("--at", metavar="ADDRESS", action="append", help="work this number out; may be given several times")
    add("--set", metavar="CHANGE", action="append", dest="changes", help=change_help)
    add(
        "-f",
        "--format",
        metavar="FORMAT",
        help="txt, md, tex, json, html or ipynb; left out, the ending of FILE says it",
    )
    add("-o", "--output", metavar="FILE", help="write to this file")
    add("-d", "--depth", metavar="DEPTH", help="sentences, steps or numbers; with --at, how many lines back")
    add("--decimals", metavar="N", type=decimals, help="how many decimals are shown")
    add("--predict", action="store_true", help="ask for each value before it is shown")
    add("--width", metavar="N", type=int, help="how many columns a line may take")
    add(
        "--color",
        "--colour",
        action=BooleanOptionalAction,
        default=True,
        dest="colour",
        help="whether tables are shaded",
    )
    found = _parsed(parser, rest)
    if not found.words:
        parser.error("say what to show: an example's name, an example file (.toml), a script (.py) or a trained model")
    from workings.commands.show import Request, show

    what, *sentence = found.words
    options = {name: value for name, value in vars(found).items() if name not in ("words", "at", "changes")}
    words = " ".join(sentence) if sentence else None
    show(Request(what=what, sentence=words, at=found.at or (), changes=found.changes or (), **options))


def _explain(rest: list[str]) -> None:
    parser = _parser("explain")
    parser.add_argument("name", metavar="NAME", nargs="+", help="an equation, an operation, or a word of the glossary")
    found = _parsed(parser, rest)
    from workings.commands.output import write
    from workings.explain import explain

    write(explain(" ".join(found.name)))


def _examples(rest: list[str]) -> None:
    _parsed(_parser("examples"), rest)
    from workings.commands.listing import example_list
    from workings.commands.output import write

    write(example_list())


def _new(rest: list[str]) -> None:
    kinds = ["example", "translate", "lm", "classify", "copy", "embeddings"]
    parser = _parser("new")
    parser.add_argument("kind", metavar="KIND", choices=kinds, help=f"what to write: {', '.join(kinds)}")
    parser.add_argument("file", metavar="FILE", help="where to write it, for instance my_example.toml")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there")
    found = _parsed(parser, rest)
    from workings.commands.listing import write_template

    write_template(found.kind, found.file, found.force)
