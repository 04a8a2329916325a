"""The command line: one verb a line, each handed on to what does it."""

from __future__ import annotations

from typing import Annotated

import typer

from workings.commands.problems import answered

# Plain help: reading the command line must not cost the loading of a layout engine.
_PLAIN = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
app = typer.Typer(name="workings", help="Shows the working of code: every number traced to those it was made from.",
                  no_args_is_help=True, **_PLAIN)  # type: ignore[arg-type]  # fmt: skip
new = typer.Typer(help="Write a commented file to start from.", no_args_is_help=True, **_PLAIN)  # type: ignore[arg-type]
app.add_typer(new, name="new")


def _print_version(asked: bool) -> None:
    if asked:
        from workings import __version__

        typer.echo(f"workings {__version__}")
        raise typer.Exit


@app.callback()
def workings(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Shows the working of code: every number traced to those it was made from."""


@app.command()
def show(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="An example's name, an example file (.toml) or a script (.py).")
    ],
    sentence: Annotated[
        list[str] | None, typer.Argument(metavar="SENTENCE", help="Another sentence of the example's words.")
    ] = None,
    at: Annotated[list[str] | None, typer.Option("--at", metavar="ADDRESS", help="Work this number out.")] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="CHANGE", help="What if: 'address = numbers' or 'address = address'."),
    ] = None,
    format: Annotated[str | None, typer.Option("--format", "-f", help="txt, md, tex or json.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
    depth: Annotated[
        str | None, typer.Option("--depth", "-d", help="sentences, steps or numbers; with --at, how many lines back.")
    ] = None,
    decimals: Annotated[int | None, typer.Option("--decimals", help="How many decimals are shown.")] = None,
    width: Annotated[int | None, typer.Option("--width", help="How many columns a line may take.")] = None,
    colour: Annotated[bool, typer.Option("--color/--no-color", help="Whether tables are shaded.")] = True,
) -> None:
    """Show a computation worked out: an example, or a script of yours as it is."""
    with answered():
        from workings.commands.show import Request
        from workings.commands.show import show as run

        words = " ".join(sentence) if sentence is not None else None
        run(Request(what=what, sentence=words, at=at or (), changes=change or (), format=format, output=output,
                    depth=depth, decimals=decimals, width=width, colour=colour))  # fmt: skip


@app.command()
def explain(
    name: Annotated[
        list[str], typer.Argument(metavar="NAME", help="An equation, an operation, or a word of the glossary.")
    ],
) -> None:
    """Explain an equation or a word: sentence, formula, shapes, its code, and who uses it."""
    with answered():
        from workings.commands.output import write
        from workings.explain import explain as explanation

        write(explanation(" ".join(name)))


@app.command()
def examples() -> None:
    """List the examples that come with Workings."""
    with answered():
        from workings.commands.listing import example_list
        from workings.commands.output import write

        write(example_list())


@new.command("example")
def new_example(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write it, for instance my_example.toml.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write an example file with every key explained, which runs as it is."""
    with answered():
        from workings.commands.listing import write_template

        write_template(file, force)


@new.callback()
def _new() -> None:
    """Write a commented file to start from."""


def main() -> None:
    """What the command `workings` runs."""
    app(prog_name="workings")
