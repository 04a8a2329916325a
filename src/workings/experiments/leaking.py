"""Section 8: without the mask the answer leaks. Two small models are trained, one with it and one without."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import gap, said
from workings.experiments.outcome import Outcome, about, at_least, at_most, exactly

if TYPE_CHECKING:
    from workings.text.batches import Batch
    from workings.transformer import DecoderOnly

_SEED = 8
_SIGNS, _FOLLOWERS = 12, 2
_BEGIN, _END = _SIGNS, _SIGNS + 1
_ENDS = 1 / 8
"""How likely a text is to end after each sign."""
_LONGEST = 48
_ROWS, _STEPS = 32, 200
_WRITTEN = 32
_PLACE = 4
"""Where an answer is exchanged: not too late, for few texts are long."""
_FLOOR = -_ENDS * math.log(_ENDS) - (1 - _ENDS) * math.log((1 - _ENDS) / _FOLLOWERS)
"""The least loss there is for who does not see the answer: the end, or else either of two signs."""


def _leak(*, masked: bool = False) -> Outcome:
    fair, other = (_trained(causal) for causal in (True, masked))
    losses, moved = [_loss(model) for model in (fair, other)], [_moved_by_answer(model) for model in (fair, other)]
    (length, right), (other_length, _) = (_written(model) for model in (fair, other))
    return Outcome(
        f"Who does not see the next token of these texts cannot get a loss below {_FLOOR:.3f}. The model with the mask "
        f"reaches {losses[0]:.3f}, the other {losses[1]:.3f}: its scores move by {said(moved[1])} with the token that "
        f"they are to predict. Asked to write, the first writes {length:.1f} signs before it ends, the other "
        f"{other_length:.1f}.",
        (
            exactly("with the mask: how far scores move with the token to predict", moved[0], 0.0),
            at_least("without it: how far scores move with the token to predict", moved[1], 0.1, 3),
            about("loss with the mask, on texts that were not trained on", losses[0], _FLOOR, 0.15, 3),
            at_most("loss without it", losses[1], _FLOOR / 4, 3),
            at_least("signs written before the end, with the mask", length, 3, 1),
            at_least("share of them that may follow the one before", right, 0.9, 2),
            at_most("signs written before the end, without it", other_length, 1, 1),
        ),
    )


def _language() -> NDArray[np.int64]:
    """Which signs may follow each: (signs, followers)."""
    generator = np.random.default_rng(_SEED)
    return np.array([generator.choice(_SIGNS, _FOLLOWERS, replace=False) for _ in range(_SIGNS)])


def _texts(seed: int, rows: int) -> list[list[int]]:
    """Texts of the language, each from its begin to its end."""
    follows, generator = _language(), np.random.default_rng((_SEED, seed))
    texts: list[list[int]] = []
    while len(texts) < rows:
        text = [_BEGIN, int(generator.integers(_SIGNS))]
        while generator.random() >= _ENDS:
            text.append(int(follows[text[-1], generator.integers(_FOLLOWERS)]))
        if len(text) < _LONGEST:  # hardly any is longer
            texts.append([*text, _END])
    return texts


def _batch(seed: int, rows: int) -> Batch:
    """Texts without their end go in; from the first sign on, what comes next is the target."""
    import torch

    from workings.text.batches import IGNORED, Batch

    texts = _texts(seed, rows)
    lengths = torch.tensor([len(text) - 1 for text in texts])
    inputs = torch.full((rows, int(lengths.max())), _END)
    targets = torch.full_like(inputs, IGNORED)
    for row, text in enumerate(texts):
        inputs[row, : len(text) - 1] = torch.tensor(text[:-1])
        targets[row, 1 : len(text) - 1] = torch.tensor(text[2:])  # the first sign can be any: nothing is learned of it
    count = int((targets != IGNORED).sum())
    return Batch(inputs=inputs, lengths=lengths, targets=targets, tokens=count, all_tokens=count)


@cache
def _trained(causal: bool) -> DecoderOnly:
    """A decoder of two layers, trained on the language; the mask is the one difference. Trained once, and kept."""
    import torch

    from workings.training import Constant, Listed, Objective, Settings, Trainer
    from workings.transformer import Config, DecoderOnly

    with torch.random.fork_rng(devices=[]):  # whoever asks keeps their own random numbers
        torch.manual_seed(_SEED)
        config = Config(vocabulary=_SIGNS + 2, width=32, heads=4, decoder_layers=2, context=_LONGEST, causal=causal)
        model = DecoderOnly(config)
        batches = Listed([_batch(number + 1, _ROWS) for number in range(_STEPS)])
        trainer = Trainer(Objective(model), batches, Settings(schedule=Constant(peak=5e-3, warmup=20)))
        for _ in range(_STEPS):
            trainer.step()
    return model.eval()


def _loss(model: DecoderOnly) -> float:
    """The mean loss of a token, on texts of their own."""
    import torch

    from workings.training import Objective

    batch = _batch(0, 64)
    with torch.no_grad():
        loss, _ = Objective(model).eval()(batch)
    return float(loss) / int(batch.tokens)


def _moved_by_answer(model: DecoderOnly) -> float:
    """How far the scores after a sign move when the one that they are to predict is another."""
    import torch

    text = torch.tensor([next(text for text in _texts(0, 64) if len(text) > 2 * _PLACE)])
    other, place = text.clone(), _PLACE
    other[0, place + 1] = (text[0, place + 1] + 1) % _SIGNS
    with torch.no_grad():
        one, two = model(text)[0, place], model(other)[0, place]
    return gap(one.numpy(), two.numpy())


def _written(model: DecoderOnly) -> tuple[float, float]:
    """How many signs the model writes before it ends, on average, and the share that may follow the one before."""
    from workings.generation import Sampling, generate

    follows = _language()
    prompts = [[_BEGIN, sign] for sign in range(_SIGNS)] * 4
    texts = generate(model, prompts, Sampling(), length=_WRITTEN, seed=list(range(len(prompts))), stop_tokens=[_END])
    pairs = [
        (before, now)
        for prompt, text in zip(prompts, texts, strict=True)
        for before, now in pairwise([prompt[-1], *text.tokens])
    ]
    right = sum(before < _SIGNS and now in follows[before] for before, now in pairs)
    return len(pairs) / len(texts), right / max(len(pairs), 1)


LEAK = Experiment(
    name="leak",
    title="Without the mask the answer leaks",
    text="first",
    place="section 8, first part",
    claim="A model that sees later tokens in training copies the next one instead of predicting it; the mask is what "
    "prevents that.",
    expected="Without the mask a position's scores change with the token that it is to predict; with it they do not. "
    "Trained on texts of a small language, in which a text ends or either of two signs follows, the model with the "
    f"mask comes as near to {_FLOOR:.3f}, the least loss there is, as 0.15, and writes such texts. Without it the loss "
    "falls below a quarter of that, and the model writes one sign or none: where nothing stands to the right yet, it "
    "has only ever met the end.",
    see="workings explain mask",
    compute=_leak,
    counter=CounterCheck("both models are trained with the mask", {"masked": True}),
    statistical=f"texts, weights and what is written are drawn from seed {_SEED}; {_STEPS} steps of {_ROWS} texts",
    needs_torch=True,
)
