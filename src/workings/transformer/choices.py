"""The choices of a transformer, each a small frozen object that says everything about itself.

A `Config` holds one object for each choice. Nothing here computes; `torch` is not imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from workings.wording import offering_names

Layout: TypeAlias = Literal["interleaved", "halves"]
Pairing: TypeAlias = Literal["adjacent", "halves"]
GeluForm: TypeAlias = Literal["erf", "tanh"]
Pooling: TypeAlias = Literal["mean", "first"]


# Positions


@offering_names
@dataclass(frozen=True)
class Sinusoidal:
    """Sines and cosines added to the embeddings. Vaswani et al. (2017), section 3.5.

    `layout` "interleaved" puts the sine and cosine of one frequency side by side, as in the paper; "halves" puts all
    sines before all cosines, as in tensor2tensor and Marian.
    """

    kind: ClassVar[str] = "sinusoidal"
    layout: Layout = "interleaved"
    base: float = 10000.0


@offering_names
@dataclass(frozen=True)
class Learned:
    """A learned vector for each of `Config.context` positions, added to the embeddings. Gehring et al. (2017)."""

    kind: ClassVar[str] = "learned"


@offering_names
@dataclass(frozen=True)
class LinearScaling:
    """Positions divided by `factor`, so that a longer text spans the angles seen in training. Chen et al. (2023)."""

    kind: ClassVar[str] = "linear"
    factor: float


@offering_names
@dataclass(frozen=True)
class BaseScaling:
    """The base raised by factor^(r / (r - 2)) for r rotated coordinates ("NTK-aware"): fast turns keep their speed."""

    kind: ClassVar[str] = "base"
    factor: float


@offering_names
@dataclass(frozen=True)
class LlamaScaling:
    """Slow turns slowed by `factor`, fast ones kept, those between blended. Grattafiori et al. (2024), Llama 3.1.

    A turn is slow when its wavelength exceeds `trained_context / slow`, fast when it is below `trained_context / fast`.
    """

    kind: ClassVar[str] = "llama"
    factor: float = 8.0
    slow: float = 1.0
    fast: float = 4.0
    trained_context: int = 8192


Scaling: TypeAlias = LinearScaling | BaseScaling | LlamaScaling


@offering_names
@dataclass(frozen=True)
class Rotary:
    """Queries and keys turned by angles that grow with the position. Su et al. (2021), section 3.2.

    `pairing` "adjacent" turns coordinates 2i and 2i + 1 together, as in the paper; "halves" turns i and i + r/2, as in
    GPT-NeoX and the usual Llama checkpoints. Only the first `fraction` of each head's coordinates is turned.
    """

    kind: ClassVar[str] = "rotary"
    base: float = 10000.0
    pairing: Pairing = "halves"
    scaling: Scaling | None = None
    fraction: float = 1.0


@offering_names
@dataclass(frozen=True)
class ALiBi:
    """A penalty on each score, proportional to the distance, steeper in some heads. Press et al. (2022)."""

    kind: ClassVar[str] = "alibi"


@offering_names
@dataclass(frozen=True)
class RelativeBuckets:
    """A learned number for each head and bucket of distances, added to the scores. Raffel et al. (2020), section 2.1.

    Small distances have buckets of their own; larger ones share them logarithmically up to `furthest`, and beyond.
    """

    kind: ClassVar[str] = "relative-buckets"
    buckets: int = 32
    furthest: int = 128


@offering_names
@dataclass(frozen=True)
class NoPositions:
    """Nothing says where a token stands but the causal mask, if there is one. Kazemnejad et al. (2023)."""

    kind: ClassVar[str] = "none"


Positions: TypeAlias = Sinusoidal | Learned | Rotary | ALiBi | RelativeBuckets | NoPositions


# Normalisation and its place


@offering_names
@dataclass(frozen=True)
class LayerNorm:
    """Mean 0 and variance 1, then gain and bias; `epsilon` inside the root. Ba, Kiros and Hinton (2016)."""

    kind: ClassVar[str] = "layer"
    epsilon: float = 1e-5
    bias: bool = True


@offering_names
@dataclass(frozen=True)
class RMSNorm:
    """Divided by the root mean square, then gain; `epsilon` inside the root. Zhang and Sennrich (2019)."""

    kind: ClassVar[str] = "rms"
    epsilon: float = 1e-6


Norm: TypeAlias = LayerNorm | RMSNorm


@offering_names
@dataclass(frozen=True)
class PostNorm:
    """Each residual sum is normalised, as in 2017; with `final_norm`, a stack's last output once more."""

    kind: ClassVar[str] = "post"
    final_norm: bool = False


@offering_names
@dataclass(frozen=True)
class PreNorm:
    """Each sub-layer reads a normalised copy; the stack's last sum is normalised. Xiong et al. (2020), section 3."""

    kind: ClassVar[str] = "pre"


Placement: TypeAlias = PostNorm | PreNorm


# The feed-forward network


@offering_names
@dataclass(frozen=True)
class Relu:
    """max(0, x) between two layers. Vaswani et al. (2017), section 3.3."""

    kind: ClassVar[str] = "relu"


@offering_names
@dataclass(frozen=True)
class Gelu:
    """x Φ(x) between two layers, exactly ("erf") or as GPT-2 approximates it ("tanh"). Hendrycks and Gimpel (2016)."""

    kind: ClassVar[str] = "gelu"
    form: GeluForm = "erf"


@offering_names
@dataclass(frozen=True)
class SwiGLU:
    """One layer gated by the SiLU of another. Shazeer (2020), section 2."""

    kind: ClassVar[str] = "swiglu"


@offering_names
@dataclass(frozen=True)
class GEGLU:
    """One layer gated by the GELU of another. Shazeer (2020), section 2."""

    kind: ClassVar[str] = "geglu"
    form: GeluForm = "erf"


FeedForward: TypeAlias = Relu | Gelu | SwiGLU | GEGLU


# How queries and keys are compared


@offering_names
@dataclass(frozen=True)
class DotProduct:
    """Dot products times `scale`: 1/√(head width) unless given; T5 uses 1.0. Vaswani et al. (2017), section 3.2.1."""

    kind: ClassVar[str] = "dot-product"
    scale: float | None = None


@offering_names
@dataclass(frozen=True)
class Additive:
    """A small network's score of query and key together. Bahdanau, Cho and Bengio (2015), section 3.1.

    Its memory and time hold every pair of tokens with every coordinate of a head: for short sequences.
    """

    kind: ClassVar[str] = "additive"


Score: TypeAlias = DotProduct | Additive


# What is left


@offering_names
@dataclass(frozen=True)
class Biases:
    """Which linear layers add a bias. Normalisations and the output say it themselves."""

    kind: ClassVar[str] = "biases"
    queries_keys_values: bool = True
    attention_output: bool = True
    feed_forward: bool = True

    @classmethod
    def none(cls) -> Biases:
        """No linear layer of a block adds one, as in Llama and T5."""
        return cls(queries_keys_values=False, attention_output=False, feed_forward=False)


@offering_names
@dataclass(frozen=True)
class TiedOutput:
    """The target embeddings score the words. Press and Wolf (2017). States are multiplied by `scale` first (T5)."""

    kind: ClassVar[str] = "tied"
    bias: bool = False
    scale: float = 1.0


@offering_names
@dataclass(frozen=True)
class SeparateOutput:
    """A matrix of its own scores the words."""

    kind: ClassVar[str] = "separate"
    bias: bool = False


Output: TypeAlias = TiedOutput | SeparateOutput


@offering_names
@dataclass(frozen=True)
class Dropout:
    """How much is dropped in training, and where.

    `rate` falls on the embeddings and on what each sub-layer adds, as in the 2017 paper; `attention` on the weights,
    which makes memory grow with the square of the length; `inner` between the layers of the feed-forward network.
    """

    kind: ClassVar[str] = "dropout"
    rate: float = 0.0
    attention: float = 0.0
    inner: float = 0.0


@offering_names
@dataclass(frozen=True)
class NormalStart:
    """Weights drawn with this standard deviation; with `by_depth`, what adds to the residual by less in deep stacks.

    Radford et al. (2019), section 2.3.
    """

    kind: ClassVar[str] = "normal"
    deviation: float = 0.02
    by_depth: bool = True


@offering_names
@dataclass(frozen=True)
class XavierStart:
    """Weights uniform with variance 2 / (in + out), embeddings normal with deviation width^-0.5. Glorot (2010)."""

    kind: ClassVar[str] = "xavier"


Start: TypeAlias = NormalStart | XavierStart
