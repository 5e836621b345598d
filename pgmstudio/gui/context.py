"""Protocols through which pages, panels and actions use the window.

A feature takes an `AppContext`, or one of the smaller protocols it is made of, and never imports
the window. `gui/window/app_context.py` has the implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import QSize, Qt, SignalInstance
from PySide6.QtWidgets import QMainWindow

from pgmstudio.core.errors import FileError
from pgmstudio.core.project.project import Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.jobs.background_run import BackgroundRuns
from pgmstudio.gui.jobs.run_queue import RunQueue
from pgmstudio.gui.project.document import Document
from pgmstudio.gui.project.preferences import Preferences
from pgmstudio.gui.widgets.actions import ActionRegistry
from pgmstudio.gui.widgets.page import Page

S = TypeVar("S")
Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Selection:
    """Selected variables (in the order of selecting) and edges of the active model."""

    nodes: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()


class Reporter(Protocol):
    """Shows errors."""

    def report(self, error: BaseException) -> None:
        """Show an error that was caught."""


class ErrorReporter(Reporter, Protocol):
    """Shows errors of the whole window, next to a page or a panel."""

    def report(self, error: BaseException, panel: str = "") -> None:
        """Show an error that was caught; without a panel it concerns the page."""

    def report_loss(self, error: FileError) -> None:
        """Show that something could not be saved or read, until it is dismissed."""

    def at(self, panel: str) -> Reporter:
        """The reporter of the panel with that name."""


@dataclass(frozen=True, slots=True)
class ToastAction:
    """The button of a toast."""

    text: str
    tip: str
    run: Callable[[], object]


class Notifier(Protocol):
    """Messages and errors for the person."""

    @property
    def errors(self) -> ErrorReporter: ...

    def notify(
        self, message: str, *, undo: bool = False, action: ToastAction | None = None
    ) -> None:
        """Show a toast, with an Undo button or another one, and add a line to the log."""

    def log(self, level: str, message: str) -> None:
        """Add a line to the log; `level` is "info", "warning" or "error"."""


class History(Protocol):
    """Undo and redo of project changes and evidence."""

    @property
    def can_undo(self) -> bool: ...
    @property
    def can_redo(self) -> bool: ...
    @property
    def undo_text(self) -> str: ...
    @property
    def redo_text(self) -> str: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...


class Documents(Protocol):
    """The open project and its changes."""

    @property
    def document(self) -> Document: ...
    @property
    def project(self) -> Project: ...
    @property
    def history(self) -> History: ...

    def change(self, text: str, edit: Callable[[Project], Project], *, merge: str = "") -> bool:
        """Make an undoable change; False when it was refused, which is shown."""


class Tabs(Protocol):
    """The tabs of pages, in one or two groups."""

    @property
    def page_changed(self) -> SignalInstance: ...  # the current Page or None
    @property
    def facts_changed(self) -> SignalInstance: ...
    @property
    def tiling_changed(self) -> SignalInstance: ...
    @property
    def start_requested(self) -> SignalInstance: ...
    @property
    def pages(self) -> tuple[Page, ...]: ...
    @property
    def current(self) -> Page | None: ...
    @property
    def is_tiled(self) -> bool: ...
    @property
    def page_size(self) -> QSize | None: ...  # beside the panels; None if it is not known

    def page(self, key: str) -> Page | None:
        """The open page with that key."""

    def bring_to_front(self, page: Page) -> None: ...
    def close_page(self, page: Page) -> bool: ...
    def close_all(self) -> None: ...
    def tile(self, orientation: Qt.Orientation | None) -> None: ...
    def step(self, by: int) -> None: ...
    def setFocus(self) -> None: ...


class Navigator(Protocol):
    """Opens pages and panels."""

    @property
    def center(self) -> Tabs: ...

    def open_page(self, key: str, make: Callable[[], Page], *, split: bool = False) -> Page:
        """Bring the page with that key to the front; make it when it is not open yet."""

    def open(self, opener: str, *args: object, **options: object) -> object:
        """Call an opener of the window's registry by name; see `gui/navigation.py`."""

    def reveal(self, panel: str) -> None:
        """Bring a panel to the front."""


class Beliefs(Protocol):
    """The beliefs of the models of the project."""

    @property
    def beliefs_changed(self) -> SignalInstance: ...  # model id whose beliefs or evidence changed

    def beliefs(self, model_id: str) -> BeliefService:
        """The beliefs of a model of the project."""

    @property
    def active_beliefs(self) -> BeliefService | None: ...


class Runs(Protocol):
    """Learning runs and other work in the background."""

    @property
    def runs(self) -> RunQueue: ...
    @property
    def background_runs(self) -> BackgroundRuns: ...


class Workspace(Beliefs, Runs, Protocol):
    """What panels and pages share: the active model, its selection, beliefs and runs."""

    @property
    def active_model_changed(self) -> SignalInstance: ...  # model id or None
    @property
    def selection_changed(self) -> SignalInstance: ...  # Selection
    @property
    def target_changed(self) -> SignalInstance: ...  # variable or None
    @property
    def message(self) -> SignalInstance: ...  # level, text
    @property
    def project(self) -> Project: ...
    @property
    def model_id(self) -> str | None: ...
    @property
    def selection(self) -> Selection: ...
    @property
    def target(self) -> str | None: ...
    def activate_model(self, model_id: str | None) -> None: ...
    def select(self, nodes: Iterable[str] = (), edges: Iterable[Edge] = ()) -> None: ...
    def set_target(self, variable: str | None) -> None: ...


class Settings(Protocol):
    """Preferences of the person."""

    @property
    def preferences(self) -> Preferences: ...
    @property
    def preferences_changed(self) -> SignalInstance: ...  # Preferences
    @property
    def approved_locations(self) -> set[str]: ...
    def set_preferences(self, preferences: Preferences) -> None: ...

    def write_csv(self, path: Path, text: str) -> None:
        """Write a table as CSV; PgmStudioError when that fails."""

    def export_file(self, path: Path, content: str | bytes, message: str = "") -> bool:
        """Write a table (text) or any file (bytes) and notify; False if it failed, as shown."""


class Services(Protocol):
    """Objects that exist once per window."""

    def service(self, factory: Callable[[AppContext], S]) -> S:
        """The object that `factory`, usually a class, makes for this window on first use."""


class AppContext(Notifier, Documents, Navigator, Settings, Services, Protocol):
    """Everything a feature may use of the window."""

    @property
    def window(self) -> QMainWindow: ...
    @property
    def workspace(self) -> Workspace: ...
    @property
    def actions(self) -> ActionRegistry: ...
