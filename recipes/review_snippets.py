"""Sentences of film reviews with the label "positive" or "negative": the data of the recipe `reviews`.

    pip download --no-deps --no-binary :all: vaderSentiment==3.3.2
    python recipes/review_snippets.py vaderSentiment-3.3.2.tar.gz recipes/snippets

writes train.tsv, validation.tsv and test.tsv there. The 10,605 sentences (Hutto and Gilbert 2014,
from the reviews of Pang and Lee 2004) come with the mean of the ratings that at least 20 readers gave, from -4 to 4;
the label is its sign, and the few that are exactly 0 are left out. Test is a fifth, drawn by a seed, and validation a
tenth of the rest.
"""

from __future__ import annotations

import argparse
import random
import tarfile
from pathlib import Path

ARCHIVE = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
RATINGS = "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt"
SEED = 2014


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sdist", type=Path, help="the archive that pip downloaded")
    parser.add_argument("output", type=Path, help="the folder to write to")
    options = parser.parse_args()
    lines = [f"{text}\t{label}\n" for text, label in snippets(options.sdist)]
    random.Random(SEED).shuffle(lines)
    fifth = len(lines) // 5
    tenth = (len(lines) - fifth) // 10
    options.output.mkdir(parents=True, exist_ok=True)
    parts = {"test": lines[:fifth], "validation": lines[fifth : fifth + tenth], "train": lines[fifth + tenth :]}
    for name, part in parts.items():
        (options.output / f"{name}.tsv").write_text("".join(part), encoding="utf-8")
        positive = sum(line.endswith("\tpositive\n") for line in part)
        print(f"{name}: {len(part)} sentences, {positive} of them positive")


def snippets(sdist: Path) -> list[tuple[str, str]]:
    """Each sentence and its label."""
    with tarfile.open(sdist) as outer:
        inner = outer.extractfile(ARCHIVE)
        assert inner is not None
        with tarfile.open(fileobj=inner) as archive:
            ratings = archive.extractfile(RATINGS)
            assert ratings is not None
            table = ratings.read().decode("latin-1")
    found = []
    for line in table.splitlines():
        _, rating, text = line.split("\t")
        if float(rating):
            found.append((" ".join(text.split()), "positive" if float(rating) > 0 else "negative"))
    return found


if __name__ == "__main__":
    main()
