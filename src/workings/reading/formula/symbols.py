"""Names and numbers of a program as the symbols a person writes, and text made safe for LaTeX and for a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from workings.reading.formula.nodes import Node, Number, Symbol, Words

# name in a program: LaTeX, text
GREEK: dict[str, tuple[str, str]] = {
    name: ("\\" + name, letter)
    for letter, name in {
        "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ζ": "zeta", "η": "eta", "θ": "theta", "κ": "kappa",
        "λ": "lambda", "μ": "mu", "ν": "nu", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi",
        "ω": "omega", "π": "pi", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Σ": "Sigma", "Φ": "Phi",
        "Ψ": "Psi", "Ω": "Omega",
    }.items()
} | {"eps": (r"\varepsilon", "ε"), "epsilon": (r"\varepsilon", "ε"), "lam": (r"\lambda", "λ")}  # fmt: skip
_BY_LETTER = {letter: latex for latex, letter in GREEK.values()} | {"ξ": r"\xi"}
_ACCENTS = {"hat": (r"\hat", "\u0302"), "bar": (r"\bar", "\u0304"), "tilde": (r"\tilde", "\u0303")}
# Capitals that usually stand for matrices; B, C, D, H, L, N, T usually count something.
_MATRICES = set("AEGKMPQRSUVWXYZ")
# xi is x_i: the names of loop variables over a vector, where the Greek letter is hardly ever meant.
_RUNNING = re.compile(r"^([hkqsvwxyz])([ijt])$")
_SHORT_WORDS = {"in", "id", "up", "to", "no", "on", "at"}
_NUMBERED = re.compile(r"^(\D+)(\d+)$")

_LONGEST_INTEGER = 40  # digits of a binary or hexadecimal number that is still worth writing in decimals

SUPERSCRIPTS = str.maketrans("0123456789−-+in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺ⁱⁿ")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def clean(text: str) -> str:
    """``text`` on one line, with nothing in it that could move a cursor or hide."""
    return "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))


def escape(text: str) -> str:
    """``text`` as LaTeX sets it in an upright box, letter for letter."""
    return "".join(_ESCAPES.get(character, character) for character in clean(text))


def upright(name: str) -> str:
    """A name of several letters in LaTeX. Letters beyond ASCII need the text font."""
    return rf"\mathrm{{{escape(name)}}}" if name.isascii() else rf"\text{{{escape(name)}}}"


def operator(name: str, latex: str = "") -> Symbol:
    """The symbol of a function, upright; ``latex`` where it has a command of its own."""
    return Symbol(latex or rf"\operatorname{{{escape(name)}}}", clean(name), wide=len(name) > 1, operator=True)


def symbol(name: str, given: Mapping[str, str]) -> Symbol:
    """The symbol of a variable: as ``given``, or a letter with its indices, or the whole name upright."""
    if name in given:
        return _given(given[name])
    stem = name.rstrip("_") or name
    running = _RUNNING.match(stem) if stem != "hi" else None  # high, as in ``lo, hi``
    head, *rest = [*running.groups()] if running else [part for part in stem.split("_") if part] or [name]
    if not running and (numbered := _NUMBERED.match(head)) and _letter(numbered[1]):
        head, rest = numbered[1], [numbered[2], *rest]
    letter = _letter(head)
    accent = _ACCENTS.get(rest[0]) if rest and letter else None
    rest = rest[1:] if accent else rest
    fits = len(rest) <= 2 and sum(len(part) > 1 and not part.isdigit() for part in rest) <= 1
    if stem.startswith("_") or not letter or not fits:
        return _long(stem, head, rest)
    latex, text = letter
    if accent:
        latex, text = f"{accent[0]}{{{latex}}}", unicodedata.normalize("NFC", text + accent[1])
    matrix = head in _MATRICES and not any(part.islower() and len(part) == 1 for part in rest)
    shown = ",".join(rest) if any(len(part) > 1 for part in rest) else "".join(rest)
    if len(rest) == 1 and rest[0].isdigit():
        text += rest[0].translate(SUBSCRIPTS)
    elif rest:
        text += "_" + ("".join(_text_of(part) for part in rest) if len(shown) == len(rest) else shown)
    return Symbol(latex, text, tuple(index for part in rest for index in _indices(part)), matrix=matrix)


def _letter(name: str) -> tuple[str, str] | None:
    if name in GREEK:
        return GREEK[name]
    if len(name) == 1 and name.isascii() and name.isalpha():
        return name, name
    return (_BY_LETTER[name], name) if name in _BY_LETTER else None


def _text_of(part: str) -> str:
    letter = _letter(part)
    return letter[1] if letter else part


def _indices(part: str) -> tuple[Node, ...]:
    """What a part of a name says as an index: a number, a letter, two letters (``W_hh``), or a word."""
    if part.isdigit():
        return (Number(part),)
    letter = _letter(part)
    if letter:
        return (Symbol(*letter),)
    if len(part) == 2 and part.isascii() and part.isalpha() and part.islower() and part not in _SHORT_WORDS:
        return tuple(Symbol(each, each) for each in part)
    return (Words(part),)


def _long(stem: str, head: str, rest: list[str]) -> Symbol:
    """A name of several letters, keeping one last letter as an index: ``grid_x``."""
    if len(rest) == 1 and len(rest[0]) == 1 and not stem.startswith("_") and len(head) > 1:
        return Symbol(upright(head), clean(stem), _indices(rest[0]), wide=True)
    return Symbol(upright(stem), clean(stem), wide=True)


def _given(latex: str) -> Symbol:
    text = plain(latex)
    outer = re.sub(r"\{[^{}]*\}", "{}", latex)
    letters = re.sub(r"[_^].*", "", text)
    return Symbol(
        latex,
        text,
        wide=len(unicodedata.normalize("NFC", letters)) > 1,
        matrix=letters in _MATRICES,
        raised="^" in outer,
        lowered="_" in outer,
    )


def plain(latex: str) -> str:
    """A symbol's LaTeX as text for a terminal: ``W^{Q}`` is W^Q, ``\\lambda_i`` is λ_i."""
    text = re.sub(r"\\top\b|\\mathsf\{?\s*T\}?", "ᵀ", latex)
    text = re.sub(r"\\(hat|bar|tilde|vec)\s*\{?\s*(\\[A-Za-z]+|\w)\s*\}?", _accented, text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: GREEK[m[1]][1] if m[1] in GREEK else _COMMANDS.get(m[1], m[1]), text)
    text = re.sub(r"\\([^A-Za-z])", lambda m: m[1] if m[1] in "_%#&${}" else " " if m[1] in ", ;:" else "", text)
    return clean(text.replace("{", "").replace("}", "").replace("^ᵀ", "ᵀ").replace("^'", "′"))


_COMMANDS = {"varepsilon": "ε", "epsilon": "ε", "infty": "∞", "ell": "ℓ", "prime": "′", "cdot": "·", "xi": "ξ"}
_COMMANDS |= dict.fromkeys(("mathrm", "mathbf", "mathit", "mathcal", "mathsf", "mathbb", "text", "operatorname"), "")


def _accented(match: re.Match[str]) -> str:
    mark = {"vec": "\u20d7"} | {name: mark for name, (_, mark) in _ACCENTS.items()}
    letter = match[2]
    letter = GREEK[letter[1:]][1] if letter[1:] in GREEK else letter
    return unicodedata.normalize("NFC", letter + mark[match[1]])


def number(source: str) -> Number:
    """A number as it stands in the source: ``1e-5`` keeps its power of ten, ``1_000`` loses its underscore."""
    digits = source.replace("_", "").lower()
    imaginary = digits.endswith("j")
    digits = digits.rstrip("j")
    if digits.startswith(("0x", "0b", "0o")):
        return Number(str(int(digits, 0)) if len(digits) < _LONGEST_INTEGER else digits)
    mantissa, _, exponent = digits.partition("e")
    if not exponent:
        return Number(mantissa, imaginary=imaginary)
    mantissa = "1" if re.fullmatch(r"1(\.0*)?", mantissa) else mantissa
    return Number(mantissa, str(int(exponent)), imaginary)
