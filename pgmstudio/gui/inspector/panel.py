"""The inspector panel: facts about the selection of the active model."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from pgmstudio.core.analysis.belief_query import Standing
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.evidence.active_model import data_around, subject_around
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.languages.registry import ElementInspector, language_view
from pgmstudio.gui.runs.live_model import live_models
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import empty_state, lay_out_now, vbox
from pgmstudio.gui.widgets.debounce import BeforePaint

if TYPE_CHECKING:
    from pgmstudio.gui.inspector.data import DataInspector
    from pgmstudio.gui.inspector.edge import EdgeInspector
    from pgmstudio.gui.inspector.joint import JointInspector
    from pgmstudio.gui.inspector.model import ModelInspector
    from pgmstudio.gui.inspector.node import NodeInspector
    from pgmstudio.gui.inspector.run import PlanInspector, RunInspector

Page = TypeVar("Page", bound=QWidget)


@runtime_checkable
class HoldsText(Protocol):
    """A page with text fields."""

    def commit(self) -> None:
        """Save the typed text."""


class InspectorPanel(QFrame):
    """One variable, one edge, several variables, a run, or the model itself; else the data.

    Each has a page of its own, made when it is first needed: a start needs none of them.
    """

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("inspector")
        self.setProperty("role", "surface")
        self._app = app
        self.empty = empty_state("Open a model or a data set to see its properties here.")
        self.empty.setObjectName("inspectorEmpty")
        self._asked_run: LearningRun | None = None  # clicked after the last change of the selection
        self._standing: Standing | None = None  # of the active model, when the run was clicked
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        vbox(self, self._pages)
        self._soon = BeforePaint(self, self._refresh_whole)
        workspace = app.workspace
        app.document.changed.connect(self._later)
        workspace.active_model_changed.connect(self._on_other_subject)
        workspace.selection_changed.connect(self._on_other_subject)
        workspace.runs.looked_at_changed.connect(self._on_looked_at)
        workspace.runs.run_ended.connect(self._later)
        app.center.page_changed.connect(self._on_other_subject)
        app.center.facts_changed.connect(self._later)
        cpt_edit_session(app).changed.connect(self._later)
        self._following = live_models(app)
        self._following.changed.connect(self._on_following)
        self._elements: dict[str, ElementInspector | None] = {}  # by the kind of the language
        workspace.beliefs_changed.connect(self._on_beliefs)
        workspace.target_changed.connect(self._later)
        theme().changed.connect(self._on_theme)
        self._on_theme()
        self._refresh()

    @cached_property
    def node(self) -> NodeInspector:
        """The page of one variable."""
        from pgmstudio.gui.inspector.node import NodeInspector

        return self._added(NodeInspector(self._app))

    @cached_property
    def edge(self) -> EdgeInspector:
        """The page of one edge."""
        from pgmstudio.gui.inspector.edge import EdgeInspector

        return self._added(EdgeInspector(self._app))

    @cached_property
    def joint(self) -> JointInspector:
        """The page of several variables."""
        from pgmstudio.gui.inspector.joint import JointInspector

        return self._added(JointInspector(self._app))

    @cached_property
    def model(self) -> ModelInspector:
        """The page of the model itself."""
        from pgmstudio.gui.inspector.model import ModelInspector

        return self._added(ModelInspector(self._app))

    @cached_property
    def run(self) -> RunInspector:
        """The page of a run."""
        from pgmstudio.gui.inspector.run import RunInspector

        return self._added(RunInspector(self._app))

    @cached_property
    def plan(self) -> PlanInspector:
        """The page of a run that could be started."""
        from pgmstudio.gui.inspector.run import PlanInspector

        return self._added(PlanInspector(self._app))

    @cached_property
    def data(self) -> DataInspector:
        """The page of a data set."""
        from pgmstudio.gui.inspector.data import DataInspector

        return self._added(DataInspector(self._app))

    def _added(self, page: Page) -> Page:
        self._pages.addWidget(page)
        return page

    def _later(self, *_: object) -> None:
        self._soon.start()

    def _on_other_subject(self, *_: object) -> None:
        self._asked_run = None
        self._later()

    def _on_looked_at(self, run: LearningRun | None) -> None:
        live = self._app.workspace.active_beliefs
        self._asked_run, self._standing = run, None if live is None else live.standing
        self._later()

    def _on_beliefs(self, model_id: str) -> None:
        """Setting evidence leads back from a run to the model."""
        workspace = self._app.workspace
        live = workspace.active_beliefs if model_id == workspace.model_id else None
        if live is not None and live.standing != self._standing:
            self._asked_run = None
        self._later()

    def _on_following(self, model_id: str) -> None:
        is_shown = self._pages.currentWidget() is self.__dict__.get("run")
        if model_id == self._app.workspace.model_id and is_shown != (self._run() is not None):
            self._later()

    def _run(self) -> LearningRun | None:
        """The run to show: the clicked one, that of the active model, or a run without a model."""
        workspace = self._app.workspace
        if self._asked_run is not None and self._asked_run in workspace.runs.runs:
            return self._asked_run
        if workspace.model_id is None:
            run = workspace.runs.looked_at
            return run if run is not None and not run.state.is_end else None
        follower = self._following.of_model(workspace.model_id)
        return None if follower is None else follower.run

    def _on_theme(self) -> None:
        self.setMinimumWidth(theme().px("right_min"))
        self._later()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._later()

    def _refresh_whole(self) -> None:
        self._refresh()
        if self.isVisible():
            lay_out_now()

    def _refresh(self) -> None:
        """Show the page of the selection; a hidden panel is filled when it is shown."""
        page = self._app.center.current
        own = None if page is None else page.inspector()
        if own is not None:
            if self._pages.indexOf(own) < 0:
                self._pages.addWidget(own)
            self._show(own)
            return
        subject = subject_around(self._app)
        data_id = data_around(self._app) if subject is None else None
        chosen, run = self._app.workspace.selection, self._run()
        is_about_run = run is not None and (self._asked_run is run or not any_of(chosen))
        if run is None and subject is None and data_id is None:
            self._show(self.empty)
            return
        if not self.isVisible():
            return
        if run is not None and is_about_run:
            self._show(self.run)
            self.run.show_run(run)
            return
        page = self._app.center.current
        plan = page.about_run() if page is not None else None
        if plan is not None:
            self._show(self.plan)
            self.plan.show_plan(plan)
            return
        if subject is None:
            assert data_id is not None
            self._show(self.data)
            self.data.show_data(data_id, self._app.project.data[data_id])
            return
        domain = subject.model.domain
        nodes = tuple(name for name in chosen.nodes if name in domain)
        edges = [edge for edge in chosen.edges if edge in subject.edges]
        element = self._element_page(subject.model.kind) if len(nodes) == 1 else None
        if element is not None and element.show_element(subject, nodes[0]):
            assert isinstance(element, QWidget)
            self._show(element)
        elif len(nodes) == 1:
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

    def _element_page(self, kind: str) -> ElementInspector | None:
        """The inspector of what only this language has, such as a node of a decision graph."""
        if kind not in self._elements:
            factory = language_view(kind).element_inspector
            made = None if factory is None else factory.load()(self._app)
            self._elements[kind] = made
            if made is not None:
                made.changed.connect(self._later)
                assert isinstance(made, QWidget)
                self._pages.addWidget(made)
        return self._elements[kind]

    def _show(self, page: QWidget) -> None:
        before = self._pages.currentWidget()
        if before is page:
            return
        if isinstance(before, HoldsText):
            before.commit()
        self._pages.setCurrentWidget(page)


def any_of(selection: Selection) -> bool:
    """Whether anything is selected."""
    return bool(selection.nodes or selection.edges)
