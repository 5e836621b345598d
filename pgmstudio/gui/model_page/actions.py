"""Menu actions of the model page: the Model menu, and Edit and View on a canvas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from pgmstudio.core.drawing.snapping import SIDES
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em import EmParams
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import METHOD_TIPS, METHODS
from pgmstudio.gui.canvas.node_view import MODE_TIPS, MODE_TITLES, NodeMode
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.model_page.action_conditions import CanvasConditions
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.widgets.actions import ActionRegistry, ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


# Keys that mean something only while the canvas has the focus, where it handles them itself.
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


def keep_to_canvas(registry: ActionRegistry) -> None:
    """Show these keys in menus without taking them from text fields and tables."""
    for action_id in CANVAS_KEYS:
        if action_id in registry.by_id:
            registry[action_id].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)


def model_actions(app: AppContext) -> list[ActionSpec]:
    commands = CanvasConditions(app)
    return [
        *_structure(commands),
        *_layout(commands),
        *_display(commands),
        *_alignment(commands),
        *_clipboard(commands),
        *_view(commands),
    ]


def _structure(commands: CanvasConditions) -> list[ActionSpec]:
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
            commands.on_page(add),
            keys=("N",),
            icon="plus-circle",
            disabled_reason=commands.not_editable,
        ),
        ActionSpec(
            "model.draw-edges",
            "Draw edges",
            "Model",
            "Drag from node to node; Esc ends it.",
            commands.on_page(lambda page: page.choose_tool("edge")),
            keys=("L",),
            icon="flow-arrow",
            disabled_reason=commands.not_joinable,
        ),
        ActionSpec(
            "model.reverse",
            "Reverse edge",
            "Model",
            "Turn the selected edges around.",
            commands.on_page(lambda page: page.editing.reverse_selected()),
            keys=("R",),
            disabled_reason=commands.no_edge,
        ),
        ActionSpec(
            "model.rename",
            "Rename node",
            "Model",
            "Rename the selected variable.",
            commands.on_page(rename),
            keys=("F2",),
            disabled_reason=lambda: commands.not_editable() or commands.fewer_than(1)(),
        ),
        ActionSpec(
            "model.delete",
            "Delete",
            "Model",
            "Remove the selected nodes and edges; tables are averaged over what goes.",
            commands.on_page(lambda page: page.editing.delete_selected()),
            keys=("Del",),
            disabled_reason=commands.nothing_to_delete,
        ),
        ActionSpec(
            "model.find",
            "Find a node…",
            "Model",
            "By a part of its name; show only what is near it.",
            commands.on_page(lambda page: page.front.open_find()),
            keys=("Ctrl+F",),
            icon="magnifying-glass",
            disabled_reason=commands.no_page,
            separator_before=True,
        ),
    ]


def _layout(commands: CanvasConditions) -> list[ActionSpec]:
    return [
        ActionSpec(
            f"model.layout.{method}",
            title,
            "Model/Layout",
            METHOD_TIPS[method],
            commands.on_page(lambda page, method=method: page.arrange(method)),  # type: ignore[misc]
            disabled_reason=commands.no_page,
        )
        for method, title in METHODS.items()
    ]


def _display(commands: CanvasConditions) -> list[ActionSpec]:
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
            commands.on_page(make(mode)),
            disabled_reason=disabled_reason,
        )
        for key, menu, make, disabled_reason in (
            ("show-all", "Show all nodes as", of_all, commands.no_page),
            ("show-selected", "Show selected nodes as", of_selected, commands.fewer_than(1)),
        )
        for mode, title in MODE_TITLES.items()
    ]


def _alignment(commands: CanvasConditions) -> list[ActionSpec]:
    def toggle_grid(page: ModelPage) -> None:
        page.canvas.view.snaps_to_grid = not page.canvas.view.snaps_to_grid

    def snaps() -> bool:
        return commands.page is not None and commands.page.canvas.view.snaps_to_grid

    keys = {"left": "Ctrl+Shift+Left", "right": "Ctrl+Shift+Right"}
    keys |= {"top": "Ctrl+Shift+Up", "bottom": "Ctrl+Shift+Down"}
    return [
        *(
            ActionSpec(
                f"model.align.{side}",
                title,
                "Model/Align",
                f"The selected nodes at the outermost {side} of them.",
                commands.on_page(lambda page, side=side: page.editing.align(side)),  # type: ignore[misc]
                keys=(keys[side],),
                disabled_reason=commands.fewer_than(2),
            )
            for side, title in SIDES.items()
        ),
        ActionSpec(
            "model.distribute.across",
            "Distribute across",
            "Model/Align",
            "Equal gaps between the selected nodes, from left to right.",
            commands.on_page(lambda page: page.editing.distribute(across=True)),
            disabled_reason=commands.fewer_than(3),
            separator_before=True,
        ),
        ActionSpec(
            "model.distribute.down",
            "Distribute down",
            "Model/Align",
            "Equal gaps between the selected nodes, from top to bottom.",
            commands.on_page(lambda page: page.editing.distribute(across=False)),
            disabled_reason=commands.fewer_than(3),
        ),
        ActionSpec(
            "model.snap-all",
            "Snap all to grid",
            "Model/Align",
            "Every node to the nearest point of the grid.",
            commands.on_page(lambda page: page.editing.snap_all()),
            disabled_reason=commands.no_page,
            separator_before=True,
        ),
        ActionSpec(
            "model.snap",
            "Snap to grid while dragging",
            "Model/Align",
            "Dragged nodes stop at points of the grid; Alt switches that off.",
            commands.on_page(toggle_grid),
            disabled_reason=commands.no_page,
            is_checked=snaps,
        ),
    ]


def _clipboard(commands: CanvasConditions) -> list[ActionSpec]:
    def select_all(page: ModelPage) -> None:
        page.canvas.signals.select.emit(tuple(page.scene().nodes), ())

    def disabled_reason() -> str | None:
        return commands.not_editable() or commands.fewer_than(1)()

    return [
        ActionSpec(
            "edit.cut",
            "Cut",
            "Edit",
            "Copy the selected nodes and delete them.",
            commands.on_page(lambda page: page.editing.cut()),
            keys=("Ctrl+X",),
            disabled_reason=disabled_reason,
            separator_before=True,
        ),
        ActionSpec(
            "edit.copy",
            "Copy",
            "Edit",
            "Copy the selected nodes with their edges and tables, for this or another model.",
            commands.on_page(lambda page: page.editing.copy()),
            keys=("Ctrl+C",),
            disabled_reason=commands.fewer_than(1),
        ),
        ActionSpec(
            "edit.paste",
            "Paste",
            "Edit",
            "Add the nodes on the clipboard to this model.",
            commands.on_page(lambda page: page.editing.paste()),
            keys=("Ctrl+V",),
            disabled_reason=commands.not_editable,
        ),
        ActionSpec(
            "edit.duplicate",
            "Duplicate",
            "Edit",
            "Copy and paste the selected nodes.",
            commands.on_page(lambda page: page.editing.duplicate()),
            keys=("Ctrl+D",),
            disabled_reason=disabled_reason,
        ),
        ActionSpec(
            "edit.select-all",
            "Select all nodes",
            "Edit",
            "Select all nodes of the active model.",
            commands.on_page(select_all),
            keys=("Ctrl+A",),
            disabled_reason=commands.no_page,
        ),
    ]


def _view(commands: CanvasConditions) -> list[ActionSpec]:
    def shown(name: str) -> Callable[[], bool]:
        return lambda: commands.page is not None and bool(getattr(commands.page.front, name))

    return [
        ActionSpec(
            "view.zoom-in",
            "Zoom in",
            "View",
            "Look closer at the graph.",
            commands.on_page(lambda page: page.front.view.zoom_by(1.25)),
            keys=("+", "Ctrl++"),
            disabled_reason=commands.no_page,
        ),
        ActionSpec(
            "view.zoom-out",
            "Zoom out",
            "View",
            "See more of the graph.",
            commands.on_page(lambda page: page.front.view.zoom_by(0.8)),
            keys=("-", "Ctrl+-"),
            disabled_reason=commands.no_page,
        ),
        ActionSpec(
            "view.fit",
            "Fit into view",
            "View",
            "The whole graph in sight.",
            commands.on_page(lambda page: page.front.view.fit()),
            keys=("0",),
            icon="frame-corners",
            disabled_reason=commands.no_page,
        ),
        ActionSpec(
            "view.actual-size",
            "Actual size",
            "View",
            "The graph at 100 %.",
            commands.on_page(lambda page: page.front.view.set_zoom(1.0)),
            keys=("1",),
            disabled_reason=commands.no_page,
        ),
        ActionSpec(
            "view.minimap",
            "Minimap",
            "View",
            "An overview of the graph; from 60 nodes on it is shown by itself.",
            commands.on_page(lambda page: page.front.toggle_minimap()),
            disabled_reason=commands.no_page,
            is_checked=shown("shows_minimap"),
        ),
        ActionSpec(
            "view.legend",
            "Legend",
            "View",
            "Legend of the marks on the canvas.",
            commands.on_page(lambda page: page.front.toggle_legend()),
            disabled_reason=commands.no_page,
            is_checked=shown("shows_legend"),
        ),
        ActionSpec(
            "view.rules",
            "Rules about edges",
            "View",
            "Show required and forbidden edges on the canvas.",
            commands.on_page(lambda page: page.canvas.toggle_rules()),
            disabled_reason=commands.no_page,
            is_checked=shown("shows_rules"),
        ),
    ]


LEARNER = "bn.em"


class ParameterCommands:
    """The active model and its selected nodes, and the reason when there are none."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._app.workspace.model_id or "")

    def disabled_reason(self) -> str | None:
        entry = self.entry
        if entry is None:
            return "open a model first."
        if not isinstance(entry.model, DirectedModel):
            return f"{a_kind(entry.model.kind)} has no tables P(X | parents)."
        return None if self._app.project.data else "import data first (Ctrl+I)."

    def not_selected_reason(self) -> str | None:
        return self.disabled_reason() or (
            None if self._app.workspace.selection.nodes else "select a node first."
        )

    def learn(self) -> None:
        """All tables of the active model."""
        self._open(None)

    def learn_selected(self) -> None:
        """The tables of the selected nodes; the others stay."""
        nodes = self._app.workspace.selection.nodes
        self._open(", ".join(f'"{name}"' if "," in name else name for name in nodes))

    def _open(self, nodes: str | None) -> None:
        entry, data = self.entry, self._app.project.data
        if entry is None or not isinstance(entry.model, DirectedModel) or not data:
            return
        data_id = entry.data_id if entry.data_id in data else next(iter(data))
        params = EmParams(start=entry.model, nodes=nodes)
        page = open_learn_page(self._app, LEARNER)
        page.fill(RunRequest("", LEARNER, params, page.seed, str(data_id)))


def parameter_actions(app: AppContext) -> list[ActionSpec]:
    commands = ParameterCommands(app)
    return [
        ActionSpec(
            "model.learn-parameters",
            "Learn parameters…",
            "Model",
            "Fit the tables of this graph to data, also with missing cells or hidden variables.",
            commands.learn,
            icon="table",
            disabled_reason=commands.disabled_reason,
            separator_before=True,
        ),
        ActionSpec(
            "model.learn-selected",
            "Learn parameters of the selection…",
            "Model",
            "Fit the tables of the selected nodes to data; the others stay as they are.",
            commands.learn_selected,
            disabled_reason=commands.not_selected_reason,
        ),
    ]
