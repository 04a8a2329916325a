"""`workings near`: the geometry of learned embeddings, of words trained for it or inside a transformer."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workings.commands import output, runs
from workings.commands.options import count

if TYPE_CHECKING:
    from workings.training.embeddings import Embeddings, Neighbour
    from workings.training.run_directory import RunDirectory


def options(parser: ArgumentParser) -> None:
    """What `workings near` takes."""
    parser.add_argument("run", metavar="RUN", help=runs.RUN_HELP)
    parser.add_argument("word", metavar="WORD", help="a word of its vocabulary")
    parser.add_argument("--count", metavar="N", type=count, default=10, help="how many; 10 unless given")


def run(found: Namespace) -> None:
    """List the nearest words. Raises UserError, and TrainingError for a word that has no vector."""
    embeddings = embeddings_of(found.run)
    output.write(listed(embeddings.nearest(known(embeddings, found.word), found.count)))


def embeddings_of(name: str) -> Embeddings:
    """The words of a run and their vectors; of an encoder-decoder with two tables, those of its source."""
    run = runs.open_run(name)
    if runs.shape_of(run) == "embeddings":
        from workings.training.embeddings import Embeddings

        return Embeddings.of(run.weights(), run.tokeniser())
    return _of_transformer(run)


def _of_transformer(run: RunDirectory) -> Embeddings:
    from workings.commands.model_working import readable
    from workings.training.embeddings import Embeddings
    from workings.transformer import EncoderDecoder

    model, tokeniser = run.model(), run.tokeniser()
    own = model.source_embedding if isinstance(model, EncoderDecoder) else None
    table = (own or model.embedding).weight
    special = {tokeniser.special(name) for name in tokeniser.specials.names}
    # Some bytes that are no text read alike; the first of them stands for all.
    rows = {
        word: row
        for row, word in reversed([*enumerate(readable(tokeniser, range(len(tokeniser))))])
        if row not in special
    }
    order = sorted(rows.items(), key=lambda item: item[1])
    return Embeddings([word for word, _ in order], table[[row for _, row in order]])


def known(embeddings: Embeddings, word: str) -> str:
    """The word as its vocabulary writes it: as it is, with the space before it, or in small letters."""
    spellings = (word, f"▁{word}", word.lower(), f"▁{word.lower()}")
    return next((spelling for spelling in spellings if spelling in embeddings), word)


def listed(neighbours: Iterable[Neighbour]) -> str:
    """A line for each word, with the cosine of its angle."""
    from workings.views.tables import visible

    found = [(visible(each.word), each.cosine) for each in neighbours]
    width = max((len(word) for word, _ in found), default=0)
    return "".join(f"{word:<{width}}  {cosine:.4f}\n" for word, cosine in found)
