"""Markov networks: neighbourhoods and hill climbing against other programs, and evidence updates.

    python benchmarks/bench_markov.py

Graphs: blankets and hill climbing of mn.mpl, against ℓ1-regularised logistic regressions of
scikit-learn (one per variable, C = 1/√(n log d); an edge that one of both finds is taken), and
against pgmpy. That learns no undirected graphs: the moral graph of its greedy search, which joins
every variable with its Markov blanket, and the skeleton of its PC are taken. Further lines have our
blankets alone, and a whole run with models on the way and parameters by maximum likelihood. The
rows are the same and are read before the clock starts. Quality: edges of the true graph that were
missed, and others.

Updates: the beliefs of all variables after one of five findings changed, in a Markov network and in
the Bayesian network of the same cliques; the ratio shows how many times longer the latter takes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bench_inference import Ours, network_called, run_pass, steps_of
from peers import as_frame
from reporting import Program, report, say_line, version_of

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.experiments.generators.random_markov_networks import (
    RandomMarkovParams,
    random_markov_network,
)
from pgmstudio.core.inference.junction_tree.propagation import compiled_passes
from pgmstudio.core.languages.markov_network.conversions import markov_of_network
from pgmstudio.core.languages.markov_network.learning.blankets import BlanketSearch
from pgmstudio.core.languages.markov_network.learning.mpl import MplLearner, MplParams
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    MPL,
    PseudoLikelihood,
    pseudo_score,
)
from pgmstudio.core.learning.undirected_rules import UndirectedRules

Edges = frozenset[frozenset[str]]
CASES = (("grid", 16, 4000), ("grid", 64, 4000), ("random", 64, 4000), ("grid", 64, 16_000))
NETWORKS = ("alarm", "hailfinder", "win95pts", "andes")


def undirected(edges: Any) -> Edges:
    return frozenset(frozenset(map(str, edge)) for edge in edges)


def whole_run(data: DataSet) -> Edges:
    rng = np.random.default_rng(1)
    *_, last = MplLearner().run(data, MplParams(), rng=rng, cancel=NEVER)
    assert isinstance(last.model, MarkovNetwork)  # type: ignore[union-attr]
    return undirected(last.model.undirected_edges)  # type: ignore[union-attr]


def graph(data: DataSet, climbs: bool) -> Edges:
    scores = PseudoLikelihood(data, pseudo_score(MPL, data.total_weight))
    search = BlanketSearch(scores, UndirectedRules(len(data.domain)), MplParams().max_neighbours)
    for _ in search.find_blankets(NEVER):
        pass
    found = search.or_edges()
    if climbs:
        found = run_to_end(search.climb((), found, NEVER))
    names = data.domain.names
    return undirected((names[i], names[j]) for i, j in found)


def l1_neighbourhoods(data: DataSet) -> Edges:
    from sklearn.linear_model import LogisticRegression

    rows = data.codes.T.astype(np.float64)
    count, columns = rows.shape
    names = data.domain.names
    price = 1 / math.sqrt(count * math.log(columns))
    edges = []
    for v in range(columns):
        others = np.delete(np.arange(columns), v)
        fit = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=price, random_state=0)
        weights = fit.fit(rows[:, others], rows[:, v]).coef_[0]
        edges += [(names[v], names[u]) for u in others[weights != 0]]
    return undirected(edges)


def pgmpy_climb(frame: Any) -> Edges:
    from pgmpy.causal_discovery import HillClimbSearch

    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    return undirected(search.fit(frame).causal_graph_.moralize().edges())


def pgmpy_skeleton(frame: Any) -> Edges:
    from pgmpy.causal_discovery import PC

    search = PC(ci_test="g_sq", variant="stable", max_cond_vars=3, n_jobs=1, show_progress=False)
    return undirected(search.fit(frame).skeleton_.edges())


def graphs(topology: str, variables: int, count: int) -> None:
    rng = np.random.default_rng(7)
    true = random_markov_network(
        RandomMarkovParams(variables=variables, topology=topology, strength=2.0), rng
    )
    data, edges = true.sample(count, rng), undirected(true.undirected_edges)
    whole_run(data)  # compiles
    programs = [
        Program("PGM Studio", "pgmstudio", lambda _: graph(data, climbs=True)),
        Program("PGM Studio (blankets, OR)", "pgmstudio", lambda _: graph(data, climbs=False)),
        Program("PGM Studio (with parameters)", "pgmstudio", lambda _: whole_run(data)),
        Program("scikit-learn (L1, OR)", "scikit-learn", lambda _: l1_neighbourhoods(data)),
    ]
    if variables <= 16:  # the larger ones take many minutes
        programs += [
            Program(f"pgmpy ({title})", "pgmpy", run, lambda: as_frame(data), repeats=1)
            for title, run in (("blankets", pgmpy_climb), ("PC skeleton", pgmpy_skeleton))
        ]
    report(
        "undirected graph",
        f"{topology} {variables} x {count}",
        programs,
        lambda found: f"{len(edges - found)} missed and {len(found - edges)} extra of {len(edges)}",
    )


def updates(name: str) -> None:
    directed = network_called(name)
    if directed is None:
        return
    twin = markov_of_network(directed)
    start, steps = steps_of(directed, 100)
    players = {"Markov network": Ours(twin), "Bayesian network": Ours(directed)}
    times: dict[str, list[list[float]]] = {who: [] for who in players}
    for _ in range(7):
        for who, player in players.items():
            times[who].append(run_pass(player, start, steps))
    seconds = {who: float(np.min(passes, axis=0).mean()) for who, passes in times.items()}
    pairs = zip(*(player.beliefs() for player in players.values()), strict=True)
    worst = max(float(np.abs(one - other).max()) for one, other in pairs)
    for who, took in seconds.items():
        cells = (twin if who == "Markov network" else directed).clique_tree.table_cells
        quality = f"{took * 1e3:.3g} ms a step; largest difference {worst:.0e}"
        data = f"{name} ({len(directed.domain)} variables; {cells} cells)"
        ratio = took / seconds["Markov network"]
        say_line(
            "beliefs after one change",
            data,
            who,
            version_of("pgmstudio") or "-",
            took,
            quality,
            ratio,
        )


def main() -> None:
    compiled_passes()
    for case in CASES:
        graphs(*case)
    for name in NETWORKS:
        updates(name)


if __name__ == "__main__":
    main()
