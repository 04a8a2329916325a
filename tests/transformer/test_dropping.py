"""Dropout: what is kept, how much of it, and what it does to gradients."""

import math

import pytest
import torch

import workings as wk
from workings.transformer.dropping import Dropout

SHARES = [0.1, 0.25, 0.5, 0.9]


@pytest.mark.parametrize("share", SHARES)
def test_the_share_that_is_dropped(share: float) -> None:
    """Counted: within five standard deviations of a binomial draw."""
    torch.manual_seed(1)
    n = 400_003  # not a multiple of the elements of one draw
    zeros = int((Dropout(share)(torch.ones(n)) == 0).sum())
    assert abs(zeros - share * n) < 5 * math.sqrt(n * share * (1 - share))


@pytest.mark.parametrize("share", SHARES)
def test_what_is_kept_is_divided_by_the_share_that_is_kept(share: float) -> None:
    torch.manual_seed(1)
    x = torch.randn(7, 5, 9, dtype=torch.float64)
    y = Dropout(share)(x)
    kept = y != 0
    assert kept.any()
    assert not kept.all()
    # The rate is the nearest multiple of 2^-16.
    torch.testing.assert_close(y[kept], x[kept] / (1 - share), rtol=2**-17 / (1 - share), atol=0)


def test_gradients_pass_where_numbers_did() -> None:
    torch.manual_seed(1)
    x = torch.randn(40, 30, dtype=torch.float64, requires_grad=True)
    y = Dropout(0.5)(x)
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.where(y == 0, 0.0, 2.0).double(), rtol=0, atol=0)


def test_draws_of_neighbours_are_independent() -> None:
    """The four elements of one draw, and one draw after another: their correlation is that of independent draws."""
    torch.manual_seed(1)
    kept = (Dropout(0.5)(torch.ones(100_000, 4, dtype=torch.float64)) > 0).double()
    row = torch.cat([kept[:-1], kept[1:]], dim=1)
    correlation = torch.corrcoef(row.T) - torch.eye(8, dtype=torch.float64)
    assert correlation.abs().max() < 5 / math.sqrt(len(row))


def test_the_seed_gives_the_draws() -> None:
    x = torch.ones(1000)
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(Dropout(0.3)(x))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


@pytest.mark.parametrize("share", [0.0, 1e-9, 1.0])
def test_nothing_or_everything(share: float) -> None:
    x = torch.randn(3, 4)
    assert torch.equal(Dropout(share)(x), torch.zeros(3, 4) if share == 1.0 else x)


def test_outside_training_nothing_is_dropped() -> None:
    x = torch.randn(3, 4)
    assert Dropout(0.5).eval()(x) is x


def test_a_number_alone_and_none_at_all() -> None:
    torch.manual_seed(1)
    assert Dropout(0.5)(torch.tensor(3.0)).item() in (0.0, 6.0)
    assert Dropout(0.5)(torch.ones(0, 3)).shape == (0, 3)


def test_half_precision_stays() -> None:
    torch.manual_seed(1)
    y = Dropout(0.5)(torch.ones(64, dtype=torch.bfloat16))
    assert y.dtype == torch.bfloat16
    assert set(y.tolist()) == {0.0, 2.0}


def test_a_recording_shows_one_draw_and_one_product() -> None:
    dropout, x = Dropout(0.5), torch.tensor([[1.0, 2.0, 3.0, 4.0]], dtype=torch.float64)
    torch.manual_seed(3)
    with wk.record(dropout) as working:
        y = dropout(x)
    drawn = [step for step in working.steps if step.note == "drawn at random"]
    assert len(drawn) == 1
    assert set(drawn[0].value.flatten().tolist()) == {0.0, 2.0}
    assert working.steps[-1].operation == "multiply"
    assert torch.equal(working.steps[-1].value, x * drawn[0].value)
    assert torch.equal(working.steps[-1].value, y)


def test_compiled_it_drops_too() -> None:
    torch.manual_seed(1)
    x = torch.randn(30, 20, requires_grad=True)
    y = torch.compile(Dropout(0.5), dynamic=True, backend="aot_eager")(x)
    y.sum().backward()
    assert torch.equal(x.grad, torch.where(y == 0, 0.0, 2.0))
    assert 200 < int((y == 0).sum()) < 400
