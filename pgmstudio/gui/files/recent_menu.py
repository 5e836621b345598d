"""File ▸ Open recent: the projects opened or saved last, newest first."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QMenu, QWidget

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.widgets.basic import literal

NONE_YET = "Not now: no project was opened or saved yet."


class RecentMenu(QMenu):
    """Filled when it is about to show; off while there is nothing to list."""

    def __init__(self, app: AppContext, parent: QWidget) -> None:
        super().__init__("Open recent", parent)
        self._app = app
        self.setObjectName("menuFile/Open recent")
        self.setToolTipsVisible(True)
        self.menuAction().setObjectName("file.recent")
        self.aboutToShow.connect(self._fill)
        app.preferences_changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """On or off, with the reason."""
        is_any = bool(self._app.preferences.recent)
        self.menuAction().setEnabled(is_any)
        self.menuAction().setToolTip(
            "A project that was opened or saved before." if is_any else NONE_YET
        )

    def _fill(self) -> None:
        self.clear()
        for name in self._app.preferences.recent:
            path = Path(name)
            action = self.addAction(literal(path.name))
            action.setToolTip(name)
            action.triggered.connect(
                lambda _checked=False, path=path: open_files(self._app, [path])
            )
            if not path.is_file():
                action.setEnabled(False)
                action.setToolTip(f"Not now: there is no file {name}.")
