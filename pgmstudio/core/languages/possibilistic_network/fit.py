"""How far the degrees of a network are from those of data."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.inference.join_tree import MINIMUM
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.scores.association_measures import nonspecificity

# Up to so many joint states the degrees of imprecise rows are listed.
MAX_LISTED = 1_000_000
# The measure that marks degrees as approximate.
DRAWN = "drawn_intersections"
_ROUNDING = 1e-9


def listed_degrees(distribution: PossibilityDistribution) -> Floats | None:
    """All degrees above 0 of the data; None where imprecise rows allow too many tuples."""
    if distribution.is_precise:
        return distribution.tuple_degrees
    if distribution.domain.joint_states() <= MAX_LISTED:
        return distribution.projection(range(len(distribution.domain)))
    return None


def degree_measures(
    network: PossibilisticNetwork, distribution: PossibilityDistribution
) -> dict[str, float]:
    """What the graph adds to the degrees of all tuples, and with the minimum as norm the
    specificity divergence in bits."""
    degrees = listed_degrees(distribution)
    if degrees is None:
        return {}
    tree = network.join_tree
    measures = {"additional_degrees": tree.degree_sum() - float(degrees.sum())}
    if network.norm == MINIMUM:
        lost = tree.nonspecificity() - nonspecificity(np.asarray(degrees))
        measures["specificity_divergence"] = lost
    return measures


def distribution_measures(distribution: PossibilityDistribution) -> dict[str, float]:
    """The largest degree; of approximate degrees also how many intersections were drawn."""
    measures = {"largest_degree": distribution.top}
    if not distribution.is_exact:
        measures[DRAWN] = float(distribution.set_degrees.size)
    return measures


def fit_measures(network: PossibilisticNetwork, data: DataSet) -> dict[str, float]:
    """What is known of the degrees of the data, and what the network adds.

    A network whose largest degree is 1 is compared with degrees rescaled to 1.
    """
    distribution = PossibilityDistribution.of(data)
    if network.top >= 1 - _ROUNDING:
        distribution = distribution.rescaled()
    return distribution_measures(distribution) | degree_measures(network, distribution)
