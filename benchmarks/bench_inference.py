"""All beliefs after one of five findings changed: ours against pyAgrum's two exact engines.

    python benchmarks/bench_inference.py [NETWORK …]

Five random variables are observed; every step changes the state of one of them and asks for the
belief of every variable. Steps are the same for everyone and the programs take turns; a step's time
is the best of its passes, a line shows the mean over the steps. Reading the file, triangulating and
compiling are not in the times. Quality is the largest difference of any belief from pyAgrum's, and
the peak memory of a process that does nothing else (for networks where it matters).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyagrum
from peers import as_pyagrum
from reporting import SHARED, say_line, version_of

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.propagation import compiled_passes
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

DEFAULT = ("alarm", "hailfinder", "win95pts", "andes", "diabetes", "munin1")
GOALS = {"alarm": 25, "hailfinder": 25, "win95pts": 25, "andes": 5, "diabetes": 2, "munin1": 1}
Step = tuple[int, int]  # a variable and its new state


def steps_of(network: BayesianNetwork, count: int) -> tuple[dict[int, int], list[Step]]:
    """A start and changes of one finding each that stay possible, from a seed."""
    rng = np.random.default_rng(3)
    domain = network.domain
    usable = [i for i, card in enumerate(domain.cardinalities) if card > 1]
    chosen = [int(i) for i in rng.choice(usable, 5, replace=False)]
    row = network.sample(1, rng).codes[:, 0]
    start = {i: int(row[i]) for i in chosen}
    session = JunctionTreeSession(network)
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
        self._session = JunctionTreeSession(network)

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


def network_called(name: str) -> BayesianNetwork | None:
    path = SHARED / "networks" / f"{name}.bif"
    path = path if path.exists() else path.with_suffix(".bif.gz")
    if not path.exists():
        print(f"{name}: {path.name} is not at hand, left out")
        return None
    network = read_model(path).model
    assert isinstance(network, BayesianNetwork)
    return network


ENGINES = ("LazyPropagation", "ShaferShenoyInference")


def player_called(who: str, network: BayesianNetwork) -> Player:
    return Ours(network) if who == Ours.who else Theirs(network, who)


def peak_of(name: str, who: str) -> str:
    """The peak memory of a process of its own that answers once."""
    words = [sys.executable, __file__, "--peak", name, who]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def print_peak(name: str, who: str) -> None:
    network = network_called(name)
    assert network is not None
    player = player_called(who, network)
    player.beliefs()
    # Not ru_maxrss: a child process starts with its parent's.
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    print(f"{peaks[0] / 1024:.0f} MB" if peaks else "not told")


def workspace(name: str) -> None:
    network = network_called(name)
    if network is None:
        return
    cells = network.clique_tree.table_cells
    is_large = cells > 50_000_000
    start, steps = steps_of(network, 4 if is_large else 20 if cells > 1_000_000 else 100)
    # The slower of the two needs a minute and gigabytes for a first answer on the largest network.
    engines = ENGINES[:1] if is_large else ENGINES
    players = [player_called(who, network) for who in (Ours.who, *engines)]
    times: dict[str, list[list[float]]] = {player.who: [] for player in players}
    until = time.perf_counter() + 60
    for turn in range(7):
        for player in players:
            times[player.who].append(run_pass(player, start, steps))
        if turn and time.perf_counter() > until:
            break
    seconds = {who: float(np.min(passes, axis=0).mean()) for who, passes in times.items()}
    mine = players[0].beliefs()
    lazy = [np.asarray(table.toarray()) for table in players[1].beliefs()]
    worst = max(float(np.abs(a - b).max()) for a, b in zip(mine, lazy, strict=True))
    best_peer = min(value for who, value in seconds.items() if who != Ours.who)
    ours = seconds[Ours.who]
    for player, who in zip(players, (Ours.who, *engines), strict=True):
        quality = f"{seconds[player.who] * 1e3:.3g} ms a step"
        if cells > 200_000:
            quality += f"; alone {peak_of(name, who)}"
        if player is players[0]:
            goal = f" (goal {GOALS[name]}x)" if name in GOALS else ""
            quality += f"; largest difference {worst:.0e}; best peer {best_peer / ours:.1f}x{goal}"
        its_version = version_of("pgmstudio" if player is players[0] else "pyagrum") or "-"
        data = f"{name} ({len(network.domain)} variables; {cells} cells)"
        took = seconds[player.who]
        say_line(
            "beliefs after one change", data, player.who, its_version, took, quality, took / ours
        )


def main(words: list[str]) -> None:
    if words[:1] == ["--peak"]:
        print_peak(*words[1:])
        return
    compiled_passes()
    for name in words or DEFAULT:
        workspace(name)


if __name__ == "__main__":
    main(sys.argv[1:])
