"""Decision graphs from Bayesian networks: compile the clique tree, then merge (Nielsen 2007,
§4.6; Jaeger, Nielsen and Silander 2006, §5).

The network is learned first, or given. Its clique tree becomes a decision graph whose parameters
are fitted to the rows. Nodes that no row reaches are collapsed into one node per variable. Then
nodes are merged for one λ after the other, the smallest first, each starting from the result of the
previous one (Nielsen 2007, §4.6.3).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, hold_out
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.pdg.from_network import (
    FEWEST_STATES,
    ORDERS,
    compiled_graph,
    graph_of_rows,
)
from pgmstudio.core.languages.pdg.learning.em import GraphLearner
from pgmstudio.core.languages.pdg.learning.learner import (
    finished,
    tuned_smoothing,
)
from pgmstudio.core.languages.pdg.learning.params import SIZE_PAR, lambdas_param, size_param
from pgmstudio.core.languages.pdg.learning.population import default_lambdas
from pgmstudio.core.languages.pdg.learning.state import Ints, PdgRows, PdgState
from pgmstudio.core.languages.pdg.learning.trace import ROUNDING, PdgPoint, PdgScan
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.artifacts import CRITERIA, MIN_HELD_ROWS, held_out_param
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.params import knowledge_param, smoothing_param
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import AUTO, param, parse_params
from pgmstudio.core.scores.local import spaced_lambdas

# Pairs of nodes compared, a few nanoseconds each, between two progress reports.
_PAIRS_PER_REPORT = 10_000_000


@dataclass(frozen=True, slots=True)
class MergeProgress:
    """Progress of a merge traversal: variables done, of how many, and nodes merged so far."""

    done: int
    variables: int
    merged: int


class CompiledState(PdgState):
    """A compiled graph during merging; nodes that no row reaches stay separate from the others.

    Merging an unreached node loses no likelihood on the rows, so it would be merged with any other
    node at once, and unseen combinations would get the distribution of unrelated ones.
    """

    def merge_for(self, lambda_: float) -> Iterator[MergeProgress]:
        """Every merge that raises S_λ, from the leaves up; yields progress between variables."""
        limits = self.merge_limits(lambda_)
        done, merged, pairs = 0, 0, 0
        order = self.order
        for i in reversed(order):
            merged += self._merge_equal(i)
            size = self.bits[i].size
            # The limit has grown since these nodes were compared.
            self.is_changed[i] = np.ones(size, dtype=bool)
            merged += self.merge_nodes_of(i, limits[i])
            done, pairs = done + 1, pairs + size * size
            if pairs > _PAIRS_PER_REPORT:
                pairs = 0
                yield MergeProgress(done, len(order), merged)
        yield MergeProgress(done, len(order), merged)

    def _merge_equal(self, i: int) -> int:
        """Merge all nodes with equal distributions and successors at once, without comparing
        pairs."""
        if self.bits[i].size < 3:
            return 0
        counts = self.counts[i]
        totals = counts.sum(axis=1, keepdims=True)
        fractions = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        keys = np.column_stack([fractions, self._heads(i)])
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        home = first[group.ravel()].astype(np.int32)
        made = home.size - first.size
        if made:
            sums = np.zeros_like(counts)
            np.add.at(sums, home, counts)
            bits = np.zeros_like(self.bits[i])
            np.add.at(bits, home, self.bits[i])
            self._leave_out(i, home, sums, bits)
            self.is_changed[i] = np.ones(self.bits[i].size, dtype=bool)
        return made

    def _heads(self, i: int) -> Ints:
        is_idle = self.counts[i].sum(axis=1) == 0
        return np.ascontiguousarray(np.column_stack([super()._heads(i), is_idle]), dtype=np.int32)


# The learners of networks whose result is compiled, with their usual settings.
NETWORK_LEARNERS = (
    "bn.kes",
    "bn.hill-climb",
    "bn.pc",
    "bn.npc",
    "bn.k2",
    "bn.tan",
    "bn.polytree",
    "tree.chow-liu",
)
LOSSLESS = "lossless"
EITHER, EARLY, LAST = "either", "early", "last"
ANY = "any"
# Between the last λ that loses nothing and the first that does, so many more are tried.
FINER = 8
# α is tuned again when a graph has lost this fraction of its size since the last time.
_TUNED_AGAIN = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridParams:
    """The settings of hybrid learning."""

    network: str = param(
        "bn.kes",
        title="Network learner",
        choices=NETWORK_LEARNERS,
        help="The learner, with default settings, whose network is compiled if no start model is "
        "given.",
    )
    start: DirectedModel | None = param(
        None,
        title="Network",
        none_label="learned first",
        help="A network or tree to compile instead of learning one.",
    )
    lambdas: tuple[float, ...] | None = lambdas_param()
    choose: str = param(
        LOSSLESS,
        title="Criterion",
        choices=(LOSSLESS, *CRITERIA),
        help="lossless: the smallest graph that fits the rows no worse than the network. held-out: "
        "the smallest within one standard error of the best by held-out bits. Others: the best by "
        "bic or aic.",
    )
    held_out: float = held_out_param()
    garbage: bool = param(
        True,
        title="Collapse unreached nodes",
        help="Replace the nodes that no row reaches by one uniform node per variable.",
        advanced=True,
    )
    hang: str = param(
        EITHER,
        title="Attach cliques",
        choices=(EITHER, EARLY, LAST),
        help="early: attach a clique below the first variable that determines its separator. last:"
        " below the last variable of the clique above, as published. either: whichever gives "
        "the smaller graph. Without collapsing it is always the last.",
        advanced=True,
    )
    order: str = param(
        ANY,
        title="Order within a clique",
        choices=(ANY, *ORDERS),
        help="Order of the new variables of a clique: first those shared by most other cliques, "
        "those with the fewest states, or the order of the columns. any: whichever gives the "
        "smallest graph; without collapsing, the fewest states.",
        advanced=True,
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    size: str = size_param()
    knowledge: Knowledge | None = knowledge_param(
        "a network that is learned first satisfies them; the graph is only checked."
    )


class HybridPdgLearner(GraphLearner[HybridParams]):
    """A network's clique tree as a decision graph, made smaller by merging."""

    key = "pdg.hybrid"
    title = "Decision graph from a network"
    params_type = HybridParams
    cost = Cost(3.0, 0.5, 1.7, gaps=1.5, compiling=5.0)
    score_kind = ScoreKind.CRITERION
    artifacts = (PdgScan,)
    obeys_knowledge = False

    def search(
        self, data: DataSet, params: HybridParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        dag = yield from _structure(data, params, rng, cancel)
        search = _Merging(canonical(data), params, rng, cancel)
        yield from search.compile(dag)
        yield from search.merge()
        yield from search.finish()


def _structure(
    data: DataSet, params: HybridParams, rng: np.random.Generator, cancel: CancelToken
) -> Generator[LearnEvent, None, Dag]:
    """The edges to compile: those of the start, or of a network learned now."""
    if params.start is not None:
        names = data.domain.names
        strange = [n for edge in params.start.edges for n in edge if n not in names]
        if strange:
            raise ParameterError({"start": f"{strange[0]} is not a column of the data"})
        return Dag.from_edges(names, params.start.edges)
    learner = learner_of(params.network)
    settings: Any = parse_params(learner.params_type, {"knowledge": params.knowledge})
    for event in learner.run(data, settings, rng=rng, cancel=cancel):
        if isinstance(event, Progress):
            done = None if event.fraction is None else 0.6 * event.fraction
            yield Progress(done, f"network: {event.message}", event.counters)
        elif isinstance(event, Finished):
            model: Any = event.model
            return Dag.from_edges(data.domain.names, model.edges)
    raise AssertionError("a learner always finishes")


class _Merging:
    """The merge phase of one run: graphs from the compiled one to the smallest."""

    def __init__(
        self, data: DataSet, params: HybridParams, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        self._all, self._params, self._cancel, self._rng = data, params, cancel, rng
        self._train, self._held = data, None
        self._criterion = params.choose
        if params.choose == "held-out":
            train, held = hold_out(data, params.held_out, rng)
            if held.total_weight >= MIN_HELD_ROWS:
                self._train, self._held = train, held
            else:
                self._criterion = "bic"
        self._rows = PdgRows(self._train)
        self._lambdas = sorted(params.lambdas or default_lambdas(self._train.total_weight))
        self._scan = PdgScan("bic" if self._criterion == LOSSLESS else self._criterion)
        self._best: PdgPoint | None = None
        self._network: BayesianNetwork | None = None
        self._network_bits = -math.inf
        self._state: CompiledState | None = None
        self._tuned: tuple[int, float] | None = None  # size and α

    def compile(self, dag: Dag) -> Iterator[LearnEvent]:
        """The network's clique tree as a decision graph, fitted to the rows."""
        train, params = self._train, self._params
        rng = np.random.default_rng(0)  # the same folds for every model
        fitted = fit_tables(train, dag, params.smoothing, rng=rng, cancel=self._cancel)
        network = self._network = fitted.network
        self._network_bits = fitted.log2_likelihood / train.total_weight
        yield Progress(0.61, "looking for small cliques")
        tree = network.clique_tree
        self._cancel.raise_if_cancelled()
        yield Progress(0.62, f"compiling a clique tree of {tree.table_cells} cells")
        if params.garbage:
            ways = (True, False) if params.hang == EITHER else (params.hang == EARLY,)
            orders = ORDERS if params.order == ANY else (params.order,)
            graphs = [
                graph_of_rows(tree, train, order=order, is_early=is_early)
                for is_early in ways
                for order in orders
            ]
            graph = yield from self._promising(graphs, dag)
        else:
            order = FEWEST_STATES if params.order == ANY else params.order
            graph = refitted(compiled_graph(network, order=order), train)
        self._state = self._start_state(graph)
        collapsed = " without nodes that no row reaches" if params.garbage else ""
        yield Note(
            f"The network has {len(dag.edges)} edges and {tree.table_cells} table cells; its graph "
            f"has size {graph.effective_size()}{collapsed}."
        )
        yield from self._keep(self._point(self._state, 0.0))

    def _start_state(self, graph: DecisionGraph) -> CompiledState:
        by_parameters = self._params.size == SIZE_PAR
        return CompiledState(self._rows, graph.forest, by_parameters=by_parameters, start=graph)

    def _promising(
        self, graphs: list[DecisionGraph], dag: Dag
    ) -> Generator[LearnEvent, None, DecisionGraph]:
        """The graph that merging makes smallest before it fits worse than the network, both with
        the likeliest parameters."""
        graphs = list({graph.forest: graph for graph in graphs}.values())
        if len(graphs) == 1:
            return graphs[0]
        wanted = fit_tables(self._train, dag, 0.0, cancel=self._cancel).log2_likelihood
        sizes = []
        for graph in graphs:
            state = self._start_state(graph)
            sizes.append(state.size())
            for lambda_ in self._lambdas:
                for progress in state.merge_for(lambda_):
                    self._cancel.raise_if_cancelled()
                    yield Progress(
                        0.63, f"way {len(sizes)} at λ {lambda_:.3g}: {progress.merged} nodes merged"
                    )
                if state.log2_likelihood() < wanted - ROUNDING * self._train.total_weight:
                    break
                sizes[-1] = state.size()
        return graphs[int(np.argmin(sizes))]

    def merge(self) -> Iterator[LearnEvent]:
        """Cumulative merges for λ from small to large; a graph for each.

        Where the likelihood falls below the network's, λ goes in finer steps, once.
        """
        waiting, before, is_fine = list(self._lambdas), 0.0, self._params.lambdas is not None
        done, shown = 0, 0.0
        while waiting:
            lambda_, steps = waiting[0], done + len(waiting)
            state = self._current.copy()
            for progress in state.merge_for(lambda_):
                self._cancel.raise_if_cancelled()
                # Finer steps may have been added; the progress shown never goes back.
                shown = max(shown, (done + progress.done / progress.variables) / steps)
                yield Progress(
                    0.65 + 0.34 * shown,
                    f"λ {lambda_:.3g}: {progress.merged} nodes merged",
                    {
                        "λ": lambda_,
                        "score at this λ": state.score(lambda_),
                        "nodes": float(state.node_count),
                        "size": float(state.size()),
                        "bits per row": state.log2_likelihood() / self._train.total_weight,
                    },
                )
            point = self._point(state, lambda_)
            if self._criterion == LOSSLESS and not (is_fine or self._is_lossless(point)):
                waiting[:0] = _between(before, lambda_)
                is_fine = True
                continue
            self._state, before = state, lambda_
            waiting.pop(0)
            done += 1
            yield from self._keep(point)
            counters = {"score": self._measures(point)["score"], "nodes": float(point.nodes)}
            yield Progress(
                0.65 + 0.34 * shown, f"λ {lambda_:.3g} gave {point.nodes} nodes", counters
            )

    def finish(self) -> Iterator[LearnEvent]:
        """The chosen graph with its parameters fitted to all rows."""
        best = self._best
        assert best is not None
        if self._held is not None:
            self._scan = self._scan.with_choice(self._train, self._held)
            yield ArtifactSaved(self._scan)
            best = self._scan.best()
        yield from finished(
            best,
            self._measures(best),
            self._all,
            None if self._held is None else self._fitted,
            is_tuned=self._params.smoothing == AUTO,
        )

    @property
    def _current(self) -> CompiledState:
        assert self._state is not None
        return self._state

    def _fitted(self, graph: DecisionGraph, data: DataSet) -> tuple[DecisionGraph, float]:
        smoothing = self._params.smoothing
        if smoothing == AUTO:
            size = graph.parameter_size()
            if (
                self._tuned is None
                or data is not self._train
                or size < (1 - _TUNED_AGAIN) * self._tuned[0]
            ):
                rng = np.random.default_rng(0)  # the same folds for every model
                self._tuned = size, tuned_smoothing(graph, data, rng, self._cancel)
            smoothing = self._tuned[1]
        return refitted(graph, data, float(smoothing)), float(smoothing)

    def _point(self, state: CompiledState, lambda_: float) -> PdgPoint:
        """The graph of a λ with its parameters, and its measures."""
        model, smoothing = self._fitted(state.graph(), self._train)
        return PdgPoint.of(
            model,
            self._train,
            self._held,
            lambda_=lambda_,
            score=state.score(lambda_),
            smoothing=smoothing,
        )

    def _keep(self, point: PdgPoint) -> Iterator[LearnEvent]:
        """Record the graph of a λ; yields it as an improved model if it is the best so far."""
        self._scan = self._scan.with_point(point)
        yield ArtifactSaved(self._scan)
        if self._best is None or self._is_better(point, self._best):
            self._best = point
            assert point.model is not None
            yield ImprovedModel(point.model, self._measures(point))

    def _is_lossless(self, point: PdgPoint) -> bool:
        return point.train_bits >= self._network_bits - ROUNDING

    def _is_better(self, point: PdgPoint, best: PdgPoint) -> bool:
        if self._criterion == LOSSLESS:
            return self._is_lossless(point) and point.effective_size < best.effective_size
        return point.value(self._criterion) > best.value(self._criterion)

    def _measures(self, point: PdgPoint) -> dict[str, float]:
        network = self._network
        assert network is not None
        lossless = self._criterion == LOSSLESS
        measures = {
            "score": -float(point.effective_size) if lossless else point.value(self._criterion),
            "lambda": point.lambda_,
            "nodes": float(point.nodes),
            "log2_likelihood_per_row": point.train_bits,
            "smoothing": point.smoothing,
            "network_log2_likelihood_per_row": self._network_bits,
            "network_effective_size": float(network.effective_size()),
        }
        if point.held_bits is not None:
            measures["held_out_log2_likelihood_per_row"] = point.held_bits
        return measures


def _between(low: float, high: float) -> tuple[float, ...]:
    """λ above one and below another, their λ/(1−λ) evenly spaced in its logarithm."""
    end = high / (1 - high)
    begin = low / (1 - low) if low > 0 else end / 10
    return spaced_lambdas(begin, end, FINER + 2)[1:-1]
