"""Starting points of EM for mixtures of trees (Meilă 1999, ch. 7: at random)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import case_total, hold_out
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.components import responsibilities_of
from pgmstudio.core.languages.latent_class.learning.em import LatentEm, class_rows
from pgmstudio.core.languages.latent_class.learning.growth import with_new_classes
from pgmstudio.core.languages.latent_class.model import free_name
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.em import TreeMixtureSteps
from pgmstudio.core.languages.tree_mixture.learning.row_blocks import Part
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.sparse_rows import Ints

# Steps of EM for latent classes before the trees take over.
CLASS_STEPS = 20
# Maximum steps of k-modes.
MODE_STEPS = 30
# Maximum rows and cells used for starting.
MAX_START_ROWS, MAX_START_CELLS = 40_000, 20_000_000
# Cells times classes in a step above which each step is reported: about a tenth of a second.
LONG_STEP = 5_000_000


def starting_with_classes(
    em: TreeMixtureSteps, data: DataSet, rng: np.random.Generator, cancel: CancelToken
) -> Iterator[Part]:
    """Latent classes around random rows, a few steps of EM, and their responsibilities.

    `data` are the distinct rows of `em`; of very many a random sample is used.
    """
    most = min(MAX_START_ROWS, max(1000, MAX_START_CELLS // max(len(data.domain), 1)))
    if data.row_count > most:
        _, data = hold_out(data, most / case_total(data), rng)
    model = with_new_classes(None, data, em.count, rng, hidden=free_name(data.domain))
    rows = class_rows(data, cancel)
    is_long = rows.cells.size * em.count > LONG_STEP
    classes = LatentEm(rows, model, smoothing=0.5, cancel=cancel)
    for step in range(CLASS_STEPS):
        cancel.raise_if_cancelled()
        if is_long:
            yield Part(step / CLASS_STEPS, "steps with classes")
        classes.improve()
    yield from em.starting_like(classes.model)


def starting_with_trees(em: TreeMixtureSteps, rng: np.random.Generator) -> Iterator[Part]:
    """λ ~ Dirichlet(1), uniform random spanning trees, rows of tables ~ Dirichlet(1)."""
    return em.starting_like(random_mixture(em, rng))


def starting_with_model(em: TreeMixtureSteps, model: ComponentModel) -> Iterator[Part]:
    """The responsibilities of the components of another model, for the same columns."""

    def of_model(begin: int, end: int) -> Floats:
        parts = model.component_log2_likelihoods(em.rows.data_of(begin, end))
        return responsibilities_of(parts, model.weights)

    return em.starting_by(of_model)


def starting_with_modes(em: TreeMixtureSteps, rng: np.random.Generator) -> Iterator[Part]:
    """k-modes: each row belongs to the nearest of `count` rows of most frequent states.

    The distance is the number of different cells; of very many rows a sample finds the modes.
    """
    states, weights = em.rows.states, em.rows.weights
    most = min(MAX_START_ROWS, max(1000, MAX_START_CELLS // max(states.shape[1], 1)))
    chosen = np.arange(states.shape[0])
    if chosen.size > most:
        chosen = np.sort(rng.choice(chosen.size, most, replace=False, p=weights / weights.sum()))
    modes = k_modes(states[chosen], weights[chosen], em.count, rng)

    def hard(begin: int, end: int) -> Floats:
        nearest = _distances(states[begin:end], modes).argmin(axis=1)
        return np.asarray(np.eye(em.count)[nearest])

    return em.starting_by(hard)


def k_modes(states: Ints, weights: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Modes × columns, from random rows; −1 is a missing cell, which is near to any state."""
    rows = states.shape[0]
    first = rng.choice(rows, count, replace=count > rows, p=weights / weights.sum())
    modes = states[first].astype(np.int64)
    near = np.full(rows, -1)
    for _ in range(MODE_STEPS):
        distances = _distances(states, modes)
        before, near = near, distances.argmin(axis=1)
        if (near == before).all():
            break
        left = distances[np.arange(rows), near] * weights
        for k in range(count):
            members = near == k
            if not members.any():  # it begins again at the row that is represented worst
                far = int(left.argmax())
                modes[k], left[far] = states[far], -1.0
                continue
            for v in range(states.shape[1]):
                column = states[members, v]
                seen = column >= 0
                if seen.any():
                    modes[k, v] = np.bincount(column[seen], weights[members][seen]).argmax()
    return modes


def _distances(states: Ints, modes: Ints) -> Ints:
    """Rows × modes: how many cells differ."""
    differ = [((states != mode) & (states >= 0) & (mode >= 0)).sum(axis=1) for mode in modes]
    return np.stack(differ, axis=1)


def random_mixture(em: TreeMixtureSteps, rng: np.random.Generator) -> TreeMixture:
    """A random mixture, independent of the data."""
    domain = em.rows.domain
    cards = domain.cardinalities
    trees = []
    for _ in range(em.count):
        parents = random_spanning_tree(len(cards), rng)
        tables = tuple(
            rng.dirichlet(np.ones(card), size=None if parent is None else cards[parent])
            for card, parent in zip(cards, parents, strict=True)
        )
        trees.append(Tree(domain, tuple(parents), tables))
    return TreeMixture(domain, rng.dirichlet(np.ones(em.count)), tuple(trees))


def random_spanning_tree(count: int, rng: np.random.Generator) -> list[int | None]:
    """A tree drawn evenly from all n^(n−2), by its Prüfer code; parents, the root is the last."""
    parents: list[int | None] = [None] * count
    if count < 2:
        return parents
    code = [int(v) for v in rng.integers(0, count, count - 2)]
    left = np.bincount(np.array(code, dtype=np.int64), minlength=count) + 1
    for above in [*code, count - 1]:
        leaf = int(np.flatnonzero(left == 1)[0])
        parents[leaf] = above
        left[leaf], left[above] = 0, left[above] - 1
    return parents
