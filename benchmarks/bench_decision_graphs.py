"""Decision graphs: beliefs in a graph of 100 000 nodes, and parity beside its clique tree.

    python benchmarks/bench_decision_graphs.py

A step sets one finding and asks all beliefs; the seconds are those of the processor, so that a busy
machine changes them little. For parity, and for sums modulo a number, of which parity is the
smallest, the quality says how many times the clique tree of the network is larger than the graph;
the ratio should come near it once the graph, too, is larger than what a step costs anyway: some
20 numbers and objects a variable, whatever the graph. The last line divides the time for a cell of
the clique tree by that for one of the graph, without what a step costs anyway. The plot is written
to benchmarks/results.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import numpy as np
from log_plot import write_log_plot
from reporting import say_line, version_of

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession

RESULTS = Path(__file__).resolve().parent / "results"
REPEATS = 30
FRAME = 1 / 60
PARITIES = (8, 12, 16, 18, 20, 22)
SUMS = ((12, 16), (15, 128), (18, 1024), (20, 1024), (22, 1024))


def binary(count: int) -> Domain:
    return Domain(tuple(Variable(f"X{i}", ("0", "1")) for i in range(count)))


def grown_chain(variables: int, nodes: int) -> DecisionGraph:
    """A chain with up to so many nodes a variable, joined at random; all can be reached."""
    rng = np.random.default_rng(0)
    counts = [1]
    while len(counts) < variables:
        counts.append(min(nodes, counts[-1] * 2))
    parameters = tuple(rng.dirichlet((1, 1), count) for count in counts)
    successors: list[np.ndarray | None] = [None]
    for above, here in itertools.pairwise(counts):
        edges = rng.integers(here, size=above * 2)
        edges[rng.permutation(above * 2)[:here]] = np.arange(here)
        successors.append(edges.reshape(above, 2))
    forest = (None, *range(variables - 1))
    return DecisionGraph(binary(variables), forest, parameters, tuple(successors))


def seconds_of(
    session: JunctionTreeSession | DecisionGraphSession, names: tuple[str, ...]
) -> float:
    """The best time of a step: one finding more or less, then every belief."""
    best = np.inf
    for turn in range(REPEATS):
        name = names[turn * 7 % len(names)]
        for evidence in ({name: Observed("1")}, {}):
            began = time.process_time()
            session.set_all(evidence)
            for other in names:
                session.belief(other)
            best = min(best, time.process_time() - began)
    return float(best)


def parity_network(count: int) -> BayesianNetwork:
    """The last bit is the parity of the others, so all of them are in one clique."""
    domain = binary(count)
    dag = Dag(domain.names, (*[()] * (count - 1), tuple(range(count - 1))))
    odd = np.indices((2,) * (count - 1)).sum(axis=0) % 2
    last = np.stack([1 - odd, odd], axis=-1).astype(float)
    return BayesianNetwork(domain, dag, (*[np.array([0.5, 0.5])] * (count - 1), last))


def parity_graph(count: int) -> DecisionGraph:
    """A node for each parity of the bits before, the last bit being that of all others."""
    first = [np.array([[0.5, 0.5]]), *[np.full((2, 2), 0.5)] * (count - 2), np.eye(2)]
    edges = [None, np.array([[0, 1]]), *[np.array([[0, 1], [1, 0]])] * (count - 2)]
    forest = (None, *range(count - 1))
    return DecisionGraph(binary(count), forest, tuple(first), tuple(edges))


def sums(count: int, modulus: int) -> tuple[np.ndarray, DecisionGraph]:
    """Weights of `count` bits, and the graph of these bits and of whether their sum is large.

    The sum is modulo a number; a node of a bit is the sum of those before it, so that there are no
    more nodes than residues, where the network needs all bits in one clique.
    """
    weights = np.random.default_rng(0).integers(1, modulus, size=count)
    reached, parameters = np.zeros(1, np.int64), []
    successors: list[np.ndarray | None] = [None]
    for weight in weights:
        ends = np.stack([reached, (reached + weight) % modulus], axis=1)
        parameters.append(np.full((reached.size, 2), 0.5))
        reached, places = np.unique(ends, return_inverse=True)
        successors.append(places.reshape(ends.shape))
    successors[-1] = (2 * reached >= modulus).astype(np.int64)[successors[-1]]
    parameters.append(np.eye(2))
    forest = (None, *range(count))
    graph = DecisionGraph(binary(count + 1), forest, tuple(parameters), tuple(successors))
    return weights, graph


def sums_network(weights: np.ndarray, modulus: int) -> BayesianNetwork:
    """The same as a network: the last bit has all others as parents."""
    count = weights.size
    domain = binary(count + 1)
    dag = Dag(domain.names, (*[()] * count, tuple(range(count))))
    bits = np.indices((2,) * count, dtype=np.int64, sparse=True)
    total = sum(weight * bit for weight, bit in zip(weights, bits, strict=True)) % modulus
    is_large = 2 * total >= modulus
    last = np.stack([~is_large, is_large], axis=-1).astype(float)
    return BayesianNetwork(domain, dag, (*[np.array([0.5, 0.5])] * count, last))


def beside_clique_tree(
    data: str, graph: DecisionGraph, network: BayesianNetwork
) -> tuple[float, float, float, float]:
    """Say both; size and seconds of the graph, cells and seconds of the clique tree."""
    ours = version_of("pgmstudio") or "-"
    size, cells, names = graph.effective_size(), network.effective_size(), graph.domain.names
    fast = seconds_of(DecisionGraphSession(graph), names)
    slow = seconds_of(JunctionTreeSession(network), names)
    told = f"size {size}; the clique tree has {cells} cells, {cells / size:.0f} times as many"
    say_line("all beliefs after one finding", data, "decision graph", ours, fast, told, 1.0)
    say_line("all beliefs after one finding", data, "clique tree", ours, slow, "-", slow / fast)
    return float(size), fast, float(cells), slow


def main() -> None:
    ours = version_of("pgmstudio") or "-"
    graph = grown_chain(210, 500)
    nodes = sum(graph.node_counts)
    seconds = seconds_of(DecisionGraphSession(graph), graph.domain.names)
    data = f"{len(graph.domain)} variables; {nodes} nodes; size {graph.effective_size()}"
    told = f"{seconds * 1e3:.2f} ms a step; a frame is {FRAME * 1e3:.1f} ms"
    say_line("all beliefs after one finding", data, "decision graph", ours, seconds, told)
    parities = [
        beside_clique_tree(f"parity of {count} bits", parity_graph(count), parity_network(count))
        for count in PARITIES
    ]
    totals = []
    for count, modulus in SUMS:
        weights, graph = sums(count, modulus)
        data = f"sum of {count} bits modulo {modulus}"
        totals.append(beside_clique_tree(data, graph, sums_network(weights, modulus)))
    write_log_plot(
        RESULTS / "pdg_parity.svg",
        "Decision graph and clique tree",
        "how many times larger the clique tree is",
        "times slower",
        {
            "parity": _factors(parities),
            "sums modulo 1024": _factors(totals[2:]),
            "as the sizes promise": [
                (x, x) for x, _ in (*_factors(totals[2:3]), *_factors(parities[-1:]))
            ],
        },
    )
    anyway = parities[0][1]
    size, fast, cells, slow = totals[-1]
    quotient = slow / cells / ((fast - anyway) / size)
    print(f"a cell of the last clique tree takes {quotient:.2f} times that of the graph")


def _factors(found: list[tuple[float, float, float, float]]) -> list[tuple[float, float]]:
    """How many times larger the clique tree is, and how many times slower."""
    return [(cells / size, slow / fast) for size, fast, cells, slow in found]


if __name__ == "__main__":
    main()
