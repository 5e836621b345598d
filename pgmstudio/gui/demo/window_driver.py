"""Hands for a window nobody sits at: press, drag, type, wait and take pictures.

Used by the tour and by the script that takes the pictures of the manual; real events of mouse and
keyboard, so that what they show is what a person gets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier
_TURN_MS = 15


class WindowDriver:
    """One pair per window."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.app = window.app

    def wait_for(self, what: str, check: Callable[[], object], seconds: float = 30) -> None:
        """Let the window work until `check()` holds; TimeoutError names what did not come."""
        end = time.monotonic() + seconds
        while not check():
            if time.monotonic() > end:
                raise TimeoutError(f"the tour waited {seconds:g} s for {what}")
            QTest.qWait(_TURN_MS)

    def settle(self) -> None:
        """Let what was started a moment ago be painted."""
        for _ in range(4):
            QTest.qWait(_TURN_MS)

    def widget(self, name: str) -> QWidget:
        widgets = [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]
        if not widgets:
            raise LookupError(f"no widget called {name} is in sight")
        return widgets[-1]

    def press(self, name: str) -> None:
        """Click on a widget by its name."""
        QTest.mouseClick(self.widget(name), LEFT)
        self.settle()

    def keys(self, widget: QWidget, *sequence: Qt.Key, held: Qt.KeyboardModifier = NO_KEY) -> None:
        for key in sequence:
            QTest.keyClick(widget, key, held)
        self.settle()

    def do(self, action: str) -> None:
        """Choose an action of the menus by its id."""
        self.app.actions.refresh(action)
        made = self.app.actions[action]
        if not made.isEnabled():
            raise LookupError(f"{action}: {made.toolTip()}")
        made.trigger()
        self.settle()

    def drag(self, widget: QWidget, start: QPoint, end: QPoint) -> None:
        QTest.mousePress(widget, LEFT, NO_KEY, start)
        for fraction in (0.25, 0.5, 0.75, 1.0):
            QTest.mouseMove(widget, start + (end - start) * fraction)
            QTest.qWait(_TURN_MS)
        QTest.mouseRelease(widget, LEFT, NO_KEY, end)
        self.settle()

    # -- a canvas

    def model_page(self) -> ModelPage:
        """The model in front, drawn and with its beliefs."""
        # A file that takes longer than a moment is read in the background.
        self.wait_for("a model", lambda: isinstance(self.app.center.current, ModelPage))
        page = self.app.center.current
        assert isinstance(page, ModelPage)
        live = page.asking.live
        self.wait_for("the picture of the model", lambda: page.scene().nodes)
        self.wait_for("its beliefs", lambda: not live.is_stale or live.error is not None)
        self.settle()
        return page

    def head(self, page: ModelPage, node: str) -> QPoint:
        """A point on the title of a node, in the view."""
        box = page.scene().nodes[node].box
        return page.canvas.view.mapFromScene(QPointF(box.center().x() - 20, box.top() + 10))

    def bar(self, page: ModelPage, node: str, state: str, fraction: float = 0.5) -> QPoint:
        """A point on the bar of a state, so far from its left end."""
        item = page.scene().nodes[node]
        position = item.geometry.shown.index(item.face.states.index(state))
        bar = item.geometry.bar(position)
        inside = QPointF(bar.left() + bar.width() * fraction, bar.center().y())
        return page.canvas.view.mapFromScene(item.pos() + item.corner + inside)

    def click_canvas(
        self, page: ModelPage, position: QPoint, held: Qt.KeyboardModifier = NO_KEY
    ) -> None:
        QTest.mouseClick(page.canvas.view.viewport(), LEFT, held, position)
        live = page.asking.live
        self.wait_for("the new beliefs", lambda: not live.is_stale)
        self.settle()

    # -- pictures

    def take_picture(self, path: Path) -> Path:
        """The whole window as it is now, without the passing words of an earlier step."""
        self.window.toast.hide()
        self.settle()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.window.grab().save(str(path))
        return path
