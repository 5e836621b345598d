"""A generator: a named way to draw rows whose true distribution is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.model import Model
from pgmstudio.core.params import param

Generate = Callable[[Any, np.random.Generator, int], DataSet]
Truth = Callable[[Any, np.random.Generator], Model | None]


@dataclass(frozen=True, slots=True)
class Generator:
    """`generate(params, rng, n)` draws n rows; the same seed gives the same rows.

    `truth(params, rng)` is the model that the rows of the same seed come from, over their columns,
    for generators that draw a model first; None where it is no model of ours.
    """

    name: str
    title: str
    help: str
    params_type: type
    generate: Generate
    truth: Truth | None = None


def keep_hidden(what: str) -> Any:
    """The parameter of generators with a hidden variable: also write it as a column."""
    return param(
        False,
        title="Keep hidden",
        help=f"Also write the hidden {what} as the last column, to check what was learned.",
    )


def binary(name: str) -> Variable:
    return Variable(name, ("0", "1"))


def binary_table(names: list[str], columns: list[np.ndarray[Any, Any]]) -> DataSet:
    """Columns of truth values as a data set with the states 0 and 1."""
    domain = Domain(tuple(binary(name) for name in names))
    return DataSet(domain, np.stack(columns).astype(np.uint8))


def without_columns(data: DataSet, *names: str) -> DataSet:
    return data.select_columns(name for name in data.domain.names if name not in names)
