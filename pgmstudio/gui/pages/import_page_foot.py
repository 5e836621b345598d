"""The buttons under an import page; they never scroll away."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from pgmstudio.gui.style.widgets import button, label


def _nothing() -> None:
    """The page connects to `clicked` itself."""


class ImportFoot(QWidget):
    """Cancel at the left; Back, Next and the primary button at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("importFoot")
        self.cancel = self._button("Cancel", "importCancel", "Leave; nothing is imported", "link")
        self.back = self._button("Back", "importBack", "The step before", icon_name="caret-left")
        self.forward = self._button("Next", "importNext", "The next step")
        self.finish = self._button(
            "Import", "importFinish", "Add the rows to the project", "primary", "check"
        )
        self.finish.setShortcut("Ctrl+Return")
        self.words = label("", "secondary", size="dense")
        self.words.setObjectName("importProgress")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(120)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 10)
        layout.setSpacing(8)
        layout.addWidget(self.cancel)
        layout.addWidget(self.bar)
        layout.addWidget(self.words, 1)
        for made in (self.back, self.forward, self.finish):
            layout.addWidget(made)
        self.tell_progress("")

    def _button(
        self, text: str, name: str, tip: str, role: str = "", icon_name: str | None = None
    ) -> QPushButton:
        return button(text, _nothing, role=role, icon_name=icon_name, tip=tip, name=name)

    def tell_progress(self, words: str) -> None:
        """What is going on; nothing: the bar goes away."""
        self.words.setText(words)
        self.bar.setVisible(bool(words))

    def show_finish(self, words: str, reason: str | None) -> None:
        self.finish.setText(words)
        self.finish.setAccessibleName(words)
        self.finish.setEnabled(reason is None)
        self.finish.setToolTip(f"Not now: {reason}" if reason else f"{words} (Ctrl+Return)")
