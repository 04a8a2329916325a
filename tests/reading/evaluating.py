"""Expressions worked out with Python's own math, as an oracle for what the arithmetic shows."""

import math

from workings.recording.operations.expression import (
    Apply,
    Choice,
    Expression,
    Leaf,
    Negative,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
)

FUNCTIONS = {
    "exp": math.exp,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "erf": math.erf,
    "absolute": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "arctan": math.atan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan2": math.atan2,
    "max": lambda *x: max(x),
    "amax": lambda *x: max(x),
    "min": lambda *x: min(x),
    "amin": lambda *x: min(x),
    "trunc": math.trunc,
    "sign": lambda x: (x > 0) - (x < 0),
    "rint": lambda x: float(round(x)),
    "int": int,
    "float": float,
    "bool": bool,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
    "logical_not": lambda x: not x,
    "any": lambda *x: any(x),
    "all": lambda *x: all(x),
    "argmax": lambda *x: x.index(max(x)),
    "argmin": lambda *x: x.index(min(x)),
    "pi": lambda: math.pi,
    "degrees": math.degrees,
    "radians": math.radians,
    "count": lambda *x: sum(v != 0 for v in x),
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "bitwise_not": lambda x: not x if isinstance(x, bool) else ~x,
    "logaddexp": lambda a, b: math.log(math.exp(a) + math.exp(b)),
    "conj": lambda z: z.conjugate(),
    "round": round,
    "invert": lambda x: not x if isinstance(x, bool) else ~x,
    "nan_to_num": lambda x: 0.0 if math.isnan(x) else x,
    "cummax": lambda *x: max(x),
    "copysign": math.copysign,
    "arcsinh": math.asinh,
    "arccosh": math.acosh,
    "arctanh": math.atanh,
    "deg2rad": math.radians,
    "rad2deg": math.degrees,
}
RELATIONS = {
    "<": lambda a, b: a < b,
    "≤": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "≥": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "≠": lambda a, b: a != b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "xor": lambda a, b: bool(a) != bool(b),
    "&": lambda a, b: a & b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "//": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}


class Unknown(Exception):
    """A function this oracle does not have."""


def evaluate(node: Expression):
    """The value of an expression, by Python's arithmetic on its leaves."""
    match node:
        case Leaf():
            return node.value.item() if hasattr(node.value, "item") else node.value
        case Sum():
            return sum(map(evaluate, node.terms)) + (node.rest if node.omitted else 0)
        case Product():
            return math.prod(map(evaluate, node.factors)) * (node.rest if node.omitted else 1)
        case Quotient():
            return _quotient(evaluate(node.numerator), evaluate(node.denominator))
        case Power():
            return _power(evaluate(node.base), evaluate(node.exponent))
        case Negative():
            return -evaluate(node.inner)
        case Choice():
            return evaluate(node.chosen if node.first else node.other)
        case Relation():
            if node.sign not in RELATIONS:
                raise Unknown(node.sign)
            return RELATIONS[node.sign](evaluate(node.left), evaluate(node.right))
        case Apply():
            return _apply(node)


def _apply(node: Apply):
    if node.function not in FUNCTIONS:
        raise Unknown(node.function)
    values = [evaluate(a) for a in node.arguments]
    if node.omitted and node.function not in ("max", "min", "any", "all"):
        raise Unknown(f"{node.function} of many")
    try:
        return FUNCTIONS[node.function](*values)
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf


def _quotient(above, below):
    if below == 0:
        return math.nan if above == 0 or math.isnan(above) else math.copysign(math.inf, above)
    return above / below


def _power(base, exponent):
    try:
        return base**exponent
    except ZeroDivisionError:
        return math.inf
