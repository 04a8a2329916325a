"""What a run file comes to: data that is cut into tokens, and a model for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch

from workings.text.batches import Examples
from workings.text.corpora import TextCorpus
from workings.text.order import BatchOrder
from workings.text.tokenisers import Tokeniser
from workings.training.objective import Objective
from workings.training.run_directory import Description
from workings.training.skip_gram import SkipGram, SkipGramTrainer
from workings.training.tables import Classify, Copy, Embeddings, LanguageModel, Translate
from workings.transformer.config import Config
from workings.transformer.models import build


@dataclass(frozen=True, kw_only=True)
class Tokenisers:
    """How the source, or the only text, is cut; and the target."""

    source: Tokeniser
    target: Tokeniser

    @classmethod
    def one(cls, tokeniser: Tokeniser) -> Tokenisers:
        """The same for both."""
        return cls(source=tokeniser, target=tokeniser)


@final
@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a run file comes to: everything that is needed to begin, or to measure again.

    Attributes:
        labels: the names of a classifier's classes.
        notes: what was left out or cut, in words.
    """

    configuration: Translate | LanguageModel | Classify | Copy
    tokenisers: Tokenisers
    config: Config
    training: Examples
    validation: Examples
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def objective(self) -> Objective:
        """The model, drawn from the seed, and what it is trained for."""
        torch.manual_seed(self.configuration.seed)
        return Objective(build(self.config), self.configuration.training.smoothing)

    def batches(self) -> BatchOrder:
        """The order in which it is trained on."""
        size = self.configuration.batches
        return BatchOrder(self.training, tokens=size.tokens, rows=size.rows, seed=self.configuration.seed)

    def validation_batches(self) -> BatchOrder:
        """Each validation example once, in batches of the same size."""
        size = self.configuration.batches
        return BatchOrder(self.validation, tokens=size.tokens, rows=size.rows, seed=None)

    def check(self) -> None:
        """See that there are batches to be made of the data.

        Raises:
            TextError: there is too little of it.
        """
        self.batches().plan(0)
        self.validation_batches().plan(0)

    def description(self) -> Description:
        """What the run directory says of it."""
        return Description(
            task=self.configuration.task,
            model=self.config.to_dict(),
            configuration=self.configuration.model_dump(),
            labels=self.labels,
        )


@final
@dataclass(frozen=True, kw_only=True)
class PreparedWords:
    """The same for embeddings."""

    configuration: Embeddings
    tokenisers: Tokenisers
    corpus: TextCorpus

    def trainer(self) -> SkipGramTrainer:
        """What learns them.

        Raises:
            TrainingError: there are too few words.
        """
        model, training = self.configuration.model, self.configuration.training
        settings = SkipGram(
            **model.model_dump(),
            passes=training.passes,
            words=training.words,
            rate=training.rate,
            seed=self.configuration.seed,
        )
        return SkipGramTrainer(self.corpus, settings)

    def check(self) -> None:
        """See that there are words to learn. Raises TrainingError."""
        self.trainer()

    def description(self) -> Description:
        """What the run directory says of it."""
        return Description(
            task="embeddings",
            model={"width": self.configuration.model.width},
            configuration=self.configuration.model_dump(),
        )
