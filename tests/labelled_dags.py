"""Labelled graphs with known answers, and random ones for property tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    class_count,
    full_partition,
    partition_of,
    with_context,
)
from tests.strategies import domain_of, random_dag, random_table

Labels = Mapping[tuple[str, str], Sequence[tuple[int, ...]]]


def labelled(
    domain: Domain, edges: Sequence[tuple[str, str]], labels: Labels, seed: int = 0
) -> LabelledDag:
    """A graph written down by names, its contexts over the other parents in domain order; the
    distributions are drawn."""
    rng = np.random.default_rng(seed)
    dag = Dag.from_edges(domain.names, edges)
    classes, rows = [], []
    for i, parents in enumerate(dag.parent_indices):
        cards = [domain.cardinalities[p] for p in parents]
        marks = []
        for axis, parent in enumerate(parents):
            label = np.zeros([c for a, c in enumerate(cards) if a != axis], dtype=bool)
            for context in labels.get((domain.names[parent], domain.names[i]), ()):
                label[context] = True
            marks.append(label)
        result: Classes = partition_of(cards, marks)
        classes.append(result)
        rows.append(random_table(rng, (class_count(result), domain.cardinalities[i])))
    return LabelledDag(domain, dag, tuple(classes), tuple(rows))


def three() -> LabelledDag:
    """1 → 2, 1 → 3, 2 → 3, the last one gone where X1 = 1 (Pensar 2016, Fig. 5b)."""
    names = {f"X{i}": ("0", "1") for i in (1, 2, 3)}
    edges = [("X1", "X2"), ("X1", "X3"), ("X2", "X3")]
    return labelled(Domain.of(names), edges, {("X2", "X3"): [(1,)]})


def four() -> LabelledDag:
    """Three parents of X4 with four classes (Pensar 2016, Fig. 7)."""
    names = {f"X{i}": ("0", "1") for i in (1, 2, 3, 4)}
    edges = [("X1", "X4"), ("X2", "X4"), ("X3", "X4")]
    labels = {("X2", "X4"): [(1, 0), (1, 1)], ("X3", "X4"): [(0, 0), (1, 0), (1, 1)]}
    return labelled(Domain.of(names), edges, labels)


def random_labelled(
    rng: np.random.Generator, variables: int = 5, *, merges: float = 0.5, zeros: float = 0.0
) -> LabelledDag:
    """A random graph with random contexts in its labels, some of which may cover everything."""
    domain = domain_of([int(c) for c in rng.integers(2, 4, size=variables)])
    dag = random_dag(rng, domain.names, 0.6, 3)
    classes, rows = [], []
    for i, parents in enumerate(dag.parent_indices):
        result = full_partition([domain.cardinalities[p] for p in parents])
        while result.ndim > 1 and rng.random() < merges:
            axis = int(rng.integers(result.ndim))
            others = [c for a, c in enumerate(result.shape) if a != axis]
            result = with_context(result, axis, tuple(int(rng.integers(c)) for c in others))
        classes.append(result)
        rows.append(random_table(rng, (class_count(result), domain.cardinalities[i]), zeros))
    return LabelledDag(domain, dag, tuple(classes), tuple(rows))


def coronary() -> LabelledDag:
    """Risk factors of coronary heart disease with the labels a learner finds in their table."""
    no, yes = 0, 1
    names = dict.fromkeys(("Smoking", "Mental work", "Physical work"), ("no", "yes"))
    names |= {"Pressure": ("<140", ">140"), "Proteins": ("<3", ">3"), "Family": ("neg", "pos")}
    edges = [
        ("Physical work", "Smoking"),
        ("Physical work", "Mental work"),
        ("Smoking", "Proteins"),
        ("Mental work", "Proteins"),
        ("Physical work", "Proteins"),
        ("Smoking", "Pressure"),
        ("Proteins", "Pressure"),
    ]
    labels = {
        ("Smoking", "Proteins"): [(yes, yes)],
        ("Mental work", "Proteins"): [(no, no), (yes, no), (yes, yes)],
        ("Physical work", "Proteins"): [(no, yes)],
        ("Smoking", "Pressure"): [(1,)],
        ("Proteins", "Pressure"): [(no,)],
    }
    return labelled(Domain.of(names), edges, labels, seed=3)
