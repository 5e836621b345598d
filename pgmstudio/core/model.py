"""Protocols of models; a language implements those that it can."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag


class SealedFields:
    """A frozen dataclass with arrays that is sent to another process: without its cached values,
    and with read-only arrays there too."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(cast(Any, self))}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        for value in state.values():
            for array in value if isinstance(value, tuple) else (value,):
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False


if TYPE_CHECKING:
    _ProtocolType = ABCMeta
else:
    _ProtocolType = type(Protocol)


class _ByType(_ProtocolType):
    """`isinstance` looks once at every type: to look for all members takes Python 3.11 so long that
    menus, whose entries ask dozens of times, are slow to follow."""

    def __instancecheck__(cls, instance: Any) -> bool:
        key = (cls, type(instance))
        if key not in _FITS:  # not an attribute, which would be a member of the protocol
            _FITS[key] = super().__instancecheck__(instance)
        return _FITS[key]


_FITS: dict[tuple[type, type], bool] = {}


@runtime_checkable
class Model(Protocol, metaclass=_ByType):
    """A model: it can be shown, saved and opened."""

    @property
    def kind(self) -> str:
        """The key for files, sessions and pictures: "bayesian-network", "tree", …"""

    @property
    def domain(self) -> Domain: ...

    def representation_size(self) -> int:
        """size_rep: free parameters."""

    def effective_size(self) -> int:
        """size_eff: the number of table cells that an update of all beliefs visits, in the same
        unit for all languages; that of independent variables is the number of their states."""


@runtime_checkable
class ProbabilisticModel(Model, Protocol):
    """A model that is a joint distribution."""

    def log2_probabilities(self, data: DataSet) -> NDArray[np.float64]:
        """One per row, −inf for impossible rows. DataError if there are missing cells and the
        language needs complete rows; `languages.likelihood` sums them out for every language."""

    def sample(self, count: int, rng: np.random.Generator) -> DataSet: ...


@runtime_checkable
class DirectedModel(Model, Protocol):
    """A model with directed edges between its variables."""

    @property
    def edges(self) -> tuple[tuple[str, str], ...]: ...


@runtime_checkable
class UndirectedModel(Model, Protocol):
    """A model with edges without direction between its variables."""

    @property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]: ...


def has_edges(model: Model) -> bool:
    """Whether the model has edges between its variables, with or without direction."""
    return isinstance(model, DirectedModel | UndirectedModel)


def edges_of(model: Model) -> tuple[tuple[str, str], ...]:
    """The edges between variables, with or without direction; none for other models."""
    if isinstance(model, UndirectedModel):
        return model.undirected_edges
    return model.edges if isinstance(model, DirectedModel) else ()


def edge_text(model: Model, source: str, target: str) -> str:
    """`A → B`, or `A – B` where edges have no direction."""
    return f"{source} {'–' if isinstance(model, UndirectedModel) else '→'} {target}"


@runtime_checkable
class HasTables(Model, Protocol):
    """A model whose probabilities are products of entries of tables, one of each, or sums of such
    products."""

    @property
    def tables(self) -> tuple[NDArray[np.float64], ...]: ...


@runtime_checkable
class HasTrees(Model, Protocol):
    """A weighted sum of models."""

    @property
    def trees(self) -> tuple[Model, ...]: ...

    @property
    def weights(self) -> NDArray[np.float64]: ...


@runtime_checkable
class HasDag(Model, Protocol):
    """A model that stores its directed acyclic graph."""

    @property
    def dag(self) -> Dag: ...
