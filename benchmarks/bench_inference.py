"""All beliefs after one of five findings changed: ours against pyAgrum's two exact engines.

    python benchmarks/bench_inference.py [NETWORK …]

Five random variables are observed; every step changes the state of one of them and asks for the
belief of every variable. Steps are the same for everyone and the programs take turns; a step's time
is the best of its passes, a line shows the mean over the steps. Reading the file, triangulating and
compiling are not in the times; they are printed for ours. Quality is the largest difference of any
belief from pyAgrum's.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyagrum

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.clique_tree_session import CliqueTreeSession
from pgmstudio.core.inference.propagation import compiled_passes
from pgmstudio.core.inference.protocols import Observed
from pgmstudio.core.io.model_files import read_model
from pgmstudio.core.models.bayesian_network import BayesianNetwork

NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "networks"
DEFAULT = ("alarm", "hailfinder", "win95pts", "andes", "diabetes", "munin1")
GOALS = {"alarm": 25, "hailfinder": 25, "win95pts": 25, "andes": 5, "diabetes": 2, "munin1": 1}
Step = tuple[int, int]  # a variable and its new state


def as_pyagrum(network: BayesianNetwork) -> pyagrum.BayesNet:
    """The same network with the same numbers; variables and states are called by their indices."""
    twin = pyagrum.BayesNet()
    for i, card in enumerate(network.domain.cardinalities):
        twin.add(pyagrum.LabelizedVariable(f"v{i}", "", card))
    for child, parents in enumerate(network.dag.parent_indices):
        for parent in parents:
            twin.addArc(parent, child)
    for child, parents in enumerate(network.dag.parent_indices):
        scope = [f"v{i}" for i in (*parents, child)]
        axes = [scope.index(name) for name in reversed(twin.cpt(child).names)]
        twin.cpt(child)[:] = np.ascontiguousarray(network.tables[child].transpose(axes))
    return twin


def steps_of(network: BayesianNetwork, count: int) -> tuple[dict[int, int], list[Step]]:
    """A start and changes of one finding each that stay possible, from a seed."""
    rng = np.random.default_rng(3)
    domain = network.domain
    usable = [i for i, card in enumerate(domain.cardinalities) if card > 1]
    chosen = [int(i) for i in rng.choice(usable, 5, replace=False)]
    row = network.sample(1, rng).codes[:, 0]
    start = {i: int(row[i]) for i in chosen}
    session = CliqueTreeSession(network)
    for i, state in start.items():
        session.set_evidence(domain.names[i], Observed(domain.variables[i].states[state]))
    now, steps = dict(start), list[Step]()
    for turn in range(20 * count):
        i = chosen[turn % 5]
        variable = domain.variables[i]
        others = [s for s in range(variable.cardinality) if s != now[i]]
        rng.shuffle(others)
        for state in others:
            try:
                session.set_evidence(variable.name, Observed(variable.states[state]))
            except ImpossibleEvidenceError:
                continue
            now[i] = state
            steps.append((i, state))
            break
        if len(steps) == count:
            break
    return start, steps


class Ours:
    who = "pgmstudio"

    def __init__(self, network: BayesianNetwork) -> None:
        self._domain = network.domain
        self._session = CliqueTreeSession(network)

    def start_with(self, states: dict[int, int]) -> None:
        named = {self._domain.variables[i]: state for i, state in states.items()}
        self._session.set_all({v.name: Observed(v.states[s]) for v, s in named.items()})

    def observe(self, variable: int, state: int) -> None:
        named = self._domain.variables[variable]
        self._session.set_evidence(named.name, Observed(named.states[state]))

    def beliefs(self) -> list[np.ndarray]:
        found = self._session.beliefs()
        return [found.values_at(i) for i in range(len(self._domain))]


class Theirs:
    def __init__(self, network: BayesianNetwork, engine: str) -> None:
        self.who = f"pyagrum {engine}"
        self._twin = as_pyagrum(network)
        self._engine = getattr(pyagrum, engine)(self._twin)
        if hasattr(self._engine, "setNumberOfThreads"):
            self._engine.setNumberOfThreads(1)

    def start_with(self, states: dict[int, int]) -> None:
        self._engine.setEvidence(states)

    def observe(self, variable: int, state: int) -> None:
        self._engine.chgEvidence(variable, state)

    def beliefs(self) -> list[np.ndarray]:
        self._engine.makeInference()
        # The tables are handed over as they are; turning them into arrays would add to the time.
        return [self._engine.posterior(i) for i in range(self._twin.size())]


Player = Ours | Theirs


def run_pass(player: Player, start: dict[int, int], steps: Sequence[Step]) -> list[float]:
    player.start_with(start)
    player.beliefs()
    times = []
    for variable, state in steps:
        before = time.perf_counter()
        player.observe(variable, state)
        player.beliefs()
        times.append(time.perf_counter() - before)
    return times


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def network_called(name: str) -> BayesianNetwork:
    path = NETWORKS / f"{name}.bif"
    network = read_model(path if path.exists() else path.with_suffix(".bif.gz")).model
    assert isinstance(network, BayesianNetwork)
    return network


def bench(name: str) -> None:
    network = network_called(name)
    before = time.perf_counter()
    cells = network.clique_tree.table_cells
    triangulated = time.perf_counter() - before
    is_large = cells > 50_000_000
    start, steps = steps_of(network, 4 if is_large else 20 if cells > 1_000_000 else 100)
    before = time.perf_counter()
    makers: list[Callable[[], Player]] = [
        lambda: Ours(network),
        lambda: Theirs(network, "LazyPropagation"),
        lambda: Theirs(network, "ShaferShenoyInference"),
    ]
    players: list[Player] = []
    memory: dict[str, float] = {}
    for make in makers if not is_large else makers[:2]:
        base = peak_mb()
        player = make()
        run_pass(player, start, steps[:1])
        memory[player.who] = peak_mb() - base
        players.append(player)
    times: dict[str, list[list[float]]] = {player.who: [] for player in players}
    until = time.perf_counter() + 60
    for round_ in range(7):
        for player in players:
            times[player.who].append(run_pass(player, start, steps))
        if time.perf_counter() > until and round_:
            break
    seconds = {who: float(np.min(passes, axis=0).mean()) for who, passes in times.items()}
    best_peer = min(value for who, value in seconds.items() if who != Ours.who)
    mine = players[0].beliefs()
    lazy = [np.asarray(table.toarray()) for table in players[1].beliefs()]
    worst = max(float(np.abs(a - b).max()) for a, b in zip(mine, lazy, strict=True))
    for player in players:
        by = version("pgmstudio" if player.who == Ours.who else "pyagrum")
        quality = f"max difference {worst:.1e}" if player.who == Ours.who else "reference"
        ratio = best_peer / seconds[player.who]
        note = f" (goal {GOALS[name]})" if player.who == Ours.who and name in GOALS else ""
        print(
            f"beliefs after one change | {name}, {len(network.domain)} variables, {cells} cells | "
            f"{player.who} | {by} | {seconds[player.who]:.3g} s | {quality} | "
            f"+{memory[player.who]:.0f} MB | ratio {ratio:.3g}{note}",
            flush=True,
        )
    print(f"  (triangulated in {triangulated:.2g} s, not in the times)", flush=True)


def main(names: list[str]) -> None:
    compiled_passes()
    for name in names or DEFAULT:
        bench(name)


if __name__ == "__main__":
    main(sys.argv[1:])
