"""`workings examples` and `workings new example`."""

from __future__ import annotations

from pathlib import Path

from workings.commands import output
from workings.commands.problems import UserError, say


def example_list() -> str:
    """The shipped examples, one a line, with what each is about."""
    from workings import examples

    names = examples.names()
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}}  {examples.load(name).title}" for name in names) + "\n"


def write_template(file: str, force: bool) -> None:
    """Write the commented starting file. Refuses to replace one that is there, unless told to."""
    from workings import examples

    path = Path(file)
    if path.suffix.lower() != ".toml":
        raise UserError(
            f"{file}: an example's file ends in .toml", "a name like my_example.toml", f"write {path.stem}.toml"
        )
    output.check_writable(file)
    if path.exists() and not force:
        raise UserError(f"{file}: there is already such a file", "a new name", "add --force to replace it")
    output.write(examples.template(), file)
    say(f"Wrote {file}. Show it with: workings show {file}")
