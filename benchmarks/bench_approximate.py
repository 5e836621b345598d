"""Approximate beliefs beside pyAgrum's engines, at the same processor time, against exact values.

    python benchmarks/bench_approximate.py [--seconds S] [CASE …]

Quality is the mean absolute error of the belief of every state, the largest one, and for ours the
fraction of 95 % intervals that cover the exact value. A grid is an Ising model; for pyAgrum, which
samples Bayesian networks only, every potential is an observed variable whose parents are the
potential's variables. Seconds are processor time; pyAgrum's limit is wall time, so it gets more on
a busy machine. Ours runs as long as the slowest of its engines, and each is compared with ours at
the processor time that it used itself; loopy belief propagation ends on its own. A grid of 30×30
has no exact values: its line has the mean and largest error bars.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# The peer's threads would share the cores; processor time is compared.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from peers import as_pyagrum
from reporting import SHARED, say_line, version_of

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.inference.approximate.session import ApproximateSession
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.sessions import ask, open_session, warm_up
from pgmstudio.version import __version__

ENGINES = (
    "GibbsSampling",
    "WeightedSampling",
    "ImportanceSampling",
    "LoopyGibbsSampling",
    "LoopyWeightedSampling",
    "LoopyImportanceSampling",
    "LoopyBeliefPropagation",
)
FINDINGS = 8  # of the networks, on leaves of a sampled row
MAX_ASKED = 60  # variables whose exact beliefs are computed one by one


@dataclass(frozen=True)
class Case:
    """A model with evidence, its exact beliefs by variable, and the same for pyAgrum."""

    name: str
    model: BayesianNetwork | MarkovNetwork
    evidence: Mapping[str, str]
    peer: Callable[[], tuple[Any, Mapping[str, int]]]


def grid_network(side: int, strength: float = 0.7, seed: int = 1) -> MarkovNetwork:
    """An Ising model with random couplings and fields on a square grid."""
    domain = Domain.of({f"X{i}": "01" for i in range(side * side)})
    across = [(i, i + 1) for i in range(side * side) if (i + 1) % side]
    down = [(i, i + side) for i in range(side * (side - 1))]
    uniform = MarkovNetwork.uniform(MarkovStructure(domain, frozenset(across + down)))
    rng = np.random.default_rng(seed)
    logs = [rng.normal(0, strength, p.shape) for p in uniform.potentials]
    return MarkovNetwork(uniform.structure, tuple(map(np.exp, logs)))


def grid_case(side: int) -> Case:
    model = grid_network(side)

    def peer() -> tuple[Any, Mapping[str, int]]:
        import pyagrum

        twin, evidence = pyagrum.BayesNet(), {}
        for i in range(len(model.domain)):
            twin.add(pyagrum.LabelizedVariable(f"v{i}", "", 2))
            twin.cpt(f"v{i}").fillWith(0.5)
        for number, factor in enumerate(model.factors):
            name = f"potential{number}"
            twin.add(pyagrum.LabelizedVariable(name, "", 2))
            for v in factor.scope:
                twin.addArc(f"v{v}", name)
            part = 0.9 * factor.values / factor.values.max()
            table = np.stack([1 - part, part], axis=-1)
            scope = [*(f"v{v}" for v in factor.scope), name]
            axes = [scope.index(axis) for axis in reversed(twin.cpt(name).names)]
            twin.cpt(name)[:] = np.ascontiguousarray(table.transpose(axes))
            evidence[name] = 1
        return twin, evidence

    return Case(f"grid {side}×{side}", model, {}, peer)


def network_case(name: str, findings: int) -> Case:
    model = read_model(SHARED / "networks" / f"{name}.bif").model
    assert isinstance(model, BayesianNetwork)
    row = model.sample(1, np.random.default_rng(5)).codes[:, 0]
    parents = {parent for scope in model.dag.parent_indices for parent in scope}
    leaves = [v for v in range(len(model.domain)) if v not in parents]
    chosen = [int(v) for v in np.random.default_rng(6).permutation(leaves)[:findings]]
    variables = model.domain.variables
    evidence = {variables[v].name: variables[v].states[row[v]] for v in chosen}

    def peer() -> tuple[Any, Mapping[str, int]]:
        return as_pyagrum(model), {f"v{v}": int(row[v]) for v in chosen}

    return Case(f"{name}, {findings} findings", model, evidence, peer)


def exact_beliefs(case: Case) -> tuple[dict[str, Floats], float | None]:
    """Of all variables, with the processor seconds for them, or of some, without, where the
    junction tree of the whole model does not fit."""
    began = time.process_time()
    found = {name: Observed(state) for name, state in case.evidence.items()}
    names = [name for name in case.model.domain.names if name not in found]
    try:
        session = open_session(case.model)
        for name, finding in found.items():
            session.set_evidence(name, finding)
        beliefs = {name: session.belief(name).values for name in names}
        return beliefs, time.process_time() - began
    except TooLargeError:
        pass
    result: dict[str, Floats] = {}
    for name in map(str, np.random.default_rng(7).permutation(names)):
        if len(result) == MAX_ASKED:
            break
        try:
            result[name] = ask(case.model, [name], found).beliefs[name].values
        except TooLargeError:
            continue
    return result, None


def errors_of(beliefs: Mapping[str, Floats], exact: Mapping[str, Floats]) -> Floats:
    return np.concatenate([np.abs(beliefs[name] - exact[name]) for name in exact])


def wall_seconds_per_processor_second() -> float:
    """How busy the machine is just now."""
    wall, processor = time.monotonic(), time.process_time()
    while time.process_time() - processor < 0.2:
        pass
    return max(1.0, (time.monotonic() - wall) / (time.process_time() - processor))


def of_peer(case: Case, engine: str, seconds: float) -> tuple[dict[str, Floats], float]:
    """pyAgrum's beliefs and the processor seconds that it used."""
    import pyagrum

    twin, evidence = case.peer()
    run = getattr(pyagrum, engine)(twin)
    run.setEvidence(dict(evidence))
    if engine != "LoopyBeliefPropagation":
        run.setMaxTime(seconds * wall_seconds_per_processor_second())
        run.setEpsilon(1e-9)
        run.setMinEpsilonRate(1e-9)
        run.setMaxIter(100_000_000)
    run.setVerbosity(False)
    began = time.process_time()
    run.makeInference()
    spent = time.process_time() - began
    names = case.model.domain.names
    beliefs = {name: run.posterior(f"v{i}").toarray() for i, name in enumerate(names)}
    return beliefs, spent


def of_ours(
    case: Case, seconds: float, exact: Mapping[str, Floats]
) -> tuple[ApproximateSession, float, list[tuple[float, float]]]:
    """Our session after so much processor time, when it had its first bars, and its mean error by
    processor time."""
    began = time.process_time()
    session = ApproximateSession(case.model)
    session.set_all({name: Observed(state) for name, state in case.evidence.items()})
    session.belief(case.model.domain.names[0])
    first = time.process_time() - began
    history: list[tuple[float, float]] = []
    measuring = 0.0
    while True:
        spent = time.process_time() - began - measuring
        if exact:
            beliefs = {name: session.belief(name).values for name in exact}
            history.append((spent, float(errors_of(beliefs, exact).mean())))
            measuring = time.process_time() - began - spent
        if spent >= seconds:
            return session, first, history
        session.refine()


def compare(case: Case, seconds: float) -> None:
    exact, spent = exact_beliefs(case)
    if spent is not None:
        text = "exact, since it fits into memory: what a person gets"
        say_line("approximate", case.name, "PGM Studio, exact", __version__, spent, text)
    lines: list[tuple[str, str, float, str, float]] = []
    longest = seconds
    if version_of("pyagrum") is not None and exact:
        for engine in ENGINES:
            peer_version = version_of("pyagrum") or "-"
            try:
                beliefs, spent = of_peer(case, engine, seconds)
            except Exception as problem:  # its exceptions share no base class with Python's
                text = f"{problem}"[:60]
                lines.append((f"pyAgrum {engine}", peer_version, math.nan, text, math.nan))
                continue
            errors = errors_of(beliefs, exact)
            text = f"error mean {errors.mean():.5f} max {errors.max():.4f}"
            lines.append((f"pyAgrum {engine}", peer_version, spent, text, float(errors.mean())))
            longest = max(longest, spent)
    session, first, history = of_ours(case, longest, exact)
    ours = {name: session.belief(name) for name in case.model.domain.names}
    bars = np.concatenate([b.errors for b in ours.values() if b.errors is not None])
    quality = f"bars mean {bars.mean():.5f} max {bars.max():.4f}"
    if exact:
        errors = errors_of({name: belief.values for name, belief in ours.items()}, exact)
        own = np.concatenate([_bars(ours[name].errors, exact[name]) for name in exact])
        covered = float((errors <= own + 1e-12).mean())
        quality = f"error mean {errors.mean():.5f} max {errors.max():.4f} covered {covered:.3f}"
    quality += f" first bars {first:.2f} s"
    say_line("approximate", case.name, "PGM Studio", __version__, longest, quality, 1.0)
    for who, its_version, used, text, error in lines:
        same = [mean for spent, mean in history if spent <= used]
        if same:
            text += f" ({error / max(same[-1], 1e-12):.1f} times ours at the same time)"
        elif used == used:
            text += " (ours has no bars by then)"
        say_line("approximate", case.name, who, its_version, used, text)


def _bars(errors: Floats | None, values: Floats) -> Floats:
    return np.zeros(values.shape) if errors is None else errors


CASES: dict[str, Callable[[], Case]] = {
    "grid16": lambda: grid_case(16),
    "munin1": lambda: network_case("munin1", FINDINGS),
    "link": lambda: network_case("link", 0),
    "grid30": lambda: grid_case(30),
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], metavar="CASE")
    parser.add_argument("--seconds", type=float, default=5.0)
    args = parser.parse_args(argv)
    warm_up()
    for name in args.cases or CASES:
        compare(CASES[name](), args.seconds)


if __name__ == "__main__":
    main()
