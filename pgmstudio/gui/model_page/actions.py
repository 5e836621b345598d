"""Actions on the page of a model and its structure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from pgmstudio.core.drawing.snapping import SIDES
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em import EmParams
from pgmstudio.core.languages.registry import a_kind, language_of
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.project.model_edits import ReversibleEdges
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import METHOD_TIPS, METHODS
from pgmstudio.gui.canvas.node_view import MODE_TIPS, MODE_TITLES, NodeMode
from pgmstudio.gui.canvas.overlays import BLANKET
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions, no_probabilities_reason
from pgmstudio.gui.model_page.action_conditions import PageConditions
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.structure.move_search import move_search
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

PANEL = "movesPanel"


def moves_actions(app: AppContext) -> list[ActionSpec]:
    search = partial(move_search, app)

    def no_moves() -> str | None:
        if not app.project.models:
            return "open a model first."
        return search().disabled_reason()

    def no_move() -> str | None:
        result = search().move_list
        if not search().is_watched or result is None:
            return "open Learn ▸ Next moves first."
        return "no move raises the score." if result.is_optimum else None

    return [
        ActionSpec(
            "learn.moves",
            "Next moves",
            "Learn",
            "The ten best next moves of a search from this graph: accept, veto or force them.",
            lambda: app.reveal(PANEL),
            keys=("Ctrl+Shift+M",),
            icon="skip-forward",
            needs=[no_moves],
        ),
        ActionSpec(
            "learn.best-move",
            "Take the best move",
            "Learn",
            "The first of the next moves; the tables it touches are fitted to the rows.",
            lambda: search().take_best(1),
            keys=("Ctrl+.",),
            icon="skip-forward",
            needs=[no_moves, no_move],
        ),
    ]


def understanding_actions(app: AppContext) -> list[ActionSpec]:
    on = PageConditions(app)

    def toggle_separation(page: ModelPage) -> None:
        if page.separation.is_open:
            page.separation.close()
        else:
            page.choose_tool("separation")
            page.canvas.view.setFocus()
        app.actions.refresh("model.separation")

    def take_evidence(page: ModelPage) -> None:
        page.choose_tool("separation")
        page.separation.take_evidence()
        app.actions.refresh("model.separation")

    def list_members(page: ModelPage) -> None:
        from pgmstudio.gui.structure.equivalence_page import EquivalencePage

        model_id = page.model_id
        if model_id is not None:
            app.open_page(f"equivalent:{model_id}", lambda: EquivalencePage(app, model_id))

    def choose_done(page: ModelPage) -> None:
        view, node = page.canvas.view, page.scene().selected_nodes[0]
        corner = view.mapFromScene(page.scene().nodes[node].box.bottomLeft())
        page.canvas.signals.do_menu.emit(node, view.viewport().mapToGlobal(corner))

    def has_one_belief(page: ModelPage) -> bool:
        nodes = page.scene().selected_nodes
        return len(nodes) == 1 and bool(page.scene().nodes[nodes[0]].face.beliefs)

    separable = on.page_reason(lambda page: page.separation.disabled_reason(page.picture_name))
    return [
        ActionSpec(
            "model.separation",
            "Separation",
            "Model",
            "Pick A, B and what is given on the canvas; see which trails are active.",
            on.command(toggle_separation),
            keys=("Ctrl+Shift+D",),
            icon="path",
            needs=[separable],
            is_checked=lambda: on.page is not None and on.page.separation.is_open,
            separator_before=True,
        ),
        ActionSpec(
            "model.separation-evidence",
            "Evidence as given",
            "Model",
            "Query separation given the present evidence.",
            on.command(take_evidence),
            needs=[separable, on.page_reason(lambda page: page.separation.no_evidence_reason())],
        ),
        ActionSpec(
            "model.members",
            "Equivalent graphs…",
            "Model/Equivalence",
            "List the DAGs of the equivalence class; choosing one keeps the distribution.",
            on.command(list_members),
            icon="copy-simple",
            needs=[
                on.page_with(
                    lambda page: plain_network(app.project.models[page.model_id or ""].model),
                    "only Bayesian networks have equivalent graphs.",
                )
            ],
        ),
        ActionSpec(
            "model.turn",
            "Reverse edge, keep the distribution",
            "Model/Equivalence",
            "Reverse the selected edge and recompute both tables.",
            on.command(lambda page: page.editing.turn(*page.scene().selected_edges[0])),
            icon="arrows-left-right",
            needs=[
                on.page_with(
                    lambda page: page.is_editable,
                    "edges are reversed in the DAG of a Bayesian network; show that diagram.",
                ),
                on.page_with(
                    lambda page: len(page.scene().selected_edges) == 1, "select one edge first."
                ),
                on.page_reason(
                    lambda page: page.editing.turning(*page.scene().selected_edges[0])[0]
                ),
            ],
        ),
        ActionSpec(
            "evidence.do",
            "Intervene (do)…",
            "Evidence",
            "Fix the selected variable to a state; cuts the edges from its parents.",
            on.command(choose_done),
            icon="lock-simple",
            needs=[
                on.model,
                on.page_reason(lambda page: page.asking.no_do_reason()),
                on.page_with(has_one_belief, "select one variable first."),
            ],
        ),
    ]


def model_actions(app: AppContext) -> list[ActionSpec]:
    on = PageConditions(app)
    return [
        *_structure(on),
        *_layout(on),
        *_display(on),
        *_alignment(on),
        *_clipboard(on),
        *_view(on),
    ]


def _structure(on: PageConditions) -> list[ActionSpec]:
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
            on.command(add),
            icon="plus-circle",
            needs=[on.editable],
        ),
        ActionSpec(
            "model.draw-edges",
            "Draw edges",
            "Model",
            "Drag from node to node; Esc ends it.",
            on.command(lambda page: page.choose_tool("edge")),
            icon="flow-arrow",
            needs=[on.joinable],
        ),
        ActionSpec(
            "model.reverse",
            "Reverse edge",
            "Model",
            "Turn the selected edges around.",
            on.command(lambda page: page.editing.reverse_selected()),
            needs=[
                on.editable,
                on.page_with(
                    lambda page: isinstance(page.entry.model, ReversibleEdges),
                    "the edges of this model have no direction.",
                ),
                on.edge,
            ],
        ),
        ActionSpec(
            "model.rename",
            "Rename node",
            "Model",
            "Rename the selected variable.",
            on.command(rename),
            needs=[on.editable, on.nodes(1)],
        ),
        ActionSpec(
            "model.delete",
            "Delete",
            "Model",
            "Remove the selected nodes and edges; CPTs are averaged over removed parents.",
            on.command(lambda page: page.editing.delete_selected()),
            needs=[on.deletable],
        ),
        ActionSpec(
            "model.find",
            "Find a node…",
            "Model",
            "By a part of its name; show only what is near it.",
            on.command(lambda page: page.front.open_find()),
            keys=("Ctrl+F",),
            icon="magnifying-glass",
            needs=[on.open_page],
            separator_before=True,
        ),
        *(
            ActionSpec(
                f"model.only-{key}",
                f"Show only its {title}",
                "Model/Show only",
                f"Hide all nodes but the selected one and its {what}; closing the search shows "
                "them again.",
                on.command(partial(_show_around, scope=scope)),
                needs=[on.nodes(1)],
            )
            for key, title, what, scope in (
                ("neighbourhood", "neighbourhood", "neighbours", 1),
                ("blanket", "Markov blanket", "parents, children and their other parents", BLANKET),
            )
        ),
    ]


def _show_around(page: ModelPage, scope: int) -> None:
    page.canvas.show_around(page.scene().selected_nodes[0], scope)


def _layout(on: PageConditions) -> list[ActionSpec]:
    return [
        ActionSpec(
            f"model.layout.{method}",
            title,
            "Model/Layout",
            METHOD_TIPS[method],
            on.command(lambda page, method=method: page.arrange(method)),  # type: ignore[misc]
            needs=[on.open_page],
        )
        for method, title in METHODS.items()
    ]


def _display(on: PageConditions) -> list[ActionSpec]:
    def of_all(mode: NodeMode) -> Callable[[ModelPage], object]:
        return lambda page: page.set_mode_of_all(mode)

    def of_selected(mode: NodeMode) -> Callable[[ModelPage], object]:
        return lambda page: page.set_mode(mode, page.scene().selected_nodes)

    def has_bits() -> str | None:
        return None if on.page is None else no_probabilities_reason(on.page.entry.model)

    return [
        ActionSpec(
            f"model.{key}.{mode.value}",
            title,
            f"Model/{menu}",
            MODE_TIPS[mode],
            on.command(make(mode)),
            needs=[condition, *([has_bits] if mode is NodeMode.ENTROPY else [])],
        )
        for key, menu, make, condition in (
            ("show-all", "Show all nodes as", of_all, on.open_page),
            ("show-selected", "Show selected nodes as", of_selected, on.nodes(1)),
        )
        for mode, title in MODE_TITLES.items()
    ]


def _alignment(on: PageConditions) -> list[ActionSpec]:
    def toggle_grid(page: ModelPage) -> None:
        page.canvas.view.snaps_to_grid = not page.canvas.view.snaps_to_grid

    def snaps() -> bool:
        return on.page is not None and on.page.canvas.view.snaps_to_grid

    keys = {"left": "Ctrl+Shift+Left", "right": "Ctrl+Shift+Right"}
    keys |= {"top": "Ctrl+Shift+Up", "bottom": "Ctrl+Shift+Down"}
    return [
        *(
            ActionSpec(
                f"model.align.{side}",
                title,
                "Model/Align",
                f"The selected nodes at the outermost {side} of them.",
                on.command(lambda page, side=side: page.editing.align(side)),  # type: ignore[misc]
                keys=(keys[side],),
                needs=[on.nodes(2)],
            )
            for side, title in SIDES.items()
        ),
        ActionSpec(
            "model.distribute.across",
            "Distribute across",
            "Model/Align",
            "Equal gaps between the selected nodes, from left to right.",
            on.command(lambda page: page.editing.distribute(across=True)),
            needs=[on.nodes(3)],
            separator_before=True,
        ),
        ActionSpec(
            "model.distribute.down",
            "Distribute down",
            "Model/Align",
            "Equal gaps between the selected nodes, from top to bottom.",
            on.command(lambda page: page.editing.distribute(across=False)),
            needs=[on.nodes(3)],
        ),
        ActionSpec(
            "model.snap-all",
            "Snap all to grid",
            "Model/Align",
            "Every node to the nearest point of the grid.",
            on.command(lambda page: page.editing.snap_all()),
            needs=[on.open_page],
            separator_before=True,
        ),
        ActionSpec(
            "model.snap",
            "Snap to grid while dragging",
            "Model/Align",
            "Dragged nodes stop at points of the grid; Alt switches that off.",
            on.command(toggle_grid),
            needs=[on.open_page],
            is_checked=snaps,
        ),
    ]


def _clipboard(on: PageConditions) -> list[ActionSpec]:
    def select_all(page: ModelPage) -> None:
        page.canvas.signals.select.emit(tuple(page.scene().nodes), ())

    return [
        ActionSpec(
            "edit.cut",
            "Cut",
            "Edit",
            "Copy the selected nodes and delete them.",
            on.command(lambda page: page.editing.cut()),
            needs=[on.editable, on.nodes(1)],
            separator_before=True,
        ),
        ActionSpec(
            "edit.copy",
            "Copy",
            "Edit",
            "Copy the selected nodes with their edges and tables, for this or another model.",
            on.command(lambda page: page.editing.copy()),
            needs=[on.nodes(1)],
        ),
        ActionSpec(
            "edit.paste",
            "Paste",
            "Edit",
            "Add the nodes on the clipboard to this model.",
            on.command(lambda page: page.editing.paste()),
            needs=[on.editable],
        ),
        ActionSpec(
            "edit.duplicate",
            "Duplicate",
            "Edit",
            "Copy and paste the selected nodes.",
            on.command(lambda page: page.editing.duplicate()),
            needs=[on.editable, on.nodes(1)],
        ),
        ActionSpec(
            "edit.select-all",
            "Select all nodes",
            "Edit",
            "Select all nodes of the active model.",
            on.command(select_all),
            needs=[on.open_page],
        ),
    ]


def _view(on: PageConditions) -> list[ActionSpec]:
    def shown(name: str) -> Callable[[], bool]:
        return lambda: on.page is not None and bool(getattr(on.page.front, name))

    return [
        ActionSpec(
            "view.zoom-in",
            "Zoom in",
            "View",
            "Look closer at the graph.",
            on.command(lambda page: page.front.view.zoom_by(1.25)),
            needs=[on.open_page],
        ),
        ActionSpec(
            "view.zoom-out",
            "Zoom out",
            "View",
            "See more of the graph.",
            on.command(lambda page: page.front.view.zoom_by(0.8)),
            needs=[on.open_page],
        ),
        ActionSpec(
            "view.fit",
            "Fit into view",
            "View",
            "Fit the whole graph into the view.",
            on.command(lambda page: page.front.view.fit()),
            icon="frame-corners",
            needs=[on.open_page],
        ),
        ActionSpec(
            "view.actual-size",
            "Actual size",
            "View",
            "The graph at 100 %.",
            on.command(lambda page: page.front.view.set_zoom(1.0)),
            needs=[on.open_page],
        ),
        ActionSpec(
            "view.minimap",
            "Minimap",
            "View",
            "An overview of the graph; from 60 nodes on it is shown by itself.",
            on.command(lambda page: page.front.toggle_minimap()),
            needs=[on.open_page],
            is_checked=shown("shows_minimap"),
        ),
        ActionSpec(
            "view.legend",
            "Legend",
            "View",
            "Legend of the marks on the canvas.",
            on.command(lambda page: page.front.toggle_legend()),
            needs=[on.open_page],
            is_checked=shown("shows_legend"),
        ),
        ActionSpec(
            "view.rules",
            "Rules about edges",
            "View",
            "Show required and forbidden edges on the canvas, and prices of edges as bands.",
            on.command(lambda page: page.canvas.toggle_rules()),
            needs=[on.open_page],
            is_checked=shown("shows_rules"),
        ),
    ]


LEARNER = "bn.em"


def parameter_actions(app: AppContext) -> list[ActionSpec]:
    on = Conditions(app)

    def no_tables(entry: ModelEntry) -> str:
        row = language_of(entry.model)
        remedy = (
            f" Use Model ▸ {row.title} ▸ Fit parameters." if "fit_parameters" in row.edits else ""
        )
        return f"{a_kind(row.kind)} has no tables P(X | parents).{remedy}"

    tables = on.model_with(lambda entry: isinstance(entry.model, DirectedModel), no_tables)

    def learn(nodes: str | None = None) -> None:
        entry, data = on.entry, app.project.data
        if entry is None or not isinstance(entry.model, DirectedModel) or not data:
            return
        data_id = entry.data_id if entry.data_id in data else next(iter(data))
        params = EmParams(start=entry.model, nodes=nodes)
        page = open_learn_page(app, LEARNER)
        page.fill(RunRequest("", LEARNER, params, page.seed, str(data_id)))

    def learn_selected() -> None:
        nodes = app.workspace.selection.nodes
        learn(", ".join(f'"{name}"' if "," in name else name for name in nodes))

    return [
        ActionSpec(
            "model.learn-parameters",
            "Learn parameters…",
            "Model",
            "Fit the tables of this graph to data, also with missing cells or hidden variables.",
            learn,
            icon="table",
            needs=[on.probabilities, tables, on.data],
            separator_before=True,
        ),
        ActionSpec(
            "model.learn-selected",
            "Learn parameters of the selection…",
            "Model",
            "Fit the tables of the selected nodes to data; the others stay as they are.",
            learn_selected,
            needs=[on.probabilities, tables, on.data, on.variables(1)],
        ),
    ]
