"""Notes in Markdown: typed above, shown as they will read below."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QFocusEvent,
    QFont,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named, vbox
from pgmstudio.gui.widgets.debounce import one_shot

# Typing becomes an undoable step after a pause of this length, or when the field is left.
PAUSE_MS = 800


class NotesEditor(QWidget):
    """Editor of notes; `edited` sends the whole text."""

    edited = Signal(str, str)  # key, text

    def __init__(self, name: str, what: str) -> None:
        super().__init__()
        self._key = ""
        self._saved = ""
        self._field = named(_Field(), name, what, f"{what}, in Markdown; undo takes them back.")
        self._field.setPlaceholderText("Notes, in Markdown")
        self._field.setTabChangesFocus(True)
        self._field.left.connect(self.commit)
        self._field.textChanged.connect(self._on_typed)
        self._preview = label(wrap=True, rich=True, name=f"{name}Preview")
        self._preview.linkActivated.connect(_open_link)
        self._preview_head = label("As it reads", "tertiary", size="dense")
        self._pause = one_shot(self, self.commit, PAUSE_MS)
        vbox(self, self._field, self._preview_head, self._preview, spacing=6)
        theme().changed.connect(self._restyle)
        self._restyle()
        self._show_preview("")

    def show_notes(self, key: str, text: str) -> None:
        """Show other notes; edits of the previous ones are saved first."""
        if key == self._key and text == self._saved:
            return
        if key != self._key:
            self.commit()
        self._key, self._saved = key, text
        if text != self._field.toPlainText():
            with QSignalBlocker(self._field):
                self._field.setPlainText(text)
            self._show_preview(text)

    def commit(self) -> None:
        """Emit `edited` if the text has changed."""
        self._pause.stop()
        text = self._field.toPlainText()
        if self._key and text != self._saved:
            self._saved = text
            self.edited.emit(self._key, text)

    def _on_typed(self) -> None:
        self._pause.start()
        self._show_preview(self._field.toPlainText())

    def _show_preview(self, text: str) -> None:
        self._preview.setText(notes_html(text, self._preview.font()))
        for widget in (self._preview, self._preview_head):
            widget.setVisible(bool(text.strip()))

    def _restyle(self) -> None:
        self._field.setFixedHeight(self._field.fontMetrics().lineSpacing() * 6 + 14)


WEB = ("http", "https")


def notes_html(markdown: str, font: QFont) -> str:
    """Notes come with files of others: images become their alternative text, and links lead to the
    web."""
    document = QTextDocument()
    document.setDefaultFont(font)
    document.setMarkdown(markdown, QTextDocument.MarkdownFeature.MarkdownNoHTML)
    pieces = [
        (fragment.position(), fragment.length(), fragment.charFormat())
        for fragment in _fragments(document)
    ]
    cursor = QTextCursor(document)
    for start, length, look in reversed(pieces):
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        if look.isImageFormat():
            text = look.stringProperty(QTextFormat.Property.ImageAltText) or "image"
            cursor.insertText(text, QTextCharFormat())
        elif look.isAnchor() and QUrl(look.anchorHref()).scheme() not in WEB:
            cursor.insertText(cursor.selectedText(), QTextCharFormat())
        elif look.isAnchor():
            look.clearForeground()  # that of the theme
            cursor.setCharFormat(look)
    return document.toHtml()


def _fragments(document: QTextDocument) -> Iterator[QTextFragment]:
    """Pieces of one look each, in their order."""
    block = document.begin()
    while block.isValid():
        part = block.begin()
        while not part.atEnd():
            yield part.fragment()
            part += 1
        block = block.next()


def _open_link(address: str) -> None:
    url = QUrl(address)
    if url.scheme() in WEB:
        QDesktopServices.openUrl(url)


class _Field(QPlainTextEdit):
    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()
