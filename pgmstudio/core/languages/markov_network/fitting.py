"""Maximum likelihood of the restricted log-linear model of a structure.

With φ = Bβ, B a basis of the null space of the restrictions, the log-likelihood is concave in β.
Its gradient is the observed less the expected counts of the free directions. Expected counts of the
cliques come from the junction tree; where that is too large, the pseudo-likelihood
Π_j p(x_j | x_mb(j)) is maximised instead, with the same β. A chordal graph without contexts has a
closed form: Π_C n_C / Π_S n_S. Other graphs are cut at complete separators, and each part is fitted
by itself. Missing cells are summed out by EM.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables, free_parameters
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure

CLOSED_FORM = "closed form"
JUNCTION_TREE = "junction tree"
PSEUDO_LIKELIHOOD = "pseudo-likelihood"

# A gradient in a junction tree of so many cells takes about 0.1 s; larger ones are approximated.
MAX_CELLS = 1 << 22
TOLERANCE = 1e-8  # of the gradient, per row
MAX_ITERATIONS = 200
MAX_EM_ITERATIONS = 300
EM_TOLERANCE = 1e-9  # nats per row
EM_GRADIENT = 1e-4  # of the fits inside EM, per row
# A φ that a Newton step would still move so far, although the gradient is 0, has no finite value.
DIVERGING_STEP = 0.1
LN2 = math.log(2.0)

NO_FINITE_ESTIMATE = (
    "No finite estimate: some joint states of a clique never occur, so the likelihood grows "
    "without end as some φ's do. Smoothing gives finite ones."
)
APPROXIMATE = (
    "The cliques are too large for the partition function, so the parameters maximise the "
    "pseudo-likelihood: an approximation."
)


@dataclass(frozen=True, eq=False)
class FittedMarkovNetwork:
    """A network with its parameters and how they were found.

    `log2_likelihood` is that of the data, observed cells only; not a number where the network was
    fitted by pseudo-likelihood. `gradient_norm` is the largest component of the gradient, per row.
    """

    network: MarkovNetwork
    method: str
    log2_likelihood: float
    free_parameters: int
    total_weight: float
    iterations: int = 0
    gradient_norm: float = 0.0
    is_finite: bool = True
    notes: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        return self.method != PSEUDO_LIKELIHOOD

    @property
    def log_likelihood_nats(self) -> float:
        """The log-likelihood in natural logarithms."""
        return self.log2_likelihood * LN2

    @property
    def bic_nats(self) -> float:
        """log L̂ − ½ K ln n in natural logarithms, as papers print it; larger is better."""
        return self.log_likelihood_nats - 0.5 * self.free_parameters * math.log(self.total_weight)


Fitting = Generator[Progress, None, FittedMarkovNetwork]


def fit(
    structure: MarkovStructure,
    data: DataSet,
    *,
    smoothing: float = 0.0,
    tolerance: float = TOLERANCE,
    cancel: CancelToken = NEVER,
) -> Fitting:
    """The parameters of largest likelihood; `run_to_end(fit(…))` gives the result at once.

    `smoothing` is a number of further rows, spread evenly over all joint states. `tolerance` bounds
    the gradient per row of data.
    """
    if data.domain != structure.domain:
        data = data.select_columns(structure.domain.names)
    if data.domain != structure.domain:
        raise DataError("The rows have other states than the model; code them with its domain.")
    if data.total_weight <= 0:
        raise DataError("There are no rows to fit the parameters to.")
    if structure.junction_tree.table_cells > MAX_CELLS:
        return (yield from _fit_pseudo(structure, data, smoothing, tolerance, cancel))
    if data.has_missing:
        return (yield from _fit_by_em(structure, data, smoothing, tolerance, cancel))
    counts = [joint_counts(data, clique, cancel) for clique in structure.maximal_cliques]
    return (yield from _fit_counts(structure, counts, smoothing, tolerance, cancel))


# Up to this size of the junction tree an edit computes the nearest distribution.
MAX_PROJECTED_CELLS = 1 << 16


def projected(network: MarkovNetwork, structure: MarkovStructure) -> MarkovNetwork:
    """The network of this structure with the smallest KL divergence from the given one.

    Where the junction tree is large, the φ's are taken over instead, adjusted to the contexts.
    """
    sizes = [one.junction_tree.table_cells for one in (network.structure, structure)]
    if max(sizes) > MAX_PROJECTED_CELLS:
        if not network.is_positive:
            raise GraphError(
                "Some potentials are 0, so the φ's are not finite, and the network is too large "
                "for another way. Fit it to data with smoothing first."
            )
        before = dict(zip(network.log_linear.parameters, network.parameters, strict=True))
        form = LogLinearTables.of(structure)
        values = np.array([before.get(parameter, 0.0) for parameter in form.parameters])
        return MarkovNetwork.of_parameters(structure, form.restricted(values))
    flow = network.propagation()
    marginals = [joint_of(network, clique, {}, flow) for clique in structure.maximal_cliques]
    return run_to_end(_fit_counts(structure, marginals, 0.0, TOLERANCE, NEVER)).network


def _with_smoothing(counts: Sequence[Floats], smoothing: float) -> list[Floats]:
    return [table + smoothing / table.size for table in counts]


def _fit_counts(
    structure: MarkovStructure,
    counts: Sequence[Floats],
    smoothing: float,
    tolerance: float,
    cancel: CancelToken,
    start: Floats | None = None,
) -> Fitting:
    """The fit to the counts of every maximal clique."""
    smoothed = _with_smoothing(counts, smoothing)
    total = float(counts[0].sum()) if counts else 0.0
    if structure.is_chordal and not structure.contexts:
        return _closed_form(structure, counts, smoothed, total)
    parts = _parts(structure)
    if len(parts) > 1:
        return (
            yield from _fit_parts(structure, parts, counts, smoothing, tolerance, cancel, start)
        )
    form = LogLinearTables.of(structure)
    objective = JunctionTreeObjective(form, smoothed)
    found = yield from _maximise(objective, form, start, tolerance, cancel)
    network = MarkovNetwork.of_parameters(structure, found.values)
    log_z, _ = objective.expectations(found.values)
    log_likelihood = float(form.sums(counts) @ found.values) - total * log_z
    has_empty = not structure.contexts and any((table == 0).any() for table in smoothed)
    is_finite = found.is_finite and not has_empty
    return FittedMarkovNetwork(
        network,
        JUNCTION_TREE,
        log_likelihood / LN2,
        free_parameters(structure),
        total,
        found.iterations,
        found.gradient_norm,
        is_finite,
        () if is_finite else (NO_FINITE_ESTIMATE,),
    )


@dataclass(frozen=True)
class _Part:
    """A part of a graph that is fitted by itself, and the variables that join it to others.

    Parts share complete sets of variables without contexts among them. There the estimates of all
    parts are the same, the relative frequencies, so that the whole is Π_parts p / Π_joints p.
    """

    structure: MarkovStructure
    members: tuple[int, ...]
    joint: tuple[int, ...]  # with the parts before it


def _parts(structure: MarkovStructure) -> list[_Part]:
    """The graph cut at the separators of its junction tree that are complete in the graph itself
    and have no edge with contexts."""
    tree = structure.junction_tree
    members: list[set[int]] = []
    joints: list[tuple[int, ...]] = []
    home: list[int] = []
    for clique, parent, separator in zip(tree.cliques, tree.parents, tree.separators, strict=True):
        is_cut = structure.is_complete(separator) and structure.contexts.keys().isdisjoint(
            combinations(separator, 2)
        )
        if parent is None or is_cut:
            home.append(len(members))
            members.append(set(clique))
            joints.append(separator)
        else:
            home.append(home[parent])
            members[home[parent]].update(clique)
    result = []
    for inside, joint in zip(members, joints, strict=True):
        ordered = tuple(sorted(inside))
        at = {v: n for n, v in enumerate(ordered)}
        result.append(
            _Part(
                MarkovStructure(
                    Domain(tuple(structure.domain.variables[v] for v in ordered)),
                    frozenset((at[i], at[j]) for i, j in structure.edges if {i, j} <= inside),
                    {
                        (at[i], at[j]): elements
                        for (i, j), elements in structure.contexts.items()
                        if {i, j} <= inside
                    },
                ),
                ordered,
                joint,
            )
        )
    return result


def _fit_parts(
    structure: MarkovStructure,
    parts: Sequence[_Part],
    counts: Sequence[Floats],
    smoothing: float,
    tolerance: float,
    cancel: CancelToken,
    start: Floats | None,
) -> Fitting:
    """The fit of every part by itself, joined."""
    homes = [frozenset(clique) for clique in structure.maximal_cliques]
    before = (
        None
        if start is None
        else dict(zip(LogLinearTables.of(structure).parameters, start, strict=True))
    )

    def margin(variables: Sequence[int]) -> Floats:
        n = next(n for n, clique in enumerate(homes) if clique.issuperset(variables))
        inside = set(variables)
        axes = [axis for axis, v in enumerate(structure.maximal_cliques[n]) if v not in inside]
        return np.asarray(counts[n].sum(axis=tuple(axes)))

    factors: list[tuple[tuple[int, ...], Floats]] = []
    total = float(counts[0].sum())
    log2_likelihood, iterations, norm, is_finite = 0.0, 0, 0.0, True
    for part in parts:
        scopes = [tuple(part.members[v] for v in c) for c in part.structure.maximal_cliques]
        values = None
        if before is not None:
            values = np.array(
                [
                    before[tuple(part.members[v] for v in term), states]
                    for term, states in LogLinearTables.of(part.structure).parameters
                ]
            )
        tables = [margin(scope) for scope in scopes]
        fitted = yield from _fit_counts(
            part.structure, tables, smoothing, tolerance, cancel, values
        )
        factors += zip(scopes, fitted.network.potentials, strict=True)
        log2_likelihood += fitted.log2_likelihood
        iterations = max(iterations, fitted.iterations)
        norm = max(norm, fitted.gradient_norm)
        is_finite = is_finite and fitted.is_finite
        if part.joint:
            joint = margin(part.joint)
            (smoothed,) = _with_smoothing([joint], smoothing)
            p = smoothed / smoothed.sum()
            log2_likelihood -= float(joint[joint > 0] @ np.log2(p[joint > 0]))
            factors.append((part.joint, np.divide(1.0, p, out=np.ones_like(p), where=p > 0)))
    return FittedMarkovNetwork(
        MarkovNetwork.of_factors(structure, factors),
        JUNCTION_TREE,
        log2_likelihood,
        free_parameters(structure),
        total,
        iterations,
        norm,
        is_finite,
        () if is_finite else (NO_FINITE_ESTIMATE,),
    )


def _closed_form(
    structure: MarkovStructure, counts: Sequence[Floats], smoothed: Sequence[Floats], total: float
) -> FittedMarkovNetwork:
    """Π_C n_C / Π_S n_S: every clique gets its counts given those of its separator."""
    tree = structure.junction_tree
    index = {clique: n for n, clique in enumerate(structure.maximal_cliques)}
    potentials: list[Floats] = [np.ones(0)] * len(counts)
    log_likelihood = 0.0
    for clique, separator in zip(tree.cliques, tree.separators, strict=True):
        n = index[clique]
        own = tuple(axis for axis, v in enumerate(clique) if v not in separator)
        shared = smoothed[n].sum(axis=own, keepdims=True)
        potential = np.divide(smoothed[n], shared, out=np.zeros_like(smoothed[n]), where=shared > 0)
        # Where the separator never occurs the rest is uniform: no row says anything about it.
        potential[np.broadcast_to(shared == 0, potential.shape)] = 1 / math.prod(
            potential.shape[axis] for axis in own
        )
        potentials[n] = potential
        seen = counts[n] > 0
        log_likelihood += float(counts[n][seen] @ np.log2(potential[seen]))
    is_finite = not any((table == 0).any() for table in smoothed)
    return FittedMarkovNetwork(
        MarkovNetwork(structure, tuple(potentials)),
        CLOSED_FORM,
        log_likelihood,
        free_parameters(structure),
        total,
        is_finite=is_finite,
        notes=() if is_finite else (NO_FINITE_ESTIMATE,),
    )


class Objective(Protocol):
    """A concave function of the φ's."""

    def value_and_gradient(self, values: Floats) -> tuple[float, Floats]:
        """Per row, in natural logarithms."""

    def variances(self, values: Floats) -> Floats:
        """About the curvature of every φ alone."""


class JunctionTreeObjective:
    """The log-likelihood per row of counts of the maximal cliques."""

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
        result.append(turned.transpose(np.argsort(turn)))
    return result


class PseudoLikelihoodObjective:
    """Σ_j log p(x_j | x_mb(j)) per row."""

    def __init__(self, form: LogLinearTables, data: DataSet, cancel: CancelToken) -> None:
        merged = data.merged(cancel)
        self._form = form
        self._codes = merged.codes.astype(np.intp)
        weights = np.ones(merged.row_count) if merged.weights is None else merged.weights
        self._weights = weights / weights.sum()
        self._cancel = cancel
        self._cached: dict[tuple[int, int], tuple[NDArray[np.intp], int]] = {}
        self._near: list[list[tuple[int, int]]] = [[] for _ in form.structure.domain]
        for c, clique in enumerate(form.structure.maximal_cliques):
            for axis, v in enumerate(clique):
                self._near[v].append((c, axis))

    def _cells(self, c: int, axis: int) -> tuple[NDArray[np.intp], int]:
        """Per row, the cell of the clique with the first state on this axis, and the axis' step;
        cached as long as memory allows."""
        if (c, axis) in self._cached:
            return self._cached[c, axis]
        clique, shape = self._form.structure.maximal_cliques[c], self._form.shapes[c]
        cells = np.zeros(self._codes.shape[1], dtype=np.intp)
        step = 1
        for other in range(len(clique)):
            cells *= shape[other]
            if other != axis:
                cells += self._codes[clique[other]]
            if other > axis:
                step *= shape[other]
        if (len(self._cached) + 1) * cells.size <= MAX_CACHED_CELLS:
            self._cached[c, axis] = cells, step
        return cells, step

    def value_and_gradient(self, values: Floats) -> tuple[float, Floats]:
        tables = [table.ravel() for table in self._form.tables(values)]
        slopes = [np.zeros(table.size) for table in tables]
        rows = np.arange(self._codes.shape[1])
        value = 0.0
        for v, near in enumerate(self._near):
            self._cancel.raise_if_cancelled()
            states = np.arange(self._form.structure.domain.cardinalities[v])
            cells = []
            for c, axis in near:
                first, step = self._cells(c, axis)
                cells.append(first[:, None] + step * states)
            logits = sum(
                (tables[c][at] for (c, _), at in zip(near, cells, strict=True)),
                np.zeros((rows.size, states.size)),
            )
            logits -= logits.max(axis=1, keepdims=True)
            p = np.exp(logits)
            totals = p.sum(axis=1, keepdims=True)
            p /= totals
            own = self._codes[v]
            value += float(self._weights @ (logits[rows, own] - np.log(totals[:, 0])))
            residual = -p
            residual[rows, own] += 1
            residual *= self._weights[:, None]
            for (c, _), at in zip(near, cells, strict=True):
                slopes[c] += np.bincount(
                    at.ravel(), weights=residual.ravel(), minlength=slopes[c].size
                )
        shaped = [one.reshape(shape) for one, shape in zip(slopes, self._form.shapes, strict=True)]
        return value, self._form.sums(shaped)

    def variances(self, values: Floats) -> Floats:
        counts: list[Floats] = []
        for clique, shape in zip(
            self._form.structure.maximal_cliques, self._form.shapes, strict=True
        ):
            cells = np.ravel_multi_index(tuple(self._codes[list(clique)]), shape)
            table = np.bincount(cells, weights=self._weights, minlength=math.prod(shape))
            counts.append(table.astype(np.float64).reshape(shape))
        p = self._form.sums(counts)
        return p * (1 - p) + 1e-6


@dataclass(frozen=True, eq=False)
class _Maximum:
    values: Floats
    iterations: int
    gradient_norm: float
    is_finite: bool


def _maximise(
    objective: Objective,
    form: LogLinearTables,
    start: Floats | None,
    tolerance: float,
    cancel: CancelToken,
) -> Generator[Progress, None, _Maximum]:
    """Newton's method; each step by conjugate gradients, curvature by differences of gradients."""
    basis = form.basis
    beta = np.zeros(basis.shape[1]) if start is None else start[form.free]

    def at(point: Floats) -> tuple[float, Floats]:
        cancel.raise_if_cancelled()
        value, gradient = objective.value_and_gradient(np.asarray(basis @ point))
        return value, np.asarray(basis.T @ gradient)

    value, gradient = at(beta)
    norm = _largest(gradient)
    iteration = 0
    while norm > tolerance and iteration < MAX_ITERATIONS:
        iteration += 1
        yield Progress(
            None,
            f"Maximum likelihood: iteration {iteration}, gradient {norm:.1e} per row",
            {"iteration": iteration, "gradient": norm},
        )
        direction = _newton_direction(objective, form, beta, gradient, at)
        slope = float(gradient @ direction)
        step = 1.0
        while True:
            further = beta + step * direction
            new_value, new_gradient = at(further)
            # Near the maximum the value is all rounding; there the gradient decides.
            is_better = new_value >= value + 1e-4 * step * slope
            if is_better or (_largest(new_gradient) < 0.9 * norm and step == 1.0):
                break
            step /= 2
            if step < 1e-6:
                break
        if step < 1e-6:
            break  # rounding: no step improves
        beta, value, gradient, norm = further, new_value, new_gradient, _largest(new_gradient)
    if norm > 0:
        last = _newton_direction(objective, form, beta, gradient, at)
        is_finite = _largest(np.asarray(basis @ last)) < DIVERGING_STEP
    else:
        is_finite = True
    return _Maximum(np.asarray(basis @ beta), iteration, norm, is_finite)


def _largest(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))


class _At(Protocol):
    def __call__(self, point: Floats, /) -> tuple[float, Floats]: ...


def _newton_direction(
    objective: Objective, form: LogLinearTables, beta: Floats, gradient: Floats, at: _At
) -> Floats:
    """H⁻¹g by preconditioned conjugate gradients, H the negative second derivative."""
    squares = form.basis.copy()
    squares.data = squares.data**2
    variances = objective.variances(np.asarray(form.basis @ beta))
    scale = np.maximum(np.asarray(squares.T @ variances), 1e-10)
    direction = np.zeros_like(beta)
    residual = gradient.copy()
    conditioned = residual / scale
    search = conditioned.copy()
    rho = float(residual @ conditioned)
    goal = min(0.1, math.sqrt(_largest(gradient))) ** 2 * rho
    for _ in range(2 * beta.size + 10):
        size = _largest(search)
        if size == 0:
            break
        width = 1e-4 / size
        curved = (at(beta - width * search)[1] - at(beta + width * search)[1]) / (2 * width)
        curvature = float(search @ curved)
        if curvature <= 1e-14 * float(search @ (scale * search)):
            break
        alpha = rho / curvature
        direction += alpha * search
        residual -= alpha * curved
        conditioned = residual / scale
        rho, before = float(residual @ conditioned), rho
        if rho <= goal:
            break
        search = conditioned + rho / before * search
    # A step of more than a few units of φ leads out of the range where the curvature is known.
    longest = _largest(np.asarray(form.basis @ direction))
    return direction if longest <= MAX_STEP else direction * (MAX_STEP / longest)


MAX_STEP = 5.0
MAX_CACHED_CELLS = 10_000_000


def _fit_pseudo(
    structure: MarkovStructure,
    data: DataSet,
    smoothing: float,
    tolerance: float,
    cancel: CancelToken,
) -> Fitting:
    notes = [APPROXIMATE]
    rows = data.complete_rows()
    if rows.row_count == 0 or rows.total_weight <= 0:
        raise DataError(
            "Every row has a missing cell, and the cliques are too large to sum them out. Impute "
            "the cells, or learn a sparser network."
        )
    if rows.row_count < data.row_count:
        left_out = data.row_count - rows.row_count
        notes.append(f"{left_out} rows with missing cells are left out of the fit.")
    form = LogLinearTables.of(structure)
    objective = PseudoLikelihoodObjective(form, _with_uniform_rows(rows, smoothing), cancel)
    found = yield from _maximise(objective, form, None, max(tolerance, 1e-6), cancel)
    if not found.is_finite:
        notes.append(NO_FINITE_ESTIMATE)
    return FittedMarkovNetwork(
        MarkovNetwork.of_parameters(structure, found.values),
        PSEUDO_LIKELIHOOD,
        math.nan,
        free_parameters(structure),
        data.total_weight,
        found.iterations,
        found.gradient_norm,
        found.is_finite,
        tuple(notes),
    )


def _with_uniform_rows(data: DataSet, smoothing: float) -> DataSet:
    """The rows and as many random ones, which weigh `smoothing` together."""
    if smoothing <= 0:
        return data
    rng = np.random.default_rng(0)
    count = min(data.row_count, 2000)
    more = np.stack([rng.integers(card, size=count) for card in data.domain.cardinalities])
    weights = np.ones(data.row_count) if data.weights is None else data.weights
    return DataSet(
        data.domain,
        np.concatenate([data.codes, more.astype(data.codes.dtype)], axis=1),
        np.concatenate([weights, np.full(count, smoothing / count)]),
    )


def _fit_by_em(
    structure: MarkovStructure,
    data: DataSet,
    smoothing: float,
    tolerance: float,
    cancel: CancelToken,
) -> Fitting:
    """EM: expected counts of the cliques given the observed cells, then the fit to them."""
    merged = data.merged(cancel)
    is_missing = merged.codes == merged.missing_code
    complete = ~is_missing.any(axis=0)
    rows = merged.take_rows(complete)
    known = [joint_counts(rows, clique, cancel) for clique in structure.maximal_cliques]
    incomplete = np.flatnonzero(~complete)
    assert merged.weights is not None  # `merged` gives weights
    weights, total = merged.weights, data.total_weight
    # No zeros to begin with: what is 0 once stays 0.
    first = _with_smoothing(known, max(smoothing, 0.1 * total))
    fitted = yield from _fit_counts(structure, first, 0.0, EM_GRADIENT, cancel)
    before = -math.inf
    for iteration in range(1, MAX_EM_ITERATIONS + 1):
        flow = fitted.network.propagation()
        log2_z = flow.log2_evidence()
        expected = np.zeros(flow.plan.factor_values.size)
        wanted = np.ones(len(known), dtype=np.int64)
        log2 = 0.0
        if rows.row_count:
            assert rows.weights is not None
            log2 += float(fitted.network.log2_probabilities(rows) @ rows.weights)
        for n, row in enumerate(incomplete):
            if n % 64 == 0:
                cancel.raise_if_cancelled()
            flow.set_states(merged.codes[:, row], is_missing[:, row])
            log2 += float(weights[row]) * (flow.log2_evidence() - log2_z)
            flow.add_factor_counts(float(weights[row]), wanted, expected)
        per_row = log2 * LN2 / total
        yield Progress(
            None,
            f"Missing cells by EM: iteration {iteration}, {log2 / total:.6f} bits per row",
            {"iteration": iteration, "log2_likelihood_per_row": log2 / total},
        )
        has_settled = abs(per_row - before) < EM_TOLERANCE
        before = per_row
        shapes = [table.shape for table in known]
        counts = [a + b for a, b in zip(known, factor_tables(flow, expected, shapes), strict=True)]
        start = fitted.network.parameters if fitted.network.is_positive else None
        accuracy = tolerance if has_settled else EM_GRADIENT
        fitted = yield from _fit_counts(structure, counts, smoothing, accuracy, cancel, start)
        if has_settled:
            break
    exact = float(fitted.network.log2_probabilities(merged) @ weights)
    return replace(fitted, log2_likelihood=exact, total_weight=total)
