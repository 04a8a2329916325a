"""A Working as a notebook that runs: recorded again, and its values asked for, section by section."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workings.recording.address import AddressError
from workings.recording.working import Working
from workings.views.document import Block, Heading, Prose
from workings.views.markdown import escape
from workings.views.page import tell
from workings.views.tables import Table


def render(working: Working) -> str:
    """The notebook's JSON. Raises ValueError for a Working that cannot be had again from what it says of itself."""
    import nbformat

    made: Any = nbformat.v4
    document = tell(working, "sentences")
    cells = [made.new_markdown_cell(f"# {escape(document.title)}\n\n*{escape(document.origin)}*")]
    cells += [made.new_code_cell(text) for text in _beginning(working)]
    for kind, text in _parts(document.blocks):
        cells.append(made.new_markdown_cell(text) if kind == "text" else made.new_code_cell(text))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # the same each time
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = made.new_notebook(cells=cells, metadata={**about, "language_info": {"name": "python"}})
    nbformat.validate(notebook)
    return str(made.writes(notebook)) + "\n"


def _beginning(working: Working) -> Iterator[str]:
    """How to have the Working again: `working`."""
    source = working.source
    match source.kind:
        case "example":
            from workings.examples import names

            yield "import workings as wk"
            name = source.name
            if name not in names():
                name = Path(source.name).name
                # In a folder of its own: a file of that name beside the notebook stays what it is.
                yield (
                    "from pathlib import Path\nfrom tempfile import mkdtemp\n\n"
                    f'example = Path(mkdtemp(), {name!r})\nexample.write_text({_quoted(source.text)}, encoding="utf-8")'
                )
            called = repr(name) if name in names() else "example"
            sentence = _sentence(working)
            yield f"working = wk.example({called}).run({'' if sentence is None else repr(sentence)})\nworking"
        case "script" if source.text:
            yield "%load_ext workings"
            yield f"%%workings working\n{source.text.rstrip()}"
        case _:
            raise ValueError(f"a {source.kind} cannot be recorded again from a notebook; save it, and load it there")


def _sentence(working: Working) -> str | None:
    """The sentence of an example's run, by the labels of its rows."""
    try:
        labels = working.labels(working.find("ids").step)[0]
    except AddressError:
        return None
    return " ".join(labels) if labels is not None else None


def _quoted(text: str) -> str:
    """A text as Python writes it, over several lines where it can."""
    plain = all(c.isprintable() or c == "\n" for c in text)
    if not plain or "\\" in text or "'''" in text or text.endswith("'"):
        return repr(text)
    return f"'''\\\n{text}'''"


def _parts(blocks: list[Block]) -> Iterator[tuple[str, str]]:
    """Headings with their sentences, and after them the values that matter."""
    text: list[str] = []
    values: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            yield from _together(text, values)
            text, values = [f"{'#' * min(block.level + 1, 6)} {escape(block.text)}"], []
        elif isinstance(block, Prose) and block.kind == "sentence":
            text.append(escape(block.text))
        elif isinstance(block, Table) and block.path:
            values.append(block.path)
    yield from _together(text, values)


def _together(text: list[str], values: list[str]) -> Iterator[tuple[str, str]]:
    if text:
        yield "text", "\n\n".join(text)
    for path in dict.fromkeys(values):
        yield "code", f"working[{path!r}]"
