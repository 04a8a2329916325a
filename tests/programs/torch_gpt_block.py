"""A small decoder-only model: embeddings, a config dictionary, pre-norm blocks, a final norm, logits, the loss."""

import torch
import torch.nn.functional as F
from torch import nn

CONFIG = {"vocabulary": 6, "context": 4, "width": 4, "heads": 2, "layers": 2}


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d = cfg["width"]
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, cfg["heads"], batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.register_buffer("mask", torch.triu(torch.ones(cfg["context"], cfg["context"]), 1).bool())

    def forward(self, x):
        t = x.shape[1]
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=self.mask[:t, :t], need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok, self.pos = nn.Embedding(cfg["vocabulary"], cfg["width"]), nn.Embedding(cfg["context"], cfg["width"])
        self.drop = nn.Dropout(0.1)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(cfg["layers"])])
        self.norm, self.head = nn.LayerNorm(cfg["width"]), nn.Linear(cfg["width"], cfg["vocabulary"], bias=False)

    def forward(self, ids, targets=None):
        x = self.drop(self.tok(ids) + self.pos(torch.arange(ids.shape[1], device=ids.device)))
        logits = self.head(self.norm(self.blocks(x)))
        loss = None if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss


def program(ids, targets):
    torch.manual_seed(11)
    model = GPT(CONFIG).eval()
    logits, loss = model(ids, targets)
    loss.backward()
    return logits, loss, model.tok.weight.grad, model.blocks[0].mlp[0].weight.grad.norm()


FIRST = {"ids": torch.tensor([[1, 2, 3], [4, 0, 5]]), "targets": torch.tensor([[2, 3, 1], [0, 5, 4]])}
SECOND = {"ids": torch.tensor([[5, 3, 2], [0, 4, 1]]), "targets": torch.tensor([[3, 2, 0], [4, 1, 5]])}
