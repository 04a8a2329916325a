"""topk, sort, argmax, gather, scatter, index_select, masked_select, max with indices, one_hot, where."""

import torch
import torch.nn.functional as F


def program(logits, table):
    top, ids = torch.topk(logits, k=2, dim=-1)
    filtered = torch.where(logits < top[:, -1:], torch.tensor(float("-inf")), logits)
    probs = torch.softmax(filtered, dim=-1)
    ordered, order = torch.sort(logits, dim=-1, descending=True)
    cumulative = torch.cumsum(ordered.softmax(-1), dim=-1)
    remove = cumulative - ordered.softmax(-1) > 0.8
    nucleus = ordered.masked_fill(remove, float("-inf")).softmax(-1)
    back = torch.zeros_like(logits).scatter(1, order, nucleus)
    best = torch.argmax(logits, dim=-1, keepdim=True)
    values, where = logits.max(dim=1)
    chosen = torch.gather(logits, 1, best)
    rows = torch.index_select(table, 0, ids[0])
    one_hot = F.one_hot(where, num_classes=4).float() @ table
    summed = torch.zeros(4, 2).index_add(0, ids[:, 0], table[:2])
    return top, probs, back, chosen, values, rows, one_hot, summed, logits.masked_select(logits > 0).sum()


FIRST = {
    "logits": torch.tensor([[0.5, -1.0, 2.0, 0.9], [1.2, 0.3, -0.7, 0.8]]),
    "table": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]]),
}
SECOND = {
    "logits": torch.tensor([[1.4, 0.6, -0.4, 1.1], [-0.2, 0.7, 1.9, 0.1]]),
    "table": torch.tensor([[0.7, -0.4], [0.5, 1.3], [-0.6, 0.9], [1.1, 0.35]]),
}
