"""The search for the best labels of a table, and cached scores of families with them.

Rows of a table are merged by labels, trees, a default row, or free classes. Labels come from a
greedy climb from the full table, or, for few contexts, from an enumeration of all partitions that
labels can give (Pensar et al. 2015; Pensar et al. 2016 for the other structures).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import Request, family_counter
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    Context,
    full_partition,
    idle_axes,
    label_partitions,
    labels_of,
    numbered,
)
from pgmstudio.core.languages.ldag.scores import ELEMENTS, PartitionScore
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, mask_of

Ints = NDArray[np.int64]

FULL, LABELS, TREE, GROUPED_TREE, FREE = "full", "labels", "csi-tree", "extended-tree", "free"
DEFAULT_TABLE = "default-table"
STRUCTURES = (LABELS, TREE, GROUPED_TREE, DEFAULT_TABLE, FREE, FULL)
GREEDY, EXACT = "greedy", "exact"

# All partitions are enumerated if the labels have at most this many contexts in all.
MAX_CONTEXTS = 12
# All sets of rows that share a default row are tried in tables of at most this many rows.
MAX_DEFAULT_SETS = 10
# Of more configurations a default row takes more than a second: only labels are tried.
MAX_DEFAULT = 512
# Pairs of classes are stored in a table; above this many configurations only labels are tried.
MAX_FREE = 1024


@dataclass(frozen=True, slots=True)
class LabelStep:
    """A context added to the label of the parent on an axis, and the gain in score."""

    axis: int
    context: Context
    gain: float


def best_classes(
    counts: Floats,
    score: PartitionScore,
    structure: str = LABELS,
    inner: str = EXACT,
    scale: float = 1.0,
) -> Classes:
    """The classes of a family whose counts have the child's axis last; every parent has an effect.

    With `inner` exact, small tables get the best labels there are. `scale` multiplies the data term
    where cells are missing.
    """
    cards = counts.shape[:-1]
    full = full_partition(cards)
    if structure == FULL or score.kappa == 0 or len(cards) == 0 or counts.size == 0:
        return full
    if len(cards) == 1 and structure in (LABELS, TREE):
        return full  # a single parent without effect would be no edge
    if structure == FREE and full.size <= MAX_FREE:
        return _merged(counts, score, scale)
    if structure == DEFAULT_TABLE and full.size <= MAX_DEFAULT:
        return default_table(counts, score, inner, scale)
    if structure in (TREE, GROUPED_TREE):
        return _tree(counts, score, scale, is_grouped=structure == GROUPED_TREE)
    if inner == EXACT and context_count(cards) <= MAX_CONTEXTS and 1 not in cards:
        return exact_labels(counts, score, scale)
    return greedy_labels(counts, score, scale)[0]


def context_count(cards: tuple[int, ...]) -> int:
    """How many contexts the labels of all parents could hold: Σ q / r_i."""
    q = int(np.prod(cards, dtype=np.int64))
    return sum(q // card for card in cards)


def greedy_labels(
    counts: Floats, score: PartitionScore, scale: float = 1.0
) -> tuple[Classes, tuple[LabelStep, ...]]:
    """Labels by adding the context that gains most, and the steps that led there."""
    from pgmstudio.core.languages.ldag.learning.kernels import greedy_labels as kernel

    flat, cards, r = _flat(counts)
    q = flat.size // r
    homes, taken, gains = np.empty(q, np.int64), np.empty(q, np.int64), np.empty(q)
    per_context = score.per == ELEMENTS
    settings = (score.term, score.ess, score.cost, scale, score.log_kappa, per_context)
    steps = kernel(flat, cards, r, *settings, homes, taken, gains)
    shape = counts.shape[:-1]
    log = tuple(
        LabelStep(*_candidate(int(taken[step]), shape), float(gains[step])) for step in range(steps)
    )
    return numbered(homes.reshape(shape)), log


def _candidate(number: int, cards: tuple[int, ...]) -> tuple[int, Context]:
    """The axis and the context that a candidate's number stands for."""
    q = int(np.prod(cards, dtype=np.int64))
    for axis, card in enumerate(cards):
        if number < q // card:
            others = (*cards[:axis], *cards[axis + 1 :])
            return axis, tuple(int(state) for state in np.unravel_index(number, others))
        number -= q // card
    raise IndexError("no such context")


def exact_labels(counts: Floats, score: PartitionScore, scale: float = 1.0) -> Classes:
    """The best of all regular partitions that labels can give."""
    from pgmstudio.core.languages.ldag.learning.kernels import MIN_GAIN
    from pgmstudio.core.scores.partition_kernels import best_listed

    flat, _, r = _flat(counts)
    listed = _listed(counts.shape[:-1])
    saved = listed.contexts if score.per == ELEMENTS else (r - 1) * listed.merged
    result = best_listed(
        flat,
        r,
        flat.size // r,
        listed.blocks,
        listed.block_starts,
        listed.members,
        listed.member_starts,
        saved * score.log_kappa,
        score.term,
        score.ess,
        score.cost,
        scale,
        MIN_GAIN,
    )
    return listed.partitions[result]


def _merged(counts: Floats, score: PartitionScore, scale: float) -> Classes:
    from pgmstudio.core.languages.ldag.learning.kernels import greedy_merges

    flat, cards, r = _flat(counts)
    homes = np.empty(flat.size // r, np.int64)
    settings = (score.term, score.ess, score.cost, scale, score.log_kappa)
    greedy_merges(flat, cards, r, *settings, homes)
    return numbered(homes.reshape(counts.shape[:-1]))


def default_table(
    counts: Floats, score: PartitionScore, inner: str = EXACT, scale: float = 1.0
) -> Classes:
    """Some rows with a class of their own, and one class for all others (Friedman and Goldszmidt
    1996): the best in small tables with `inner` exact, else by adding and taking out one row at a
    time, from the best pair and from all rows but one."""
    from pgmstudio.core.languages.ldag.learning.kernels import default_rows

    flat, cards, r = _flat(counts)
    homes = np.empty(flat.size // r, np.int64)
    settings = (score.term, score.ess, score.cost, scale, score.log_kappa)
    is_exact = inner == EXACT and homes.size <= MAX_DEFAULT_SETS
    default_rows(flat, cards, r, *settings, is_exact, homes)
    return numbered(homes.reshape(counts.shape[:-1]))


def _tree(counts: Floats, score: PartitionScore, scale: float, *, is_grouped: bool) -> Classes:
    from pgmstudio.core.languages.ldag.learning.kernels import greedy_tree

    flat, cards, r = _flat(counts)
    homes = np.empty(flat.size // r, np.int64)
    settings = (score.term, score.ess, score.cost, scale, score.log_kappa)
    greedy_tree(flat, cards, r, *settings, is_grouped, homes)
    return numbered(homes.reshape(counts.shape[:-1]))


def _flat(counts: Floats) -> tuple[Floats, Ints, int]:
    flat = np.ascontiguousarray(counts, dtype=np.float64).ravel()
    return flat, np.array(counts.shape[:-1], dtype=np.int64), counts.shape[-1]


@dataclass(frozen=True, eq=False)
class _Listed:
    """All regular label partitions of some parents, the finest first, as the kernel reads them."""

    partitions: tuple[Classes, ...]
    blocks: Ints
    block_starts: Ints
    members: Ints
    member_starts: Ints
    merged: Floats  # configurations less classes
    contexts: Floats  # in the labels


@lru_cache(maxsize=64)
def _listed(cards: tuple[int, ...]) -> _Listed:
    regular = [classes for classes in label_partitions(cards) if not idle_axes(classes)]
    regular.sort(key=lambda classes: (-int(classes.max()), classes.tobytes()))
    numbers: dict[bytes, int] = {}
    blocks: list[Ints] = []
    members: list[int] = []
    starts = [0]
    for classes in regular:
        flat = classes.ravel()
        for one in range(int(flat.max()) + 1):
            block = np.flatnonzero(flat == one)
            key = block.tobytes()
            if key not in numbers:
                numbers[key] = len(blocks)
                blocks.append(block)
            members.append(numbers[key])
        starts.append(len(members))
    for classes in regular:
        classes.flags.writeable = False
    return _Listed(
        tuple(regular),
        np.concatenate(blocks).astype(np.int64),
        np.cumsum([0, *(block.size for block in blocks)]).astype(np.int64),
        np.array(members, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array([c.size - 1 - int(c.max()) for c in regular], dtype=np.float64),
        np.array([sum(int(lb.sum()) for lb in labels_of(c)) for c in regular], dtype=np.float64),
    )


NATS_PER_BIT = math.log(2)
# The search for labels takes longer than counting, and more so in larger tables: above this many
# configurations of the parents a table gets no labels.
MAX_CONFIGURATIONS = 4096


@dataclass(frozen=True, slots=True)
class LabelledFamily:
    """A family with its best classes; scores in nats."""

    log_likelihood: float  # marginal, or BIC
    log_prior: float
    classes: Classes

    @property
    def score(self) -> float:
        return self.log_likelihood + self.log_prior


class LabelScores:
    """Scores of families with their best classes, in nats, and of graphs, in bits.

    With missing cells a family is counted over the rows that have all its cells, and its data term
    scaled to all rows (as in `FamilyScores`); one that no row has in full predicts uniformly.
    """

    def __init__(
        self,
        data: DataSet,
        score: PartitionScore,
        *,
        structure: str = LABELS,
        inner: str = EXACT,
        max_table_cells: int = MAX_TABLE_CELLS,
    ) -> None:
        self.data, self.score = data, score
        self.structure, self.inner = structure, inner
        self.max_table_cells = max_table_cells
        self.cards = data.domain.cardinalities
        self.total_weight = data.total_weight
        self.counter = family_counter(data)
        self._has_missing = data.has_missing
        self._families: dict[tuple[int, int], LabelledFamily] = {}

    @property
    def families_scored(self) -> int:
        """The number of families scored so far."""
        return len(self._families)

    def counts(self, child: int, parents: Sequence[int], cancel: CancelToken = NEVER) -> Floats:
        """The counts of a family, an axis per parent in order, the child's last."""
        return self.counter.counts((*sorted(parents), child), cancel)

    def family(
        self, child: int, parents: Iterable[int], cancel: CancelToken = NEVER
    ) -> LabelledFamily:
        """The family with its best classes."""
        members = sorted(parents)
        known = self._families.get((child, mask_of(members)))
        if known is None:
            known = self._cache(child, members, self.counts(child, members, cancel))
        return known

    def _cache(self, child: int, parents: Sequence[int], counts: Floats) -> LabelledFamily:
        score, scale = self.score, 1.0
        seen = float(counts.sum()) if self._has_missing else self.total_weight
        if self._has_missing and seen > 0:
            scale = self.total_weight / seen
        if seen > 0 and counts.size <= MAX_CONFIGURATIONS * counts.shape[-1]:
            classes = best_classes(counts, score, self.structure, self.inner, scale)
        else:
            classes = full_partition(counts.shape[:-1])
        data_term = score.log_likelihood(counts, classes, scale)
        if seen <= 0:
            data_term = -self.total_weight * math.log(counts.shape[-1])
        prior = score.log_prior(counts.shape[-1], classes)
        result = LabelledFamily(data_term, prior, classes)
        self._families[child, mask_of(parents)] = result
        return result

    def local(self, child: int, parents: Iterable[int], cancel: CancelToken = NEVER) -> float:
        """The score of one family in bits; −inf when its table would be too large."""
        members = sorted(parents)
        if math.prod(self.cards[v] for v in (*members, child)) > self.max_table_cells:
            return -math.inf
        return self.family(child, members, cancel).score / NATS_PER_BIT

    def total(self, parent_indices: Sequence[Iterable[int]], cancel: CancelToken = NEVER) -> float:
        """The score of a whole graph in nats, given each variable's parents."""
        return math.fsum(self.family(c, p, cancel).score for c, p in enumerate(parent_indices))

    def left_out(
        self, parent_indices: Sequence[Iterable[int]], cancel: CancelToken = NEVER
    ) -> float:
        """In bits, the log-probability of the rows of a whole graph, each under the tables that
        all the other rows give; scaled to all rows where cells are missing."""
        total = 0.0
        for child, parents in enumerate(parent_indices):
            counts = self.counts(child, sorted(parents), cancel)
            seen = float(counts.sum())
            if seen <= 0:
                total -= self.total_weight * math.log2(counts.shape[-1])
                continue
            classes = self.family(child, parents, cancel).classes
            total += self.total_weight / seen * self.score.left_out(counts, classes)
        return total

    def toggled(
        self,
        child: int,
        parents: Sequence[int],
        candidates: NDArray[np.int64],
        cancel: CancelToken = NEVER,
    ) -> Floats:
        """In bits, the score of `child` with each variable joining its parents, or leaving them;
        entry `child` with exactly these. Large tables and all others are −inf."""
        members = sorted(parents)
        mask = mask_of(members)
        row = np.full(len(self.cards), -math.inf)
        cells = math.prod(self.cards[v] for v in (*members, child))
        fitting = candidates[cells * self.counter.cards[candidates] <= self.max_table_cells]
        new = [v for v in fitting.tolist() if (child, mask | 1 << v) not in self._families]
        self._count_new(child, members, np.array(new, dtype=np.int64), cancel)
        for one in fitting.tolist():
            row[one] = self.local(child, (*members, one), cancel)
        row[child] = self.local(child, members, cancel)
        for parent in members:
            row[parent] = self.local(child, [p for p in members if p != parent], cancel)
        return row

    def prefetch(self, requests: Iterable[Request], cancel: CancelToken = NEVER) -> None:
        """As `FamilyScores.prefetch`."""
        if not self.counter.reads_in_passes:
            return
        wanted: list[Request] = []
        for (*parents, child), candidates in requests:
            cells = math.prod(self.cards[v] for v in (*parents, child))
            if cells <= self.max_table_cells:
                most = self.max_table_cells // cells
                fitting = [c for c in candidates if self.cards[c] <= most]
                wanted.append(((*parents, child), fitting) if fitting else (parents, [child]))
        self.counter.prefetch(wanted, cancel)

    def _count_new(
        self, child: int, parents: Sequence[int], new: NDArray[np.int64], cancel: CancelToken
    ) -> None:
        """Families with one parent more, counted together."""
        shape = tuple(self.cards[v] for v in (*parents, child))
        for joined in self.counter.joined((*parents, child), new, cancel):
            for one, offset in zip(joined.candidates.tolist(), joined.offsets, strict=True):
                cancel.raise_if_cancelled()
                size = math.prod(shape) * self.cards[one]
                counts = joined.flat[offset : offset + size].reshape(*shape, self.cards[one])
                index = sum(p < one for p in parents)
                members = [*parents[:index], one, *parents[index:]]
                self._cache(child, members, np.moveaxis(counts, -1, index))

    def model(self, dag: Dag, cancel: CancelToken = NEVER) -> tuple[LabelledDag, float]:
        """The labelled graph with posterior means, and Σ counts · log2 of its tables."""
        classes, rows, log2_likelihood = [], [], 0.0
        for child, parents in enumerate(dag.parent_indices):
            counts = self.counts(child, parents, cancel)
            partition = self.family(child, parents, cancel).classes
            made = self.score.rows(counts, partition)
            seen = counts > 0
            log2_likelihood += float(counts[seen] @ np.log2(made[partition][seen]))
            classes.append(partition)
            rows.append(made)
        return LabelledDag(self.data.domain, dag, tuple(classes), tuple(rows)), log2_likelihood

    def measures(self, dag: Dag, cancel: CancelToken = NEVER) -> dict[str, float]:
        """Score, marginal likelihood and prior of a graph in bits."""
        families = [self.family(c, parents, cancel) for c, parents in enumerate(dag.parent_indices)]
        data_term = math.fsum(family.log_likelihood for family in families) / NATS_PER_BIT
        prior = math.fsum(family.log_prior for family in families) / NATS_PER_BIT
        name = "bic" if self.score.name == "bic" else "log2_marginal_likelihood"
        return {"score": data_term + prior, name: data_term, "log2_prior": prior}
