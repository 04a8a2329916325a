"""Which page a Working gets: the live one, or, where its numbers are too many to travel, that of its attention."""

from __future__ import annotations

from workings.progress import Report, unheard
from workings.recording.working import Changes, Working
from workings.views.live import model, page


class TooLarge(ValueError):
    """A Working with more numbers than a live page holds, and nothing else that could be drawn; says how many."""


def render(
    working: Working,
    *,
    depth: str = "steps",
    ask: bool = False,
    changes: Changes | None = None,
    report: Report = unheard,
) -> str:
    """The page of a Working; what is asked for as `page.render` takes it; `report` is told how far it is.

    Raises TooLarge, and what `page.render` raises.
    """
    if page.fits(working):
        return page.render(working, depth=depth, ask=ask, changes=changes, report=report)
    if model.attends(working) and not ask and not changes:  # on a model's page nothing is changed or guessed
        return model.render(working, report=report)
    most = f"{page.LARGEST:,}".replace(",", " ")
    raise TooLarge(f"it has too many numbers for a live page; expected at most {most}; take a smaller one")
