"""The forward algorithm and Viterbi for a hidden Markov model, with argmax kept per step and followed backwards."""

import numpy as np

OBSERVED = [0, 2, 1, 2]


def program(start, transition, emission):
    alpha = np.zeros((len(OBSERVED), len(start)))
    alpha[0] = start * emission[:, OBSERVED[0]]
    for t in range(1, len(OBSERVED)):
        for j in range(len(start)):
            alpha[t, j] = (alpha[t - 1] * transition[:, j]).sum() * emission[j, OBSERVED[t]]
    delta = np.log(start * emission[:, OBSERVED[0]])
    back = []
    for o in OBSERVED[1:]:
        candidates = delta[:, None] + np.log(transition)
        back.append(candidates.argmax(axis=0))
        delta = candidates.max(axis=0) + np.log(emission[:, o])
    path = [int(delta.argmax())]
    for pointer in reversed(back):
        path.insert(0, int(pointer[path[0]]))
    return alpha, alpha[-1].sum(), delta.max(), path


FIRST = {
    "start": np.array([0.6, 0.4]),
    "transition": np.array([[0.7, 0.3], [0.4, 0.6]]),
    "emission": np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
}
SECOND = {
    "start": np.array([0.55, 0.45]),
    "transition": np.array([[0.65, 0.35], [0.25, 0.75]]),
    "emission": np.array([[0.6, 0.25, 0.15], [0.2, 0.35, 0.45]]),
}
