"""The centre of the window with what stands around it: rails at its edges, overlays above it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from pgmstudio.gui.app.layout import BOTTOM, LEFT, PANELS, RIGHT, PanelSpec
from pgmstudio.gui.app.overlay import Overlay
from pgmstudio.gui.app.rail import FoldedBottom, Rail
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.style.theme import theme

Area = Qt.DockWidgetArea


def panels_at(area: Area) -> list[PanelSpec]:
    return [spec for spec in PANELS if spec.area == area]


class Surround(QWidget):
    """The centre with the rails at its edges and the overlays above it."""

    room_asked = Signal()  # something inside needs more or less room than before

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setObjectName("surround")
        self.center = shell.center
        self.rail = Rail("leftRail", panels_at(LEFT), upright=True)
        self.bottom_row = FoldedBottom(panels_at(BOTTOM), shell)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail, 0, 0, 2, 1)
        layout.addWidget(self.center, 0, 1)
        layout.addWidget(self.bottom_row, 1, 1)
        layout.setRowStretch(0, 1)
        layout.setColumnStretch(1, 1)
        self.overlays = {
            LEFT: Overlay("leftOverlay", self),
            RIGHT: Overlay("rightOverlay", self),
            BOTTOM: Overlay("bottomOverlay", self),
        }
        self.is_right_at_left = False
        self.rail.hide()
        self.bottom_row.hide()

    @property
    def _low(self) -> int:
        """How high panels at the bottom stand over the centre."""
        return min(theme().px("bottom"), self.center.height() * 2 // 3)

    @property
    def has_room_above(self) -> bool:
        """Whether something can be read beside the centre while the bottom is open."""
        return self.center.height() - self._low >= theme().px("bottom_min")

    def place(self) -> None:
        """Put the open overlays along the edges of the centre."""
        area, low = self.center.geometry(), self._low
        if self.overlays[BOTTOM].is_open:
            self.overlays[BOTTOM].setGeometry(
                area.left(), area.bottom() + 1 - low, area.width(), low
            )
            area.setHeight(area.height() - low)
        wide = min(theme().px("left"), area.width())
        self.overlays[LEFT].setGeometry(area.left(), area.top(), wide, area.height())
        self.overlays[RIGHT].setGeometry(self._right_place(area, self.is_right_at_left))

    def _right_place(self, area: QRect, at_left: bool) -> QRect:
        wide = min(theme().px("right"), area.width())
        left = area.left() if at_left else area.right() + 1 - wide
        return QRect(left, area.top(), wide, area.height())

    def make_way(self, selected: QRect | None) -> None:
        """The right overlay goes to the side where it does not hide what is selected."""
        if selected is not None:
            here = QRect(self.mapFromGlobal(selected.topLeft()), selected.size())
            area = self.center.geometry()
            sides = (self.is_right_at_left, not self.is_right_at_left)
            free = [s for s in sides if not self._right_place(area, s).intersects(here)]
            self.is_right_at_left = free[0] if free else False
        self.place()

    def resizeEvent(self, event: object) -> None:
        self.place()

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.room_asked.emit()
        return is_done
