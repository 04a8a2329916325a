"""Additive attention with tanh, a loop over decoder states and a score vector per state."""

import numpy as np


def program(encoder_states, decoder_states, W_a, U_a, v_a):
    keys = encoder_states @ U_a.T
    contexts, alignments = [], []
    for s in decoder_states:
        energies = np.array([v_a @ np.tanh(W_a @ s + key) for key in keys])
        alpha = np.exp(energies)
        alpha /= np.sum(alpha)
        context = np.zeros(encoder_states.shape[1])
        for a, h in zip(alpha, encoder_states):
            context = context + a * h
        contexts.append(context)
        alignments.append(alpha)
    return np.vstack(contexts), np.vstack(alignments)


FIRST = {
    "encoder_states": np.array([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]),
    "decoder_states": np.array([[0.3, 0.9], [-0.4, 0.6]]),
    "W_a": np.array([[0.1, 0.7], [-0.5, 0.4], [0.9, -0.3]]),
    "U_a": np.array([[0.6, 0.2], [0.35, -0.8], [-0.1, 1.1]]),
    "v_a": np.array([1.0, -0.6, 0.8]),
}
SECOND = {
    "encoder_states": np.array([[-0.9, 0.4], [0.15, 1.3], [0.65, -0.7]]),
    "decoder_states": np.array([[1.1, -0.2], [0.75, 0.45]]),
    "W_a": np.array([[-0.6, 0.25], [0.8, 0.3], [0.5, 1.2]]),
    "U_a": np.array([[0.9, -0.4], [-0.15, 0.55], [0.7, 0.1]]),
    "v_a": np.array([-0.5, 1.4, 0.2]),
}
