"""The error reporter: a banner for errors a person can act on, a dialog for bugs."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMessageBox

from pgmstudio.core.errors import Cancelled, FileError, PgmStudioError

log = logging.getLogger("pgmstudio")


class PanelReporter(QObject):
    """Reports the errors of one panel, which shows them itself."""

    def __init__(self, errors: WindowErrorReporter, panel: str) -> None:
        super().__init__(errors)
        self._errors, self._panel = errors, panel

    def report(self, error: BaseException) -> None:
        """Show an error that was caught."""
        self._errors.report(error, self._panel)


class WindowErrorReporter(QObject):
    """Reports errors: `message` for those a person can act on; bugs are logged and shown once.

    While the dialog is open, other bugs are added to its details.
    """

    message = Signal(str)
    noted = Signal(str, str, str)  # name of the panel or "", message, details
    loss_noted = Signal(str, str)  # message, details
    _bug_in_thread = Signal(str, str)  # what and where, details

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._seen: set[str] = set()
        self._box: QMessageBox | None = None
        self._panels: dict[str, PanelReporter] = {}
        self._bug_in_thread.connect(self._show_bug)

    def install(self) -> None:
        """Handle every uncaught error, in any thread."""
        sys.excepthook = self._on_uncaught
        threading.excepthook = self._on_uncaught_in_thread

    def at(self, panel: str) -> PanelReporter:
        """The reporter of the panel with that name."""
        if panel not in self._panels:
            self._panels[panel] = PanelReporter(self, panel)
        return self._panels[panel]

    def report(self, error: BaseException, panel: str = "") -> None:
        """Show an error that was caught; without a panel it concerns the page."""
        if isinstance(error, Cancelled):
            return
        if isinstance(error, PgmStudioError):
            log.info("%s", error)
            self.message.emit(str(error))
            self.noted.emit(panel, str(error), "".join(traceback.format_exception(error)))
            return
        frames = traceback.extract_tb(error.__traceback__)[-1:]
        key = f"{type(error).__name__} at {[(frame.filename, frame.lineno) for frame in frames]}"
        self._bug_in_thread.emit(key, "".join(traceback.format_exception(error)))

    def report_loss(self, error: FileError) -> None:
        """Show that something could not be saved or read, until it is dismissed or saved."""
        log.warning("%s", error, exc_info=error.__cause__)
        self.message.emit(str(error))
        self.loss_noted.emit(str(error), "".join(traceback.format_exception(error)))

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            app = QApplication.instance()
            if app is not None:
                app.quit()
            return
        self.report(error.with_traceback(trace))

    def _on_uncaught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.report(args.exc_value)

    def _show_bug(self, key: str, details: str) -> None:
        log.error("%s", details)
        if key in self._seen:
            return
        self._seen.add(key)
        if self._box is not None:
            self._box.setDetailedText(f"{self._box.detailedText()}\n{details}")
            return
        box = self._box = QMessageBox(QApplication.activeWindow())
        box.setObjectName("bugBox")
        box.setIcon(QMessageBox.Icon.Critical)
        box.setWindowTitle("PGM Studio – internal error")
        box.setText(
            "An unexpected error occurred. Your project was not changed; "
            "save it under a new name to be safe."
        )
        box.setDetailedText(details)
        copy = box.addButton("Copy details", QMessageBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QApplication.clipboard().setText(box.detailedText()))
        box.addButton(QMessageBox.StandardButton.Close)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.destroyed.connect(self._on_box_gone)
        box.open()

    def _on_box_gone(self) -> None:
        self._box = None
