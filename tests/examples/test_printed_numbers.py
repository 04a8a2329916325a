"""Every number printed in the two texts, one by one, against the example that computes it."""

import math

import numpy as np
import pytest

from .support import Printed, facts, printed_numbers, run

NUMBERS = printed_numbers()
SETTINGS = [setting for text in facts() for setting in text["setting"]]


def test_none_is_missing():
    assert len({number.id for number in NUMBERS}) == len(NUMBERS)
    counted = sum(text["totals"]["number"] + text["totals"]["table_cells"] for text in facts())
    assert len([n for n in NUMBERS if ".also-" not in n.id]) == counted == 189


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: n.id)
def test_printed_number(number: Printed):
    value = float(run(number.example, number.sentence)[number.address]) * number.factor
    assert f"{value:.{number.decimals}f}" == number.text, number.place
    if number.given:
        assert value == float(number.text), number.place


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s["id"])
def test_setting(setting):
    working = run(setting["example"], setting.get("sentence"))
    for address in [setting["address"], *setting.get("also", [])]:
        found = (
            PARAMETERS[setting["name"]](working)
            if setting["of"] == "parameter"
            else measured(working, address, setting["of"])
        )
        assert np.allclose(found, setting["value"][: len(found)], atol=1e-12), setting["place"]
        assert len(found) == len(setting["value"]) or len(set(setting["value"])) == 1


def measured(working, address, what):
    """A size of a value, or the number of the row that an address names."""
    if what == "index":
        row = address.partition("[")[2].partition(",")[0]
        return [working[address.partition("[")[0]].labels[0].index(row)]
    shape = np.shape(working[address].value)
    return {"shape": list(shape), "rows": [shape[0]], "columns": [shape[-1]]}[what]


def heads(working):
    parent = next(g.number for g in working.groups if g.name == "heads")
    return [sum(g.parent == parent and g.kind == "section" for g in working.groups)]


def angles(working):
    return [math.atan2(sine, cosine) for sine, cosine in working["positions.encoding"].value]


def frequency(working):
    """1/10000^0 = 1, from its parts."""
    base = 10000.0
    exponent = float(working["positions.exponents[0]"])
    divisor = float(working["positions.divisors[0]"])
    assert divisor == base**exponent
    return [1, base, exponent, 1 / divisor]


PARAMETERS = {
    "heads": heads,
    "frequency": frequency,
    "angles": angles,
    "position range": lambda w: [
        float(np.min(w["positions.positions"].value)),
        float(np.max(w["positions.positions"].value)),
    ],
    "positions": lambda w: np.ravel(w["positions.positions"].value).tolist(),
}
