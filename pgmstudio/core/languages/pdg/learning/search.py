"""LearnPDG: split, merge and redirect until the score no longer rises (Nielsen 2007, Alg. 4.7).

The operators work on all nodes of a variable at once. For stepping through a run, their splits,
merges and redirections are replayed one by one, each with its gain; the search itself is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, StepToken
from pgmstudio.core.languages.pdg.candidate_operations import CandidateOperation, Operation
from pgmstudio.core.languages.pdg.diagrams import operation_text
from pgmstudio.core.languages.pdg.learning.state import Batch, PdgState
from pgmstudio.core.languages.pdg.measures import fitted_log2_likelihood, refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph, without_unreachable


@dataclass(frozen=True, eq=False)
class PdgStep:
    """One operation with its ΔL and Δsize; the graph after it has maximum-likelihood parameters."""

    text: str
    graph: DecisionGraph
    touched: tuple[tuple[str, int], ...]
    bits: float
    size: int
    score: float


def in_steps(
    state: PdgState, act: Callable[[], int], lambda_: float, token: StepToken | None
) -> Generator[PdgStep, None, int]:
    """Apply an operator to `state`; while stepping, yields its operations and pauses after each.

    Returns the number of operations.
    """
    if token is None or not token.is_stepping:
        return act()
    before = state.copy()
    record: list[Batch] = []
    state.record = record
    done = act()
    state.record = None
    for step in replayed(before, record, lambda_):
        yield step
        token.hold()
        if not token.is_stepping:
            break
    return done


def replayed(before: PdgState, record: list[Batch], lambda_: float) -> Iterator[PdgStep]:
    """The recorded operations one at a time, starting from the graph before the first."""
    rows = before.rows
    data = DataSet(rows.domain, rows.codes, rows.weights)
    graph = before.graph()
    bits, size = fitted_log2_likelihood(graph, data), _size(graph, before)
    for text, after, touched in _done(graph, record):
        graph = refitted(after, data)
        bits_before, size_before = bits, size
        bits, size = fitted_log2_likelihood(graph, data), _size(graph, before)
        gained, grown = bits - bits_before, size - size_before
        score = (1 - lambda_) * gained - lambda_ * grown
        yield PdgStep(text, graph, touched, gained, grown, score)


def _size(graph: DecisionGraph, state: PdgState) -> int:
    """The size that the score of the search weighs."""
    return sum(k * cost for k, cost in zip(graph.node_counts, state.node_costs, strict=True))


_Made = tuple[str, DecisionGraph, tuple[tuple[str, int], ...]]


def _done(graph: DecisionGraph, record: list[Batch]) -> Iterator[_Made]:
    if record and record[0].operation is Operation.REDIRECT:
        yield from _redirections(graph, record)
        return
    for batch in record:
        name = graph.domain.names[batch.variable]
        is_split = batch.operation is Operation.SPLIT
        for step in _splits(name, batch) if is_split else _merges(name, batch):
            after = step.done(graph)
            yield f"{operation_text(graph, step)} of {name}", after, step.touched(graph, after)
            graph = after


def _splits(name: str, batch: Batch) -> Iterator[CandidateOperation]:
    for (node,) in batch.targets.tolist():
        yield CandidateOperation(Operation.SPLIT, name, node)


def _merges(name: str, batch: Batch) -> Iterator[CandidateOperation]:
    """Nodes are numbered as before the first merge; numbers above a removed node shift down."""
    gone: list[int] = []
    for keep, other in batch.targets.tolist():
        here = [node - sum(one < node for one in gone) for node in (keep, other)]
        yield CandidateOperation(Operation.MERGE, name, *here)
        gone.append(other)


def _redirections(graph: DecisionGraph, record: list[Batch]) -> Iterator[_Made]:
    """Edges in the numbering of the first graph: a node may lose all its edges and regain one."""
    edges = [None if e is None else e.copy() for e in graph.successors]
    for batch in record:
        i = batch.variable
        above, mine = graph.forest[i], edges[i]
        assert above is not None
        assert mine is not None
        for upper, state, node in batch.targets.tolist():
            mine = mine.copy()
            mine[upper, state] = node
            edges[i] = mine
            after = without_unreachable(
                graph.domain, graph.forest, graph.parameters, tuple(edges), graph.order
            )
            # Variables above are unchanged, so all their nodes remain; of this variable the nodes
            # with an edge remain, in their order.
            index = int(np.searchsorted(np.unique(mine), node))
            name = graph.domain.names[i]
            step = CandidateOperation(Operation.REDIRECT, name, index, upper=upper, state=state)
            yield f"{operation_text(after, step)} of {name}", after, ((name, index),)


# A gain below this is rounding.
_ROUNDING = 1e-7


@dataclass(frozen=True, slots=True)
class SweepRules:
    """Which operators are used and how often."""

    split: bool = True
    merge: bool = True
    redirect: bool = True
    redirect_every: int = 3
    splits_per_merge: int = 1
    deepen: bool = True
    patience: int = 5
    max_sweeps: int = 200
    merge_as_printed: bool = False


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The state of a search after a sweep; splits, merges and redirects are cumulative."""

    sweep: int
    nodes: int
    score: float
    log2_likelihood: float
    size: int
    splits: int
    merges: int
    redirects: int


def learn_pdg(
    state: PdgState,
    lambda_: float,
    rules: SweepRules,
    rng: np.random.Generator,
    cancel: CancelToken,
    walker: StepToken | None = None,
) -> Generator[SweepResult | PdgStep, None, PdgState]:
    """Sweeps from `state` on; the generator's value is the best graph it passed.

    Splits are drawn and may lower the score, so a search ends after some sweeps without a better
    graph, and not before a redirection in the last of them. While the `walker` is stepping, every
    operation is yielded, and the search pauses after it.
    """
    best, best_score = state.copy(), state.score(lambda_)
    state = state.copy()
    splits = merges = redirects = worse = 0
    limits = state.merge_limits(lambda_, as_printed=rules.merge_as_printed)
    split, merge = partial(state.split, lambda_, rng), partial(state.merge, limits)
    for sweep in range(1, rules.max_sweeps + 1):
        cancel.raise_if_cancelled()
        if rules.split:
            for _ in range(rules.splits_per_merge + (worse if rules.deepen else 0)):
                splits += yield from in_steps(state, split, lambda_, walker)
        if rules.merge:
            merges += yield from in_steps(state, merge, lambda_, walker)
        is_last = worse + 1 >= rules.patience or sweep == rules.max_sweeps
        if rules.redirect and (sweep % rules.redirect_every == 0 or is_last):
            cancel.raise_if_cancelled()
            moved = yield from in_steps(state, state.redirect, lambda_, walker)
            redirects += moved
            if moved and rules.merge and is_last:
                merges += yield from in_steps(state, merge, lambda_, walker)
        score = state.score(lambda_)
        worse += 1
        if score > best_score + _ROUNDING * abs(best_score):
            best, best_score, worse = state.copy(), score, 0
        yield SweepResult(
            sweep,
            state.node_count,
            score,
            state.log2_likelihood(),
            state.size(),
            splits,
            merges,
            redirects,
        )
        if worse >= rules.patience:
            break
    return best
