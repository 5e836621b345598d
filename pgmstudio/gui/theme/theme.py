"""The look: colours, fonts and sizes by name, light and dark switched live.

The style sheet gives widgets their colours and text sizes, and a change of the theme repaints them.
What a widget paints itself it asks of `theme()`; what it derives from sizes it renews on `changed`.
No colour or size is written elsewhere; the numbers are in resources/tokens.json.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import MethodType
from typing import Literal, cast
from weakref import WeakMethod

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from pgmstudio.core.drawing.theme import tokens
from pgmstudio.gui.theme.style_sheet import Restyler, style_sheet

Mode = Literal["light", "dark", "system"]
Weight = Literal["regular", "medium", "semibold"]


class Theme(QObject):
    """The present look; one for the whole application."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._mode: Mode = "light"
        self._scale = 1.0
        self._reduced_motion = False
        self._restyler: Restyler | None = None
        self._followers: list[WeakMethod[MethodType]] = []

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def shade(self) -> Literal["light", "dark"]:
        """Light or dark, also when the mode follows the system."""
        if self._mode != "system":
            return self._mode
        hints = QGuiApplication.styleHints()
        return "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"

    @property
    def scale(self) -> float:
        """The factor on every font and on what is derived from fonts, 0.8 to 2."""
        return self._scale

    def set_look(
        self,
        *,
        mode: Mode | None = None,
        scale: float | None = None,
        reduced_motion: bool | None = None,
    ) -> None:
        """Change the look of the running application."""
        self._mode = self._mode if mode is None else mode
        self._scale = self._scale if scale is None else min(2.0, max(0.8, scale))
        if reduced_motion is not None:
            self._reduced_motion = reduced_motion
        self.apply()
        self.changed.emit()
        self._inform_followers()

    def follow(self, slot: Callable[[], None]) -> None:
        """Call a widget's method for a new look: at once while it is seen, else a little later."""
        self._followers.append(WeakMethod(cast(MethodType, slot)))

    def finish(self) -> None:
        """Give hidden widgets the present look now instead of a little later."""
        if self._restyler is not None:
            self._restyler.finish()

    def _inform_followers(self) -> None:
        slots = [(one, slot) for one in self._followers if (slot := one()) is not None]
        slots = [(one, slot) for one, slot in slots if isValid(slot.__self__)]
        self._followers = [one for one, _ in slots]
        for one, slot in slots:
            widget = slot.__self__
            if self._restyler is None or not isinstance(widget, QWidget) or widget.isVisible():
                slot()
            else:
                self._restyler.call_later(one)

    @contextmanager
    def painting_as(self, mode: Mode) -> Iterator[None]:
        """Colours of another look, at 100 %, while a picture is painted; the screen stays."""
        saved = self._mode, self._scale
        self._mode, self._scale = mode, 1.0
        try:
            yield
        finally:
            self._mode, self._scale = saved

    def apply(self) -> None:
        """Palette, font and style sheet of the application, from the tokens."""
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        sheet = style_sheet(self.shade, self.px, self._scale)
        if app.styleSheet() == sheet:
            return
        if self._restyler is None:
            self._restyler = Restyler()
        self._restyler.apply(app, sheet, self._palette(), self.font("body"))

    def color(self, name: str, alpha: float = 1.0) -> QColor:
        return _color(self.shade, name, alpha)

    def category(self, index: int, part: Literal["fill", "line", "ink"] = "fill") -> QColor:
        """The colour of the n-th state, class, component or language; it repeats after eight."""
        entries = tokens()["category"][self.shade]
        return QColor(entries[index % len(entries)][part])

    def sequential(self, step: int) -> QColor:
        """A step 0…7 of the heat ramp."""
        return _sequential(self.shade, step)

    def px(self, name: str) -> int:
        """A size of the token file by name ("row", "left", …), in pixels at the present scale."""
        return round(float(tokens()["size_px"][name]) * self._scale)

    def line(self, name: str) -> float:
        """A line width by name ("edge", "focus", …)."""
        return float(tokens()["line_px"][name])

    def radius(self, name: str) -> float:
        return float(tokens()["radius_px"][name])

    def space(self, step: int) -> int:
        """The step-th space: 0 2 4 8 12 16 24 32 48."""
        return round(float(tokens()["space"][step]) * self._scale)

    def motion_ms(self, name: str) -> int:
        """How long a movement takes; 0 when motion is reduced."""
        return 0 if self._reduced_motion else int(tokens()["motion_ms"][name])

    def font(self, size: str = "body", weight: Weight = "regular") -> QFont:
        """A font of the scale: micro, caption, dense, body, title, heading, display."""
        return _font(size, weight, self._scale)

    def _palette(self) -> QPalette:
        roles = QPalette.ColorRole
        palette = QPalette()
        pairs = {
            roles.Window: "window",
            roles.WindowText: "text",
            roles.Base: "surface",
            roles.AlternateBase: "sunken",
            roles.Text: "text",
            roles.Button: "surface",
            roles.ButtonText: "text",
            roles.ToolTipBase: "raised",
            roles.ToolTipText: "text",
            roles.PlaceholderText: "text_tertiary",
            roles.Highlight: "selection",
            roles.HighlightedText: "text",
            roles.Link: "accent",
            roles.LinkVisited: "accent",
            roles.Mid: "border",
            roles.Midlight: "border",
            roles.Dark: "border_control",
            roles.Light: "raised",
            roles.Shadow: "border_control",
            roles.BrightText: "danger_ink",
            roles.Accent: "accent",
        }
        for role, name in pairs.items():
            palette.setColor(role, self.color(name))
        for role in (roles.Text, roles.WindowText, roles.ButtonText, roles.HighlightedText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("text_disabled"))
        return palette


@lru_cache(maxsize=512)
def _color(shade: str, name: str, alpha: float) -> QColor:
    color = QColor(tokens()["color"][shade][name])
    color.setAlphaF(alpha)
    return color


@lru_cache(maxsize=32)
def _sequential(shade: str, step: int) -> QColor:
    ramp = tokens()["sequential"][shade]
    return QColor(ramp[max(0, min(len(ramp) - 1, step))])


@lru_cache(maxsize=64)
def _font(size: str, weight: Weight, scale: float) -> QFont:
    type_ = tokens()["type"]
    font = QFont()
    font.setFamilies([type_["family"], *type_["fallback"]])
    for feature in type_["numeric_features"]:
        font.setFeature(QFont.Tag(feature), 1)
    font.setPixelSize(round(type_["size_px"][size] * scale))
    font.setWeight(QFont.Weight(type_["weight"][weight]))
    return font


@lru_cache(maxsize=1)
def theme() -> Theme:
    """The one theme of the application."""
    return Theme()
