"""Blocks: variables that are drawn together, exactly, given the states of all others.

Without the variables of a cutset the graph has a small junction tree (Bidyuk and Dechter 2007,
"Cutset sampling for Bayesian networks", J. Artif. Intell. Res. 28). Several blocks with different
cutsets take turns, so that every variable is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pgmstudio.core.arrays import Floats
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.graphs.triangulation import WorkBudget, eliminate, joined_graph, strip
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of

States = NDArray[np.int64]  # a state for every variable of the model

# Table cells of a block: one draw takes some milliseconds. Larger blocks mix better, smaller ones
# draw more often.
MAX_BLOCK_CELLS = 2**19
# The cutset of the first block is drawn in so many parts at the most; fewer, where no other cutset
# is then much larger than it.
MAX_PARTS, MAX_GROWTH = 8, 2.0
# Looks at neighbours for a better triangulation of a block.
TRIANGULATION_LOOKS = 200_000


class _Numbers:
    """Where the numbers of some factors stand among those of all, when the cutset has its states.

    Each factor's numbers are in row-major order of its free axes, which `turns` puts in order.
    """

    def __init__(
        self,
        factors: Sequence[Factor],
        chosen: Sequence[int],
        is_fixed: Sequence[bool],
        turns: Sequence[Sequence[int]],
    ) -> None:
        starts = np.cumsum([0, *(factor.values.size for factor in factors)])
        self._starts = starts[np.array(chosen, dtype=np.int64)]
        steps: list[NDArray[np.int64]] = []
        fixed: list[tuple[int, int, int]] = []  # which of the chosen, variable, stride
        for number, (index, turn) in enumerate(zip(chosen, turns, strict=True)):
            shape, scope = factors[index].values.shape, factors[index].scope
            strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
            fixed += [(number, v, s) for v, s in zip(scope, strides, strict=True) if is_fixed[v]]
            free = [axis for axis, v in enumerate(scope) if not is_fixed[v]]
            step = np.zeros(1, dtype=np.int64)
            for axis in (free[a] for a in turn):
                step = (step[:, None] + strides[axis] * np.arange(shape[axis])).ravel()
            steps.append(step)
        self.sizes = np.array([step.size for step in steps], dtype=np.int64)
        self._steps = np.concatenate([np.zeros(0, dtype=np.int64), *steps])
        self._fixed = np.array(fixed, dtype=np.int64).reshape(-1, 3).T

    def indices(self, states: States) -> NDArray[np.int64]:
        """Of all the numbers, for these states of the cutset."""
        which, variables, strides = self._fixed
        starts = self._starts.copy()
        np.add.at(starts, which, strides * states[variables])
        result: NDArray[np.int64] = np.repeat(starts, self.sizes) + self._steps
        return result


class Block:
    """The variables outside a cutset, with exact propagation given the states of the cutset.

    No number of a factor may be above 1.
    """

    def __init__(
        self, factors: Sequence[Factor], cardinalities: Sequence[int], cutset: Sequence[int]
    ) -> None:
        fixed, count = set(cutset), len(cardinalities)
        self.cutset = tuple(sorted(fixed))
        self.free = tuple(v for v in range(count) if v not in fixed)
        within: list[int] = []  # factors of the cutset alone
        cut: list[tuple[int, int]] = []  # factors that the cutset cuts, with their position
        whole: list[tuple[int, int]] = []
        position_of = {v: i for i, v in enumerate(self.free)}
        reduced: list[Factor] = []
        for index, factor in enumerate(factors):
            scope = tuple(position_of[v] for v in factor.scope if v not in fixed)
            if not scope:
                within.append(index)
                continue
            kind = whole if len(scope) == len(factor.scope) else cut
            kind.append((index, len(reduced)))
            first = tuple(0 if v in fixed else slice(None) for v in factor.scope)
            reduced.append(Factor(scope, factor.values[first]))
        cards = [cardinalities[v] for v in self.free]
        scopes = [factor.scope for factor in reduced]
        tree = clique_tree_of_scopes(scopes, cards, WorkBudget(TRIANGULATION_LOOKS))
        self.propagation = Propagation(plan_of(tree, reduced))
        is_fixed = [v in fixed for v in range(count)]
        places = self.propagation.plan.factor_places

        def numbers_of(kind: Sequence[tuple[int, int]]) -> tuple[_Numbers, NDArray[np.int64]]:
            turns = [places[position][1] for _, position in kind]
            numbers = _Numbers(factors, [index for index, _ in kind], is_fixed, turns)
            spans = zip((places[position][0] for _, position in kind), numbers.sizes, strict=True)
            at = [np.arange(start, start + size) for start, size in spans]
            return numbers, np.concatenate([np.zeros(0, dtype=np.int64), *at])

        self._within = _Numbers(factors, within, is_fixed, [()] * len(within))
        self._cut, self._cut_at = numbers_of(cut)
        self._whole, self._whole_at = numbers_of(whole)
        self._values = _all_values(factors)
        self._any_states = np.zeros(count, dtype=np.int64)
        self._weights: Mapping[int, Floats] = {}
        self._position_of = position_of

    def set_factors(self, factors: Sequence[Factor]) -> None:
        """Other numbers for the same scopes."""
        self._values = _all_values(factors)
        values = self._values[self._whole.indices(self._any_states)]
        self.propagation.replace_values(self._whole_at, values)

    def set_weights(self, weights: Mapping[int, Floats]) -> None:
        """Exactly these findings, by variable."""
        for variable in {*weights, *self._weights} - {*self.cutset}:
            self.propagation.set_weights(self._position_of[variable], weights.get(variable))
        self._weights = weights

    def condition(self, states: States) -> float:
        """Fix the cutset in its states of `states`; returns log2 of the sum over the free variables
        of the product of factors and weights, −inf if nothing is possible."""
        weights = [self._weights[v][states[v]] for v in self.cutset if v in self._weights]
        values = np.concatenate([self._values[self._within.indices(states)], weights])
        if not values.all():
            return -math.inf
        self.propagation.replace_values(self._cut_at, self._values[self._cut.indices(states)])
        return float(np.log2(values).sum()) + self.propagation.log2_evidence()

    def draw(self, states: States, rng: np.random.Generator) -> None:
        """Draw the free variables given the conditioned cutset, into `states`."""
        points = rng.random(len(self.propagation.plan.tree.cliques))
        states[list(self.free)] = self.propagation.draw(points)

    def most_probable(self, states: States) -> float:
        """Give the free variables their most probable states, into `states`; returns log2 of the
        product of factors and weights there."""
        states[list(self.free)], log2 = self.propagation.most_probable()
        return log2


def _all_values(factors: Sequence[Factor]) -> Floats:
    return np.concatenate([np.zeros(0), *(factor.values.ravel() for factor in factors)])


def choose_blocks(
    factors: Sequence[Factor], cardinalities: Sequence[int], *, most_cells: int = MAX_BLOCK_CELLS
) -> list[Block]:
    """Blocks that together draw every variable.

    The first has a cutset as small as a greedy choice makes it. Each of the others draws a part of
    that cutset; the more parts, the smaller the cutsets of the others can be.
    """
    graph = _Triangulation(factors, cardinalities)
    first = graph.cutset(most_cells)
    blocks = [Block(factors, cardinalities, first)]
    parts = 1
    while len(blocks) == 1 and first:
        cutsets = [graph.cutset(most_cells, first[part::parts]) for part in range(parts)]
        if parts == MAX_PARTS or all(len(one) <= MAX_GROWTH * len(first) for one in cutsets):
            blocks += [Block(factors, cardinalities, one) for one in cutsets]
        parts *= 2
    return blocks


class _Triangulation:
    """One triangulation of the graph of factors, from which cutsets are taken.

    A triangulated graph stays triangulated when nodes are removed, so variables are taken from its
    large cliques until the rest fits: a greedy cover.
    """

    def __init__(self, factors: Sequence[Factor], cardinalities: Sequence[int]) -> None:
        count = len(cardinalities)
        graph = joined_graph([factor.scope for factor in factors], count)
        elimination = eliminate(strip(graph), cardinalities, "min-size")
        assert elimination is not None
        cliques = [[node, *elimination.left_behind[node]] for node in range(count)]
        rows = np.concatenate([np.asarray(clique) for clique in cliques])
        columns = np.repeat(np.arange(count), [len(clique) for clique in cliques])
        self._bits = np.log2(np.array(cardinalities, dtype=np.float64))
        self._holds = csr_array((np.ones(rows.size), (rows, columns)), shape=(count, count))

    def cutset(self, most_cells: int, left_free: Sequence[int] = ()) -> tuple[int, ...]:
        """Few variables, none of `left_free`, without which the cliques have at most `most_cells`
        cells; more than that only where `left_free` alone needs them."""
        may_go = self._bits > 0
        may_go[list(left_free)] = False
        sizes = self._holds.T @ self._bits
        removed: list[int] = []
        while np.exp2(sizes).sum() > most_cells and may_go.any():
            # Cells within a few halvings of the largest clique count; smaller cliques can wait.
            gains = self._holds @ np.exp2(np.maximum(sizes - sizes.max(), -30.0))
            gains *= may_go * (1 - np.exp2(-self._bits))
            best = int(gains.argmax())
            removed.append(best)
            may_go[best] = False
            sizes -= self._bits[best] * self._holds[[best], :].toarray()[0]
        return tuple(removed)
