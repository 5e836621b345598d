"""Single moves of a structure search, to be examined and taken one by one.

A language lists the moves of its models by an `EdgeSearch`; whatever takes moves does it through
that interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Edge
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    lambda_param,
    max_parents_param,
    max_table_cells_param,
)
from pgmstudio.core.params import param
from pgmstudio.core.scores.edge_gains import EdgeAction
from pgmstudio.core.scores.local import SCORE_HELP, SCORES, Score, score_of

TOP = 10
SMOOTHING = 1.0
# Gains nearer than this are the same: of equal ones the first by name stands first, always.
SAME_BITS = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveParams:
    """The score of the moves, and limits on them."""

    score: str = param("bic", title="Score", choices=SCORES, help=SCORE_HELP)
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    max_parents: int | None = max_parents_param()
    max_table_cells: int = max_table_cells_param()

    def measure(self, total_weight: float) -> Score:
        return score_of(self.score, total_weight, lambda_=self.lambda_, ess=self.ess)


@dataclass(frozen=True, slots=True)
class MoveKey:
    """The identity of a move: the edge source → target is added, removed or reversed.

    In an undirected graph the edge has no direction, and the move may be of one context in which
    it vanishes.
    """

    action: EdgeAction
    source: str
    target: str
    is_directed: bool = True
    context: str = ""  # states of common neighbours; empty: the edge itself

    @property
    def edge_text(self) -> str:
        return f"{self.source} {'→' if self.is_directed else '–'} {self.target}"

    def __str__(self) -> str:
        context = f"the context {self.context} of " if self.context else ""
        return f"{self.action.capitalize()} {context}{self.edge_text}"

    @property
    def brought(self) -> Edge | None:
        """The edge that is there afterwards and was not before."""
        if self.action == "remove":
            return None
        return (self.source, self.target) if self.action == "add" else (self.target, self.source)


@dataclass(frozen=True, slots=True)
class NextMove:
    """A move and its effect on the score in bits (above 0 is better) and on the free parameters."""

    key: MoveKey
    gain: float
    parameters: int

    def __str__(self) -> str:
        return str(self.key)


@dataclass(frozen=True)
class MoveList:
    """The moves from one graph, best first."""

    score: float  # of the graph, in bits
    moves: tuple[NextMove, ...]
    better: int  # how many legal moves raise the score, listed or not
    legal: int  # how many moves there are at all
    least_gain: float  # gains up to this are rounding

    @property
    def is_optimum(self) -> bool:
        """No legal move raises the score: where hill climbing would stop."""
        return self.better == 0

    def raises(self, move: NextMove) -> bool:
        return move.gain > self.least_gain


class EdgeSearch(Protocol):
    """The moves on one data set under one score; counts are cached from one graph to the next.

    Graphs and rules are those of the language.
    """

    def list_moves(
        self, graph: Any, rules: Any, top: int = TOP, cancel: CancelToken = NEVER
    ) -> Iterator[Progress | MoveList]:
        """The best moves from a graph come last."""

    def moved(self, graph: Any, key: MoveKey) -> Any:
        """The graph after a move."""


@dataclass(frozen=True)
class ClimbResult:
    """A graph after some moves, each the best there was."""

    graph: Any
    moves: tuple[NextMove, ...]


def climb(
    search: EdgeSearch,
    graph: Any,
    rules: Any,
    steps: int | None = None,
    cancel: CancelToken = NEVER,
) -> Iterator[Progress | ClimbResult]:
    """Take the best move a number of times, or until none raises the score; the graph comes last.

    Ends at the optimum of hill climbing without a tabu list.
    """
    taken: list[NextMove] = []
    while steps is None or len(taken) < steps:
        cancel.raise_if_cancelled()
        best: MoveList | None = None
        for event in search.list_moves(graph, rules, 1, cancel):
            if isinstance(event, MoveList):
                best = event
            else:
                yield event
        if best is None or best.is_optimum:
            break
        move = best.moves[0]
        taken.append(move)
        graph = search.moved(graph, move.key)
        message = f"{len(taken)} moves taken, score {best.score + move.gain:,.1f} bits"
        yield Progress(None if steps is None else len(taken) / steps, message)
    yield ClimbResult(graph, tuple(taken))
