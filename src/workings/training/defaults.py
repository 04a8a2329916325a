"""What a run file need not say, by task: sizes that train in minutes on two processor cores."""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, dict[str, dict[str, Any]]] = {
    "translate": {
        "tokeniser": {"kind": "bpe", "vocabulary": 8000},
        "model": {
            "width": 256,
            "heads": 4,
            "encoder_layers": 3,
            "decoder_layers": 3,
            "context": 256,
            "positions": "rotary",
            "dropout": 0.1,
        },
        "batches": {"tokens": 2048},
        "training": {"steps": 10_000, "warmup": 800, "rate": 1.2e-3, "smoothing": 0.1, "patience": 5},
    },
    "lm": {
        "tokeniser": {"kind": "character"},
        "model": {"width": 128, "heads": 4, "decoder_layers": 4, "context": 64, "positions": "learned"},
        "batches": {"rows": 12},
        "training": {
            "steps": 2000,
            "schedule": "cosine",
            "warmup": 100,
            "rate": 1e-3,
            "decay": 0.1,
            "betas": [0.9, 0.99],
        },
    },
    "classify": {
        "tokeniser": {"kind": "bpe", "vocabulary": 4000},
        "model": {"width": 128, "heads": 4, "encoder_layers": 2, "context": 256, "dropout": 0.3},
        "batches": {"tokens": 2048},
        "training": {"steps": 2000, "warmup": 200, "rate": 5e-4, "validate_every": 100, "patience": 5},
    },
    "copy": {
        "data": {},
        "model": {
            "width": 64,
            "heads": 4,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "context": 64,
            "positions": "learned",
        },
        "batches": {"rows": 64},
        "training": {"steps": 1000, "warmup": 100, "rate": 1e-3, "validate_every": 100},
    },
    "embeddings": {"model": {}, "training": {}},
}
