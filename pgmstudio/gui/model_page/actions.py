"""The Model menu and what the Edit and View menus do with a canvas.

Model ▸ Learn parameters: the tables of the model in view from data, through the run sheet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from pgmstudio.core.drawing.snapping import SIDES
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em import EmParams
from pgmstudio.core.languages.kinds import a_kind
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import METHOD_TIPS, METHODS
from pgmstudio.gui.canvas.node_view import MODE_TIPS, MODE_TITLES, NodeMode
from pgmstudio.gui.learning.actions import open_learn_page
from pgmstudio.gui.runs.learning_run import RunRequest
from pgmstudio.gui.window.action_conditions import CanvasDesk
from pgmstudio.gui.window.actions import ActionBook, ActionSpec
from pgmstudio.gui.window.app_context import Shell

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


# Keys that mean something only while the canvas has the focus, where it hears them itself.
CANVAS_KEYS = (
    "model.add-node",
    "model.draw-edges",
    "model.rename",
    "model.delete",
    "model.reverse",
    "edit.cut",
    "edit.copy",
    "edit.paste",
    "edit.duplicate",
    "edit.select-all",
    "view.fit",
    "view.actual-size",
    "view.zoom-in",
    "view.zoom-out",
)


def keep_to_canvas(book: ActionBook) -> None:
    """Show these keys in menus without taking them from text fields and tables."""
    for action_id in CANVAS_KEYS:
        if action_id in book.actions:
            book[action_id].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)


def model_actions(shell: Shell) -> list[ActionSpec]:
    desk = CanvasDesk(shell)
    return [
        *_structure(desk),
        *_layout(desk),
        *_display(desk),
        *_alignment(desk),
        *_clipboard(desk),
        *_view(desk),
    ]


def _structure(desk: CanvasDesk) -> list[ActionSpec]:
    def rename(page: ModelPage) -> None:
        page.canvas.view.begin_rename(page.scene().selected_nodes[0])

    def add(page: ModelPage) -> None:
        page.canvas.view.begin_node(page.canvas.view.pointer)

    return [
        ActionSpec(
            "model.add-node",
            "Add node",
            "Model",
            "A new variable at the pointer; type its name.",
            desk.on_page(add),
            keys=("N",),
            icon="plus-circle",
            why_not=desk.not_editable,
        ),
        ActionSpec(
            "model.draw-edges",
            "Draw edges",
            "Model",
            "Drag from node to node; Esc ends it.",
            desk.on_page(lambda page: page.choose_tool("edge")),
            keys=("L",),
            icon="flow-arrow",
            why_not=desk.not_joinable,
        ),
        ActionSpec(
            "model.reverse",
            "Reverse edge",
            "Model",
            "Turn the selected edges around.",
            desk.on_page(lambda page: page.editing.reverse_selected()),
            keys=("R",),
            why_not=desk.no_edge,
        ),
        ActionSpec(
            "model.rename",
            "Rename node",
            "Model",
            "Another name for the selected variable.",
            desk.on_page(rename),
            keys=("F2",),
            why_not=lambda: desk.not_editable() or desk.fewer_than(1)(),
        ),
        ActionSpec(
            "model.delete",
            "Delete",
            "Model",
            "Remove the selected nodes and edges; tables are averaged over what goes.",
            desk.on_page(lambda page: page.editing.delete_selected()),
            keys=("Del",),
            why_not=desk.nothing_to_delete,
        ),
        ActionSpec(
            "model.find",
            "Find a node…",
            "Model",
            "By a part of its name; show only what is near it.",
            desk.on_page(lambda page: page.front.open_find()),
            keys=("Ctrl+F",),
            icon="magnifying-glass",
            why_not=desk.no_page,
            separator_before=True,
        ),
    ]


def _layout(desk: CanvasDesk) -> list[ActionSpec]:
    return [
        ActionSpec(
            f"model.layout.{method}",
            title,
            "Model/Layout",
            METHOD_TIPS[method],
            desk.on_page(lambda page, method=method: page.arrange(method)),  # type: ignore[misc]
            why_not=desk.no_page,
        )
        for method, title in METHODS.items()
    ]


def _display(desk: CanvasDesk) -> list[ActionSpec]:
    def of_all(mode: NodeMode) -> Callable[[ModelPage], object]:
        return lambda page: page.set_mode_of_all(mode)

    def of_selected(mode: NodeMode) -> Callable[[ModelPage], object]:
        return lambda page: page.set_mode(mode, page.scene().selected_nodes)

    return [
        ActionSpec(
            f"model.{key}.{mode.value}",
            title,
            f"Model/{menu}",
            MODE_TIPS[mode],
            desk.on_page(make(mode)),
            why_not=why_not,
        )
        for key, menu, make, why_not in (
            ("show-all", "Show all nodes as", of_all, desk.no_page),
            ("show-selected", "Show selected nodes as", of_selected, desk.fewer_than(1)),
        )
        for mode, title in MODE_TITLES.items()
    ]


def _alignment(desk: CanvasDesk) -> list[ActionSpec]:
    def toggle_grid(page: ModelPage) -> None:
        page.canvas.view.snaps_to_grid = not page.canvas.view.snaps_to_grid

    def snaps() -> bool:
        return desk.page is not None and desk.page.canvas.view.snaps_to_grid

    keys = {"left": "Ctrl+Shift+Left", "right": "Ctrl+Shift+Right"}
    keys |= {"top": "Ctrl+Shift+Up", "bottom": "Ctrl+Shift+Down"}
    return [
        *(
            ActionSpec(
                f"model.align.{side}",
                title,
                "Model/Align",
                f"The selected nodes at the outermost {side} of them.",
                desk.on_page(lambda page, side=side: page.editing.align(side)),  # type: ignore[misc]
                keys=(keys[side],),
                why_not=desk.fewer_than(2),
            )
            for side, title in SIDES.items()
        ),
        ActionSpec(
            "model.distribute.across",
            "Distribute across",
            "Model/Align",
            "Equal gaps between the selected nodes, from left to right.",
            desk.on_page(lambda page: page.editing.distribute(across=True)),
            why_not=desk.fewer_than(3),
            separator_before=True,
        ),
        ActionSpec(
            "model.distribute.down",
            "Distribute down",
            "Model/Align",
            "Equal gaps between the selected nodes, from top to bottom.",
            desk.on_page(lambda page: page.editing.distribute(across=False)),
            why_not=desk.fewer_than(3),
        ),
        ActionSpec(
            "model.snap-all",
            "Snap all to grid",
            "Model/Align",
            "Every node to the nearest point of the grid.",
            desk.on_page(lambda page: page.editing.snap_all()),
            why_not=desk.no_page,
            separator_before=True,
        ),
        ActionSpec(
            "model.snap",
            "Snap to grid while dragging",
            "Model/Align",
            "Dragged nodes stop at points of the grid; Alt switches that off.",
            desk.on_page(toggle_grid),
            why_not=desk.no_page,
            is_checked=snaps,
        ),
    ]


def _clipboard(desk: CanvasDesk) -> list[ActionSpec]:
    def select_all(page: ModelPage) -> None:
        page.canvas.wishes.select.emit(tuple(page.scene().nodes), ())

    def why_not() -> str | None:
        return desk.not_editable() or desk.fewer_than(1)()

    return [
        ActionSpec(
            "edit.cut",
            "Cut",
            "Edit",
            "Copy the selected nodes and delete them.",
            desk.on_page(lambda page: page.editing.cut()),
            keys=("Ctrl+X",),
            why_not=why_not,
            separator_before=True,
        ),
        ActionSpec(
            "edit.copy",
            "Copy",
            "Edit",
            "The selected nodes with their edges and tables, for this or another model.",
            desk.on_page(lambda page: page.editing.copy()),
            keys=("Ctrl+C",),
            why_not=desk.fewer_than(1),
        ),
        ActionSpec(
            "edit.paste",
            "Paste",
            "Edit",
            "Add the nodes on the clipboard to this model.",
            desk.on_page(lambda page: page.editing.paste()),
            keys=("Ctrl+V",),
            why_not=desk.not_editable,
        ),
        ActionSpec(
            "edit.duplicate",
            "Duplicate",
            "Edit",
            "The selected nodes once more, beside themselves.",
            desk.on_page(lambda page: page.editing.duplicate()),
            keys=("Ctrl+D",),
            why_not=why_not,
        ),
        ActionSpec(
            "edit.select-all",
            "Select all nodes",
            "Edit",
            "Every node of the model in view.",
            desk.on_page(select_all),
            keys=("Ctrl+A",),
            why_not=desk.no_page,
        ),
    ]


def _view(desk: CanvasDesk) -> list[ActionSpec]:
    def shown(name: str) -> Callable[[], bool]:
        return lambda: desk.page is not None and bool(getattr(desk.page.front, name))

    return [
        ActionSpec(
            "view.zoom-in",
            "Zoom in",
            "View",
            "Look closer at the graph.",
            desk.on_page(lambda page: page.front.view.zoom_by(1.25)),
            keys=("+", "Ctrl++"),
            why_not=desk.no_page,
        ),
        ActionSpec(
            "view.zoom-out",
            "Zoom out",
            "View",
            "See more of the graph.",
            desk.on_page(lambda page: page.front.view.zoom_by(0.8)),
            keys=("-", "Ctrl+-"),
            why_not=desk.no_page,
        ),
        ActionSpec(
            "view.fit",
            "Fit into view",
            "View",
            "The whole graph in sight.",
            desk.on_page(lambda page: page.front.view.fit()),
            keys=("0",),
            icon="frame-corners",
            why_not=desk.no_page,
        ),
        ActionSpec(
            "view.actual-size",
            "Actual size",
            "View",
            "The graph at 100 %.",
            desk.on_page(lambda page: page.front.view.set_zoom(1.0)),
            keys=("1",),
            why_not=desk.no_page,
        ),
        ActionSpec(
            "view.minimap",
            "Minimap",
            "View",
            "An overview of the graph; from 60 nodes on it is shown by itself.",
            desk.on_page(lambda page: page.front.toggle_minimap()),
            why_not=desk.no_page,
            is_checked=shown("shows_minimap"),
        ),
        ActionSpec(
            "view.legend",
            "Legend",
            "View",
            "What the marks on the canvas mean.",
            desk.on_page(lambda page: page.front.toggle_legend()),
            why_not=desk.no_page,
            is_checked=shown("shows_legend"),
        ),
        ActionSpec(
            "view.rules",
            "Rules about edges",
            "View",
            "Required and forbidden edges over the picture.",
            desk.on_page(lambda page: page.canvas.toggle_rules()),
            why_not=desk.no_page,
            is_checked=shown("shows_rules"),
        ),
    ]


LEARNER = "bn.em"


class ParameterDesk:
    """Which model and which of its nodes are meant, and why not."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @property
    def entry(self) -> ModelEntry | None:
        return self._shell.project.models.get(self._shell.bench.model_id or "")

    def why_not(self) -> str | None:
        entry = self.entry
        if entry is None:
            return "open a model first."
        if not isinstance(entry.model, DirectedModel):
            return f"{a_kind(entry.model.kind)} has no tables P(X | parents)."
        return None if self._shell.project.data else "import data first (Ctrl+I)."

    def why_not_selected(self) -> str | None:
        return self.why_not() or (
            None if self._shell.bench.selection.nodes else "select a node first."
        )

    def learn(self) -> None:
        """All tables of the model in view."""
        self._open(None)

    def learn_selected(self) -> None:
        """The tables of the selected nodes; the others stay."""
        nodes = self._shell.bench.selection.nodes
        self._open(", ".join(f'"{name}"' if "," in name else name for name in nodes))

    def _open(self, nodes: str | None) -> None:
        entry, data = self.entry, self._shell.project.data
        if entry is None or not isinstance(entry.model, DirectedModel) or not data:
            return
        data_id = entry.data_id if entry.data_id in data else next(iter(data))
        params = EmParams(start=entry.model, nodes=nodes)
        page = open_learn_page(self._shell, LEARNER)
        page.fill(RunRequest("", LEARNER, params, page.seed, str(data_id)))


def parameter_actions(shell: Shell) -> list[ActionSpec]:
    desk = ParameterDesk(shell)
    return [
        ActionSpec(
            "model.learn-parameters",
            "Learn parameters…",
            "Model",
            "Fit the tables of this graph to data, also with missing cells or hidden variables.",
            desk.learn,
            icon="table",
            why_not=desk.why_not,
            separator_before=True,
        ),
        ActionSpec(
            "model.learn-selected",
            "Learn parameters of the selection…",
            "Model",
            "Fit the tables of the selected nodes to data; the others stay as they are.",
            desk.learn_selected,
            why_not=desk.why_not_selected,
        ),
    ]
