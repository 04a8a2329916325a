"""Text made safe for pdflatex, whose fonts know little beyond European letters."""

from __future__ import annotations

import unicodedata

from workings.reading.formula.symbols import GREEK, SUBSCRIPTS, SUPERSCRIPTS
from workings.views.tables import visible

_ESCAPES = {
    "\\": r"$\backslash$", "{": r"$\{$", "}": r"$\}$", "_": r"\_", "%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", '"': r"\textquotedblright{}", "'": r"{'}", "`": r"{`}",
    "-": r"{-}", "<": "$<$", ">": "$>$", "|": r"$\vert$",
}  # fmt: skip
_SIGNS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "≈": r"\approx", "∞": r"\infty", "→": r"\to", "←": r"\leftarrow",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "√": r"\surd", "Σ": r"\Sigma", "∈": r"\in", "∉": r"\notin", "∧": r"\land",
    "∨": r"\lor", "¬": r"\lnot", "⊙": r"\odot", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    "ᵀ": r"^{\top}", "′": r"'", "‖": r"\Vert", "ℓ": r"\ell", "∂": r"\partial", "±": r"\pm", "÷": r"\div",
    "ℝ": r"\mathbb{R}", "⏎": r"\hookleftarrow", "⇥": r"\mapsto", "∇": r"\nabla", "⊕": r"\oplus", "⊗": r"\otimes",
    "∗": r"\ast",
}  # fmt: skip
_WORDS = {"…": r"\ldots{}", "␣": r"\textvisiblespace{}", "§": r"\S{}", "–": r"\textendash{}", "—": r"\textemdash{}",
          "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}", "‘": r"\textquoteleft{}",
          "’": r"\textquoteright{}", "\xa0": "~"}  # fmt: skip
_LETTERS = {letter: latex for latex, letter in GREEK.values()}
_RAISED = {chr(raised): chr(plain) for plain, raised in SUPERSCRIPTS.items() if isinstance(raised, int)}
_LOWERED = {chr(lowered): chr(plain) for plain, lowered in SUBSCRIPTS.items() if isinstance(lowered, int)}
# Letters that pdflatex's own fonts can put together from a base letter and an accent.
_EUROPEAN = set("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĆćČčĎďĚěĞğŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŮůŰűŹźŻżŽž")


def escape(text: str) -> str:
    """Text as LaTeX sets it in a paragraph, letter for letter; letters no font here has stand as their code point."""
    return "".join(map(_letter, unicodedata.normalize("NFC", visible(text)))) if text else ""


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isascii():
        return letter
    if letter in _WORDS:
        return _WORDS[letter]
    if letter in _SIGNS:
        return f"${_SIGNS[letter]}$" if not _SIGNS[letter].startswith("^") else f"${{}}{_SIGNS[letter]}$"
    if letter in _LETTERS:
        return f"${_LETTERS[letter]}$"
    if letter in _RAISED:
        return f"$^{{{_RAISED[letter].replace('−', '-')}}}$"
    if letter in _LOWERED:
        return f"$_{{{_LOWERED[letter]}}}$"
    if letter in _EUROPEAN:
        return letter
    return rf"{{\footnotesize[U+{ord(letter):04X}]}}"


def set_width(text: str) -> int:
    """About how many letters wide ``text`` is set: letters without a glyph stand as their code point."""
    return sum(7 if _letter(c).startswith("{\\footnotesize") else 1 for c in visible(text))


def formula_safe(latex: str) -> str:
    """A formula whose own words may hold letters that no font here has."""
    return "".join(c if c.isascii() else _in_formula(c) for c in latex)


def _in_formula(letter: str) -> str:
    safe = _letter(letter)
    return rf"\text{{{safe}}}"
