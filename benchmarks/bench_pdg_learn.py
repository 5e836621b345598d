"""Learning decision graphs: a sweep over λ against the number of rows, and its peak memory.

    python benchmarks/bench_pdg_learn.py

Rows are drawn from Letter, 17 columns with numbers cut into 5 intervals. Each number of rows has a
process of its own, so that peak memory is that of one sweep; the seconds are those of the
processor, all threads together, so that a busy machine changes them little. The same number of
forests is tried for every number of rows, once with the same λ and once with λ/(1−λ) in proportion
to the rows: the same λ lets more rows pay for larger graphs, which take more sweeps; in proportion,
a number of the graph must save the same bits per row, and graphs stay alike. The quality says bits
per row on the rows learned from, the sweeps and the seconds of one. The plot is written to
benchmarks/results.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from log_plot import write_log_plot
from reporting import SHARED, say_line, version_of

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.recipes.measures import drawn_parts
from pgmstudio.core.experiments.recipes.pdg_real import PDG_REAL
from pgmstudio.core.io.recipe_data import read_sources
from pgmstudio.core.learning.pdg import PdgLearner
from pgmstudio.core.learning.pdg_params import PdgParams
from pgmstudio.core.learning.protocols import Finished
from pgmstudio.core.running import NEVER, Progress

RESULTS = Path(__file__).resolve().parent / "results"
ROWS = (2500, 5000, 10_000, 20_000)
RATIOS = np.geomspace(2.0, 70.0, 3)  # λ/(1−λ), for the most rows where it goes with them
FORESTS = 2
SAME, ALIKE = "same λ", "λ/(1−λ) with the rows"


def letter(rows: int) -> DataSet:
    source = next(s for s in PDG_REAL.sources if s.name == "letter")
    data = read_sources(replace(PDG_REAL, sources=(source,)), SHARED)["letter"]
    assert isinstance(data, DataSet)
    if rows >= data.row_count:
        return data
    return drawn_parts(data, (rows,), np.random.default_rng(0))[0]


def sweep(data: DataSet, way: str) -> tuple[float, float, int]:
    """Seconds of the processor, bits per row of the model kept, and how many sweeps there were."""
    ratios = RATIOS * (data.row_count / ROWS[-1] if way == ALIKE else 1.0)
    lambdas = tuple(float(r / (1 + r)) for r in ratios)
    params = PdgParams(lambdas=lambdas, population=FORESTS, criterion="bic")
    began, bits, sweeps = time.process_time(), math.nan, 0
    for event in PdgLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER):
        if isinstance(event, Finished):
            bits = event.measures["log2_likelihood_per_row"]
        elif isinstance(event, Progress) and "sweep" in event.counters:
            sweeps += 1
    return time.process_time() - began, bits, sweeps


def main() -> None:
    if len(sys.argv) > 1:  # one number of rows, in a process of its own
        way = sys.argv[2]
        sweep(letter(500), way)  # compiles, and is not timed
        seconds, bits, sweeps = sweep(letter(int(sys.argv[1])), way)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        megabytes = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        print(json.dumps([seconds, bits, sweeps, megabytes]))
        return
    if not (SHARED / "seeds" / "letter.csv").is_file():
        print("skipped: letter.csv is not there")
        return
    curves = {way: _curve(way) for way in (SAME, ALIKE)}
    first = curves[ALIKE][0]
    curves["linear"] = [(rows, first[1] * rows / first[0]) for rows in ROWS]
    write_log_plot(
        RESULTS / "pdg_rows.svg", "Sweep of decision graphs on Letter", "rows", "seconds", curves
    )


def _curve(way: str) -> list[tuple[float, float]]:
    ours, curve = version_of("pgmstudio") or "-", []
    for rows in ROWS:
        command = [sys.executable, __file__, str(rows), way]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, bits, sweeps, peak = json.loads(told)
        curve.append((float(rows), float(seconds)))
        data = f"Letter; {rows} rows; {FORESTS} forests; {len(RATIOS)} λ; {way}"
        one = f"{sweeps} sweeps of {1e3 * seconds / sweeps:.1f} ms"
        quality = f"{bits:.3f} bits per row; {one}; peak {peak:.0f} MB"
        say_line("sweep of decision graphs", data, "pdg.learn", ours, seconds, quality)
    slope = np.polyfit(np.log([x for x, _ in curve]), np.log([y for _, y in curve]), 1)[0]
    print(f"{way}: time goes with rows to the power {slope:.2f}")
    return curve


if __name__ == "__main__":
    main()
