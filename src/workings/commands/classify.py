"""`workings classify`: the labels of a text, each with its probability."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from workings.commands import output, runs, texts

_TOGETHER = 32
"""Lines of a file or pipe that are read at once."""


def options(parser: ArgumentParser) -> None:
    """What `workings classify` takes."""
    parser.add_argument("run", metavar="RUN", help=runs.RUN_HELP)
    texts.text_options(parser, f"what to label; {texts.BY_LINE}")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file")


def run(found: Namespace) -> None:
    """Label what is given. Raises UserError, TextError and TrainingError."""
    output.check_writable(found.output)
    parts = texts.parts(texts.lines(found.text, found.input), 1 if found.text else _TOGETHER)
    classifier = runs.classifier(found.run)
    lengths = runs.Lengths(classifier.model)
    ranked = (
        labels for part in parts for labels in texts.by_line(part, lambda lines: classified(classifier, lines, lengths))
    )
    between, width = ("\n", max(map(len, classifier.labels))) if found.text else ("\t", 0)
    said = (between.join(f"{name:<{width}} {share:.4f}" for name, share in labels) + "\n" for labels in ranked)
    output.write_parts(said, found.output)
    lengths.say()


def classified(
    classifier: runs.Classifier, lines: list[texts.Line], lengths: runs.Lengths
) -> list[list[tuple[str, float]]]:
    """The labels of each line with their probabilities, the most probable first."""
    import torch

    model, tokeniser, labels = classifier
    rows = []
    for line in lines:
        rows.append([tokeniser.begin, *tokeniser.encode(line.text), tokeniser.end])
        lengths.check(rows[-1], line.where)
    longest = max(map(len, rows))
    tokens = torch.tensor([[*row, *[tokeniser.padding] * (longest - len(row))] for row in rows])
    with torch.inference_mode():
        scores = model(tokens, torch.tensor([len(row) for row in rows]))
    probabilities = scores.double().softmax(dim=-1).tolist()
    return [sorted(zip(labels, row, strict=True), key=lambda pair: -pair[1]) for row in probabilities]
