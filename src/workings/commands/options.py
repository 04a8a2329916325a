"""Options that several verbs share, and numbers that argparse refuses in our words."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager

from workings.commands.problems import UserError
from workings.wording import MOST_DECIMALS


def count(text: str) -> int:
    """A whole number above 0."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentTypeError(f"{text!r} is not a count; expected a whole number above 0")
    return number


def decimals(text: str) -> int:
    """How many decimals numbers are written with."""
    if not (text.isascii() and text.isdigit()) or int(text) > MOST_DECIMALS:
        raise ArgumentTypeError(f"{text!r} is no count of decimals; expected a count from 0 to {MOST_DECIMALS}")
    return int(text)


def seed(text: str) -> int:
    """A whole number from 0 to 2³²."""
    if not (text.isascii() and text.isdigit()) or int(text) > 2**32:
        raise ArgumentTypeError(f"{text!r} is not a seed; expected a whole number from 0 to 2³²")
    return int(text)


def writing_options(parser: ArgumentParser) -> None:
    """How the weights are kept while text is written."""
    parser.add_argument(
        "--weights",
        choices=["float32", "float16", "int8"],
        default="float32",
        help="how weights are kept: float16 and int8 take less memory and less time, and change the numbers a little",
    )


@contextmanager
def as_user_errors(where: str = "") -> Iterator[None]:
    """What is wrong with a setting is said by the object that holds it; here the user gave it."""
    try:
        yield
    except ValueError as error:
        raise UserError(str(error), where=where) from None
