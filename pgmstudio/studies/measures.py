"""Measures of models in recipes: bits, edges, and compressed size."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from pgmstudio.core.analysis.classification import classify
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.model import ProbabilisticModel

Edge = frozenset[str]


def bits(model: ProbabilisticModel, data: DataSet) -> float:
    """−(1/N) Σ log2 Q(row), lower is better; ∞ when a row is impossible."""
    return -float(model.log2_probabilities(data).mean())


def percent_correct(model: ProbabilisticModel, test: DataSet, target: str) -> float:
    """The accuracy of a model as a classifier in percent."""
    return 100 * classify(model, test, target).accuracy.value


def base_rate(data: DataSet, smoothing: float = 1.0) -> BayesianNetwork:
    """The product of the marginals of the columns; pseudo-counts keep unseen states possible."""
    rng = np.random.default_rng(0)
    return fit_tables(data, Dag.from_edges(data.domain.names, ()), smoothing, rng=rng).network


def packed_bits(data: DataSet) -> float:
    """Bits per row of a file with one byte per cell, compressed as gzip does."""
    rows = np.ascontiguousarray(data.codes.T)
    return 8 * len(zlib.compress(rows.tobytes(), 9)) / max(1, data.row_count)


def undirected(edges: Iterable[tuple[str, str]]) -> frozenset[Edge]:
    """The edges without their directions."""
    return frozenset(frozenset(edge) for edge in edges)


def drawn_parts(
    data: DataSet, sizes: tuple[int, ...], rng: np.random.Generator
) -> tuple[DataSet, ...]:
    """Disjoint parts of these sizes, drawn at random; DataError if there are too few rows."""
    if min(sizes) < 1 or sum(sizes) > data.row_count:
        counts = " and ".join(str(size) for size in sizes)
        raise DataError(
            f"Parts of {counts} rows cannot be drawn from {data.row_count} rows. Choose other "
            "numbers of rows."
        )
    order = rng.permutation(data.row_count)
    ends = np.cumsum((0, *sizes))
    return tuple(data.take_rows(np.sort(order[low:high])) for low, high in pairwise(ends))
