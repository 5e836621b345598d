"""Plans: a clique tree and its factors laid out as the flat arrays that messages.py runs over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.graphs.junction_tree import CliqueTree
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree import messages

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Plan:
    """See messages.py for the columns; nothing here changes after it is made."""

    tree: CliqueTree
    cliques: Ints
    inputs: Ints
    members: Ints
    asks: Ints
    maps: NDArray[np.int32]
    factor_values: Floats
    factor_places: tuple[tuple[int, tuple[int, ...]], ...]  # per factor: where, and axes turned how
    state_at: tuple[int, ...]  # per variable, where its states start in weights and beliefs
    asked_in: tuple[int, ...]  # per variable, the clique from which its belief is read
    occurs_in: tuple[tuple[int, ...], ...]  # per variable, its cliques
    axes: tuple[tuple[int, ...], ...]  # per clique, the variables in the order of its table

    @property
    def cells(self) -> int:
        return self.tree.table_cells

    @cached_property
    def factor_order(self) -> NDArray[np.intp]:
        """The factors in the order in which `inputs` has them."""
        return np.argsort([at for at, _ in self.factor_places], kind="stable")

    @property
    def separator_cells(self) -> int:
        return int(self.cliques[:, messages.WIDTH].sum())

    @property
    def most_rows(self) -> int:
        """The longest table of own variables that a belief is summed from."""
        from_rows = self.asks[:, messages.ASK_TABLE] == messages.FROM_ROWS
        return int(self.asks[from_rows, messages.ASK_CELLS].max(initial=0))

    @property
    def state_count(self) -> int:
        return self.state_at[-1]


def plan_of(tree: CliqueTree, factors: Sequence[Factor]) -> Plan:
    """Lay out the tree; every factor's scope has to lie within some clique."""
    cards = tree.cardinalities
    sets = [frozenset(clique) for clique in tree.cliques]
    occurs_in: list[list[int]] = [[] for _ in cards]
    for c, clique in enumerate(tree.cliques):
        for variable in clique:
            occurs_in[variable].append(c)
    children: list[list[int]] = [[] for _ in sets]
    for c, parent in enumerate(tree.parents):
        if parent is not None:
            children[parent].append(c)
    axes = _axes(tree, children)
    separators = [
        () if parent is None else tuple(v for v in axes[parent] if v in sets[c])
        for c, parent in enumerate(tree.parents)
    ]
    given: list[list[int]] = [[] for _ in sets]
    for f, factor in enumerate(factors):
        given[_smallest_holder(factor.scope, sets, occurs_in, tree.cells)].append(f)
    state_at = [0]
    for card in cards:
        state_at.append(state_at[-1] + card)
    home = [min(indices, key=lambda c: (tree.cells[c], c)) for indices in occurs_in]
    widths = [math.prod(cards[v] for v in separator) for separator in separators]
    separator_at = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)

    values: list[Floats] = []
    value_count = 0
    factor_places: dict[int, tuple[int, tuple[int, ...]]] = {}
    for c in range(len(sets)):
        index = {v: i for i, v in enumerate(axes[c])}
        for f in given[c]:
            scope = factors[f].scope
            turn = tuple(sorted(range(len(scope)), key=lambda a: index[scope[a]]))
            factor_places[f] = value_count, turn
            values.append(np.ascontiguousarray(factors[f].values.transpose(turn)).ravel())
            value_count += values[-1].size

    rows: list[list[int]] = []
    inputs: list[list[int]] = []
    members: list[list[int]] = []
    asks: list[list[int]] = []
    maps: list[NDArray[np.int32]] = []
    map_count = 0
    start = 0
    asked_in = [0] * len(cards)
    for c in range(len(sets)):
        row = [start, tree.cells[c], int(separator_at[c]), widths[c]]
        parent = tree.parents[c]
        row += [-1 if parent is None else parent, len(inputs)]
        for f in given[c]:
            scope_set = set(factors[f].scope)
            blocks, length, is_run = block_map(axes[c], scope_set, cards)
            inputs.append([factor_places[f][0], map_count, blocks.size, length, is_run, -1])
            maps.append(blocks)
            map_count += blocks.size
        for child in children[c]:
            blocks, length, is_run = block_map(axes[c], set(separators[child]), cards)
            source = value_count + int(separator_at[child])
            inputs.append([source, map_count, blocks.size, length, is_run, child])
            maps.append(blocks)
            map_count += blocks.size
        row += [len(inputs), len(members)]
        inner = tree.cells[c]
        for v in axes[c]:
            inner //= cards[v]
            members.append([v, inner, cards[v], state_at[v], int(home[v] == c)])
        row += [len(members), len(asks)]
        own = [v for v in axes[c] if v not in separators[c]]
        for v in own:
            asked_in[v] = c
            asks.append(_ask(v, own, separators, children[c], separator_at, cards, state_at))
        row.append(len(asks))
        rows.append(row)
        start += tree.cells[c]

    def table(rows: list[list[int]], columns: int) -> Ints:
        return np.array(rows, dtype=np.int64).reshape(-1, columns)

    return Plan(
        tree=tree,
        cliques=table(rows, messages.CLIQUE_COLUMNS),
        inputs=table(inputs, messages.INPUT_COLUMNS),
        members=table(members, messages.MEMBER_COLUMNS),
        asks=table(asks, messages.ASK_COLUMNS),
        maps=np.concatenate([np.zeros(0, dtype=np.int32), *maps]),
        factor_values=np.concatenate([np.zeros(0), *values]),
        factor_places=tuple(factor_places[f] for f in range(len(factors))),
        state_at=tuple(state_at),
        asked_in=tuple(asked_in),
        occurs_in=tuple(tuple(indices) for indices in occurs_in),
        axes=tuple(axes),
    )


def _axes(tree: CliqueTree, children: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Per clique: what it does not share with its parent, then the separator as the parent has it.

    The own variables that most children share come last, so that a child's separator is read in
    long runs; among those, variables of many states come last.
    """
    axes: list[tuple[int, ...]] = []
    for c, clique in enumerate(tree.cliques):
        parent = tree.parents[c]
        shared = () if parent is None else tuple(v for v in axes[parent] if v in set(clique))
        passed_on = dict.fromkeys(clique, 0)
        for child in children[c]:
            for v in tree.separators[child]:
                passed_on[v] += tree.cells[child]
        own = sorted(
            (v for v in clique if v not in shared),
            key=lambda v: (passed_on[v], tree.cardinalities[v], v),
        )
        axes.append((*own, *shared))
    return axes


def _smallest_holder(
    scope: Sequence[int],
    sets: Sequence[frozenset[int]],
    occurs_in: Sequence[Sequence[int]],
    cells: Sequence[int],
) -> int:
    if not scope:
        return 0
    rarest = min(scope, key=lambda v: len(occurs_in[v]))
    wanted = set(scope)
    return min((c for c in occurs_in[rarest] if wanted <= sets[c]), key=lambda c: (cells[c], c))


def _ask(
    variable: int,
    own: Sequence[int],
    separators: Sequence[tuple[int, ...]],
    children: Sequence[int],
    separator_at: Ints,
    cards: Sequence[int],
    state_at: Sequence[int],
) -> list[int]:
    """The smallest table from which the belief can be read: the own variables', or a child's
    separator."""
    tables = [(math.prod(cards[v] for v in own), messages.FROM_ROWS, tuple(own))]
    tables += [
        (
            math.prod(cards[v] for v in separators[child]),
            int(separator_at[child]),
            separators[child],
        )
        for child in children
        if variable in separators[child]
    ]
    cells, position, scope = min(tables)
    inner = math.prod(cards[v] for v in scope[scope.index(variable) + 1 :])
    return [position, cells, inner, cards[variable], state_at[variable]]


def block_map(
    axes: Sequence[int], scope: set[int], cards: Sequence[int]
) -> tuple[NDArray[np.int32], int, int]:
    """Where each block of a table over `axes` lies in the table over those of them in `scope`.

    Returns the positions, the cells in a block, and whether a block runs along the smaller table.
    """
    is_run = bool(axes) and axes[-1] in scope
    cut, length = len(axes), 1
    while cut and (axes[cut - 1] in scope) == is_run:
        cut -= 1
        length *= cards[axes[cut]]
    stride = length if is_run else 1
    strides: list[int] = []
    for v in reversed(axes[:cut]):
        strides.append(stride if v in scope else 0)
        stride *= cards[v] if v in scope else 1
    indices = np.zeros(1, dtype=np.int32)
    for v, step in zip(axes[:cut], reversed(strides), strict=True):
        steps = np.arange(cards[v], dtype=np.int32) * np.int32(step)
        indices = (indices[:, None] + steps).ravel()
    return indices, length, int(is_run)
