"""Errors of actions as a note at the top of the region they concern: the page, or a panel."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, Qt
from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget

from pgmstudio.gui.widgets.basic import Note, button, tool_button
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.app_context import WindowContext
from pgmstudio.gui.window.docks import PanelDocks

# A change so soon after an error may be part of what failed: one of two files was opened.
SETTLED_MS = 1500
# More would push what the note is about out of sight; the log has them all.
MAX_SHOWN = 4


class ErrorNote(Note):
    """Stays until it is closed or something else is changed; several errors make one list."""

    def __init__(self, name: str = "errorNote") -> None:
        super().__init__(level="danger", name=name)
        self._messages: list[tuple[str, str]] = []
        self._age = QElapsedTimer()
        self.add_button(
            button(
                "Copy details",
                self._on_copy,
                role="link",
                tip="Copy message and traceback",
                name="errorNoteCopy",
            )
        )
        self._close = tool_button("x", "Close this note", self.dismiss, name="errorNoteClose")
        self._layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)

    def add(self, message: str, details: str) -> None:
        """Add a message; a repeated one moves to the end."""
        kept_messages = [message_of for message_of in self._messages if message_of[0] != message]
        self._messages = [*kept_messages, (message, details)][-MAX_SHOWN:]
        self._age.start()
        sentences = [message_of for message_of, _ in self._messages]
        mark = "• " if len(sentences) > 1 else ""
        self.show_text("\n".join(mark + message_of for message_of in sentences))

    @property
    def is_settled(self) -> bool:
        return self._age.isValid() and self._age.hasExpired(SETTLED_MS)

    def dismiss(self) -> None:
        self._messages = []
        self.show_text("")

    def _on_copy(self) -> None:
        QApplication.clipboard().setText("\n\n".join(details for _, details in self._messages))


LOSS = "loss"  # the note of what is not on the disk


class ErrorNotes(QObject):
    """Puts each error into the panel it was reported for, or above the pages.

    What is not on the disk has a note of its own, which stays until it is closed or saved.
    """

    def __init__(self, app: WindowContext, panels: PanelDocks) -> None:
        super().__init__(app.window)
        self._center, self._panels = app.center, panels
        self._notes: dict[str, ErrorNote] = {}
        self._document = app.document
        app.document.changed.connect(self._on_changed)
        app.document.file_changed.connect(self._on_file_changed)
        app.center.page_changed.connect(self._on_page_changed)

    def show(self, panel: str, message: str, details: str) -> None:
        """In that panel when it is in sight; else, and without a name, above the pages."""
        is_seen = panel in self._panels.docks and self._panels.panel(panel).isVisible()
        self._note(panel if is_seen else "").add(message, details)

    def show_loss(self, message: str, details: str) -> None:
        self._note(LOSS).add(message, details)

    def dismiss_one(self) -> bool:
        """Close the note that came last; False when none is in sight."""
        for note in reversed(self._notes.values()):
            if note.isVisible():
                note.dismiss()
                return True
        return False

    def dismiss_all(self) -> None:
        for note in self._notes.values():
            note.dismiss()

    def _on_changed(self, _before: object, _after: object) -> None:
        """The person went on: what was refused earlier is in the log."""
        for name, note in self._notes.items():
            if name != LOSS and note.is_settled:
                note.dismiss()

    def _on_file_changed(self) -> None:
        if LOSS in self._notes and self._document.is_saved:
            self._notes[LOSS].dismiss()

    def _on_page_changed(self, page: Page | None) -> None:
        if page is None:  # another project comes
            self.dismiss_all()

    def _note(self, panel: str) -> ErrorNote:
        if panel not in self._notes:
            is_above = panel in ("", LOSS)
            region: QWidget = self._center if is_above else self._panels.panel(panel)
            note = self._notes[panel] = ErrorNote("lossNote" if panel == LOSS else "errorNote")
            layout = region.layout()
            assert isinstance(layout, QBoxLayout), f"{panel} stands in no column"
            layout.insertWidget(0, note)
        return self._notes[panel]
