"""The log panel: every message since the project was opened, newest last."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pgmstudio.core.languages import learners, registry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages import registry as views
from pgmstudio.gui.widgets.basic import vbox

MAX_LINES = 2000
_WORDS = {"info": "", "warning": "Caution: ", "error": "Error: "}


class LogPanel(QWidget):
    """Sentences with the time they came."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("log")
        self._text = QPlainTextEdit()
        self._text.setObjectName("logText")
        self._text.setAccessibleName("Log")
        self._text.setToolTip("What happened, newest last; select and copy as you like.")
        self._text.setReadOnly(True)
        self._text.setProperty("textSize", "mono")
        self._text.setMaximumBlockCount(MAX_LINES)
        self._text.setPlaceholderText("What the program does and refuses is written here.")
        vbox(self, self._text)
        app.workspace.message.connect(self._on_message)
        app.document.replaced.connect(self._on_replaced)
        self._add_plugin_problems()

    def _on_replaced(self) -> None:
        self._text.clear()
        self._add_plugin_problems()

    def _add_plugin_problems(self) -> None:
        for module in (registry, learners, views):
            for problem in module.PLUGINS.problems:
                self._on_message("warning", problem)

    def _on_message(self, level: str, sentence: str) -> None:
        now = datetime.now().strftime("%H:%M:%S")
        self._text.appendPlainText(f"{now}  {_WORDS.get(level, '')}{sentence}")
