"""The context of a main window: the implementation of the protocols in `gui/context.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.reading_limits import DEFAULT_GIGABYTES, set_read_limit
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.document import Document
from pgmstudio.gui.project.preferences import Preferences, load_preferences, save_preferences
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import ActionRegistry
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.error_reporter import WindowErrorReporter
from pgmstudio.gui.window.registry import PAGE_OPENERS
from pgmstudio.gui.window.tab_area import TabArea
from pgmstudio.gui.window.undo_history import UndoHistory
from pgmstudio.gui.window.workspace import WindowWorkspace

if TYPE_CHECKING:
    from pgmstudio.gui.theme.theme import Mode

S = TypeVar("S")


class WindowContext(QObject):
    """One per window: document, workspace, tabs, actions, preferences, messages and services."""

    toast = Signal(str, object)  # message, text of an undo button or None
    preferences_changed = Signal(object)
    reveal_requested = Signal(str)  # panel name

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.window = window
        self._services: dict[object, object] = {}
        self.document = Document(self)
        self.workspace = WindowWorkspace(self.document, self)
        self.center = TabArea()
        self.actions = ActionRegistry(window)
        self.errors = WindowErrorReporter(self)
        self.history = UndoHistory(self)
        self._preferences = load_preferences()
        if self._preferences.read_limit_gigabytes != DEFAULT_GIGABYTES:
            set_read_limit(self._preferences.read_limit_gigabytes)
        # Schedulers and folders that the person has named or agreed to since the program started.
        self.approved_locations: set[str] = set()
        self.center.page_changed.connect(self._on_page_changed)

    def service(self, factory: Callable[[AppContext], S]) -> S:
        """The object that `factory` makes for this window, made on first use."""
        if factory not in self._services:
            self._services[factory] = factory(self)
        return cast(S, self._services[factory])

    @property
    def project(self) -> Project:
        return self.document.project

    @property
    def preferences(self) -> Preferences:
        return self._preferences

    def set_preferences(self, preferences: Preferences) -> None:
        before, self._preferences = self._preferences, preferences
        try:
            save_preferences(preferences)
        except PgmStudioError as error:  # they apply to this window all the same
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

    def open_page(self, key: str, make: Callable[[], Page], *, split: bool = False) -> Page:
        """Bring the page with that key to the front; make it when it is not open yet."""
        page = self.center.page(key)
        if page is None:
            return self.center.open(make(), split=split)
        self.center.bring_to_front(page)
        return page

    def open(self, opener: str, *args: object, **options: object) -> object:
        """Call an opener of `PAGE_OPENERS` by name."""
        return PAGE_OPENERS[opener].load()(self, *args, **options)

    def change(self, text: str, edit: Callable[[Project], Project], *, merge: str = "") -> bool:
        """Make an undoable change; False when it was refused, which is shown."""
        try:
            self.document.change(text, edit, merge=merge)
        except PgmStudioError as refusal:
            self.errors.report(refusal)
            return False
        return True

    def notify(self, message: str, *, undo: bool = False) -> None:
        """Show a toast, with an Undo button if asked, and add a line to the log."""
        self.log("info", message)
        self.toast.emit(message, "Undo" if undo else None)

    def log(self, level: str, message: str) -> None:
        """Add a line to the log; `level` is "info", "warning" or "error"."""
        self.workspace.message.emit(level, message)

    def write_csv(self, path: Path, text: str) -> None:
        """Write a table, quoted for spreadsheets where that is preferred; PgmStudioError if not."""
        from pgmstudio.core.io.data.spreadsheets import write_csv

        write_csv(path, text, quoted=self._preferences.quote_formulas)

    def reveal(self, panel: str) -> None:
        """Bring a panel to the front."""
        self.reveal_requested.emit(panel)

    def _on_page_changed(self, page: Page | None) -> None:
        self.workspace.activate_model(None if page is None else page.model_id)
        self.actions.refresh()
