"""Likelihood and pseudo-likelihood of the φ's, and Newton's method to maximise either."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables
from pgmstudio.core.languages.markov_network.structure import MarkovStructure

MAX_ITERATIONS = 200
# After so many iterations a gain of so many nats per row is the last.
MANY_ITERATIONS = 25
SMALL_GAIN = 1e-5
MAX_CONJUGATE = 300  # steps of conjugate gradients within one of Newton's
# If so many are not enough, up to so many φ's, the whole second derivative is computed: with it as
# preconditioner a few steps are enough, also for the next steps of Newton's.
MANY_CONJUGATE = 40
MAX_DENSE = 600
# Damping, as a multiple of the curvature where all φ's are 0.
FIRST_DAMPING = 1e-4
MIN_DAMPING = 1e-8
MAX_DAMPING = 1e4
# A φ that a Newton step would still move so far, although the gradient is 0, has no finite value.
DIVERGING_STEP = 0.1
LN2 = math.log(2.0)

Ints = NDArray[np.int64]


class Objective(Protocol):
    """A concave function of the φ's, per row and in natural logarithms."""

    def value_and_gradient(self, values: Floats) -> tuple[float, Floats]: ...

    def curvature(self, values: Floats) -> Callable[[Floats], Floats]:
        """What the negative second derivative makes of a direction."""

    def variances(self, values: Floats) -> Floats:
        """About the curvature of every φ alone."""


class JunctionTreeObjective:
    """The log-likelihood of counts of the maximal cliques."""

    def __init__(self, form: LogLinearTables, counts: Sequence[Floats]) -> None:
        self._form = form
        self._total = float(counts[0].sum())
        self._observed = form.sums(counts) / self._total
        structure = form.structure
        factors = [
            Factor(clique, np.ones(shape))
            for clique, shape in zip(structure.maximal_cliques, form.shapes, strict=True)
        ]
        self._flow = Propagation(plan_of(structure.junction_tree, factors))
        self._wanted = np.ones(len(factors), dtype=np.int64)

    def expectations(self, values: Floats) -> tuple[float, list[Floats]]:
        """log Z and the probabilities of every maximal clique's joint states."""
        tables = self._form.tables(values)
        tops = [float(table.max()) for table in tables]
        flow = self._flow
        flow.set_factors([np.exp(table - top) for table, top in zip(tables, tops, strict=True)])
        log_z = flow.log2_evidence() * LN2 + sum(tops)
        counts = np.zeros(flow.plan.factor_values.size)
        flow.add_factor_counts(1.0, self._wanted, counts)
        return log_z, factor_tables(flow, counts, self._form.shapes)

    def value_and_gradient(self, values: Floats) -> tuple[float, Floats]:
        log_z, expected = self.expectations(values)
        value = float(self._observed @ values) - log_z
        return value, self._observed - self._form.sums(expected)

    def curvature(self, values: Floats) -> Callable[[Floats], Floats]:
        here = self.value_and_gradient(values)[1]

        def curved(direction: Floats) -> Floats:
            width = 1e-6 / largest(direction)
            return (here - self.value_and_gradient(values + width * direction)[1]) / width

        return curved

    def variances(self, values: Floats) -> Floats:
        p = self._form.sums(self.expectations(values)[1])
        return p * (1 - p)


def factor_tables(
    flow: Propagation, counts: Floats, shapes: Sequence[tuple[int, ...]]
) -> list[Floats]:
    """The numbers of every factor of a plan as tables with the axes that it was given with."""
    result = []
    for (at, turn), shape in zip(flow.plan.factor_places, shapes, strict=True):
        turned = counts[at : at + math.prod(shape)].reshape([shape[axis] for axis in turn])
        result.append(turned.transpose(sorted(range(len(turn)), key=turn.__getitem__)))
    return result


class PseudoLikelihoodObjective:
    """Σ_j log p(x_j | x_mb(j)).

    Rows count once per variable j and configuration of its neighbours. A sparse matrix adds up the
    log potentials: a line for each (j, configuration, state of j), a column for each cell of a
    clique's table. A variable is judged by the rows that have its cell and those of its neighbours.
    `smoothing` rows are spread evenly over all states of a variable and its neighbours.
    """

    def __init__(
        self, form: LogLinearTables, data: DataSet, smoothing: float, cancel: CancelToken
    ) -> None:
        from scipy import sparse

        self._form = form
        structure, cards = form.structure, form.structure.domain.cardinalities
        sizes = [math.prod(shape) for shape in form.shapes]
        firsts = np.cumsum([0, *sizes])
        near: list[list[int]] = [[] for _ in cards]
        for c, clique in enumerate(structure.maximal_cliques):
            for v in clique:
                near[v].append(c)
        columns, widths, counts, groups = [], [], [], []
        for v, blanket in enumerate(structure.neighbours):
            cancel.raise_if_cancelled()
            table, states = _configurations(data, v, sorted(blanket))
            q = math.prod(cards[u] for u in blanket)
            counts.append(table + smoothing / (q * cards[v]))
            own = np.arange(cards[v])
            cells = []
            for c in near[v]:
                cell: Ints = np.zeros((len(table), cards[v]), dtype=np.int64)
                for u in structure.maximal_cliques[c]:
                    cell = cell * cards[u] + (own if u == v else states[u][:, None])
                cells.append(firsts[c] + cell)
            columns.append(np.stack(cells, axis=-1).reshape(-1))
            widths.append(np.full(table.size, len(near[v])))
            groups.append(np.full(len(table), cards[v]))
        ends = np.concatenate([[0], np.cumsum(np.concatenate(widths))])
        where = np.concatenate(columns)
        shape = (ends.size - 1, int(firsts[-1]))
        self._design = sparse.csr_array((np.ones(where.size), where, ends), shape=shape)
        self._sums = self._design.T.tocsr()
        lengths = np.concatenate(groups)
        self._group = np.repeat(np.arange(lengths.size), lengths)
        self._starts = np.cumsum(lengths) - lengths
        self._counts = np.concatenate([table.ravel() for table in counts])
        self._counts /= data.total_weight
        self._weights = np.add.reduceat(self._counts, self._starts)
        self._cancel = cancel

    def _logits(self, values: Floats) -> Floats:
        self._cancel.raise_if_cancelled()
        cells = np.concatenate([table.ravel() for table in self._form.tables(values)])
        return np.asarray(self._design @ cells)

    def _gradient(self, slopes: Floats) -> Floats:
        cells = self._sums @ slopes
        ends = np.cumsum([math.prod(shape) for shape in self._form.shapes])[:-1]
        return self._form.sums(
            [
                part.reshape(shape)
                for part, shape in zip(np.split(cells, ends), self._form.shapes, strict=True)
            ]
        )

    def _probabilities(self, values: Floats) -> tuple[Floats, Floats]:
        """log p and p of every state given each configuration."""
        logits = self._logits(values)
        logits -= np.maximum.reduceat(logits, self._starts)[self._group]
        totals = np.add.reduceat(np.exp(logits), self._starts)
        logits -= np.log(totals)[self._group]
        return logits, np.exp(logits)

    def value_and_gradient(self, values: Floats) -> tuple[float, Floats]:
        log_p, p = self._probabilities(values)
        slopes = self._counts - self._weights[self._group] * p
        return float(self._counts @ log_p), self._gradient(slopes)

    def curvature(self, values: Floats) -> Callable[[Floats], Floats]:
        _, p = self._probabilities(values)
        weights = self._weights[self._group] * p

        def curved(direction: Floats) -> Floats:
            logits = self._logits(direction)
            means = np.add.reduceat(p * logits, self._starts)
            return self._gradient(weights * (logits - means[self._group]))

        return curved

    def variances(self, values: Floats) -> Floats:
        _, p = self._probabilities(values)
        return self._gradient(self._weights[self._group] * p * (1 - p))


def _configurations(
    data: DataSet, variable: int, blanket: Sequence[int]
) -> tuple[Floats, dict[int, Ints]]:
    """Counts of the variable's states, a line per configuration of its blanket that occurs, and the
    states of the blanket in each; rows with a missing cell among these are left out."""
    columns = data.select_columns([data.domain.names[v] for v in (*blanket, variable)])
    if columns.has_missing:
        columns = columns.complete_rows()
    count = len(data.domain.variables[variable].states)
    own, weights = columns.codes[-1].astype(np.intp), columns.weights
    if blanket and own.size:
        first, which = columns.select_columns(columns.domain.names[:-1]).distinct()
    else:
        first, which = np.zeros(1, dtype=np.intp), np.zeros(own.size, dtype=np.intp)
    if not own.size:
        return np.zeros((0, count)), {v: np.zeros(0, dtype=np.int64) for v in blanket}
    table = np.bincount(which * count + own, weights=weights, minlength=first.size * count)
    states = columns.codes[:, first].astype(np.int64)
    return table.reshape(-1, count).astype(np.float64), dict(zip(blanket, states, strict=False))


def first_values(form: LogLinearTables, counts: Sequence[Floats]) -> Floats:
    """φ's near the maximum: every clique given what it shares with the cliques before it.

    It is the maximum itself where these form a junction tree and there are no contexts.
    """
    seen: set[int] = set()
    logs = []
    for clique, table in zip(form.structure.maximal_cliques, counts, strict=True):
        own = tuple(axis for axis, v in enumerate(clique) if v not in seen)
        p = table if table.all() else table + 1 / table.size
        logs.append(np.log(p / p.sum(axis=own, keepdims=True)))
        seen.update(clique)
    return form.restricted(form.values(logs))


@dataclass(eq=False, slots=True)
class FitMemory:
    """The φ's of the last maximum of each structure, and the negative second derivative near it,
    where it was computed: a head start for the next maximum of similar counts."""

    values: dict[MarkovStructure, Floats] = field(default_factory=dict)
    curvatures: dict[MarkovStructure, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Maximum:
    """The φ's at which a maximisation ended; the gradient is per row."""

    values: Floats
    iterations: int
    gradient_norm: float
    is_finite: bool


def maximise(
    objective: Objective,
    form: LogLinearTables,
    starts: Sequence[Floats],
    tolerance: float,
    cancel: CancelToken,
    *,
    is_bounded: bool = False,
    memory: FitMemory | None = None,
) -> Generator[Progress, None, Maximum]:
    """Newton's method, from the best of the starts and from 0, damped where a step does not bring
    what its curvature promises. `is_bounded`: a finite maximum is known to exist."""
    basis = form.basis
    squares = basis.copy()
    squares.data = squares.data**2

    def at(point: Floats) -> tuple[float, Floats]:
        cancel.raise_if_cancelled()
        value, gradient = objective.value_and_gradient(np.asarray(basis @ point))
        return value, np.asarray(basis.T @ gradient)

    def scale_at(point: Floats) -> Floats:
        variances = objective.variances(np.asarray(basis @ point))
        return np.asarray(np.maximum(squares.T @ variances, 1e-10))

    memory = FitMemory() if memory is None else memory

    def step_from(point: Floats, gradient: Floats, damping: Floats) -> tuple[Floats, float]:
        curved_by = curvature_at(objective, form, np.asarray(basis @ point), cancel)

        def curved(direction: Floats) -> Floats:
            return curved_by(direction) + damping * direction

        scale = scale_at(point) + damping
        dense = memory.curvatures.get(form.structure)
        condition = _diagonal(scale) if dense is None else _inverse(dense, damping)
        can_be_dense = gradient.size <= MAX_DENSE
        most = MANY_CONJUGATE if can_be_dense else MAX_CONJUGATE
        step, promised, has_arrived = _newton_step(curved, gradient, scale, condition, most)
        if can_be_dense and not has_arrived:
            dense = memory.curvatures[form.structure] = matrix_of(curved_by, gradient.size)
            condition = _inverse(dense, damping)
            step, promised, _ = _newton_step(curved, gradient, scale, condition, most)
        return step, promised

    zero = np.zeros(basis.shape[1])
    if form.structure in memory.values:
        starts = [*starts, memory.values[form.structure]]
    beta, (value, gradient) = max(
        ((point, at(point)) for point in (zero, *(values[form.free] for values in starts))),
        key=lambda candidate: candidate[1][0],
    )
    norm = largest(gradient)
    rest, damping, iteration = scale_at(zero), 0.0, 0
    while norm > tolerance and iteration < MAX_ITERATIONS and damping <= MAX_DAMPING:
        iteration += 1
        yield Progress(
            None,
            f"Maximum likelihood: iteration {iteration}, gradient {norm:.1e} per row",
            {"iteration": iteration, "gradient": norm},
        )
        direction, promised = step_from(beta, gradient, damping * rest)
        new_value, new_gradient = at(beta + direction)
        gain = new_value - value
        # Near the maximum the value is all rounding; there the gradient decides.
        is_rounding = promised < 1e-10 and largest(new_gradient) < 0.9 * norm
        is_gain = math.isfinite(gain) and gain >= 0.1 * promised  # a step too far overflows
        if not (is_gain or is_rounding):
            damping = max(8 * damping, FIRST_DAMPING)
            continue
        beta, value, gradient = beta + direction, new_value, new_gradient
        norm = largest(gradient)
        if iteration >= MANY_ITERATIONS and abs(gain) < SMALL_GAIN:
            break  # nearly deterministic tables: the rest would take long and change nothing
        if gain > 0.5 * promised:
            damping = damping / 4 if damping > MIN_DAMPING else 0.0
    is_finite = True
    if norm > 0 and not is_bounded:
        last, _ = step_from(beta, gradient, 0.0 * rest)
        is_finite = largest(np.asarray(basis @ last)) < DIVERGING_STEP
    values = memory.values[form.structure] = np.asarray(basis @ beta)
    return Maximum(values, iteration, norm, is_finite)


def largest(values: Floats) -> float:
    """The largest absolute value."""
    return float(np.abs(values).max(initial=0.0))


def curvature_at(
    objective: Objective, form: LogLinearTables, values: Floats, cancel: CancelToken
) -> Callable[[Floats], Floats]:
    """What the negative second derivative at these φ's makes of a direction of β."""
    basis = form.basis
    curved_by = objective.curvature(values)

    def curved(direction: Floats) -> Floats:
        cancel.raise_if_cancelled()
        return np.asarray(basis.T @ curved_by(np.asarray(basis @ direction)))

    return curved


def matrix_of(curved: Callable[[Floats], Floats], size: int) -> Floats:
    """The symmetric matrix of a linear map."""
    columns = np.stack([curved(direction) for direction in np.eye(size)])
    return np.asarray((columns + columns.T) / 2)


Conditioner = Callable[[Floats], Floats]  # an approximate inverse of the second derivative


def _diagonal(scale: Floats) -> Conditioner:
    return lambda residual: residual / scale


def _inverse(matrix: Floats, damping: Floats) -> Conditioner:
    from scipy.linalg import cho_factor, cho_solve

    # Directions without curvature, and rounding below 0, must not be taken for long ways.
    floor = 1e-9 * float(np.trace(matrix)) / len(matrix)
    bounded = matrix + np.diag(damping + floor)
    try:
        factor = cho_factor(bounded)
    except np.linalg.LinAlgError:
        return _diagonal(np.maximum(np.diag(bounded), floor))
    return lambda residual: np.asarray(cho_solve(factor, residual))


def _newton_step(
    curved: Callable[[Floats], Floats],
    gradient: Floats,
    scale: Floats,
    condition: Conditioner,
    most: int,
) -> tuple[Floats, float, bool]:
    """H⁻¹g by preconditioned conjugate gradients, what the step would gain, and whether at most so
    many were enough."""
    direction = np.zeros_like(gradient)
    residual = gradient.copy()
    conditioned = condition(residual)
    search = conditioned.copy()
    rho = float(residual @ conditioned)
    goal = min(0.1, math.sqrt(largest(gradient))) ** 2 * rho
    has_arrived = True
    for _ in range(min(2 * gradient.size + 10, most)):
        if largest(search) == 0:
            break
        bent = curved(search)
        curvature = float(search @ bent)
        if curvature <= 1e-14 * float(search @ (scale * search)):
            break
        alpha = rho / curvature
        direction += alpha * search
        residual -= alpha * bent
        conditioned = condition(residual)
        rho, before = float(residual @ conditioned), rho
        if rho <= goal:
            break
        search = conditioned + rho / before * search
    else:
        has_arrived = False
    # ½ g·d + ½ r·d, since Hd = g − r.
    return direction, 0.5 * float((gradient + residual) @ direction), has_arrived
