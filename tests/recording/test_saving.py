"""Working files: what is saved comes back, without torch and without pickle; what is not understood is refused."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import workings as wk
from workings.recording.saving import SavedFileError, load, save
from workings.views.data import render

PROGRAMS = Path(__file__).parents[1] / "programs"
NUMPY = ["numpy_einsum_attention", "numpy_out_argument", "numpy_types", "numpy_boolean_indexing", "numpy_axes",
         "numpy_vectorize_opaque", "numpy_overlapping_views", "python_attention_lists", "python_closures"]  # fmt: skip
TORCH = ["torch_causal_attention", "torch_sdpa", "torch_backward", "torch_encoder_layer"]


def recorded(name: str) -> wk.Working:
    """One of the programs of the recorder's tests, run on its first input."""
    spec = importlib.util.spec_from_file_location(f"saved_{name}", PROGRAMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return wk.show(module.program, **module.FIRST)


def again(working: wk.Working, folder: Path) -> wk.Working:
    save(working, folder / "saved.workings")
    return load(folder / "saved.workings")


def same(first: object, second: object) -> bool:
    first, second = np.asarray(first), np.asarray(second)
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


def edited(folder: Path, change: object) -> Path:
    """A saved Working with its JSON changed."""
    save(wk.example("journey").run(), folder / "whole.workings")
    path = folder / "edited.workings"
    with zipfile.ZipFile(folder / "whole.workings") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "working.json":
                document = json.loads(content)
                change(document)  # type: ignore[operator]
                content = json.dumps(document).encode()
            new.writestr(name, content)
    return path


@pytest.mark.parametrize("name", ["apple", "journey", "encoder-block", "decoder-block", "next-token", "loss"])
def test_examples(name, tmp_path):
    working = wk.example(name).run()
    loaded = again(working, tmp_path)
    assert len(loaded) == len(working)
    assert str(loaded) == str(working)  # the whole text view: names, formulas, labels, numbers, arithmetic
    for step in working:
        assert loaded.path(step.number) == working.path(step.number)
        assert loaded.labels(step.number) == working.labels(step.number)
        assert same(loaded.value(step.number), working.value(step.number))


@pytest.mark.parametrize("name", NUMPY)
def test_programs(name, tmp_path):
    working = recorded(name)
    loaded = again(working, tmp_path)
    assert [(s.operation, s.inputs, s.shape, s.dtype, s.site) for s in loaded] == [
        (s.operation, s.inputs, s.shape, s.dtype, s.site) for s in working
    ]
    for step in working:
        assert same(loaded.value(step.number), working.value(step.number))
    assert loaded.lost == working.lost
    assert loaded.printed == working.printed
    assert len(loaded.guards) == len(working.guards)


@pytest.mark.parametrize(
    "name",
    ["numpy_broadcasting", "numpy_gradient_step", "numpy_memory_tricks", "numpy_stacking", "numpy_where_clip",
     "torch_additive_attention", "torch_encoder_padding", "torch_multi_head_view", "torch_transformer"],
)  # fmt: skip
def test_what_a_file_holds_is_shown_as_what_was_saved(name, tmp_path):
    if name.startswith("torch"):
        pytest.importorskip("torch")
    working = recorded(name)
    loaded = again(working, tmp_path)
    assert [step.output for step in loaded] == [step.output for step in working]  # the first of several is number 0
    assert str(loaded) == str(working)
    assert json.loads(render(loaded)) == json.loads(render(working))


@pytest.mark.parametrize("name", TORCH)
def test_torch_programs_as_tensors(name, tmp_path):
    torch = pytest.importorskip("torch")
    working = recorded(name)
    loaded = again(working, tmp_path)
    for step in working:
        before, after = working.value(step.number), loaded.value(step.number)
        if isinstance(before, torch.Tensor):
            assert torch.equal(torch.nan_to_num(before), torch.nan_to_num(after))
            assert before.dtype == after.dtype


WITHOUT_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoTorch())
import workings as wk
print(wk.load("saved.workings"))
"""


@pytest.mark.parametrize(
    "name",
    [*TORCH, "torch_gpt_block", "torch_multi_head_view", "torch_cutting_and_joining", "torch_encoder_padding"],
)
def test_torch_programs_are_shown_without_torch_as_with_it(name, tmp_path):
    pytest.importorskip("torch")
    working = recorded(name)
    working.save(tmp_path / "saved.workings")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == str(working) + "\n"


def test_every_part_of_a_working_is_saved(tmp_path):
    names = {field.name for field in dataclasses.fields(wk.Working)} - {"evaluator"}
    save(wk.example("journey").run(), tmp_path / "saved.workings")
    with zipfile.ZipFile(tmp_path / "saved.workings") as archive:
        assert names | {"sites", "workings"} == set(json.loads(archive.read("working.json")))


def test_replay_after_loading(tmp_path):
    working = wk.example("apple").run()
    loaded = again(working, tmp_path)
    change = {"X[Apple]": [0.1, 1.0]}
    address = "projected.weights"
    assert same(loaded.replay(change).value(address), working.replay(change).value(address))


def test_what_was_changed_is_marked_after_loading(tmp_path):
    after = wk.example("apple").run().replay({"X[Apple]": [0.1, 1.0]}).after()
    loaded = again(after, tmp_path)
    for address in ("X[Apple, 0]", "X[shares, 0]"):
        assert str(loaded.at(address)) == str(after.at(address))
    assert str(loaded.at("X[Apple, 0]")).endswith("(changed)")


def test_nothing_is_pickled(tmp_path):
    save(recorded("numpy_vectorize_opaque"), tmp_path / "saved.workings")
    with zipfile.ZipFile(tmp_path / "saved.workings") as archive:
        for name in archive.namelist():
            assert name == "working.json" or (name.startswith("arrays/") and name.endswith(".npy"))
            assert archive.read(name)[:2] != b"\x80\x04"


def test_a_pickle_inside_is_refused(tmp_path):
    class Boom:
        def __reduce__(self):
            return (print, ("boom",))

    path = tmp_path / "saved.workings"
    save(wk.example("journey").run(), path)
    with zipfile.ZipFile(path) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    name = next(n for n in contents if n.endswith(".npy"))
    np.save(tmp_path / "boom.npy", np.array([Boom()], dtype=object), allow_pickle=True)
    contents[name] = (tmp_path / "boom.npy").read_bytes()
    with zipfile.ZipFile(path, "w") as new:
        for inner, content in contents.items():
            new.writestr(inner, content)
    with pytest.raises(SavedFileError):
        load(path)
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(SavedFileError, match="not a saved Working"):
        load(path)


@pytest.mark.parametrize("function", ["numpy.load", "numpy.save", "numpy.fromfile", "os.system", "operator.attrgetter"])
def test_a_file_cannot_have_other_functions_run(tmp_path, function):
    def change(document):
        step = next(s for s in document["steps"] if s["function"])
        step["function"] = function
        step.pop("value", None)
        change.number = document["steps"].index(step)

    loaded = load(edited(tmp_path, change))
    assert loaded.steps[change.number].function == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(workings=2), "found version 2 of the format; expected 1"),
        (lambda d: d.pop("workings"), "found version None"),
        (lambda d: d.update(extra=1), "unknown keys"),
        (lambda d: d.pop("guards"), "guards"),
        (lambda d: d.update(result={"lambda": "x"}), "the kind 'lambda'"),
        (lambda d: d.update(result={"type": "object"}), "'object'"),
        (lambda d: d.update(result={"read": "x"}), "the kind 'read'"),
        (lambda d: d["steps"][0].update(value={"array": "arrays/999.npy"}), "999"),
        (lambda d: d["steps"][0].update(inputs=[[5]]), "does not come before it"),
        (lambda d: d["bindings"].append([0, "x", [10**6], 0, None]), "there is no step"),
        (lambda d: d["steps"][0].pop("shape"), "shape"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path, change, said):
    path = edited(tmp_path, change)
    with pytest.raises(SavedFileError, match=said) as refused:
        load(path)
    assert str(path) in str(refused.value)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(SavedFileError, match="no such file"):
        load(tmp_path / "missing.workings")
    with pytest.raises(SavedFileError, match="folder"):
        load(tmp_path)
    (tmp_path / "text.workings").write_text("hello", encoding="utf-8")
    with pytest.raises(SavedFileError, match="not a saved Working"):
        load(tmp_path / "text.workings")
    save(wk.example("journey").run(), tmp_path / "cut.workings")
    content = (tmp_path / "cut.workings").read_bytes()
    (tmp_path / "cut.workings").write_bytes(content[: len(content) // 2])
    with pytest.raises(SavedFileError):
        load(tmp_path / "cut.workings")


def test_nothing_half_written(tmp_path, monkeypatch):
    path = tmp_path / "saved.workings"
    path.write_bytes(b"before")
    monkeypatch.setattr("workings.recording.saving.os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        save(wk.example("journey").run(), path)
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["saved.workings"]
    shutil.rmtree(tmp_path)
