"""Menu actions on the structure of a model: next moves, d-separation, equivalence, do()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import NO_MODEL
from pgmstudio.gui.model_page.action_conditions import current_model_page
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
            return "open a Bayesian network first."
        return search().disabled_reason()

    def no_move() -> str | None:
        reason = no_moves()
        if reason is not None:
            return reason
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
            disabled_reason=no_moves,
        ),
        ActionSpec(
            "learn.best-move",
            "Take the best move",
            "Learn",
            "The first of the next moves; the tables it touches are fitted to the rows.",
            lambda: search().take_best(1),
            keys=("Ctrl+.",),
            icon="skip-forward",
            disabled_reason=no_move,
        ),
    ]


NO_PAGE = "open a model first."


def understanding_actions(app: AppContext) -> list[ActionSpec]:
    commands = _Commands(app)
    return [
        ActionSpec(
            "model.separation",
            "d-separation",
            "Model",
            "Pick A, B and what is given on the canvas; see which trails are active.",
            commands.toggle_separation,
            keys=("Ctrl+Shift+D",),
            icon="path",
            disabled_reason=commands.no_separation_reason,
            is_checked=commands.is_separating,
            separator_before=True,
        ),
        ActionSpec(
            "model.separation-evidence",
            "Evidence as given",
            "Model",
            "Query d-separation given the present evidence.",
            commands.take_evidence,
            disabled_reason=commands.no_evidence_reason,
        ),
        ActionSpec(
            "model.members",
            "Equivalent graphs…",
            "Model",
            "List the DAGs of the equivalence class; choosing one keeps the distribution.",
            commands.list_members,
            icon="copy-simple",
            disabled_reason=commands.no_network_reason,
        ),
        ActionSpec(
            "model.turn",
            "Reverse edge, keep the distribution",
            "Model",
            "Reverse the selected edge and recompute both tables.",
            commands.turn,
            icon="arrows-left-right",
            disabled_reason=commands.not_turn_reason,
        ),
        ActionSpec(
            "evidence.do",
            "Intervene (do)…",
            "Evidence",
            "Fix the selected variable to a state; cuts the edges from its parents.",
            commands.choose_done,
            icon="lock-simple",
            disabled_reason=commands.no_do_reason,
        ),
    ]


class _Commands:
    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _page(self) -> ModelPage | None:
        """None also for a page that is about to follow its model out of the project."""
        page = current_model_page(self._app)
        return page if page is not None and page.model_id in self._app.project.models else None

    # -- separation

    def no_separation_reason(self) -> str | None:
        page = self._page
        return (
            NO_PAGE if page is None else page.separation.disabled_reason(page.picture_name) or None
        )

    def is_separating(self) -> bool:
        return self._page is not None and self._page.separation.is_open

    def toggle_separation(self) -> None:
        page = self._page
        if page is None:
            return
        if page.separation.is_open:
            page.separation.close()
        else:
            page.choose_tool("separation")
            page.canvas.view.setFocus()
        self._app.actions.refresh("model.separation")

    def no_evidence_reason(self) -> str | None:
        page = self._page
        if page is None:
            return NO_PAGE
        return self.no_separation_reason() or page.separation.no_evidence_reason() or None

    def take_evidence(self) -> None:
        if self._page is not None:
            self._page.choose_tool("separation")
            self._page.separation.take_evidence()
            self._app.actions.refresh("model.separation")

    # -- equivalence

    def no_network_reason(self) -> str | None:
        page = self._page
        if page is None:
            return NO_PAGE
        model = self._app.project.models[page.model_id or ""].model
        if plain_network(model) is None:
            return "only Bayesian networks have equivalent graphs."
        return None

    def list_members(self) -> None:
        from pgmstudio.gui.structure.equivalence_page import EquivalencePage

        if self._page is not None and self._page.model_id is not None:
            model_id = self._page.model_id
            self._app.open_page(
                f"equivalent:{model_id}", lambda: EquivalencePage(self._app, model_id)
            )

    def not_turn_reason(self) -> str | None:
        page = self._page
        if page is None:
            return NO_PAGE
        if not page.is_editable:
            return "edges are reversed in the DAG of a Bayesian network; show that diagram."
        edges = page.scene().selected_edges
        if len(edges) != 1:
            return "select one edge first."
        return page.editing.turning(*edges[0])[0] or None

    def turn(self) -> None:
        if self._page is not None and len(self._page.scene().selected_edges) == 1:
            self._page.editing.turn(*self._page.scene().selected_edges[0])

    # -- doing

    def no_do_reason(self) -> str | None:
        page = self._page
        if page is None:
            return NO_MODEL
        reason = page.asking.no_do_reason()
        if reason:
            return reason
        nodes = page.scene().selected_nodes
        known = [n for n in nodes if page.scene().nodes[n].face.beliefs]
        return None if len(nodes) == 1 and known else "select one variable first."

    def choose_done(self) -> None:
        page = self._page
        if page is not None and len(page.scene().selected_nodes) == 1:
            view, node = page.canvas.view, page.scene().selected_nodes[0]
            corner = view.mapFromScene(page.scene().nodes[node].box.bottomLeft())
            page.canvas.signals.do_menu.emit(node, view.viewport().mapToGlobal(corner))
