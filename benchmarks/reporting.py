"""The line every benchmark prints, fair timing, and the data sets they share.

A line is: task, data, who, version, seconds, quality, peak memory, ratio. The seconds are the best
of several repeats; programs take turns, so that a busy moment of the machine hits all of them. Peak
memory is that of the process so far. The ratio says how many times faster ours is than this one.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def version_of(package: str) -> str | None:
    """The installed version, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def say_line(
    task: str,
    data: str,
    who: str,
    its_version: str,
    seconds: float,
    quality: str,
    ratio: float | None = None,
) -> None:
    """Print one case."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    told = "-" if ratio is None else f"{ratio:.1f}x"
    first = (cell.replace(", ", "; ") for cell in (task, data, who, its_version))
    cells = (*first, f"{seconds:.5f}", quality, f"{megabytes:.0f} MB", told)
    print(", ".join(cells), flush=True)


@dataclass(frozen=True, slots=True)
class Program:
    """One contestant; `prepare` is not timed, `run` gets what it returns."""

    who: str
    package: str
    run: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None
    repeats: int = 5


def race(programs: list[Program], budget_seconds: float = 60.0) -> dict[str, tuple[float, Any]]:
    """The best time of each installed program and its last answer; they take turns."""
    results: dict[str, tuple[float, Any]] = {}
    spent: dict[str, float] = {}
    for turn in range(max(program.repeats for program in programs)):
        for program in programs:
            if version_of(program.package) is None:
                if turn == 0:
                    print(f"{program.who}: {program.package} is not installed, left out")
                continue
            if turn >= program.repeats or spent.get(program.who, 0.0) > budget_seconds:
                continue
            prepared = program.prepare()
            start = time.perf_counter()
            answer = program.run(prepared)
            seconds = time.perf_counter() - start
            spent[program.who] = spent.get(program.who, 0.0) + seconds
            best = min(seconds, results.get(program.who, (seconds, None))[0])
            results[program.who] = (best, answer)
    return results


def report(
    task: str,
    data: str,
    programs: list[Program],
    quality: Callable[[Any], str],
    implied: Mapping[str, float] | None = None,
    elsewhere: Mapping[str, float] | None = None,
    budget_seconds: float = 60.0,
) -> None:
    """Race the programs, the first being ours, and print a line for each.

    `implied` names programs that cannot be installed by the ratio of their time to the second
    program's, as measured elsewhere in one run of both; `elsewhere` by its seconds there.
    """
    results = race(programs, budget_seconds)
    ours = results[programs[0].who][0]
    for program in programs:
        if program.who in results:
            seconds, answer = results[program.who]
            told = version_of(program.package) or "-"
            say_line(task, data, program.who, told, seconds, quality(answer), seconds / ours)
    if len(programs) > 1 and programs[1].who in results:
        for who, share in (implied or {}).items():
            seconds = results[programs[1].who][0] * share
            told = f"implied: {share} of the time of {programs[1].who}"
            say_line(task, data, who, "-", seconds, told, seconds / ours)
    for who, seconds in (elsewhere or {}).items():
        say_line(task, data, who, "-", seconds, "not of this run", seconds / ours)


def table_data(path: Path, rows: int | None = None) -> DataSet:
    """A table of state names; states in sorted order."""
    frame = pl.read_csv(path, infer_schema=False, n_rows=rows)
    variables = []
    codes = np.empty((frame.width, frame.height), dtype=np.uint8)
    for place, column in enumerate(frame.iter_columns()):
        states, codes[place] = np.unique(column.to_numpy(), return_inverse=True)
        variables.append(Variable(column.name, tuple(map(str, states))))
    return DataSet(Domain(tuple(variables)), codes)


def network_rows(name: str, rows: int) -> DataSet:
    """Rows of a named network; of a random one of ALARM's size where the file is not at hand."""
    path = SHARED / "networks" / f"{name}.bif"
    if path.exists():
        network = read_model(path).model
        assert isinstance(network, BayesianNetwork)
    else:
        print(f"{name}: {path.name} is not at hand; a random network of 37 variables stands in")
        network = random_network(37)
    return network.sample(rows, np.random.default_rng(7))


def random_network(variables: int, seed: int = 11) -> BayesianNetwork:
    """At most three parents each, two to four states, from a seed."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 5, variables)
    domain = Domain.of({f"v{i}": [f"s{s}" for s in range(card)] for i, card in enumerate(cards)})
    parents = tuple(
        tuple(rng.choice(range(max(0, i - 12), i), min(i, int(rng.integers(0, 4))), replace=False))
        for i in range(variables)
    )
    dag = Dag(domain.names, parents)
    tables = tuple(
        rng.dirichlet(np.full(cards[i], 0.5), size=tuple(cards[p] for p in dag.parent_indices[i]))
        for i in range(variables)
    )
    return BayesianNetwork(domain, dag, tables)


def binary_rows(name: str, rows: int, columns: int) -> DataSet:
    """The training rows of a density set; sparse random ones of that size where it is absent."""
    path = SHARED / "density" / name / "train.csv.gz"
    if path.exists():
        return table_data(path)
    print(f"{name}: not at hand; random sparse rows of its size stand in")
    rng = np.random.default_rng(0)
    codes = (rng.random((columns, rows)) < rng.beta(0.5, 10, columns)[:, None]).astype(np.uint8)
    return DataSet(Domain.of({f"X{i}": ("0", "1") for i in range(columns)}), codes)


def write_csv(data: DataSet, path: Path) -> None:
    """The rows as state names, for programs that read files."""
    columns = {
        variable.name: np.array(variable.states)[column]
        for variable, column in zip(data.domain, data.codes, strict=True)
    }
    pl.DataFrame(columns).write_csv(path)
