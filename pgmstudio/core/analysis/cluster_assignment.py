"""Assignment of rows to the components of a mixture, with responsibilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.tables import Cell
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.components import likeliest, log2_sums, responsibilities_of
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model

# Rows whose responsibilities are computed together.
_BLOCK_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class RowComponents:
    """`responsibilities[row, k]` is P(component k | the observed cells of the row)."""

    names: tuple[str, ...]
    responsibilities: Floats
    # −inf: impossible in every component; its responsibilities are the weights.
    log2_probabilities: Floats

    @property
    def row_count(self) -> int:
        return int(self.responsibilities.shape[0])

    @property
    def chosen(self) -> NDArray[np.intp]:
        """The most probable component of every row, the first of equal ones."""
        return likeliest(self.responsibilities)

    @property
    def top_responsibilities(self) -> Floats:
        """The responsibility of the most probable component."""
        return np.take_along_axis(self.responsibilities, self.chosen[:, None], axis=1)[:, 0]

    @property
    def entropies(self) -> Floats:
        """Entropy of the responsibilities in bits: 0 when the component is certain."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(
                self.responsibilities > 0,
                self.responsibilities * np.log2(self.responsibilities),
                0.0,
            )
        result: Floats = np.maximum(0.0, -parts.sum(axis=1))
        return result

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many rows have each component as their likeliest."""
        return np.bincount(self.chosen, minlength=len(self.names))


def is_mixture(model: Model) -> bool:
    """Whether rows of the model belong to components."""
    return isinstance(model, ComponentModel)


def row_components(model: Model, data: DataSet, cancel: CancelToken = NEVER) -> RowComponents:
    """Every row of the data, missing cells summed out; DataError when the model has no components.

    A column of the model that the data lack is missing in every row.
    """
    if not isinstance(model, ComponentModel):
        raise DataError(
            f"{a_kind(model.kind, 'A')} has no classes or components rows could belong to."
        )
    data = rows_over(data, model.domain)
    result, logs = [], []
    for part in _blocks(data, max(1, _BLOCK_CELLS // model.weights.size)):
        cancel.raise_if_cancelled()
        parts = model.component_log2_likelihoods(part)
        result.append(responsibilities_of(parts, model.weights))
        logs.append(log2_sums(parts))
    width = model.weights.size
    whole = np.concatenate(result) if result else np.zeros((0, width))
    return RowComponents(
        model.component_names, whole, np.concatenate(logs) if logs else np.zeros(0)
    )


def _blocks(data: DataSet, rows: int) -> Iterator[DataSet]:
    for at in range(0, data.row_count, rows):
        yield data.take_rows(slice(at, at + rows))


def shares_by(result: RowComponents, column: NDArray[Any], cardinality: int) -> Floats:
    """Mean responsibilities of the rows in each state of a column, states × components; NaN without
    rows."""
    sums = np.zeros((cardinality, len(result.names)))
    seen = column < cardinality
    np.add.at(sums, column[seen].astype(np.intp), result.responsibilities[seen])
    counts = np.bincount(column[seen].astype(np.intp), minlength=cardinality)[:, None]
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means


def component_table(result: RowComponents, what: str = "component") -> list[list[Cell]]:
    """One line per row, counted from 1: its component, its probability, and all
    responsibilities."""
    head: list[Cell] = ["row", what, "responsibility", "entropy_bits"]
    head += [f"p_{name.replace(' ', '_')}" for name in result.names]
    rows: list[list[Cell]] = [head]
    chosen, sure, bits = result.chosen, result.top_responsibilities, result.entropies
    for row in range(result.row_count):
        line: list[Cell] = [row + 1, result.names[int(chosen[row])], float(sure[row])]
        line.append(float(bits[row]))
        rows.append([*line, *result.responsibilities[row].tolist()])
    return rows
