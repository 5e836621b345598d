"""What the style sheet knows a widget by, changed while it is shown.

The application's style sheet, made from the tokens; resources/style.qss holds its text.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from types import MethodType
from weakref import WeakMethod

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.resources import folder_of


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role of the style sheet and let it show."""
    mark(widget, "role", role)


def mark(widget: QWidget, name: str, value: str) -> None:
    """Give a property that the sheet asks for another value and let it show."""
    if widget.property(name) == value:
        return  # polishing costs more than painting
    widget.setProperty(name, value)
    _polish(widget)


class Restyler(QObject):
    """Gives the application another style sheet: what is seen at once, the rest right after.

    Qt polishes every widget twice for a new sheet, a hidden one as thoroughly as one that is seen,
    and most widgets are hidden: pages behind others, menus, scroll bars that are not needed. Those
    are left out of the change and polished in slices of a few milliseconds after it.
    """

    def __init__(self) -> None:
        super().__init__()
        # A widget with a sheet of its own keeps Qt's memory of palettes and fonts that sheets have
        # replaced; without it a hidden widget would not get its own back.
        self._keeper = QWidget()
        self._keeper.setStyleSheet("QWidget { }")
        self._left: list[QWidget] = []
        self._calls: list[WeakMethod[MethodType]] = []
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._on_slice)

    def apply(self, app: QApplication, sheet: str, palette: QPalette, font: QFont) -> None:
        hidden = [widget for widget in app.allWidgets() if _can_wait(widget)]
        polished = [widget for widget in hidden if widget.testAttribute(_POLISHED)]
        for widget in hidden:  # Qt passes over what has no polish and a style of its own
            widget.setAttribute(_POLISHED, False)
            widget.setAttribute(_OWN_STYLE, True)
        # Every one of these polishes all widgets; without a sheet in between it is done three
        # times as fast.
        app.setStyleSheet("")
        if app.style().objectName() != "fusion":
            app.setStyle("Fusion")
        app.setPalette(palette)
        app.setFont(font)
        app.setStyleSheet(sheet)
        for widget in filter(isValid, hidden):
            widget.setAttribute(_OWN_STYLE, False)
        self._left += polished  # the others have not been shown or wait already
        self._slices.start()

    def call_later(self, slot: WeakMethod[MethodType]) -> None:
        """Call it once after the hidden widgets have the new look."""
        if slot not in self._calls:
            self._calls.append(slot)
        self._slices.start()

    def finish(self) -> None:
        """Do now what is left to do."""
        while self._slices.isActive():
            self._on_slice()

    def _on_slice(self) -> None:
        end = time.thread_time() + SLICE_SECONDS
        left = sorted(filter(isValid, self._left), key=QWidget.isVisible)  # shown since: first
        while left and time.thread_time() < end:
            if isValid(widget := left.pop()):
                widget.setAttribute(_POLISHED, True)
                _polish(widget)
        self._left = left
        while not left and self._calls and time.thread_time() < end:
            if (slot := self._calls.pop(0)()) is not None and isValid(slot.__self__):
                slot()
        if not self._left and not self._calls:
            self._slices.stop()


SLICE_SECONDS = 0.006
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle


def _can_wait(widget: QWidget) -> bool:
    return not (widget.isVisible() or widget.testAttribute(_OWN_STYLE))


def _polish(widget: QWidget) -> None:
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    # A frame asks for the padding that it has in the sheet only now.
    QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))


@cache
def _template() -> str:
    return (folder_of("resources") / "style.qss").read_text(encoding="utf-8")


def style_sheet(shade: str, px: Callable[[str], int], scale: float = 1.0) -> str:
    """`$name` is a colour; `$px(row)`, `$font(dense)` and `$radius(control)` are token sizes.

    `$len(14s)`: 14 pixels that grow with the fonts; `$len(4*4s-2)`: four times 4, less 2 that stay.
    """
    text = re.sub(r"\$px\((\w+)\)", lambda match: f"{px(match[1])}px", _template())
    sizes = tokens()["type"]["size_px"]
    text = re.sub(r"\$font\((\w+)\)", lambda match: f"{round(sizes[match[1]] * scale)}px", text)
    text = re.sub(_LENGTH, lambda match: _length(match, scale), text)
    text = re.sub(r"\$radius\((\w+)\)", lambda match: f"{tokens()['radius_px'][match[1]]}px", text)
    text = re.sub(r"\$icon\(([\w-]+)\)", lambda match: _icon_path(match[1], shade), text)
    named = colors(shade)
    return re.sub(r"\$(\w+)", lambda match: named[match[1]], text)


_LENGTH = r"\$len\((?:(\d+)\*)?(\d+)s([+-]\d+)?\)"


def _length(match: re.Match[str], scale: float) -> str:
    # Rounded down: a corner rounder than half its box would be drawn square.
    grown = int(match[1] or 1) * int(int(match[2]) * scale)
    return f"{grown + int(match[3] or 0)}px"


def _icon_path(name: str, shade: str) -> str:
    return (folder_of("resources") / "icons" / f"{name}-{shade}.svg").as_posix()
