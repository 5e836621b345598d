"""Learning decision graphs: a sweep over λ against the number of rows, and its peak memory.

    python benchmarks/bench_pdg_learn.py
    python benchmarks/bench_pdg_learn.py whole

Rows are drawn from Letter, 17 columns with numbers cut into 5 intervals. Each number of rows has a
process of its own, so that peak memory is that of one sweep; the seconds are those of the
processor, all threads together, so that a busy machine changes them little. The same number of
forests is tried for every number of rows, once with the same λ and once with λ/(1−λ) in proportion
to the rows: the same λ lets more rows pay for larger graphs, which take more sweeps; in proportion,
a number of the graph must save the same bits per row, and graphs stay alike. How many sweeps a
search takes depends on chance, so all figures are means over some seeds. The quality says bits per
row on the rows learned from, the sweeps, the nodes that one passes on average, and the seconds of
one. Two plots are written to benchmarks/results: the seconds of all, and those of one sweep, as
they are and for each node.

With `whole` the learner is started as a person starts it, with all its forests and λ, which takes
some ten minutes, and a third plot is written.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
from log_plot import write_log_plot
from reporting import SHARED, say_line, version_of

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, Progress
from pgmstudio.core.languages.pdg.learning.learner import PdgLearner
from pgmstudio.core.languages.pdg.learning.params import PdgParams
from pgmstudio.core.learning.base import Finished
from pgmstudio.studies.measures import drawn_parts
from pgmstudio.studies.pdg_real import PDG_REAL
from pgmstudio.studies.recipe_data import read_sources

RESULTS = Path(__file__).resolve().parent / "results"
ROWS = (2500, 5000, 10_000, 20_000)
SEEDS = 3
RATIOS = np.geomspace(2.0, 70.0, 3)  # λ/(1−λ), for the most rows where it goes with them
FORESTS = 2
SAME, ALIKE = "same λ", "λ/(1−λ) with the rows"
WHOLE = "whole"  # the learner's own λ and forests


def letter(rows: int) -> DataSet:
    source = next(s for s in PDG_REAL.sources if s.name == "letter")
    data = read_sources(replace(PDG_REAL, sources=(source,)), SHARED)["letter"]
    assert isinstance(data, DataSet)
    if rows >= data.row_count:
        return data
    return drawn_parts(data, (rows,), np.random.default_rng(0))[0]


@dataclass(frozen=True)
class Swept:
    """One learning run: seconds of the processor, bits per row, sweeps, nodes in all of them."""

    seconds: float
    bits: float
    sweeps: int
    nodes: float


def settings(way: str, rows: int) -> PdgParams:
    if way == WHOLE:
        return PdgParams()
    ratios = RATIOS * (rows / ROWS[-1] if way == ALIKE else 1.0)
    lambdas = tuple(float(r / (1 + r)) for r in ratios)
    return PdgParams(lambdas=lambdas, population=FORESTS, criterion="bic")


def sweep(data: DataSet, way: str, seed: int = 0) -> Swept:
    params = settings(way, data.row_count)
    began, bits, sweeps, nodes = time.process_time(), math.nan, 0, 0.0
    for event in PdgLearner().run(data, params, rng=np.random.default_rng(seed), cancel=NEVER):
        if isinstance(event, Finished):
            bits = event.measures["log2_likelihood_per_row"]
        elif isinstance(event, Progress) and "sweep" in event.counters:
            sweeps += 1
            nodes += event.counters["nodes"]
    return Swept(time.process_time() - began, bits, sweeps, nodes)


@dataclass(frozen=True)
class Means:
    """Those of one number of rows."""

    rows: float
    seconds: float
    bits: float
    sweeps: float
    nodes: float  # that a sweep passes on average
    megabytes: float

    @property
    def one(self) -> float:
        """Seconds of a sweep."""
        return self.seconds / self.sweeps


def main() -> None:
    if len(sys.argv) > 2:  # one number of rows, in a process of its own
        rows, way = int(sys.argv[1]), sys.argv[2]
        sweep(letter(500), SAME)  # compiles, and is not timed
        data = letter(rows)
        runs = [sweep(data, way, seed) for seed in range(seeds(way))]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        megabytes = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        seconds, bits, sweeps, nodes = np.mean([astuple(one) for one in runs], axis=0)
        print(json.dumps([rows, seconds, bits, sweeps, nodes / sweeps, megabytes]))
        return
    if not (SHARED / "seeds" / "letter.csv").is_file():
        print("skipped: letter.csv is not there")
        return
    if WHOLE in sys.argv:
        whole = {WHOLE: [(m.rows, m.seconds) for m in _measured(WHOLE)]}
        whole["linear"] = _line(whole[WHOLE])
        title = "Decision graphs of Letter, all forests and λ"
        write_log_plot(RESULTS / "pdg_rows_whole.svg", title, "rows", "seconds", whole)
        print(f"time goes with rows to the power {_slope(whole[WHOLE]):.2f}")
        return
    found = {way: _measured(way) for way in (SAME, ALIKE)}
    curves = {way: [(m.rows, m.seconds) for m in means] for way, means in found.items()}
    curves["linear"] = _line(curves[ALIKE])
    write_log_plot(
        RESULTS / "pdg_rows.svg", "Decision graphs of Letter, 3 λ", "rows", "seconds", curves
    )
    same = found[SAME]
    each = {
        "a sweep": [(m.rows, 1e3 * m.one) for m in same],
        "for 100 nodes": [(m.rows, 1e5 * m.one / m.nodes) for m in same],
    }
    each["linear"] = _line(each["a sweep"])
    write_log_plot(RESULTS / "pdg_rows_sweep.svg", "One sweep, same λ", "rows", "ms", each)
    for name, curve in {**curves, **each}.items():
        if name != "linear":
            print(f"{name}: time goes with rows to the power {_slope(curve):.2f}")


def _measured(way: str) -> list[Means]:
    ours, found = version_of("pgmstudio") or "-", []
    for rows in ROWS:
        command = [sys.executable, __file__, str(rows), way]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        means = Means(*json.loads(told))
        found.append(means)
        data = f"Letter; {rows} rows; {_told(way)}"
        one = f"{means.sweeps:.0f} sweeps of {1e3 * means.one:.1f} ms; {means.nodes:.0f} nodes"
        quality = f"{means.bits:.3f} bits per row; {one}; peak {means.megabytes:.0f} MB"
        say_line("sweep of decision graphs", data, "pdg.learn", ours, means.seconds, quality)
    return found


def seeds(way: str) -> int:
    return 1 if way == WHOLE else SEEDS


def _told(way: str) -> str:
    if way == WHOLE:
        return "all forests and λ; 1 seed"
    return f"{FORESTS} forests; {len(RATIOS)} λ; {SEEDS} seeds; {way}"


def _line(curve: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Linear in the rows, from where the curve begins."""
    first = curve[0]
    return [(rows, first[1] * rows / first[0]) for rows, _ in curve]


def _slope(curve: list[tuple[float, float]]) -> float:
    return float(np.polyfit(np.log([x for x, _ in curve]), np.log([y for _, y in curve]), 1)[0])


if __name__ == "__main__":
    main()
