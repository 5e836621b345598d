"""Plots of component profiles: lines by variable, a heat map of states, and images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.strands import dash_of
from pgmstudio.core.languages.tree_mixture.component_images import (
    CELL,
    GAP,
    HEAD,
    MARGIN,
    Images,
    edge_stroke,
    shade_step,
)
from pgmstudio.core.number_format import percent
from pgmstudio.gui.plots.matrix_plot import STEPS, step_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions

Floats = NDArray[np.float64]

_TOP, _LEGEND, _COLUMN, _AXIS = 16.0, 22.0, 60.0, 44.0
_FOOT = 62.0
_MARKER = 5.0
_CENTER = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, eq=False)
class Profiles:
    """P(X = state | component) of every variable, components × states, and the weights."""

    domain: Domain  # of the variables that are shown
    tables: Mapping[str, Floats]
    names: tuple[str, ...]
    weights: tuple[float, ...]

    def main_state(self, name: str) -> int:
        """The state in which the components differ most; of two states the last."""
        table = self.tables[name]
        if table.shape[1] == 2:
            return 1
        return int(np.argmax(table.max(axis=0) - table.min(axis=0)))

    def rows(self) -> list[tuple[object, ...]]:
        """Variable, state, and its probability in each component."""
        return [
            (variable.name, state, *self.tables[variable.name][:, code].tolist())
            for variable in self.domain
            for code, state in enumerate(variable.states)
        ]


def marker(number: int, middle: QPointF, size: float = _MARKER) -> QPolygonF:
    """A shape for each component, so that colour is not the only cue; it repeats after six."""
    x, y, s = middle.x(), middle.y(), size
    shapes = (
        [(s * np.cos(a), s * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 17)[:-1]],
        [(-s, -s), (s, -s), (s, s), (-s, s)],
        [(0, -1.25 * s), (1.15 * s, 0.9 * s), (-1.15 * s, 0.9 * s)],
        [(0, -1.3 * s), (1.3 * s, 0), (0, 1.3 * s), (-1.3 * s, 0)],
        [(0, 1.25 * s), (1.15 * s, -0.9 * s), (-1.15 * s, -0.9 * s)],
        [(1.2 * s * np.cos(a), 1.2 * s * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 6)[:-1]],
    )
    shape = shapes[number % len(shapes)]
    return QPolygonF([QPointF(x + float(dx), y + float(dy)) for dx, dy in shape])


class ProfilePlot(QWidget):
    """As wide as its columns; it scrolls when there are many."""

    has_parts = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("Profiles of the components")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.title = "Profiles"
        self._profiles: Profiles | None = None
        self._posterior: tuple[float, ...] = ()
        theme().changed.connect(self._on_theme)

    @property
    def profiles(self) -> Profiles | None:
        return self._profiles

    @property
    def canvas(self) -> QWidget:
        return self

    def show_profiles(self, profiles: Profiles) -> None:
        self._profiles = profiles
        sizes = [
            f"{n} {percent(s)} %" for n, s in zip(profiles.names, profiles.weights, strict=True)
        ]
        self.setAccessibleName("Profiles: " + ", ".join(sizes))
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    def show_posterior(self, probabilities: tuple[float, ...]) -> None:
        """Show the weights given the evidence; empty without evidence."""
        self._posterior = probabilities
        self.setMinimumSize(self.minimumSizeHint())
        self.update()

    def _weight_text(self, prior: float, fraction: float) -> str:
        if not self._posterior:
            return f"{percent(prior)} %"
        return f"{percent(prior)} → {percent(fraction)} %"

    # -- geometry, in px at 100 %

    def _weights_width(self) -> float:
        if self._profiles is None:
            return 0.0
        metrics = QFontMetricsF(theme().font("dense", "medium"))
        longest = max((metrics.horizontalAdvance(n) for n in self._profiles.names), default=0.0)
        return min(longest, 140.0) + metrics.horizontalAdvance(self._weight_text(0.1, 0.1)) + 52

    def _plot_area(self, width: float, height: float) -> QRectF:
        left = self._weights_width() + _AXIS * theme().scale
        foot = _FOOT * theme().scale
        return QRectF(left, _TOP, max(10.0, width - left - 16), max(40.0, height - _TOP - foot))

    def position_of(self, name: str, number: int) -> QPointF:
        """Where a component's marker of a variable stands."""
        assert self._profiles is not None
        area = self._plot_area(self.width(), self.height())
        return self._position(area, self._profiles, name, number)

    def _position(self, area: QRectF, profiles: Profiles, name: str, number: int) -> QPointF:
        step = area.width() / max(1, len(profiles.domain))
        x = area.left() + step * (profiles.domain.index(name) + 0.5)
        value = float(profiles.tables[name][number, profiles.main_state(name)])
        return QPointF(x, area.bottom() - area.height() * value)

    def minimumSizeHint(self) -> QSize:
        count = len(self._profiles.domain) if self._profiles is not None else 1
        lines = len(self._profiles.names) if self._profiles is not None else 1
        scale = theme().scale
        width = self._weights_width() + (_AXIS + _COLUMN * count) * scale + 16
        return QSize(round(width), round(max(220 * scale, lines * _LEGEND * scale + _TOP + 40)))

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width(), round(320 * theme().scale))

    # -- painting

    def size_of_picture(self) -> QSizeF:
        return QSizeF(max(self.width(), self.minimumSizeHint().width()), max(self.height(), 320))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme().color("surface"))
        self.paint_on(painter, QSizeF(self.size()))

    def paint_on(self, painter: QPainter, size: QSizeF) -> None:
        """Draw everything into a page of this size."""
        profiles = self._profiles
        if profiles is None or not len(profiles.domain):
            return
        area = self._plot_area(size.width(), size.height())
        self._paint_grid(painter, area)
        self._paint_columns(painter, area, profiles)
        self._paint_weights(painter, area, profiles)
        for number in range(len(profiles.names)):
            self._paint_line(painter, area, profiles, number)

    def _paint_grid(self, painter: QPainter, area: QRectF) -> None:
        look = theme()
        painter.setFont(look.font("caption"))
        for value in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = area.bottom() - area.height() * value
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(look.color("text_secondary"))
            rect = QRectF(area.left() - 46 * look.scale, y - 9, 40 * look.scale, 18)
            painter.drawText(rect, _RIGHT, f"{100 * value:.0f} %")

    def _paint_columns(self, painter: QPainter, area: QRectF, profiles: Profiles) -> None:
        look = theme()
        step = area.width() / len(profiles.domain)
        line = QFontMetricsF(look.font("caption")).height() + 2
        for index, variable in enumerate(profiles.domain):
            x = area.left() + step * (index + 0.5)
            painter.setPen(QPen(look.color("border"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            state = variable.states[profiles.main_state(variable.name)]
            for number, (text, ink) in enumerate(
                ((variable.name, "text"), (f"= {state}", "text_secondary"))
            ):
                painter.setFont(look.font("caption", "medium" if number == 0 else "regular"))
                metrics = QFontMetricsF(painter.font())
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, step - 6)
                box = QRectF(x - step / 2, area.bottom() + 8 + line * number, step, line)
                painter.setPen(look.color(ink))
                painter.drawText(box, _CENTER, shown)

    def _paint_weights(self, painter: QPainter, area: QRectF, profiles: Profiles) -> None:
        """Paint the names and weights of the components at the left."""
        look, width = theme(), self._weights_width()
        height = _LEGEND * look.scale
        for number, (name, fraction) in enumerate(
            zip(profiles.names, profiles.weights, strict=True)
        ):
            row = QRectF(8, area.top() + height * number, width - 16, height)
            color = look.category(number, "line")
            self._paint_marker(painter, number, QPointF(row.left() + 7, row.center().y()), color)
            painter.setFont(look.font("dense", "medium"))
            painter.setPen(look.color("text"))
            text = self._weight_text(
                fraction, self._posterior[number] if self._posterior else fraction
            )
            used = QFontMetricsF(painter.font()).horizontalAdvance(text)
            area = row.adjusted(20, 0, -used - 6, 0)
            shown = QFontMetricsF(painter.font()).elidedText(
                name, Qt.TextElideMode.ElideMiddle, area.width()
            )
            painter.drawText(area, _LEFT, shown)
            painter.drawText(row, _RIGHT, text)
            fraction = self._posterior[number] if self._posterior else fraction
            bar = QRectF(row.left() + 20, row.bottom() - 4, row.width() - 20, 3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color("belief_track"))
            painter.drawRect(bar)
            painter.setBrush(color)
            painter.drawRect(QRectF(bar.left(), bar.top(), bar.width() * fraction, bar.height()))

    def _paint_line(self, painter: QPainter, area: QRectF, profiles: Profiles, number: int) -> None:
        points = [self._position(area, profiles, name, number) for name in profiles.domain.names]
        color = theme().category(number, "line")
        width = theme().line("plot")
        pen = QPen(color, width)
        dash = dash_of(number, width)
        if dash:
            pen.setDashPattern([part / width for part in dash])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        for point in points:
            self._paint_marker(painter, number, point, color)

    def _paint_marker(
        self, painter: QPainter, number: int, position: QPointF, color: QColor
    ) -> None:
        painter.setPen(QPen(theme().color("surface"), 1))
        painter.setBrush(color)
        painter.drawPolygon(marker(number, position))

    # -- Qt

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.text_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), text, self) if text else QToolTip.hideText()
            return True
        return super().event(event)

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the column under the pointer; empty outside the columns."""
        result = self._profiles
        area = self._plot_area(self.width(), self.height())
        if (
            result is None
            or not len(result.domain)
            or not area.left() <= position.x() < area.right()
        ):
            return ""
        column = int((position.x() - area.left()) / (area.width() / len(result.domain)))
        variable = result.domain.variables[column]
        code = result.main_state(variable.name)
        values = result.tables[variable.name][:, code].tolist()
        lines = [f"P({variable.name} = {variable.states[code]} | …)"]
        lines += [f"{n}: {percent(v)} %" for n, v in zip(result.names, values, strict=True)]
        return "\n".join(lines)

    def _on_theme(self) -> None:
        self.setMinimumSize(self.minimumSizeHint())
        self.update()


class SelfPainting(Protocol):
    """A plot that paints itself at a size of its own."""

    def size_of_picture(self) -> QSizeF: ...

    def paint_on(self, painter: QPainter, size: QSizeF) -> None: ...


class ProfileDrawing:
    """Such a plot as a picture for a file."""

    has_parts = False

    def __init__(self, plot: SelfPainting, title: str) -> None:
        self._plot, self.title = plot, title

    def size(self, options: PictureOptions) -> QSizeF:
        return self._plot.size_of_picture()

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        self._plot.paint_on(painter, self._plot.size_of_picture())


_LOW = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
# Few images grow with the page, up to so many times their size.
_MAX_ZOOM = 2.5


class ProfileImages(ProfilePlot):
    """As many images side by side as fit; below each other it scrolls."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Components as images")
        self._images: Images | None = None

    @property
    def images(self) -> Images | None:
        return self._images

    def show_images(self, images: Images) -> None:
        self._images = images
        sizes = [f"{n} {percent(s)} %" for n, s in zip(images.names, images.weights, strict=True)]
        self.setAccessibleName("Images: " + ", ".join(sizes))
        self._fit()

    def _fit(self) -> None:
        """Higher than what can be seen, when not all images fit."""
        size = self._available_size()
        height = self._page(*self._layout_in(size)).height()
        self.setMinimumHeight(round(height) if height > size.height() else 0)
        self.update()

    def _available_size(self) -> QSizeF:
        """What can be seen without scrolling."""
        seen = self.parentWidget()
        return QSizeF(self.width(), seen.height() if seen is not None else self.height())

    def _layout_in(self, size: QSizeF) -> tuple[int, float]:
        """How many images stand side by side, and how large: all in sight, if that can be."""
        images, scale = self._images, theme().scale
        if images is None:
            return 1, scale
        best = (1, 0.0)
        for across in range(1, len(images.names) + 1):
            width, height = images.size(across)
            zoom = min(size.width() / width, (size.height() - self._foot()) / height)
            if zoom > best[1]:
                best = across, zoom
        if best[1] >= scale:
            return best[0], min(best[1], _MAX_ZOOM * scale)
        each = (images.grid.columns * CELL + GAP) * scale
        fitting = int((size.width() - (2 * MARGIN - GAP) * scale) // each)
        return max(1, min(len(images.names), fitting)), scale

    def _foot(self) -> float:
        lines = 0 if self._images is None else len(self._images.legend(""))
        return lines * (QFontMetricsF(theme().font("caption")).height() + 2) + 8

    def _page(self, across: int, zoom: float) -> QSizeF:
        if self._images is None:
            return QSizeF(200, 100)
        width, height = self._images.size(across)
        return QSizeF(width * zoom, height * zoom + self._foot())

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._page(1, theme().scale).width()), 160)

    def size_of_picture(self) -> QSizeF:
        across = 1 if self._images is None else self._images.across
        return self._page(across, theme().scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paint_on(self, painter: QPainter, size: QSizeF) -> None:
        profiles = self._images
        if profiles is None:
            return
        look = theme()
        across, zoom = self._layout_in(
            self._available_size() if size == QSizeF(self.size()) else size
        )
        painter.save()
        painter.scale(zoom, zoom)
        cells = [
            (pixel, column * CELL, row * CELL)
            for pixel, (row, column) in profiles.grid.cells.items()
        ]
        for number, name in enumerate(profiles.names):
            x, y = profiles.corner(number, across)
            self._paint_head(painter, number, name, QPointF(x, y), profiles, zoom)
            for pixel, right, down in cells:
                shade = look.sequential(shade_step(float(profiles.values[pixel][number]), STEPS))
                box = QRectF(x + right, y + down, CELL - 1, CELL - 1)
                painter.fillRect(box, shade)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for edge, bits in profiles.edges[number].items():
                start, bend, end = (QPointF(*at) for at in profiles.route(number, edge, across))
                line = QPainterPath(start)
                line.quadTo(bend, end)
                width = edge_stroke(bits) * look.scale / zoom  # as wide on every page
                painter.setPen(QPen(look.color("evidence"), width))
                painter.drawPath(line)
        painter.restore()
        painter.setFont(look.font("caption"))
        painter.setPen(look.color("text_secondary"))
        line_height = QFontMetricsF(painter.font()).height() + 2
        y = self._page(across, zoom).height() - self._foot()
        for index, text in enumerate(
            profiles.legend("Lighter" if look.shade == "dark" else "Darker")
        ):
            box = QRectF(MARGIN * zoom, y + index * line_height, size.width(), line_height)
            painter.drawText(box, _LEFT, text)

    def _paint_head(
        self,
        painter: QPainter,
        number: int,
        name: str,
        corner: QPointF,
        images: Images,
        zoom: float,
    ) -> None:
        """Paint the head in the usual font size, however large the image is."""
        look = theme()
        font = look.font("dense", "medium")
        painter.save()
        painter.setFont(font)
        painter.translate(corner)
        painter.scale(1 / zoom, 1 / zoom)
        painter.setPen(look.color("text"))
        prior = images.weights[number]
        text = self._weight_text(prior, self._posterior[number] if self._posterior else prior)
        wide = images.grid.columns * CELL * zoom
        area = QRectF(0, -HEAD * zoom, wide, (HEAD - 4) * zoom)
        metrics = QFontMetricsF(font)
        left = wide - metrics.horizontalAdvance(f"  {text}")
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max(24.0, left))
        painter.drawText(area.adjusted(0, 0, GAP * zoom, 0), _LOW, f"{shown}  {text}")
        painter.restore()

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the pixel under the pointer."""
        result = self._images
        if result is None:
            return ""
        across, zoom = self._layout_in(self._available_size())
        for number, name in enumerate(result.names):
            x, y = result.corner(number, across)
            column, row = (position.x() / zoom - x) // CELL, (position.y() / zoom - y) // CELL
            for pixel, at in result.grid.cells.items():
                if at == (row, column):
                    value = percent(float(result.values[pixel][number]))
                    near = [
                        f"{a if b == pixel else b} ({bits:.2f} bits)"
                        for (a, b), bits in result.edges[number].items()
                        if pixel in (a, b)
                    ]
                    joined = f"\nJoined with {', '.join(near)}" if near else ""
                    return f"{name}: {pixel}, {value} % of the way to its last state{joined}"
        return ""


_ROW, _CELL, _HEAD = 20.0, 64.0, 44.0
_LIGHT_STEPS = 5  # numbers on steps below are `text`, on those above the opposite
_MAP_CENTER = Qt.AlignmentFlag.AlignCenter


class ProfileMap(ProfilePlot):
    """As high as all states; it scrolls."""

    def _names_width(self) -> float:
        profiles = self._profiles
        if profiles is None:
            return 100.0
        metrics = QFontMetricsF(theme().font("dense"))
        names = max((metrics.horizontalAdvance(v.name) for v in profiles.domain), default=0.0)
        states = [metrics.horizontalAdvance(s) for v in profiles.domain for s in v.states]
        return min(names, 220.0) + min(max(states, default=0.0), 160.0) + 36

    def _cell(self) -> QSizeF:
        return QSizeF(_CELL * theme().scale, _ROW * theme().scale)

    def minimumSizeHint(self) -> QSize:
        profiles = self._profiles
        if profiles is None:
            return QSize(200, 100)
        cell, rows = self._cell(), sum(v.cardinality for v in profiles.domain)
        width = self._names_width() + cell.width() * len(profiles.names) + 24
        return QSize(round(width), round(_HEAD * theme().scale + rows * cell.height() + 12))

    def size_of_picture(self) -> QSizeF:
        return QSizeF(self.minimumSizeHint())

    def paint_on(self, painter: QPainter, size: QSizeF) -> None:
        profiles = self._profiles
        if profiles is None:
            return
        look, cell, left = theme(), self._cell(), self._names_width()
        head = _HEAD * look.scale
        for number, (name, fraction) in enumerate(
            zip(profiles.names, profiles.weights, strict=True)
        ):
            box = QRectF(left + cell.width() * number, 4, cell.width(), head / 2 - 2)
            painter.setFont(look.font("caption", "semibold"))
            painter.setPen(look.color("text"))
            shown = QFontMetricsF(painter.font()).elidedText(
                name, Qt.TextElideMode.ElideMiddle, cell.width() - 4
            )
            painter.drawText(box, _MAP_CENTER, shown)
            painter.setFont(look.font("caption"))
            painter.setPen(look.color("text_secondary"))
            fraction = self._posterior[number] if self._posterior else fraction
            painter.drawText(box.translated(0, head / 2 - 2), _MAP_CENTER, f"{percent(fraction)} %")
        y = head
        for variable in profiles.domain:
            painter.setFont(look.font("dense", "medium"))
            painter.setPen(look.color("text"))
            metrics = QFontMetricsF(painter.font())
            wide = max(
                QFontMetricsF(look.font("dense")).horizontalAdvance(s) for s in variable.states
            )
            area = QRectF(8, y, max(20.0, left - min(wide, 160.0) - 28), cell.height())
            shown = metrics.elidedText(variable.name, Qt.TextElideMode.ElideMiddle, area.width())
            painter.drawText(area, _LEFT, shown)
            for code, state in enumerate(variable.states):
                self._paint_state(painter, profiles, variable.name, code, state, left, y)
                y += cell.height()
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(8, y), QPointF(left + cell.width() * len(profiles.names), y))

    def _paint_state(
        self,
        painter: QPainter,
        profiles: Profiles,
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
        for number, value in enumerate(profiles.tables[name][:, code].tolist()):
            step = step_of(value, 1.0) if value < 1 else STEPS - 1
            box = QRectF(left + cell.width() * number, y, cell.width(), cell.height())
            painter.fillRect(box.adjusted(1, 1, -1, -1), look.sequential(step))
            painter.setPen(look.color("text" if step < _LIGHT_STEPS else "surface"))
            painter.drawText(box, _MAP_CENTER, percent(value))

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the cell under the pointer."""
        result = self._profiles
        if result is None:
            return ""
        cell = self._cell()
        row = int((position.y() - _HEAD * theme().scale) // cell.height())
        column = int((position.x() - self._names_width()) // cell.width())
        lines = [(v, code) for v in result.domain for code in range(v.cardinality)]
        if not (0 <= row < len(lines) and 0 <= column < len(result.names)):
            return ""
        variable, code = lines[row]
        value = percent(float(result.tables[variable.name][column, code]))
        return f"P({variable.name} = {variable.states[code]} | {result.names[column]}) = {value} %"
