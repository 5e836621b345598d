"""The menu of states a variable can be set to from outside."""

from __future__ import annotations

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.widgets import literal
from pgmstudio.gui.views.canvas import Canvas
from pgmstudio.gui.views.node_face import NodeFace


def do_menu(face: NodeFace, node: str, canvas: Canvas, parent: QWidget, why_not: str = "") -> QMenu:
    """Every state, also one that never happens by itself; the one that is set has a tick."""
    menu = QMenu("Do", parent)
    menu.setObjectName("menu.do")
    menu.setIcon(icon("lock-simple"))
    menu.setToolTipsVisible(True)
    menu.menuAction().setToolTip(
        f"Not now: {why_not}" if why_not else "Set it from outside; its parents have no say then."
    )
    menu.setEnabled(not why_not)
    group = QActionGroup(menu)
    mark = face.mark
    for state in face.states:
        action = menu.addAction(literal(f"do = {state}"))
        action.setObjectName(f"menu.do.{state}")
        action.setCheckable(True)
        action.setChecked(mark is not None and mark.is_done and mark.chosen == state)
        action.setToolTip(f"Set {face.title} to {state} from outside.")
        action.triggered.connect(lambda _=False, state=state: canvas.wishes.do.emit(node, state))
        group.addAction(action)
    return menu
