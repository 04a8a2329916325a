"""Tensors and what is said about them in one safetensors file: written whole or not at all, damage noticed."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from workings.training.errors import TrainingError, why

FORMAT = 1


def write_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write beside, then rename: whoever reads finds the old file or the new one. Equal contents make equal bytes.

    Args:
        path: the file.
        tensors: on the CPU; each with its own memory.
        about: plain data that belongs to them.

    Raises:
        TrainingError: it cannot be written, the disk being full for instance; what stood there still does.
    """
    beside = path.with_name(f".{path.name}.part")
    # One key alone: the library puts several in any order.
    metadata = {"workings": json.dumps({"format": FORMAT, "sum": _sum(tensors, about), "about": about})}
    try:
        save_file(dict(tensors), beside, metadata)
        beside.chmod(0o666 & ~_mask())
        sync(beside)
        beside.replace(path)
        sync(path.parent)
    except (OSError, SafetensorError) as error:
        beside.unlink(missing_ok=True)
        hint = "what was saved before is still there; make room and go on from it" if path.exists() else "make room"
        raise TrainingError(f"it cannot be written: {why(_system(error))}", hint=hint, where=path) from error


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `write_tensors` wrote: the tensors and what was said about them.

    Raises:
        TrainingError: no such file, a damaged one, or one that something else wrote.
    """
    again = "copy it again from where it is whole, or train again"
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except FileNotFoundError:
        raise TrainingError("there is no such file", "what a training has saved", again, where=path) from None
    except (OSError, SafetensorError) as error:
        raise TrainingError(f"the file is damaged: {str(error).lower()}", hint=again, where=path) from None
    try:
        written = json.loads(metadata["workings"])
        form, total, about = written["format"], written["sum"], written["about"]
    except (KeyError, TypeError, ValueError):
        raise TrainingError(
            "this is no file of a training here", "what a training has saved", again, where=path
        ) from None
    if form != FORMAT:
        found = f"a file of format {form!r}"
        raise TrainingError(found, f"format {FORMAT}", "use the version of workings that wrote it", where=path)
    if total != _sum(tensors, about):
        raise TrainingError("the file is damaged: its numbers are not those that were saved", hint=again, where=path)
    return tensors, about


def write_text(path: Path, text: str) -> None:
    """The whole file or none of it."""
    beside = path.with_name(f".{path.name}.part")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        sync(path.parent)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise TrainingError(f"it cannot be written: {why(error)}", where=path) from error


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sum(tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> int:
    """A checksum of names, shapes and numbers, and of what is said about them."""
    total = zlib.crc32(json.dumps(about).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        total = zlib.crc32(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode(), total)
        total = zlib.crc32(tensor.detach().contiguous().view(-1).view(torch.uint8).numpy().data, total)
    return total


def _system(error: Exception) -> OSError:
    """The system's error inside a SafetensorError."""
    if isinstance(error, OSError):
        return error
    number = re.search(r"os error (\d+)", str(error))
    return OSError(int(number[1]), os.strerror(int(number[1]))) if number else OSError(str(error))


def _mask() -> int:
    """What the system takes away from the permissions of new files."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
