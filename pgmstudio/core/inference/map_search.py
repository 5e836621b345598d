"""MAP search: the most probable states of some variables of a model, the others summed out.

Variables are eliminated one by one, some by Σ and some by max, with tables that can be changed.
max Σ ≤ Σ max: where a maximised variable is eliminated before a summed one, the result is not the
maximum but an upper bound on it (Park and Darwiche 2003). Fixing that variable makes it exact.

The result is exact where the summed variables can be eliminated first. Otherwise branch and bound
over the variables that are eliminated too early, the most promising part first, so that at any
moment the best result so far and a bound are known, and the search can be stopped.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count as counting

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import ParameterError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.inference.factors import Factor, Factored, query_factors
from pgmstudio.core.inference.junction_tree.cost import available_bytes
from pgmstudio.core.inference.junction_tree.query import ask_factors
from pgmstudio.core.large_counts import count_text, in_units

# Every so many steps one goes straight down to a whole solution.
PLUNGE_EVERY = 16
SAME = 1e-10  # bits; bounds of a solution and of the way to it differ by rounding
# As long as the tables of summed variables stay this small, they go before all others.
MAX_EXACT_CELLS = 2**16


@dataclass(frozen=True, eq=False)
class Combination:
    """States of the chosen variables, and log2 of their probability given the evidence."""

    states: Mapping[str, str]
    log2_probability: float


@dataclass(frozen=True, eq=False)
class MapAnswer:
    """The best combinations, the most probable first; `log2_bound` is above any there can be."""

    best: tuple[Combination, ...]
    log2_bound: float  # of the most probable one, given the evidence
    is_exact: bool  # these are the best ones, in this order
    steps: int  # parts looked at; 0 when nothing had to be searched

    @property
    def fraction_of_bound(self) -> float:
        """The first is at least this part as probable as the most probable one."""
        return min(1.0, math.exp2(self.best[0].log2_probability - self.log2_bound))


@dataclass(frozen=True, eq=False)
class Bucket:
    """The factors multiplied to eliminate one variable, over `scope` in ascending order."""

    variable: int
    is_max: bool
    scope: tuple[int, ...]
    parent: int | None  # the bucket its message goes to
    message_at: tuple[int, ...]  # which axes of the parent the message has


@dataclass(frozen=True, eq=False)
class Filled:
    """Factors and messages at some states of the fixed variables; log2 of the result."""

    factors: tuple[Floats, ...]  # with the axes of their bucket
    messages: tuple[Floats, ...]
    log2: float


class Buckets:
    """Factors over variables of which `maximised` are maximised and the others summed."""

    def __init__(
        self,
        cardinalities: Sequence[int],
        factors: Sequence[Factor],
        maximised: frozenset[int],
        most_exact_cells: int = MAX_EXACT_CELLS,
    ) -> None:
        self._cards = tuple(cardinalities)
        order, scopes = _order(cardinalities, factors, maximised, most_exact_cells)
        cells = sum(math.prod(self._cards[v] for v in scopes[v]) for v in order)
        if cells * 32 > available_bytes():
            raise TooLargeError(
                f"Eliminating the variables needs {count_text(cells)} table cells "
                f"({in_units(cells * 32)}). Choose fewer variables or give more evidence."
            )
        position = {v: i for i, v in enumerate(order)}
        self.buckets: list[Bucket] = []
        for v in order:
            scope = scopes[v]
            left = [u for u in scopes[v] if u != v]
            parent = min((position[u] for u in left), default=None)
            above = () if parent is None else scopes[order[parent]]
            at = tuple(above.index(u) for u in left)
            self.buckets.append(Bucket(v, v in maximised, scope, parent, at))
        self._children: list[list[int]] = [[] for _ in order]
        for b, bucket in enumerate(self.buckets):
            if bucket.parent is not None:
                self._children[bucket.parent].append(b)
        self._held: list[list[int]] = [[] for _ in order]
        tables = []
        self._homes = []
        with np.errstate(divide="ignore"):
            for f, factor in enumerate(factors):
                home = min(position[v] for v in factor.scope)
                self._homes.append(home)
                self._held[home].append(f)
                tables.append(self._turned(factor, self.buckets[home].scope))
        self._scopes = [factor.scope for factor in factors]
        last_sum = max(
            (b for b, bucket in enumerate(self.buckets) if not bucket.is_max), default=-1
        )
        # The maximised variables that go too early for the result to be exact.
        self.early = tuple(k.variable for k in self.buckets[: last_sum + 1] if k.is_max)
        self.root = self._filled(tuple(tables), [np.zeros(())] * len(order), range(len(order)))

    def _turned(self, factor: Factor, scope: Sequence[int]) -> Floats:
        turn = sorted(range(len(factor.scope)), key=lambda a: factor.scope[a])
        logs = np.log2(factor.values.transpose(turn))
        return logs.reshape([self._cards[v] if v in factor.scope else 1 for v in scope])

    def fix(self, filled: Filled, variable: int, state: int) -> Filled:
        """The same with one more variable in one state; only what that touches is done again."""
        factors = list(filled.factors)
        touched = set()
        for f, scope in enumerate(self._scopes):
            if variable in scope:
                home = self._homes[f]
                axis = self.buckets[home].scope.index(variable)
                cut = (slice(None),) * axis + (slice(state, state + 1),)
                factors[f] = factors[f][cut]
                at: int | None = home
                while at is not None and at not in touched:
                    touched.add(at)
                    at = self.buckets[at].parent
        return self._filled(tuple(factors), list(filled.messages), sorted(touched))

    def _filled(
        self, factors: tuple[Floats, ...], messages: list[Floats], todo: Sequence[int]
    ) -> Filled:
        for b in todo:
            bucket = self.buckets[b]
            table = self._table(b, factors, messages)
            axis = bucket.scope.index(bucket.variable)
            message = table.max(axis=axis)
            if not bucket.is_max and table.shape[axis] > 1:
                top = np.where(np.isneginf(message), 0.0, message)
                with np.errstate(divide="ignore"):
                    sums = np.exp2(table - np.expand_dims(top, axis)).sum(axis=axis)
                    message = np.log2(sums) + top
            if bucket.parent is not None:
                shape = [1] * len(self.buckets[bucket.parent].scope)
                for where, size in zip(bucket.message_at, message.shape, strict=True):
                    shape[where] = size
                message = message.reshape(shape)
            messages[b] = message
        roots = (b for b, bucket in enumerate(self.buckets) if bucket.parent is None)
        log2 = sum(float(messages[b]) for b in roots)
        return Filled(factors, tuple(messages), log2)

    def _table(self, b: int, factors: Sequence[Floats], messages: Sequence[Floats]) -> Floats:
        table = np.zeros((1,) * len(self.buckets[b].scope))
        for f in self._held[b]:
            table = table + factors[f]
        for child in self._children[b]:
            table = table + messages[child]
        return table

    def decode(self, filled: Filled, fixed: Mapping[int, int]) -> dict[int, int]:
        """The states of all maximised variables that make up the result, once it is exact."""
        states = dict(fixed)
        for b in range(len(self.buckets) - 1, -1, -1):
            bucket = self.buckets[b]
            if bucket.is_max and bucket.variable not in states:
                table = self._table(b, filled.factors, filled.messages)
                cut = tuple(
                    slice(None) if v == bucket.variable else (states[v] if size > 1 else 0)
                    for v, size in zip(bucket.scope, table.shape, strict=True)
                )
                states[bucket.variable] = int(table[cut].argmax())
        return states


def _order(
    cards: Sequence[int], factors: Sequence[Factor], maximised: frozenset[int], most_exact: int
) -> tuple[list[int], dict[int, tuple[int, ...]]]:
    """Summed variables first while their tables are small; then whichever is smallest."""
    near: dict[int, set[int]] = {v: set() for v in range(len(cards))}
    for factor in factors:
        for v in factor.scope:
            near[v] |= set(factor.scope) - {v}
    order = []
    scopes = {}

    def cells(v: int) -> tuple[int, int]:
        return cards[v] * math.prod(cards[u] for u in near[v]), v

    size = {v: cells(v) for v in near}
    while size:
        summed = [size[v] for v in size if v not in maximised]
        best = min(summed, default=None)
        if best is None or best[0] > most_exact:
            best = min(size.values())
        v = best[1]
        around = near.pop(v)
        del size[v]
        order.append(v)
        scopes[v] = tuple(sorted({v, *around}))
        for u in around:
            near[u] |= around
            near[u] -= {u, v}
        for u in around:
            size[u] = cells(u)
    return order, scopes


def most_probable_states(
    model: Factored,
    variables: Sequence[str],
    evidence: Mapping[str, Finding],
    *,
    best: int = 1,
    stop: CancelToken = NEVER,
    cancel: CancelToken = NEVER,
    most_exact_cells: int = MAX_EXACT_CELLS,
) -> MapAnswer:
    """The `best` most probable combinations of states of `variables`, given the evidence.

    `stop` ends the search with the best so far; `cancel` abandons it.
    """
    chosen = list(dict.fromkeys(model.domain.index(name) for name in variables))
    if not chosen:
        raise ParameterError({"variables": "at least one variable has to be chosen"})
    log2_evidence = ask_factors(model, (), evidence).log2_evidence
    search = _Search(model, chosen, evidence, best, stop, cancel, most_exact_cells)
    return search.run(log2_evidence)


@dataclass(frozen=True, eq=False)
class _Part:
    """All combinations in which the first variables of the search are in these states."""

    filled: Filled
    fixed: tuple[int, ...]


class _Search:
    def __init__(
        self,
        model: Factored,
        chosen: Sequence[int],
        evidence: Mapping[str, Finding],
        best: int,
        stop: CancelToken,
        cancel: CancelToken,
        most_exact_cells: int,
    ) -> None:
        self._domain = model.domain
        self._chosen = chosen
        self._wanted = best
        self._stop = stop
        self._cancel = cancel
        reduced = query_factors(model, chosen, evidence)
        self._known = reduced.known
        self._position_of = position = reduced.position_of
        self._cards = [model.domain.cardinalities[v] for v in reduced.free]
        self._constant = reduced.log2_constant - model.log2_partition
        factors = [*reduced.factors, *(Factor((v,), w) for v, w in reduced.weights.items())]
        maximised = frozenset(position[v] for v in chosen if v in position)
        self._buckets = Buckets(self._cards, factors, maximised, most_exact_cells)
        # For one solution the variables that go too early are enough; for several, all.
        self._branch = self._in_order(
            self._buckets.early if best == 1 else tuple(sorted(maximised))
        )
        self._solutions: list[tuple[float, dict[int, int]]] = []
        self._heap: list[tuple[float, int, int, _Part]] = []
        self._numbers = counting()
        self.steps = 0

    def _in_order(self, variables: Sequence[int]) -> list[int]:
        """First the variable whose best state takes most off the bound."""
        if len(variables) < 2:
            return list(variables)
        root = self._buckets.root

        def left(v: int) -> float:
            self._cancel.raise_if_cancelled()
            return max(self._buckets.fix(root, v, s).log2 for s in range(self._cards[v]))

        return sorted(variables, key=lambda v: (left(v), v))

    def run(self, log2_evidence: float) -> MapAnswer:
        self._push(_Part(self._buckets.root, ()))
        round_number = 0
        while self._heap and not self._is_done():
            self._cancel.raise_if_cancelled()
            if self._solutions and self._stop.is_cancelled:
                break
            part = heapq.heappop(self._heap)[3]
            self._open(part, plunge=round_number % PLUNGE_EVERY == 0)
            round_number += 1
        offset = self._constant - log2_evidence
        is_exact = not self._heap or self._is_done()
        top = self._solutions[0][0]
        bound = top if is_exact else max(top, -self._heap[0][0])
        combinations = tuple(
            Combination(self._named(states), log2 + offset) for log2, states in self._solutions
        )
        return MapAnswer(combinations, bound + offset, is_exact, self.steps)

    def _is_done(self) -> bool:
        """Whether there are as many solutions as wanted, and no better one can be left."""
        if len(self._solutions) < self._wanted:
            return False
        return -self._heap[0][0] <= self._solutions[-1][0] + SAME if self._heap else True

    def _push(self, part: _Part) -> None:
        # Deeper parts first among equals, so that one way is gone to its end.
        entry = (-part.filled.log2, -len(part.fixed), next(self._numbers), part)
        heapq.heappush(self._heap, entry)

    def _open(self, part: _Part, *, plunge: bool) -> None:
        """Split a part by the next variable; with `plunge` go on with the best of its parts."""
        while len(part.fixed) < len(self._branch):
            self._cancel.raise_if_cancelled()
            variable = self._branch[len(part.fixed)]
            parts = []
            for state in range(self._cards[variable]):
                self.steps += 1
                filled = self._buckets.fix(part.filled, variable, state)
                if self._may_be_better(filled.log2):
                    parts.append(_Part(filled, (*part.fixed, state)))
            parts.sort(key=lambda one: -one.filled.log2)
            if not parts:
                return
            if not plunge:
                for one in parts:
                    self._push(one)
                return
            part = parts[0]
            for one in parts[1:]:
                self._push(one)
        fixed = dict(zip(self._branch, part.fixed, strict=True))
        self._solutions.append((part.filled.log2, self._buckets.decode(part.filled, fixed)))
        self._solutions.sort(key=lambda one: -one[0])
        del self._solutions[self._wanted :]

    def _may_be_better(self, log2: float) -> bool:
        if log2 == -math.inf:
            return False
        return len(self._solutions) < self._wanted or log2 > self._solutions[-1][0] + SAME

    def _named(self, states: Mapping[int, int]) -> dict[str, str]:
        named = {}
        for v in self._chosen:
            code = self._known[v] if v in self._known else states[self._position_of[v]]
            variable = self._domain.variables[v]
            named[variable.name] = variable.states[code]
        return named
