"""Hit testing: the node, state row or edge under the pointer, and its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF

from pgmstudio.core.drawing.svg.nodes import percent
from pgmstudio.gui.canvas.edge_item import EdgeItem
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_painter import dot_radius
from pgmstudio.gui.canvas.node_view import Detail, NodeMode
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.theme.theme import theme


def hit_in(scene: CanvasScene, point: QPointF, detail: Detail, pixels_per_unit: float) -> Hit:
    """The hit at a point: nodes before edges, of several the nearest."""
    reach = theme().px("hit_min") / 2 / pixels_per_unit
    area = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
    nodes: list[NodeItem] = []
    edges: list[EdgeItem] = []
    for item in scene.items(area):
        if isinstance(item, NodeItem):
            nodes.append(item)
        elif isinstance(item, EdgeItem):
            edges.append(item)
    nodes = [item for item in nodes if _holds(item, point, detail, reach, pixels_per_unit)]
    if nodes:
        node = min(nodes, key=lambda item: QLineF(item.pos(), point).length())
        return _on_node(node, point, detail)
    near = QRectF(point.x() - 1, point.y() - 1, 2, 2)
    touched = [edge for edge in edges if edge.shape().intersects(near)]
    return Hit(point, edge=touched[0] if touched else None)


def _holds(
    item: NodeItem, point: QPointF, detail: Detail, reach: float, pixels_per_unit: float
) -> bool:
    if detail is Detail.DOT or item.face.mode is NodeMode.DOT:
        radius = max(reach, dot_radius(pixels_per_unit))
        return QLineF(item.pos(), point).length() <= radius
    return item.box.contains(point)


def _on_node(node: NodeItem, point: QPointF, detail: Detail) -> Hit:
    if detail is not Detail.FULL or not node.face.shows_rows:
        return Hit(point, node)
    inside = node.in_box(point)
    state = node.geometry.state_at(inside)
    on_bar = state is not None and node.geometry.is_on_bar(inside)
    return Hit(point, node, state=state, is_on_bar=on_bar)


def tooltip_of(hit: Hit, described: str = "") -> str:
    """The tooltip of a hit, with the `described` text of an edge; "" for the background.

    The tag abbreviates the description and is left out if there is one.
    """
    if hit.edge is not None:
        source, target = hit.edge.ends
        arrow = "→" if hit.edge.edge.style.has_arrow else "–"
        name = f"{source} {arrow} {target}"
        edge = hit.edge.edge
        tag = "" if described and edge.style.has_tag else edge.label
        parts = [name, tag, *(strand.tooltip for strand in edge.strands), described]
        return "\n".join(filter(None, parts))
    if hit.node is None:
        return ""
    face = hit.node.face
    if hit.state is None:
        text = face.title if hit.node.id == face.title else f"{face.title} ({hit.node.id})"
        if face.mode is NodeMode.ENTROPY and face.entropy_bits is not None:
            text += f"\nEntropy {face.entropy_bits:.3f} bits"
        if face.mode is NodeMode.LINE and face.beliefs:
            fractions = zip(face.states, face.beliefs, strict=True)
            text += "".join(f"\n{state} {percent(value)} %" for state, value in fractions)
        text = f"{text}\n{face.note}" if face.note else text
        # A title that can be read in the box needs no tooltip.
        return "" if text == face.title and hit.node.shows_full_title else text
    state = face.states[hit.state]
    text = f"{face.title} = {state}"
    if not face.beliefs:
        return text
    text += f": {percent(face.beliefs[hit.state])} %"
    if face.priors:
        text += f", prior {percent(face.priors[hit.state])} %"
    return (
        f"{text}\nClick sets evidence, Shift excludes, Ctrl allows several, "
        "dragging the bar sets a likelihood."
    )
