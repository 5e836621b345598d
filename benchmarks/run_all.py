"""Runs the benchmarks, each in its own process: all, or those whose names contain the words.

    python benchmarks/run_all.py [WORD…] [--page]

With `--page` docs/benchmarks.md is made from what they print: one table for each task.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
HEAD = ("task", "data", "who", "version", "seconds", "quality", "memory", "ratio")
INTRODUCTION = """# Benchmarks

Measured by `./run bench` on {date} with {system}, Python {python}, {cores} cores{load}. A line is one case: the data, who computed it, the version, seconds, the quality of the result, the peak memory of the process so far and how many times as long it took as this program. Programs that are compared ran in turn in one process on the same data. A benchmark that is not listed was not run that day; `./run bench NAME` runs one.

"""  # noqa: E501


def cells_of(line: str) -> list[str] | None:
    """The cells of a line of `reporting.say_line`; None for any other line."""
    cells = line.rstrip().split(", ")
    if len(cells) < len(HEAD):
        return None
    middle = len(cells) - 2  # the quality may have commas
    cells = [*cells[:5], ", ".join(cells[5:middle]), *cells[middle:]]
    try:
        float(cells[4])
    except ValueError:
        return None
    return cells


def page(lines: Sequence[str], introduction: str) -> str:
    """The manual's page: a table for each task, in their order."""
    by_task: dict[str, list[list[str]]] = {}
    for cells in filter(None, map(cells_of, lines)):
        by_task.setdefault(cells[0], []).append(cells[1:])
    parts = [introduction]
    for task, rows in by_task.items():
        parts.append(f"## {task[:1].upper()}{task[1:]}\n\n")
        parts.append(f"| {' | '.join(HEAD[1:])} |\n|{'---|' * (len(HEAD) - 1)}\n")
        for row in rows:
            parts.append(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def introduction() -> str:
    """What the figures were measured on."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return INTRODUCTION.format(
        date=date.today().isoformat(),
        system=f"{platform.system()} on {platform.machine()}",
        python=platform.python_version(),
        cores=cores,
        load=f" beside other work (load {load:.0f})" if load > cores + 1 else "",
    )


def main(words: list[str]) -> int:
    wants_page = "--page" in words
    words = [word for word in words if word != "--page"]
    files = sorted(HERE.glob("bench_*.py"))
    chosen = [
        f for f in files if not words or any(word.replace("-", "_") in f.stem for word in words)
    ]
    if not chosen:
        names = ", ".join(f.stem.removeprefix("bench_") for f in files)
        print(f"No benchmark is called “{' '.join(words)}”. There are: {names}.", file=sys.stderr)
        return 2
    failed, lines = [], list[str]()
    about = introduction()
    for file in chosen:
        print(f"== {file.stem.removeprefix('bench_')}", flush=True)
        with subprocess.Popen(
            [sys.executable, str(file)], cwd=HERE, stdout=subprocess.PIPE, text=True
        ) as run:
            assert run.stdout is not None
            for line in run.stdout:
                print(line, end="", flush=True)
                lines.append(line)
        if run.returncode:
            failed.append(file.stem)
    if wants_page:
        PAGE.write_text(page(lines, about), encoding="utf-8")
        print(f"Wrote {PAGE}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
