"""Steps 4 and 5 of the wizard: a list on the left, the model on the right."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.registry import extended_model_page
from pgmstudio.gui.learning.wizard.edges_panel import LinksPanel
from pgmstudio.gui.learning.wizard.state import LINKS, QUESTIONS, WizardState
from pgmstudio.gui.learning.wizard.unresolved_panel import QuestionsPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import hairline, label, row
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.step_bar import PlainLine

Edge = tuple[str, str]
BESIDE_FROM = 760  # page width (px at 100 %) below which the list is above the model


class ModelSteps(QWidget):
    """Model page beside a list of unresolved edges or edge strengths."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseModel")
        self._app, self._plan = app, plan
        self._step = QUESTIONS
        self.page: ModelPage | None = None
        self._hidden: Collection[Edge] = ()
        self.choice = ChoiceBox("stepwiseModelChoice", "The model to show.")
        self.choice.picked.connect(plan.choose_model)
        self._facts = PlainLine("stepwiseModelFacts")
        self.questions = QuestionsPanel(app, plan)
        self.links = LinksPanel(app)
        self.links.measured.connect(self._on_measured)
        self.links.hidden.connect(self._on_hidden)
        self.links.picked.connect(self._on_edge)
        self._left = QStackedWidget()
        self._left.addWidget(self.questions)
        self._left.addWidget(self.links)
        self._left.setMinimumWidth(round(240 * theme().scale))
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._left)
        self._unseen = QWidget(self)
        self._unseen.hide()
        # Sizes are set when the layout is done.
        self._soon = one_shot(self, self._set_sizes)
        head = row(label("Model", "secondary"), self.choice, self._facts)
        head.setContentsMargins(16, 8, 16, 8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(hairline())
        layout.addWidget(self._split, 1)
        self.setFocusProxy(self.choice)

    def show_step(self, step: int) -> None:
        """Show the unresolved edges or the edge strengths."""
        self._step = step
        self._left.setCurrentWidget(self.questions if step == QUESTIONS else self.links)
        self.refresh()

    def refresh(self) -> None:
        """Update to the current model."""
        plan = self._plan
        self.choice.show_choices(plan.models(), plan.model_id)
        self._refresh_facts()
        if plan.model_id is None:
            self.leave()
            return
        if self.page is None or self.page.model_id != plan.model_id:
            self._open(plan.model_id)
        assert self.page is not None
        on_links = self._step == LINKS
        self.links.show_model(plan.model_id if on_links else None)
        if not on_links:
            self.questions.refresh_soon()
            self.page.questions.open()
            self._on_measured(None)
            self._on_hidden(())
        else:
            self.page.questions.shut()

    def _refresh_facts(self) -> None:
        entry = self._app.project.models.get(self._plan.model_id or "")
        run = None if entry is None else self._app.project.runs.get(entry.run_id or "")
        edited = ", edited" if entry is not None and entry.is_edited and run else ""
        made = "" if entry is None else "drawn manually" if run is None else f"learned{edited}"
        self._facts.setText(made)

    def _open(self, model_id: str) -> None:
        self.leave()
        self.page = extended_model_page(self._app, model_id)
        self.page.setObjectName("stepwiseGraph")
        self.page.bar.hide()
        self.page.questions.bar.setParent(self._unseen)  # shown in the list
        self._split.addWidget(self.page)
        self.page.setMinimumSize(round(280 * theme().scale), round(200 * theme().scale))
        self.page.scene().contents_changed.connect(self._apply_hidden)
        self._split.setStretchFactor(0, 0)
        self._split.setStretchFactor(1, 1)
        self._turn()
        self._soon.start()
        self.questions.show_model(model_id, self.page.questions)

    def leave(self) -> None:
        """Close the shown model."""
        self.questions.leave()
        page, self.page = self.page, None
        if page is not None:
            page.closed()
            page.questions.bar.setParent(page)  # deleted with its page
            page.hide()
            page.setParent(None)
            page.deleteLater()

    def stop(self) -> None:
        """Cancel background work when the page is closed."""
        self.leave()
        self.links.stop()

    # -- the canvas

    def _on_measured(self, strengths: Strengths | None) -> None:
        if self.page is not None:
            self.page.canvas.show_strengths(strengths)

    def _on_hidden(self, edges: Collection[Edge]) -> None:
        self._hidden = edges
        self._apply_hidden()

    def _apply_hidden(self) -> None:
        if self.page is not None:
            for ends, item in self.page.scene().edges.items():
                item.setVisible(ends not in self._hidden)

    def _on_edge(self, edge: Edge) -> None:
        if self.page is not None:
            self._app.workspace.select((), (edge,))
            self.page.scene().show_selection((), (edge,))

    # -- layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        ways = Qt.Orientation
        wide = self.width() >= BESIDE_FROM * theme().scale
        orientation = ways.Horizontal if wide else ways.Vertical
        if self._split.orientation() != orientation:
            self._split.setOrientation(orientation)
            self._soon.start()

    def _set_sizes(self) -> None:
        """Give the list two fifths of the width; the user can drag the splitter."""
        across = self._split.orientation() == Qt.Orientation.Horizontal
        whole = self._split.width() if across else self._split.height()
        self._split.setSizes([whole * 2 // 5, whole * 3 // 5])
