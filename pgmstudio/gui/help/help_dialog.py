"""The manual in a window of its own, over a dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.help.page import HelpPage
from pgmstudio.gui.help.topics import topic_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import vbox


class HelpDialog(QDialog):
    """Shows the page on a widget of the dialog below it."""

    def __init__(self, app: AppContext, about: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("helpDialog")
        self.setWindowTitle("Manual")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.page = HelpPage(app)
        vbox(self, self.page)
        self.resize(round(760 * theme().scale), round(520 * theme().scale))
        self.page.show_file(*topic_of(about))
