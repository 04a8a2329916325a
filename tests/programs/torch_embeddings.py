"""nn.Embedding for tokens and positions, a lookup by ids, tied output weights and logits."""

import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, table, length):
        super().__init__()
        self.tokens = nn.Embedding.from_pretrained(table, freeze=False)
        self.positions = nn.Embedding(length, table.shape[1])
        nn.init.normal_(self.positions.weight, std=0.2)
        self.head = nn.Linear(table.shape[1], table.shape[0], bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[-1]))
        return x, self.head(x)


def program(table, ids):
    torch.manual_seed(6)
    embedder = Embedder(table, 4)
    x, logits = embedder(ids)
    return x, logits, table[ids].sum(dim=1)


FIRST = {
    "table": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]]),
    "ids": torch.tensor([[0, 1, 2], [3, 1, 0]]),
}
SECOND = {
    "table": torch.tensor([[0.7, -0.4], [0.5, 1.3], [-0.6, 0.9], [1.1, 0.35]]),
    "ids": torch.tensor([[2, 3, 1], [0, 2, 3]]),
}
