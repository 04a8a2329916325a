"""An equation's LaTeX as one or more lines of plain text, for a terminal: ``softmax(Q Kᵀ / √d_k + M) V``."""

from __future__ import annotations

import re
import unicodedata

from workings.reading.formula.symbols import GREEK, SUBSCRIPTS, SUPERSCRIPTS

_TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.)|[{}^_&]|'+|\s+|.", re.DOTALL)
_SIGNS = {
    "cdot": "·", "odot": "⊙", "dots": "…", "ldots": "…", "cdots": "⋯", "le": "≤", "ge": "≥", "ne": "≠", "infty": "∞",
    "leftarrow": "←", "approx": "≈", "ell": "ℓ", "mid": "|", "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖",
    "max": "max", "min": "min", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tanh": "tanh", "sum": "Σ",
    "epsilon": "ε", "theta": "θ", "in": "∈", "times": "×", "top": "ᵀ", "prime": "′", "quad": " ", "arg": "arg",
}  # fmt: skip
_RELATIONS = set("=≈≤≥≠←∈<>|")
_FUNCTIONS = {"max", "min", "exp", "log", "sin", "cos", "tanh"}
_BINARY = set("+·⊙")
_SILENT = {"left", "right", "big", "Big", "bigg", "Bigg", "displaystyle"}
_UPRIGHT = {"operatorname", "operatorname*", "text", "mathrm", "mathsf", "mathbf"}
_RAISED = set("0123456789-−+in")
_OPEN, _CLOSE = "\x01", "\x02"  # around a fraction, until its neighbours are known


def plain_lines(latex: str) -> list[str]:
    """The formula as text. Aligned rows and formulas set apart by wide space become lines of their own."""
    body = re.sub(r"\\(begin|end)\{aligned\}", "", latex)
    parts = [body]
    for mark in (r",\s*\\qquad", r"\\qquad"):
        parts = [piece for part in parts for piece in re.split(mark, part)]
    rows = [row for part in parts for row in (part.split(r"\\") if r"\begin" not in part else [part])]
    lines = [_tidy(_Reader(row).read()) for row in rows]
    return [line for line in lines if line]


def plain(latex: str) -> str:
    """The same on one line."""
    return ",  ".join(plain_lines(latex))


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("( ", "(").replace(" )", ")")).strip()


class _Reader:
    """Reads LaTeX from left to right; every method gives back text."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)
        self.place = 0

    def read(self, until: str = "") -> str:
        out: list[str] = []
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            if token in (until, r"\end"):
                break
            _join(out, self.piece())
        return _bracketed("".join(out))

    def next(self) -> str:
        token: str = self.tokens[self.place]
        self.place += 1
        return token

    def group(self) -> str:
        """An argument: one pair of braces, or one token."""
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        if self.place < len(self.tokens) and self.tokens[self.place] == "{":
            self.place += 1
            inner = self.read("}")
            self.place += 1
            return inner
        return self.piece()

    def words(self) -> str:
        """An argument whose letters are words, not factors."""
        if self.tokens[self.place] != "{":
            return self.group()
        end = self.tokens.index("}", self.place)
        inner = self.tokens[self.place + 1 : end]
        self.place = end + 1
        return "".join(" " if token.startswith("\\") else token for token in inner)

    def piece(self) -> str:
        token = self.next()
        if token == "{":
            self.place -= 1
            return self.group()
        if token in "^_" and token:
            return self.script(token)
        if token[0] == "'":
            return "′" * len(token)
        if token == "&" or token.isspace():
            return "" if token == "&" else " "
        if token[0] != "\\":
            return f" {token} " if token in _RELATIONS - {"|"} or token == "+" else _minus(token)
        return self.command(token[1:])

    def command(self, name: str) -> str:
        if name in ("frac", "tfrac"):
            top, bottom = self.group(), self.group()
            return f" {_OPEN}{_held(top)} / {_held(bottom, tight=True)}{_CLOSE} "
        if name == "sqrt":
            inner = self.group().strip()
            return f"√({inner})" if " " in inner else f"√{inner}"
        if name in ("vec", "mathcal"):
            return self.group()
        if name in _UPRIGHT:
            inner = self.words()
            return "ᵀ" if name == "mathsf" and inner == "T" else inner
        if name == "hat":
            return unicodedata.normalize("NFC", self.group() + "\u0302")
        if name == "begin":
            return self.environment()
        if name in _SILENT or name in "!":
            return ""
        if name in GREEK:
            return GREEK[name][1]
        sign = _SIGNS.get(name)
        if sign is None:
            return {",": " ", ";": " ", " ": " ", ":": " ", "{": "{", "}": "}"}.get(name, "")
        return f" {sign} " if (sign in _RELATIONS and name not in ("lvert", "rvert")) or sign in _BINARY else sign

    def script(self, mark: str) -> str:
        inner = self.group().strip()
        if mark == "^":
            if inner in ("ᵀ", "′"):
                return inner
            if set(inner) <= _RAISED and "n" not in inner:
                return inner.translate(SUPERSCRIPTS)
            return f"^{inner}" if re.fullmatch(r"\w+", inner) else f"^({inner})"
        if inner.isdigit():
            return inner.translate(SUBSCRIPTS)
        if re.fullmatch(r"[^\W_]+", inner) and not inner[0].isdigit():
            return f"_{inner}"
        inner = re.sub(r"\s*([=,])\s*", r"\1", inner)
        return f"_{{{inner}}}"

    def environment(self) -> str:
        kind = self.group()
        rows: list[list[str]] = [[""]]
        while self.place < len(self.tokens) and self.tokens[self.place] != r"\end":
            if self.tokens[self.place] == "&":
                self.place += 1
                rows[-1].append("")
            elif self.tokens[self.place] == "\\\\":
                self.place += 1
                rows.append([""])
            else:
                pieces = [rows[-1][-1]]
                _join(pieces, self.piece())
                rows[-1][-1] = "".join(pieces)
        self.place += 1
        self.group()
        cells = [[_tidy(cell) for cell in row] for row in rows]
        if kind == "cases":
            return "{ " + "; ".join(_case(*row) for row in cells) + " }"
        return "[" + "; ".join(", ".join(row) for row in cells) + "]"


def _case(value: str, condition: str = "") -> str:
    return f"{value} {condition}" if condition == "otherwise" else f"{value} if {condition}"


def _bracketed(text: str) -> str:
    """Fractions in brackets where they are a factor among others or what a function is taken of."""

    def settle(match: re.Match[str]) -> str:
        before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
        alone = (not before or before[-1] in "=+−(,⊙≈·{|" + _CLOSE) and (not after or after[0] in "=+−),⊙≈≥≤;}|")
        return match[1] if alone else f"({match[1]})"

    return re.sub(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}", settle, text)


def _minus(token: str) -> str:
    return "−" if token == "-" else token


def _held(text: str, tight: bool = False) -> str:
    """A part of a fraction on the line: in brackets where a stroke would cut through it."""
    inner = text.strip()
    depth = 0
    loose = False
    for place, sign in enumerate(inner):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(sign, 0)
        if depth == 0 and ((sign in "+−" and place) or (tight and sign in " /")):
            loose = True
    if tight and re.fullmatch(r"Σ\S* \S+\([^()]*\)", inner):
        loose = False
    return f"({inner})" if loose else inner


def _join(out: list[str], piece: str) -> None:
    """Put two pieces side by side with the air that a reader needs between them."""
    if not piece:
        return
    before = out[-1] if out else ""
    if before and piece:
        last, first = before[-1], piece[0]
        running = before.endswith(tuple(_FUNCTIONS)) and first not in "(_^ ₀₁₂₃₄₅₆₇₈₉"
        runs_on = re.search(r"_[^\W_]{2,}$", before) and first.isalnum()
        matrix = (last.isupper() or (last in "ᵀ′" and len(before) > 0)) and first.isupper() and len(piece) == 1
        summed = re.search(r"Σ(_\{[^}]*\}|_\w+|)(\^\w+|\^\([^)]*\)|[⁰-⁹])?$", before) and first not in "_^⁰¹²³ᵀ"
        if piece == "−" and last not in " (^{=":
            piece = " − "
        elif (running or matrix or summed or runs_on) and last != " ":
            piece = " " + piece
    joined = before + piece
    out[:] = [joined]
