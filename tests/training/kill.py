"""Trains in child processes that are killed at random moments, then to the end, and once without any of that.

    python -m tests.training.kill FOLDER KILLS        prints how often the training was killed, and at which steps

PyTorch is imported once; each child is a copy of this process.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.training.support import text_corpus

from workings.training import configured, train

SETTINGS = {
    "task": "lm",
    "data": {"text": "text.txt", "validation_share": 0.3},
    "tokeniser": {"spelled": False},
    "model": {"width": 16, "heads": 2, "decoder_layers": 1, "context": 16, "dropout": 0.2},
    "batches": {"rows": 5},
    "training": {
        "steps": 60,
        "validate_every": 4,
        "save_every": 1,
        "report_every": 3,
        "accumulation": 2,
        "average": 0.9,
        "preflight": False,
        "smoothing": 0.1,
    },
}
"""An epoch is 24 batches: with two of them a step, it ends within a training and between saves."""


def main(folder: Path, kills: int) -> None:
    (folder / "text.txt").write_text("".join(text_corpus().text()) * 6)
    configuration = configured(SETTINGS)
    began = time.monotonic()
    train(configuration, folder / "straight", folder=folder)
    longest = (time.monotonic() - began) / 8
    chances = random.Random(1)
    steps = []
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            train(configuration, folder / "killed", folder=folder, resume=True)
            os._exit(0)
        time.sleep(chances.uniform(0.0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            break  # it was done before
        steps.append(reached(folder / "killed"))
    train(configuration, folder / "killed", folder=folder, resume=True)
    print(len(steps), *steps)


def reached(run: Path) -> int:
    """The step up to which the metrics go."""
    try:
        return int((run / "metrics.jsonl").read_text().splitlines()[-1].split('"step": ')[1].split(",")[0])
    except (OSError, IndexError, ValueError):
        return 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
