"""Actions of SL-curves in the Evaluate menu, and of synthetic data in the Data menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.core.errors import FileError
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.navigation import open_curve_plan, open_curves_page, open_generate_page
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import choose_folder

if TYPE_CHECKING:
    pass


def curve_actions(app: AppContext) -> list[ActionSpec]:
    def plan() -> None:
        page = app.center.current
        open_curve_plan(app, data_id=None if page is None else page.about_data())

    def show() -> None:
        open_curves_page(app, list(app.project.curves)[-1])

    def no_curves() -> str | None:
        if app.project.curves:
            return None
        return "there are no curves; Evaluate ▸ SL-curves… plans some."

    def open_folder() -> None:
        from pgmstudio.core.io.experiments import POINTS

        folder = choose_folder(app.window, "experiment", "A folder of points")
        if folder is not None and not (folder / POINTS).is_file():
            problem = (
                "holds no points of a sweep. Choose the folder given as --out to “pgmstudio sweep”."
            )
            app.errors.report(FileError(folder, problem))
        elif folder is not None:
            open_curves_page(app, folder)

    def generate() -> None:
        open_generate_page(app)

    return [
        ActionSpec(
            "evaluate.curves",
            "SL-curves…",
            "Evaluate",
            "Plan a sweep that compares log-likelihood and size of the languages.",
            plan,
            icon="chart-line",
            needs=[Conditions(app).data],
            separator_before=True,
        ),
        ActionSpec(
            "evaluate.curves-show",
            "Show SL-curves",
            "Evaluate",
            "Show the newest curves of the project.",
            show,
            needs=[no_curves],
        ),
        ActionSpec(
            "evaluate.curves-folder",
            "Open a folder of points…",
            "Evaluate",
            "Open the points of a run of “pgmstudio sweep”.",
            open_folder,
        ),
        ActionSpec(
            "data.generate",
            "Generate data…",
            "Data",
            "Generate synthetic data: random networks, decision graphs, logic, parity, cycles.",
            generate,
            icon="dice-five",
        ),
    ]
