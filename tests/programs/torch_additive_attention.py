"""Additive attention in a module with two projections and a score vector, inside a recurrent loop of nn.GRUCell."""

import torch
from torch import nn


class AdditiveAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.W, self.U, self.v = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, 1, bias=False)

    def forward(self, state, encoded):
        energy = self.v(torch.tanh(self.W(state).unsqueeze(1) + self.U(encoded))).squeeze(-1)
        weights = energy.softmax(dim=-1)
        return torch.bmm(weights.unsqueeze(1), encoded).squeeze(1), weights


def program(encoded, inputs):
    torch.manual_seed(15)
    attention, cell = AdditiveAttention(3), nn.GRUCell(5, 3)
    state = encoded.mean(dim=1)
    states, alignments = [], []
    for x in inputs.unbind(dim=1):
        context, weights = attention(state, encoded)
        state = cell(torch.cat([x, context], dim=-1), state)
        states.append(state)
        alignments.append(weights)
    return torch.stack(states, dim=1), torch.stack(alignments, dim=1)


FIRST = {
    "encoded": torch.sin(torch.arange(12.0)).reshape(1, 4, 3),
    "inputs": torch.cos(torch.arange(4.0)).reshape(1, 2, 2),
}
SECOND = {
    "encoded": torch.sin(1.3 * torch.arange(12.0) + 0.4).reshape(1, 4, 3),
    "inputs": torch.cos(0.6 * torch.arange(4.0) + 0.9).reshape(1, 2, 2),
}
