"""The action of the tour, which loads pages of the whole window when it starts."""

from __future__ import annotations

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.actions import ActionSpec


def tour_actions(app: AppContext) -> list[ActionSpec]:
    def start() -> None:
        from pgmstudio.gui.tour.guided_tour import start_tour

        start_tour(app)

    return [
        ActionSpec(
            "help.tour",
            "Take the tour",
            "Help",
            "Show the window in eight steps on a sample; your project stays unchanged.",
            start,
            icon="graduation-cap",
        )
    ]
