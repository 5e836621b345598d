"""Propagation: a plan with findings in it; sends again only what a change of findings touches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.junction_tree import messages
from pgmstudio.core.inference.junction_tree.schedule import Plan

# Loading the compiler and the cached kernels takes about 0.6 s, and making them the first time some
# 5 s; without them the loops of messages.py update a million cells a second (asia 0.1 ms, alarm
# 1 ms, hailfinder 12 ms). So the compiled loops are used where a single update would take as long
# as loading them, and otherwise once the plain ones have worked as long as that would have taken.
PLAIN_CELLS = 100_000
PLAIN_WORK = 1_000_000
# Where something else has loaded the compiler, only the cached kernels are left to be read.
PLAIN_WORK_BESIDE = 150_000
# Small trees answer for every variable at once; in larger ones only the path to the queried one is
# updated.
ALL_AT_ONCE_CELLS = 100_000

# Sums of probabilities may exceed 1 by rounding.
MAX_FACTOR_VALUE = 1.001

_compiled: Any = None  # the module kernels, once it is loaded


def compiled_passes() -> Any:
    """The compiled loops; from the first call on every propagation uses them."""
    global _compiled
    if _compiled is None:
        from pgmstudio.core.inference.junction_tree import kernels

        _compiled = kernels
    return _compiled


class Propagation:
    """Weights per state go in, beliefs and P(e) come out; variables are indices.

    What it holds is a function of the findings alone, to the last bit: setting a finding and
    taking it back leaves nothing behind.
    """

    def __init__(self, plan: Plan, loops: Any = None) -> None:
        self.plan = plan
        self._loops = loops  # messages or kernels; None: whichever is better at the time
        cards = plan.tree.cardinalities
        count, separator_cells = len(plan.tree.cliques), plan.separator_cells
        self._up_at = plan.factor_values.size
        self._messages = np.concatenate([plan.factor_values, np.zeros(separator_cells)])
        self._log2_scale = self._scale_factors()
        self._down = np.zeros(separator_cells)
        self._shared = np.zeros(separator_cells)
        self._weights = np.ones(plan.state_count)
        self._has_finding = np.zeros(len(cards), dtype=np.int64)
        self._tables = np.empty(plan.cells)
        self._totals = np.ones(count)
        self._shifts = np.zeros(count)
        self._beliefs = np.zeros(plan.state_count)
        self._local = np.empty(max(plan.tree.cells, default=0))
        self._rows = np.empty(plan.most_rows)
        self._changed: list[int] | None = None  # variables, since all was sent; None: everything
        self._unvisited = np.ones(count, dtype=bool)
        self._visited = 0
        self._is_settled = False  # nothing is stale, or what is stale cannot be sent
        self._failed_at = -1
        self._log2: float | None = None
        self._touched: dict[int, NDArray[np.int64]] = {}
        self._all = np.arange(count, dtype=np.int64)
        self._plain_work = 0

    def set_weights(self, variable: int, weights: Floats | None) -> None:
        """Replace the finding on one variable; None takes it away."""
        at, to = self.plan.state_at[variable : variable + 2]
        if weights is None:
            self._weights[at:to] = 1.0
            self._has_finding[variable] = 0
        else:
            self._weights[at:to] = weights
            self._has_finding[variable] = 1
        if self._changed is not None and variable not in self._changed:
            self._changed.append(variable)
        self._is_settled = False

    def set_states(self, codes: NDArray[Any], is_missing: NDArray[np.bool_]) -> None:
        """Observe every variable that is not missing, and nothing else."""
        cards = self.plan.tree.cardinalities
        self._weights[:] = np.repeat(is_missing, cards)
        seen = np.flatnonzero(~is_missing)
        self._weights[np.array(self.plan.state_at)[seen] + codes[seen]] = 1.0
        self._has_finding[:] = ~is_missing
        self._changed = None
        self._is_settled = False

    def set_factors(self, values: Sequence[Floats]) -> None:
        """Other numbers for every factor, in the order and with the axes the plan was made with."""
        for numbers, (at, turn) in zip(values, self.plan.factor_places, strict=True):
            self._messages[at : at + numbers.size] = numbers.transpose(turn).ravel()
        self._log2_scale = self._scale_factors()
        self._changed = None
        self._is_settled = False

    def replace_values(self, indices: NDArray[np.int64], values: Floats) -> None:
        """Other numbers, none above 1, at these indices of the plan's factor values; none of the
        others may be above 1.

        Every message is sent again: meant for changes all over the tree."""
        assert self._log2_scale == 0
        self._messages[indices] = values
        self._changed = None
        self._is_settled = False

    def _scale_factors(self) -> float:
        """Halve the numbers of each factor until none is above 1; returns log2 of what that took.

        Tables of probabilities stay as they are; potentials could overflow when multiplied.
        """
        values = self._messages[: self._up_at]
        if not values.size or values.max() <= MAX_FACTOR_VALUE:
            return 0.0
        starts = np.sort([at for at, _ in self.plan.factor_places])
        exponents = np.maximum(np.frexp(np.maximum.reduceat(values, starts))[1], 0)
        sizes = np.diff(starts, append=values.size)
        values[:] = np.ldexp(values, -np.repeat(exponents, sizes))
        return float(exponents.sum())

    def weights(self, variable: int) -> Floats | None:
        """The finding on one variable, as it was set."""
        if not self._has_finding[variable]:
            return None
        at, to = self.plan.state_at[variable : variable + 2]
        return self._weights[at:to].copy()

    def _stale(self) -> NDArray[np.int64]:
        """The cliques whose messages have to be sent again, children first."""
        if self._changed is None:
            return self._all[::-1].copy()
        if len(self._changed) == 1:
            return self._touched_by(self._changed[0])
        touched = np.concatenate([self._all[:0], *map(self._touched_by, self._changed)])
        return np.unique(touched)[::-1].copy()

    def _touched_by(self, variable: int) -> NDArray[np.int64]:
        """The variable's cliques and their ancestors, children first."""
        result = self._touched.get(variable)
        if result is None:
            seen: set[int] = set()
            for clique in self.plan.occurs_in[variable]:
                at: int | None = clique
                while at is not None and at not in seen:
                    seen.add(at)
                    at = self.plan.tree.parents[at]
            result = np.array(sorted(seen, reverse=True), dtype=np.int64)
            self._touched[variable] = result
        return result

    def is_possible(self) -> bool:
        """Whether the findings can hold together; sends every stale message."""
        if not self._is_settled:
            todo = self._stale()
            plan = self.plan
            self._unvisited[:] = True
            self._visited = 0
            self._log2 = None
            self._failed_at = self._run(
                messages.collect,
                todo,
                plan.cliques,
                plan.inputs,
                plan.members,
                plan.maps,
                self._messages,
                self._up_at,
                self._weights,
                self._has_finding,
                todo,
                self._tables,
                self._totals,
                self._shifts,
            )
            if self._failed_at < 0:
                self._changed = []
            self._is_settled = True
        return self._failed_at < 0

    def log2_evidence(self) -> float:
        """log2 of the sum over all joint states, for tables of a network log2 P(e); −inf when the
        findings cannot hold together."""
        if not self.is_possible():
            return -np.inf
        if self._log2 is None:
            self._log2 = float(np.log2(self._totals).sum() + self._shifts.sum()) + self._log2_scale
        return self._log2

    @property
    def answers_all_at_once(self) -> bool:
        """Whether all beliefs cost little more than one."""
        return self.plan.cells <= ALL_AT_ONCE_CELLS

    def belief(self, variable: int) -> Floats:
        """P(X | e) of one variable; visits the way to its clique only."""
        self.is_possible()
        clique = self.plan.asked_in[variable]
        if self._unvisited[clique]:
            self._visit_way_to(clique)
        return self._beliefs[self._states(variable)].copy()

    def beliefs(self) -> Floats:
        """P(X | e) of every variable, one after the other, in one array of its own."""
        self.is_possible()
        if self._visited == 0:
            self._visit(self._all)
        elif self._visited < self._all.size:
            self._visit(np.flatnonzero(self._unvisited).astype(np.int64))
        return self._beliefs.copy()

    def _states(self, variable: int) -> slice:
        return slice(*self.plan.state_at[variable : variable + 2])

    def _visit_way_to(self, clique: int) -> None:
        way: list[int] = []
        at: int | None = clique
        while at is not None and self._unvisited[at]:
            way.append(at)
            at = self.plan.tree.parents[at]
        self._visit(np.array(way[::-1], dtype=np.int64))

    def _visit(self, todo: NDArray[np.int64]) -> None:
        plan = self.plan
        self._run(
            messages.visit,
            todo,
            plan.cliques,
            plan.inputs,
            plan.asks,
            plan.maps,
            self._messages,
            self._up_at,
            self._totals,
            todo,
            self._tables,
            self._down,
            self._shared,
            self._local,
            self._rows,
            self._beliefs,
        )
        self._unvisited[todo] = False
        self._visited += todo.size

    def clique_belief(self, clique: int) -> Floats:
        """The joint belief of a clique's variables, one axis each, as `plan.axes` orders them."""
        self.is_possible()
        if self._unvisited[clique]:
            self._visit_way_to(clique)
        start, cells, sep, width = (int(n) for n in self.plan.cliques[clique, :4])
        table = self._tables[start : start + cells].reshape(-1, width)
        joint = table * self._down[sep : sep + width]
        cards = self.plan.tree.cardinalities
        shape = tuple(cards[v] for v in self.plan.axes[clique])
        return np.asarray(joint / joint.sum()).reshape(shape)

    def add_factor_counts(self, weight: float, wanted: NDArray[np.int64], counts: Floats) -> None:
        """Add `weight` times the joint belief of each wanted factor's variables to `counts`, which
        is laid out as `plan.factor_values`; `wanted` has a number for each factor given."""
        plan = self.plan
        self.is_possible()
        if self._visited < self._all.size:
            self._visit(np.flatnonzero(self._unvisited).astype(np.int64))
        self._run(
            messages.add_counts,
            self._all,
            plan.cliques,
            plan.inputs,
            plan.maps,
            self._tables,
            self._down,
            weight,
            wanted[plan.factor_order],
            counts,
        )

    def draw(self, points: Floats) -> NDArray[np.int64]:
        """A state for every variable, drawn from their joint belief by one number from 0 to 1 for
        each clique; only where the findings can hold together."""
        self.is_possible()
        plan = self.plan
        states = np.zeros(len(plan.tree.cardinalities), dtype=np.int64)
        self._run(
            messages.draw, self._all, plan.cliques, plan.members, self._tables, points, states
        )
        return states

    def most_probable(self) -> tuple[NDArray[np.int64], float]:
        """The most probable states of all variables together, and log2 of their P(x, e)."""
        plan = self.plan
        logs = np.zeros(self._messages.size)
        with np.errstate(divide="ignore"):
            np.log2(self._messages[: self._up_at], out=logs[: self._up_at])
        states = np.zeros(len(plan.tree.cardinalities), dtype=np.int64)
        choices = np.zeros(plan.separator_cells, dtype=np.int64)
        log2 = self._run(
            messages.explain,
            self._all,
            plan.cliques,
            plan.inputs,
            plan.members,
            plan.maps,
            logs,
            self._up_at,
            self._weights,
            self._has_finding,
            self._local,
            choices,
            states,
        )
        return states, float(log2) + self._log2_scale

    def _run(self, loop: Callable[..., Any], todo: NDArray[np.int64], *arguments: Any) -> Any:
        """Run a plain loop as it stands, or the compiled one of the same name."""
        if self._plain_is_better(todo):
            # Python reads and writes a memoryview several times faster than an array.
            return loop(*(a.data if isinstance(a, np.ndarray) else a for a in arguments))
        return getattr(self._loops or compiled_passes(), loop.__name__)(*arguments)

    def _plain_is_better(self, todo: NDArray[np.int64]) -> bool:
        if self._loops is not None or _compiled is not None:
            return self._loops is messages
        self._plain_work += int(self.plan.cliques[todo, messages.CELLS].sum())
        most = PLAIN_WORK_BESIDE if "numba" in sys.modules else PLAIN_WORK
        return self.plan.cells <= PLAIN_CELLS and self._plain_work < most
