"""Sensitivity analysis: a belief as a function of single entries of the CPTs.

P(t | e) as a function of one table entry θ is (a·θ + b) / (c·θ + d) (Laskey 1995; Coupé and van der
Gaag 2002), when the other entries of its row share what is left in their old proportions. Where
θ = 1, and they have none, they share it equally.

P(e) is linear in each table entry θ (the network polynomial, Darwiche 2003), so one derivative
gives P(e) for any other θ. All of them come from one pass inwards and one outwards in a clique
tree. Messages are not divided out again as in Hugin's scheme: 0/0 would lose the derivative by an
entry that is 0. Everything is a logarithm, base 2, with −∞ for 0, so nothing underflows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of_scopes
from pgmstudio.core.inference.base import Finding, done_states, weights_of
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.languages.bayesian_network.interventions import carried_out
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Of P(t, e) and P(e) by the table entries, both divided by P(e).

    `of_target[v]` and `of_evidence[v]` have the shape of the table of the variable at index v. A
    variable that is left out cannot matter: nothing asked or observed lies below it.
    """

    probability: float  # P(t | e)
    of_target: Mapping[int, Floats]
    of_evidence: Mapping[int, Floats]


def table_derivatives(
    network: BayesianNetwork,
    evidence: Mapping[str, Finding],
    target: str,
    state: str,
    cancel: CancelToken = NEVER,
) -> Derivatives:
    """The derivatives of P(target = state, e) and P(e); the evidence is possible."""
    domain = network.domain
    goal, code = domain.index(target), domain[target].code(state)
    weights = {domain.index(n): weights_of(domain[n], f) for n, f in evidence.items()}
    known = {v: int(w.argmax()) for v, w in weights.items() if (w > 0).sum() == 1 and v != goal}
    ancestors = sorted(network.dag.ancestral_indices({goal, *weights}))
    free = [v for v in ancestors if v not in known]
    position = {v: i for i, v in enumerate(free)}
    families = {v: (*network.dag.parent_indices[v], v) for v in ancestors}
    scopes, tables = [], []
    for v in ancestors:
        cut = tuple(known.get(u, slice(None)) for u in families[v])
        scopes.append(tuple(position[u] for u in families[v] if u in position))
        tables.append(np.asarray(network.tables[v][cut])[None])
    for v in weights:
        if v in position:
            scopes.append((position[v],))
            tables.append(weights[v][None])
    # Two polynomials side by side: P(e), and P(t, e), where the other states weigh nothing.
    both = np.ones((2, domain[target].cardinality))
    both[1] = 0.0
    both[1, code] = 1.0
    scopes.append((position[goal],))
    tables.append(both)
    tree = clique_tree_of_scopes(scopes, [domain.cardinalities[v] for v in free])
    check_budget(forecast(tree))
    with np.errstate(divide="ignore"):
        logs = [np.log2(table) for table in tables]
    total, result = _outside(tree, scopes, logs, len(ancestors), cancel)
    of_target: dict[int, Floats] = {}
    of_evidence: dict[int, Floats] = {}
    for v, outside in zip(ancestors, result, strict=True):
        cut = tuple(known.get(u, slice(None)) for u in families[v])
        for row, kind in ((0, of_evidence), (1, of_target)):
            whole = np.zeros(network.tables[v].shape)
            whole[cut] = np.exp2(outside[row] - total[0])
            kind[v] = whole
    return Derivatives(float(np.exp2(total[1] - total[0])), of_target, of_evidence)


def _outside(
    tree: CliqueTree,
    scopes: Sequence[tuple[int, ...]],
    logs: Sequence[Floats],
    asked: int,
    cancel: CancelToken,
) -> tuple[Floats, list[Floats]]:
    """log2 of the total, and per factor, for the first `asked`, of the total's derivative by it.

    Factors are batch × one axis per variable of the scope; so are the answers.
    """
    cards = tree.cardinalities
    count, batch = len(tree.cliques), max(len(values) for values in logs)
    occurs_in: list[set[int]] = [set() for _ in cards]
    for c, clique in enumerate(tree.cliques):
        for v in clique:
            occurs_in[v].add(c)
    inputs: list[list[_Input]] = [[] for _ in range(count)]
    whole = _Product((batch,))  # of the parts that have nothing to do with each other
    for f, (scope, values) in enumerate(zip(scopes, logs, strict=True)):
        if not scope:  # every variable is known
            whole.add(values)
            continue
        holders = set.intersection(*(occurs_in[v] for v in scope))
        c = min(holders, key=lambda c: (tree.cells[c], c))
        inputs[c].append(_Input(f, scope, _turned(values, scope, tree.cliques[c])))
    # Inwards: every clique without what comes from its parent.
    products: list[_Product] = []
    roots: dict[int, Floats] = {}
    for clique in tree.cliques:
        products.append(_Product((batch, *(cards[v] for v in clique))))
    for c in range(count - 1, -1, -1):
        cancel.raise_if_cancelled()
        for one in inputs[c]:
            products[c].add(one.logs)
        parent, separator = tree.parents[c], tree.separators[c]
        up = _summed(products[c].logs, tree.cliques[c], separator)
        if parent is None:
            roots[c] = up
            whole.add(up)
        else:
            turned = _turned(up, separator, tree.cliques[parent])
            inputs[parent].append(_Input(-1 - c, separator, turned))
    # Outwards: a child or a factor receives the product of everything except its own message.
    beyond = {c: whole.without(up) for c, up in roots.items()}
    answers = {f: whole.without(logs[f]) for f in range(asked) if not scopes[f]}
    for c, clique in enumerate(tree.cliques):
        cancel.raise_if_cancelled()
        parent = tree.parents[c]
        if parent is not None:
            beyond[c] = beyond[parent]
        for one in inputs[c]:
            if one.key >= asked:
                continue
            outside = _summed(products[c].without(one.logs), clique, one.scope)
            if one.key >= 0:
                answers[one.key] = outside + beyond[c].reshape(batch, *[1] * len(one.scope))
            else:
                child = -1 - one.key
                products[child].add(_turned(outside, one.scope, tree.cliques[child]))
    return whole.logs, [answers[f] for f in range(asked)]


@dataclass(frozen=True, eq=False)
class _Input:
    key: int  # a factor, or −1 − the child clique
    scope: tuple[int, ...]  # in the order of the axes of what goes out
    logs: Floats  # with the axes of its clique


class _Product:
    """A product in logarithms from which any one of its factors can be taken out again."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._finite = np.zeros(shape)
        self._zeros = np.zeros(shape, dtype=np.int32)

    def add(self, logs: Floats) -> None:
        is_zero = np.isneginf(logs)
        self._finite += np.where(is_zero, 0.0, logs)
        self._zeros += is_zero

    @property
    def logs(self) -> Floats:
        return np.where(self._zeros == 0, self._finite, -np.inf)

    def without(self, logs: Floats) -> Floats:
        is_zero = np.isneginf(logs)
        left = self._finite - np.where(is_zero, 0.0, logs)
        return np.where(self._zeros == is_zero, left, -np.inf)


def _turned(values: Floats, scope: Sequence[int], clique: Sequence[int]) -> Floats:
    """Axes in the order of the clique, of length 1 where it has more variables."""
    order = sorted(range(len(scope)), key=lambda a: scope[a])
    turned = values.transpose(0, *(1 + a for a in order))
    sizes = iter(turned.shape[1:])
    inside = set(scope)
    return turned.reshape(len(values), *(next(sizes) if v in inside else 1 for v in clique))


def _summed(logs: Floats, clique: Sequence[int], wanted: Sequence[int]) -> Floats:
    """log2 of the sum over the other variables, axes in the order wanted."""
    top = logs.max(axis=tuple(range(1, logs.ndim)), keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    away = tuple(1 + a for a, v in enumerate(clique) if v not in wanted)
    left = [v for v in clique if v in wanted]
    with np.errstate(divide="ignore"):
        summed = np.log2(np.exp2(logs - top).sum(axis=away, keepdims=True)) + top
    flat = summed.reshape(len(logs), *(logs.shape[1 + clique.index(v)] for v in left))
    return np.asarray(flat.transpose(0, *(1 + left.index(v) for v in wanted)))


# What is smaller than this is rounding, not influence.
NO_INFLUENCE = 1e-12


class Span(Enum):
    """Over which values a number of a table is varied."""

    TENTH = "±10 %"
    WHOLE = "0 to 1"

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """The least and the largest value that each number may take."""
        if self is Span.WHOLE:
            return np.zeros_like(values), np.ones_like(values)
        return 0.9 * values, np.minimum(1.0, 1.1 * values)


@dataclass(frozen=True, slots=True)
class ParameterSensitivity:
    """One number of a table, what the belief is as a function of it, and how far that swings."""

    variable: str
    state: str
    context: tuple[tuple[str, str], ...]  # parents and their states
    value: float  # the number as it stands
    coefficients: tuple[float, float, float, float]  # a, b, c, d
    low: float  # the span
    high: float
    belief_at_low: float
    belief_at_high: float
    derivative: float  # of the belief by the number, where it stands

    @property
    def width(self) -> float:
        return abs(self.belief_at_high - self.belief_at_low)

    def belief_at(self, theta: float) -> float:
        """P(t | e) if the number were `theta`."""
        a, b, c, d = (np.array(k) for k in self.coefficients)
        return float(_belief(a, b, c, d, np.array(theta)))

    @property
    def label(self) -> str:
        """P(variable = state | parents)."""
        given = ", ".join(f"{name} = {state}" for name, state in self.context)
        return f"P({self.variable} = {self.state}{' | ' + given if given else ''})"

    @property
    def formula(self) -> str:
        """The exact function, to six digits."""
        a, b, c, d = self.coefficients
        if abs(c) <= NO_INFLUENCE:
            return f"f(θ) = {_linear(a / d, b / d)}"
        above = _linear(a, b)
        return f"f(θ) = {f'({above})' if a and b else above} / ({_linear(c, d)})"


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The functions of all numbers of all tables, laid out one after the other."""

    network: BayesianNetwork
    target: str
    state: str
    probability: float  # P(target = state | e)
    tables: tuple[int, ...]  # the variables whose tables can matter
    starts: NDArray[np.int64]  # where each of these tables begins
    values: Floats
    coefficients: tuple[Floats, Floats, Floats, Floats]

    @property
    def derivatives(self) -> Floats:
        """df/dθ where θ stands: there cθ + d = 1 and aθ + b = P(t | e)."""
        a, _, c, _ = self.coefficients
        return np.asarray(a - self.probability * c)

    def beliefs_at(self, thetas: Floats) -> Floats:
        """P(t | e) with the n-th number set to the n-th of `thetas`, each alone."""
        return _belief(*self.coefficients, thetas)

    def swings(
        self, span: Span, most: int | None = None, *, once_a_row: bool = False
    ) -> list[ParameterSensitivity]:
        """The numbers that move the belief most over the span, the widest swing first.

        `once_a_row` leaves of every row of a table the number that moves it most: of two states,
        the one is the mirror of the other.
        """
        low, high = span.ends(self.values)
        at_low, at_high = self.beliefs_at(low), self.beliefs_at(high)
        width, slope = np.abs(at_high - at_low), self.derivatives
        order = np.lexsort((-np.abs(slope), -width))
        order = order[(width[order] > NO_INFLUENCE) | (np.abs(slope[order]) > NO_INFLUENCE)]
        if once_a_row:
            order = order[np.sort(np.unique(self._rows()[order], return_index=True)[1])]
        return [
            ParameterSensitivity(
                *self.parameter(int(i)),
                float(self.values[i]),
                self._coefficients_at(int(i)),
                float(low[i]),
                float(high[i]),
                float(at_low[i]),
                float(at_high[i]),
                float(slope[i]),
            )
            for i in (order if most is None else order[:most])
        ]

    def _rows(self) -> NDArray[np.int64]:
        """Per number, which row of all the tables it is in."""
        tables = [self.network.tables[child] for child in self.tables]
        counts = [table.size // table.shape[-1] for table in tables]
        states = np.repeat([table.shape[-1] for table in tables], counts)
        return np.repeat(np.arange(len(states), dtype=np.int64), states)

    def parameter(self, index: int) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """Variable, state, and the states of the parents, of one number."""
        position = int(np.searchsorted(self.starts, index, side="right")) - 1
        child = self.tables[position]
        domain = self.network.domain
        cell = np.unravel_index(
            index - int(self.starts[position]), self.network.tables[child].shape
        )
        parents = self.network.dag.parent_indices[child]
        context = tuple(
            (domain.names[p], domain.variables[p].states[int(s)])
            for p, s in zip(parents, cell[:-1], strict=True)
        )
        return domain.names[child], domain.variables[child].states[int(cell[-1])], context

    def _coefficients_at(self, index: int) -> tuple[float, float, float, float]:
        a, b, c, d = (float(k[index]) for k in self.coefficients)
        return a, b, c, d


def sensitivity_of(
    network: BayesianNetwork,
    evidence: Mapping[str, Finding],
    target: str,
    state: str,
    cancel: CancelToken = NEVER,
) -> Sensitivity:
    """How P(target = state | evidence) depends on every number of every table, exactly."""
    done = done_states(evidence)
    network, evidence = carried_out(network, evidence)
    finding = evidence.get(target)
    if finding is not None and (weights_of(network.domain[target], finding) > 0).sum() == 1:
        raise PgmStudioError(
            f"{target} is observed, so no table can move its belief. "
            "Retract its evidence or choose another target."
        )
    result = table_derivatives(network, evidence, target, state, cancel)
    # A variable with an intervention has no table any more.
    fixed = {network.domain.index(name) for name in done}
    tables = tuple(child for child in result.of_evidence if child not in fixed)
    columns: list[tuple[Floats, Floats, Floats, Floats]] = []
    for child in tables:
        theta = network.tables[child]
        a, b = _line(theta, result.of_target[child], result.probability)
        c, d = _line(theta, result.of_evidence[child], 1.0)
        columns.append((a, b, c, d))
    sizes = [network.tables[child].size for child in tables]
    a, b, c, d = (np.concatenate([column[k] for column in columns]) for k in range(4))
    return Sensitivity(
        network,
        target,
        state,
        result.probability,
        tables,
        np.cumsum([0, *sizes[:-1]]).astype(np.int64),
        np.concatenate([network.tables[child].ravel() for child in tables]),
        (a, b, c, d),
    )


def _line(theta: Floats, slopes: Floats, value: float) -> tuple[Floats, Floats]:
    """P = k·θ + m for every entry, the rest of its row moving in proportion.

    `slopes` are the derivatives by each entry alone, `value` is P where everything stands.
    """
    states = theta.shape[-1]
    others = 1.0 - np.eye(states)
    rest, weighed = theta @ others, (theta * slopes) @ others
    mean = slopes @ others / max(1, states - 1)
    along = np.divide(weighed, rest, out=mean, where=rest > 0)
    intercept = value - (theta * slopes).sum(axis=-1, keepdims=True)
    if states == 1:
        return np.zeros(theta.size), np.full(theta.size, value)
    return _rounded(slopes - along), _rounded(intercept + along)


def _rounded(coefficients: Floats) -> Floats:
    """What should be 0 and is not, by the last digits, is 0."""
    flat = coefficients.ravel()
    flat[np.abs(flat) < NO_INFLUENCE] = 0.0
    return flat


def _belief(a: Floats, b: Floats, c: Floats, d: Floats, theta: Floats) -> Floats:
    """(aθ + b) / (cθ + d); where e becomes impossible, the value it tends to, a / c."""
    below = c * theta + d
    gone = below <= NO_INFLUENCE
    result = np.divide(a * theta + b, below, out=np.zeros(np.shape(below)), where=~gone)
    limit = np.divide(a, c, out=np.zeros(np.shape(below)), where=gone & (c != 0))
    belief = np.where(gone, limit, result)
    return np.clip(np.where(belief < NO_INFLUENCE / 100, 0.0, belief), 0.0, 1.0)


def _linear(slope: float, constant: float) -> str:
    """`0.25 θ − 0.1`."""
    if slope == 0:
        return f"{constant:.6g}".replace("-", "−")
    first = f"{slope:.6g} θ".replace("-", "−")
    if constant == 0:
        return first
    operator = "−" if constant < 0 else "+"
    return f"{first} {operator} {abs(constant):.6g}"
