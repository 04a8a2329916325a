"""Write docs/coverage.md from tests/facts: what of the two texts is shown, by which command, and held by which test.

python docs/coverage.py            write the file
python docs/coverage.py --check    say whether it is up to date, by the exit code
"""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FACTS = ROOT / "tests" / "facts"
PAGE = ROOT / "docs" / "coverage.md"
NUMBERS_TEST = "tests/examples/test_printed_numbers.py::test_printed_number"
SETTINGS_TEST = "tests/examples/test_printed_numbers.py::test_setting"
TO_COME = {
    "transformer": "to come: trained models",
    "page": "to come: the page",
    "checkpoint": "to come: published models",
}
KINDS = {
    "system": "system", "formula": "formula", "table": "table", "number": "numbers", "setting": "size",
    "mention": "mention", "figure": "figure", "claim": "claim", "experiment": "experiment",
}  # fmt: skip
PLURALS = {"system": "systems", "formula": "formulas", "table": "tables", "figure": "figures"} | {
    "claim": "claims", "experiment": "experiments", "number": "printed numbers", "setting": "sizes and positions",
    "mention": "numbers about other models, theory or the text",
}  # fmt: skip

HEAD = """\
# What is shown of the two texts

Written by `python docs/coverage.py` from [tests/facts](../tests/facts/README.md); do not edit it by hand. For each
system, formula, table, number, figure, claim and experiment of the two texts: the command that shows it, and the test
that holds it. Commands are run in a clone of this repository. With `--at` and the address of an element, any number of
an array is worked out: `workings show apple --at "plain.weights[Apple, shares]"`.

A claim is shown by the command and proved by the test. An experiment runs a claim, says what must come out, and judges
what did; its test compares its numbers with another source, and shows that it can fail.
"""

# The parts of each text in their order, and how the places of its entries begin.
PARTS = {
    "first": [
        ("Abstract and how to read", r"abstract|how to read"),
        ("1 Embeddings", r"section 1\b"),
        ("2 One vector per word", r"section 2\b"),
        ("3 Attention as a weighted average", r"section 3\b"),
        ("4 Queries, keys and values", r"section 4\b"),
        ("5 Heads", r"section 5\b"),
        ("6 Positions", r"section 6\b"),
        ("7 The encoder block", r"section 7\b"),
        ("8 The decoder block", r"section 8\b"),
        ("9 Predicting the next token", r"section 9\b"),
        ("The whole forward pass", r"forward pass|the section that lists the whole"),
        ("The code listing", r"code listing"),
        ("References", r"references"),
    ],
    "second": [
        ("The question and the three steps", r"first paragraph|.*list of the three steps|paragraph below the list"),
        ("The input", r".*first listing|the listings, one after the other"),
        ("Steps 1 to 3: one word asks", r"steps? \d"),
        ("All words at once", r".*matrix form"),
        ("The shape contract", r".*(printed contexts|shape contract)"),
        ("The heat map", r".*heat map"),
        ("The closing exercise", r"closing exercise"),
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One entry as the page shows it. ``due`` is "show" or a key of TO_COME; ``count`` is how many printed numbers."""

    id: str
    kind: str
    place: str
    title: str
    due: str
    command: str
    test: str
    count: int = 0


def texts() -> dict[str, dict[str, Any]]:
    return {name: tomllib.loads((FACTS / f"{name}_text.toml").read_text(encoding="utf-8")) for name in PARTS}


def rows(text: dict[str, Any]) -> list[Row]:
    """Every entry of a text: in the order of its kinds, and of the text within each."""
    return [row for kind in KINDS for entry in text.get(kind, ()) for row in _rows(kind, entry)]


def _rows(kind: str, entry: dict[str, Any]) -> Iterator[Row]:
    if kind == "table" and "title" not in entry:
        kind = "number"
    printed = entry.get("printed", [])
    cells = [cell for row in printed for cell in row] if kind in ("table", "number") and printed else printed
    count = 1 if isinstance(printed, str) else len(cells)
    yield Row(
        entry["id"],
        kind,
        entry["place"],
        _title(kind, entry, count),
        entry.get("due", "show"),
        entry.get("command") or _command(kind, entry),
        entry.get("test") or {"number": NUMBERS_TEST, "setting": SETTINGS_TEST}.get(kind, ""),
        count if kind in ("table", "number", "setting", "mention") else 0,
    )


def _title(kind: str, entry: dict[str, Any], count: int) -> str:
    title = str(entry.get("title", ""))
    if entry.get("number"):
        return f"{entry['number']} {title}"
    if kind == "table":
        return f"{title}: {count} numbers, `{entry['address']}`"
    if kind == "setting":
        of = {"parameter": entry.get("name"), "index": "row"}.get(entry["of"], entry["of"])
        return f"{', '.join(entry['printed'])}: {of} of `{entry['address']}` ({entry['place'].split(': ')[0]})"
    if kind == "number":
        what = entry["place"].split(", ", 1)[-1]
        numbers = "" if count == 1 else f" ({count} numbers)"
        return f"{what}{numbers}: `{entry['address']}`"
    if kind == "mention":
        return f"{', '.join(entry['printed'])}: {entry.get('note', '')}"
    return title


def _command(kind: str, entry: dict[str, Any]) -> str:
    """Of a number: worked out where it is one, in its array where they are several."""
    if kind not in ("number", "setting"):
        return ""
    command = f"workings show {entry['example']}"
    if "sentence" in entry:
        command += f' "{entry["sentence"]}"'
    return f'{command} --at "{entry["address"]}"' if isinstance(entry["printed"], str) else command


def part_of(name: str, row: Row) -> str:
    return next(title for title, beginning in PARTS[name] if re.match(beginning, row.place))


def page() -> str:
    out = HEAD.splitlines()
    for name, text in texts().items():
        every = rows(text)
        out += ["", f"## The {name} text", "", text["source"].replace("*", r"\*") + ".", "", *_summary(every)]
        for title, _ in PARTS[name]:
            chosen = [row for row in every if part_of(name, row) == title]
            out += ["", f"### {title}", "", "| | what | command | test |", "|---|---|---|---|", *map(_line, chosen)]
    return "\n".join(out) + "\n"


def _summary(every: list[Row]) -> list[str]:
    out = ["| | all | shown | to come |", "|---|---:|---:|---:|"]
    for kind, plural in PLURALS.items():
        alike = [row for row in every if row.kind == kind or (kind == "number" and row.kind == "table")]
        count = Counter[bool]()
        for row in alike:
            count[row.due == "show"] += row.count if kind in ("number", "setting", "mention") else 1
        if alike:
            out.append(f"| {plural} | {count.total()} | {count[True]} | {count[False]} |")
    return out


def _line(row: Row) -> str:
    command = f"`{row.command}`" if row.due == "show" else f"*{TO_COME[row.due]}*"
    return f"| {KINDS[row.kind]} | {_cell(row.title)} | {_cell(command)} | {_link(row.test)} |"


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("<", "&lt;")


def _link(test: str) -> str:
    if not test:
        return ""
    file, *names = test.split("::")
    return f"[{'.'.join(names)}](../{file})"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if arguments:
        if written != page():
            print("docs/coverage.md is out of date; write it with: python docs/coverage.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
