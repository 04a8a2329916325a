"""A tokeniser in a folder: description.json, and for subwords the tokenizers library's own tokenizer.json."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from workings.text.characters import Characters
from workings.text.errors import TextError, at, why
from workings.text.scheme import Scheme
from workings.text.specials import Specials
from workings.text.subwords import Subwords
from workings.text.tokenisers import KINDS, Tokeniser
from workings.text.words import Words

FORMAT = 1
_OWN, _LIBRARY = "description.json", "tokenizer.json"
_AGAIN = "train it again, or copy the folder again from where it is whole"


def save(tokeniser: Tokeniser, folder: Path) -> None:
    """Write beside, then rename: a reader finds the old file or the new one. The description, written last, holds
    the digest of the other file, so that a folder left half-written is known as such."""
    described, library = _files(tokeniser)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if library:
            write_whole(folder / _LIBRARY, library.encode())
        write_whole(folder / _OWN, described.encode())
    except OSError as error:
        raise TextError(f"the tokeniser cannot be written: {why(error)}", where=at(folder)) from error


def fingerprint(tokeniser: Tokeniser) -> str:
    """A digest of everything that decides which numbers a text gets."""
    return hashlib.sha256("\n".join(_files(tokeniser)).encode()).hexdigest()


def _files(tokeniser: Tokeniser) -> tuple[str, str]:
    """The text of description.json and of tokenizer.json ("" where there is none)."""
    scheme, specials = tokeniser.scheme, tokeniser.specials
    library = scheme.json if isinstance(scheme, Subwords) else ""
    described = {
        "format": FORMAT,
        "kind": scheme.kind,
        "specials": {
            "padding": specials.padding,
            "begin": specials.begin,
            "end": specials.end,
            "unknown": specials.unknown,
            "others": list(specials.others),
        },
        **scheme.description(),
    }
    if library:
        described["digest"] = hashlib.sha256(library.encode()).hexdigest()
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n", library


def write_whole(path: Path, content: bytes) -> None:
    """The whole file or none of it."""
    beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load(folder: Path) -> Tokeniser:
    described = _description(folder)
    try:
        specials = _specials(described)
    except (AttributeError, KeyError, TypeError, ValueError, TextError) as error:
        raise _damaged(folder / _OWN, f"its special tokens: {error}") from None
    try:
        return Tokeniser(_scheme(folder, described, specials), specials)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _damaged(folder / _OWN, str(error)) from None


def _description(folder: Path) -> dict[str, Any]:
    path = folder / _OWN
    try:
        described = json.loads(path.read_bytes())
    except OSError as error:
        hint = "name a folder that Tokeniser.save has written"
        raise TextError(f"no tokeniser is found: {why(error)}", hint=hint, where=at(path)) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from None
    if not isinstance(described, dict) or described.get("kind") not in KINDS:
        raise _damaged(path, "it describes no tokeniser")
    if described.get("format") != FORMAT:
        found = f"a tokeniser of format {described.get('format')!r}"
        raise TextError(found, f"format {FORMAT}", "use the version of workings that wrote it", where=at(path))
    return described


def _specials(described: dict[str, Any]) -> Specials:
    named = dict(described["specials"])
    return Specials(**{**named, "others": tuple(named["others"])})


def _scheme(folder: Path, described: dict[str, Any], specials: Specials) -> Scheme:
    match described["kind"]:
        case "word":
            return Words(described["words"])
        case "character":
            return Characters(described["alphabet"], bool(described["spelled"]))
        case kind:
            return _subwords(folder / _LIBRARY, kind, described["digest"], specials)


def _subwords(path: Path, kind: str, digest: str, specials: Specials) -> Subwords:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _damaged(path, why(error)) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise _damaged(path, f"it is not the file that {_OWN} was written with")
    try:
        return Subwords.from_json(kind, content.decode(), specials)
    except ValueError as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: Path, found: str) -> TextError:
    return TextError(f"the tokeniser is damaged: {found}", hint=_AGAIN, where=at(path))
