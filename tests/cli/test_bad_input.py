"""What a user can get wrong: one clear message, exit code 2, no traceback of ours, nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workings.commands import output

# -- what is named ----------------------------------------------------------------------------------------------------


def write(folder: Path, name: str, text: str | bytes) -> str:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return name


def test_unknown_example(refused):
    message = refused("show", "aple")
    assert "no example named 'aple'" in message
    assert "did you mean apple?" in message


def test_a_name_that_is_empty(refused):
    assert "there is no example named ''; expected one of apple, journey" in refused("show", "")
    message = refused("new", "example", "")
    assert "a name like my_example.toml" in message
    assert not message.rstrip().endswith("write .toml")


def test_unknown_example_as_a_process(process):
    answer = process("show", "aple")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1


def test_missing_file(refused, tmp_path):
    write(tmp_path, "attention.py", "x = 1.0\n")
    assert "did you mean attention.py?" in refused("show", "atention.py")
    assert "no such file" in refused("show", "nowhere/mine.toml")


def test_a_name_without_its_ending(refused, tmp_path):
    write(tmp_path, "mine.py", "x = 1.0\n")
    assert "did you mean the file mine.py?" in refused("show", "mine")


def test_folder(refused, tmp_path):
    (tmp_path / "folder.py").mkdir()
    assert "this is a folder" in refused("show", "folder.py")
    assert "this is a folder" in refused("show", str(tmp_path))


def test_unknown_kind_of_file(refused, tmp_path):
    message = refused("show", write(tmp_path, "notes.txt", "hello"))
    assert "does not say what it is" in message
    assert ".toml" in message


@pytest.mark.parametrize("name", ["big.py", "big.toml"])
def test_large_file(refused, tmp_path, name):
    message = refused("show", write(tmp_path, name, b"#" * 10_000_000))
    assert "10.0 MB" in message
    assert "at most 1 MB" in message


@pytest.mark.parametrize("name", ["binary.py", "binary.toml"])
def test_binary_file(refused, tmp_path, name):
    assert "binary file" in refused("show", write(tmp_path, name, b"\x7fELF\0\0\1"))


@pytest.mark.parametrize("name", ["latin.py", "latin.toml"])
def test_not_utf8(refused, tmp_path, name):
    message = refused("show", write(tmp_path, name, b"# fine\nx = 1.0  # caf\xe9\n"))
    assert f"{name}, line 2: byte 0xe9 is not UTF-8" in message


def test_a_file_that_may_not_be_read(refused, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    name = write(tmp_path, "mine.py", "x = 1.0\n")
    (tmp_path / name).chmod(0)
    assert "cannot be read" in refused("show", name)


def test_a_sentence_for_a_script(refused, tmp_path):
    message = refused("show", write(tmp_path, "mine.py", "x = 1.0 * 2.0\n"), "shares fell")
    assert "a sentence only with an example" in message


def test_damaged_saved_working(refused, tmp_path):
    assert "not a saved Working" in refused("show", write(tmp_path, "mine.workings", b"PK\3\4nothing"))
    assert "no such file" in refused("show", "missing.workings")


# -- words and tokens -------------------------------------------------------------------------------------------------


def test_word_that_is_not_in_the_table(refused):
    message = refused("show", "apple", "Apple share fell")
    assert "'share'" in message
    assert "did you mean 'shares'" in message


def test_control_characters_do_not_reach_the_screen(refused):
    message = refused("show", "apple", "\x1b[31mApple\x07")
    assert "\x1b" not in message
    assert "\x07" not in message
    assert r"\x1b" in message


def test_bytes_that_are_no_text(process):
    answer = process("show", "apple", os.fsdecode(b"caf\xe9"))
    assert answer.code == 2
    assert "Traceback" not in answer.err


def test_control_characters_and_markup_in_tokens(workings, tmp_path):
    nasty = r"\u001b[31m[bold]<b>_&%$"
    source = f"""title = "{nasty}"
sentence = "{nasty} fell"
[embeddings]
"{nasty}" = [1.0, 0.2]
fell = [0.3, 0.6]
[[section]]
name = "similar"
kind = "cosine"
"""
    for format in ("txt", "md", "tex"):
        answer = workings("show", write(tmp_path, "mine.toml", source), "--format", format)
        assert answer.code in (0, 2)  # shown made harmless, or refused
        assert "Traceback" not in answer.err
        assert "\x1b" not in answer.out + answer.err
        assert "<b>" not in answer.out or format == "txt"


# -- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("projected.weigths[0, 1]", "did you mean weights"),
        ("projected.weights[Aple, shares]", "did you mean Apple?"),
        ("projected.weights[Apple, 9]", "numbered 0 to 3; 9 was asked for"),
        ("weights[0, 1]", "could be any of"),
        ("X[0, 0, 0]", "3 positions were given"),
        ("X[0, 0", "never closed"),
        ("X[0,,1]", "missing between the brackets"),
        ("", "not an address"),
        ("..", "not an address"),
    ],
)
def test_addresses(refused, address, said):
    message = refused("show", "apple", "--at", address)
    assert message.startswith("workings: --at")
    assert said in message


# -- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "apple", "--format", "pdf"], "one of txt, md, tex, json, html, ipynb"),
        (["show", "apple", "--format", "markdown"], "did you mean --format md?"),
        (["show", "apple", "--depth", "step"], "did you mean --depth steps?"),
        (["show", "apple", "--depth", "3"], "a count of lines goes with --at"),
        (["show", "apple", "--decimals", "many"], "'many' is no count of decimals"),
        (["show", "apple", "--decimals", "99"], "from 0 to 17"),
        (["show", "apple", "--decimals", "-1"], "from 0 to 17"),
        (["show", "apple", "--width", "3"], "at least 20 columns"),
        (["show", "apple", "--formt", "md"], "did you mean --format?"),
        (["show"], "say what to show"),
        (["shw", "apple"], "did you mean show?"),
        (["explain"], "NAME"),
        (["new", "exmaple", "x.toml"], "did you mean example?"),
        (["new", "ml", "x.toml"], "did you mean lm?"),
        (["generate", "x", "--weights", "int9"], "did you mean int8?"),
    ],
)
def test_options(refused, arguments, said):
    assert said in refused(*arguments)


def test_help(workings):
    assert workings().code == 0
    assert "explain" in workings("--help").out
    assert "--at ADDRESS" in workings("show", "--help").out
    assert workings("--version").out.startswith("workings ")


# -- where it is written ----------------------------------------------------------------------------------------------


def test_output_that_cannot_be_written(refused, tmp_path):
    assert "there is no folder" in refused("show", "apple", "-o", "nowhere/apple.md")
    (tmp_path / "folder").mkdir()
    assert "this is a folder" in refused("show", "apple", "-o", "folder")
    if os.geteuid() != 0:
        (tmp_path / "folder").chmod(0o500)
        assert "cannot be written" in refused("show", "apple", "-o", "folder/apple.md")


def test_a_file_is_whole_or_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "result.txt"
    path.write_text("before", encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.os, "replace", fail)
    with pytest.raises(output.UserError, match="No space left on device"):
        output.write("after", str(path))
    assert path.read_text(encoding="utf-8") == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["result.txt"]


def test_a_replaced_file_keeps_its_permissions(workings, tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("before", encoding="utf-8")
    path.chmod(0o640)
    assert workings("show", "journey", "-o", "result.txt").code == 0
    assert path.stat().st_mode & 0o777 == 0o640
    assert "journey" in path.read_text(encoding="utf-8")


# -- scripts ----------------------------------------------------------------------------------------------------------

RAISES = """import numpy as np

X = np.array([[1.0, 0.2], [0.1, 1.0]])

def mix(A, B):
    return A @ B

S = X @ X.T  # how alike they are
Y = mix(S, np.ones((3, 2)))
"""


def test_a_script_that_raises(process, tmp_path):
    answer = process("show", write(tmp_path, "mine.py", RAISES))
    assert answer.code == 2
    assert "how alike they are" in answer.out  # what was recorded up to there
    assert "1.00×0.10 + 0.20×1.00 = 0.30" in answer.out
    lines = answer.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    files = [line for line in lines if line.startswith("  File")]
    assert [f"line {n}" in line and "mine.py" in line for n, line in zip((9, 6), files, strict=True)] == [True, True]
    assert "    Y = mix(S, np.ones((3, 2)))" in lines
    assert any(line.startswith("ValueError: ") for line in lines)
    assert lines[-1].startswith("workings: mine.py: the script raised ValueError")


def test_a_script_that_raises_leaves_no_file(workings, tmp_path):
    write(tmp_path, "mine.py", RAISES)
    answer = workings("show", "mine.py", "-o", "mine.md")
    assert (answer.code, answer.out) == (2, "")
    assert "nothing was written to mine.md" in answer.err
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["mine.py"]
    assert workings("show", "mine.py", "--format", "json").out == ""


def test_a_chain_of_errors(workings, tmp_path):
    source = 'try:\n    1.0 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError("no") from error\n'
    answer = workings("show", write(tmp_path, "mine.py", source))
    assert "The above exception was the direct cause" in answer.err
    assert "nothing was computed yet" in answer.err
    assert "src/workings" not in answer.err


@pytest.mark.parametrize("source", ["print('hello')\n", "", "import numpy as np\nX = np.array([1.0, 2.0])\n"])
def test_a_script_that_computes_nothing(refused, tmp_path, source):
    message = refused("show", write(tmp_path, "mine.py", source))
    assert "mine.py" in message
    assert "computed" in message


def test_a_script_that_reads_standard_input(workings, tmp_path):
    answer = workings("show", write(tmp_path, "mine.py", "x = 2.0\ny = x * 3.0\nz = float(input('n? '))\n"))
    assert answer.code == 2
    assert "2.00×3.00 = 6.00" in answer.out
    assert "reads standard input" in answer.err


def test_a_script_that_ends_itself(workings, tmp_path):
    fine = workings("show", write(tmp_path, "fine.py", "import sys\nx = 2.0\ny = x * 3.0\nsys.exit(0)\n"))
    assert (fine.code, fine.err) == (0, "")
    assert "6.00" in fine.out
    failed = workings("show", write(tmp_path, "failed.py", "import sys\nx = 2.0\ny = x * 3.0\nsys.exit(3)\n"))
    assert failed.code == 2
    assert "6.00" in failed.out
    assert "exits with 3" in failed.err
    assert "Traceback" not in failed.err


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [("x = 1\ny = (x +\nz = 2\n", 2, "y = (x +"), ("x = 1\nreturn x\n", 2, "return x"), ("if x:\ny = 1\n", 2, "y = 1")],
)
def test_syntax_errors(refused, tmp_path, source, line, text):
    message = refused("show", write(tmp_path, "mine.py", source)).splitlines()
    assert message[0].startswith(f"workings: mine.py, line {line}: ")
    assert message[1] == f"    {text}"
    assert message[2].strip() == "^"


def test_interrupting_a_script_that_never_ends(tmp_path):
    write(
        tmp_path,
        "never.py",
        "import sys\nx = 2.0\ny = x * 3.0  # three times\nsys.stderr.write('on\\n')\nwhile True:\n    y = y * 0.5\n",
    )
    # Tests that are run in the background of a shell ignore SIGINT, and what they start would too.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "workings", "show", "never.py"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    signal.signal(signal.SIGINT, heard)
    assert process.stderr is not None
    assert process.stderr.readline() == "on\n"  # the script is under way
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "three times" in out
    assert "2.00×3.00 = 6.00" in out
    assert "interrupted at line" in err
    assert "Traceback" not in err


# -- ours -------------------------------------------------------------------------------------------------------------


def test_a_mistake_of_ours_says_so(workings, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("a hole in the floor")

    monkeypatch.setattr("workings.commands.show.working_of", broken)
    answer = workings("show", "apple")
    assert answer.code == 1
    assert "RuntimeError: a hole in the floor" in answer.err
    assert "please report" in answer.err


def test_an_ending_that_names_no_format(refused, workings, tmp_path):
    write(tmp_path, "mine.py", "x = 1.5\ny = x * 2.5\n")
    message = refused("show", "mine.py", "-o", "mine.pdf")
    assert ".txt, .md, .tex, .json" in message
    assert not (tmp_path / "mine.pdf").exists()
    assert workings("show", "mine.py", "-o", "mine.pdf", "--format", "txt").code == 0
    assert workings("show", "mine.py", "-o", "mine").code == 0
