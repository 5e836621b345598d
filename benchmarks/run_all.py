"""Runs the benchmarks, each in its own process: all, or those whose names contain the words.

    python benchmarks/run_all.py [WORD…] [--page]

With `--page` what they print is stored in docs/results/benchmarks.txt, in place of what each
printed before, and docs/benchmarks.md is made from that file: a table for each task, and plots.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
PAGE, STORED = DOCS / "benchmarks.md", DOCS / "results" / "benchmarks.txt"
HEAD = ("task", "data", "who", "version", "seconds", "quality", "memory", "ratio")
NAME, CIRCUMSTANCES, PLOT, NOTE = "== ", "# ", "plot: ", "note: "
INTRODUCTION = """# Benchmarks

Measured by `./run bench --page`, each benchmark in its own process. A line is one case: the data, who computed it, the version, seconds, the quality of the result, the peak memory of the process so far and how many times as long it took as this program. Programs that are compared ran in turn in one process on the same data. `./run bench NAME` runs one.

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


def page(runs: Mapping[str, Iterable[str]]) -> str:
    """The manual's page: a section for each benchmark, a table for each task, and the plots."""
    parts = [INTRODUCTION]
    for name, lines in runs.items():
        by_task: dict[str, list[list[str]]] = {}
        told, plots = "", list[str]()
        for line in lines:
            if line.startswith(CIRCUMSTANCES):
                told = line.removeprefix(CIRCUMSTANCES)
            elif line.startswith(NOTE):
                told += f" {line.removeprefix(NOTE)}"
            elif line.startswith(PLOT):
                plots.append(line.removeprefix(PLOT))
            elif cells := cells_of(line):
                by_task.setdefault(cells[0], []).append(cells[1:])
        if not by_task:
            continue
        parts.append(f"## {name[:1].upper()}{name[1:].replace('_', ' ')}\n\n{told}\n\n")
        for task, rows in by_task.items():
            parts.append(f"### {task[:1].upper()}{task[1:]}\n\n")
            parts.append(f"| {' | '.join(HEAD[1:])} |\n|{'---|' * (len(HEAD) - 1)}\n")
            for row in rows:
                parts.append(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n")
            parts.append("\n")
        for plot in plots:
            title = Path(plot).stem.replace("-", " ")
            parts.append(f"![{title[:1].upper()}{title[1:]}]({plot})\n\n")
    return "".join(parts).rstrip("\n") + "\n"


def stored_runs() -> dict[str, list[str]]:
    """The lines of every benchmark when it last ran for the page."""
    runs: dict[str, list[str]] = {}
    lines = STORED.read_text(encoding="utf-8").splitlines() if STORED.exists() else []
    name = ""
    for line in lines:
        if line.startswith(NAME):
            name = line.removeprefix(NAME)
        else:
            runs.setdefault(name, []).append(line)
    return runs


def store(runs: Mapping[str, Iterable[str]]) -> None:
    """Write the lines and the page that is made from them."""
    STORED.parent.mkdir(parents=True, exist_ok=True)
    ordered = dict(sorted(runs.items()))
    text = "".join(
        f"{NAME}{name}\n" + "".join(f"{line}\n" for line in lines)
        for name, lines in ordered.items()
    )
    STORED.write_text(text, encoding="utf-8")
    PAGE.write_text(page(ordered), encoding="utf-8")


def circumstances() -> str:
    """What the figures are measured on."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    busy = f" beside other work (load {load:.0f})" if load > cores + 1 else ""
    system = f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"
    return f"{CIRCUMSTANCES}{date.today().isoformat()}, {system}, {cores} cores{busy}."


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
    failed = []
    for file in chosen:
        name = file.stem.removeprefix("bench_")
        print(f"{NAME}{name}", flush=True)
        lines = [circumstances()]
        with subprocess.Popen(
            [sys.executable, str(file)], cwd=HERE, stdout=subprocess.PIPE, text=True
        ) as run:
            assert run.stdout is not None
            for line in run.stdout:
                print(line, end="", flush=True)
                if cells_of(line) or line.startswith((PLOT, NOTE)):
                    lines.append(line.rstrip())
        if run.returncode:
            failed.append(file.stem)
        elif wants_page:
            store({**stored_runs(), name: lines})
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
