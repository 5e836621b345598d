"""How long the command line takes to say something: the best of several starts, in seconds."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from reporting import say_line

from pgmstudio.version import __version__

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 7

CASES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "--help": [sys.executable, "-m", "pgmstudio", "--help"],
    "query asia": [
        *[sys.executable, "-m", "pgmstudio", "query", "sample_data/asia.json"],
        *["--given", "smoke=yes", "--json"],
    ],
    "query asia --of lung": [
        *[sys.executable, "-m", "pgmstudio", "query", "sample_data/asia.json"],
        *["--given", "smoke=yes", "--of", "lung", "--json"],
    ],
    "evaluate asia, 5000 rows": [
        *[sys.executable, "-m", "pgmstudio", "evaluate", "sample_data/asia.json"],
        *["sample_data/asia_sample.csv", "--json"],
    ],
    "learn tree.chow-liu asia, 5000 rows": [
        *[sys.executable, "-m", "pgmstudio", "learn", "tree.chow-liu"],
        *["sample_data/asia_sample.csv", "--json"],
    ],
}


def best_seconds(words: list[str]) -> float:
    """The shortest of several runs; the first, which may fill caches, counts like the others."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    for name, words in CASES.items():
        seconds = best_seconds(words)
        say_line("start-up", name, "PGM Studio", __version__, seconds, f"best of {REPEATS}")


if __name__ == "__main__":
    main()
