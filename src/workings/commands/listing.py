"""`workings examples` and `workings new`."""

from __future__ import annotations

from pathlib import Path

from workings.commands import output
from workings.commands.problems import UserError, say


def example_list() -> str:
    """The shipped examples, one a line, with what each is about; then the trained models that ship."""
    from workings import examples
    from workings.commands.runs import shipped_names

    names = examples.names()
    width = max(map(len, names))
    lines = [f"{name:<{width}}  {examples.load(name).title}" for name in names]
    models = shipped_names()
    if models:
        told = 'for `workings generate`, `translate`, or `workings show NAME "a sentence"`'
        lines += ["", f"Trained models, {told}: {', '.join(models)}"]
    return "\n".join(lines) + "\n"


def write_template(kind: str, file: str, force: bool) -> None:
    """Write the commented starting file: of an example or a training. Replaces one only if told to."""
    path = Path(file)
    if path.suffix.lower() != ".toml":
        what = "an example's file" if kind == "example" else "a run file"
        hint = f"write {path.stem}.toml" if path.stem else ""
        raise UserError(f"{file!r}: {what} ends in .toml", "a name like my_example.toml", hint)
    output.check_writable(file, "")
    if path.exists() and not force:
        raise UserError(f"{file}: there is already such a file", "a new name", "add --force to replace it")
    output.write(_template(kind), file, "")
    then = f"Show it with: workings show {file}" if kind == "example" else f"Train with: workings train {file}"
    say(f"Wrote {file}. {then}")


def _template(kind: str) -> str:
    if kind == "example":
        from workings import examples

        return examples.template()
    from workings.training.configuration import TASKS, template

    return template(next(task for task in TASKS if task == kind))
