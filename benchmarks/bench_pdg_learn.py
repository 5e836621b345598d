"""Learning decision graphs: a sweep over λ against the number of rows, and its peak memory.

    python benchmarks/bench_pdg_learn.py

Rows are drawn from Letter, 17 columns with numbers cut into 5 intervals. Each number of rows has a
process of its own, so that peak memory is that of one sweep; the seconds are those of the
processor, all threads together, so that a busy machine changes them little. The same number of
forests and the same λ are tried for every number of rows. The quality says bits per row on the rows
learned from. The plot is written to benchmarks/results.
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
from pgmstudio.core.running import NEVER

RESULTS = Path(__file__).resolve().parent / "results"
ROWS = (2500, 5000, 10_000, 20_000)
LAMBDAS = tuple(float(r / (1 + r)) for r in np.geomspace(2.0, 70.0, 5))
FORESTS = 4


def letter(rows: int) -> DataSet:
    source = next(s for s in PDG_REAL.sources if s.name == "letter")
    data = read_sources(replace(PDG_REAL, sources=(source,)), SHARED)["letter"]
    assert isinstance(data, DataSet)
    if rows >= data.row_count:
        return data
    return drawn_parts(data, (rows,), np.random.default_rng(0))[0]


def sweep(data: DataSet) -> tuple[float, float]:
    """Seconds of the processor and bits per row of the model kept."""
    params = PdgParams(lambdas=LAMBDAS, population=FORESTS, criterion="bic")
    began, bits = time.process_time(), math.nan
    for event in PdgLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER):
        if isinstance(event, Finished):
            bits = event.measures["log2_likelihood_per_row"]
    return time.process_time() - began, bits


def main() -> None:
    if len(sys.argv) > 1:  # one number of rows, in a process of its own
        sweep(letter(500))  # compiles, and is not timed
        seconds, bits = sweep(letter(int(sys.argv[1])))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            json.dumps([seconds, bits, peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)])
        )
        return
    if not (SHARED / "seeds" / "letter.csv").is_file():
        print("skipped: letter.csv is not there")
        return
    ours, curve = version_of("pgmstudio") or "-", []
    for rows in ROWS:
        command = [sys.executable, __file__, str(rows)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, bits, peak = json.loads(told)
        curve.append((rows, seconds))
        data = f"Letter; {rows} rows; {FORESTS} forests; {len(LAMBDAS)} λ"
        quality = f"{bits:.3f} bits per row; peak {peak:.0f} MB"
        say_line("sweep of decision graphs", data, "pdg.learn", ours, seconds, quality)
    slope = np.polyfit(np.log([x for x, _ in curve]), np.log([y for _, y in curve]), 1)[0]
    print(f"time goes with rows to the power {slope:.2f}")
    write_log_plot(
        RESULTS / "pdg_rows.svg",
        "Sweep of decision graphs on Letter",
        "rows",
        "seconds",
        {"pdg.learn": curve, "linear": [(x, curve[0][1] * x / ROWS[0]) for x, _ in curve]},
    )


if __name__ == "__main__":
    main()
