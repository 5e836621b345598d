"""Metropolis–Hastings over directed acyclic graphs with the Bayesian Dirichlet score.

A step draws an ordered pair of columns. An edge p → c that is there is removed or reversed, one
that is not there is added, each with probability ½. A change and its inverse are drawn with the
same probability, so it is accepted with probability min(1, score ratio), and the frequency of a
graph among the steps tends to its posterior probability (Madigan and York 1995). The first steps of
every chain are left out.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_prices import EdgePrices, price_matrix
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    fit_tables,
    network_events,
)
from pgmstudio.core.learning.base import ArtifactSaved, BaseLearner, ImprovedModel, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    edge_prices_param,
    knowledge_param,
    max_parents_param,
    max_table_cells_param,
    missing_param,
    smoothing_param,
    start_param,
)
from pgmstudio.core.learning.structure_posterior import (
    MAX_GRAPHS,
    MIN_LISTED,
    EdgeProbability,
    GraphProbability,
    StructurePosterior,
)
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import FamilyScores, mask_of
from pgmstudio.core.scores.local import score_of

Key = tuple[int, ...]  # a graph: each variable's parents as bits

PROGRESS_REPORTS = 50
LN2 = math.log(2)
# Graphs that a chain counts one by one; edges are always counted.
MAX_COUNTED = 200_000


class NetworkPosterior(StructurePosterior):
    """The probabilities of Bayesian networks, by the frequency of graphs in chains."""

    kind = "network-posterior"
    has_contexts = False
    weighting = "by the frequency of visits"


@dataclass(frozen=True, slots=True, kw_only=True)
class DagMcmcParams:
    """The settings of the chains."""

    score: str = param(
        "bdeu", title="Score", choices=("bdeu", "k2"), help="Bayesian Dirichlet score of a graph."
    )
    ess: float = bdeu_rows_param()
    iterations: int = param(
        20_000, title="Steps", low=100, high=100_000_000, help="Number of steps of every chain."
    )
    burn_in: float = param(
        0.2,
        title="Burn-in",
        low=0,
        high=0.9,
        help="Fraction of the steps at the beginning of each chain that is not counted.",
    )
    chains: int = param(4, title="Chains", low=1, high=32, help="Number of independent chains.")
    max_parents: int | None = max_parents_param(4)
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()
    edge_prices: EdgePrices | None = edge_prices_param()
    start: DirectedModel | None = start_param()
    max_table_cells: int = max_table_cells_param()


class Chain:
    """One chain of graphs, the number of its steps at each edge and graph, and its best graph."""

    def __init__(
        self, scores: FamilyScores, rules: EdgeRules, start: Dag, seed: int, cancel: CancelToken
    ) -> None:
        self._scores, self._cancel = scores, cancel
        self._n = len(rules.names)
        self._most_parents = rules.most_parents
        self._allowed = rules.allowed.astype(bool).tolist()
        self._required = rules.required.astype(bool).tolist()
        self._random = random.Random(seed)
        self._locals: dict[tuple[int, int], float] = {}
        self.parents = [mask_of(above) for above in start.parent_indices]
        self.score = math.fsum(self._local(c, mask) for c, mask in enumerate(self.parents))
        self.best, self.best_score = tuple(self.parents), self.score
        self.accepted = self.counted = 0
        self.graphs: Counter[Key] = Counter()
        self.scores: dict[Key, float] = {}
        self._edge_steps = [[0] * self._n for _ in range(self._n)]
        self._entered = [[0] * self._n for _ in range(self._n)]

    def _local(self, child: int, mask: int) -> float:
        known = self._locals.get((child, mask))
        if known is None:
            known = self._scores.local(child, bits_of(mask), self._cancel) * LN2
            self._locals[child, mask] = known
        return known

    def _is_ancestor(self, above: int, of: int) -> bool:
        seen, rest = 0, self.parents[of]
        while rest:
            low = rest & -rest
            v = low.bit_length() - 1
            if v == above:
                return True
            seen |= low
            rest = (rest | self.parents[v]) & ~seen
        return False

    def step(self, is_counted: bool) -> None:
        """Propose a change of one edge, accept it or not, and count the graph."""
        if self._n > 1:
            self._move()
        if is_counted:
            self.counted += 1
            key = tuple(self.parents)
            if key in self.graphs or len(self.graphs) < MAX_COUNTED:
                self.graphs[key] += 1
                self.scores[key] = self.score

    def _move(self) -> None:
        draw = self._random
        p = draw.randrange(self._n)
        c = draw.randrange(self._n - 1)
        c += c >= p
        is_first_kind = draw.random() < 0.5
        source, target = 1 << p, 1 << c
        changes = {}
        if self.parents[c] & source:
            if self._required[p][c]:
                return
            changes[c] = self.parents[c] & ~source
            if not is_first_kind:
                full = self.parents[p].bit_count() >= self._most_parents
                if full or not self._allowed[c][p]:
                    return
                changes[p] = self.parents[p] | target
        elif is_first_kind and not self.parents[p] & target:
            full = self.parents[c].bit_count() >= self._most_parents
            if full or not self._allowed[p][c] or self._is_ancestor(c, p):
                return
            changes[c] = self.parents[c] | source
        else:
            return
        if len(changes) == 2:  # a reversal: without p → c, p must not be an ancestor of c
            before = self.parents[c]
            self.parents[c] = changes[c]
            is_cycle = self._is_ancestor(p, c)
            self.parents[c] = before
            if is_cycle:
                return
        gain = sum(
            self._local(v, mask) - self._local(v, self.parents[v]) for v, mask in changes.items()
        )
        if gain < 0 and draw.random() >= math.exp(gain):
            return
        self.accepted += 1
        for v, mask in changes.items():
            for u in bits_of(mask ^ self.parents[v]):
                if mask >> u & 1:
                    self._entered[u][v] = self.counted
                else:
                    self._edge_steps[u][v] += self.counted - self._entered[u][v]
            self.parents[v] = mask
        self.score += gain
        if self.score > self.best_score + 1e-9:
            self.best, self.best_score = tuple(self.parents), self.score

    def edge_probabilities(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """The part of the counted steps at which each edge was there, parents × children."""
        steps = np.array(self._edge_steps, dtype=np.float64)
        for c, mask in enumerate(self.parents):
            for p in bits_of(mask):
                steps[p, c] += self.counted - self._entered[p][c]
        return steps / max(1, self.counted)


def dag_of_key(names: tuple[str, ...], key: Key) -> Dag:
    """The graph of a key."""
    return Dag(names, tuple(tuple(bits_of(mask)) for mask in key))


class DagMcmcLearner(BaseLearner[DagMcmcParams]):
    """The best graph that chains visit, and probabilities of edges."""

    key = "bn.mcmc"
    passes = Passes(columns=3.0)
    title = "Markov chain Monte Carlo"
    kind = "bayesian-network"
    params_type = DagMcmcParams
    cost = Cost(0.5, 0.2, 1.0, repeats="chains")
    artifacts = (NetworkPosterior,)

    def events(
        self, data: DataSet, params: DagMcmcParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        names = data.domain.names
        rules = EdgeRules.of(names, params.knowledge, params.max_parents)
        start = yield from rules.start_of(params.start)
        score = score_of(params.score, rows.total_weight, ess=params.ess)
        prices = price_matrix(params.edge_prices, rows.domain.names)
        scores = FamilyScores(rows, score, max_table_cells=params.max_table_cells, prices=prices)
        seeds = [int(rng.integers(2**63)) for _ in range(params.chains)]
        chains = [Chain(scores, rules, start, seed, cancel) for seed in seeds]
        first = int(params.burn_in * params.iterations)
        every = max(1, params.iterations // PROGRESS_REPORTS)
        best = -math.inf
        for step in range(params.iterations):
            if step % 64 == 0:
                cancel.raise_if_cancelled()
            for chain in chains:
                chain.step(step >= first)
            if (step + 1) % every == 0:
                yield _progress(chains, step + 1, params)
                leader = max(chains, key=lambda chain: chain.best_score)
                if leader.best_score > best + 1e-9:
                    best = leader.best_score
                    dag = dag_of_key(names, leader.best)
                    network = fit_tables(rows, dag, 1.0, cancel=cancel).network
                    yield ImprovedModel(network, {"score": best / LN2})
        posterior, spread = posterior_of(chains, names)
        yield ArtifactSaved(posterior)
        counted = count_of(sum(chain.counted for chain in chains), "step")
        yield Note(f"Probabilities of edges are frequencies among {counted} after burn-in.")
        if len(chains) > 1:
            yield Note(
                f"Between chains the probability of an edge differs by {spread:.2f} at most; above "
                "0.1 more steps are needed."
            )
        leader = max(chains, key=lambda chain: chain.best_score)
        measures = {
            "score": leader.best_score / LN2,
            "models": float(posterior.models),
            "accepted": float(posterior.accepted),
        }
        dag = dag_of_key(names, leader.best)
        yield from network_events(dag, rows, data, params, measures, rng=rng, cancel=cancel)


def _progress(chains: list[Chain], step: int, params: DagMcmcParams) -> Progress:
    counters = {
        "score": max(chain.score for chain in chains) / LN2,
        "best score": max(chain.best_score for chain in chains) / LN2,
        "accepted": float(sum(chain.accepted for chain in chains)),
        "step": float(step),
    }
    return Progress(step / params.iterations, "Running chains", counters)


def posterior_of(chains: list[Chain], names: tuple[str, ...]) -> tuple[NetworkPosterior, float]:
    """The mean of the chains, and the largest difference of an edge's probability between them."""
    each = np.array([chain.edge_probabilities() for chain in chains])
    mean = each.mean(axis=0)
    spread = float((each.max(axis=0) - each.min(axis=0)).max(initial=0.0))
    edges = [
        EdgeProbability(names[p], names[c], float(mean[p, c]), 0.0)
        for p, c in sorted(np.argwhere(mean > 0).tolist(), key=lambda e: (-mean[tuple(e)], e))
    ]
    graphs: Counter[Key] = Counter()
    scores: dict[Key, float] = {}
    for chain in chains:
        graphs.update(chain.graphs)
        scores.update(chain.scores)
    total = max(1, sum(chain.counted for chain in chains))
    listed = sorted(graphs, key=lambda key: (-graphs[key], -scores[key], key))[:MAX_GRAPHS]
    return (
        NetworkPosterior(
            len(graphs),
            sum(chain.counted for chain in chains),
            sum(chain.accepted for chain in chains),
            tuple(edges),
            (),
            tuple(
                GraphProbability(
                    dag_of_key(names, key).edges, graphs[key] / total, scores[key] / LN2
                )
                for key in listed
                if graphs[key] / total >= MIN_LISTED
            ),
        ),
        spread,
    )
