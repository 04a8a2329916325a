"""A formula's LaTeX as MathML."""

from __future__ import annotations

import re

# The converter knows no escapes inside upright text: they travel through it as characters of the private area.
_HIDDEN = {
    r"\textbackslash{}": ("\ue000", "\\"),
    r"\textasciicircum{}": ("\ue001", "^"),
    r"\textasciitilde{}": ("\ue002", "~"),
    r"\{": ("\ue003", "{"),
    r"\}": ("\ue004", "}"),
    r"\_": ("\ue005", "_"),
    r"\%": ("\ue006", "%"),
    r"\#": ("\ue007", "#"),
    r"\&": ("\ue008", "&amp;"),
    r"\$": ("\ue009", "$"),
    r"\,": ("\ue00a", "\N{THIN SPACE}"),
}
_CODED = re.compile(r"&#x([0-9A-Fa-f]+);")
_BRACE = re.compile(r">\\([{}])</mo>")  # of a brace that is made larger the converter leaves the backslash
_BOX = re.compile(r"\\(text|texttt|mathrm|operatorname)\{((?:[^{}\\]|\\[^A-Za-z]|\\text[a-z]+\{\})*)\}")


def mathml(latex: str) -> str:
    """The ``<math>`` element of a displayed formula."""
    from latex2mathml.converter import convert  # kept from every program that only wants text

    return _unhide(_BRACE.sub(r">\1</mo>", _CODED.sub(_sign, str(convert(_hide(latex), display="block")))))


def _sign(code: re.Match[str]) -> str:
    """A sign as itself, but for those that mean something to a reader of XML."""
    sign = chr(int(code[1], 16))
    return code[0] if sign in "<>&" else sign


def _hide(latex: str) -> str:
    def boxed(match: re.Match[str]) -> str:
        kind, inner = match[1], match[2]
        for escaped, (mark, _) in _HIDDEN.items():
            inner = inner.replace(escaped, mark)
        if kind == "mathrm" or (kind == "operatorname" and not inner.isalpha()):
            kind = "text"
        return rf"\{kind}{{{inner}}}"

    # The converter knows these by other names.
    known = latex.replace("{aligned}", "{split}").replace(r"\operatorname*", r"\operatorname")
    return _BOX.sub(boxed, known)


def _unhide(mathml: str) -> str:
    for mark, shown in _HIDDEN.values():
        mathml = mathml.replace(mark, shown)
    return mathml
