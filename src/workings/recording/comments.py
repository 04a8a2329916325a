"""Labels that stand in the comments of a script: beside the rows of a matrix, or listed above it."""

from __future__ import annotations

from workings.recording.scopes import comments_of
from workings.recording.working import Site, Step, Working


def label_from_comments(working: Working) -> None:
    """Give the rows of matrices that are written out in the source the names their comments give them.

    A comment beside every row names the rows; so does a comment above that lists exactly as many words, with commas
    between them.
    """
    beside, _ = comments_of(working.source.text)
    for binding in working.bindings:
        step = working.steps[binding.ref.step]
        site = step.site
        if binding.ref.index or site is None or step.number in working.axis_labels or not _written_out(working, step):
            continue
        labels = _beside_rows(site, beside, step.shape[0]) or _listed(site.comment, step.shape[0])
        if labels:
            working.axis_labels[step.number] = (labels, *(None for _ in step.shape[1:]))
            working.notes.append(f"the rows of {binding.name} are named by the comments at line {site.line}")


def _written_out(working: Working, step: Step) -> bool:
    """Whether a matrix comes from numbers in its own statement, not from a computation."""
    if not 1 <= len(step.shape) <= 2 or step.shape[0] < 2:
        return False
    while step.inputs:
        if len(step.inputs) != 1 or step.inputs[0].index:
            return False
        inner = working.steps[step.inputs[0].step]
        if inner.shape != step.shape or inner.site != step.site:
            return False
        step = inner
    return step.operation == "given"


def _beside_rows(site: Site, beside: dict[int, str], rows: int) -> tuple[str, ...]:
    last = site.line + site.text.count("\n")
    found = [beside[line] for line in range(site.line, last + 1) if line in beside]
    return tuple(found) if len(found) == rows and all(_is_name(f) for f in found) else ()


def _listed(comment: str, rows: int) -> tuple[str, ...]:
    words = tuple(w.strip() for w in comment.split(","))
    return words if len(words) == rows and all(_is_name(w) for w in words) else ()


def _is_name(text: str) -> bool:
    return bool(text) and len(text) <= 24 and len(text.split()) <= 2
