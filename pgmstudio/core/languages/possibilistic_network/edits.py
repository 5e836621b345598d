"""Edits of a possibilistic network: degrees of a variable, and all of them from data."""

from __future__ import annotations

from dataclasses import replace

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork


def set_degrees(
    model: PossibilisticNetwork, *, variable: str, degrees: Floats
) -> PossibilisticNetwork:
    """Other degrees π(variable | parents), an axis for each parent in domain order."""
    v = model.domain.index(variable)
    edited = replace(model, degrees=(*model.degrees[:v], degrees, *model.degrees[v + 1 :]))
    _ = edited.join_tree  # refuses degrees that exclude each other
    return edited


def project_data(
    model: PossibilisticNetwork, *, data: DataSet, rescaled: bool = False
) -> PossibilisticNetwork:
    """The same graph, norm and convention with the degrees of the rows of a data set."""
    rows = data if data.domain == model.domain else rows_over(data, model.domain)
    distribution = PossibilityDistribution.of(rows, rescaled=rescaled)
    return PossibilisticNetwork.of_distribution(
        model.dag, distribution, model.norm, model.convention
    )
