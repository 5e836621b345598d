"""Conversions of models in other languages to probabilistic decision graphs."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.from_network import compiled_graph
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.reduction import graph_of_joint, reduced
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import Model

# Maximum joint states of a mixture with hidden component, all of which are enumerated.
MAX_STATES = 2**16


def graph_of_network(network: BayesianNetwork) -> DecisionGraph:
    """Through its clique tree, with equal nodes made one."""
    return reduced(compiled_graph(network))


def graph_of_tree(tree: Tree) -> DecisionGraph:
    """The forest of variables is the tree; a node for every state of the variable above."""
    cards = tree.domain.cardinalities
    rows = [1 if above is None else cards[above] for above in tree.parents]
    parameters = tuple(
        table.reshape(count, -1) for table, count in zip(tree.tables, rows, strict=True)
    )
    successors = tuple(
        None if above is None else np.tile(np.arange(cards[above]), (rows[above], 1))
        for above in tree.parents
    )
    return reduced(DecisionGraph(tree.domain, tree.parents, parameters, successors))


def graph_of_components(model: ComponentModel) -> DecisionGraph:
    """Through its network where the component is observed; else by listing every joint state."""
    if model.choice is not None:
        return graph_through_network(model)
    domain, states = model.domain, model.domain.joint_states()
    if states > MAX_STATES:
        raise TooLargeError(
            f"A mixture whose component is hidden becomes a decision graph by looking at all its "
            f"joint states: {count_text(states)}, where {MAX_STATES:,} are possible. Make a "
            "Bayesian network of it instead, or leave out variables."
        )
    codes = np.indices(domain.cardinalities).reshape(len(domain), -1)
    rows = DataSet(domain, codes.astype(code_dtype(domain)))
    return graph_of_joint(domain, np.exp2(model.log2_probabilities(rows)))


def graph_through_network(model: Model) -> DecisionGraph:
    """Through the model's Bayesian network."""
    return graph_of_network(through_network(model))


def graph_of_tree_network(network: BayesianNetwork) -> DecisionGraph:
    """A network in which every variable has one parent at most."""
    return graph_of_tree(Tree.from_bayesian_network(network))
