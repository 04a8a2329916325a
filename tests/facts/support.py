"""What the claims are proved with: the first text's numbers, a softmax of our own, and examples given as text."""

from pathlib import Path

import numpy as np

from workings import examples
from workings.recording.working import Working

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "scripts"
WORDS = ["Apple", "shares", "fell", "sharply"]
X = np.array([[1.00, 0.20], [0.10, 1.00], [0.30, 0.60], [0.20, 0.50]])
SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])
OTHER_ORDER = "shares fell sharply Apple"
ATTENTIONS = ["plain", "scaled", "projected", "heads.1", "heads.2"]


def softmax(scores: np.ndarray) -> np.ndarray:
    """Along the last axis; written out here so that nothing of ours is compared with itself."""
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


def assert_close(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12)


def run_text(folder, text: str, sentence: str | None = None) -> Working:
    """An example that a test writes down itself."""
    path = folder / "example.toml"
    path.write_text(text, encoding="utf-8")
    return examples.load(path).run(sentence)


def multiplications(working: Working, groups: str = "") -> int:
    """How many products the matrix products of a Working take, inside groups of this name."""
    total = 0
    for step in working.steps:
        if step.operation == "matmul" and groups in working.path(step.number):
            left = np.shape(working.value(step.inputs[0]))
            total += int(np.prod(step.shape)) * left[-1]
    return total
