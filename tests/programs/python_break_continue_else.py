"""break, continue and for-else over a list of scores, with reversed and range counting down."""


def first_above(scores, threshold):
    for i, score in enumerate(scores):
        if score > threshold:
            found = i
            break
    else:
        found = -1
    return found


def program(scores, threshold, decay):
    at = first_above(scores, threshold)
    nowhere = first_above(scores, 100.0)
    kept = 0.0
    for score in scores:
        if score < 0:
            continue
        kept += score
    discounted = 0.0
    for score in reversed(scores):
        discounted = score + decay * discounted
    returns = [0.0] * len(scores)
    for t in range(len(scores) - 1, -1, -1):
        returns[t] = scores[t] + (decay * returns[t + 1] if t + 1 < len(scores) else 0.0)
    return scores[at] - threshold, nowhere, kept, discounted, returns


FIRST = {"scores": [0.2, -0.5, 1.4, 0.9], "threshold": 1.0, "decay": 0.9}
SECOND = {"scores": [0.6, -1.1, 1.9, 0.3], "threshold": 0.8, "decay": 0.7}
