"""Models of other languages as Bayesian networks."""

from __future__ import annotations

from pgmstudio.core.languages.base import HasNetwork
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import LANGUAGES, inference_form
from pgmstudio.core.model import Model


def same_network(network: BayesianNetwork) -> BayesianNetwork:
    """The network itself."""
    return network


def own_network(model: HasNetwork) -> BayesianNetwork:
    """The network that a model of another language gives itself."""
    network = model.as_bayesian_network
    assert isinstance(network, BayesianNetwork)
    return network


def as_network(model: Model | None) -> BayesianNetwork | None:
    """The model as a Bayesian network with the same variables and tables; None if it is none."""
    return None if model is None else plain_network(inference_form(model)[1])


def plain_network(model: Model) -> BayesianNetwork | None:
    """The model if it is itself a Bayesian network; None otherwise."""
    return model if isinstance(model, BayesianNetwork) else None


def through_network(model: Model) -> BayesianNetwork:
    """The same distribution as a network, which may have further variables and larger tables."""
    row = LANGUAGES[model.kind]
    assert row.to_network is not None
    network: BayesianNetwork = row.to_network.load()(model)
    return network
