"""Widgets over the canvas: zoom control, minimap, and the message at the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.canvas.zoom_view import ZOOM_STEP
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, text_width, tool_button
from pgmstudio.gui.widgets.debounce import one_shot

MINIMAP_FROM, MINIMAP_MS = 60, 60
BUBBLE_WIDTH = 340
# Not shortened when motion is reduced: a text needs time to be read.
BUBBLE_MS = 6000


class ZoomControl(QFrame):
    """Buttons to zoom out, reset to 100 %, zoom in and fit."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self.setObjectName("zoomControl")
        self.setProperty("role", "card")
        self._view = view
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.setSpacing(2)
        self._number = QToolButton()
        self._number.setObjectName("zoom.actual")
        self._number.setToolTip("Show at 100 % (1)")
        self._number.setAccessibleName("Show at 100 %")
        self._number.clicked.connect(self._on_number_clicked)
        layout.addWidget(tool_button("minus", "Zoom out (−)", self._out, name="zoom.out"))
        layout.addWidget(self._number)
        layout.addWidget(tool_button("plus", "Zoom in (+)", self._in, name="zoom.in"))
        layout.addWidget(
            tool_button("frame-corners", "Fit the graph into view (0)", view.fit, name="zoom.fit")
        )
        view.zoom_changed.connect(self._show_zoom)
        theme().changed.connect(self._restyle)
        self._restyle()
        self._show_zoom(view.zoom)

    def _in(self) -> None:
        self._view.zoom_by(ZOOM_STEP)

    def _out(self) -> None:
        self._view.zoom_by(1 / ZOOM_STEP)

    def _on_number_clicked(self) -> None:
        self._view.set_zoom(1.0)

    def _restyle(self) -> None:
        width = self.fontMetrics().horizontalAdvance("400 %") + 20
        self._number.setFixedWidth(width)

    def _show_zoom(self, zoom: float) -> None:
        self._number.setText(f"{round(zoom * 100)} %")


class Minimap(QWidget):
    """An overview of the graph with a frame around the visible part; a press goes there."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self.setObjectName("minimap")
        self.setAccessibleName("Overview of the graph")
        self.setToolTip("Press or drag to move the view.")
        self._view = view
        self._picture: QPixmap | None = None
        self._area = QRectF()
        # Redrawn after the canvas: the overview can wait.
        self._soon = one_shot(self, self._redraw, MINIMAP_MS)
        view.graph.contents_changed.connect(self._soon.start)
        view.graph.selection_shown.connect(self._soon.start)
        view.looked_elsewhere.connect(self.update)
        theme().changed.connect(self._redraw)
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return QSize(round(168 * theme().scale), round(112 * theme().scale))

    def _redraw(self) -> None:
        self._picture = None
        self.resize(self.sizeHint())
        self.update()

    def _scale(self) -> tuple[float, QPointF]:
        """Pixels per scene unit and the position of the scene's origin."""
        area = self._area
        available = QRectF(self.rect()).adjusted(8, 8, -8, -8)
        scale = min(
            available.width() / max(1, area.width()), available.height() / max(1, area.height())
        )
        return scale, available.center() - area.center() * scale

    def _draw(self) -> QPixmap:
        self._area = self._view.graph.content_rect()
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        scale, origin = self._scale()
        painter = QPainter(picture)
        painter.setPen(Qt.PenStyle.NoPen)
        boxes: dict[str, list[QRectF]] = {}
        for item in self._view.graph.nodes.values():
            if not item.isVisible():
                continue
            mark = item.face.mark
            color = "edge_dim"
            if item.look.is_selected:
                color = "accent"
            elif mark is not None:
                color = mark.tint
            elif item.face.is_target:
                color = "target"
            width, height = max(2.0, item.size[0] * scale), max(2.0, item.size[1] * scale)
            x, y = item.x() * scale + origin.x(), item.y() * scale + origin.y()
            box = QRectF(x - width / 2, y - height / 2, width, height)
            boxes.setdefault(color, []).append(box)
        for color in sorted(boxes, key="edge_dim".__ne__):  # coloured boxes on top
            painter.setBrush(theme().color(color))
            painter.drawRects(boxes[color])
        painter.end()
        return picture

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._draw()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().color("border"))
        painter.setBrush(theme().color("surface"))
        radius = theme().radius("card")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.drawPixmap(QPoint(0, 0), self._picture)
        scale, origin = self._scale()
        sight = self._view.sight()
        frame = QRectF(sight.topLeft() * scale + origin, sight.size() * scale)
        painter.setClipRect(QRectF(self.rect()).adjusted(2, 2, -2, -2))
        painter.setPen(QPen(theme().color("accent"), 1.5))
        painter.setBrush(theme().color("accent", 0.08))
        painter.drawRect(frame.intersected(QRectF(self.rect()).adjusted(3, 3, -3, -3)))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        scale, origin = self._scale()
        self._view.centre_on((event.position() - origin) / scale)


class Bubble(QFrame):
    """A message at the pointer for six seconds, for example why a gesture was refused."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self._view = view
        self.setObjectName("bubble")
        self.setProperty("role", "note-danger")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._icon = IconLabel(icon("warning-circle", "danger_ink"))
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setProperty("role", "danger")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(10, 7, 10, 7)
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self._text, 1)
        self._timer = one_shot(self, self.hide)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_text(self, message: str, at: QPoint, available: QRect) -> None:
        """Show a message next to a point of the view, inside the `available` rectangle."""
        size = theme().px("icon")
        self._text.setText(message)
        self.setAccessibleName(message)
        wanted = text_width(self._text, message)
        width = min(round(BUBBLE_WIDTH * theme().scale), wanted + size + 40, available.width() - 16)
        self.setFixedWidth(width)
        self._row.activate()
        height = self._row.heightForWidth(width)
        self.setFixedHeight(max(height, size + 14))
        x = max(available.left() + 8, min(at.x() + 14, available.right() - width - 8))
        y = max(available.top() + 8, min(at.y() + 16, available.bottom() - self.height() - 8))
        self.move(x, y)
        self.show()
        self.raise_()
        self._timer.start(BUBBLE_MS)
