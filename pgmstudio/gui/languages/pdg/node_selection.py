"""The selected node of a decision graph; part of the view, as evidence is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QObject, Signal

from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.model_state import ByModel

NodeKey = tuple[str, int]  # a variable and the number of its node, from 0
_MAX_SEEN = 200  # graphs, as many as anybody takes back
_LEAST = 1e-6  # so that what never happens leads somewhere too


class NodeSelection(QObject):
    """The selected nodes of all models; `changed` emits the model whose selection changed.

    Numbers of nodes change with the graph: the node is remembered, whatever its number.
    """

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        # The chosen node in every graph since it was chosen: taken back, a step gives it back.
        self._chosen: ByModel[list[tuple[DecisionGraph, NodeKey | None]]] = ByModel(app.document)

    def chosen(self, model_id: str) -> NodeKey | None:
        """The chosen node, when the graph still has it."""
        graph, seen = self._graph(model_id), self._chosen.get(model_id)
        if graph is None or not seen:
            return None
        for known, key in reversed(seen):
            if known is graph:
                return key
        before, last = seen[-1]
        key = None if last is None else same_node(before, graph, last)
        seen.append((graph, key))
        del seen[:-_MAX_SEEN]
        return key

    def _graph(self, model_id: str) -> DecisionGraph | None:
        entry = self._app.project.models.get(model_id)
        graph = None if entry is None else entry.model
        return graph if isinstance(graph, DecisionGraph) else None

    def choose(self, model_id: str, key: NodeKey | None) -> None:
        if key == self.chosen(model_id):
            return
        graph = self._graph(model_id)
        self._chosen[model_id] = [] if graph is None else [(graph, key)]
        self.changed.emit(model_id)


def same_node(before: DecisionGraph, after: DecisionGraph, key: NodeKey) -> NodeKey | None:
    """The node of a later graph that most of the cases come to which came to this one.

    None where other variables lead to it: then no node is the same.
    """
    name, node = key
    if after.domain is not before.domain and after.domain != before.domain:
        return None
    i = before.domain.index(name)
    line = _line(before, i)
    if line != _line(after, i) or node >= before.node_counts[i]:
        return None
    # Pairs of nodes that the same cases come to, with how many; all start at the root.
    old, new = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    mass = np.ones(1)
    for upper, lower in pairwise(line):
        theirs, ours = before.successors[lower], after.successors[lower]
        assert theirs is not None
        assert ours is not None
        mass = (mass[:, None] * (before.parameters[upper][old] + _LEAST)).ravel()
        codes = (theirs[old] * after.node_counts[lower] + ours[new]).ravel()
        pairs, positions = np.unique(codes, return_inverse=True)
        mass = np.bincount(positions.ravel(), mass).astype(np.float64)
        old, new = np.divmod(pairs, after.node_counts[lower])
    mine = np.flatnonzero(old == node)
    return (name, int(new[mine[mass[mine].argmax()]])) if mine.size else None


def _line(graph: DecisionGraph, i: int) -> list[int]:
    """From the root down to the variable."""
    line = [i]
    while (above := graph.forest[line[-1]]) is not None:
        line.append(above)
    return line[::-1]


def graph_nodes(app: AppContext) -> NodeSelection:
    """The `NodeSelection` of a window, made on first use."""
    return app.service(NodeSelection)
