"""The inspector: follows the selection of the model in view."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.panels.inspector_edge import EdgeInspector
from pgmstudio.gui.panels.inspector_joint import JointInspector
from pgmstudio.gui.panels.inspector_model import ModelInspector
from pgmstudio.gui.panels.inspector_node import NodeInspector
from pgmstudio.gui.panels.subject import subject_in_view
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import empty_state


class InspectorPanel(QFrame):
    """One variable, one edge, several variables, or the model itself."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setObjectName("inspector")
        self.setProperty("role", "surface")
        self._shell = shell
        self.empty = empty_state("Facts about the model in view and its selection stand here.")
        self.empty.setObjectName("inspectorEmpty")
        self.node = NodeInspector(shell)
        self.edge = EdgeInspector(shell)
        self.joint = JointInspector(shell)
        self.model = ModelInspector(shell)
        self._pages = QStackedWidget()
        for page in (self.empty, self.node, self.edge, self.joint, self.model):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._refresh)
        bench = shell.bench
        shell.document.changed.connect(self._later)
        bench.model_in_view_changed.connect(self._later)
        bench.selection_changed.connect(self._later)
        bench.beliefs_changed.connect(self._later)
        bench.target_changed.connect(self._later)
        theme().changed.connect(self._on_theme)
        self._on_theme()
        self._refresh()

    def _later(self, *_: object) -> None:
        self._soon.start()

    def _on_theme(self) -> None:
        self.setMinimumWidth(theme().px("right_min"))
        self._later()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._later()

    def _refresh(self) -> None:
        """Hidden panels cost nothing; they are filled when they are shown."""
        subject = subject_in_view(self._shell)
        if subject is None:
            self._show(self.empty)
            return
        if not self.isVisible():
            return
        chosen = self._shell.bench.selection
        domain = subject.model.domain
        nodes = tuple(name for name in chosen.nodes if name in domain)
        edges = [edge for edge in chosen.edges if edge in subject.edges]
        if len(nodes) == 1:
            self._show(self.node)
            self.node.show_node(subject, nodes[0])
        elif nodes:
            self._show(self.joint)
            self.joint.show_nodes(subject, nodes)
        elif len(edges) == 1:
            self._show(self.edge)
            self.edge.show_edge(subject, edges[0])
        else:
            self._show(self.model)
            self.model.show_model(subject)

    def _show(self, page: QWidget) -> None:
        before = self._pages.currentWidget()
        if before is page:
            return
        if isinstance(before, NodeInspector | EdgeInspector | ModelInspector):
            before.commit()
        self._pages.setCurrentWidget(page)
