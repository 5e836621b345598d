"""The rows of one table that are best taken together: labels, trees, or any classes.

Labels are found by a greedy climb from the full table, or, for few contexts, as the best of all
partitions that labels can give (Pensar et al. 2015; Pensar et al. 2016 for the other structures).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.models.label_partitions import (
    Classes,
    Context,
    full_partition,
    idle_axes,
    label_partitions,
    labels_of,
    numbered,
)
from pgmstudio.core.scores.partition_scores import ELEMENTS, PartitionScore

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FULL, LABELS, TREE, GROUPED_TREE, FREE = "full", "labels", "csi-tree", "extended-tree", "free"
STRUCTURES = (LABELS, TREE, GROUPED_TREE, FREE, FULL)
GREEDY, EXACT = "greedy", "exact"

# All partitions are looked at when the labels have at most so many contexts in all.
MOST_CONTEXTS = 12
# Pairs of classes are kept in a table; beyond this many configurations labels alone are looked for.
MOST_FREE = 1024


@dataclass(frozen=True, slots=True)
class LabelStep:
    """A context that joined the label of the parent on an axis, and what the score gained."""

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
    """The classes of a family whose counts have the child's axis last; every parent has a say.

    With `inner` exact, small tables get the best labels there are. `scale` multiplies the data term
    where cells are missing.
    """
    cards = counts.shape[:-1]
    full = full_partition(cards)
    if structure == FULL or score.kappa == 0 or len(cards) == 0 or counts.size == 0:
        return full
    if len(cards) == 1 and structure in (LABELS, TREE):
        return full  # one parent: without its say there would be no edge
    if structure == FREE and full.size <= MOST_FREE:
        return _merged(counts, score, scale)
    if structure in (TREE, GROUPED_TREE):
        return _tree(counts, score, scale, is_grouped=structure == GROUPED_TREE)
    if inner == EXACT and context_count(cards) <= MOST_CONTEXTS and 1 not in cards:
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
    from pgmstudio.core.learning.ldag_kernels import greedy_labels as kernel

    flat, cards, r = _flat(counts)
    q = flat.size // r
    homes, taken, gains = np.empty(q, np.int64), np.empty(q, np.int64), np.empty(q)
    per_context = score.per == ELEMENTS
    told = (score.term, score.ess, score.cost, scale, score.log_kappa, per_context)
    steps = kernel(flat, cards, r, *told, homes, taken, gains)
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
    from pgmstudio.core.learning.ldag_kernels import LEAST_GAIN
    from pgmstudio.core.scores.partition_kernels import best_listed

    flat, _, r = _flat(counts)
    listed = _listed(counts.shape[:-1])
    saved = listed.contexts if score.per == ELEMENTS else (r - 1) * listed.merged
    found = best_listed(
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
        LEAST_GAIN,
    )
    return listed.partitions[found]


def _merged(counts: Floats, score: PartitionScore, scale: float) -> Classes:
    from pgmstudio.core.learning.ldag_kernels import greedy_merges

    flat, cards, r = _flat(counts)
    homes = np.empty(flat.size // r, np.int64)
    told = (score.term, score.ess, score.cost, scale, score.log_kappa)
    greedy_merges(flat, cards, r, *told, homes)
    return numbered(homes.reshape(counts.shape[:-1]))


def _tree(counts: Floats, score: PartitionScore, scale: float, *, is_grouped: bool) -> Classes:
    from pgmstudio.core.learning.ldag_tree_kernels import greedy_tree

    flat, cards, r = _flat(counts)
    homes = np.empty(flat.size // r, np.int64)
    told = (score.term, score.ess, score.cost, scale, score.log_kappa)
    greedy_tree(flat, cards, r, *told, is_grouped, homes)
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
