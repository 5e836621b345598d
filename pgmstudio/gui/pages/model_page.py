"""The page of a model: its pictures on a canvas, edited, arranged and asked there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QRect, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.pictures.families import picture_names, picture_of
from pgmstudio.core.pictures.picture import GraphPicture, Point
from pgmstudio.core.project.model_edits import EditableStructure
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.component_views import component_views
from pgmstudio.gui.document.table_work import table_work
from pgmstudio.gui.pages.model_page_selecting import ModelSelecting
from pgmstudio.gui.pages.page import Page
from pgmstudio.gui.style.icons import language_icon
from pgmstudio.gui.style.widgets import Note, hairline
from pgmstudio.gui.views.ambiguous_desk import AmbiguousDesk
from pgmstudio.gui.views.best_chip import BestChip
from pgmstudio.gui.views.canvas import Canvas
from pgmstudio.gui.views.component_desk import ComponentDesk
from pgmstudio.gui.views.graph_scene import GraphScene
from pgmstudio.gui.views.layout_maker import (
    METHODS,
    PROCESS_FROM,
    LayoutMaker,
    LayoutQuestion,
    Placed,
    follow_renames,
    placed_beside,
)
from pgmstudio.gui.views.legend import LegendEntry
from pgmstudio.gui.views.model_asking import ModelAsking
from pgmstudio.gui.views.model_bar import ModelBar
from pgmstudio.gui.views.model_editing import ModelEditing
from pgmstudio.gui.views.model_faces import FaceMaker, shared_mode
from pgmstudio.gui.views.node_face import NodeMode
from pgmstudio.gui.views.node_geometry import face_size
from pgmstudio.gui.views.patience import Patience
from pgmstudio.gui.views.separation_desk import SeparationDesk
from pgmstudio.gui.views.strength_desk import StrengthDesk
from pgmstudio.gui.workers.questions import Asker


class ModelPage(Page):
    """Shows one model of the project; the document tells when it is another."""

    def __init__(self, shell: Shell, model_id: str) -> None:
        super().__init__(f"model:{model_id}")
        self._shell, self._model_id = shell, model_id
        self._entry = shell.project.models[model_id]
        self._names = picture_names(self._entry.model)
        self.components: ComponentDesk | None = None
        if isinstance(self._entry.model, TreeMixture):
            self.components = ComponentDesk(shell, model_id, self)
            self.components.picture_wished.connect(self._show_picture)
        component_views(shell).changed.connect(self._on_components)
        self._picture_name = self._names[0]
        self._picture = GraphPicture(())
        self._known: dict[str, dict[str, Point]] = {}  # places found here, by picture
        self._is_layout_chosen = False
        self.canvas = Canvas()
        # The trees of a mixture are chosen in the strip.
        self.bar = ModelBar(self._names if self.components is None else self._names[:1])
        self.note = Note(level="warning", name="modelNote")
        self.editing = ModelEditing(shell, model_id, self.canvas)
        self.asking = ModelAsking(shell, model_id, self.canvas)
        self.best_chip = BestChip(shell, model_id, self.canvas.view)
        self.separation = SeparationDesk(shell, model_id, self.canvas)
        self.strengths = StrengthDesk(shell, model_id, self.canvas, self.bar)
        self.canvas.view.advise = self.editing.advise
        self.canvas.view.describe_edge = self._describe_edge
        self._is_closed = False
        self._table_work = table_work(shell)
        self._table_work.changed.connect(self._on_table_work)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.questions = AmbiguousDesk(shell, model_id, self.canvas)
        notes = (self.note, self.strengths.note, self.separation.bar, self.questions.bar)
        strip: tuple[QWidget, ...] = ()
        if self.components is not None:
            strip = (self.components.strip, hairline(), self.components.edit_bar)
            self.components.refused.connect(self.canvas.refuse)
            self.editing.delete_instead = self.components.remove
            self.canvas.view.is_pruned = True
        for widget in (self.bar, hairline(), *strip, *notes, self.canvas):
            layout.addWidget(widget)
        self.setFocusProxy(self.canvas)
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_placed)
        self._layouts.failed.connect(self._on_failed)
        self._pictures = Asker(self)
        self._pictures.answered.connect(self._on_picture)
        self._pictures.failed.connect(self._on_failed)
        self._patience = Patience(self)
        self._patience.ended.connect(self._on_patience_ended)
        self.selecting = ModelSelecting(shell, model_id, self)
        self._connect()
        from pgmstudio.gui.app.model_actions import keep_to_canvas

        keep_to_canvas(shell.book)
        self._show_picture(self._names[0])
        self._on_beliefs_changed(model_id)
        if self.components is not None and self.components.picture_name != self._picture_name:
            self._show_picture(self.components.picture_name)

    def _connect(self) -> None:
        bar, wishes, bench = self.bar, self.canvas.wishes, self._shell.bench
        bar.picture_chosen.connect(self._show_picture)
        bar.tool_chosen.connect(self.choose_tool)
        bar.mode_chosen.connect(self.set_mode_of_all)
        bar.layout_chosen.connect(self.arrange)
        bar.clear_wished.connect(self.asking.clear_all)
        wishes.tool.connect(self.choose_tool)
        self._shell.document.changed.connect(self._on_document_changed)
        bench.beliefs_changed.connect(self._on_beliefs_changed)
        bench.target_changed.connect(self._on_target_changed)

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

    def why_not_measured(self) -> str | None:
        """Why the widths of edges cannot be chosen; None when they can."""
        if isinstance(self._entry.model, DirectedModel):
            return None
        return "the lines of this picture have widths of their own."

    @property
    def is_editable(self) -> bool:
        """The structure can be changed in the picture in view."""
        return self._picture_name == "dag" and isinstance(self._entry.model, EditableStructure)

    def scene(self) -> GraphScene:
        return self.canvas.scene

    def legend_entries(self) -> list[LegendEntry]:
        return self.canvas.legend_entries()

    def selected_place(self) -> QRect | None:
        return self.canvas.place_of(self._shell.bench.selection.nodes)

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        self.canvas.keep_clear(covered)

    def may_close(self) -> bool:
        return True

    def closed(self) -> None:
        self._is_closed = True
        for worker in (self._layouts, self.strengths, self.separation, self.questions, self.canvas):
            worker.stop()
        if self.components is not None:
            self.components.stop()
        self._pictures.forget()

    # -- pictures

    @property
    def _places_name(self) -> str:
        """Whose places the picture in view has: all trees of a mixture share them."""
        return self._picture_name if self.components is None else self._names[0]

    def _show_picture(self, name: str) -> None:
        """Another picture of the same model; the one shown on opening is quick to make."""
        if name != self._picture_name and self.components is None:
            self.canvas.view.keep_fitted()  # another picture is looked at as a whole first
        self._picture_name = name
        self.editing.picture_name = self._places_name
        self.questions.show_on(name)
        self.bar.show_picture(name)
        self._show_editable()
        model = self._entry.model
        if name == self._names[0]:
            self._pictures.forget()
            self._on_picture(picture_of(model, name))
        else:
            self._pictures.ask(lambda _cancel: picture_of(model, name))

    def _on_picture(self, picture: GraphPicture) -> None:
        self._picture = picture
        self._draw()

    def _show_editable(self) -> None:
        why_not = "edges are drawn in the DAG of a Bayesian network."
        if self.components is not None:
            why_not = "show one tree and select two variables of it to join them."
        self.bar.set_editable(self.is_editable, why_not)
        self.bar.set_measurable(self.why_not_measured() or "")
        self.canvas.view.is_editable = self.is_editable
        self.bar.set_separable(self.separation.why_not(self._picture_name))
        if not self.is_editable and self.canvas.view.tool.name in ("node", "edge"):
            self.choose_tool("select")

    def _faces(self, entry: ModelEntry | None = None) -> FaceMaker:
        live, target = self.asking.live, self._shell.bench.target
        entry = entry or self._entry
        waiting = self._table_work.stale_in(self._model_id, entry.model, live.evidence)
        blend = component_views(self._shell).blend(self._model_id)
        return FaceMaker(entry, live, target, self._patience.is_over, waiting, blend)

    def _draw(self, *, slide: bool = False, placed: Placed | None = None) -> None:
        """Show the picture with the places that are known; ask for a layout when most are not."""
        picture, name = self._picture, self._places_name
        faces = self._faces().faces(picture)
        sizes = {node.id: face_size(node, faces[node.id]) for node in picture.nodes}
        known = {**self._known.get(name, {}), **self._entry.layouts.get(name, {})}
        here = {i: known[i] for i in picture.ids if i in known}
        if len(here) * 2 < len(picture.ids):
            self._ask_layout(None)
            return
        if len(here) < len(picture.ids):
            here = placed_beside(picture, here, sizes)
            self._known[name] = {**known, **here}
        same = placed is not None and placed.picture is picture and placed.sizes == sizes
        routes = placed.routes if placed is not None and same else None
        self.canvas.scene.show_picture(picture, faces, here, routes=routes, slide=slide)
        empty = "No nodes yet. Press N to add one where the pointer is."
        self.canvas.tell_waiting("" if picture.nodes else empty)
        self.canvas.show_strengths(self.canvas.strengths)
        self._show_rules(self._shell.project.knowledge)
        self.selecting.show_selection()
        self.bar.show_mode(shared_mode(self._entry))
        self.strengths.follow()

    def _ask_layout(self, method: str | None) -> None:
        faces = self._faces().faces(self._picture)
        sizes = {node.id: face_size(node, faces[node.id]) for node in self._picture.nodes}
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
            self._known[placed.picture_name] = dict(placed.positions)
            first = not self.canvas.scene.nodes
            self._draw(slide=not first, placed=placed)
            if first:
                self.canvas.view.fit()

    def _on_failed(self, error: BaseException) -> None:
        self._shell.errors.report(error)

    # -- the project

    def _show_rules(self, knowledge: Knowledge) -> None:
        """Rules are about variables: pictures of anything else show none."""
        about_variables = self._picture_name in ("dag", "tree")
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
            follow_renames(self._known, old.model.domain.names, entry.model.domain.names)
            name = self._picture_name
            if self.components is not None:
                self.components.follow()
                name = self.components.picture_name
            self._show_picture(name)
            self._on_beliefs_changed(self._model_id)
            return
        modes = entry.display_modes != old.display_modes
        if modes and not entry.layouts.get(self._places_name):
            self.canvas.scene.show_faces(self._faces().faces(self._picture))
            self.bar.show_mode(shared_mode(entry))
            self._ask_layout(None)
        else:
            self._draw(slide=True)

    def _leave(self) -> None:
        """The model is gone; one of another language under its id gets a page of its own."""
        from pgmstudio.gui.app.opening import open_model_page

        if not self._is_closed:
            self._shell.center.close_page(self)
            if self._model_id in self._shell.project.models:
                open_model_page(self._shell, self._model_id)

    # -- beliefs and evidence

    def _on_beliefs_changed(self, model_id: str) -> None:
        if model_id != self._model_id or model_id not in self._shell.project.models:
            return
        live = self.asking.live
        if live.model is not self._entry.model:
            return  # the project has a new model, which will be drawn in a moment
        self._patience.watch(live)
        self.note.tell("" if live.error is None else str(live.error))
        self.bar.show_evidence(len(live.evidence))
        self.canvas.scene.show_faces(self._faces().faces(self._picture))
        self.canvas.refresh_soon()
        self.strengths.follow()

    def _on_patience_ended(self) -> None:
        self._on_beliefs_changed(self._model_id)

    def _on_components(self, model_id: str) -> None:
        """The slider between prior and posterior has moved."""
        if model_id == self._model_id and not self._is_closed:
            self.canvas.scene.show_faces(self._faces().faces(self._picture))

    def _on_table_work(self) -> None:
        """A table being edited makes beliefs wait, or they can go on."""
        if not self._is_closed:
            self.canvas.scene.show_faces(self._faces().faces(self._picture))

    def _on_target_changed(self, _target: object) -> None:
        self.canvas.scene.show_faces(self._faces().faces(self._picture))

    def _describe_edge(self, source: str, target: str) -> str:
        """Its strength and what was noted about it."""
        words = [self.strengths.words_for(source, target)]
        words.append(self._entry.edge_notes.get((source, target), ""))
        return "\n".join(filter(None, words))

    # -- tools, modes

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
        sizes = {node.id: face_size(node, faces[node.id]) for node in self._picture.nodes}
        self.editing.set_mode(mode, nodes, sizes)
