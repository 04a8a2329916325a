"""`workings analogy`: king - man + woman."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from workings.commands import output, runs
from workings.commands.near import embeddings_of, known, listed
from workings.commands.options import count


def options(parser: ArgumentParser) -> None:
    """What `workings analogy` takes."""
    parser.add_argument("run", metavar="RUN", help=runs.RUN_HELP)
    parser.add_argument("words", metavar="A B C", nargs=3, help="C is to the words that are listed as A is to B")
    parser.add_argument("--count", metavar="N", type=count, default=5, help="how many; 5 unless given")


def run(found: Namespace) -> None:
    """List the words nearest to B - A + C. Raises UserError, and TrainingError for a word that has no vector."""
    embeddings = embeddings_of(found.run)
    a, b, c = (known(embeddings, word) for word in found.words)
    output.write(listed(embeddings.analogy(a, b, c, found.count)))
