"""Edits of a possibilistic network: degrees of a variable, and all of them from data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.join_tree import MINIMUM
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork


def set_degrees(
    model: PossibilisticNetwork, *, variable: str, degrees: Floats
) -> PossibilisticNetwork:
    """Other degrees π(variable | parents), an axis for each parent in domain order."""
    v = model.domain.index(variable)
    edited = replace(model, degrees=(*model.degrees[:v], degrees, *model.degrees[v + 1 :]))
    _ = edited.join_tree  # refuses degrees that exclude each other
    return edited


def set_norm(model: PossibilisticNetwork, *, norm: str) -> PossibilisticNetwork:
    """Degrees combined by their minimum or their product."""
    return model.with_norm(norm)


def set_convention(model: PossibilisticNetwork, *, convention: str) -> PossibilisticNetwork:
    """Conditional degrees by another convention."""
    return model.with_convention(convention)


def rescale(model: PossibilisticNetwork) -> PossibilisticNetwork:
    """All degrees divided by the largest of a tuple, so that it is 1: min(1, d / top) in every
    table, as min over v of them is π / top."""
    if model.norm != MINIMUM:
        raise GraphError(
            "Only degrees that are combined by their minimum can be rescaled. Learn again with "
            "“Rescale”, or choose the minimum as norm."
        )
    top = model.top
    return replace(model, degrees=tuple(np.minimum(1.0, d / top) for d in model.degrees))


def project_data(
    model: PossibilisticNetwork,
    *,
    data: DataSet,
    rescaled: bool = False,
    cancel: CancelToken = NEVER,
) -> PossibilisticNetwork:
    """The same graph, norm and convention with the degrees of the rows of a data set."""
    rows = data if data.domain == model.domain else rows_over(data, model.domain)
    distribution = PossibilityDistribution.of(rows, rescaled=rescaled, cancel=cancel)
    return PossibilisticNetwork.of_distribution(
        model.dag, distribution, model.norm, model.convention
    )
