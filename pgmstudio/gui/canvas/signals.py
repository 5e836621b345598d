"""Signals of a canvas: requests of the user that controllers apply to the project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, Signal

from pgmstudio.gui.canvas.edge_item import EdgeItem
from pgmstudio.gui.canvas.node_item import NodeItem


@dataclass(frozen=True, slots=True)
class Hit:
    """The item under the pointer; `state` only if the rows of the node are drawn."""

    point: QPointF  # in the scene
    node: NodeItem | None = None
    edge: EdgeItem | None = None
    state: int | None = None
    is_on_bar: bool = False

    @property
    def is_impossible(self) -> bool:
        """Whether the state has probability 0."""
        return (
            self.node is not None
            and self.state is not None
            and self.node.face.is_impossible(self.state)
        )


@dataclass(frozen=True, slots=True)
class EdgeAdvice:
    """Advice for an edge that is being drawn; `refusal` is the reason why it cannot be."""

    text: str = ""
    is_warning: bool = False
    refusal: str = ""
    path: tuple[str, ...] = ()  # the cycle it would close, from its target to its source
    forecast: str = ""  # the change of the junction tree; computed in the background
    is_large: bool = False  # the forecast deserves a warning


Adviser = Callable[[str, str], EdgeAdvice]


class CanvasSignals(QObject):
    """The signals of one canvas."""

    select = Signal(object, object)  # node ids, edges
    move = Signal(object)  # point by node id
    add_edge = Signal(str, str)
    add_node = Signal(str, object)  # name, point
    rename = Signal(str, str)  # node id, new name
    delete = Signal()  # the selection
    reverse = Signal()
    copy = Signal()
    cut = Signal()
    paste = Signal(object)  # point or None
    duplicate = Signal()
    click_state = Signal(str, str)  # node id, state
    exclude_state = Signal(str, str)
    toggle_state = Signal(str, str)  # one of several
    likelihood = Signal(str, object)  # node id, weight by state
    clear_evidence = Signal(str)
    do = Signal(str, str)  # node id, state
    do_menu = Signal(str, object)  # node id, global point: choose the state first
    pick = Signal(str, str)  # node id, its role in a separation query
    target = Signal(str)
    open_node = Signal(str)
    menu = Signal(object, object)  # Hit, global point
    refused = Signal(str)  # a message to show at the pointer
    tool = Signal(str)  # "select", "node", "edge", "separation"
    find = Signal()
