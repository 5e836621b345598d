"""Clique trees: moralise, triangulate, cliques, a tree with the running intersection property.

What one more edge would do to the clique tree, before it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.triangulation import (
    NOISES,
    RESTARTED,
    RULES,
    Elimination,
    WorkBudget,
    eliminate,
    families_of,
    joined_graph,
    strip,
)

Join = tuple[int, int]


@dataclass(frozen=True)
class CliqueTree:
    """Cliques of sorted variable indices and, per clique, its parent clique (None for roots).

    Parents stand before their children. A network in several parts has as many roots.
    """

    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int | None, ...]
    fill_ins: tuple[tuple[int, int], ...]
    cardinalities: tuple[int, ...]
    method: str  # the triangulator that won

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """Π|R(X)| per clique."""
        return tuple(math.prod(self.cardinalities[v] for v in clique) for clique in self.cliques)

    @property
    def table_cells(self) -> int:
        """Σ over cliques of Π|R(X)|: size_eff (eq. 3.20)."""
        return sum(self.cells)

    @cached_property
    def separators(self) -> tuple[tuple[int, ...], ...]:
        """Per clique, the variables it shares with its parent; none for a root."""
        return tuple(
            () if parent is None else tuple(sorted(set(clique).intersection(self.cliques[parent])))
            for clique, parent in zip(self.cliques, self.parents, strict=True)
        )


def directed_along(tree: CliqueTree, names: tuple[str, ...]) -> Dag:
    """A graph without v-structures whose families lie within the cliques: the edges of the
    triangulated graph, directed away from the roots of the tree."""
    parents: list[tuple[int, ...]] = [()] * len(names)
    placed: set[int] = set()
    for clique in tree.cliques:
        for v in clique:
            if v not in placed:
                parents[v] = tuple(u for u in clique if u in placed)
                placed.add(v)
    return Dag(names, tuple(parents))


def clique_tree_of(
    parents: Sequence[Sequence[int]], cardinalities: Sequence[int], budget: WorkBudget | None = None
) -> CliqueTree:
    """The best of several greedy triangulations of the moral graph.

    With a `budget`, which several trees may share, restarts end where it does.
    """
    return clique_tree_of_scopes(families_of(parents), cardinalities, budget)


# Restarts are bought with looks at neighbours (0.3 µs each), the more the larger the tables are:
# better cliques save more there than the longer search costs. Where the tables are far too large
# for any machine, nothing helps.
LOOKS_PER_CELL = 5
FEWEST_LOOKS, MAX_CHECKS = 5_000, 2_000_000
HOPELESS_CELLS = 10**12
MAX_RESTARTS = 300


def clique_tree_of_scopes(
    scopes: Iterable[Iterable[int]], cardinalities: Sequence[int], budget: WorkBudget | None = None
) -> CliqueTree:
    """The smallest tree found (Σ table cells) in which every scope lies within one clique."""
    neighbours = joined_graph(scopes, len(cardinalities))
    best = _best_elimination(neighbours, cardinalities, budget)
    cliques, joins = _cliques_of(best)
    cells = _cells(cliques, cardinalities)
    joins = _hung_low(cliques, joins, cells)
    order, parents = _rooted(joins, cells)
    return CliqueTree(
        cliques=tuple(tuple(sorted(cliques[c])) for c in order),
        parents=parents,
        fill_ins=best.fill_ins,
        cardinalities=tuple(cardinalities),
        method=best.method,
    )


def _best_elimination(
    neighbours: Sequence[set[int]], cardinalities: Sequence[int], budget: WorkBudget | None
) -> Elimination:
    stripped = strip(neighbours)
    best, fewest = None, None
    looks = WorkBudget(0)
    for attempt in range(len(RULES) + MAX_RESTARTS):
        restart = attempt - len(RULES)
        if restart < 0:
            method, noise = list(RULES)[attempt], 0.0
        else:
            method = RESTARTED[restart % len(RESTARTED)]
            noise = NOISES[restart // len(RESTARTED) % len(NOISES)]
        before = looks.left
        result = eliminate(
            stripped,
            cardinalities,
            method,
            noise=noise,
            seed=attempt,
            most_cells=fewest,
            looks=looks,
        )
        if budget is not None:
            budget.left -= before - looks.left
        if result is not None:
            cells = sum(_cells(_cliques_of(result)[0], cardinalities))
            if best is None or fewest is None or cells < fewest:
                best, fewest = result, cells
        assert best is not None  # the first attempt has no bound
        assert fewest is not None
        if not best.fill_ins or fewest > HOPELESS_CELLS:
            break  # a chordal graph has only these cliques
        if restart == -1:
            looks = WorkBudget(min(MAX_CHECKS, max(FEWEST_LOOKS, LOOKS_PER_CELL * fewest)))
        is_spent = budget is not None and budget.left <= 0
        if restart >= -1 and (looks.left <= 0 or is_spent):
            break
    assert best is not None
    return best


def _cells(cliques: Iterable[Iterable[int]], cardinalities: Sequence[int]) -> list[int]:
    return [math.prod(cardinalities[v] for v in clique) for clique in cliques]


def _cliques_of(elimination: Elimination) -> tuple[list[frozenset[int]], list[Join]]:
    """The maximal cliques of an elimination, joined so that running intersection holds.

    What a node leaves behind lies in the clique of whichever of them goes next, which is
    therefore its parent; a clique no larger than what some child shares with it is that child's.
    """
    index = {node: i for i, node in enumerate(elimination.order)}
    cliques: list[frozenset[int]] = []
    joins: list[Join] = []
    waiting: dict[int, list[int]] = {}  # node -> cliques to hang below its clique
    for node in elimination.order:
        behind = elimination.left_behind[node]
        below = waiting.pop(node, [])
        own = behind | {node}
        same = next((c for c in below if own <= cliques[c]), None)
        if same is None:
            same = len(cliques)
            cliques.append(own)
        joins += [(same, c) for c in below if c != same]
        if behind:
            waiting.setdefault(min(behind, key=index.__getitem__), []).append(same)
    return cliques, joins


def _hung_low(
    cliques: Sequence[frozenset[int]], joins: Sequence[Join], cells: Sequence[int]
) -> list[Join]:
    """Every join moved to the smallest clique that holds its separator.

    Any clique that holds it will do, the separators stay the same; but each message costs a walk
    over both tables, and thirteen children of a clique of 3 267 cells may share one variable.
    """
    occurs_in: dict[int, list[int]] = {}
    for c, clique in enumerate(cliques):
        for variable in clique:
            occurs_in.setdefault(variable, []).append(c)
    near = _near(joins, len(cliques))
    parents: dict[int, int | None] = {}
    for c in range(len(cliques)):
        if c not in parents:
            parents.update(_walk(c, near))
    smallest: dict[frozenset[int], int] = {}
    for a, b in joins:
        child, parent = (a, b) if parents[a] == b else (b, a)
        separator = cliques[child] & cliques[parent]
        if separator not in smallest:
            rarest = min(separator, key=lambda v: len(occurs_in[v]))
            holders = (c for c in occurs_in[rarest] if separator <= cliques[c])
            smallest[separator] = min(holders, key=lambda c: (cells[c], c))
        holder = smallest[separator]
        if holder in (child, parent):
            continue
        way = [holder]
        while way[-1] != child and (up := parents[way[-1]]) is not None:
            way.append(up)
        if way[-1] != child:
            parents[child] = holder
            continue
        for below, above in pairwise(way):  # the holder is below: turn the way up to the child
            parents[above] = below
        parents[holder] = parent
    return [(parent, child) for child, parent in parents.items() if parent is not None]


def _rooted(
    joins: Iterable[Join], cells: Sequence[int]
) -> tuple[list[int], tuple[int | None, ...]]:
    """The cliques parents first, hung up where each tree balances: ways to the root are short."""
    near = _near(joins, len(cells))
    order: list[int] = []
    parents: list[int | None] = []
    index: dict[int, int] = {}
    for start in range(len(cells)):
        if start in index:
            continue
        part = _walk(start, near)
        weight = {c: cells[c] for c, _ in part}
        for c, up in reversed(part):
            if up is not None:
                weight[up] += weight[c]
        above = dict(part)
        root = start
        while True:
            children = [c for c in near[root] if c != above[root]]
            heavy = max(children, key=lambda c: (weight[c], -c), default=None)
            if heavy is None or 2 * weight[heavy] <= weight[start]:
                break
            root = heavy
        for c, up in _walk(root, near):
            index[c] = len(order)
            order.append(c)
            parents.append(None if up is None else index[up])
    return order, tuple(parents)


def _near(joins: Iterable[Join], count: int) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in joins:
        near[a].append(b)
        near[b].append(a)
    return near


def _walk(start: int, near: Sequence[Sequence[int]]) -> list[tuple[int, int | None]]:
    """(clique, where it was reached from), parents first."""
    result: list[tuple[int, int | None]] = []
    stack: list[tuple[int, int | None]] = [(start, None)]
    while stack:
        c, up = stack.pop()
        result.append((c, up))
        stack += [(other, c) for other in reversed(near[c]) if other != up]
    return result


# From here on growth is worth a warning: the tree grows by this factor, or beyond so many cells.
MUCH_LARGER, MANY_CELLS = 4.0, 1_000_000


@dataclass(frozen=True, slots=True)
class SizeForecast:
    """Cells of the clique tree (eq. 3.20) before and after."""

    before: int
    after: int

    @property
    def grows(self) -> bool:
        return self.after > self.before

    @property
    def is_warning(self) -> bool:
        """Updating beliefs would take noticeably longer, or not be possible any more."""
        return self.grows and (self.after >= MUCH_LARGER * self.before or self.after >= MANY_CELLS)


def size_with_edge(
    tree: CliqueTree,
    parents: Sequence[Sequence[int]],
    source: int,
    target: int,
) -> SizeForecast:
    """The size of the clique tree with the edge source → target too.

    Where a clique already holds the new family nothing changes; else the graph is triangulated
    again, so the window computes it in the background.
    """
    family = {source, target, *parents[target]}
    if any(family <= {*clique} for clique in tree.cliques):
        return SizeForecast(tree.table_cells, tree.table_cells)
    more = [sorted({*of, source}) if child == target else of for child, of in enumerate(parents)]
    grown = clique_tree_of(more, tree.cardinalities)
    return SizeForecast(tree.table_cells, grown.table_cells)
