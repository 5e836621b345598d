"""The entry of context menus that asks why there is an edge, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.widgets import literal
from pgmstudio.gui.views.wishes import Hit

if TYPE_CHECKING:
    from pgmstudio.gui.pages.model_page import ModelPage


def add_why(menu: QMenu, page: ModelPage, hit: Hit) -> None:
    """On an edge, or on one of two selected nodes: why (not) this edge."""
    nodes = page.scene().selected_nodes
    if hit.node is None and hit.edge is not None:
        text = "Why this edge?"
    elif hit.node is not None and len(nodes) == 2 and hit.node.id in nodes:
        text = f"Why (not) an edge {nodes[0]} – {nodes[1]}?"
    else:
        return
    menu.addSeparator()
    action = menu.addAction(icon("question"), literal(text))
    action.setObjectName("menu.why")
    action.setToolTip("Scores, tests, rules and searches, in the inspector.")
    action.triggered.connect(page.selecting.ask_why)
