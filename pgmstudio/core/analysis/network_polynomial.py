"""The network polynomial: P(e) as a function of the table entries, and all its derivatives.

P(e) is linear in each table entry θ (Darwiche 2003), so one derivative gives P(e) for
any other θ. All of them come from one pass inwards and one outwards in a clique tree. Messages are
not divided out again as in Hugin's scheme: 0/0 would lose the derivative by an entry that is 0.
Everything is a logarithm, base 2, with −∞ for 0, so nothing underflows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of_scopes
from pgmstudio.core.inference.base import Finding, weights_of
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

Floats = NDArray[np.float64]


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
