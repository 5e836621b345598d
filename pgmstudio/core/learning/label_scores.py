"""Scores of families whose tables have the best labels found for them, each kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.family_counts import FamilyCounter
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.ldag_inner import EXACT, LABELS, best_classes
from pgmstudio.core.models.label_partitions import Classes, full_partition
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS, mask_of
from pgmstudio.core.scores.partition_scores import PartitionScore

Floats = NDArray[np.float64]

NATS_PER_BIT = math.log(2)
# The search for labels takes longer than counting, and more so in larger tables: beyond this many
# configurations of the parents a table stays as it is.
MOST_CONFIGURATIONS = 4096


@dataclass(frozen=True, slots=True)
class LabelledFamily:
    """A family with the best classes found, in nats."""

    log_likelihood: float  # marginal, or BIC
    log_prior: float
    classes: Classes

    @property
    def score(self) -> float:
        return self.log_likelihood + self.log_prior


class LabelScores:
    """family(child, parents) with its classes; and, in bits, what a search over graphs asks.

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
        self.counter = FamilyCounter(data)
        self._has_missing = data.has_missing
        self._families: dict[tuple[int, int], LabelledFamily] = {}

    @property
    def families_scored(self) -> int:
        """How many families' labels have been looked for."""
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
            known = self._keep(child, members, self.counts(child, members, cancel))
        return known

    def _keep(self, child: int, parents: Sequence[int], counts: Floats) -> LabelledFamily:
        score, scale = self.score, 1.0
        seen = float(counts.sum()) if self._has_missing else self.total_weight
        if self._has_missing and seen > 0:
            scale = self.total_weight / seen
        if seen > 0 and counts.size <= MOST_CONFIGURATIONS * counts.shape[-1]:
            classes = best_classes(counts, score, self.structure, self.inner, scale)
        else:
            classes = full_partition(counts.shape[:-1])
        data_term = score.log_likelihood(counts, classes, scale)
        if seen <= 0:
            data_term = -self.total_weight * math.log(counts.shape[-1])
        prior = score.log_prior(counts.shape[-1], classes)
        found = LabelledFamily(data_term, prior, classes)
        self._families[child, mask_of(parents)] = found
        return found

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
        told = 0.0
        for child, parents in enumerate(parent_indices):
            counts = self.counts(child, sorted(parents), cancel)
            seen = float(counts.sum())
            if seen <= 0:
                told -= self.total_weight * math.log2(counts.shape[-1])
                continue
            classes = self.family(child, parents, cancel).classes
            told += self.total_weight / seen * self.score.left_out(counts, classes)
        return told

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
                place = sum(p < one for p in parents)
                members = [*parents[:place], one, *parents[place:]]
                self._keep(child, members, np.moveaxis(counts, -1, place))

    def model(self, dag: Dag, cancel: CancelToken = NEVER) -> tuple[LabelledDag, float]:
        """The labelled graph with posterior means, and Σ counts · log2 of its tables."""
        classes, rows, log2_likelihood = [], [], 0.0
        for child, parents in enumerate(dag.parent_indices):
            counts = self.counts(child, parents, cancel)
            found = self.family(child, parents, cancel).classes
            made = self.score.rows(counts, found)
            seen = counts > 0
            log2_likelihood += float(counts[seen] @ np.log2(made[found][seen]))
            classes.append(found)
            rows.append(made)
        return LabelledDag(self.data.domain, dag, tuple(classes), tuple(rows)), log2_likelihood

    def measures(self, dag: Dag, cancel: CancelToken = NEVER) -> dict[str, float]:
        """Score, marginal likelihood and prior of a graph in bits."""
        found = [self.family(c, parents, cancel) for c, parents in enumerate(dag.parent_indices)]
        data_term = math.fsum(family.log_likelihood for family in found) / NATS_PER_BIT
        prior = math.fsum(family.log_prior for family in found) / NATS_PER_BIT
        name = "bic" if self.score.name == "bic" else "log2_marginal_likelihood"
        return {"score": data_term + prior, name: data_term, "log2_prior": prior}
