"""The multinet of a labelled graph: the graph of each state of one variable, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pgmstudio.core.models.contexts import deciding_variables, vanished_edges
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.pictures.labels import NOWHERE, labelled_picture
from pgmstudio.core.pictures.picture import GraphPicture, NodeShape, PictureEdge, PictureNode

MULTINET = "multinet"


def multinet_variable(model: LabelledDag) -> str:
    """Whose states have a graph each when nobody chose: the one that decides most edges."""
    decides = deciding_variables(model)

    def gone(name: str) -> int:
        place = model.domain.index(name)
        states = range(model.domain[name].cardinality)
        return max(len(vanished_edges(model, {place: code})) for code in states)

    return max(model.domain.names, key=lambda name: (gone(name), name in decides))


def multinet_picture(
    model: LabelledDag, variable: str, context: Mapping[int, int] = NOWHERE
) -> GraphPicture:
    """A panel for each state; all of them have the same places, and the context holds in each."""
    place = model.domain.index(variable)
    nodes: list[PictureNode] = []
    edges: list[PictureEdge] = []
    groups: list[str] = []
    for code, state in enumerate(model.domain[variable].states):
        name = f"{variable} = {state}"
        here = labelled_picture(model, {**context, place: code})
        groups.append(name)
        nodes.append(PictureNode(f"{name}:", name, NodeShape.BOX, group=name))
        nodes += [replace(node, id=f"{name}: {node.id}", group=name) for node in here.nodes]
        edges += [
            replace(edge, source=f"{name}: {edge.source}", target=f"{name}: {edge.target}")
            for edge in here.edges
        ]
    return GraphPicture(tuple(nodes), tuple(edges), tuple(groups), "panels")
