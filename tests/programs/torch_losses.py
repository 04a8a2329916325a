"""Cross-entropy four ways: F.cross_entropy, log_softmax with nll_loss, by gather, by logsumexp; smoothing, ignoring."""

import torch
import torch.nn.functional as F


def program(logits, targets, wanted):
    one = F.cross_entropy(logits, targets)
    logp = F.log_softmax(logits, dim=-1)
    two = F.nll_loss(logp, targets)
    three = -logp.gather(1, targets.unsqueeze(1)).squeeze(1).mean()
    four = (torch.logsumexp(logits, dim=1) - logits[torch.arange(len(targets)), targets]).mean()
    summed = F.cross_entropy(logits, targets, reduction="sum")
    smoothed = F.cross_entropy(logits, targets, label_smoothing=0.1)
    padded = F.cross_entropy(logits, targets, ignore_index=0)
    perplexity = torch.exp(one)
    squared = F.mse_loss(logits.softmax(-1), wanted)
    divergence = F.kl_div(logp, wanted, reduction="batchmean")
    binary = F.binary_cross_entropy_with_logits(logits[:, 0], wanted[:, 0])
    return one, two, three, four, summed, smoothed, padded, perplexity, squared, divergence, binary


OPAQUE = True
FIRST = {
    "logits": torch.tensor([[0.5, -1.0, 2.0], [1.2, 0.3, -0.7], [0.1, 0.9, 0.4]]),
    "targets": torch.tensor([2, 0, 1]),
    "wanted": torch.tensor([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.25, 0.5, 0.25]]),
}
SECOND = {
    "logits": torch.tensor([[-0.6, 0.8, 1.1], [0.7, 1.4, -0.2], [-1.3, 0.6, 1.0]]),
    "targets": torch.tensor([1, 2, 0]),
    "wanted": torch.tensor([[0.4, 0.4, 0.2], [0.15, 0.05, 0.8], [0.3, 0.1, 0.6]]),
}
