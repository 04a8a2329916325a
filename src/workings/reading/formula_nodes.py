"""The tree between a statement and its printed formula: mathematics, with nothing of Python and nothing of LaTeX's layout.

One table says how tightly each kind of expression binds, in each of the three places it can stand: displayed, in a
small script above or below the line, and in plain text, where a fraction is a stroke on the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum, IntEnum, auto


class NoMathematicsError(Exception):
    """Raised inside the reader where a statement has no formula: strings, printing, control flow."""


class Level(IntEnum):
    """How tightly an expression holds together, loosest first; a person brackets what is looser than its place."""

    SEQUENCE = 0
    STATEMENT = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARISON = 5
    CASES = 6
    ADDITION = 7
    FRACTION = 8
    OPEN = 9  # a sum sign, a logarithm without brackets: it takes in whatever product follows
    POINT = 10
    PRODUCT = 11
    POWER = 12
    ATOM = 13


class Style(Enum):
    """Where an expression stands."""

    DISPLAY = auto()
    SCRIPT = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Node:
    """Any part of a formula."""


@dataclass(frozen=True, slots=True)
class Symbol(Node):
    """A letter, a name or an operator, with the indices its own name carries (the k of ``d_k``).

    ``wide`` marks names of several letters, which need air or a point beside them; ``operator`` the names of functions;
    ``matrix`` the letters that usually stand for matrices; ``raised`` a letter that already has something above it.
    """

    latex: str
    text: str
    indices: tuple[Node, ...] = ()
    wide: bool = False
    operator: bool = False
    matrix: bool = False
    raised: bool = False
    lowered: bool = False


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as the source writes it; ``exponent`` is the power of ten beside it."""

    digits: str
    exponent: str = ""
    imaginary: bool = False


@dataclass(frozen=True, slots=True)
class Words(Node):
    """A few upright words: ``row``, ``otherwise``, the key of a dictionary."""

    text: str


@dataclass(frozen=True, slots=True)
class Negative(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Two operands and a sign, a key of :data:`SIGNS`."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Fraction(Node):
    top: Node
    bottom: Node


@dataclass(frozen=True, slots=True)
class Power(Node):
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Mark(Node):
    """A sign raised beside its base: transposed, inverted."""

    base: Node
    sign: str


@dataclass(frozen=True, slots=True)
class Root(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Subscript(Node):
    """Entries picked by ``indices``; a ``parameter`` belongs to the base instead (the row of a softmax by rows)."""

    base: Node
    indices: tuple[Node, ...]
    parameter: bool = False


@dataclass(frozen=True, slots=True)
class Span(Node):
    """A slice in an index."""

    start: Node | None
    stop: Node | None
    step: Node | None


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """A function of arguments; ``bare`` ones need no brackets round one simple argument: log x, max S."""

    function: Node
    arguments: tuple[Node, ...]
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Big(Node):
    """A sum or product sign, or a maximum, with what it runs over."""

    operator: Symbol
    bounds: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Ranged(Node):
    """A bound: ``variable`` from ``first`` to ``last``, the last one included."""

    variable: Node
    first: Node
    last: Node


@dataclass(frozen=True, slots=True)
class Fenced(Node):
    """An expression between a pair of :data:`FENCES`."""

    fence: str
    content: Node


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """Expressions side by side; ``fence`` may be empty, ``separator`` a key of :data:`SEPARATORS`."""

    items: tuple[Node, ...]
    fence: str = ""
    separator: str = ","


@dataclass(frozen=True, slots=True)
class Each(Node):
    """A family: ``body`` for every value that the bounds let through."""

    body: Node
    bounds: tuple[Node, ...]
    fence: str = "["


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Cases(Node):
    """Values with the conditions they hold under, and the value otherwise."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """A chain of items joined by :data:`RELATIONS`; a ``statement`` defines, a comparison is itself a value."""

    items: tuple[Node, ...]
    signs: tuple[str, ...]
    statement: bool = False


@dataclass(frozen=True, slots=True)
class Of(Node):
    """Words said of an expression: columns of K."""

    words: str
    operand: Node


# sign: LaTeX, text, level
SIGNS: dict[str, tuple[str, str, Level]] = {
    "or": (r"\lor", "∨", Level.OR),
    "and": (r"\land", "∧", Level.AND),
    "xor": (r"\oplus", "⊕", Level.OR),
    "+": ("+", "+", Level.ADDITION),
    "-": ("-", "−", Level.ADDITION),
    "<<": (r"\ll", "≪", Level.POINT),
    ">>": (r"\gg", "≫", Level.POINT),
    "mod": (r"\bmod", "mod", Level.POINT),
    "dot": (r"\cdot", "·", Level.POINT),
    "elementwise": (r"\odot", "⊙", Level.POINT),
    "outer": (r"\otimes", "⊗", Level.POINT),
    "cross": (r"\times", "×", Level.POINT),
    "*": (r"\cdot", "·", Level.PRODUCT),
    "@": ("", "", Level.PRODUCT),
}

RELATIONS: dict[str, tuple[str, str]] = {
    "=": ("=", "="), "!=": (r"\ne", "≠"), "<": ("<", "<"), "<=": (r"\le", "≤"), ">": (">", ">"), ">=": (r"\ge", "≥"),
    "in": (r"\in", "∈"), "not in": (r"\notin", "∉"), "<-": (r"\leftarrow", "←"), "~": (r"\sim", "∼"),
    "|->": (r"\mapsto", "↦"),
}  # fmt: skip

# fence: LaTeX on either side, text on either side
FENCES: dict[str, tuple[str, str, str, str]] = {
    "(": ("(", ")", "(", ")"),
    "[": ("[", "]", "[", "]"),
    "{": (r"\{", r"\}", "{", "}"),
    "abs": (r"\lvert", r"\rvert", "|", "|"),
    "norm": (r"\lVert", r"\rVert", "‖", "‖"),
    "floor": (r"\lfloor", r"\rfloor", "⌊", "⌋"),
    "ceil": (r"\lceil", r"\rceil", "⌈", "⌉"),
    "angle": (r"\langle", r"\rangle", "⟨", "⟩"),
}

SEPARATORS: dict[str, tuple[str, str]] = {
    ",": (", ", ", "),
    ";": (r",\quad ", ",  "),
    "|": (r" \mid ", " | "),
}

MARKS: dict[str, tuple[str, str]] = {
    "transposed": (r"\top", "ᵀ"),
    "conjugate": (r"\mathsf{H}", "ᴴ"),
    "inverse": ("-1", "⁻¹"),
    "pseudoinverse": ("+", "⁺"),
}

# kind: level displayed, in a script, in text. Whatever is not here is an atom.
_LEVELS: dict[type[Node], tuple[Level, Level, Level]] = {
    Negative: (Level.ADDITION, Level.ADDITION, Level.ADDITION),
    Not: (Level.NOT, Level.NOT, Level.NOT),
    Fraction: (Level.POWER, Level.FRACTION, Level.FRACTION),
    Power: (Level.POWER, Level.POWER, Level.POWER),
    Mark: (Level.POWER, Level.POWER, Level.POWER),
    Root: (Level.POWER, Level.POWER, Level.POWER),
    Span: (Level.STATEMENT, Level.STATEMENT, Level.STATEMENT),
    Ranged: (Level.STATEMENT, Level.STATEMENT, Level.STATEMENT),
    Big: (Level.OPEN, Level.OPEN, Level.OPEN),
    Of: (Level.OPEN, Level.OPEN, Level.OPEN),
    Cases: (Level.CASES, Level.CASES, Level.ATOM),
}


def level(node: Node, style: Style) -> Level:
    """How tightly ``node`` binds where it stands."""
    match node:
        case Binary(sign=sign):
            own = SIGNS[sign][2]
            return Level.OPEN if own > Level.OPEN and level(node.right, style) == Level.OPEN else own
        case Relation(statement=statement):
            return Level.STATEMENT if statement else Level.COMPARISON
        case Number(digits=digits, exponent=exponent) if exponent:
            return Level.POWER if digits == "1" else Level.PRODUCT
        case Sequence(fence=""):
            return Level.SEQUENCE
        case Subscript(parameter=True, base=Symbol()):
            return Level.POWER
        case Apply():
            return Level.OPEN if goes_bare(node, style) else Level.ATOM
        case Symbol(raised=True):
            return Level.POWER
    return _LEVELS.get(type(node), (Level.ATOM,) * 3)[style.value - 1]


def goes_bare(node: Apply, style: Style) -> bool:
    """Whether a person leaves out the brackets: log x and log Σ x, but log(x + 1), log(2 x), log(f(x))."""
    if not node.bare or len(node.arguments) != 1:
        return False
    argument = node.arguments[0]
    if isinstance(argument, (Big, Apply)):
        return level(argument, style) == Level.OPEN
    return level(argument, style) >= Level.POWER


def edge(node: Node, last: bool) -> Node:
    """The leaf a reader's eye meets first (or last) in an expression printed without brackets."""
    match node:
        case Binary(left=left, right=right):
            return edge(right if last else left, last)
        case Power(base=base) | Mark(base=base) | Subscript(base=base):
            return edge(base, last)
    return node


def walk(node: Node) -> Iterator[Node]:
    """``node`` and every part of it."""
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, Node):
            yield part
            pending += [getattr(part, each.name) for each in fields(part)]
        elif isinstance(part, tuple):
            pending += part
