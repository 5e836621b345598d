"""Explanation of an edge, or of its absence: scores, cycles, tests, rules, replicates and searches.

Scores, tests and rules are computed from the graph and the rows. The records of a search or a
bootstrap are added where they exist: PC's tests, the local optima of KES. To obtain them, the
search is run again with the same data, settings and seed, which may take as long as the search did.
An explanation is available as lines of text and as a dictionary for JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag
from pgmstudio.core.languages.bayesian_network.edge_analysis import (
    data_tests,
    scores_for,
    why_edge,
)
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
from pgmstudio.core.number_format import change
from pgmstudio.core.scores.edge_gains import EdgeMove
from pgmstudio.core.scores.edge_reports import EdgeWhy, OptimaShare, PairTest


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


def warm_up() -> None:
    """Load what answers about edges need, in a background thread: the first one asked of
    real rows is then as quick as the rest."""
    domain = Domain.of(dict.fromkeys(("A", "B", "C"), ("no", "yes")))
    codes = np.array([[0, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    data, dag = DataSet(domain, codes), Dag.from_edges(domain.names, [("A", "B"), ("C", "B")])
    why_edge(dag, scores_for(data, dag), data_tests(data), "A", "B")


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
