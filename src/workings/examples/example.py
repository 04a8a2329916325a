"""An example: a file that has been read, and the Working that running it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workings.examples.errors import ExampleError, Place, complaint, near
from workings.examples.format_blocks import Document
from workings.recording.working import Source, Working


@dataclass(eq=False, repr=False)
class Example:
    """A worked example.

    Attributes:
        name: the name of a shipped example, or the path of a file as it was given.
        file: what errors call it.
        source_text: the text of the file.
    """

    name: str
    file: str
    source_text: str
    document: Document = field(repr=False)

    @property
    def title(self) -> str:
        return self.document.title

    @property
    def description(self) -> str:
        return self.document.text

    @property
    def sentence(self) -> str:
        return self.document.sentence

    def __repr__(self) -> str:
        return f"<Example {self.name}: {self.title}>"

    def run(self, sentence: str | None = None, changes: Mapping[str, Any] | None = None) -> Working:
        """Compute the example, for its own sentence or another one of the same words, and record every step.

        `changes` maps addresses to new numbers or to other addresses, as in `Working.replay`.
        Raises ExampleError for a word that is not in the table, or sizes that do not fit; AddressError for a change
        that names nothing.
        """
        working = self._computed(self.sentence if sentence is None else sentence, {})
        if changes:
            working = working.replay(changes).after()
        return working

    def _computed(self, sentence: str, overrides: Mapping[Any, Callable[[Any], Any]]) -> Working:
        from workings.examples.running import compute

        origin = Source("example", self.name, self.file, self.source_text)
        origin.rerun = lambda changes, _: self._computed(sentence, changes)
        working = compute(self, sentence, origin, overrides)
        working.groups[0].title = self.title if sentence == self.sentence else sentence
        working.groups[0].told = self.description if sentence == self.sentence else ""
        return working

    # -- words ----------------------------------------------------------------------------------------------------

    def words(self, sentence: str, place: Place = ("sentence",)) -> list[str]:
        """The words of a sentence as the table writes them: matched exactly, or else by letters of either case."""
        known = list(self.document.embeddings)
        folded: dict[str, str] = {}
        for word in reversed(known):
            folded[word.casefold()] = word
        words = []
        for word in sentence.split():
            match = word if word in self.document.embeddings else folded.get(word.casefold())
            if match is None:
                raise self._unknown(word, sentence, known, place)
            words.append(match)
        if not words:
            instance = self.sentence if self.sentence.strip() else " ".join(known[:4])
            raise self.complaint(place, "the sentence is empty", "words of the table", f"for instance {instance!r}")
        return words

    def _unknown(self, word: str, sentence: str, known: list[str], place: Place) -> ExampleError:
        import difflib

        bare = word.strip(".,;:!?\"'()")
        shown = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
        if bare != word and difflib.get_close_matches(bare.casefold(), [w.casefold() for w in known], 1, 0.99):
            hint = f"write {bare} without the sign beside it"
        else:
            hint = near(word, known, "add its row to [embeddings] or take another word")
        inside = sentence.split() == self.sentence.split() or place != ("sentence",)
        return self.complaint(
            place if inside else (),
            f"the word {_printable(word)} is not in the table",
            f"words of the table ({shown})",
            hint,
        )

    def ids(self, words: Sequence[str], place: Place = ()) -> list[int]:
        """The rows of the words in the table, counted from 0."""
        rows = {word: row for row, word in enumerate(self.document.embeddings)}
        return [rows[word] for word in words]

    def complaint(self, place: Place, found: str, expected: str = "", hint: str = "") -> ExampleError:
        return complaint(self.file, self.source_text, place, found, expected, hint)


def _printable(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:37] + "...")


_FOLDER = Path(__file__).parent / "files"


def names() -> list[str]:
    """The examples that come with the package, in the order to read them in."""
    order = ["apple", "journey", "encoder-block", "decoder-block", "next-token", "loss"]
    return [name for name in order if (_FOLDER / f"{name}.toml").is_file()]


def load(name_or_path: str | Path) -> Example:
    """A shipped example by its name, or a file by its path.

    Raises ExampleError for a name that is neither, and for a file that is not a valid example.
    """
    from workings.examples import reading

    name = str(name_or_path)
    if name in names():
        file = f"{name}.toml"
        text = (_FOLDER / file).read_text(encoding="utf-8")
        return Example(name, file, text, reading.shipped(reading.parse(text, file)))
    path = Path(name_or_path)
    if not path.exists():
        known = ", ".join(names())
        looks_like_file = "." in path.name or len(path.parts) > 1
        hint = near(
            name, names(), "write `workings new example FILE` to begin one" if looks_like_file else "give a file's path"
        )
        raise ExampleError(f"{name!r}: there is no such example or file; expected a path or one of {known}; {hint}")
    text = reading.read_text(path, name)
    return Example(name, name, text, reading.read(text, name))


def template() -> str:
    """A starting file with comments, which runs as it is."""
    return (_FOLDER / "template.toml").read_text(encoding="utf-8")
