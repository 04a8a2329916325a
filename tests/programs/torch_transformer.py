"""nn.Transformer, encoder and decoder, with a target mask and an output layer turned into probabilities."""

import torch
from torch import nn


def program(source, target):
    torch.manual_seed(5)
    model = nn.Transformer(
        d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=2, dim_feedforward=8, dropout=0.1, batch_first=True
    )
    head = nn.Linear(4, 5)
    model.eval()
    mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
    hidden = model(source, target, tgt_mask=mask)
    probabilities = head(hidden).softmax(-1)
    memory = model.encoder(source)
    with torch.no_grad():
        again = model.decoder(target, memory, tgt_mask=mask)
    return hidden, probabilities, memory, again


FIRST = {
    "source": torch.sin(torch.arange(12.0)).reshape(1, 3, 4),
    "target": torch.cos(torch.arange(8.0)).reshape(1, 2, 4),
}
SECOND = {
    "source": torch.sin(1.3 * torch.arange(12.0) + 0.4).reshape(1, 3, 4),
    "target": torch.cos(0.6 * torch.arange(8.0) + 0.9).reshape(1, 2, 4),
}
