"""What the style sheet knows a widget by, changed while it is shown.

The application's style sheet, made from the tokens; resources/style.qss holds its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

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
