"""The second text's routine: scores in a loop of torch.dot, softmax, a weighted sum by +=, then all rows at once."""

import torch


def program(inputs):
    query = inputs[1]  # "journey"
    attn_scores = torch.empty(6)
    for i, x_i in enumerate(inputs):
        attn_scores[i] = torch.dot(x_i, query)
    one_row = torch.softmax(attn_scores, dim=0)

    context_vec = torch.zeros(query.shape)
    for i, x_i in enumerate(inputs):
        context_vec += one_row[i] * x_i

    attn_weights = torch.softmax(inputs @ inputs.T, dim=-1)
    all_context_vecs = attn_weights @ inputs
    return attn_scores, one_row, context_vec, attn_weights, all_context_vecs


FIRST = {
    "inputs": torch.tensor(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    )
}
SECOND = {
    "inputs": torch.tensor(
        [[-0.2, 0.9, 0.4], [0.7, -0.3, 1.1], [0.1, 0.6, -0.8], [1.3, 0.35, 0.5], [-0.9, 0.45, 0.75], [0.65, 1.2, -0.15]]
    )
}
