"""An activation with if/elif/else whose branches go another way on the second input."""

BRANCHES = True


def leaky(x, slope=0.1):
    if x > 0:
        return x
    return slope * x


def huber(error, delta=1.0):
    if abs(error) <= delta:
        return 0.5 * error**2
    elif error > 0:
        return delta * (error - 0.5 * delta)
    else:
        return delta * (-error - 0.5 * delta)


def program(predicted, wanted):
    loss = 0.0
    for p, w in zip(predicted, wanted):
        loss += huber(leaky(p) - w)
    return loss, [leaky(p) for p in predicted]


FIRST = {"predicted": [0.5, -1.2, 1.8], "wanted": [0.4, 0.6, -0.3]}
SECOND = {"predicted": [-0.9, 0.7, 0.2], "wanted": [1.3, -1.1, 0.1]}
