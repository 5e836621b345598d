"""Pages whose plot can be taken away as a picture."""

from __future__ import annotations

from pathlib import Path

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.plots.profile_plots import ProfileDrawing, SelfPainting


class PictureTaking:
    """For a page that knows its shell and has a title."""

    _app: AppContext

    def _take_picture(self, plot: SelfPainting, title: str) -> None:
        """Ask for a file and its kind."""
        from pgmstudio.gui.export.dialog import ExportDialog

        path = self._app.document.path
        dialog = ExportDialog(
            ProfileDrawing(plot, title),
            path.parent if path is not None else Path(),
            None,
            self._app.window,
        )
        dialog.written.connect(self._on_written)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_written(self, path: Path) -> None:
        self._app.notify(f"Wrote {path.name}.")
