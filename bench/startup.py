"""How long `workings show apple` takes as a whole process, beside `python -c "import numpy"`.

    python bench/startup.py [RUNS]

The two run in turn, so that a busy machine slows both. Printed are medians, quartiles and the ratio of the medians,
which must stay below 3.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 3.0
COMMANDS = {
    "import numpy": ["-c", "import numpy"],
    "import workings": ["-c", "import workings"],
    "workings show apple": ["-m", "workings", "show", "apple"],
}


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - started


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as cache:
        # An installed package has its compiled files; a checkout gets them here, in a folder of its own.
        environment = os.environ | {"PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for arguments in COMMANDS.values():
            seconds(arguments, environment)
        taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(runs):
            for name, arguments in COMMANDS.items():
                taken[name].append(seconds(arguments, environment))
    medians = {}
    for name, values in taken.items():
        low, medians[name], high = (1000 * q for q in statistics.quantiles(values, n=4))
        print(f"{name:<20} {medians[name]:6.0f} ms   (quartiles {low:.0f} to {high:.0f}, {runs} runs)")
    ratio = medians["workings show apple"] / medians["import numpy"]
    print(f"ratio {ratio:.2f}, limit {LIMIT:.0f}")
    return 0 if ratio < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
