"""File ▸ Export: the current model or the plot of the runs as an image file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QObject

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.export.dialog import ExportDialog
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.runs.score_plot import score_plot
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.canvas import Canvas
    from pgmstudio.gui.widgets.image_file import Drawing, PictureOptions


class CanvasPage(Protocol):
    """A page with a canvas that can be exported."""

    @property
    def canvas(self) -> Canvas: ...
    @property
    def title(self) -> str: ...
    @property
    def model_id(self) -> str | None: ...


class ExportCommands(QObject):
    """Remembers the options and the folder of the last export."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._options: PictureOptions | None = None

    @property
    def _page(self) -> CanvasPage | None:
        """The current page, if it has a canvas."""
        page = self._app.center.current
        if page is not None and hasattr(page, "canvas"):
            return cast("CanvasPage", page)
        return None

    @property
    def _drawing(self) -> Drawing | None:
        """Of a page that has a plot."""
        page = self._app.center.current
        return None if page is None else page.drawing()

    def no_picture(self) -> str | None:
        if self._drawing is not None:
            return None
        if self._page is None:
            return "open a model first."
        entry = self._app.project.models.get(self._page.model_id or "")
        if entry is not None and not len(entry.model.domain):
            return "the model has no nodes yet. Draw one first."
        return None

    def no_plot(self) -> str | None:
        plot = self._app.service(score_plot)
        return None if plot.canvas is not None else "no run has a plot yet."

    def export_picture(self) -> None:
        from pgmstudio.gui.export.canvas_image import CanvasDrawing, SmallMultiplesDrawing

        page, drawing = self._page, self._drawing
        side = getattr(page, "side", None)
        if drawing is not None:
            self.ask_for_file(drawing)
        elif page is not None and side is not None and side.is_open:
            self.ask_for_file(SmallMultiplesDrawing(side.view, page.title))
        elif page is not None:
            self.ask_for_file(CanvasDrawing(getattr(page, "front", page.canvas), page.title))

    def export_plot(self) -> None:
        self.ask_for_file(PlotDrawing(self._app.service(score_plot), "Score by step"))

    def ask_for_file(self, drawing: Drawing) -> None:
        path = self._app.document.path
        folder = None if path is None else path.parent
        dialog = ExportDialog(drawing, folder, self._options, self._app.window)
        dialog.written.connect(self._on_written)
        dialog.finished.connect(self._on_finished)
        dialog.open()

    def _on_written(self, path: Path) -> None:
        self._app.notify(f"Wrote {path.name}.")

    def _on_finished(self) -> None:
        dialog = self.sender()
        if isinstance(dialog, ExportDialog):
            self._options = dialog.options
            dialog.deleteLater()


def export_drawing(app: AppContext, drawing: Drawing) -> None:
    """Ask for a file and write a drawing to it."""
    app.service(ExportCommands).ask_for_file(drawing)


def export_actions(app: AppContext) -> list[ActionSpec]:
    commands = app.service(ExportCommands)
    return [
        ActionSpec(
            "file.export",
            "Export picture…",
            "File",
            "Export the current model or plot as PNG, SVG or PDF, with its legend.",
            commands.export_picture,
            keys=("Ctrl+E",),
            icon="export",
            separator_before=True,
            needs=[commands.no_picture],
        ),
        ActionSpec(
            "file.export-plot",
            "Export plot of runs…",
            "File",
            "Export the scores of the selected run as PNG, SVG or PDF.",
            commands.export_plot,
            needs=[commands.no_plot],
        ),
    ]
