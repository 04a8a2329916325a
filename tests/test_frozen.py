"""Frozen records beside the standard library's frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from workings.frozen import evolve, frozen, names_of


@frozen
class Base:
    first: int
    second: str = "two"


@frozen
class Point(Base):
    third: tuple[int, ...] = ()


@dataclass(frozen=True)
class Plain:
    first: int
    second: str = "two"
    third: tuple[int, ...] = ()


ARGUMENTS = [
    ((1,), {}),
    ((1, "b"), {}),
    ((1, "b", (3,)), {}),
    ((), {"first": 1, "third": (2, 3)}),
    ((1,), {"third": ()}),
]


@pytest.mark.parametrize(("args", "kwargs"), ARGUMENTS)
def test_fields_and_text_are_those_of_a_dataclass(args, kwargs):
    ours, plain = Point(*args, **kwargs), Plain(*args, **kwargs)
    assert names_of(ours) == ("first", "second", "third")
    assert [getattr(ours, n) for n in names_of(ours)] == [plain.first, plain.second, plain.third]
    assert repr(ours) == repr(plain).replace("Plain", "Point")
    assert evolve(ours, second="new") == Point(plain.first, "new", plain.third)
    assert replace(plain, second="new").second == evolve(ours, second="new").second


def test_equal_records_are_one_key():
    assert len({Point(1, third=(2,)), Point(third=(2,), first=1), Point(1, "two", (2,)), Point(2)}) == 2
    assert Point(1) != Base(1)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1, "b", (), 4), {}), ((1,), {"first": 2}), ((1,), {"fourth": 4}), ((), {"fourth": 1})],
)
def test_what_a_dataclass_refuses_is_refused(args, kwargs):
    for kind in (Point, Plain):
        with pytest.raises(TypeError):
            kind(*args, **kwargs)


def test_nothing_can_be_changed():
    point = Point(1)
    with pytest.raises(AttributeError):
        point.first = 2
    with pytest.raises(AttributeError):
        del point.second
    with pytest.raises(TypeError):
        evolve(point, fourth=4)
