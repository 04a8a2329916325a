"""From a trained run to a model that ships with the package: the best weights, in half precision.

    python recipes/ship.py recipes/shakespeare src/workings/models/shakespeare

What a training needs to go on stays behind. The model card beside the weights is written by hand, from what was
measured with these very files.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from workings.training.run_directory import RunDirectory
from workings.training.tensor_file import read_tensors, write_tensors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of the training")
    parser.add_argument("output", type=Path, help="the folder of the model")
    options = parser.parse_args()
    RunDirectory.open(options.run).model()  # raises for a run that is not whole
    options.output.mkdir(parents=True, exist_ok=True)
    shutil.copy(options.run / "config.json", options.output)
    for folder in options.run.glob("*tokeniser"):
        shutil.copytree(folder, options.output / folder.name, dirs_exist_ok=True)
    weights, about = read_tensors(options.run / "model.safetensors")
    write_tensors(options.output / "model.safetensors", {name: w.half() for name, w in weights.items()}, about)


if __name__ == "__main__":
    main()
