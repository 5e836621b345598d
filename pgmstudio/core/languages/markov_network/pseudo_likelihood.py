"""Marginal pseudo-likelihood of undirected graphs with contexts on their edges.

The pseudo-likelihood is the product of p(x_j | x_mb(j)) over all variables j with their neighbours
mb(j), the Markov blanket. With independent Dirichlet priors it is integrated in closed form: a sum
of local scores with the blanket in the role of the parents (Pensar, Nyman, Niiranen and Corander
2017). A context x of the common neighbours of an edge i – j, in which the edge vanishes, makes the
configurations of either blanket that differ only in the other end equal, and their Dirichlet
weights add up (Pensar, Nyman and Corander 2017). The pseudo-likelihood information criterion is
the maximum less ½ log N for each parameter (Csiszár and Talata 2006).

Scores are in bits; higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.local import Score, lambda_bic, lambda_score, score_of

Edge = tuple[int, int]
Context = tuple[int, ...]  # states of the common neighbours, in ascending order of these
Contexts = Mapping[Edge, frozenset[Context]]
# In one blanket: the neighbour without effect, the common neighbours, and their states.
Merge = tuple[int, tuple[int, ...], Context]
Merges = frozenset[Merge]
Masks = Sequence[int]  # the neighbours of every variable as bits
Ints = NDArray[np.int64]

NO_MERGES: Merges = frozenset()
MPL, PIC, LAMBDA = "mpl", "pic", "lambda"
PSEUDO_SCORES = (MPL, PIC, LAMBDA)
MAX_CACHED = 100_000  # tables, local scores and gains, each; then the cache is cleared

K = TypeVar("K")
V = TypeVar("V")


def pseudo_score(
    name: str, total_weight: float, *, ess: float = 1.0, lambda_: float | None = None
) -> Score:
    """The local score called `name` on data of that total weight; λ is that of BIC if not given."""
    if name == LAMBDA:
        return lambda_score(lambda_bic(total_weight) if lambda_ is None else lambda_)
    return score_of("bdeu" if name == MPL else "bic", total_weight, ess=ess)


def bits_of(mask: int) -> tuple[int, ...]:
    """The members of a set of variables, ascending."""
    members = []
    while mask:
        low = mask & -mask
        members.append(low.bit_length() - 1)
        mask ^= low
    return tuple(members)


def neighbour_masks(count: int, edges: Iterable[Edge]) -> list[int]:
    """The neighbours of every variable as bits."""
    masks = [0] * count
    for i, j in edges:
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    return masks


def edges_of(masks: Masks) -> Iterator[Edge]:
    """The edges as (smaller, larger), in order."""
    for i, mask in enumerate(masks):
        for j in bits_of(mask >> (i + 1)):
            yield i, i + 1 + j


def merges_of(node: int, masks: Masks, contexts: Contexts) -> Merges:
    """What the contexts of its edges merge in the blanket of a variable."""
    merges = []
    for other in bits_of(masks[node]):
        edge = (min(node, other), max(node, other))
        if elements := contexts.get(edge):
            common = bits_of(masks[node] & masks[other])
            merges += [(other, common, states) for states in elements]
    return frozenset(merges)


class PseudoLikelihood:
    """Local scores of variables given their blankets, each counted once and cached."""

    def __init__(
        self, data: DataSet, score: Score, *, max_table_cells: int = MAX_TABLE_CELLS
    ) -> None:
        self.score = score
        self.families = FamilyScores(data, score, max_table_cells=max_table_cells)
        self.cards = data.domain.cardinalities
        self.total_weight = data.total_weight
        self._tables: dict[tuple[int, int], tuple[Floats, float]] = {}
        self._local: dict[tuple[int, int, Merges], float] = {}
        self._classes: dict[tuple[int, int, Merges], Ints] = {}
        self._gains: dict[tuple[int, int, Merges, int, tuple[int, ...]], Floats] = {}
        self._rows: dict[tuple[tuple[int, ...], int, tuple[int, ...]], Ints] = {}
        self.cache_hits = 0

    @property
    def evaluations(self) -> int:
        """How many different local scores were computed."""
        return len(self._local) + sum(map(len, self._gains.values()))

    def local(
        self, node: int, blanket: int, merges: Merges = NO_MERGES, cancel: CancelToken = NEVER
    ) -> float:
        """The score of a variable given its blanket, a set of variables as bits."""
        key = (node, blanket, merges)
        known = self._local.get(key)
        if known is None:
            if merges:
                known = self._merged_score(node, blanket, merges, cancel)
            else:
                known = self.families.local(node, bits_of(blanket), cancel)
            self._room(self._local)[key] = known
        else:
            self.cache_hits += 1
        return known

    def total(
        self, masks: Masks, contexts: Contexts | None = None, cancel: CancelToken = NEVER
    ) -> float:
        """The score of a graph, given the neighbours of every variable as bits."""
        return math.fsum(
            self.local(node, mask, merges_of(node, masks, contexts or {}), cancel)
            for node, mask in enumerate(masks)
        )

    def classes(self, node: int, blanket: int, merges: Merges = NO_MERGES) -> Ints:
        """The class of every configuration of a blanket, with an axis per member, ascending."""
        from pgmstudio.core.scores.partition_kernels import classes_of, join_rows

        key = (node, blanket, merges)
        classes = self._classes.get(key)
        if classes is None:
            members = bits_of(blanket)
            shape = tuple(self.cards[m] for m in members)
            homes = np.arange(math.prod(shape), dtype=np.int64)
            for other, common, states in merges:
                element = 0
                for member, state in zip(common, states, strict=True):
                    element = element * self.cards[member] + state
                join_rows(homes, self._equal_rows(members, other, common)[element])
            classes = classes_of(homes).reshape(shape)
            self._room(self._classes)[key] = classes
        return classes

    def merge_gains(
        self,
        node: int,
        blanket: int,
        merges: Merges,
        other: int,
        common: tuple[int, ...],
        cancel: CancelToken = NEVER,
    ) -> Floats:
        """What a context of the edge to `other` adds to the score of a variable, for all states of
        the common neighbours in lexicographic order."""
        from pgmstudio.core.scores.partition_kernels import merge_gains

        key = (node, blanket, merges, other, common)
        gains = self._gains.get(key)
        if gains is not None:
            self.cache_hits += 1
            return gains
        counts, scale = self._counts(node, blanket, cancel)
        classes = self.classes(node, blanket, merges).ravel()
        nats = merge_gains(
            counts,
            classes,
            int(classes.max()) + 1,
            self.cards[node],
            self._equal_rows(bits_of(blanket), other, common),
            int(self.score.term),
            self.score.prior_weight,
            self.score.cost_per_parameter * math.log(2),
            scale,
        )
        self._room(self._gains)[key] = gains = nats / math.log(2)
        return gains

    def _merged_score(self, node: int, blanket: int, merges: Merges, cancel: CancelToken) -> float:
        from pgmstudio.core.scores.partition_kernels import partition_score

        r = self.cards[node]
        counts, scale = self._counts(node, blanket, cancel)
        if counts.size > self.families.max_table_cells:
            return -math.inf
        classes = self.classes(node, blanket, merges).ravel()
        nats = partition_score(
            counts,
            classes,
            int(classes.max()) + 1,
            r,
            int(self.score.term),
            self.score.prior_weight,
            self.score.cost_per_parameter * math.log(2),
            scale,
        )
        return float(nats) / math.log(2) - (0.0 if scale else self.total_weight * math.log2(r))

    def _counts(self, node: int, blanket: int, cancel: CancelToken) -> tuple[Floats, float]:
        """The table of a blanket and the variable, and the weight of its data term."""
        cached = self._tables.get((node, blanket))
        if cached is None:
            counter = self.families.counter
            counts = counter.counts((*bits_of(blanket), node), cancel).ravel()
            scale = self.score.weight
            if counter.data.has_missing:  # as `FamilyScores`: the mean over the rows with all cells
                seen = float(counts.sum())
                scale *= self.total_weight / seen if seen else 0.0
            self._room(self._tables)[node, blanket] = cached = counts, scale
        return cached

    def _equal_rows(self, members: tuple[int, ...], other: int, common: tuple[int, ...]) -> Ints:
        """Configurations of the members that a context makes equal: by the context, then by the
        states of all further members; the last axis has the states of `other`."""
        key = (members, other, common)
        rows = self._rows.get(key)
        if rows is None:
            shape = [self.cards[m] for m in members]
            numbers = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
            rest = [m for m in members if m != other and m not in common]
            turned = numbers.transpose([members.index(m) for m in (*common, *rest, other)])
            elements = math.prod(self.cards[m] for m in common)
            rows = np.ascontiguousarray(turned.reshape(elements, -1, self.cards[other]))
            self._room(self._rows)[key] = rows
        return rows

    @staticmethod
    def _room(cache: dict[K, V]) -> dict[K, V]:
        """The cache, emptied if it is full."""
        if len(cache) >= MAX_CACHED:
            cache.clear()
        return cache
