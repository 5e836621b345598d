"""Partitions of parent configurations into classes of equal table rows, and labels.

A partition is an array with an axis per parent that holds the class of each configuration. A label
of a parent is the set of contexts, states of the other parents, in which the parent has no effect:
all its states lead to one class (Pensar et al. 2015, Def. 4). Labels are stored in their maximal
form, as an array of truth values with an axis per other parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Classes = NDArray[np.int64]
Label = NDArray[np.bool_]
Context = tuple[int, ...]


def full_partition(cards: Sequence[int]) -> Classes:
    """The partition with every configuration in its own class."""
    return np.arange(int(np.prod(cards, dtype=np.int64)), dtype=np.int64).reshape(tuple(cards))


def numbered(classes: Classes) -> Classes:
    """The same partition with its classes numbered in the order they appear."""
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return np.asarray(rank[inverse.reshape(classes.shape)])


def class_count(classes: Classes) -> int:
    """How many different rows the table has."""
    return int(np.unique(classes).size)


def is_same_partition(one: Classes, other: Classes) -> bool:
    """Whether both partitions have the same classes."""
    return one.shape == other.shape and bool((numbered(one) == numbered(other)).all())


def label_of(classes: Classes, axis: int) -> Label:
    """The maximal label of the parent on this axis: the contexts where it has no effect."""
    turned = np.moveaxis(classes, axis, 0)
    return np.asarray((turned == turned[0]).all(axis=0))


def labels_of(classes: Classes) -> tuple[Label, ...]:
    """The maximal label of every parent."""
    return tuple(label_of(classes, axis) for axis in range(classes.ndim))


def partition_of(cards: Sequence[int], labels: Sequence[Label]) -> Classes:
    """The partition that labels give: the transitive closure of the rows they merge."""
    return joined(full_partition(cards), labels)


def joined(classes: Classes, labels: Sequence[Label]) -> Classes:
    """The finest coarsening of the partition in which every label holds."""
    homes = list(range(int(classes.max(initial=0)) + 1))

    def home(one: int) -> int:
        while homes[one] != one:
            homes[one] = homes[homes[one]]
            one = homes[one]
        return one

    for axis, label in enumerate(labels):
        turned = np.moveaxis(classes, axis, -1)
        for row in turned[label].reshape(-1, classes.shape[axis]).tolist():
            first = home(row[0])
            for other in row[1:]:
                homes[home(other)] = first
    roots = np.array([home(one) for one in range(len(homes))], dtype=np.int64)
    return numbered(roots[classes])


def is_regular(classes: Classes) -> bool:
    """Whether every parent has an effect somewhere: no label covers all its contexts."""
    return not any(label.all() for label in labels_of(classes))


def idle_axes(classes: Classes) -> tuple[int, ...]:
    """The axes of parents without an effect in any context."""
    return tuple(axis for axis, label in enumerate(labels_of(classes)) if label.all())


def is_label_partition(classes: Classes) -> bool:
    """Whether labels alone give this partition; otherwise some class is larger."""
    return is_same_partition(partition_of(classes.shape, labels_of(classes)), classes)


def with_context(classes: Classes, axis: int, context: Context) -> Classes:
    """The partition with one more context in the label of a parent."""
    label = np.zeros(np.delete(classes.shape, axis), dtype=bool)
    label[context] = True
    return joined(classes, _only(classes, axis, label))


def without_context(classes: Classes, axis: int, context: Context) -> Classes:
    """The partition of the labels with one context less; the same where the others imply it."""
    labels = [label.copy() for label in labels_of(classes)]
    labels[axis][context] = False
    return partition_of(classes.shape, labels)


def is_implied(classes: Classes, axis: int, context: Context) -> bool:
    """Whether the other contexts imply this one, so that it cannot be taken out alone."""
    if not label_of(classes, axis)[context]:
        return False
    return bool(label_of(without_context(classes, axis, context), axis)[context])


def _only(classes: Classes, axis: int, label: Label) -> list[Label]:
    """No label but this one."""
    return [
        label if other == axis else np.zeros(np.delete(classes.shape, other), dtype=bool)
        for other in range(classes.ndim)
    ]


def label_partitions(cards: Sequence[int]) -> Iterable[Classes]:
    """Every different partition that labels can give; for a few parents only.

    Grown from the full table by one context at a time, so each is met once. Classes and contexts
    are the bits of whole numbers here, which is far quicker than arrays.
    """
    start = full_partition(cards)
    contexts = [
        sum(1 << index for index in row)
        for axis in range(start.ndim)
        for row in np.moveaxis(start, axis, -1).reshape(-1, start.shape[axis]).tolist()
    ]
    singles = tuple(1 << index for index in range(start.size))
    seen, waiting = {singles}, [singles]
    while waiting:
        blocks = waiting.pop()
        yield _of_blocks(blocks, start.shape)
        for context in contexts:
            merged = sum(block for block in blocks if block & context)
            more = (*(block for block in blocks if not block & context), merged)
            if len(more) < len(blocks):
                key = tuple(sorted(more, key=lambda block: block & -block))
                if key not in seen:
                    seen.add(key)
                    waiting.append(key)


def _of_blocks(blocks: Sequence[int], shape: tuple[int, ...]) -> Classes:
    """Classes whose members are the bits of a number each, in the order of their first members."""
    classes = np.empty(math.prod(shape), dtype=np.int64)
    for number, block in enumerate(blocks):
        while block:
            classes[(block & -block).bit_length() - 1] = number
            block &= block - 1
    return classes.reshape(shape)


@dataclass(frozen=True)
class Split:
    """A node of a decision tree: the parent it tests, and the branch for each of its states."""

    axis: int
    branches: tuple[Split | int, ...]


def tree_of(classes: Classes) -> Split | int | None:
    """A decision tree over the parents whose leaves are the classes; None if there is none.

    A leaf is the number of its class. Each class has to be one leaf: a test that splits a class is
    not allowed (Boutilier et al. 1996).
    """
    if classes.size == 0 or (classes == classes.flat[0]).all():
        return int(classes.flat[0]) if classes.size else None
    for axis in range(classes.ndim):
        parts = [np.unique(np.take(classes, [state], axis)) for state in range(classes.shape[axis])]
        if len(parts) < 2 or sum(part.size for part in parts) != class_count(classes):
            continue  # the test would split a class
        branches = [tree_of(np.take(classes, [state], axis)) for state in range(len(parts))]
        if all(branch is not None for branch in branches):
            return Split(axis, tuple(branch for branch in branches if branch is not None))
    return None


def default_class(classes: Classes) -> int | None:
    """The class of the default row, if all other classes have one configuration; else None."""
    numbers, sizes = np.unique(classes, return_counts=True)
    large = numbers[sizes > 1]
    return int(large[0]) if large.size == 1 else None


def star_rows(classes: Classes) -> list[tuple[int, tuple[int | None, ...]]]:
    """The rows of the reduced table: a class and the states of the parents, None for any.

    Each class is cut into few blocks of equal states; a class that is no block has several rows.
    """
    rows: list[tuple[int, tuple[int | None, ...]]] = []

    def cut(block: Classes, fixed: tuple[int | None, ...]) -> None:
        if (block == block.flat[0]).all():
            rows.append((int(block.flat[0]), fixed))
            return
        # Split by the first parent that has an effect in this block.
        for index in range(block.ndim):
            if fixed[index] is None and not label_of(block, index).all():
                for state in range(block.shape[index]):
                    narrowed = (*fixed[:index], state, *fixed[index + 1 :])
                    cut(np.take(block, [state], index), narrowed)
                return

    if classes.size:
        cut(classes, (None,) * classes.ndim)
    return rows
