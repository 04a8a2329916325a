"""Numbers leaving tensors: item(), float(), int(argmax), tolist(), math, f-strings, and a tensor made from them."""

import math

import torch


def program(scores, values):
    exps = [math.exp(s.item()) for s in scores]
    total = sum(exps)
    weights = torch.tensor([e / total for e in exps])
    context = torch.zeros(values.shape[1])
    for w, v in zip(weights, values):
        context += w.item() * v
    best = int(torch.argmax(scores))
    chosen = values[best]
    listed = values.tolist()
    mean = sum(sum(row) for row in listed) / values.numel()
    scaled = chosen * mean + float(scores[0]) / math.sqrt(len(scores))
    caption = f"{scores.max():.2f} of {total:.3f}"
    if scores[best] > 0:
        scaled = scaled * 2
    return weights, context, chosen, mean, scaled, len(caption), torch.tensor(mean).sqrt()


FIRST = {"scores": torch.tensor([0.5, -1.0, 1.3]), "values": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6]])}
SECOND = {"scores": torch.tensor([0.9, 0.1, 1.6]), "values": torch.tensor([[0.7, -0.4], [0.5, 1.3], [0.6, 0.9]])}
