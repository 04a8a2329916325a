"""English and Spanish verses side by side, as TSV: for translation, and, their English alone, for `embeddings`.

    apt-get download sword-text-web sword-text-sparv     # Debian's packages of two Bibles in the public domain
    for package in sword-text-*.deb; do dpkg -x "$package" sword; done
    pip install pysword
    python recipes/bible_pairs.py sword recipes/bible    # writes train.tsv, validation.tsv and test.tsv there

The World English Bible (2015) and the Reina-Valera of 1909 count verses alike, but for some psalms; a pair whose
lengths have nothing to do with each other is two verses that met by accident, and is left out. Held out are whole
chapters, drawn by a seed: neighbouring verses repeat each other's phrases, and verses drawn singly would flatter.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

ENGLISH, SPANISH = "engWEB2015eb", "spaRV1909eb"
SEED = 1909
CHAPTERS = 24  # held out for each of validation and test, of 1,189
ALIKE = 2.2  # the longer of a pair has at most this many times the letters of the shorter, after 20 for good measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sword", type=Path, help="the folder that the packages were unpacked into")
    parser.add_argument("output", type=Path, help="the folder to write to")
    options = parser.parse_args()
    chapters = dict(pairs_by_chapter(options.sword / "usr/share/sword"))
    order = sorted(chapters)
    random.Random(SEED).shuffle(order)
    parts = {
        "validation": sorted(order[:CHAPTERS]),
        "test": sorted(order[CHAPTERS : 2 * CHAPTERS]),
        "train": sorted(order[2 * CHAPTERS :]),
    }
    options.output.mkdir(parents=True, exist_ok=True)
    for name, chosen in parts.items():
        lines = [f"{english}\t{spanish}\n" for chapter in chosen for english, spanish in chapters[chapter]]
        (options.output / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
        print(f"{name}: {len(lines)} pairs of {len(chosen)} chapters")


def pairs_by_chapter(modules: Path) -> Iterator[tuple[tuple[int, int], list[tuple[str, str]]]]:
    """For each (book, chapter), counted from 0 and 1, its pairs of verses."""
    from pysword.modules import SwordModules

    opened = SwordModules(str(modules))
    opened.parse_modules()
    english, spanish = opened.get_bible_from_module(ENGLISH), opened.get_bible_from_module(SPANISH)
    for bible in (english, spanish):  # which would unpack a whole book anew for each of its verses
        bible._decompressed_text = lru_cache(maxsize=2)(bible._decompressed_text)
    books = [book for part in ("ot", "nt") for book in spanish.get_structure().get_books()[part]]
    for number, book in enumerate(books):
        for chapter in range(1, book.num_chapters + 1):
            both = zip(verses(english, book.name, chapter), verses(spanish, book.name, chapter), strict=False)
            yield (number, chapter), [pair for pair in both if belong(*pair)]


NOTES = re.compile(r"<(note|title)\b.*?</\1>", re.DOTALL)
TAGS = re.compile(r"<[^>]*>")
BEFORE_SIGNS = re.compile(r" +([,.;:!?”’)])")


def verses(bible: Any, book: str, chapter: int) -> list[str]:
    """The verses of a chapter, each on one line without notes and headings; empty where this Bible has none."""
    return [plain(marked) for marked in bible.get_iter(books=[book], chapters=[chapter], clean=False)]


def plain(marked: str) -> str:
    text = TAGS.sub("", NOTES.sub(" ", marked)).translate({ord("¶"): " ", 0x200B: None})
    return BEFORE_SIGNS.sub(r"\1", " ".join(text.split()))


def belong(english: str, spanish: str) -> bool:
    """Whether two verses can be each other's translation."""
    if not english or not spanish:
        return False
    shorter, longer = sorted((len(english), len(spanish)))
    return longer <= ALIKE * shorter + 20


if __name__ == "__main__":
    main()
