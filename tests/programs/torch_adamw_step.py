"""torch.optim.AdamW steps on a feed-forward network, with gradient clipping and a learning-rate schedule."""

import torch
from torch import nn


def program(x, y):
    torch.manual_seed(10)
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.05, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimiser, step_size=1, gamma=0.5)
    criterion = nn.MSELoss()
    history = []
    model.train()
    for epoch in range(3):
        optimiser.zero_grad(set_to_none=True)
        loss = criterion(model(x).squeeze(-1), y)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
        optimiser.step()
        schedule.step()
        history.append((loss.item(), norm.item()))
    return history, [p.detach() for p in model.parameters()]


FIRST = {"x": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]), "y": torch.tensor([0.9, -0.4, 0.7])}
SECOND = {"x": torch.tensor([[0.35, -0.7], [1.2, 0.5], [-0.9, 0.15]]), "y": torch.tensor([0.2, 1.1, -0.5])}
