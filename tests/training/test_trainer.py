"""Steps: their gradients against PyTorch's own, however they are cut up; states that go on exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tests.training.support import decoder, encoder_decoder, pairs, trainer, weights, windows
from torch import nn
from torch.nn import functional

from workings.text.batches import IGNORED, Batch
from workings.training.errors import TrainingError
from workings.training.objective import Objective
from workings.training.schedules import Constant
from workings.training.trainer import Listed, NotFinite, Settings, Trainer


def gradients(objective: Objective, batches: list[Batch], **changes: Any) -> tuple[float, list[torch.Tensor]]:
    """The loss of one step, and the gradients as they stand after it."""
    settings = Settings(schedule=Constant(peak=0.0), clipping=None, accumulation=len(batches), **changes)
    trainer = Trainer(objective, Listed(batches), settings)
    report, _ = trainer.step()
    return report.loss, [p.grad.clone() for p in objective.model.parameters() if p.grad is not None]


def test_a_step_has_the_gradient_of_the_mean_over_real_targets() -> None:
    """Against the plain logits and PyTorch's cross-entropy, in float64, for a batch with padding."""
    batch = max(pairs(tokens=60), key=lambda batch: batch.rows)
    assert (batch.lengths < batch.inputs.shape[1]).any()
    loss, found = gradients(Objective(encoder_decoder().double(), 0.1), [batch])

    model = encoder_decoder().double()
    assert batch.source is not None
    assert batch.targets is not None
    logits = model(batch.source, batch.inputs, batch.source_lengths, batch.lengths)
    expected = functional.cross_entropy(
        logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED, label_smoothing=0.1
    )
    expected.backward()
    assert loss == pytest.approx(expected.item(), rel=1e-12)
    for own, parameter in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(own, parameter.grad, rtol=1e-10, atol=1e-12)


def test_accumulation_changes_nothing_but_rounding() -> None:
    """One batch whole, and its rows in micro-batches of unequal numbers of real targets."""
    whole = max(pairs(tokens=60), key=lambda batch: batch.rows)
    parts = [_rows(whole, slice(0, 1)), _rows(whole, slice(1, 4)), _rows(whole, slice(4, None))]
    assert len({part.tokens for part in parts}) == 3
    one, first = gradients(Objective(encoder_decoder().double(), 0.1), [whole])
    many, second = gradients(Objective(encoder_decoder().double(), 0.1), parts)
    assert many == pytest.approx(one, rel=1e-13)
    for a, b in zip(first, second, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-15)


def _rows(batch: Batch, rows: slice) -> Batch:
    assert batch.targets is not None
    assert batch.source is not None
    assert batch.source_lengths is not None
    tokens = int((batch.targets[rows] != IGNORED).sum())
    return Batch(
        inputs=batch.inputs[rows],
        lengths=batch.lengths[rows],
        targets=batch.targets[rows],
        source=batch.source[rows],
        source_lengths=batch.source_lengths[rows],
        tokens=tokens,
        all_tokens=tokens,
    )


def test_a_step_is_that_of_pytorchs_own_loop() -> None:
    """Five steps beside five of the usual lines: the same weights."""
    ours = Trainer(
        Objective(decoder()), windows(), Settings(schedule=Constant(peak=0.01), clipping=0.5, decay=0.0, epsilon=1e-8)
    )
    model, batches = decoder(), windows().forever()
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.0)
    for _ in range(5):
        report, _ = ours.step()
        batch = next(batches)
        assert batch.targets is not None
        loss = functional.cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten())
        optimiser.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimiser.step()
        assert report.loss == pytest.approx(loss.item(), rel=1e-5)
        assert report.norm == pytest.approx(norm.item(), rel=1e-4)
    for own, other in zip(ours.objective.model.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(own, other, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 3, 8])
def test_a_state_goes_on_bit_for_bit(steps: int) -> None:
    """With dropout, an average, accumulation, from the middle of an epoch; through the saved form of everything."""
    straight = trainer(accumulation=2)
    for _ in range(steps + 5):
        straight.step()
    first = trainer(accumulation=2)
    for _ in range(steps):
        first.step()
    tensors, about = first.state()
    second = trainer(accumulation=2)
    second.restore(tensors, about)
    for _ in range(5):
        second.step()
    for name, expected in weights(straight).items():
        assert np.array_equal(weights(second)[name], expected), name
    assert straight.average is not None
    assert second.average is not None
    for name, tensor in straight.average.weights.items():
        assert torch.equal(second.average.weights[name], tensor)


def test_another_models_state_is_refused() -> None:
    tensors, about = trainer().state()
    other = Trainer(Objective(decoder(width=16)), windows(), Settings(schedule=Constant(peak=0.1)))
    with pytest.raises(TrainingError, match=r"embedding\.weight is of shape \(\d+, 8\); expected shape \(\d+, 16\)"):
        other.restore(tensors, about)


def test_dropout_depends_on_seed_and_step_alone() -> None:
    """What else draws random numbers between the steps does not matter."""
    undisturbed, disturbed = trainer(), trainer()
    for _ in range(3):
        undisturbed.step()
        disturbed.step()
        torch.rand(7)
    for name, expected in weights(undisturbed).items():
        assert np.array_equal(weights(disturbed)[name], expected)


def test_what_is_not_finite_is_named_and_changes_nothing() -> None:
    given = trainer()
    given.step()
    block = given.objective.model.get_submodule("stack.blocks.1.feed_forward.widen")
    hook = block.register_forward_hook(lambda module, inputs, output: output / 0.0)
    before = weights(given)
    with pytest.raises(NotFinite, match=r"at step 2 the loss is nan.*model\.stack\.blocks\.1\.feed_forward\.widen"):
        given.step()
    hook.remove()
    for name, expected in before.items():
        assert np.array_equal(weights(given)[name], expected)
    assert given.done == 1


def test_a_weight_that_is_not_finite_is_named() -> None:
    given = trainer()
    bias = given.objective.model.get_parameter("stack.blocks.0.attention.projections.bias")
    bias.data[3] = torch.inf
    with pytest.raises(NotFinite, match=r"blocks\.0\.attention\.projections \(Linear\), whose bias itself is not"):
        given.step()
    with pytest.raises(NotFinite, match="after step 0 the weights are not finite"):
        given.state()


def test_a_gradient_that_is_not_finite_is_named() -> None:
    """The square root's slope at 0 is infinite, though its value is not."""
    given = trainer(dropout=0.0)
    norm = given.objective.model.get_submodule("stack.blocks.1.attention_norm")
    norm.register_forward_hook(lambda module, inputs, output: output + (output * 0).sqrt())
    with pytest.raises(NotFinite, match=r"the gradient of model\.stack\.blocks\.1\.attention_norm\.bias is not finite"):
        given.step()


def test_bfloat16_computes_under_autocast() -> None:
    """The weights stay float32, and the loss is near that of float32."""
    low, full = trainer(dropout=0.0, precision="bfloat16"), trainer(dropout=0.0)
    for _ in range(3):
        found, expected = low.step()[0], full.step()[0]
    assert found.loss == pytest.approx(expected.loss, rel=0.02)
    assert found.loss != expected.loss
    assert all(p.dtype == torch.float32 for p in low.objective.model.parameters())


def test_validation_is_the_mean_over_all_targets_without_smoothing_or_dropout() -> None:
    """Of the averaged weights where there is an average."""
    given = trainer(dropout=0.5)
    given.step()
    found = given.validate(windows(seed=None), None)
    assert found is not None
    assert given.average is not None
    loss, tokens = 0.0, 0
    model = decoder().double()
    model.load_state_dict({name: tensor.double() for name, tensor in given.average.weights.items()})
    for batch in windows(rows=5, seed=None):
        assert batch.targets is not None
        logits = model(batch.inputs).flatten(0, 1)
        loss += functional.cross_entropy(logits, batch.targets.flatten(), reduction="sum", ignore_index=IGNORED).item()
        tokens += int((batch.targets != IGNORED).sum())
    assert found.tokens == tokens
    assert found.loss == pytest.approx(loss / tokens, rel=1e-5)
    part = given.validate(windows(rows=2, seed=None), found.loss, most=3)
    assert part is not None
    first = [batch.targets for batch in list(windows(rows=2, seed=None))[:3] if batch.targets is not None]
    assert part.tokens == sum(int((targets != IGNORED).sum()) for targets in first)
    assert given.validate(windows(seed=None), None, lambda: True) is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the compiler's own
def test_a_compiled_model_takes_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Traced as for the compiler, and run as it is; what is not finite is found in it too."""
    trace = torch.compile
    monkeypatch.setattr(torch, "compile", lambda function, **options: trace(function, backend="eager", **options))
    plain, compiled = trainer(dropout=0.0), trainer(dropout=0.0, compile=True)
    for _ in range(3):
        expected, found = plain.step()[0], compiled.step()[0]
        assert found.loss == pytest.approx(expected.loss, rel=1e-6)
    compiled.objective.model.get_parameter("stack.blocks.1.feed_forward.widen.bias").data[0] = torch.nan
    with pytest.raises(NotFinite, match=r"model\.stack\.blocks\.1\.feed_forward\.widen \(Linear\), whose bias itself"):
        compiled.step()
