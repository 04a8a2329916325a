"""Section 4: training turns a query towards the key whose value helps to predict. One head learns to look up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workings import equations as eq
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.outcome import Outcome, at_least, at_most

if TYPE_CHECKING:
    from torch import Tensor

_SEED = 4
_NAMES, _WIDTH, _SHOWN = 10, 12, 4
_TEXTS, _STEPS, _RATE = 64, 300, 0.02


class _Texts(NamedTuple):
    """Texts of four names, each with an answer of its own, and a question for one of them."""

    names: Tensor  # (texts, 4)
    asked: Tensor  # (texts,): which of the four
    answer: Tensor  # (texts,): the answer that the loss wants


def _lining_up(*, unrelated: bool = False) -> Outcome:
    import torch

    with torch.random.fork_rng(devices=[]):  # whoever asks keeps their own random numbers
        torch.manual_seed(_SEED)
        names = torch.randn(_NAMES, _WIDTH, dtype=torch.float64)
        start = [torch.randn(_WIDTH, _WIDTH, dtype=torch.float64) / _WIDTH for _ in range(2)]
        trained = _trained(names, start, unrelated)
        texts = _draw(10_000, unrelated=False)
        (before, cosine_before, _), (after, cosine_after, loss) = (_measured(texts, names, w) for w in (start, trained))
    return Outcome(
        f"Before training a query gives the key that has its answer {before:.2f} of its weight, and their cosine is "
        f"{cosine_before:.2f}; after {_STEPS} steps it gives it {after:.2f}, with a cosine of {cosine_after:.2f}.",
        (
            at_most("weight on the helpful key before training, of four", before, 0.3, 2),
            at_least("weight on it after training", after, 0.9, 2),
            at_most("mean cosine of the query and the helpful key before", cosine_before, 0.3, 2),
            at_least("mean cosine after", cosine_after, 0.5, 2),
            at_most("loss after, where a guess among the four costs 1.386", loss, 0.2, 3),
        ),
    )


def _draw(texts: int, *, unrelated: bool) -> _Texts:
    """Texts, drawn; with `unrelated`, the loss wants any of the four answers, whichever name is asked for."""
    import torch

    names = torch.rand(texts, _NAMES).argsort(dim=1)[:, :_SHOWN]
    asked, other = torch.randint(_SHOWN, (2, texts))
    return _Texts(names, asked, other if unrelated else asked)


def _looked_up(texts: _Texts, names: Tensor, weights: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """The queries (texts, 1, d), the keys (texts, 4, d), and the weights (texts, 4), by equation (6).

    Values are the answers, one after the other, so that what comes out is how likely each answer is.
    """
    import torch

    shown = names[texts.names]
    questions = shown[torch.arange(len(shown)), texts.asked][:, None]
    queries, keys = questions @ weights[0], shown @ weights[1]
    answers = torch.eye(_SHOWN, dtype=names.dtype).expand(len(shown), -1, -1)
    likely, _ = eq.attention(queries, keys, answers)
    return queries, keys, likely[:, 0]


def _trained(names: Tensor, start: list[Tensor], unrelated: bool) -> list[Tensor]:
    """W^Q and W^K after training on the cross-entropy of the answers alone: nothing is said of where to look."""
    import torch

    weights = [matrix.clone().requires_grad_() for matrix in start]
    optimiser = torch.optim.Adam(weights, lr=_RATE)
    for _ in range(_STEPS):
        texts = _draw(_TEXTS, unrelated=unrelated)
        _, _, likely = _looked_up(texts, names, weights)
        optimiser.zero_grad()
        torch.nn.functional.nll_loss(likely.log(), texts.answer).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return [matrix.detach() for matrix in weights]


def _measured(texts: _Texts, names: Tensor, weights: list[Tensor]) -> tuple[float, float, float]:
    """The mean weight on the helpful key, its mean cosine with the query, and the loss."""
    queries, keys, likely = (found.numpy() for found in _looked_up(texts, names, weights))
    rows, answer = np.arange(len(likely)), texts.answer.numpy()
    helpful = keys[rows, answer]
    cosines = eq.cosine(queries[:, 0], helpful)
    on_it = likely[rows, answer]
    return float(on_it.mean()), float(np.mean(cosines)), float(-np.log(on_it).mean())


LINING_UP = Experiment(
    name="lining-up",
    title="Training lines queries up with the keys that help",
    text="first",
    place="section 4, paragraph below (6)",
    claim="Nobody says where to look: the loss alone teaches queries to line up with the keys whose values help to "
    "predict.",
    expected="One head is asked for the answer of one of four names, and trained on the loss of its answers alone. "
    "Before, it gives the helpful key no more than 0.3 of its weight; after, at least 0.9, and query and key have a "
    "mean cosine of at least 0.5.",
    see="workings explain attention",
    compute=_lining_up,
    counter=CounterCheck("the answer wanted is any of the four, so that no key helps", {"unrelated": True}),
    statistical=f"names, first weights and {_STEPS} × {_TEXTS} texts are drawn from seed {_SEED}",
    needs_torch=True,
)
