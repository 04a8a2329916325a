"""Many scalar steps."""


def program(x, rate):
    for i in range(3000):
        x = x - rate * (x * x - 2.0)
        if i % 1000 == 0:
            rate *= 0.5
    return x


FIRST = {"x": 1.0, "rate": 0.1}
SECOND = {"x": 2.0, "rate": 0.05}
