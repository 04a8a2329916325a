"""Calls on a page: which stand for others like them, and what the names inside one of our helpers mean outside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from workings.reading.formula.latex import LatexPrinter
from workings.reading.formula.symbols import symbol
from workings.reading.sections import Section
from workings.views.naming import last_name

_MOST_CALLS = 4  # calls of one function from one line that are all shown
_PROJECTIONS = {f"W_{letter}": f"W^{letter}" for letter in "QKVO"}


def repeats(section: Section) -> dict[int, int]:
    """How often each called section stands for: 0 for one that another stands for."""
    called = [s for s in section.items if isinstance(s, Section) and s.kind == "call" and s.site is not None]
    keys = [(s.name, s.site.file, s.site.line) for s in called if s.site is not None]
    counts = Counter(keys)
    out: dict[int, int] = {}
    seen: set[tuple[str, str, int]] = set()
    for each, key in zip(called, keys, strict=True):
        small = all(len(v.shape) < 2 for e in each.entries() for v in e.values)
        if counts[key] == 1 or (not small and counts[key] <= _MOST_CALLS):
            continue
        out[id(each)] = 0 if key in seen else counts[key]
        seen.add(key)
    return out


def outer_symbols(addresses: Mapping[str, str], outer: Section) -> dict[str, str]:
    """The LaTeX of each name inside a helper, from the address of its value and the symbols of the section around."""
    said = outer.equation.symbols if outer.equation is not None else {}
    known = _PROJECTIONS | {name: letter for name, letter in said.items() if not re.search(r"[\s(,+]", letter)}
    names = {name: last_name(address) for name, address in addresses.items()}
    return {name: known.get(outside) or LatexPrinter().show(symbol(outside, {})) for name, outside in names.items()}
