"""Actions of SL-curves in the Evaluate menu, and of synthetic data in the Data menu."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.core.errors import FileError
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.navigation import close_welcome, open_generate_page
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import choose_folder

if TYPE_CHECKING:
    from pgmstudio.gui.curves.page import CurvesPage


def open_curves(app: AppContext, what: str | Path) -> CurvesPage:
    """The live plot of some curves: those of the project by their id, or those of a folder.

    A folder of points that the project does not know yet becomes curves of the project; points that
    are added to it, by whomever, appear as they come.
    """
    from pgmstudio.gui.curves.page import CurvesPage

    curve_id = what if isinstance(what, str) else _curves_of_folder(app, what)
    close_welcome(app)
    page = app.open_page(f"curves:{curve_id}", partial(CurvesPage, app, curve_id))
    assert isinstance(page, CurvesPage)
    return page


def _curves_of_folder(app: AppContext, folder: Path) -> str:
    from pgmstudio.core.io.experiments import read_folder_plan

    folder = folder.resolve()
    for key, entry in app.project.curves.items():
        if entry.folder and Path(entry.folder).resolve() == folder:
            return key
    plan = read_folder_plan(folder)
    title = folder.stem if plan is None else plan.title or folder.stem
    setup = {} if plan is None else {"plan": plan.plain()}
    curve_id = app.project.next_curve_id()
    entry = CurveEntry(title, (), None, setup, str(folder))
    app.change(f"Open {title}", partial(edits.add_curve, entry=entry))
    return curve_id


def curve_actions(app: AppContext) -> list[ActionSpec]:
    def plan() -> None:
        from pgmstudio.gui.curves.plan_page import open_plan

        page = app.center.current
        open_plan(app, data_id=None if page is None else page.about_data())

    def show() -> None:
        open_curves(app, list(app.project.curves)[-1])

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
            open_curves(app, folder)

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
