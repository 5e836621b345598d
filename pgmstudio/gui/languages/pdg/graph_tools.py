"""The steps on a decision graph in the toolbar of its page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from pgmstudio.gui.widgets.actions import ActionRegistry
from pgmstudio.gui.widgets.basic import named

MERGE, SPLIT, IMPROVE = "model.graph.merge", "model.graph.split", "model.graph.improve"


def graph_tools(registry: ActionRegistry, parent: QWidget) -> QWidget:
    """They are the actions of the menu, greyed with them."""
    made = named(QWidget(parent), "graphTools")
    layout = QHBoxLayout(made)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(2)
    for name in (MERGE, SPLIT, IMPROVE):
        action = registry.by_id.get(name)
        if action is None:
            continue
        tool = QToolButton()
        tool.setDefaultAction(action)
        tool.setObjectName(f"tool.{name}")
        tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        tool.setAccessibleName(action.text())
        tool.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout.addWidget(tool)
    return made
