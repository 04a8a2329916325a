"""The tables of a run file, by task: their keys, and what a key may hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from workings.transformer.config import Shape

Task: TypeAlias = Literal["translate", "lm", "classify", "copy", "embeddings"]
TASKS: tuple[Task, ...] = get_args(Task)

Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, lt=1)]


class _Table(BaseModel):
    """A table of the file: keys that it does not know are mistakes, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ParallelData(_Table):
    """Sentences and their translations: two files line by line, or one of two columns."""

    source: str
    target: str | None = None
    validation_source: str | None = None
    validation_target: str | None = None
    validation_share: Share = 0.02


class TextData(_Table):
    """Running text: a file, or a folder of them."""

    text: str
    validation: str | None = None
    validation_share: Share = 0.1


class LabelledData(_Table):
    """Texts with a label each."""

    texts: str
    validation: str | None = None
    validation_share: Share = 0.2


class CopyData(_Table):
    """Drawn sequences of symbols that are to be copied."""

    symbols: Positive = 10
    shortest: Positive = 1
    longest: Positive = 10
    pairs: Positive = 20_000
    validation_pairs: Positive = 500


class WordsData(_Table):
    """Running text whose words are predicted from their neighbours."""

    text: str
    lower: bool = True


class TokeniserTable(_Table):
    """How text is cut. `vocabulary` is needed for "bpe" and "unigram"."""

    kind: Literal["word", "character", "bpe", "unigram"]
    vocabulary: Positive | None = None
    spelled: bool = True
    shared: bool = True


class SkipGramTable(_Table):
    """The size of the embeddings, and how pairs of neighbours are drawn; see `SkipGram`."""

    width: Positive = 100
    window: Positive = 5
    negatives: Positive = 5
    minimum: Positive = 5
    subsampling: Annotated[float, Field(gt=0, allow_inf_nan=True)] = 1e-3


class WordTraining(_Table):
    """How embeddings are trained; see `SkipGram`."""

    passes: Positive = 10
    words: Annotated[int, Field(ge=2)] = 2048
    rate: Annotated[float, Field(gt=0)] = 0.1
    minutes: Annotated[float, Field(ge=0)] = 0
    save_every: Positive = 500
    report_every: Positive = 50
    tensorboard: bool = False


class Batches(_Table):
    """The size of a batch of all processes together: positions, padding included; or rows."""

    tokens: Positive | None = None
    rows: Positive | None = None


class Training(_Table):
    """How it is trained; see `Settings`, `Limits` and the schedules.

    0 means none for `minutes`, `clipping`, `average` and `patience`, and all for `validation_batches`.
    """

    steps: Positive
    minutes: Annotated[float, Field(ge=0)] = 0
    schedule: Literal["inverse-square-root", "cosine", "constant"] = "inverse-square-root"
    rate: Annotated[float, Field(gt=0)] | None = None
    warmup: Annotated[int, Field(ge=0)] = 0
    floor: Annotated[float, Field(ge=0, le=1)] = 0.1
    smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.0
    accumulation: Positive = 1
    clipping: Annotated[float, Field(ge=0)] = 1.0
    decay: Annotated[float, Field(ge=0)] = 0.01
    betas: Annotated[list[Annotated[float, Field(ge=0, lt=1)]], Field(min_length=2, max_length=2)] = [0.9, 0.98]
    epsilon: Annotated[float, Field(gt=0)] = 1e-9
    average: Annotated[float, Field(ge=0, lt=1)] = 0
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    compile: bool = False
    sharded: bool = False
    validate_every: Positive = 500
    validation_batches: Annotated[int, Field(ge=0)] = 0
    save_every: Positive = 500
    report_every: Positive = 50
    patience: Annotated[int, Field(ge=0)] = 0
    preflight: bool = True
    tensorboard: bool = False


class _Run(_Table):
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1
    run: str | None = None


class _Transformer(_Run):
    model: dict[str, Any]
    batches: Batches
    training: Training


class Translate(_Transformer):
    task: Literal["translate"]
    data: ParallelData
    tokeniser: TokeniserTable


class LanguageModel(_Transformer):
    task: Literal["lm"]
    data: TextData
    tokeniser: TokeniserTable


class Classify(_Transformer):
    task: Literal["classify"]
    data: LabelledData
    tokeniser: TokeniserTable


class Copy(_Transformer):
    task: Literal["copy"]
    data: CopyData


class Embeddings(_Run):
    task: Literal["embeddings"]
    data: WordsData
    model: SkipGramTable
    training: WordTraining


Configuration: TypeAlias = Translate | LanguageModel | Classify | Copy | Embeddings
SHAPES: dict[Task, Shape] = {
    "translate": "encoder-decoder",
    "lm": "decoder-only",
    "classify": "encoder-only",
    "copy": "encoder-decoder",
}
"""What kind of transformer a task trains."""
KINDS: dict[str, type[Translate | LanguageModel | Classify | Copy | Embeddings]] = {
    "translate": Translate,
    "lm": LanguageModel,
    "classify": Classify,
    "copy": Copy,
    "embeddings": Embeddings,
}
