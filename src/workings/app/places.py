"""The one folder that the app may read: what is in it, and the way from a name to a file that is truly inside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import final

from workings.frozen import frozen

MOST = 200
"""The most files that are listed."""
_DEEP = 2
_KINDS = {".toml": "example", ".workings": "working", ".py": "script"}


class NotThere(LookupError):
    """There is no such file in the folder, or it may not be read."""


@frozen
class Found:
    """Something that can be opened: its kind ("example", "working", "script", "run") and its name in the folder."""

    kind: str
    name: str


@final
class Folder:
    """A folder. Hidden files, and whatever leads out of it, are not there."""

    def __init__(self, root: Path, *, code: bool) -> None:
        self.root = root.resolve(strict=True)
        self.code = code

    def path(self, name: str) -> Path:
        """The file or run of a name. Raises NotThere."""
        if "\0" in name or not name:
            raise NotThere(name)
        given = Path(name)
        if given.is_absolute() or any(part.startswith(".") for part in given.parts):
            raise NotThere(name)
        try:
            path = (self.root / given).resolve(strict=True)  # a link is followed, and may lead out
        except (OSError, RuntimeError, ValueError):
            raise NotThere(name) from None
        if not path.is_relative_to(self.root) or self._kind(path) is None:
            raise NotThere(name)
        return path

    def _kind(self, path: Path) -> str | None:
        if path.is_dir():
            return "run" if (path / "config.json").is_file() and (path / "model.safetensors").is_file() else None
        kind = _KINDS.get(path.suffix.lower()) if path.is_file() else None
        return None if kind == "script" and not self.code else kind

    def found(self) -> list[Found]:
        """What can be opened, in the order of names."""
        listed = []
        for name in self._names():
            try:
                kind = self._kind(self.path(name))
            except NotThere:
                continue
            if kind is not None:
                listed.append(Found(kind, name))
            if len(listed) == MOST:
                break
        return listed

    def _names(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self.root):
            here = Path(folder).relative_to(self.root)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            runs = [name for name in folders if (Path(folder) / name / "config.json").is_file()]
            yield from (str(here / name) for name in (*sorted(files), *runs) if not name.startswith("."))
            if len(here.parts) >= _DEEP:
                folders.clear()
            folders[:] = [name for name in folders if name not in runs]
