"""A possibilistic network beside the Bayesian network with the same graph and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import as_precise
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.inference.belief_text import necessity_of
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.degree_session import DegreeSession
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.languages.sessions import open_session


def same_graph_network(
    network: PossibilisticNetwork, data: DataSet, cancel: CancelToken = NEVER
) -> BayesianNetwork:
    """The Bayesian network of the same graph, with tables of the rows; by EM where cells are
    missing, as sets of states are for it."""
    rows = as_precise(rows_over(data, network.domain))
    return fit_observed(rows, network.dag, cancel=cancel).network


@dataclass(frozen=True, slots=True)
class StateDegrees:
    """One state: possibility and necessity as they are, and probability, given the evidence."""

    variable: str
    state: str
    possibility: float
    necessity: float
    probability: float | None  # None: the evidence has probability 0
    is_consistent: bool  # nothing is more probable than it is possible, relative to Π(e)


def compared_degrees(
    network: PossibilisticNetwork, twin: BayesianNetwork, evidence: Mapping[str, Finding]
) -> list[StateDegrees]:
    """All states of both networks with the same evidence; ImpossibleEvidenceError if the
    possibilistic one excludes it."""
    degrees, probabilities = DegreeSession(network), open_session(twin)
    has_probabilities = True
    for name, finding in evidence.items():
        degrees.set_evidence(name, finding)
    try:
        for name, finding in evidence.items():
            probabilities.set_evidence(name, finding)
    except ImpossibleEvidenceError:
        has_probabilities = False
    top = 2.0 ** degrees.log2_evidence()
    rows = []
    for variable in network.domain:
        relative = degrees.belief(variable.name).values
        possibility = relative * top
        necessity = necessity_of(possibility.tolist())
        belief = probabilities.belief(variable.name).values if has_probabilities else None
        for code, state in enumerate(variable.states):
            probability = None if belief is None else float(belief[code])
            rows.append(
                StateDegrees(
                    variable.name,
                    state,
                    float(possibility[code]),
                    necessity[code],
                    probability,
                    probability is None or probability <= float(relative[code]) + 1e-9,
                )
            )
    return rows
