"""Profiles as a heat map: a row for each state of a variable, a column for each component."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.plots.heat_map import STEPS, step_of
from pgmstudio.gui.plots.profile_plot import ProfilePlot, Profiles
from pgmstudio.gui.style.theme import theme

_ROW, _CELL, _HEAD = 20.0, 64.0, 44.0
_LIGHT_STEPS = 5  # numbers on steps below are `text`, on those above the opposite
_CENTER = Qt.AlignmentFlag.AlignCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ProfileMap(ProfilePlot):
    """As high as all states; it scrolls."""

    def _names_width(self) -> float:
        found = self._profiles
        if found is None:
            return 100.0
        metrics = QFontMetricsF(theme().font("dense"))
        names = max((metrics.horizontalAdvance(v.name) for v in found.domain), default=0.0)
        states = [metrics.horizontalAdvance(s) for v in found.domain for s in v.states]
        return min(names, 220.0) + min(max(states, default=0.0), 160.0) + 36

    def _cell(self) -> QSizeF:
        return QSizeF(_CELL * theme().scale, _ROW * theme().scale)

    def minimumSizeHint(self) -> QSize:
        found = self._profiles
        if found is None:
            return QSize(200, 100)
        cell, rows = self._cell(), sum(v.cardinality for v in found.domain)
        width = self._names_width() + cell.width() * len(found.names) + 24
        return QSize(round(width), round(_HEAD * theme().scale + rows * cell.height() + 12))

    def size_of_picture(self) -> QSizeF:
        return QSizeF(self.minimumSizeHint())

    def paint_on(self, painter: QPainter, size: QSizeF) -> None:
        found = self._profiles
        if found is None:
            return
        look, cell, left = theme(), self._cell(), self._names_width()
        head = _HEAD * look.scale
        for number, (name, share) in enumerate(zip(found.names, found.shares, strict=True)):
            box = QRectF(left + cell.width() * number, 4, cell.width(), head / 2 - 2)
            painter.setFont(look.font("caption", "semibold"))
            painter.setPen(look.color("text"))
            shown = QFontMetricsF(painter.font()).elidedText(
                name, Qt.TextElideMode.ElideMiddle, cell.width() - 4
            )
            painter.drawText(box, _CENTER, shown)
            painter.setFont(look.font("caption"))
            painter.setPen(look.color("text_secondary"))
            share = self._posterior[number] if self._posterior else share
            painter.drawText(box.translated(0, head / 2 - 2), _CENTER, f"{percent(share)} %")
        y = head
        for variable in found.domain:
            painter.setFont(look.font("dense", "medium"))
            painter.setPen(look.color("text"))
            metrics = QFontMetricsF(painter.font())
            wide = max(
                QFontMetricsF(look.font("dense")).horizontalAdvance(s) for s in variable.states
            )
            room = QRectF(8, y, max(20.0, left - min(wide, 160.0) - 28), cell.height())
            shown = metrics.elidedText(variable.name, Qt.TextElideMode.ElideMiddle, room.width())
            painter.drawText(room, _LEFT, shown)
            for code, state in enumerate(variable.states):
                self._paint_state(painter, found, variable.name, code, state, left, y)
                y += cell.height()
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(8, y), QPointF(left + cell.width() * len(found.names), y))

    def _paint_state(
        self,
        painter: QPainter,
        found: Profiles,
        name: str,
        code: int,
        state: str,
        left: float,
        y: float,
    ) -> None:
        look, cell = theme(), self._cell()
        painter.setFont(look.font("dense"))
        painter.setPen(look.color("text_secondary"))
        metrics = QFontMetricsF(painter.font())
        shown = metrics.elidedText(state, Qt.TextElideMode.ElideMiddle, 160)
        width = metrics.horizontalAdvance(shown) + 2
        painter.drawText(QRectF(left - width - 10, y, width, cell.height()), _LEFT, shown)
        painter.setFont(look.font("caption"))
        for number, value in enumerate(found.tables[name][:, code].tolist()):
            step = step_of(value, 1.0) if value < 1 else STEPS - 1
            box = QRectF(left + cell.width() * number, y, cell.width(), cell.height())
            painter.fillRect(box.adjusted(1, 1, -1, -1), look.sequential(step))
            painter.setPen(look.color("text" if step < _LIGHT_STEPS else "surface"))
            painter.drawText(box, _CENTER, percent(value))

    def words_at(self, place: QPointF) -> str:
        """The cell under the pointer in words."""
        found = self._profiles
        if found is None:
            return ""
        cell = self._cell()
        row = int((place.y() - _HEAD * theme().scale) // cell.height())
        column = int((place.x() - self._names_width()) // cell.width())
        lines = [(v, code) for v in found.domain for code in range(v.cardinality)]
        if not (0 <= row < len(lines) and 0 <= column < len(found.names)):
            return ""
        variable, code = lines[row]
        value = percent(float(found.tables[variable.name][column, code]))
        return f"P({variable.name} = {variable.states[code]} | {found.names[column]}) = {value} %"
