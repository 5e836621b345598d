"""Runs the benchmarks, each in its own process: all, or those whose names contain the words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(words: list[str]) -> int:
    files = sorted(HERE.glob("bench_*.py"))
    chosen = [
        f for f in files if not words or any(word.replace("-", "_") in f.stem for word in words)
    ]
    if not chosen:
        names = ", ".join(f.stem.removeprefix("bench_") for f in files)
        print(f"No benchmark is called “{' '.join(words)}”. There are: {names}.", file=sys.stderr)
        return 2
    failed = []
    for file in chosen:
        print(f"== {file.stem.removeprefix('bench_')}", flush=True)
        if subprocess.run([sys.executable, str(file)], cwd=HERE).returncode:
            failed.append(file.stem)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
