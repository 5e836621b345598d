"""Chooser of the size measure of plots, one choice for all of them, kept in the preferences."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from pgmstudio.core.experiments.sl_curves.curve import SIZE_HELP, SIZE_TITLES
from pgmstudio.core.experiments.sl_curves.points import SizeName
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.combo_box import Combo, chooser, offer


class SizeChoice(QObject):
    """`combo` offers the measures; its `currentIndexChanged` also when another page chose."""

    def __init__(self, app: AppContext, name: str) -> None:
        self.combo: Combo = chooser(name, f"Size measure of the horizontal axis. {SIZE_HELP}", 10)
        super().__init__(self.combo)
        self._app = app
        offer(self.combo, SIZE_TITLES, app.preferences.size_measure)
        self.combo.currentIndexChanged.connect(self._remember)
        app.preferences_changed.connect(self._follow)

    @property
    def size_name(self) -> SizeName:
        name: SizeName = self.combo.currentData()
        return name

    def _remember(self) -> None:
        if self.size_name != self._app.preferences.size_measure:
            self._app.set_preferences(replace(self._app.preferences, size_measure=self.size_name))

    def _follow(self) -> None:
        index = self.combo.findData(self._app.preferences.size_measure)
        self.combo.setCurrentIndex(max(0, index))
