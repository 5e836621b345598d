"""Confirmation before a sweep connects or writes to an address from a project file.

A project may come from another person. A Dask scheduler that is connected to can run its own code
here, and a folder of points may be anywhere.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from pgmstudio.core.io.experiments import POINTS
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.curves.sweep_run import usual_folder


def may_sweep(app: AppContext, cluster: str, folder: Path | None) -> bool:
    """Whether to connect to the scheduler and write into the folder; asked once for each."""
    asked: dict[str, str] = {}
    if cluster and cluster not in app.approved_locations:
        asked[cluster] = (
            f"connects to the Dask scheduler at {cluster}, which can run programs on this computer"
        )
    if folder is not None and not _is_expected(app, folder):
        asked[str(folder)] = f"writes into the folder {folder}"
    if not asked:
        return True
    buttons = QMessageBox.StandardButton
    box = QMessageBox(app.window)
    box.setObjectName("sweepBox")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle("PGM Studio")
    box.setText(f"The sweep {' and '.join(asked.values())}.")
    box.setInformativeText(
        "This address comes from the project file. Continue only if you know and trust it."
    )
    box.setStandardButtons(buttons.Yes | buttons.Cancel)
    box.button(buttons.Yes).setText("Go on")
    box.setDefaultButton(buttons.Cancel)
    if box.exec() != buttons.Yes:
        return False
    app.approved_locations.update(asked)
    return True


def _is_expected(app: AppContext, folder: Path) -> bool:
    """Chosen here, or where the program itself puts points, or with points in it already."""
    if str(folder) in app.approved_locations or folder.parent == usual_folder(app):
        return True
    return (folder / POINTS).is_file()
