"""The inference session of a tree."""

from __future__ import annotations

from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.tree.model import Tree


class TreeSession(JunctionTreeSession):
    """Inference in a tree, which is its own clique tree; do() follows its stored edges."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree.as_bayesian_network)
