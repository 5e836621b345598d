"""The context of a main window: the implementation of the protocols in `gui/context.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.io.reading_limits import DEFAULT_GIGABYTES, set_read_limit
from pgmstudio.core.project.project import Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import AppContext, Edge, Selection, ToastAction
from pgmstudio.gui.jobs.background_run import BackgroundRuns
from pgmstudio.gui.jobs.run_queue import RunQueue
from pgmstudio.gui.project.document import Document
from pgmstudio.gui.project.preferences import Preferences, load_preferences, save_preferences
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import ActionRegistry
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.error_reporter import WindowErrorReporter
from pgmstudio.gui.window.registry import PAGE_OPENERS
from pgmstudio.gui.window.tab_area import TabArea
from pgmstudio.gui.window.undo_history import UndoHistory

if TYPE_CHECKING:
    from pgmstudio.gui.theme.theme import Mode

S = TypeVar("S")


class WindowWorkspace(QObject):
    """One per window. Panels connect to its signals and do not know each other."""

    active_model_changed = Signal(object)  # model id or None
    selection_changed = Signal(object)  # Selection
    beliefs_changed = Signal(str)  # model id whose beliefs or evidence are new
    target_changed = Signal(object)  # variable or None
    message = Signal(str, str)  # level ("info", "warning", "error"), text: for the log

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.runs = RunQueue(document, self)
        self.background_runs = BackgroundRuns(self)
        self._model_id: str | None = None
        self._selection = Selection()
        self._target: str | None = None
        self._beliefs: dict[str, BeliefService] = {}
        document.replaced.connect(self._on_replaced)
        document.changed.connect(self._on_document_changed)

    @property
    def project(self) -> Project:
        return self.document.project

    @property
    def model_id(self) -> str | None:
        """The model of the current tab; None when another page is shown."""
        return self._model_id

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def target(self) -> str | None:
        return self._target

    def activate_model(self, model_id: str | None) -> None:
        if model_id != self._model_id:
            self._model_id = model_id
            self._selection = Selection()
            self.active_model_changed.emit(model_id)
            self.selection_changed.emit(self._selection)

    def select(self, nodes: Iterable[str] = (), edges: Iterable[Edge] = ()) -> None:
        selection = Selection(tuple(nodes), tuple(edges))
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit(selection)

    def set_target(self, variable: str | None) -> None:
        if variable != self._target:
            self._target = variable
            self.target_changed.emit(variable)

    def beliefs(self, model_id: str) -> BeliefService:
        """The beliefs of a model of the project, made on first use."""
        if model_id not in self._beliefs:
            live = BeliefService(self.project.models[model_id].model, self)
            self._beliefs[model_id] = live
            live.changed.connect(lambda: self.beliefs_changed.emit(model_id))
            live.evidence_changed.connect(lambda: self.beliefs_changed.emit(model_id))
        return self._beliefs[model_id]

    @property
    def active_beliefs(self) -> BeliefService | None:
        return None if self._model_id is None else self.beliefs(self._model_id)

    def _on_replaced(self) -> None:
        """Drop what belongs to the models of the previous project."""
        self.activate_model(None)
        self.set_target(None)
        for live in self._beliefs.values():
            live.deleteLater()
        self._beliefs.clear()

    def _on_document_changed(self, before: Project, after: Project) -> None:
        for model_id in list(self._beliefs):
            if model_id not in after.models:
                self._beliefs.pop(model_id).deleteLater()
            elif after.models[model_id].model is not self._beliefs[model_id].model:
                self._beliefs[model_id].set_model(after.models[model_id].model)
        if self._model_id is not None and self._model_id not in after.models:
            self.activate_model(None)
            return
        if self._model_id is not None:
            names = after.models[self._model_id].model.domain
            nodes = [n for n in self._selection.nodes if n in names]
            edges = [e for e in self._selection.edges if e[0] in names and e[1] in names]
            self.select(nodes, edges)


class WindowContext(QObject):
    """One per window: document, workspace, tabs, actions, preferences, messages and services."""

    toast = Signal(str, object)  # message, ToastAction or None
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
        self.actions.use_shortcuts(self._preferences.shortcuts)
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
        if before.shortcuts != preferences.shortcuts:
            self.actions.use_shortcuts(preferences.shortcuts)
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

    def notify(
        self, message: str, *, undo: bool = False, action: ToastAction | None = None
    ) -> None:
        """Show a toast, with an Undo button or another one, and add a line to the log."""
        self.log("info", message)
        if undo:
            action = ToastAction("Undo", "Undo the last change", self.document.undo_stack.undo)
        self.toast.emit(message, action)

    def log(self, level: str, message: str) -> None:
        """Add a line to the log; `level` is "info", "warning" or "error"."""
        self.workspace.message.emit(level, message)

    def write_csv(self, path: Path, text: str) -> None:
        """Write a table, quoted for spreadsheets where that is preferred; PgmStudioError if not."""
        write_csv(path, text, quoted=self._preferences.quote_formulas)

    def export_file(self, path: Path, content: str | bytes, message: str = "") -> bool:
        """Write a table (text) or any file (bytes) and notify; False if it failed, as shown."""
        try:
            if isinstance(content, str):
                self.write_csv(path, content)
            else:
                replace_file(path, content)
        except PgmStudioError as error:
            self.errors.report(error)
            return False
        self.notify(message or f"{path.name} was written.")
        return True

    def reveal(self, panel: str) -> None:
        """Bring a panel to the front."""
        self.reveal_requested.emit(panel)

    def _on_page_changed(self, page: Page | None) -> None:
        self.workspace.activate_model(None if page is None else page.model_id)
        self.actions.refresh()
