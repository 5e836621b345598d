"""Learn ▸ Next moves: a search that is watched and steered one move at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.gui.app.actions import ActionSpec
from pgmstudio.gui.app.shell import Shell

if TYPE_CHECKING:
    from pgmstudio.gui.document.move_search import MoveSearch

PANEL = "movesPanel"
BEST_MOVE = "learn.best-move"


def moves_actions(shell: Shell) -> list[ActionSpec]:
    def search() -> MoveSearch:
        # It brings the search itself, which is not needed before a model is open.
        from pgmstudio.gui.document.move_search import move_search

        return move_search(shell)

    def no_moves() -> str | None:
        if not shell.project.models:
            return "open a Bayesian network first."
        return search().why_not()

    def no_move() -> str | None:
        reason = no_moves()
        if reason is not None:
            return reason
        found = search().found
        if not search().is_watched or found is None:
            return "open Learn ▸ Next moves first."
        return "no move raises the score." if found.is_optimum else None

    return [
        ActionSpec(
            "learn.moves",
            "Next moves",
            "Learn",
            "The ten best next moves of a search from this graph: accept, veto or force them.",
            lambda: shell.reveal(PANEL),
            keys=("Ctrl+Shift+M",),
            icon="skip-forward",
            why_not=no_moves,
        ),
        ActionSpec(
            BEST_MOVE,
            "Take the best move",
            "Learn",
            "The first of the next moves; the tables it touches are fitted to the rows.",
            lambda: search().take_best(1),
            keys=("Ctrl+.",),
            icon="skip-forward",
            why_not=no_move,
        ),
    ]
