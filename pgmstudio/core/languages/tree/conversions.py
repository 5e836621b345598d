"""Conversions between trees and Bayesian networks."""

from __future__ import annotations

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree


def network_of_tree(tree: Tree) -> BayesianNetwork:
    """Every edge away from the root of its part."""
    return tree.as_bayesian_network


def tree_of_network(network: BayesianNetwork) -> Tree:
    """GraphError names a variable with more than one parent."""
    return Tree.from_bayesian_network(network)
