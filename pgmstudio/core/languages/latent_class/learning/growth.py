"""How a model of latent classes grows and shrinks between EM runs (Nielsen 2007, §4.4.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.latent_class.model import LatentClasses

# Two classes closer than this, in nats of every table, are the same class.
_SAME_NATS = 1e-6
# How far new classes spread from their row, and how much the halves of a split one differ.
SPREAD = NOISE = 0.1


def frequencies(data: DataSet) -> tuple[Floats, ...]:
    """P'(x) of every column, over the rows that have it."""
    weights = data.row_weights
    result = []
    for variable, column in zip(data.domain, data.codes, strict=True):
        seen = column != data.missing_code
        counts = np.bincount(column[seen], weights[seen], minlength=variable.cardinality)
        even = np.full(variable.cardinality, 1 / variable.cardinality)
        result.append(counts / counts.sum() if counts.sum() > 0 else even)
    return tuple(result)


def centred_on(data: DataSet, row: int, marginals: tuple[Floats, ...]) -> tuple[Floats, ...]:
    """Tables around one row: (1 + 0.1·P'(x)) / 1.1 for its state, else 0.1·P'(x) / 1.1 (eq. 4.35).

    A missing cell has the column's frequencies.
    """
    tables = []
    for column, marginal in zip(data.codes, marginals, strict=True):
        table = SPREAD * marginal
        if column[row] == data.missing_code:
            table = table + marginal
        else:
            table[column[row]] += 1.0
        tables.append(table / (1 + SPREAD))
    return tuple(tables)


def with_new_classes(
    model: LatentClasses | None,
    data: DataSet,
    count: int,
    rng: np.random.Generator,
    *,
    hidden: str = "class",
) -> LatentClasses:
    """`count` classes more, each around a random row: new ones weigh 1/k, old ones m/k less."""
    marginals = frequencies(data)
    chances = None if data.weights is None else data.weights / data.weights.sum()
    rows = rng.choice(data.row_count, size=count, p=chances)
    new = [centred_on(data, int(row), marginals) for row in rows]
    fresh = [np.array([tables[v] for tables in new]) for v in range(len(data.domain))]
    if model is None:
        return LatentClasses(data.domain, np.full(count, 1 / count), tuple(fresh), hidden)
    before = model.class_count
    after = model.class_count + count
    weights = np.concatenate([model.weights * before / after, np.full(count, 1 / after)])
    tables = tuple(np.vstack([o, n]) for o, n in zip(model.tables, fresh, strict=True))
    return LatentClasses(model.domain, weights, tables, model.hidden)


def without_light_classes(model: LatentClasses, bound: float = 1000.0) -> LatentClasses:
    """Without the classes of weight ≤ 1/bound; the heaviest always stays."""
    kept = model.weights > 1 / bound
    kept[int(model.weights.argmax())] = True
    return model if kept.all() else _of_classes(model, np.flatnonzero(kept))


def with_split_classes(
    model: LatentClasses, rng: np.random.Generator, *, threshold: float = 0.9
) -> LatentClasses:
    """A class of at least `threshold` becomes two of half its weight, each a little disturbed."""
    heavy = np.flatnonzero(model.weights >= threshold)
    if not heavy.size:
        return model
    order = np.concatenate([np.delete(np.arange(model.class_count), heavy), heavy, heavy])
    weights = model.weights[order].copy()
    weights[-2 * heavy.size :] /= 2
    tables = [table[order].copy() for table in model.tables]
    # Drawn in the order of the names: columns in another order give the same classes.
    for variable in sorted(range(len(tables)), key=lambda v: model.domain.names[v]):
        part = tables[variable][-2 * heavy.size :]
        part *= np.exp(NOISE * rng.standard_normal(part.shape))
        part /= part.sum(axis=1, keepdims=True)
    return LatentClasses(model.domain, weights, tuple(tables), model.hidden)


def duplicate_classes(model: LatentClasses) -> list[tuple[int, int]]:
    """Pairs of classes whose tables are the same, the later one second."""
    result: list[tuple[int, int]] = []
    for later in range(1, model.class_count):
        for earlier in range(later):
            if _divergence(model, earlier, later) < _SAME_NATS:
                result.append((earlier, later))
                break
    return result


def with_merged_duplicates(model: LatentClasses) -> LatentClasses:
    """Classes with the same tables as one, of their summed weight."""
    pairs = duplicate_classes(model)
    if not pairs:
        return model
    weights = model.weights.copy()
    home = np.arange(model.class_count)
    for earlier, later in pairs:
        home[later] = home[earlier]
        weights[home[earlier]] += model.weights[later]
    kept = np.flatnonzero(home == np.arange(model.class_count))
    tables = tuple(table[kept] for table in model.tables)
    return LatentClasses(model.domain, weights[kept], tables, model.hidden)


def _of_classes(model: LatentClasses, chosen: NDArray[np.intp]) -> LatentClasses:
    weights = model.weights[chosen]
    tables = tuple(table[chosen] for table in model.tables)
    return LatentClasses(model.domain, weights / weights.sum(), tables, model.hidden)


def _divergence(model: LatentClasses, one: int, other: int) -> float:
    """The largest Kullback–Leibler divergence, in nats, between two classes' tables."""
    largest = 0.0
    for table in model.tables:
        p, q = table[one], table[other]
        seen = p > 0
        if (q[seen] <= 0).any():
            return np.inf
        largest = max(largest, float((p[seen] * np.log(p[seen] / q[seen])).sum()))
        if largest >= _SAME_NATS:
            break
    return largest
