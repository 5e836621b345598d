"""Which node of a decision graph is looked at; belongs to the view, as evidence does."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.gui.app.shell import Shell

NodeKey = tuple[str, int]  # a variable and the number of its node, from 0


class GraphNodes(QObject):
    """One for a shell; `changed` tells the model another node of which is chosen."""

    changed = Signal(str)

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._chosen: dict[str, NodeKey] = {}

    def chosen(self, model_id: str) -> NodeKey | None:
        """The chosen node, when the graph still has it and its variable is selected."""
        key = self._chosen.get(model_id)
        entry = self._shell.project.models.get(model_id)
        graph = None if entry is None else entry.model
        if key is None or not isinstance(graph, DecisionGraph) or key[0] not in graph.domain:
            return None
        return key if key[1] < graph.node_counts[graph.domain.index(key[0])] else None

    def chosen_number(self, model_id: str, variable: str) -> int | None:
        """The number of the node that was chosen, if it is one of the variable; the graph may
        have fewer by now."""
        key = self._chosen.get(model_id)
        return None if key is None or key[0] != variable else key[1]

    def choose(self, model_id: str, key: NodeKey | None) -> None:
        if key == self._chosen.get(model_id):
            return
        if key is None:
            self._chosen.pop(model_id, None)
        else:
            self._chosen[model_id] = key
        self.changed.emit(model_id)


def graph_nodes(shell: Shell) -> GraphNodes:
    """The one of a shell, made at the first asking."""
    found = shell.findChild(GraphNodes)
    return found if isinstance(found, GraphNodes) else GraphNodes(shell)
