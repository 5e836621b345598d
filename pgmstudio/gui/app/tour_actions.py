"""The guided tour in the Help menu."""

from __future__ import annotations

from pgmstudio.gui.app.actions import ActionSpec
from pgmstudio.gui.app.shell import Shell


def tour_actions(shell: Shell) -> list[ActionSpec]:
    def start() -> None:
        from pgmstudio.gui.app.guided_tour import start_tour

        start_tour(shell)

    return [
        ActionSpec(
            "help.tour",
            "Take the tour",
            "Help",
            "Eight steps through the window with a sample; leaving it leaves everything as it was.",
            start,
            icon="graduation-cap",
        )
    ]
