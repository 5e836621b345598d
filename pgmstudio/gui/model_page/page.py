"""The page of a model: its pictures on a canvas, edited, arranged and asked there.

How long old beliefs are shown as if they were new: a blink of grey would only disturb.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QRect, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.diagrams import picture_names, picture_of
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.project.model_edits import EditableStructure
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layout_worker import (
    METHODS,
    PROCESS_FROM,
    LayoutMaker,
    LayoutQuestion,
    Placed,
)
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.evidence.belief_service import BeliefService
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.ldag.multinet import MultinetController
from pgmstudio.gui.languages.pdg.view import in_place, pdg_controller
from pgmstudio.gui.languages.tree_mixture.component_controller import ComponentController
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.small_multiples import SmallMultiplesController
from pgmstudio.gui.languages.tree_mixture.view import bar_name, bar_pictures, own_pictures
from pgmstudio.gui.model_page.edge_strength_controller import StrengthController
from pgmstudio.gui.model_page.edit_controller import EditController
from pgmstudio.gui.model_page.evidence_controller import EvidenceController
from pgmstudio.gui.model_page.layout_store import OWN_PLACES, KnownLocations, sizes_of
from pgmstudio.gui.model_page.live_model_chip import BestChip
from pgmstudio.gui.model_page.node_views import NodeViewFactory, shared_mode
from pgmstudio.gui.model_page.selection_controller import SelectionController
from pgmstudio.gui.model_page.toolbar import ModelBar
from pgmstudio.gui.separation.controller import SeparationController
from pgmstudio.gui.structure.move_search import MovesController
from pgmstudio.gui.structure.unresolved_edges import UnresolvedController
from pgmstudio.gui.theme.icons import language_icon
from pgmstudio.gui.widgets.basic import Note, hairline
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.app_context import AppContext

# Beliefs that take longer are greyed while they are computed.
STALE_AFTER_MS = 200


class StaleTimer(QObject):
    """`ended` when beliefs have been waited for so long that they are called stale."""

    ended = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_over = False
        self._timer = one_shot(self, self._on_time, STALE_AFTER_MS)

    def watch(self, live: BeliefService) -> None:
        """Begin to wait, go on waiting, or be content."""
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
    """Shows one model of the project; the document tells when it is another."""

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"model:{model_id}")
        self._app, self._model_id = app, model_id
        self._entry = app.project.models[model_id]
        self._names = picture_names(self._entry.model)
        component_views(app).changed.connect(self._on_components)
        self._picture_name = self._names[0]
        self._picture = GraphPicture(())
        self._known = KnownLocations()
        self._is_layout_chosen = self._is_closed = False
        self.canvas = Canvas()
        self.bar = ModelBar(bar_pictures(self._entry.model))
        self.note = Note(level="warning", name="modelNote")
        self.editing = EditController(app, model_id, self.canvas)
        self.asking = EvidenceController(app, model_id, self.canvas)
        self.best_chip = BestChip(app, model_id, self.canvas.view)
        self.separation = SeparationController(app, model_id, self.canvas)
        self.strengths = StrengthController(app, model_id, self.canvas, self.bar)
        self.canvas.view.advise = self.editing.advise
        self.canvas.view.describe_edge = self._describe_edge
        self._table_work = cpt_edit_session(app)
        self._table_work.changed.connect(self._on_faces)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.questions = UnresolvedController(app, model_id, self.canvas)
        self.moves = MovesController(app, model_id, self.canvas)
        notes = (self.note, self.strengths.note, self.separation.bar, self.questions.bar)
        self.trees = own_pictures(app, model_id, self)
        self.bands = pdg_controller(app, model_id, self)
        own = self.trees
        above, below = ((), in_place(self.bands)) if own is None else (own.above, own.below)
        for widget in (self.bar, hairline(), *above, *notes, self.canvas, *below):
            layout.addWidget(widget)
        self.setFocusProxy(self.canvas)
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_placed)
        self._layouts.failed.connect(app.errors.report)
        self._pictures = LatestTask(self)
        self._pictures.answered.connect(self._on_picture)
        self._pictures.failed.connect(app.errors.report)
        self._patience = StaleTimer(self)
        self._patience.ended.connect(self._on_beliefs_changed)
        self.selecting = SelectionController(app, model_id, self)
        self._connect()
        from pgmstudio.gui.model_page.actions import keep_to_canvas

        keep_to_canvas(app.book)
        self.show_picture(self._names[0])
        self._on_beliefs_changed(model_id)
        if self.components is not None and self.components.picture_name != self._picture_name:
            self.show_picture(self.components.picture_name)

    def _connect(self) -> None:
        bar, signals, workspace = self.bar, self.canvas.signals, self._app.workspace
        bar.picture_chosen.connect(self.show_picture if self.trees is None else self.trees.choose)
        bar.tool_chosen.connect(self.choose_tool)
        bar.mode_chosen.connect(self.set_mode_of_all)
        bar.layout_chosen.connect(self.arrange)
        bar.clear_requested.connect(self.asking.clear_all)
        signals.tool.connect(self.choose_tool)
        self._app.document.changed.connect(self._on_document_changed)
        workspace.beliefs_changed.connect(self._on_beliefs_changed)
        workspace.target_changed.connect(self._on_faces)

    # -- what others ask of the page

    @property
    def title(self) -> str:
        return self._entry.title

    def page_icon(self) -> QIcon:
        return language_icon(self._entry.model.kind)

    @property
    def model_id(self) -> str | None:
        return self._model_id

    @property
    def entry(self) -> ModelEntry:
        """What the page shows; the project may be a moment ahead."""
        return self._entry

    @property
    def picture_name(self) -> str:
        return self._picture_name

    def not_measured_reason(self) -> str | None:
        """Why the widths of edges cannot be chosen; None when they can."""
        if isinstance(self._entry.model, DirectedModel):
            return None
        return "the lines of this picture have widths of their own."

    @property
    def is_editable(self) -> bool:
        """The structure can be changed in the picture in view."""
        is_graph = self._picture_name in ("dag", "labels")
        return is_graph and isinstance(self._entry.model, EditableStructure)

    @property
    def is_joinable(self) -> bool:
        """Edges can be drawn in the picture in view: in a DAG, one tree of a mixture, a forest."""
        own = self.trees or self.bands
        return self.is_editable or (own is not None and own.is_joinable(self._picture_name))

    @property
    def components(self) -> ComponentController | None:
        """The trees of a mixture; None for other languages."""
        return None if self.trees is None else self.trees.components

    @property
    def side(self) -> SmallMultiplesController | MultinetController | None:
        return None if self.trees is None else self.trees.side

    def scene(self) -> CanvasScene:
        return self.canvas.scene

    def legend_entries(self) -> list[LegendEntry]:
        return self.front.legend_entries()

    def selected_place(self) -> QRect | None:
        return self.front.place_of(self._app.workspace.selection.nodes)

    @property
    def front(self) -> Canvas:
        """The canvas that is looked at: bands may stand in its place."""
        return self.canvas if self.bands is None or not self.bands.is_open else self.bands.canvas

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        self.front.keep_clear(covered)
        if self.components is not None:
            self.components.keep_clear(covered)

    def closed(self) -> None:
        self._is_closed = True
        for worker in (self._layouts, self.strengths, self.separation, self.questions, self.canvas):
            worker.stop()
        for own in (self.trees, self.bands):
            if own is not None:
                own.stop()
        self._pictures.forget()

    # -- pictures

    @property
    def _places_name(self) -> str:
        """Whose places the picture in view has: all trees of a mixture share them."""
        is_own = self.trees is None or self._picture_name in OWN_PLACES
        return self._picture_name if is_own else self._names[0]

    def show_picture(self, name: str) -> None:
        """Another picture of the same model; the one shown on opening is quick to make."""
        before, self._picture_name = self._places_name, name
        if self._places_name != before:
            self.canvas.view.keep_fitted()  # another picture is looked at as a whole first
        self.editing.picture_name = self._places_name
        self.questions.show_on(name)
        self.moves.show_on(name)
        self.bar.show_picture(bar_name(name))
        self._show_editable()
        for own in (self.trees, self.bands):
            name = name if own is None else own.shown(name)
        model = self._entry.model
        if name == self._names[0]:
            self._pictures.forget()
            self._on_picture(picture_of(model, name))
        else:
            self._pictures.ask(lambda _cancel: picture_of(model, name))

    def _on_picture(self, picture: GraphPicture) -> None:
        self._picture = picture if self.trees is None else self.trees.dressed(picture)
        self._draw()

    def _show_editable(self) -> None:
        disabled_reason = "edges are drawn in the DAG of a Bayesian network."
        if self.components is not None:
            disabled_reason = "show one tree alone: click its card."
        self.bar.set_editable(self.is_editable, disabled_reason, joinable=self.is_joinable)
        self.bar.set_measurable(self.not_measured_reason() or "")
        self.canvas.view.is_editable = self.is_editable
        self.canvas.view.is_joinable = self.is_joinable
        self.bar.set_separable(self.separation.disabled_reason(self._picture_name))
        usable = {"edge": self.is_joinable, "node": self.is_editable}
        if not usable.get(self.canvas.view.tool.name, True):
            self.choose_tool("select")

    def _faces(self, entry: ModelEntry | None = None) -> NodeViewFactory:
        live, target = self.asking.live, self._app.workspace.target
        entry = entry or self._entry
        waiting = self._table_work.stale_in(self._model_id, entry.model, live.evidence)
        blend = component_views(self._app).blend(self._model_id)
        return NodeViewFactory(entry, live, target, self._patience.is_over, waiting, blend)

    def faces_of(self, picture: GraphPicture) -> dict[str, NodeView]:
        """What a picture of this model shows of each node at this moment."""
        return self._faces().faces(picture)

    def _show_faces(self) -> None:
        self.canvas.scene.show_faces(self.faces_of(self._picture))
        if self.bands is not None:
            self.bands.follow()
        if self.side is not None:
            self.side.show_faces()

    def _draw(self, *, slide: bool = False, placed: Placed | None = None) -> None:
        """Show the picture with the places that are known; ask for a layout when most are not."""
        picture, name = self._picture, self._places_name
        faces = self._faces().faces(picture)
        sizes = sizes_of(picture, faces)
        here = self._known.places(name, self._entry, picture, sizes)
        if here is None:
            self._ask_layout(None)
            return
        same = placed is not None and placed.picture is picture and placed.sizes == sizes
        routes = placed.routes if placed is not None and same else None
        self.canvas.scene.show_picture(picture, faces, here, routes=routes, slide=slide)
        if self.side is not None:
            self.side.follow()
        empty = "No nodes yet. Press N to add one where the pointer is."
        self.canvas.tell_waiting("" if picture.nodes else empty)
        self.canvas.show_strengths(self.canvas.strengths)
        self._show_rules(self._app.project.knowledge)
        self.selecting.show_selection()
        self.bar.show_mode(shared_mode(self._entry))
        self.strengths.follow()

    def _ask_layout(self, method: str | None) -> None:
        sizes = sizes_of(self._picture, self._faces().faces(self._picture))
        self._layouts.ask(LayoutQuestion(self._places_name, self._picture, sizes, method))
        if not self.canvas.scene.nodes and len(sizes) >= PROCESS_FROM:
            self.canvas.tell_waiting(f"Arranging {len(sizes)} nodes…")

    def arrange(self, method: str) -> None:
        """Lay out all nodes afresh; an undoable step."""
        self._is_layout_chosen = True
        self.bar.show_layout(method)
        self._ask_layout(method)

    def _on_placed(self, placed: Placed) -> None:
        self.canvas.tell_waiting("")
        chosen, self._is_layout_chosen = self._is_layout_chosen, False
        if placed.picture is not self._picture:
            self._draw()  # the picture has changed meanwhile
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

    def _show_rules(self, knowledge: Knowledge) -> None:
        """Rules are about variables: pictures of anything else show none."""
        about_variables = self._picture_name in ("dag", "tree", "labels")
        self.canvas.show_rules(knowledge if about_variables else Knowledge())

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before.knowledge is not after.knowledge and not self._is_closed:
            self._show_rules(after.knowledge)
        entry = after.models.get(self._model_id)
        if entry is self._entry or self._is_closed:
            return
        # Undone and done again, an id can be of a model in another language.
        if entry is None or entry.model.kind != self._entry.model.kind:
            QTimer.singleShot(0, self._leave)
            return
        old, self._entry = self._entry, entry
        if old.title != entry.title:
            self.title_changed.emit()
        if entry.model is not old.model:
            self._known.follow(old.model, entry.model)
            name = self._picture_name
            self.show_picture(name if self.trees is None else self.trees.follow(name))
            self._on_beliefs_changed(self._model_id)
            return
        modes = entry.display_modes != old.display_modes
        if modes and not entry.layouts.get(self._places_name):
            self._show_faces()
            self.bar.show_mode(shared_mode(entry))
            self._ask_layout(None)
        else:
            self._draw(slide=True)

    def _leave(self) -> None:
        from pgmstudio.gui.files.opening import leave_model_page

        if not self._is_closed:
            leave_model_page(self._app, self, self._model_id)

    # -- beliefs and evidence

    def _on_beliefs_changed(self, model_id: str | None = None) -> None:
        model_id = model_id or self._model_id  # none: those in view have been waited for
        if model_id != self._model_id or model_id not in self._app.project.models:
            return
        live = self.asking.live
        if live.model is not self._entry.model:
            return  # the project has a new model, which will be drawn in a moment
        self._patience.watch(live)
        self.note.tell("" if live.error is None else str(live.error))
        self.bar.show_evidence(len(live.evidence))
        self._show_faces()
        self.canvas.refresh_soon()
        self.strengths.follow()

    def _on_components(self, model_id: str) -> None:
        """The slider between prior and posterior has moved."""
        if model_id == self._model_id and not self._is_closed:
            self._show_faces()

    def _on_faces(self, *_: object) -> None:
        """Another target; or a table being edited makes beliefs wait, or they can go on."""
        if not self._is_closed:
            self._show_faces()

    def _describe_edge(self, source: str, target: str) -> str:
        """Its strength and what was noted about it."""
        edge = (source, target)
        trees = self.trees.describe_edge(*edge) if self.trees else ""
        words = (self.strengths.words_for(*edge), trees, self._entry.edge_notes.get(edge))
        return "\n".join(filter(None, words))

    def choose_tool(self, name: str) -> None:
        if name == "separation":
            self.separation.open()
        self.canvas.view.choose_tool(name)
        self.bar.show_tool(name)

    def set_mode_of_all(self, mode: NodeMode) -> None:
        self.set_mode(mode, self._entry.model.domain.names)

    def set_mode(self, mode: NodeMode, nodes: Iterable[str]) -> None:
        """How these nodes are drawn; an undoable step."""
        nodes = tuple(nodes)
        modes = {**self._entry.display_modes, **dict.fromkeys(nodes, mode.value)}
        faces = self._faces(replace(self._entry, display_modes=modes)).faces(self._picture)
        self.editing.set_mode(mode, nodes, sizes_of(self._picture, faces))
