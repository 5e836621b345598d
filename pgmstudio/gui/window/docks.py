"""Flat titles of the panels; at the bottom the tabs show the name, so only a grip is left.

The docks around the centre; what is in them is built when they are first seen, or asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QSizePolicy, QWidget

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named
from pgmstudio.gui.window.registry import BOTTOM, PANELS, PanelSpec

GRIP_HEIGHT = 4


class DockTitle(QWidget):
    """Ignores the mouse, so that the dock below it can be dragged."""

    def __init__(self, spec: PanelSpec) -> None:
        super().__init__()
        self._is_grip = spec.area == BOTTOM or not spec.titled
        self.setToolTip(spec.tip)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 8, 0)
        if not self._is_grip:
            layout.addWidget(label(spec.title, "heading", size="dense"))

    def sizeHint(self) -> QSize:
        return QSize(40, GRIP_HEIGHT if self._is_grip else theme().px("panel_head"))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class PanelDocks(QObject):
    """A dock for every row of the table of panels."""

    def __init__(self, window: QMainWindow, app: AppContext) -> None:
        super().__init__(window)
        self._app = app
        self._specs = {spec.name: spec for spec in PANELS}
        self._panels: dict[str, QWidget] = {}
        self.docks: dict[str, QDockWidget] = {}
        for spec in PANELS:
            dock = named(QDockWidget(spec.title, window), spec.name, tip=spec.tip)
            dock.setWidget(QWidget())
            dock.setFeatures(_FEATURES)
            dock.setTitleBarWidget(DockTitle(spec))
            window.addDockWidget(spec.area, dock)
            self.docks[spec.name] = dock
        bottom = [self.docks[spec.name] for spec in PANELS if spec.area == BOTTOM]
        for left, right in pairwise(bottom):
            window.tabifyDockWidget(left, right)
        if bottom:
            bottom[0].raise_()
        for spec in PANELS:
            self.docks[spec.name].setVisible(spec.shown)
            seen = partial(self._on_visibility, spec.name)
            self.docks[spec.name].visibilityChanged.connect(seen)

    def panel(self, name: str) -> QWidget:
        """The panel of that name, also when a folded side shows it elsewhere."""
        if name not in self._panels:
            made = self._specs[name].build(self._app)
            made.setAccessibleName(self._specs[name].title)
            stand_in = self.docks[name].widget()
            self.docks[name].setWidget(made)
            stand_in.deleteLater()
            self._panels[name] = made
        return self._panels[name]

    @property
    def is_complete(self) -> bool:
        """Every panel that listens is built."""
        return not self._missing()

    def _missing(self) -> list[str]:
        """The panels that listen and are not built yet."""
        specs = self._specs.values()
        return [spec.name for spec in specs if spec.listens and spec.name not in self._panels]

    def build_missing(self) -> Iterator[QWidget]:
        """Have every panel listen from now on that has to, one panel at a step."""
        while missing := self._missing():
            yield self.panel(missing[0])

    def build_all(self) -> None:
        """The same at once."""
        for _ in self.build_missing():
            pass

    def _on_visibility(self, name: str, is_visible: bool) -> None:
        if is_visible:
            self.panel(name)


_FEATURES = (
    QDockWidget.DockWidgetFeature.DockWidgetMovable
    | QDockWidget.DockWidgetFeature.DockWidgetClosable
    | QDockWidget.DockWidgetFeature.DockWidgetFloatable
)
