"""Explanation of an edge, or of its absence: scores, cycles, tests, rules, replicates and searches.

Scores, tests and rules are computed from the graph and the rows. The records of a search or a
bootstrap are added where they exist: PC's tests, the local optima of KES. To obtain them, the
search is run again with the same data, settings and seed, which may take as long as the search did.
An explanation is available as lines of text and as a dictionary for JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequency
from pgmstudio.core.graphs.pdag import Pdag
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcParams,
    pc_result,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    TestLog,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import (
    KesParams,
    kes_optima,
)
from pgmstudio.core.languages.markov_network.edge_moves import EdgeScores, context_text
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import MPL, PIC
from pgmstudio.core.languages.markov_network.structure import edge_of
from pgmstudio.core.number_format import change
from pgmstudio.core.scores.edge_gains import EdgeAction, EdgeMove, moves_between
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, FamilyScores, largest_table
from pgmstudio.core.scores.independence import DataTests, IndependenceRule, Outcome
from pgmstudio.core.scores.local import Score, score_of


@dataclass(frozen=True, eq=False)
class PcTask:
    """PC once more, for the log of its tests."""

    data: DataSet
    params: PcParams

    def __call__(self, cancel: CancelToken, /) -> Iterator[TestLog]:
        result = pc_result(self.data, self.params, cancel)
        yield TestLog.of(result.skeleton, self.params.rule())


@dataclass(frozen=True, eq=False)
class OptimaTask:
    """The runs of a k-greedy equivalence search once more; the same seed, the same optima."""

    data: DataSet
    params: KesParams
    seed: int

    def __call__(self, cancel: CancelToken, /) -> Iterator[KesOptima]:
        rng = np.random.default_rng(self.seed)
        yield kes_optima(self.data, self.params, rng=rng, cancel=cancel)


@dataclass(frozen=True, slots=True)
class OptimaShare:
    """In which runs of a search two variables ended up joined; runs count from 1."""

    runs: int
    joined_in: tuple[int, ...]
    optima: int
    joining_optima: int
    best_joins: bool

    def __str__(self) -> str:
        where = ""
        if self.joined_in and len(self.joined_in) < self.runs:
            few = ", ".join(map(str, self.joined_in[:5]))
            more = f" and {len(self.joined_in) - 5} more" if len(self.joined_in) > 5 else ""
            where = f" (run {few}{more})"
        best = "the best one does" if self.best_joins else "the best one does not"
        return (
            f"{len(self.joined_in)} of {self.runs} runs of the search ended with the two "
            f"joined{where}, in {self.joining_optima} of {self.optima} local optima; {best}."
        )


def optima_share(result: KesOptima, one: str, other: str) -> OptimaShare:
    """How often the runs of a search joined the two variables."""
    runs = [i for i, run in enumerate(result.runs, start=1) if _joins(run.cpdag, one, other)]
    joining = [optimum for optimum in result.optima if _joins(optimum.cpdag, one, other)]
    return OptimaShare(
        len(result.runs),
        tuple(runs),
        len(result.optima),
        len(joining),
        _joins(result.best.cpdag, one, other),
    )


def _joins(graph: Pdag, one: str, other: str) -> bool:
    return bool(graph.adjacent_masks[graph.names.index(one)] >> graph.names.index(other) & 1)


# Scores closer than this count as equal: sums of logarithms of large counts are not exact.
SAME_BITS = 1e-6
MAX_CONTEXTS = 8  # of an edge that are explained
_TITLES = {
    "bic": "BIC",
    "aic": "AIC",
    "aic-thesis": "AIC (thesis)",
    "bdeu": "BDeu",
    "k2": "K2",
    "lambda": "λ-score",
}


@dataclass(frozen=True, slots=True)
class PairTest:
    """A ⊥ B given some variables, by G²; no outcome when the table would be too large."""

    given: tuple[str, ...]
    outcome: Outcome | None


@dataclass(frozen=True)
class EdgeWhy:
    """The explanation of one pair of variables; when `is_edge`, the graph has source → target."""

    source: str
    target: str
    is_edge: bool
    moves: Mapping[str, tuple[EdgeMove, ...]]  # by the title of the score
    tests: tuple[PairTest, ...]
    rules: tuple[str, ...] = ()
    frequency: EdgeFrequency | None = None
    replicates: int = 0
    pc: str | None = None  # the reason that the search recorded
    pc_tests: tuple[str, ...] = ()
    optima: OptimaShare | None = None
    is_directed: bool = True
    contexts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # gains by score

    @property
    def edge_text(self) -> str:
        return f"{self.source} {'→' if self.is_directed else '–'} {self.target}"

    def with_records(
        self, *, tests: TestLog | None = None, optima: OptimaShare | None = None
    ) -> EdgeWhy:
        """With what a search saw of the pair."""
        result = self
        if tests is not None:
            made = tuple(map(str, tests.about(self.source, self.target)))
            result = replace(result, pc=tests.why(self.source, self.target), pc_tests=made)
        return result if optima is None else replace(result, optima=optima)

    def with_frequency(self, frequency: EdgeFrequency, replicates: int) -> EdgeWhy:
        """With the bootstrap frequencies, in the direction of this pair."""
        if frequency.source != self.source:
            frequency = frequency.turned()
        return replace(self, frequency=frequency, replicates=replicates)


def why_edge(
    dag: Dag,
    scores: Mapping[str, FamilyScores],
    tests: DataTests,
    one: str,
    other: str,
    *,
    knowledge: Knowledge | None = None,
    cancel: CancelToken = NEVER,
) -> EdgeWhy:
    """What speaks for and against an edge between two variables of a graph, now."""
    if dag.has_edge(other, one):
        one, other = other, one
    is_edge = dag.has_edge(one, other)
    moves = {
        title: moves_between(dag, one, other, family_scores, cancel)
        for title, family_scores in scores.items()
    }
    given = [(), tuple(p for p in dag.parents(other) if p != one)]
    if not is_edge:
        given.append(tuple(p for p in dag.parents(one) if p != other))
    a, b = dag.index(one), dag.index(other)
    made = tuple(
        PairTest(names, tests.test(a, b, [dag.index(name) for name in names], cancel))
        for names in dict.fromkeys(given)
    )
    return EdgeWhy(one, other, is_edge, moves, made, rules_about(knowledge, one, other))


def why_undirected_edge(
    model: MarkovNetwork,
    scores: Mapping[str, EdgeScores],
    tests: DataTests,
    one: str,
    other: str,
    *,
    knowledge: Knowledge | None = None,
    cancel: CancelToken = NEVER,
) -> EdgeWhy:
    """What speaks for and against an edge without direction, and for its contexts."""
    structure, names = model.structure, model.domain.names
    edge = edge_of(model.domain.index(one), model.domain.index(other))
    one, other = names[edge[0]], names[edge[1]]
    is_edge = edge in structure.edges
    moves, contexts = {}, {}
    for title, each in scores.items():
        gain = each.edge_gain(structure, edge, cancel)
        action: EdgeAction = "remove" if is_edge else "add"
        is_large = gain == -math.inf
        moves[title] = (
            EdgeMove(action, one, other, None if is_large else gain, is_too_large=is_large),
        )
        contexts[title] = {
            context_text(structure, edge, element): each.gain(
                structure, structure.without_context(edge, element), cancel
            )
            for element in sorted(structure.contexts.get(edge, ()))[:MAX_CONTEXTS]
        }
    given = [(), *(tuple(sorted(structure.neighbours[v] - set(edge))) for v in edge)]
    made = tuple(
        PairTest(tuple(names[v] for v in members), tests.test(*edge, members, cancel))
        for members in dict.fromkeys(given)
    )
    rules = rules_about(knowledge, one, other)
    return EdgeWhy(one, other, is_edge, moves, made, rules, is_directed=False, contexts=contexts)


def undirected_scores(data: DataSet, params: Any = None) -> dict[str, EdgeScores]:
    """PIC, the BIC of pseudo-likelihood, and the marginal pseudo-likelihood, by their titles."""
    ess = getattr(params, "ess", 1.0)
    return {"PIC": EdgeScores(data, PIC), "log2 MPL": EdgeScores(data, MPL, ess=ess)}


def scores_for(data: DataSet, dag: Dag, params: Any = None) -> dict[str, FamilyScores]:
    """BIC and, where a run's parameters name another score, that one; by their titles.

    Rows are counted once for both.
    """
    cells = max(MAX_TABLE_CELLS, largest_table(dag, data))
    bic = FamilyScores(data, score_of("bic", data.total_weight), max_table_cells=cells)
    scores = {_TITLES["bic"]: bic}
    named = score_of_run(params, data.total_weight)
    if named is not None and named[0] not in scores:
        scores[named[0]] = bic.rescored(named[1])
    return scores


def score_of_run(params: Any, total_weight: float) -> tuple[str, Score] | None:
    """The title of the score that these parameters of a learner ask for, and the score."""
    name = getattr(params, "score", None)
    if name not in _TITLES:
        return None
    lambda_, ess = getattr(params, "lambda_", None), getattr(params, "ess", 1.0)
    score = score_of(name, total_weight, lambda_=lambda_, ess=ess)
    if name == "lambda":
        return f"{_TITLES[name]} ({score.cost_per_parameter:.3g})", score
    return _TITLES[name], score


def data_tests(data: DataSet) -> DataTests:
    """The G² tests that questions about edges are answered with."""
    return DataTests(data, IndependenceRule(test="g2"))


def warm_up() -> None:
    """Load what answers about edges need, in a background thread: the first one asked of
    real rows is then as quick as the rest."""
    domain = Domain.of(dict.fromkeys(("A", "B", "C"), ("no", "yes")))
    codes = np.array([[0, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    data, dag = DataSet(domain, codes), Dag.from_edges(domain.names, [("A", "B"), ("C", "B")])
    why_edge(dag, scores_for(data, dag), data_tests(data), "A", "B")


def rules_about(knowledge: Knowledge | None, one: str, other: str) -> tuple[str, ...]:
    """One line for each rule about this pair."""
    if knowledge is None:
        return ()
    lines = []
    for source, target in ((one, other), (other, one)):
        if (source, target) in knowledge.required:
            lines.append(f"{source} → {target} is required.")
        why = knowledge.why_forbidden(source, target)
        if why is not None:
            lines.append(why)
    return tuple(dict.fromkeys(lines))


_CLEAR_BITS = 10.0  # a factor of a thousand in probability


def score_lines(why: EdgeWhy) -> list[str]:
    """One line for each move on the pair and each score; gains are in bits."""
    lines = [_move_line(title, move, why) for title, moves in why.moves.items() for move in moves]
    for title, contexts in why.contexts.items():
        lines += [
            f"Removing the context {context} changes {title} by {change(gain)} bits."
            for context, gain in contexts.items()
        ]
    return lines


def _move_line(score: str, move: EdgeMove, why: EdgeWhy) -> str:
    edge = f"{move.source} {'→' if why.is_directed else '–'} {move.target}"
    if move.gain is None:
        verb = {"add": "added", "remove": "removed", "reverse": "reversed"}[move.action]
        if move.path:
            ring = " → ".join((*move.path, move.path[0]))
            return f"{edge} cannot be {verb}: it would close the cycle {ring}."
        return f"{edge} cannot be {verb}: its table would have too many cells."
    begin = {
        "add": f"Adding {edge}",
        "remove": f"Removing {edge}",
        "reverse": f"Reversing {edge}",
    }[move.action]
    return f"{begin} changes {score} by {change(move.gain)} bits: {_verdict(move)}."


def _verdict(move: EdgeMove) -> str:
    gain = move.gain or 0.0
    if abs(gain) <= SAME_BITS:
        return "no difference" if move.action != "reverse" else "both directions score the same"
    strength = "clearly " if abs(gain) >= _CLEAR_BITS else ""
    if move.action == "remove":
        return f"the edge {strength}{'improves' if gain < 0 else 'lowers'} the score"
    return f"{strength}{'better' if gain > 0 else 'worse'}"


def test_line(why: EdgeWhy, test: PairTest) -> str:
    """The result of one test as text."""
    given = f"Given {', '.join(test.given)}" if test.given else "On their own"
    pair = f"{why.source} and {why.target}"
    if test.outcome is None:
        return f"{given}, {pair} cannot be tested: the table would have too many cells."
    p = test.outcome.p_value
    p_text = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
    verdict = "look independent" if test.outcome.independent else "depend on each other"
    doubt = "" if test.outcome.reliable else "; few rows for such a test"
    return f"{given}, {pair} {verdict}: {p_text}, {test.outcome.bits:.4f} bits{doubt}."


def frequency_line(why: EdgeWhy) -> str | None:
    """The result of a bootstrap as text; None when there is none."""
    result = why.frequency
    if result is None:
        return None
    if result.joined == 0:
        return f"None of {why.replicates} bootstrap replicates joins them."
    joined = f"{result.joined:.0%}".replace("%", " %")
    if not why.is_directed:
        return f"{joined} of {why.replicates} bootstrap replicates join them."
    parts = [f"→ {result.forward:.0%}", f"← {result.backward:.0%}"]
    if result.undirected:
        parts.append(f"either way {result.undirected:.0%}")
    fractions = ", ".join(parts).replace("%", " %")
    return f"{joined} of {why.replicates} bootstrap replicates join them ({fractions})."


def explanation_lines(why: EdgeWhy) -> list[str]:
    """Everything, in the order of the inspector."""
    lines = [*score_lines(why), *(test_line(why, test) for test in why.tests)]
    lines += [*why.rules]
    lines += filter(None, [frequency_line(why), why.pc])
    if why.optima is not None:
        lines.append(str(why.optima))
    return lines


def as_dict(why: EdgeWhy) -> dict[str, Any]:
    """For JSON; gains are in bits and higher is better."""
    payload: dict[str, Any] = {
        "source": why.source,
        "target": why.target,
        "is_edge": why.is_edge,
        "moves": [
            {
                "score": title,
                "action": move.action,
                "from": move.source,
                "to": move.target,
                "gain": move.gain,
                "cycle": list(move.path),
            }
            for title, moves in why.moves.items()
            for move in moves
        ],
        "tests": [
            {
                "given": list(test.given),
                "p_value": test.outcome and test.outcome.p_value,
                "bits": test.outcome and test.outcome.bits,
                "reliable": test.outcome and test.outcome.reliable,
            }
            for test in why.tests
        ],
        "rules": list(why.rules),
        "sentences": explanation_lines(why),
    }
    if not why.is_directed:
        payload["contexts"] = [
            {"score": title, "context": context, "removal_gain": gain}
            for title, contexts in why.contexts.items()
            for context, gain in contexts.items()
        ]
    if why.frequency is not None:
        payload["bootstrap"] = {**why.frequency.as_dict(), "replicates": why.replicates}
    if why.pc is not None:
        payload["pc"] = {"why": why.pc, "tests": list(why.pc_tests)}
    if why.optima is not None:
        payload["optima"] = {
            "runs": why.optima.runs,
            "joined_in": list(why.optima.joined_in),
            "optima": why.optima.optima,
            "joining_optima": why.optima.joining_optima,
            "best_joins": why.optima.best_joins,
        }
    return payload
