"""Widgets that float over the canvas: zoom, minimap, find bar, bars of two lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.canvas.zoom_view import ZOOM_STEP
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, hbox, label, named, text_width, tool_button, vbox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel


class TwoLineBar(QFrame):
    """The base class of two-line bars; hidden until there is something to show."""

    _heading: ElidedLabel

    def __init__(self, name: str, accessible_name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "surface")
        self.setAccessibleName(accessible_name)

    @property
    def heading(self) -> str:
        return self._heading.text()

    def _lay_out(self, top: QHBoxLayout, below: QHBoxLayout) -> None:
        vbox(self, top, below, margins=(10, 5, 10, 5), spacing=4)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()


_SCOPES = ("Everything", "1 edge away", "2 edges away", "3 edges away", "Markov blanket")
BLANKET = 4  # the last scope


GAPS = 3  # ranks from here on are of letters with gaps


def match_rank(wanted: str, name: str) -> int | None:
    """The rank of a match: 0 is it, 1 starts with it, 2 contains it, more: its letters with gaps.

    None where the letters are not there in this order.
    """
    wanted, name = wanted.casefold(), name.casefold()
    if wanted in name:
        return 0 if name == wanted else 1 if name.startswith(wanted) else 2
    at, gaps = -1, 0
    for letter in wanted:
        result = name.find(letter, at + 1)
        if result < 0:
            return None
        gaps += result - at - 1
        at = result
    return GAPS + gaps


def matches(wanted: str, titles: Mapping[str, str]) -> list[str]:
    """Ids whose name or title matches, the best first; letters with gaps count only where no name
    contains the text."""
    if not wanted.strip():
        return []
    ranked: list[tuple[int, str, str]] = []
    for identity, title in titles.items():
        ranks = [match_rank(wanted.strip(), text) for text in {identity, title}]
        fitting = [rank for rank in ranks if rank is not None]
        if fitting:
            ranked.append((min(fitting), title.casefold(), identity))
    ranked.sort()
    if ranked and ranked[0][0] < GAPS:
        ranked = [match for match in ranked if match[0] < GAPS]
    return [identity for _, _, identity in ranked]


class FindBar(QFrame):
    """Enter or n steps on, Shift+Enter or p back, Esc closes."""

    looked_at = Signal(object)  # id or None
    matches_changed = Signal(object)  # list of ids
    scope_changed = Signal(object)  # (id, hops): show only nodes that near; None: all
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.setProperty("role", "card")
        self._titles: Mapping[str, str] = {}
        self._matches: list[str] = []
        self._at = 0
        self._field = named(_Field(self), "find.field", "Find a node by name")
        self._field.setPlaceholderText("Find a node")
        self._field.setToolTip("Part of a name, or some of its letters in order.")
        self._field.setMinimumWidth(80)  # between panels it gives way before the buttons do
        self._count = label("", "secondary", name="find.count")
        self._scope = named(
            QComboBox(),
            "find.scope",
            "Show only the neighbourhood of the match",
            "Show only nodes within this many edges of the match.",
        )
        self._scope.addItems(list(_SCOPES))
        hbox(
            self,
            (self._field, 1),
            self._count,
            tool_button(
                "caret-up", "Previous match (Shift+Enter)", self.previous, name="find.previous"
            ),
            tool_button("caret-down", "Next match (Enter)", self.next, name="find.next"),
            self._scope,
            tool_button("x", "Close (Esc)", self.finish, name="find.close"),
            margins=(6, 4, 6, 4),
            spacing=6,
        )
        self._field.textChanged.connect(self._on_text_changed)
        self._scope.currentIndexChanged.connect(self._on_scope_changed)
        self.hide()

    def begin(self, titles: Mapping[str, str]) -> None:
        """Open the bar to search nodes with these titles."""
        self._titles = titles
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()
        self._on_text_changed()

    def show_around(self, titles: Mapping[str, str], node: str, scope: int) -> None:
        """Show only what is so many edges from a node, or its Markov blanket."""
        self.begin(titles)
        self._field.setText(titles[node])
        if node in self._matches:  # another node may have the same title
            self._at = self._matches.index(node)
        self._show_position()
        self._scope.setCurrentIndex(scope)

    def finish(self) -> None:
        """Close the bar; hidden nodes are shown again."""
        self.hide()
        self._scope.setCurrentIndex(0)
        self.matches_changed.emit([])
        self.scope_changed.emit(None)
        self.closed.emit()

    def next(self) -> None:
        self.step(1)

    def previous(self) -> None:
        self.step(-1)

    @property
    def matching_ids(self) -> tuple[str, ...]:
        """The matches, the current one first."""
        return (*self._matches[self._at :], *self._matches[: self._at])

    @property
    def current(self) -> str | None:
        return self._matches[self._at] if self._matches else None

    def step(self, by: int) -> None:
        """Go to another match; wraps around at the end."""
        if self._matches:
            self._at = (self._at + by) % len(self._matches)
            self._show_position()

    def _on_text_changed(self) -> None:
        self._matches = matches(self._field.text(), self._titles)
        self._at = 0
        self.matches_changed.emit(list(self._matches))
        self._show_position()

    def _show_position(self) -> None:
        text = self._field.text().strip()
        if not text:
            self._count.setText("")
        elif not self._matches:
            self._count.setText(_nothing(text, self._titles.values()))
        else:
            self._count.setText(f"{self._at + 1} of {len(self._matches)}")
        self.adjustSize()
        self.looked_at.emit(self.current)
        self._on_scope_changed()

    def _on_scope_changed(self) -> None:
        hops = self._scope.currentIndex()
        near = (self.current, hops) if hops and self.current is not None else None
        self.scope_changed.emit(near)


def _nothing(text: str, titles: Iterable[str]) -> str:
    near = get_close_matches(text, list(titles), n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"No variable is called “{text}”.{hint}"


class _Field(QLineEdit):
    def __init__(self, bar: FindBar) -> None:
        super().__init__(bar)
        self._bar = bar

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self._bar.previous if back else self._bar.next)()
        elif event.key() == Qt.Key.Key_Down:
            self._bar.next()
        elif event.key() == Qt.Key.Key_Up:
            self._bar.previous()
        elif event.key() == Qt.Key.Key_Escape:
            self._bar.finish()
        else:
            super().keyPressEvent(event)


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
        self._number = named(QToolButton(), "zoom.actual", "Show at 100 %", "Show at 100 % (1)")
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
        width = self.fontMetrics().horizontalAdvance("400 %") + round(20 * theme().scale)
        self._number.setFixedWidth(width)

    def _show_zoom(self, zoom: float) -> None:
        self._number.setText(f"{round(zoom * 100)} %")


class Minimap(QWidget):
    """An overview of the graph with a frame around the visible part; a press goes there."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        named(self, "minimap", "Overview of the graph", "Press or drag to move the view.")
        self._view = view
        self._picture: QPixmap | None = None
        self._area = QRectF()
        # Redrawn after the canvas: the overview can wait.
        self._soon = one_shot(self, self._redraw, MINIMAP_MS)
        view.graph.contents_changed.connect(self._soon.start)
        view.graph.boxes_resized.connect(self._soon.start)
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
