"""The page of a model: toolbar, canvas, and the chip of a model that follows a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QRect, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QCheckBox, QFrame, QVBoxLayout

from pgmstudio.core.drawing.diagram import GraphPicture, Point, Size
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.languages.diagrams import diagram_row, picture_names, picture_of
from pgmstudio.core.model import Model, has_edges
from pgmstudio.core.project.model_edits import EditableStructure
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_strengths import measures_of
from pgmstudio.gui.canvas.layout_worker import (
    METHODS,
    PROCESS_FROM,
    LayoutMaker,
    LayoutQuestion,
    Placed,
    follow_renames,
    placed_beside,
)
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.model_page.controllers import (
    EditController,
    EvidenceController,
    SelectionController,
    StrengthController,
)
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.model_page.node_views import MadeFaces, NodeViewFactory, shared_mode, usual_mode
from pgmstudio.gui.model_page.toolbar import ModelBar
from pgmstudio.gui.navigation import leave_model_page
from pgmstudio.gui.runs.live_model import live_models
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.separation.controller import SeparationController
from pgmstudio.gui.structure.move_search import MovesController
from pgmstudio.gui.structure.unresolved_edges import UnresolvedController
from pgmstudio.gui.theme.icons import icon, language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, Note, hairline, hbox, label, named
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.page import Page

_EDGE = 12
FOLLOW_TIP = "Show each better model of the run. Untick to keep this one."


class BestChip(QFrame):
    """The restart, edges and parameters of the model, with a check box *Follow the run*."""

    def __init__(self, app: AppContext, model_id: str, view: CanvasView) -> None:
        super().__init__(view)
        self.setObjectName("bestChip")
        self.setProperty("role", "card")
        self._view, self._model_id = view, model_id
        self._following = live_models(app)
        self._symbol = IconLabel(icon("sparkle", "accent"))
        self._title = label("Best so far", "heading", size="dense")
        self._message = ElidedLabel("", "secondary", size="dense", is_snug=True)
        self._message.setObjectName("liveModelText")
        self.follow = named(QCheckBox("Follow the run"), "followRun", tip=FOLLOW_TIP)
        self.follow.clicked.connect(self._on_clicked)
        hbox(
            self,
            self._symbol,
            self._title,
            self._message,
            self.follow,
            margins=(10, 2, 6, 2),
            spacing=8,
        )
        self._following.changed.connect(self._on_changed)
        view.installEventFilter(self)
        theme().follow(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the state of the run; hidden once it has ended."""
        follower = self._following.of_model(self._model_id)
        self.setVisible(follower is not None)
        if follower is None:
            self._view.keep_head(0)
            return
        self._title.setText("Best so far" if follower.is_on else "An earlier best")
        message = follower.text()
        more = " · can be edited while the run continues" if follower.is_on else ""
        self._message.setText(message + more)
        self._message.setToolTip(message)
        self.setAccessibleName(f"{self._title.text()}: {message}")
        reason = follower.disabled_reason
        self.follow.setChecked(follower.is_on)
        self.follow.setEnabled(reason is None)
        self.follow.setToolTip(FOLLOW_TIP if reason is None else f"Not now: {reason}")
        self.reposition()

    def reposition(self) -> None:
        """Move to the top left of the canvas, at most as wide as the canvas."""
        wide = min(self.sizeHint().width(), self._view.width() - 2 * _EDGE)
        self.setGeometry(_EDGE, _EDGE, wide, self.sizeHint().height())
        self._view.keep_head(self.height() + 2.0 * _EDGE)

    def _on_clicked(self, on: bool) -> None:
        follower = self._following.of_model(self._model_id)
        if follower is not None:
            follower.switch(on)

    def _on_changed(self, model_id: str) -> None:
        if model_id == self._model_id:
            self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisibleTo(self._view):
            self.reposition()
        return super().eventFilter(watched, event)


def sizes_of(picture: GraphPicture, faces: Mapping[str, NodeView]) -> dict[str, Point]:
    """The width and height of every node with its content."""
    return {node.id: face_size(node, faces[node.id]) for node in picture.nodes}


class KnownLocations:
    """The positions in the layouts of one model; those saved in the project go first."""

    def __init__(self) -> None:
        self._computed: dict[str, dict[str, Point]] = {}
        self._without_edges: set[str] = set()  # layouts computed for a graph without edges

    def positions(
        self, name: str, entry: ModelEntry, picture: GraphPicture, sizes: Mapping[str, Point]
    ) -> dict[str, Point] | None:
        """The position of every node, new ones next to the others; None if most have none.

        A run begins with a model without edges: its rows of nodes suit no graph, so the first
        model with several edges is laid out anew.
        """
        if name in self._without_edges and len(picture.edges) > 1:
            self._without_edges.discard(name)
            self._computed.pop(name, None)
        known = {**self._computed.get(name, {}), **entry.layouts.get(name, {})}
        here = {i: known[i] for i in picture.ids if i in known}
        if len(here) * 2 < len(picture.ids):
            return None
        if len(here) < len(picture.ids):
            here = placed_beside(picture, here, sizes)
            self._computed[name] = {**known, **here}
        return here

    def keep(self, placed: Placed) -> None:
        self._computed[placed.picture_name] = dict(placed.positions)
        if placed.picture.edges:
            self._without_edges.discard(placed.picture_name)
        else:
            self._without_edges.add(placed.picture_name)

    def follow(self, before: Model, after: Model) -> None:
        """Variables were renamed; their positions stay."""
        follow_renames(self._computed, before.domain.names, after.domain.names)


# Beliefs that take longer are greyed while they are computed; a blink of grey would disturb.
STALE_AFTER_MS = 200
# The edit that a diagram must allow for its structure to be edited.
ADD_EDGE = "add_edge"


class StaleTimer(QObject):
    """The time that outdated beliefs may be shown as if they were current; then `ended`."""

    ended = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_over = False
        self._timer = one_shot(self, self._on_time, STALE_AFTER_MS)

    def watch(self, live: BeliefService) -> None:
        """Start while beliefs are being computed, stop once they are up to date."""
        if live.is_stale and live.is_waiting:
            if not self._timer.isActive() and not self.is_over:
                self._timer.start()
        else:
            self._timer.stop()
            self.is_over = False

    def _on_time(self) -> None:
        self.is_over = True
        self.ended.emit()


class ModelPage(Page):
    """The page of one model of the project, whatever its language.

    What a language has of its own comes from `extend`.
    """

    def __init__(
        self,
        app: AppContext,
        model_id: str,
        extend: Callable[[ModelPage], PageExtension] = PageExtension,
    ) -> None:
        super().__init__(f"model:{model_id}")
        self.app = app
        self._app = app
        self._model_id = model_id
        # The model as it is shown; the project may already have a newer one.
        self.entry = app.project.models[model_id]
        self._names = picture_names(self.entry.model)
        self.picture_name = self._names[0]
        self._picture = GraphPicture(())
        self._known = KnownLocations()
        self._made_faces = MadeFaces()
        self._is_layout_chosen = False
        self._is_closed = False
        self.canvas = Canvas()
        self.bar = ModelBar(strengths=measures_of(self.entry.model))
        self.note = Note(level="warning", name="modelNote")
        self.editing = EditController(app, model_id, self.canvas)
        self.asking = EvidenceController(app, model_id, self.canvas)
        self.best_chip = BestChip(app, model_id, self.canvas.view)
        self.separation = SeparationController(app, model_id, self.canvas)
        self.strengths = StrengthController(app, model_id, self.canvas, self.bar)
        self.canvas.view.advise = self.editing.advise
        self.canvas.view.describe_edge = self._describe_edge
        self._table_work = cpt_edit_session(app)
        self._table_work.changed.connect(self.refresh_nodes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.questions = UnresolvedController(app, model_id, self.canvas)
        self.moves = MovesController(app, model_id, self.canvas)
        notes = (self.note, self.strengths.note, self.separation.bar, self.questions.bar)
        self.extension = extend(self)
        self.editing.extension = self.extension
        self.bar.set_diagrams(self.extension.toolbar_diagrams())
        above, below = self.extension.above, self.extension.below
        for widget in (self.bar, hairline(), *above, *notes, self.canvas, *below):
            layout.addWidget(widget)
        self.setFocusProxy(self.canvas)
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_placed)
        self._layouts.failed.connect(app.errors.report)
        self._pictures = LatestTask(self, self._on_picture, app.errors.report)
        self._stale_timer = StaleTimer(self)
        self._stale_timer.ended.connect(self._on_beliefs_changed)
        self.selecting = SelectionController(app, model_id, self)
        self._connect()
        self.show_picture(self._names[0])
        self._on_beliefs_changed(model_id)
        if model_sources(app).is_bootstrap(model_id) and has_edges(self.entry.model):
            self.strengths.choose("bootstrap")
        if self.extension.first_diagram != self.picture_name:
            self.show_picture(self.extension.first_diagram)

    def _connect(self) -> None:
        bar, signals, workspace = self.bar, self.canvas.signals, self._app.workspace
        bar.picture_chosen.connect(self.extension.choose)
        bar.tool_chosen.connect(self.choose_tool)
        bar.mode_chosen.connect(self.set_mode_of_all)
        bar.layout_chosen.connect(self.arrange)
        bar.clear_requested.connect(self.asking.clear_all)
        signals.tool.connect(self.choose_tool)
        self._app.document.changed.connect(self._on_document_changed)
        workspace.beliefs_changed.connect(self._on_beliefs_changed)
        workspace.target_changed.connect(self.refresh_nodes)

    # -- the page among the tabs

    @property
    def title(self) -> str:
        return self.entry.title

    def page_icon(self) -> QIcon:
        return language_icon(self.entry.model.kind)

    @property
    def model_id(self) -> str:
        return self._model_id

    def not_measured_reason(self) -> str | None:
        """Why edge strengths cannot be shown; None when they can."""
        if has_edges(self.entry.model):
            return no_probabilities_reason(self.entry.model)
        return "the width of the lines has another meaning in this diagram."

    @property
    def is_editable(self) -> bool:
        """Whether the structure can be edited in the current diagram."""
        diagram = diagram_row(self.entry.model, self.picture_name)
        allows = diagram is not None and ADD_EDGE in diagram.edits
        return allows and isinstance(self.entry.model, EditableStructure)

    @property
    def shows_structure(self) -> bool:
        """Whether the edges of the current diagram are those of the model."""
        diagram = diagram_row(self.entry.model, self.picture_name)
        return diagram is not None and diagram.is_structure

    @property
    def is_joinable(self) -> bool:
        """Whether edges can be drawn in the current diagram: of a DAG, one tree, a forest."""
        return self.is_editable or self.extension.can_draw_edges(self.picture_name)

    def scene(self) -> CanvasScene:
        return self.canvas.scene

    def legend_entries(self) -> list[LegendEntry]:
        return self.front.legend_entries()

    def selected_rect(self) -> QRect | None:
        selection = self._app.workspace.selection
        return self.front.rect_of(selection.nodes, selection.edges)

    @property
    def front(self) -> Canvas:
        """The canvas that is visible."""
        return self.extension.active_canvas

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        self.front.keep_clear(covered)
        self.extension.avoid(covered)

    def closed(self) -> None:
        self._is_closed = True
        for worker in (self._layouts, self.strengths, self.separation, self.questions, self.canvas):
            worker.stop()
        self.extension.stop()
        self._pictures.forget()

    # -- diagrams

    @property
    def _places_name(self) -> str:
        """The layout of the current diagram."""
        return self.extension.layout_name(self.picture_name)

    def show_picture(self, name: str) -> None:
        """Show a diagram; all but the first, which is quick to make, are made in the background."""
        before, self.picture_name = self._places_name, name
        if self._places_name != before:
            self.canvas.view.keep_fitted()  # start with the whole of another diagram
        self.editing.picture_name = self._places_name
        self.asking.shows_structure = self.shows_structure
        self.questions.show_on(self.is_editable)
        self.moves.show_on(self.is_editable)
        self.bar.show_picture(self.extension.toolbar_diagram(name))
        self._show_editable()
        name = self.extension.open_diagram(name)
        model = self.entry.model
        if name == self._names[0]:
            self._pictures.forget()
            self._on_picture(picture_of(model, name))
        else:
            self._pictures.ask(lambda _cancel: picture_of(model, name))

    def _on_picture(self, picture: GraphPicture) -> None:
        self._picture = self.extension.decorated(picture)
        self._draw()

    def _show_editable(self) -> None:
        reason = self.extension.no_edges_reason
        self.bar.set_editable(self.is_editable, reason, joinable=self.is_joinable)
        self.bar.set_measurable(self.not_measured_reason() is None)
        self.canvas.view.is_editable = self.is_editable
        self.canvas.view.is_joinable = self.is_joinable
        self.bar.set_separable(self.separation.disabled_reason(self.picture_name))
        usable = {"edge": self.is_joinable, "node": self.is_editable}
        if not usable.get(self.canvas.view.tool.name, True):
            self.choose_tool("select")

    def _faces(self, entry: ModelEntry | None = None) -> NodeViewFactory:
        live, target = self.asking.live, self._app.workspace.target
        entry = entry or self.entry
        waiting = self._table_work.stale_in(self._model_id, entry.model, live.evidence)
        return NodeViewFactory(
            entry,
            live,
            target,
            has_waited=self._stale_timer.is_over,
            waiting=waiting,
            blend=self.extension.blend,
            cut=self.extension.cut,
            usual_mode=usual_mode(entry, self.extension.default_mode),
            made=self._made_faces,
        )

    def faces_of(self, picture: GraphPicture) -> dict[str, NodeView]:
        """The current content of each node of a diagram of this model."""
        return self._faces().faces(picture)

    def _show_faces(self) -> None:
        self.canvas.scene.show_faces(self.faces_of(self._picture))
        self.extension.update_beliefs()

    def _draw(self, *, slide: bool = False, placed: Placed | None = None) -> None:
        """Draw the diagram at known positions; ask for a layout if most are not known."""
        picture, name = self._picture, self._places_name
        faces = self._faces().faces(picture)
        sizes = sizes_of(picture, faces)
        here = self._known.positions(name, self.entry, picture, sizes)
        if here is None:
            self._ask_layout(None)
            return
        same = placed is not None and placed.picture is picture and placed.sizes == sizes
        routes = placed.routes if placed is not None and same else None
        self.canvas.scene.show_picture(picture, faces, here, routes=routes, slide=slide)
        self.extension.update_diagram()
        empty = "No nodes yet. Press N to add one where the pointer is."
        self.canvas.show_waiting_text("" if picture.nodes else empty)
        self.canvas.show_strengths(self.canvas.strengths)
        self._show_rules(self._app.project)
        self.selecting.show_selection()
        self.bar.show_mode(self._shared_mode())
        self.strengths.follow()

    @property
    def is_laid_out(self) -> bool:
        """Whether the newest diagram is drawn."""
        return bool(self.canvas.scene.nodes) and not self._layouts.is_busy

    def _ask_layout(self, method: str | None) -> None:
        sizes = sizes_of(self._picture, self._faces().faces(self._picture))
        canvas = self._canvas_size
        self._layouts.ask(LayoutQuestion(self._places_name, self._picture, sizes, method, canvas))
        if not self.canvas.scene.nodes and len(sizes) >= PROCESS_FROM:
            self.canvas.show_waiting_text(f"Arranging {len(sizes)} nodes…")

    @property
    def _canvas_size(self) -> Size:
        """The size of the canvas, before it is shown as the page that is shown now leaves it."""
        view, page = self.canvas.view, self._app.center.page_size
        if self.isVisible() or page is None:
            return view.canvas_size
        return view.canvas_size_in(page.width(), page.height() - theme().px("view_bar"))

    def arrange(self, method: str) -> None:
        """Lay out all nodes again; an undoable step."""
        self._is_layout_chosen = True
        self.bar.show_layout(method)
        self._ask_layout(method)

    def _on_placed(self, placed: Placed) -> None:
        self.canvas.show_waiting_text("")
        chosen, self._is_layout_chosen = self._is_layout_chosen, False
        if placed.picture is not self._picture:
            self._draw()  # the diagram has changed since
            return
        self.bar.show_layout(placed.method)
        if chosen:
            self.canvas.view.keep_fitted()
            self.editing.arrange(METHODS[placed.method], placed.positions)
        else:
            self._known.keep(placed)
            first = not self.canvas.scene.nodes
            self._draw(slide=not first, placed=placed)
            if first:
                self.canvas.view.fit()

    # -- the project

    def _show_rules(self, project: Project) -> None:
        """Constraints and prices of edges are shown where the edges of the model are."""
        if self.shows_structure:
            self.canvas.show_rules(project.knowledge, project.edge_prices)
        else:
            self.canvas.show_rules(Knowledge(), EdgePrices())

    def _on_document_changed(self, before: Project, after: Project) -> None:
        rules = (before.knowledge, before.edge_prices), (after.knowledge, after.edge_prices)
        if rules[0] != rules[1] and not self._is_closed:
            self._show_rules(after)
        entry = after.models.get(self._model_id)
        if entry is self.entry or self._is_closed:
            return
        # After undo and redo an id may belong to a model in another language.
        if entry is None or entry.model.kind != self.entry.model.kind:
            QTimer.singleShot(0, self._leave)
            return
        old, self.entry = self.entry, entry
        if old.title != entry.title:
            self.title_changed.emit()
        if entry.model is not old.model:
            self._known.follow(old.model, entry.model)
            name = self.picture_name
            self.show_picture(self.extension.diagram_after_edit(name))
            self._on_beliefs_changed(self._model_id)
            return
        modes = entry.display_modes != old.display_modes
        if modes and not entry.layouts.get(self._places_name):
            self._show_faces()
            self.bar.show_mode(self._shared_mode())
            self._ask_layout(None)
        else:
            self._draw(slide=True)

    def _leave(self) -> None:
        if not self._is_closed:
            leave_model_page(self._app, self, self._model_id)

    # -- beliefs and evidence

    def _on_beliefs_changed(self, model_id: str | None = None) -> None:
        model_id = model_id or self._model_id  # None: the stale timer has ended
        if model_id != self._model_id or model_id not in self._app.project.models:
            return
        live = self.asking.live
        if live.model is not self.entry.model:
            return  # the project has a newer model, which is drawn next
        self._stale_timer.watch(live)
        if live.error is not None:
            self.note.show_text(str(live.error), "warning")
        else:
            self.note.show_text(live.estimate_note, "info")
        self.bar.show_evidence(len(live.evidence))
        self._show_faces()
        self.canvas.refresh_soon()
        self.strengths.follow()

    def refresh_nodes(self, *_: object) -> None:
        """Update the content of the nodes, after a change of the target or of the edited table."""
        if not self._is_closed and self._model_id in self._app.project.models:
            self._show_faces()

    def _describe_edge(self, source: str, target: str) -> str:
        """The tooltip of an edge: its strength, what its language adds, its note."""
        edge = (source, target)
        texts = (
            self.strengths.tooltip_for(*edge),
            self.extension.describe_edge(*edge),
            self.entry.edge_notes.get(edge),
        )
        return "\n".join(filter(None, texts))

    def _shared_mode(self) -> NodeMode | None:
        usual = usual_mode(self.entry, self.extension.default_mode)
        return shared_mode(self.entry, usual)

    def choose_tool(self, name: str) -> None:
        if name == "separation":
            self.separation.open()
        self.canvas.view.choose_tool(name)
        self.bar.show_tool(name)

    def set_mode_of_all(self, mode: NodeMode) -> None:
        self.set_mode(mode, self.entry.model.domain.names)

    def set_mode(self, mode: NodeMode, nodes: Iterable[str]) -> None:
        """How these nodes are drawn; an undoable step."""
        nodes = tuple(nodes)
        modes = {**self.entry.display_modes, **dict.fromkeys(nodes, mode.value)}
        faces = self._faces(replace(self.entry, display_modes=modes)).faces(self._picture)
        self.editing.set_mode(mode, nodes, sizes_of(self._picture, faces))
