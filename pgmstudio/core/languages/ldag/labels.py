"""Labels from similar rows of tables, edits of labels, and classes of similar columns.

A change of labels merges rows, whose distributions become their mean, or separates them again; then
each keeps the distribution it had.

The distance of two columns of a conditional table is their largest difference in probability (the
Chebyshev distance). Columns are clustered so that any two of a class are at most ε apart (complete
linkage).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    Context,
    class_count,
    full_partition,
    is_implied,
    is_regular,
    label_of,
    with_context,
    without_context,
)
from pgmstudio.core.model import Model

# Differences up to this are rounding.
_HAIR = 1e-12


@dataclass(frozen=True)
class ColumnClasses:
    """A clustering of columns: `classes[i]` is the class of column i, numbered in the order of
    their first columns.

    `next_epsilon` is the least ε at which more columns fall together, namely those of the two
    classes `next_pair`; None when all are one class.
    """

    classes: tuple[int, ...]
    next_epsilon: float | None = None
    next_pair: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def count(self) -> int:
        return len(set(self.classes))

    def members(self, number: int) -> tuple[int, ...]:
        """The columns of a class."""
        return tuple(i for i, own in enumerate(self.classes) if own == number)


def column_classes(columns: Floats, epsilon: float) -> ColumnClasses:
    """Classes of the rows of `columns`, each a distribution over the same states."""
    count = len(columns)
    if count < 2:
        return ColumnClasses((0,) * count)
    from scipy.cluster.hierarchy import linkage

    tree = linkage(columns, "complete", metric="chebyshev")
    members: dict[int, tuple[int, ...]] = {i: (i,) for i in range(count)}
    for number, (left, right, height, _) in enumerate(tree):
        pair = (members.pop(int(left)), members.pop(int(right)))
        if height > epsilon + _HAIR:
            groups = (*members.values(), *pair)
            first, second = sorted(pair)
            return ColumnClasses(_numbered(groups, count), float(height), (first, second))
        members[count + number] = tuple(sorted((*pair[0], *pair[1])))
    return ColumnClasses((0,) * count)


def _numbered(groups: tuple[tuple[int, ...], ...], count: int) -> tuple[int, ...]:
    classes = [0] * count
    for number, group in enumerate(sorted(groups)):
        for column in group:
            classes[column] = number
    return tuple(classes)


# Rows that agree to this much are the same row.
SAME = 1e-12


def labelled_from_rows(network: BayesianNetwork, tolerance: float = SAME) -> LabelledDag:
    """The network with a label wherever a parent changes no number by more than `tolerance`.

    With 0 or rounding the distribution stays the same; with more, merged rows become their mean.
    """
    parts = [_labels_of_table(table, tolerance) for table in network.tables]
    rows = [
        mean_rows(classes, table.reshape(-1, table.shape[-1]))
        for classes, table in zip(parts, network.tables, strict=True)
    ]
    return LabelledDag(network.domain, network.dag, tuple(parts), tuple(rows))


def _labels_of_table(table: Floats, tolerance: float) -> Classes:
    """The partition by contexts in which a parent's rows differ by at most the tolerance.

    The most similar contexts come first. Differences add up when contexts are merged, so each merge
    is checked against all rows of the resulting class.
    """
    *cards, states = table.shape
    classes, flat = full_partition(cards), table.reshape(-1, states)
    candidates: list[tuple[float, int, Context]] = []
    for axis in range(len(cards)):
        if len(cards) == 1:
            break  # a label of a single parent would remove its edge
        turned = np.moveaxis(table, axis, -2)
        spread = (turned.max(axis=-2) - turned.min(axis=-2)).max(axis=-1)
        for states in np.argwhere(spread <= tolerance).tolist():
            candidates.append((float(spread[tuple(states)]), axis, tuple(states)))
    for _, axis, context in sorted(candidates):
        merged = with_context(classes, axis, context)
        if is_regular(merged) and _widest(merged, flat) <= tolerance:
            classes = merged
    return classes


def _widest(classes: Classes, rows: Floats) -> float:
    """The largest difference of two probabilities within a class."""
    widest, labels = 0.0, classes.ravel()
    for one in range(class_count(classes)):
        mine = rows[labels == one]
        widest = max(widest, float((mine.max(axis=0) - mine.min(axis=0)).max()))
    return widest


def mean_rows(classes: Classes, rows: Floats, weights: Floats | None = None) -> Floats:
    """One row per class: the mean of those of its configurations, by weight where given."""
    labels, count = classes.ravel(), class_count(classes)
    mass = np.ones(labels.size) if weights is None else weights
    total = np.bincount(labels, mass, count)
    result = np.empty((count, rows.shape[1]))
    for state in range(rows.shape[1]):
        result[:, state] = np.bincount(labels, mass * rows[:, state], count)
    empty = total <= 0
    if empty.any():  # zero total weight: the unweighted mean
        plain = mean_rows(classes, rows)
        result[empty], total[empty] = plain[empty], 1.0
    result /= total[:, None]
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def with_partition(
    model: LabelledDag, variable: str, classes: Classes, weights: Floats | None = None
) -> LabelledDag:
    """Another partition of the variable's table; rows that come together become their mean."""
    i = model.domain.index(variable)
    written = model.rows[i][model.classes[i]].reshape(-1, model.rows[i].shape[1])
    partitions, rows = list(model.classes), list(model.rows)
    partitions[i], rows[i] = classes, mean_rows(classes, written, weights)
    return LabelledDag(model.domain, model.dag, tuple(partitions), tuple(rows))


def labelled_more(
    model: LabelledDag,
    source: str,
    target: str,
    context: Context,
    weights: Floats | None = None,
) -> LabelledDag:
    """The edge vanishes in one more context; GraphError when it would then vanish in all."""
    i, axis = model.domain.index(target), _axis(model, source, target)
    _check_context(model, source, target, context)
    merged = with_context(model.classes[i], axis, context)
    gone = [a for a in range(merged.ndim) if label_of(merged, a).all()]
    if gone:
        names = [model.dag.parents(target)[a] for a in gone]
        raise GraphError(
            f"With this context {' and '.join(names)} would no longer affect {target}: "
            f"delete the edge {names[0]} → {target} instead."
        )
    return with_partition(model, target, merged, weights)


def labelled_less(model: LabelledDag, source: str, target: str, context: Context) -> LabelledDag:
    """The edge no longer vanishes in a context; GraphError when other contexts imply it."""
    i, axis = model.domain.index(target), _axis(model, source, target)
    _check_context(model, source, target, context)
    classes = model.classes[i]
    if not label_of(classes, axis)[context]:
        raise GraphError(f"{source} → {target} does not vanish in that context.")
    if is_implied(classes, axis, context):
        raise GraphError(
            f"Other labels of {target} imply this context, so it cannot be taken out alone."
        )
    return with_partition(model, target, without_context(classes, axis, context))


def _axis(model: LabelledDag, source: str, target: str) -> int:
    parents = model.dag.parents(target)
    if source not in parents:
        raise GraphError(f"There is no edge {source} → {target}.")
    return parents.index(source)


def _check_context(model: LabelledDag, source: str, target: str, context: Context) -> None:
    others = model.other_parents(source, target)
    if len(context) != len(others):
        raise GraphError(f"A context of {source} → {target} needs a state of {_listed(others)}.")
    for name, state in zip(others, context, strict=True):
        if not 0 <= state < model.domain[name].cardinality:
            raise GraphError(f"{name} has no state number {state + 1}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "no other parent"


def with_labels_dropped(model: LabelledDag) -> LabelledDag:
    """The same distribution, every configuration with a row of its own."""
    return LabelledDag.of_network(model.as_bayesian_network)


def changed_structure(
    model: LabelledDag, edit: Callable[[BayesianNetwork], BayesianNetwork], variables: Sequence[str]
) -> LabelledDag:
    """An edit of the graph made in the network written out; tables of `variables` lose their
    labels where their parents changed, all others keep them."""
    network = edit(model.as_bayesian_network)
    plain = LabelledDag.of_network(network)
    partitions, rows = list(plain.classes), list(plain.rows)
    for i, name in enumerate(network.domain.names):
        if name in model.domain and name not in variables:
            j = model.domain.index(name)
            if model.dag.parents(name) == network.dag.parents(name):
                partitions[i], rows[i] = model.classes[j], model.rows[j]
    return LabelledDag(network.domain, network.dag, tuple(partitions), tuple(rows))


# Conversions of a labelled DAG.


def labelled_through_network(model: Model) -> LabelledDag:
    """The model's network, with labels where a parent changes no row."""
    return labelled_from_rows(through_network(model))


def plain_labelled(model: Model) -> LabelledDag | None:
    """The model if it is itself a labelled DAG; None otherwise."""
    return model if isinstance(model, LabelledDag) else None
