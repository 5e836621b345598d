"""Which page is in front, for actions; the classes of pages are loaded with the first of them.

Shell: what panels, pages and actions may ask of the window, without knowing the window.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.reading_limits import DEFAULT_GIGABYTES, set_read_limit
from pgmstudio.core.project.project import Project
from pgmstudio.gui.project.document import Document
from pgmstudio.gui.project.preferences import Preferences, load_preferences, save_preferences
from pgmstudio.gui.widgets.actions import ActionRegistry
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.error_reporter import ErrorReporter
from pgmstudio.gui.window.tab_area import TabArea
from pgmstudio.gui.window.undo_history import History
from pgmstudio.gui.window.workspace import Workspace

if TYPE_CHECKING:
    from pgmstudio.gui.data.page import DataPage
    from pgmstudio.gui.model_page.page import ModelPage
    from pgmstudio.gui.theme.theme import Mode


class AppContext(QObject):
    """One per window: document, workbench, centre, actions, preferences, and showing messages."""

    toast = Signal(str, object)  # sentence, undo action text or None
    preferences_changed = Signal(object)
    reveal_requested = Signal(str)  # panel name

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.document = Document(self)
        self.workspace = Workspace(self.document, self)
        self.center = TabArea()
        self.book = ActionRegistry(window)
        self.errors = ErrorReporter(self)
        self.history = History(self)
        self._preferences = load_preferences()
        if self._preferences.read_limit_gigabytes != DEFAULT_GIGABYTES:
            set_read_limit(self._preferences.read_limit_gigabytes)
        # Schedulers and folders that the person has named or agreed to since the program started.
        self.agreed_places: set[str] = set()
        self.center.page_changed.connect(self._on_page_changed)

    @property
    def project(self) -> Project:
        return self.document.project

    @property
    def preferences(self) -> Preferences:
        return self._preferences

    def set_preferences(self, preferences: Preferences) -> None:
        from pgmstudio.gui.theme.theme import theme

        before, self._preferences = self._preferences, preferences
        try:
            save_preferences(preferences)
        except PgmStudioError as error:  # they hold for this window all the same
            self.errors.report(error)
        if before.read_limit_gigabytes != preferences.read_limit_gigabytes:
            set_read_limit(preferences.read_limit_gigabytes)
        if (before.mode, before.scale, before.reduced_motion) != (
            preferences.mode,
            preferences.scale,
            preferences.reduced_motion,
        ):
            mode: Mode = "dark" if preferences.mode == "dark" else "light"
            if preferences.mode == "system":
                mode = "system"
            theme().set_look(
                mode=mode, scale=preferences.scale, reduced_motion=preferences.reduced_motion
            )
        self.preferences_changed.emit(preferences)

    def open_page(self, key: str, make: Callable[[], Page], *, beside: bool = False) -> Page:
        """The page with that key, made when it is not open yet, in front."""
        page = self.center.page(key)
        if page is None:
            return self.center.open(make(), beside=beside)
        self.center.bring_to_front(page)
        return page

    def change(self, text: str, edit: Callable[[Project], Project], *, merge: str = "") -> bool:
        """An undoable change; a refusal is shown and leaves everything as it was."""
        try:
            self.document.change(text, edit, merge=merge)
        except PgmStudioError as refusal:
            self.errors.report(refusal)
            return False
        return True

    def tell(self, sentence: str, *, undo: bool = False) -> None:
        """A toast at the bottom left and a line in the log."""
        self.workspace.message.emit("info", sentence)
        self.toast.emit(sentence, "Undo" if undo else None)

    def write_csv(self, path: Path, text: str) -> None:
        """Write a table, for spreadsheets where that is preferred; PgmStudioError if refused."""
        from pgmstudio.core.io.data.spreadsheets import write_csv

        write_csv(path, text, quoted=self._preferences.quote_formulas)

    def reveal(self, panel: str) -> None:
        """Bring a panel of the layout table to front."""
        self.reveal_requested.emit(panel)

    def _on_page_changed(self, page: Page | None) -> None:
        self.workspace.view_model(None if page is None else page.model_id)
        self.book.refresh()


def current_model_page(app: AppContext) -> ModelPage | None:
    page = app.center.current
    if page is None or not page.key.startswith("model:"):
        return None
    from pgmstudio.gui.model_page.page import ModelPage

    return page if isinstance(page, ModelPage) else None


def current_data_page(app: AppContext) -> DataPage | None:
    page = app.center.current
    if page is None or not page.key.startswith("data:"):
        return None
    from pgmstudio.gui.data.page import DataPage

    return page if isinstance(page, DataPage) else None
