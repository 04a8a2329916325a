"""`workings classify`: the labels of a text, each with its probability."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from workings.commands import output, runs, texts
from workings.commands.problems import UserError

_TOGETHER = 32
"""Lines of a file or pipe that are read at once."""


def options(parser: ArgumentParser) -> None:
    """What `workings classify` takes."""
    parser.add_argument("run", metavar="RUN", help=runs.RUN_HELP)
    texts.text_options(parser, "what to label; of a file or a pipe, each line by itself")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file")


def run(found: Namespace) -> None:
    """Label what is given. Raises UserError, TextError and TrainingError."""
    output.check_writable(found.output)
    parts = texts.parts(texts.lines(found.text, found.input), 1 if found.text else _TOGETHER)
    classifier = runs.classifier(found.run)
    ranked = (labels for part in parts for labels in classified(classifier, part))
    between, width = ("\n", max(map(len, classifier.labels))) if found.text else ("\t", 0)
    said = (between.join(f"{name:<{width}} {share:.4f}" for name, share in labels) + "\n" for labels in ranked)
    output.write_parts(said, found.output)


def classified(classifier: runs.Classifier, lines: list[texts.Line]) -> list[list[tuple[str, float]]]:
    """The labels of each line with their probabilities, the most probable first."""
    import torch

    model, tokeniser, labels = classifier
    rows = []
    for line in lines:
        if not line.text.strip():
            raise UserError("the text is empty", "a text to label", where=line.where)
        rows.append([tokeniser.begin, *tokeniser.encode(line.text), tokeniser.end])
        runs.check_fits(rows[-1], model, line.where)
    longest = max(map(len, rows))
    tokens = torch.tensor([[*row, *[tokeniser.padding] * (longest - len(row))] for row in rows])
    with torch.inference_mode():
        scores = model(tokens, torch.tensor([len(row) for row in rows]))
    probabilities = scores.double().softmax(dim=-1).tolist()
    return [sorted(zip(labels, row, strict=True), key=lambda pair: -pair[1]) for row in probabilities]
