"""Signs in both styles, and the one table of how tightly each kind of expression binds.

An expression can stand in three places: displayed, in a small script above or below the line, and in plain text, where
a fraction is a stroke on the line and binds like one.
"""

from __future__ import annotations

from enum import Enum, IntEnum, auto

from workings.reading.formula.nodes import (
    Apply,
    Big,
    Binary,
    Cases,
    Each,
    Fraction,
    Mark,
    Negative,
    Node,
    Not,
    Number,
    Of,
    Power,
    Ranged,
    Relation,
    Root,
    Sequence,
    Span,
    Subscript,
    Symbol,
)


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
    "convolve": (r"\ast", "∗", Level.POINT),
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
    Each: (Level.POWER, Level.POWER, Level.ATOM),
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
        case Subscript(parameter=True):
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
