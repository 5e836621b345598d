"""Files dropped on the window, wherever the pointer is, with a highlight while they are over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QWidget

from pgmstudio.core.io.models.files import is_model_path
from pgmstudio.core.number_format import counted
from pgmstudio.gui.evidence.files import EVIDENCE_ENDING
from pgmstudio.gui.files.saving import PROJECT_ENDING
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named, vbox

_MARGIN = 6  # px between the edge of the window and the frame
_FRAME = 3
_TINT = 28  # of 255


def dropped_files(data: QMimeData) -> list[Path]:
    """The local files of a drag; those of the program's own drags are none."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def drop_text(files: Sequence[Path]) -> str:
    """What dropping these files does."""
    if len(files) != 1:
        return f"Drop to open {counted(len(files), 'file')}"
    (file,) = files
    ending = file.suffix.lower()
    if ending == PROJECT_ENDING:
        return f"Drop to open the project {file.name}"
    if ending == EVIDENCE_ENDING:
        return f"Drop to set the evidence of {file.name}"
    return f"Drop to {'open' if is_model_path(file) else 'import'} {file.name}"


class FileDrop(QWidget):
    """Covers the window while files are dragged over it.

    Text fields, lists and diagrams take drags before the window sees them: the events are taken
    from the window of the system instead, and the cover receives all that follow.
    """

    def __init__(self, window: QMainWindow, open_files: Callable[[Sequence[Path]], None]) -> None:
        super().__init__(window)
        self.setObjectName("fileDrop")
        self.setAcceptDrops(True)
        self._open_files = open_files
        self._text = named(QLabel(), "fileDropText")
        self._text.setProperty("role", "card")
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._text.setMargin(theme().space(3))
        layout = vbox(self, self._text)
        layout.setAlignment(self._text, Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def watch(self) -> None:
        """Follow the drags over the window, which must have been shown."""
        handle = self.window().windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and self._takes(event):
            self._cover(dropped_files(event.mimeData()))
        elif event.type() == QEvent.Type.DragLeave:
            self.hide()
        return super().eventFilter(watched, event)

    def _takes(self, event: QDropEvent) -> bool:
        is_busy = QApplication.activeModalWidget() is not None
        return not is_busy and bool(dropped_files(event.mimeData()))

    def _cover(self, files: Sequence[Path]) -> None:
        self._text.setText(drop_text(files))
        self._text.setFont(theme().font("heading"))
        self.setGeometry(self.window().rect())
        self.show()
        self.raise_()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.hide()
        self._open_files(dropped_files(event.mimeData()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = theme().color("accent")
        tint = QColor(accent)
        tint.setAlpha(_TINT)
        painter.setPen(QPen(accent, _FRAME))
        painter.setBrush(tint)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(*[_MARGIN] * 2, *[-_MARGIN] * 2), 8, 8)
