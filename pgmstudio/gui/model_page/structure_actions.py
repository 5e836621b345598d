"""Menu actions on the structure of a model: next moves, separation, equivalence, do()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.model_page.action_conditions import PageConditions
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage
    from pgmstudio.gui.structure.move_search import MoveSearch


PANEL = "movesPanel"


def moves_actions(app: AppContext) -> list[ActionSpec]:
    def search() -> MoveSearch:
        # It loads the search, which is not needed before a model is open.
        from pgmstudio.gui.structure.move_search import move_search

        return move_search(app)

    def no_moves() -> str | None:
        if not app.project.models:
            return "open a Bayesian network or a Markov network first."
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

    def why_not_turned(page: ModelPage) -> str:
        return page.editing.turning(*page.scene().selected_edges[0])[0]

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
            "Model",
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
            "Model",
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
