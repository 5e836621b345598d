"""Learners of decision graphs when cells are missing: parameters by EM for given nodes and edges.

A row with missing cells reaches several nodes of a variable, each with a probability that follows
from its out-flow and in-flow (Nielsen 2007, §3.3.2); these are its expected counts. As for tables,
each step makes the observed cells no less probable.
"""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    CompletingLearner,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    incomplete_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    FINAL_TOLERANCE,
    affordable_iterations,
    em_note,
    without_zeros,
)
from pgmstudio.core.languages.pdg.measures import node_counts
from pgmstudio.core.languages.pdg.model import DecisionGraph, arrays_of
from pgmstudio.core.learning.base import Finished, P
from pgmstudio.core.learning.smoothing import smoothed
from pgmstudio.core.model import Model

# Slots of all rows visited by one compiled call: about a tenth of a second.
SLOTS_PER_CALL = 5_000_000
SECONDS_PER_SLOT = 2e-8


class GraphLearner(CompletingLearner[P]):
    """A learner of decision graphs; each row is completed once, so that some can be held out."""

    kind = "pdg"

    def max_copies(self, params: P) -> int:
        return 1

    def refit(
        self, result: Finished, data: DataSet, params: P, cancel: CancelToken
    ) -> Generator[Progress | Note, None, tuple[Model, float]]:
        assert isinstance(result.model, DecisionGraph)
        smoothing = result.measures["smoothing"]
        return (yield from graph_refitted(result.model, data, smoothing, cancel))


def graph_refitted(
    graph: DecisionGraph, data: DataSet, smoothing: float, cancel: CancelToken = NEVER
) -> Generator[Progress | Note, None, tuple[DecisionGraph, float]]:
    """The same nodes with the parameters of largest (penalised) likelihood of observed cells."""
    expectation = _Expectation(graph, data)
    rows: tuple[Floats, ...] = tuple(without_zeros(rows) for rows in graph.parameters)
    before, least_gain = -math.inf, FINAL_TOLERANCE * max(data.total_weight, 1.0)
    most = affordable_iterations(expectation.seconds)
    for iteration in range(most + 1):
        counts, log2_likelihood = expectation.step(rows, cancel)
        yield Progress(None, f"Parameters by EM, iteration {iteration}")
        penalised = log2_likelihood
        if smoothing > 0:
            penalised += smoothing * sum(float(np.log2(one).sum()) for one in rows)
        if penalised - before < least_gain or iteration == most:
            break
        before, rows = penalised, tuple(smoothed(one, smoothing) for one in counts)
    yield em_note(iteration, most, log2_likelihood / data.total_weight)
    fitted = DecisionGraph(graph.domain, graph.forest, rows, graph.successors)
    return fitted, log2_likelihood


class _Expectation:
    """The rows of one data set in one graph: complete ones are counted once."""

    def __init__(self, graph: DecisionGraph, data: DataSet) -> None:
        self._shapes = [rows.shape for rows in graph.parameters]
        whole = data.complete_rows()
        self._observed = np.concatenate([one.ravel() for one in node_counts(graph, whole)])
        self._rows = incomplete_rows(data)
        self._weights = np.array(self._rows.row_weights)
        self._arrays = arrays_of(graph)
        slots = self._arrays.parameters.size
        self.seconds = self._rows.row_count * slots * SECONDS_PER_SLOT

    def step(
        self, parameters: tuple[Floats, ...], cancel: CancelToken
    ) -> tuple[list[Floats], float]:
        """Expected counts of every node, and the log2-likelihood of the observed cells."""
        from pgmstudio.core.languages.pdg.kernels import expect_rows

        flat = np.concatenate([rows.ravel() for rows in parameters])
        a = self._arrays._replace(parameters=flat)
        counts, seen = self._observed.copy(), self._observed > 0
        log2_likelihood = float(counts[seen] @ np.log2(flat[seen]))
        nodes, slots, states = int(a.node_at[-1]), flat.size, int(a.state_at[-1])
        buffers = (
            np.empty(states),
            np.empty(slots),
            np.empty(slots, np.int64),
            np.empty(nodes),
            np.empty(nodes, np.int64),
            np.empty(nodes),
            np.empty(states),
        )
        codes, missing = self._rows.codes, self._rows.missing_code
        each = max(1, SLOTS_PER_CALL // max(slots, 1))
        for begin in range(0, self._rows.row_count, each):
            cancel.raise_if_cancelled()
            end = min(begin + each, self._rows.row_count)
            more = expect_rows(codes, self._weights, missing, begin, end, a, *buffers, counts)
            if more == -math.inf:
                raise DataError("A row is impossible in the decision graph; use some smoothing.")
            log2_likelihood += more
        ends = np.cumsum([math.prod(shape) for shape in self._shapes])[:-1]
        parts = np.split(counts, ends)
        shaped = [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        return shaped, log2_likelihood
