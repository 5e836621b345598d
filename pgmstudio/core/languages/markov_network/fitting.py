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
from functools import lru_cache
from itertools import combinations

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, GraphError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables, free_parameters
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.objectives import (
    LN2,
    FitMemory,
    JunctionTreeObjective,
    PseudoLikelihoodObjective,
    factor_tables,
    first_values,
    maximise,
)
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.number_format import count_of

CLOSED_FORM = "closed form"
JUNCTION_TREE = "junction tree"
PSEUDO_LIKELIHOOD = "pseudo-likelihood"

# A gradient in a junction tree of so many cells takes about 20 ms, and a fit may need thousands.
MAX_CELLS = 1 << 19
MAX_CLOSED_CELLS = 1 << 24  # without iterations
MAX_EM_CELLS = 1 << 28  # of all rows with missing cells, in one iteration
TOLERANCE = 1e-8  # of the gradient, per row
MAX_EM_ITERATIONS = 300
EM_TOLERANCE = 1e-8  # nats per row
EM_GRADIENT = 1e-6  # of the fits inside EM, per row
PSEUDO_TOLERANCE = 1e-4  # of the gradient, per row: far below the noise of the counts

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
    def summary(self) -> str:
        """How the parameters were found: exact or approximate, and how near to the maximum."""
        if self.method == CLOSED_FORM:
            return "Parameters: maximum likelihood, exact, in closed form."
        kind = "likelihood, exact" if self.is_exact else "pseudo-likelihood, approximate"
        return (
            f"Parameters: maximum {kind}; {count_of(self.iterations, 'iteration')}, largest "
            f"gradient {self.gradient_norm:.0e} per row."
        )

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
    start: MarkovNetwork | None = None,
    cancel: CancelToken = NEVER,
) -> Fitting:
    """The parameters of largest likelihood; `run_to_end(fit(…))` gives the result at once.

    `smoothing` is a number of further rows, spread evenly over all joint states. `tolerance` bounds
    the gradient per row of data. `start` is a network of this structure to begin with.
    """
    if data.domain != structure.domain:
        data = data.select_columns(structure.domain.names)
    if data.domain != structure.domain:
        raise DataError("The rows have other states than the model; code them with its domain.")
    if data.total_weight <= 0:
        raise DataError("There are no rows to fit the parameters to.")
    if not is_exact(structure, data):
        return (yield from _fit_pseudo(structure, data, smoothing, tolerance, cancel, start))
    if data.has_missing:
        return (yield from _fit_by_em(structure, data, smoothing, tolerance, cancel))
    counts = [joint_counts(data, clique, cancel) for clique in structure.maximal_cliques]
    values = start.parameters if start is not None and start.is_positive else None
    return (yield from _fit_counts(structure, counts, smoothing, tolerance, cancel, values))


def is_exact(structure: MarkovStructure, data: DataSet) -> bool:
    """Whether the likelihood is maximised, or else the pseudo-likelihood."""
    tree = structure.junction_tree
    if data.incomplete_row_count * tree.table_cells > MAX_EM_CELLS:
        return False
    if structure.is_chordal and not structure.contexts:
        return tree.table_cells <= MAX_CLOSED_CELLS
    if tree.table_cells <= MAX_CELLS:
        return True
    return max(part.structure.junction_tree.table_cells for part in _parts(structure)) <= MAX_CELLS


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
    return nearest(structure, [joint_of(network, c, {}, flow) for c in structure.maximal_cliques])


def nearest(structure: MarkovStructure, marginals: Sequence[Floats]) -> MarkovNetwork:
    """The network with the smallest KL divergence from a distribution with these probabilities of
    the maximal cliques."""
    if structure.junction_tree.table_cells > MAX_CELLS:
        raise TooLargeError(
            "The nearest distribution of this graph would take long: its junction tree has "
            f"{structure.junction_tree.table_cells:,} cells, at most {MAX_CELLS:,} are computed."
        )
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
    memory: FitMemory | None = None,
) -> Fitting:
    """The fit to the counts of every maximal clique."""
    smoothed = _with_smoothing(counts, smoothing)
    total = float(counts[0].sum()) if counts else 0.0
    if structure.is_chordal and not structure.contexts:
        return _closed_form(structure, counts, smoothed, total)
    parts = _parts(structure)
    if len(parts) > 1:
        return (
            yield from _fit_parts(structure, parts, counts, smoothing, tolerance, cancel, memory)
        )
    form = LogLinearTables.of(structure)
    objective = JunctionTreeObjective(form, smoothed)
    starts = [first_values(form, smoothed), *([] if start is None else [start])]
    # Positive margins of a positive table, here data and smoothing, have a finite maximum.
    optimum = yield from maximise(
        objective,
        form,
        starts,
        tolerance,
        cancel,
        is_bounded=smoothing > 0,
        memory=memory,
    )
    network = MarkovNetwork.of_parameters(structure, optimum.values)
    log_z, _ = objective.expectations(optimum.values)
    log_likelihood = float(form.sums(counts) @ optimum.values) - total * log_z
    has_empty = not structure.contexts and any((table == 0).any() for table in smoothed)
    is_finite = optimum.is_finite and not has_empty
    return FittedMarkovNetwork(
        network,
        JUNCTION_TREE,
        log_likelihood / LN2,
        free_parameters(structure),
        total,
        optimum.iterations,
        optimum.gradient_norm,
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


@lru_cache(maxsize=16)
def _parts(structure: MarkovStructure) -> tuple[_Part, ...]:
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
        result.append(_Part(structure.induced(inside), tuple(sorted(inside)), joint))
    return tuple(result)


def _fit_parts(
    structure: MarkovStructure,
    parts: Sequence[_Part],
    counts: Sequence[Floats],
    smoothing: float,
    tolerance: float,
    cancel: CancelToken,
    memory: FitMemory | None,
) -> Fitting:
    """The fit of every part by itself, joined."""
    homes = [frozenset(clique) for clique in structure.maximal_cliques]

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
        tables = [margin(scope) for scope in scopes]
        fitted = yield from _fit_counts(
            part.structure, tables, smoothing, tolerance, cancel, memory=memory
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


def _fit_pseudo(
    structure: MarkovStructure,
    data: DataSet,
    smoothing: float,
    tolerance: float,
    cancel: CancelToken,
    start: MarkovNetwork | None = None,
) -> Fitting:
    notes = [APPROXIMATE]
    if data.has_missing:
        notes.append(
            "Cells are missing: a variable is fitted to the rows that have its cell and those of "
            "its neighbours."
        )
    form = LogLinearTables.of(structure)
    objective = PseudoLikelihoodObjective(form, data, smoothing, cancel)
    counts = [joint_counts(data, clique, cancel) for clique in structure.maximal_cliques]
    starts = [first_values(form, _with_smoothing(counts, smoothing))]
    if start is not None and start.is_positive:
        starts.append(start.parameters)
    tolerance = max(tolerance, PSEUDO_TOLERANCE)
    optimum = yield from maximise(
        objective, form, starts, tolerance, cancel, is_bounded=smoothing > 0
    )
    if not optimum.is_finite:
        notes.append(NO_FINITE_ESTIMATE)
    return FittedMarkovNetwork(
        MarkovNetwork.of_parameters(structure, optimum.values),
        PSEUDO_LIKELIHOOD,
        math.nan,
        free_parameters(structure),
        data.total_weight,
        optimum.iterations,
        optimum.gradient_norm,
        optimum.is_finite,
        tuple(notes),
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
    memory = FitMemory()
    fitted = yield from _fit_counts(structure, first, 0.0, EM_GRADIENT, cancel, memory=memory)
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
        yield Progress(
            None,
            f"Missing cells by EM: iteration {iteration}, {log2 / total:.6f} bits per row",
            {"iteration": iteration, "log2_likelihood_per_row": log2 / total},
        )
        goal = (log2 * LN2 + smoothing * _mean_log(fitted.network, log2_z)) / total
        # EM never loses but for the accuracy of the fits inside it: then it has arrived.
        has_settled = goal - before < EM_TOLERANCE
        before = goal
        shapes = [table.shape for table in known]
        counts = [a + b for a, b in zip(known, factor_tables(flow, expected, shapes), strict=True)]
        accuracy = tolerance if has_settled else EM_GRADIENT
        fitted = yield from _fit_counts(
            structure, counts, smoothing, accuracy, cancel, memory=memory
        )
        if has_settled:
            break
    exact = float(fitted.network.log2_probabilities(merged) @ weights)
    return replace(fitted, log2_likelihood=exact, total_weight=total)


def _mean_log(network: MarkovNetwork, log2_z: float) -> float:
    """The mean of ln p over all joint states, which smoothing adds to the likelihood; 0 where it is
    not finite, and there is no smoothing."""
    if not network.is_positive:
        return 0.0
    return sum(float(np.log(table).mean()) for table in network.potentials) - log2_z * LN2
