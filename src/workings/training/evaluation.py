"""How good a trained model is: perplexity, translations against references, classes against labels.

    perplexity(model, corpus).per_character.bits
    translation_scores(translate(model, sources, tokeniser, beams=Beams()).texts, references).bleu
    evaluate_classifier(model, corpus).macro_f1

The models are run here; what is counted is in `workings.training.scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from workings.generation.beam import Beams, beam_search
from workings.generation.rows import Writer, most_tokens
from workings.generation.sampling import generate
from workings.generation.settings import GREEDY
from workings.text.batches import IGNORED, Labelled, Pairs
from workings.text.corpora import LabelledCorpus, ParallelCorpus, TextCorpus
from workings.text.order import BatchOrder, bucketed
from workings.text.tokenisers import Tokeniser
from workings.training.objective import states_of
from workings.training.scores import ClassificationScores, Perplexity, classification_scores
from workings.transformer.models import DecoderOnly, EncoderDecoder, EncoderOnly, Model
from workings.wording import counted

_SCORES = 1 << 22
"""The most logits held at once."""

Progress = Callable[[int], None]
"""Is told how many more tokens or texts are done."""


def perplexity(
    model: DecoderOnly,
    corpus: TextCorpus,
    *,
    context: int | None = None,
    stride: int | None = None,
    tokens: int = 8192,
    on_done: Progress | None = None,
) -> Perplexity:
    """Of a language model. Each token but the first is predicted once, from at most `context` tokens before it.

    Windows overlap, so that beyond the first one every token has more than ``context - stride`` tokens before it.
    ``stride=1`` gives each token all that the window has, at `context` times the cost of ``stride=context``, which
    puts windows side by side, as training loops do.

    Args:
        model: may be one that `quicken` has made. With 8 bits, all positions of a batch share the scale of their
            inputs, so that the loss is an upper bound for writing token by token.
        corpus: at least two tokens.
        context: the length of a window; unless given, the model's.
        stride: how far each window is from the one before; unless given, half the context.
        tokens: the most positions computed at once.
        on_done: told about tokens.

    Raises: ValueError for a corpus, context or stride that does not fit.
    """
    context = context or model.config.context
    stride = usual_stride(context) if stride is None else stride
    if len(corpus) < 2:
        found = f"the corpus has {counted(len(corpus), 'token')}"
        raise ValueError(f"{found}; expected at least 2: one to read and one to predict")
    if not 1 <= stride <= context:
        raise ValueError(f"stride is {stride}; expected from 1 to {context}, the context")
    total = _Sum(model)
    with _measuring(model):
        for inputs, targets in _windows(corpus, context, stride, max(1, tokens // context)):
            count = total.add(model.states(inputs.to(total.device)), targets.to(total.device))
            if on_done is not None:
                on_done(count)
    predicted = TextCorpus(corpus.tokens[1:], corpus.tokeniser)
    unknown = int(np.count_nonzero(predicted.tokens == corpus.tokeniser.unknown))
    return total.result(predicted.characters(), predicted.words(), unknown, corpus.tokeniser)


def usual_stride(context: int) -> int:
    """How far windows are apart unless that is said: half the context."""
    return max(1, context // 2)


def _windows(corpus: TextCorpus, context: int, stride: int, rows: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Inputs and targets (b, context); a target that an earlier window had is `IGNORED`. The last one ends the text."""
    last = max(0, len(corpus) - 1 - context)
    starts = np.append(np.arange(0, last, stride), last)
    new = np.diff(starts, prepend=-context)
    for first in range(0, len(starts), rows):
        some = slice(first, first + rows)
        windows = [corpus.tokens[start : start + context + 1] for start in starts[some].tolist()]
        held = np.stack(windows).astype(np.int64)
        length = held.shape[1] - 1
        seen = np.arange(length) < length - new[some, None]
        yield torch.from_numpy(held[:, :-1]), torch.from_numpy(np.where(seen, IGNORED, held[:, 1:]))


def target_perplexity(
    model: EncoderDecoder, corpus: ParallelCorpus, *, tokens: int = 8192, on_done: Progress | None = None
) -> Perplexity:
    """Of an encoder-decoder: its targets, the end of each included, given their sources and what came before.

    Args:
        model: may be one that `quicken` has made.
        corpus: sentence pairs.
        tokens: the most positions computed at once.
        on_done: told about tokens.
    """
    total = _Sum(model)
    with _measuring(model):
        for batch in BatchOrder(Pairs(corpus), tokens=tokens, seed=None):
            here = batch.to(total.device)
            assert here.targets is not None
            count = total.add(states_of(model, here), here.targets)
            if on_done is not None:
                on_done(count)
    tokeniser = corpus.target_tokeniser
    texts = [tokeniser.decode(corpus.target[place].tolist()) for place in range(len(corpus))]
    unknown = int(np.count_nonzero(corpus.target.flat == tokeniser.unknown))
    return total.result(sum(map(len, texts)), sum(len(text.split()) for text in texts), unknown, tokeniser)


class _Sum:
    """The loss so far. It goes through the model's own `logits`, which may be laid out for speed."""

    def __init__(self, model: DecoderOnly | EncoderDecoder) -> None:
        self.model, self.device = model, model.embedding.weight.device
        self.positions = max(1, _SCORES // model.config.vocabulary)
        self.nats, self.tokens, self.correct = 0.0, 0, 0

    def add(self, states: Tensor, targets: Tensor) -> int:
        """Add the real targets: states (b, t, d), targets (b, t). How many they are."""
        real = targets != IGNORED
        states, targets = states[real], targets[real]
        for first in range(0, len(targets), self.positions):
            wanted = targets[first : first + self.positions]
            logits = self.model.logits(states[first : first + self.positions])
            wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
            # float64 holds the sum of millions of losses exactly enough.
            self.nats += float(functional.cross_entropy(wide, wanted, reduction="none").double().sum())
            self.correct += int((wide.argmax(dim=-1) == wanted).sum())
        self.tokens += len(targets)
        return len(targets)

    def result(self, characters: int, words: int, unknown: int, tokeniser: Tokeniser) -> Perplexity:
        """For a text that holds so much, in which unknown tokens are spelled out by their name."""
        return Perplexity(
            nats=self.nats,
            tokens=self.tokens,
            characters=characters - unknown * (len(tokeniser.specials.unknown) - 1),
            words=words,
            correct=self.correct,
            unknown=unknown,
        )


@dataclass(frozen=True, kw_only=True)
class Translations:
    """What a model wrote for some texts, in their order.

    Attributes:
        texts: the translations.
        cut: sources that were longer than the model has positions, and were read in part.
        beyond: sources that were read whole, and are longer than those that the model was trained on.
        unfinished: translations that ended at the length allowed, not by themselves.
    """

    texts: list[str]
    cut: int
    beyond: int
    unfinished: int


def translate(
    model: EncoderDecoder,
    texts: Sequence[str],
    tokeniser: Tokeniser,
    target_tokeniser: Tokeniser | None = None,
    *,
    beams: Beams | None = None,
    length: int | None = None,
    tokens: int = 4096,
    on_done: Progress | None = None,
) -> Translations:
    """Translate many texts, in batches of similar lengths.

    Args:
        model: may be one that `quicken` has made.
        texts: plain text, one source each.
        tokeniser: for the sources, and for the targets unless these have their own.
        target_tokeniser: for the targets.
        beams: how to search; None: greedily.
        length: the most tokens of a translation; unless given, twice the longest source and 16 more.
        tokens: the most source positions of a batch, times the beams; a longer text is a batch by itself.
        on_done: told about texts.
    """
    there = target_tokeniser or tokeniser
    most = most_tokens(model.config)
    whole = tokeniser.encode_all(texts)
    sources = [[*(row if most is None else row[: most - 1]), tokeniser.end] for row in whole]
    lengths = np.array([[len(source)] for source in sources], np.int64).reshape(-1, 1)
    length = length or 2 * int(lengths.max(initial=1)) + 16
    width = 1 if beams is None else beams.count
    written: list[list[int]] = [[]] * len(sources)
    unfinished = 0
    for places in bucketed(np.arange(len(sources)), lengths, max(1, tokens // width), None) if sources else []:
        batch = [sources[place] for place in places]
        found, open_ends = _written(model, batch, there, beams, length)
        unfinished += open_ends
        for place, row in zip(places.tolist(), found, strict=True):
            written[place] = row
        if on_done is not None:
            on_done(len(places))
    return Translations(
        texts=[there.decode(row) for row in written],
        cut=0 if most is None else sum(len(row) >= most for row in whole),
        beyond=sum(len(source) > model.config.context for source in sources),
        unfinished=unfinished,
    )


def _written(
    model: Writer, sources: list[list[int]], there: Tokeniser, beams: Beams | None, length: int
) -> tuple[list[list[int]], int]:
    """The target tokens of each source, and how many did not end by themselves."""
    prompts, stops = [[there.begin]] * len(sources), [there.end]
    if beams is None:
        rows = generate(
            model, prompts, GREEDY, sources=sources, length=length, stop_tokens=stops, never=there.unwritten
        )
        return [row.tokens for row in rows], sum(row.reason != "stop token" for row in rows)
    found = beam_search(model, prompts, stops, beams, sources=sources, length=length, never=there.unwritten)
    best = [ranked[0] for ranked in found]
    return [found.tokens for found in best], sum(not found.ended for found in best)


def class_log_probabilities(
    model: EncoderOnly, corpus: LabelledCorpus, *, tokens: int = 8192, on_done: Progress | None = None
) -> NDArray[np.float64]:
    """The natural logarithm of each class's probability for each text of the corpus, in its order: (n, classes)."""
    device = model.embedding.weight.device
    found = np.zeros((len(corpus), model.config.classes or 0))
    with _measuring(model):
        for batch in BatchOrder(Labelled(corpus), tokens=tokens, seed=None):
            scores: Tensor = model(batch.inputs.to(device), batch.lengths.to(device))
            found[list(batch.examples)] = scores.double().log_softmax(dim=-1).cpu().numpy()
            if on_done is not None:
                on_done(batch.rows)
    return found


def evaluate_classifier(
    model: EncoderOnly, corpus: LabelledCorpus, *, tokens: int = 8192, on_done: Progress | None = None
) -> ClassificationScores:
    """The likeliest class of each text against its label.

    Args:
        model: has the classes of the corpus, in their order.
        corpus: labelled texts.
        tokens: the most positions computed at once.
        on_done: told about texts.

    Raises: ValueError where model and corpus have not as many classes.
    """
    if model.config.classes != len(corpus.names):
        raise ValueError(f"the corpus has {len(corpus.names)} labels; expected {model.config.classes}, as the model")
    logs = class_log_probabilities(model, corpus, tokens=tokens, on_done=on_done)
    loss = -float(logs[np.arange(len(corpus)), corpus.labels].mean())
    return classification_scores(corpus.labels, logs.argmax(axis=1), corpus.names, loss=loss)


@contextmanager
def _measuring(model: Model) -> Iterator[None]:
    """Without dropout and without gradients; the model is left as it was."""
    trained = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(trained)
