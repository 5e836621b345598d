"""Variables eliminated one by one, some by Σ and some by max, with tables kept to be changed.

max Σ ≤ Σ max: where a variable that is maximised goes before one that is summed, the result is not
the maximum but a bound on it (Park and Darwiche 2003). Fixing that variable makes it exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.inference.forecasts import available_bytes, in_units
from pgmstudio.core.inference.plan import Factor
from pgmstudio.core.large_counts import count_text

Floats = NDArray[np.float64]

# As long as the tables of summed variables stay this small, they go before all others.
MOST_EXACT_CELLS = 2**16


@dataclass(frozen=True, eq=False)
class Bucket:
    """What is multiplied together to eliminate one variable, over `scope` in rising order."""

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
        most_exact_cells: int = MOST_EXACT_CELLS,
    ) -> None:
        self._cards = tuple(cardinalities)
        order, scopes = _order(cardinalities, factors, maximised, most_exact_cells)
        cells = sum(math.prod(self._cards[v] for v in scopes[v]) for v in order)
        if cells * 32 > available_bytes():
            raise TooLargeError(
                f"Eliminating the variables needs {count_text(cells)} table cells "
                f"({in_units(cells * 32)}). Choose fewer variables or give more evidence."
            )
        place = {v: i for i, v in enumerate(order)}
        self.buckets: list[Bucket] = []
        for v in order:
            scope, left = scopes[v], [u for u in scopes[v] if u != v]
            parent = min((place[u] for u in left), default=None)
            above = () if parent is None else scopes[order[parent]]
            at = tuple(above.index(u) for u in left)
            self.buckets.append(Bucket(v, v in maximised, scope, parent, at))
        self._children: list[list[int]] = [[] for _ in order]
        for b, bucket in enumerate(self.buckets):
            if bucket.parent is not None:
                self._children[bucket.parent].append(b)
        self._held: list[list[int]] = [[] for _ in order]
        tables, self._homes = [], []
        with np.errstate(divide="ignore"):
            for f, factor in enumerate(factors):
                home = min(place[v] for v in factor.scope)
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
        factors, touched = list(filled.factors), set()
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
    order, scopes = [], {}

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
