"""The checks before the first step: each finds what it is there for, and nothing else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.training.test_running import MODEL, folder, settings
from torch import nn

from workings.training import configured
from workings.training.memory import available, estimate, kept_for_backward, said_bytes
from workings.training.objective import Objective
from workings.training.preflight import preflight
from workings.training.prepared import Prepared
from workings.training.tasks import prepare
from workings.transformer import Config, Dropout
from workings.transformer.models import build

__all__ = ["folder"]  # a fixture
CPU = torch.device("cpu")


def prepared(folder: Path, task: str, **changes: Any) -> Prepared:
    found = prepare(configured(settings(task) | changes), folder)
    assert isinstance(found, Prepared)
    return found


def findings(given: Prepared, objective: Objective | None = None) -> dict[str, tuple[bool, str]]:
    """What each check found."""
    found = preflight(given, objective or given.objective(), CPU)
    return {finding.check: (finding.fine, finding.said) for finding in found}


def test_a_good_start(folder: Path) -> None:
    """The loss of a model that knows nothing is ln of the vocabulary."""
    given = prepared(folder, "translate")
    found = findings(given)
    assert all(fine for fine, _ in found.values()), found
    assert list(found) == [
        "training data", "validation data", "initial loss", "later tokens", "padding", "one batch learned by heart",
        "memory",
    ]  # fmt: skip
    count = given.config.vocabulary
    loss, rest = found["initial loss"][1].split("; ")
    assert rest == f"ln {count} = {math.log(count):.3f} is the loss of knowing nothing"
    assert float(loss) == pytest.approx(math.log(count), rel=0.05)


def test_the_model_and_what_is_drawn_are_left_alone(folder: Path) -> None:
    given = prepared(folder, "classify")
    objective = given.objective()
    before = {name: tensor.clone() for name, tensor in objective.state_dict().items()}
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    findings(given, objective)
    assert torch.equal(torch.rand(3), expected)
    assert all(torch.equal(tensor, before[name]) for name, tensor in objective.state_dict().items())
    assert objective.training


def test_weights_that_start_too_large(folder: Path) -> None:
    given = prepared(folder, "lm")
    objective = given.objective()
    for parameter in objective.parameters():
        parameter.data *= 30
    fine, said = findings(given, objective)["initial loss"]
    assert not fine
    assert said.endswith("the weights start too large, or targets are wrong")


def test_scaled_tied_embeddings_repeat_what_they_read(folder: Path) -> None:
    """As in the 2017 paper: a high loss with a known reason."""
    model = {**MODEL, "width": 192, "decoder_layers": 1, "scaled_embeddings": True, "start": "xavier"}
    fine, said = findings(prepared(folder, "lm", model=model))["initial loss"]
    assert fine
    assert "start by repeating each token" in said


@pytest.mark.parametrize("task", ["lm", "translate"])
def test_outputs_that_see_later_tokens(folder: Path, task: str) -> None:
    """A decoder without its mask, once because the config says so, once because the model has a mistake."""
    model = {**settings(task)["model"], "causal": False}
    fine, said = findings(prepared(folder, task, model=model))["later tokens"]
    assert not fine
    assert "causal = false" in said
    given = prepared(folder, task)
    objective = given.objective()
    stack = objective.model.get_submodule("stack" if task == "lm" else "decoder")
    stack.register_forward_hook(lambda module, inputs, output: output + output.mean(dim=1, keepdim=True))
    found = findings(given, objective)
    assert found["later tokens"][0] is False
    assert "the model is wrong" in found["later tokens"][1]
    assert found["padding"][0] is False


def test_a_model_that_cannot_learn(folder: Path) -> None:
    """Nothing reaches the logits but the embeddings, and they are not learned."""
    given = prepared(folder, "classify")
    objective = given.objective()
    objective.model.register_forward_hook(lambda module, inputs, output: output * 0)
    fine, said = findings(given, objective)["one batch learned by heart"]
    assert not fine
    assert said.endswith("the model or its targets are wrong")


def test_labels_and_what_was_cut_are_counted(folder: Path) -> None:
    """Of 36 texts a third is red; each has seven tokens with its ends, of which six fit."""
    found = findings(prepared(folder, "classify", model={**settings("classify")["model"], "context": 7}))
    fine, said = found["labels"]
    assert fine
    counts = {name: int(count) for name, count in (part.rsplit(" ", 1) for part in said.split(";")[0].split(", "))}
    assert sum(counts.values()) == 29
    assert said.endswith(f"always saying the most frequent is right in {max(counts.values()) / 29:.1%}")
    assert found["left out"] == (False, "36 texts are cut to the context of 7 tokens")


def test_one_label_nearly_everywhere(folder: Path) -> None:
    rows = [f"{line}\t{'a' if number else 'b'}" for number, line in enumerate(["one red two"] * 2 + ["one blue"] * 30)]
    (folder / "skewed.tsv").write_text("\n".join(["c\tb", *rows]))
    fine, said = findings(prepared(folder, "classify", data={"texts": "skewed.tsv"}))["labels"]
    assert not fine
    assert "always saying the most frequent is right in 9" in said


def test_pairs_that_are_too_long_are_said(folder: Path) -> None:
    (folder / "long.tsv").write_text("one two\ttwo one\n" * 100 + f"{'one ' * 40}\ttwo\n" * 3 + "one\t \n")
    data = {"source": "long.tsv"}
    given = prepared(folder, "translate apart", data=data)
    assert given.notes == (
        "3 pairs are left out: a side is longer than the context of 24 tokens",
        "1 pair is left out: a side is blank",
    )


def test_memory_by_hand() -> None:
    """Of one linear layer and a ReLU, the backward pass reads the input and the output."""

    class Linear(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 32)

        def forward(self, batch: torch.Tensor) -> tuple[torch.Tensor, int]:
            return self.layer(batch).relu().sum(), 0

    kept = kept_for_backward(Linear(), torch.zeros(100, 8))  # type: ignore[arg-type]
    assert kept == 4 * (100 * 8 + 100 * 32)


def test_memory_grows_with_the_batch_and_the_average(folder: Path) -> None:
    small, large = (prepared(folder, "lm", batches={"rows": rows}) for rows in (4, 8))
    averaging = prepared(folder, "lm", batches={"rows": 4}, training={**settings("lm")["training"], "average": 0.9})
    one, two, three = (estimate(given, given.objective()) for given in (small, large, averaging))
    weights = 4 * small.objective().model.parameter_count()
    assert three - one == weights
    assert two > one
    assert one > 300 * 2**20 + 4 * weights


def test_what_is_free_is_known() -> None:
    free = available(CPU)
    assert free is None or free > 2**20
    assert [said_bytes(count) for count in (3 * 2**20, 1.5 * 2**30)] == ["3 MiB", "1.5 GiB"]


def test_dropout_counts_in_memory() -> None:
    """In training, the masks are kept."""

    def kept(rate: float) -> int:
        config = Config(vocabulary=20, dropout=Dropout(rate), decoder_layers=2, **{**MODEL, "context": 24})
        tokens = torch.zeros(4, 24, dtype=torch.int64)
        from workings.text.batches import Batch

        batch = Batch(inputs=tokens, targets=tokens, lengths=torch.full((4,), 24), tokens=96, all_tokens=96)
        return kept_for_backward(Objective(build(config)), batch)

    assert kept(0.5) > kept(0.0)
