"""Search quality: bn.kes and bn.hill-climb with their defaults against other programs' searches.

    python benchmarks/bench_search.py                    # the tables it is judged by
    python benchmarks/bench_search.py --set development  # the samples that defaults were chosen on
    python benchmarks/bench_search.py --only vote,child --seeds 1 --seconds 20

Every program gets the same rows, columns and states: numeric columns are cut into five intervals of
equal frequency, a missing cell is a state of its own, and columns with one state are left out. The
quality is the BIC of the graph in nats, by one function for all; higher is better. Each run is a
process of its own that has compiled and read the rows; its seconds are those of the processor, all
threads and child processes together. Ours fit and smooth tables in that time, which the others do
not. A run that would need more than the limit is stopped and named. Of ours there are several
seeds; the other programs have none.

causal-learn has no BIC for states and searches by BDeu.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench_hill_climb import pgmpy_edges, pgmpy_search, pyagrum_edges, pyagrum_learner
from bench_kes import causal_learn
from reporting import SHARED, random_network, say_line, version_of, write_csv

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.pdag import Pdag, member_of
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import parse_params
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of

Edges = list[tuple[str, str]]

UCI = (
    *("balance_scale", "breast_cancer", "breast_w", "cad1", "car", "cmc", "colic", "credit_g"),
    *("dermatology", "ecoli", "glass", "heart_c", "hepatitis", "hypothyroid", "lymph"),
    *("pendigits", "primary_tumor", "solar_flare2", "spect_train", "tic_tac_toe", "titanic"),
    *("vehicle", "vote", "vowel", "zoo"),
)
SEEDS = (
    *("coronary.csv", "abalone.csv", "australian.csv", "letter.csv", "mushroom.csv"),
    *("page_blocks.csv", "yeast.csv", "splice.csv", "alarm_20000.csv.gz"),
    "hailfinder_20000.csv.gz",
)
SAMPLED = {"asia": 5000, "child": 5000, "insurance": 5000, "water": 5000, "win95pts": 5000}
SAME = 1e-6  # relative difference of BIC that is rounding


def table(path: str) -> DataSet:
    options = ImportOptions(bins=5, many_numbers=8, missing_as_state=True)
    return varying(read_data(SHARED / path, options))


def varying(data: DataSet) -> DataSet:
    """Without the columns that have one state in these rows, and without states they lack; states
    are called s0, s1, …, as pyAgrum takes some names for numbers."""
    columns = dict(zip(data.domain.names, map(_recoded, data.codes), strict=True))
    kept = {name: codes for name, codes in columns.items() if codes.any()}
    states = {name: [f"s{k}" for k in range(codes.max() + 1)] for name, codes in kept.items()}
    return DataSet(Domain.of(states), np.array([*kept.values()], dtype=np.uint8))


def _recoded(codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.unique(codes, return_inverse=True)[1]


def sample(name: str, rows: int, seed: int) -> DataSet:
    packed = SHARED / "networks" / f"{name}.bif.gz"
    network = read_model(packed if packed.exists() else packed.with_suffix("")).model
    assert isinstance(network, BayesianNetwork)
    return varying(network.sample(rows, np.random.default_rng(seed)))


def made(rows: int, seed: int) -> DataSet:
    return varying(random_network(30, seed).sample(rows, np.random.default_rng(seed)))


def judged() -> Iterator[tuple[str, Callable[[], DataSet]]]:
    """The tables the comparison is about; nothing was chosen by what they say."""
    for name in UCI:
        yield name, partial(table, f"uci/{name}.csv")
    for file in SEEDS:
        yield file.partition(".")[0], partial(table, f"seeds/{file}")
    for name, rows in SAMPLED.items():
        yield f"{name} {rows}", partial(sample, name, rows, 7)


def development() -> Iterator[tuple[str, Callable[[], DataSet]]]:
    """Other samples of networks, and networks made at random: what defaults were chosen on."""
    for seed in (101, 102):
        for name in ("asia", "child", "insurance", "alarm", "hailfinder", "water", "win95pts"):
            for rows in (500, 2000):
                yield f"{name} {rows} seed {seed}", partial(sample, name, rows, seed)
        for rows in (500, 2000):
            yield f"random network {rows} seed {seed}", partial(made, rows, seed)


def ours(key: str, data: DataSet, seed: int) -> Edges:
    learner = learner_of(key)
    params = parse_params(learner.params_type, {})
    for event in learner.run(data, params, rng=np.random.default_rng(seed), cancel=NEVER):
        if isinstance(event, Finished):
            assert isinstance(event.model, DirectedModel)
            return list(event.model.edges)
    raise AssertionError(f"{key} ended without a model")


def pyagrum(algorithm: str, data: DataSet) -> Callable[[], Edges]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_csv(data, path)
        learner = pyagrum_learner(path, algorithm)
    return lambda: pyagrum_edges(learner)


def pgmpy_climb(data: DataSet) -> Callable[[], Edges]:
    search = pgmpy_search(data)
    return lambda: pgmpy_edges(search)


def pgmpy_ges(data: DataSet) -> Callable[[], Edges]:
    from peers import as_frame
    from pgmpy.estimators import GES

    search = GES(as_frame(data))

    def run() -> Edges:
        found = search.estimate(scoring_method="bic-d")
        undirected = list(getattr(found, "undirected_edges", ()))
        directed = list(getattr(found, "directed_edges", found.edges()))
        return list(member_of(Pdag.from_edges(data.domain.names, directed, undirected)).edges)

    return run


def causal_learn_ges(data: DataSet) -> Callable[[], Edges]:
    return lambda: list(member_of(causal_learn(data)).edges)


@dataclass(frozen=True)
class Peer:
    who: str
    package: str
    prepare: Callable[[DataSet], Callable[[], Edges]]


PEERS = (
    Peer("pyAgrum greedy", "pyagrum", partial(pyagrum, "greedy")),
    Peer("pyAgrum tabu", "pyagrum", partial(pyagrum, "tabu")),
    Peer("pgmpy hill climbing", "pgmpy", pgmpy_climb),
    Peer("pgmpy GES", "pgmpy", pgmpy_ges),
    Peer("causal-learn GES", "causal-learn", causal_learn_ges),
)


@dataclass(frozen=True)
class Outcome:
    """Seconds of the processor and edges of a run; no edges if it was stopped or failed."""

    seconds: float
    edges: Edges | None
    trouble: str = ""


def processor_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def apart(run: Callable[[], Edges], limit: float) -> Outcome:
    """A run in a process of its own, stopped after so many processor seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with open(os.devnull, "w") as nothing, os.fdopen(writing, "w") as answer:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
            try:
                began = processor_seconds()
                most = math.ceil(began + limit)
                resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
                edges = run()
                json.dump([processor_seconds() - began, edges, ""], answer)
            except BaseException as trouble:
                json.dump([0.0, None, f"{type(trouble).__name__}: {trouble}"[:80]], answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        told = answer.read()
    _, status = os.waitpid(child, 0)
    if not told:
        is_limit = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
            signal.SIGXCPU,
            signal.SIGKILL,
        )
        return Outcome(limit, None, f"stopped after {limit:.0f} s" if is_limit else "crashed")
    seconds, edges, trouble = json.loads(told)
    return Outcome(seconds, None if edges is None else [(a, b) for a, b in edges], trouble)


def bic_of(data: DataSet) -> Callable[[Edges], float]:
    """BIC in nats; no table is too large for it."""
    scores = FamilyScores(data, score_of("bic", data.total_weight), max_table_cells=1 << 40)

    def bic(edges: Edges) -> float:
        parents: list[list[int]] = [[] for _ in data.domain]
        for source, target in edges:
            parents[data.domain.index(target)].append(data.domain.index(source))
        return scores.total(parents) * math.log(2)

    return bic


def compare(name: str, data: DataSet, seeds: int, limit: float, skipped: list[str]) -> str:
    """Lines for one table; returns what is said in the summary."""
    bic = bic_of(data)
    told = f"{name} {data.row_count}x{len(data.domain)}"
    found: dict[str, tuple[float, float]] = {}  # BIC and seconds
    best_peer, fastest = -math.inf, math.inf
    lines: list[tuple[str, str, float, str]] = []
    for peer in PEERS:
        version = version_of(peer.package)
        if version is None or peer.package in skipped or peer.who in skipped:
            continue
        outcome = apart(peer.prepare(data), limit)
        if outcome.edges is None:
            lines.append((peer.who, version, outcome.seconds, outcome.trouble))
            continue
        score = bic(outcome.edges)
        found[peer.who] = score, outcome.seconds
        best_peer, fastest = max(best_peer, score), min(fastest, outcome.seconds)
        lines.append((peer.who, version, outcome.seconds, f"BIC {score:.2f}"))
    verdicts = []
    for key in ("bn.kes", "bn.hill-climb"):
        runs = []
        for seed in range(1, seeds + 1):
            outcome = apart(partial(ours, key, data, seed), 60 * limit)
            assert outcome.edges is not None, outcome.trouble
            runs.append((bic(outcome.edges), outcome.seconds))
        scores = [score for score, _ in runs]
        seconds = float(np.median([seconds for _, seconds in runs]))
        worse = sum(best_peer - score > SAME * abs(best_peer) for score in scores)
        gap = f"{min(scores) - best_peer:+.2f} to {max(scores) - best_peer:+.2f}"
        quality = (
            f"BIC {np.median(scores):.2f}; {gap} beside the best other; "
            f"{worse} of {seeds} seeds below it"
        )
        lines.insert(len(verdicts), (key, version_of("pgmstudio") or "-", seconds, quality))
        is_slower = "slower" if seconds > fastest else "faster"
        verdicts.append(f"{key} {gap} ({worse} below), {seconds:.2f} s, {is_slower}")
    for who, version, seconds, quality in lines:
        say_line("search for a network", told, who, version, seconds, quality)
    return f"{told}: {'; '.join(verdicts)}; best other {best_peer:.2f} in at least {fastest:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=("judged", "development"), default="judged")
    parser.add_argument("--only", default="", help="names with commas between")
    parser.add_argument("--without", default="", help="packages or programs, commas between")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for other programs")
    chosen = parser.parse_args()
    cases = dict(judged() if chosen.set == "judged" else development())
    wanted = [name for name in chosen.only.split(",") if name]
    warm_up()
    summary = []
    for name, make in cases.items():
        if wanted and not any(want in name for want in wanted):
            continue
        summary.append(
            compare(name, make(), chosen.seeds, chosen.seconds, chosen.without.split(","))
        )
    print("\n".join(summary))


def warm_up() -> None:
    """Compile and import what a run would, as that is not timed."""
    data = made(4000, 1)
    for key in ("bn.kes", "bn.hill-climb"):
        ours(key, data, 1)
    bic_of(data)([])
    for peer in PEERS:
        if version_of(peer.package):
            peer.prepare(sample("asia", 50, 1))


if __name__ == "__main__":
    main()
