"""A deque with a maximum length, a defaultdict and a Counter in a streaming average."""

from collections import Counter, defaultdict, deque, namedtuple

Reading = namedtuple("Reading", ["sensor", "value"])


def program(left, right, alpha):
    readings = [Reading("left", v) for v in left] + [Reading("right", v) for v in right]
    window = deque(maxlen=3)
    averages = []
    by_sensor = defaultdict(list)
    for reading in readings:
        window.append(reading.value)
        averages.append(sum(window) / len(window))
        by_sensor[reading.sensor].append(reading.value)
    means = {sensor: sum(values) / len(values) for sensor, values in by_sensor.items()}
    weights = Counter()
    for sensor, value in readings:
        weights[sensor] += value * alpha
    window.appendleft(averages[0])
    window.rotate(1)
    return averages, means, dict(weights), list(window)


FIRST = {"left": [0.5, 1.0, -0.5], "right": [2.0, 0.25], "alpha": 0.5}
SECOND = {"left": [0.9, -0.3, 1.4], "right": [-1.2, 0.7], "alpha": 1.5}
