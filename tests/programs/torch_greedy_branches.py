"""A generation loop with cat, argmax, a temperature and an early stop: other tokens on the second input."""

import torch
from torch import nn

BRANCHES = True


class Bigram(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.table = nn.Embedding.from_pretrained(table)

    def forward(self, ids):
        return self.table(ids)

    @torch.no_grad()
    def generate(self, ids, n, temperature, end=0):
        chances = []
        for _ in range(n):
            logits = self(ids)[:, -1, :] / temperature
            probs = logits.softmax(dim=-1)
            next_id = probs.argmax(dim=-1, keepdim=True)
            chances.append(probs.max().item())
            ids = torch.cat([ids, next_id], dim=1)
            if next_id.item() == end:
                break
        return ids, chances


def program(table, start, temperature):
    model = Bigram(table)
    ids, chances = model.generate(start, 5, temperature)
    return ids.sum(), sum(chances), len(chances)


FIRST = {
    "table": torch.tensor([[0.1, 0.2, 0.3], [-0.5, 0.3, 1.4], [1.2, 0.9, 0.1]]),
    "start": torch.tensor([[1]]),
    "temperature": 0.7,
}
SECOND = {
    "table": torch.tensor([[0.2, 0.5, 0.4], [0.3, -0.2, 0.9], [0.6, 1.7, 0.2]]),
    "start": torch.tensor([[2]]),
    "temperature": 1.3,
}
