"""The questions of an example, found in its Working."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workings.reading.replay import changed_value
from workings.recording.address import AddressError
from workings.recording.working import Question, Working

if TYPE_CHECKING:
    from workings.examples.example import Example


def questions(example: Example, working: Working, *, own: bool) -> list[Question]:
    """Each question with its places; of another sentence than the example's `own`, those that still make sense.

    Raises ExampleError for an address that names no single number, and for numbers that do not fit.
    """
    found = []
    for number, asked in enumerate(example.document.question):
        key = "at"
        try:
            at = working.find(asked.at)
            if len(at.index) != len(working.steps[at.step].shape):
                raise AddressError(f"{asked.at} is not a single number")
            key = "change"
            changes = [changed_value(working, asked.change, asked.to, {})] if asked.change else []
        except (AddressError, ValueError) as error:
            if own:
                hint = "an address as --at takes it" if key == "at" else "address and numbers as --set takes them"
                raise example.complaint(("question", number, key), str(error), hint) from None
            continue
        found.append(Question(asked.ask, at, tuple(changes)))
    return found
