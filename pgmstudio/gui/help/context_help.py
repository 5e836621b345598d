"""F1: the manual at what has the focus; over a dialog in a window of its own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.help.topics import topic_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import resize_dialog, vbox

KEY = "F1"


class ContextHelp(QObject):
    """One for a window. Dialogs, which the keys of the menus do not reach, get a key of their own
    when they get the focus."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        qt_app = QApplication.instance()
        assert isinstance(qt_app, QApplication)
        qt_app.focusChanged.connect(self._on_focus)

    def show(self) -> None:
        """Open the page for the focus; without one, that of the current page."""
        from pgmstudio.gui.help.page import open_help

        focus = self._app.window.focusWidget()
        page = self._app.center.current
        is_inside = focus is not None and focus.objectName() != "center"
        open_help(self._app, *topic_of(focus if is_inside else page))

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        dialog = None if now is None else now.window()
        if isinstance(dialog, QDialog) and dialog.findChild(QShortcut, KEY) is None:
            shortcut = QShortcut(QKeySequence(KEY), dialog, partial(self._show_over, dialog))
            shortcut.setObjectName(KEY)

    def _show_over(self, dialog: QDialog) -> None:
        if not isinstance(dialog, HelpDialog):
            HelpDialog(self._app, dialog.focusWidget() or dialog, dialog).open()


class HelpDialog(QDialog):
    """The manual in a window of its own, at the page on a widget of the dialog below it."""

    def __init__(self, app: AppContext, about: QWidget, parent: QWidget) -> None:
        from pgmstudio.gui.help.page import HelpPage

        super().__init__(parent)
        self.setObjectName("helpDialog")
        self.setWindowTitle("Manual")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.page = HelpPage(app)
        vbox(self, self.page)
        resize_dialog(self, 760 * theme().scale, 520 * theme().scale)
        self.page.show_file(*topic_of(about))
