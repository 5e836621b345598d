"""Chordal graphs of small cliques: augmented spanning trees and hypertrees by simulated annealing.

All three settings have an uncertainty H(M) of a set of variables in bits: Hartley information,
entropy, or nonspecificity. A variable attached to a clique's subset S gains H(v) + H(S) − H(v, S).
The sum of the gains is Σ H(variable) − Σ H(clique) + Σ H(separator): for entropies that is the
log-likelihood per row up to a constant (Borgelt, Steinbrecher and Kruse 2009, §7.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.learning.undirected_rules import Edge
from pgmstudio.core.params import param

Uncertainty = Callable[[tuple[int, ...]], float]
Scope = tuple[int, ...]

STEPS_PER_EVENT = 256
_ROUNDING = 1e-9


# Not slotted, so that they mix with the parameters of every setting.
@dataclass(frozen=True, kw_only=True)
class CliqueSizeParams:
    """The settings of every search for small cliques."""

    max_clique_size: int = param(
        3,
        title="Maximum clique size",
        low=2,
        high=6,
        help="Maximum variables in a clique.",
    )
    min_gain: float = param(
        0.0,
        title="Minimum gain",
        low=0,
        help="Bits that a further edge has to gain; larger values give sparser graphs.",
    )


@dataclass(frozen=True, kw_only=True)
class AnnealingParams(CliqueSizeParams):
    """The settings of simulated annealing of a hypertree."""

    iterations: int = param(
        2_000, title="Steps", low=0, high=10_000_000, help="Steps of simulated annealing."
    )
    temperature: float = param(
        0.1,
        title="Start temperature",
        low=0,
        low_open=True,
        help="A loss of Δ bits is accepted with probability exp(−Δ/T); T falls geometrically to a "
        "thousandth.",
        advanced=True,
    )


class Gains:
    """Gains of attaching a variable to a set, each computed once."""

    def __init__(self, uncertainty: Uncertainty, min_gain: float) -> None:
        self.bits = cache(uncertainty)
        self.min_gain = min_gain
        self.value = cache(self._value)

    def _value(self, v: int, scope: Scope) -> float:
        """Bits, less what its edges have to gain."""
        if not scope:
            return 0.0
        whole = self.bits(tuple(sorted((v, *scope))))
        return self.bits((v,)) + self.bits(scope) - whole - self.min_gain * len(scope)


def subsets(clique: Sequence[int], most: int) -> Iterator[Scope]:
    """All subsets of at most so many variables."""
    for size in range(most + 1):
        yield from combinations(sorted(clique), size)


def augmented_tree(
    count: int,
    tree: Sequence[Edge],
    uncertainty: Uncertainty,
    params: CliqueSizeParams,
    allows: Callable[[Edge], bool],
    cancel: CancelToken,
) -> list[Edge]:
    """The tree with further edges that close triangles: every variable may get more neighbours
    among those that its neighbours nearer to the root already have."""
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in tree:
        near[a].add(b)
        near[b].add(a)
    gains = Gains(uncertainty, params.min_gain)
    above: dict[int, Scope] = {}
    result = set(tree)
    for start in range(count):
        if start in above:
            continue
        above[start] = ()
        waiting = [start]
        for node in waiting:
            for v in sorted(near[node] - {*above[node]}):
                if v in above:
                    continue
                cancel.raise_if_cancelled()
                above[v] = _grown(v, (node,), above, result, gains, params, allows)
                result |= {(min(u, v), max(u, v)) for u in above[v]}
                waiting.append(v)
    return sorted(result)


def _grown(
    v: int,
    scope: Scope,
    above: Mapping[int, Scope],
    edges: set[Edge],
    gains: Gains,
    params: CliqueSizeParams,
    allows: Callable[[Edge], bool],
) -> Scope:
    """More variables for the set that v is attached to, greedily; it stays complete."""
    while len(scope) + 1 < params.max_clique_size:
        options = [
            tuple(sorted((*scope, u)))
            for u in above
            if u != v
            and u not in scope
            and allows((min(u, v), max(u, v)))
            and all((min(u, w), max(u, w)) in edges for w in scope)
        ]
        best = max(options, key=lambda one: (gains.value(v, one), one), default=None)
        if best is None or gains.value(v, best) <= gains.value(v, scope) + _ROUNDING:
            break
        scope = best
    return scope


@dataclass
class Hypertree:
    """Variables in the order they were attached, each to a complete set of earlier ones."""

    order: list[int]
    attached: dict[int, Scope]

    def edges(self) -> list[Edge]:
        return sorted((min(u, v), max(u, v)) for v, scope in self.attached.items() for u in scope)

    def leaves(self) -> list[int]:
        """Variables to which no other is attached."""
        used = {u for scope in self.attached.values() for u in scope}
        return [v for v in self.order if v not in used]

    def total(self, gains: Gains) -> float:
        return sum(gains.value(v, scope) for v, scope in self.attached.items())


def anneal_hypertree(
    count: int,
    uncertainty: Uncertainty,
    params: AnnealingParams,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress | list[Edge], None, list[Edge]]:
    """Greedy attachment of variables, then simulated annealing: a random leaf moves to a random
    part of a random clique, a loss Δ being accepted with probability exp(Δ / T). Yields progress
    and the edges of every better graph."""
    gains = Gains(uncertainty, params.min_gain)
    most = params.max_clique_size - 1
    tree = _greedy_hypertree(count, gains, most, cancel)
    current = best = tree.total(gains)
    best_edges = tree.edges()
    yield best_edges
    temperature = params.temperature
    cooling = 0.001 ** (1 / max(1, params.iterations))
    for step in range(params.iterations if count > 1 else 0):
        cancel.raise_if_cancelled()
        leaves = tree.leaves()
        v = leaves[int(rng.integers(len(leaves)))]
        others = [u for u in tree.order if u != v]
        u = others[int(rng.integers(len(others)))]
        clique = (*tree.attached[u], u)
        size = int(rng.integers(min(most, len(clique)) + 1))
        scope = tuple(sorted(int(w) for w in rng.permutation(clique)[:size]))
        change = gains.value(v, scope) - gains.value(v, tree.attached[v])
        if change >= 0 or rng.random() < math.exp(change / temperature):
            tree.order.remove(v)
            tree.order.append(v)
            tree.attached[v] = scope
            current += change
            if current > best + _ROUNDING:
                best, best_edges = current, tree.edges()
                yield best_edges
        temperature *= cooling
        if step % STEPS_PER_EVENT == 0:
            yield Progress(
                step / params.iterations, f"Step {step}", {"gain": current, "best gain": best}
            )
    return best_edges


def _greedy_hypertree(count: int, gains: Gains, most: int, cancel: CancelToken) -> Hypertree:
    """Attach the variable that gains most next, beginning with the strongest pair."""
    pairs = combinations(range(count), 2)
    first = max(pairs, key=lambda pair: gains.value(pair[1], (pair[0],)), default=(0, 0))[0]
    tree = Hypertree([first], {first: ()})
    best: dict[int, tuple[float, Scope]] = {v: (0.0, ()) for v in range(count) if v != first}
    scopes: set[Scope] = {(first,)}
    while best:
        for v in best:
            cancel.raise_if_cancelled()
            options = [(gains.value(v, scope), scope) for scope in scopes]
            best[v] = max([best[v], *options], key=lambda one: (one[0], -len(one[1]), one[1]))
        v = max(best, key=lambda one: (best[one][0], -one))
        _, scope = best.pop(v)
        tree.order.append(v)
        tree.attached[v] = scope
        scopes = {one for one in subsets((*scope, v), most) if v in one}
    return tree
