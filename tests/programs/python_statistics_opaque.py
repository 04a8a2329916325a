"""The statistics module and a JSON round trip: standard-library code that hides its arithmetic."""

import json
import statistics

OPAQUE = True


def program(values):
    spread = statistics.pstdev(values)
    middle = statistics.fmean(values)
    saved = json.dumps({"spread": spread, "values": values})
    loaded = json.loads(saved)
    return [(v - middle) / loaded["spread"] for v in loaded["values"]]


FIRST = {"values": [0.5, -1.0, 1.5, 0.25]}
SECOND = {"values": [1.3, 0.7, -0.6, 1.9]}
