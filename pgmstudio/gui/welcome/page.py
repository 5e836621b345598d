"""The start page: what to do first, recent projects, samples, and what a crash left behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.opening import recover
from pgmstudio.gui.files.recovery import Recovered, forget, left_behind
from pgmstudio.gui.navigation import open_files
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.welcome.samples import SAMPLES, Sample, SampleOpener
from pgmstudio.gui.widgets.basic import (
    IconLabel,
    Note,
    Segments,
    button,
    hbox,
    label,
    named,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.page import Page

MAX_RECENT = 5
COLUMN_WIDTH = 250
# The width below which the samples stand under the ways in, at 100 %.
STACKED_BELOW = 940
# The tour is offered where the first look ends.
ABOVE_THE_TOUR = 6


Spots = Sequence[tuple[float, float]]
Links = Sequence[tuple[int, int]]

# Nodes on the unit square and edges between them: Asia's, and a wider network's.
_ASIA_NODES = ((0.1, 0.0), (0.62, 0.0), (0.1, 0.33), (0.42, 0.33), (0.9, 0.33), (0.26, 0.66))
_ASIA: tuple[Spots, Links] = (
    (*_ASIA_NODES, (0.1, 1.0), (0.62, 1.0)),
    ((0, 2), (1, 3), (1, 4), (2, 5), (3, 5), (5, 6), (5, 7), (4, 7)),
)
_WIDE: tuple[Spots, Links] = (
    tuple((x / 5 + 0.1 * (y % 2) * 0.5, y / 3) for y in range(4) for x in range(6)),
    tuple(
        (y * 6 + x, (y + 1) * 6 + min(5, max(0, x + step)))
        for y in range(3)
        for x in range(6)
        for step in ((-1, 1), (0,), (1, 0))[(x + 2 * y) % 3]
    ),
)
_DIAMOND: Spots = ((0.5, 0.0), (0.0, 0.5), (1.0, 0.5), (0.5, 1.0))
_TRIANGLE: Spots = ((0.0, 0.05), (0.0, 0.95), (0.45, 0.5), (0.75, 0.1), (1.0, 0.6))
_TREES: Spots = ((0.02, 0.2), (0.5, 0.0), (0.96, 0.24), (0.25, 0.58), (0.72, 0.62), (0.06, 1.0))
_TREE_LINKS: tuple[Links, ...] = (
    ((0, 3), (3, 4), (4, 2)),
    ((3, 5), (3, 6), (6, 4)),
    ((1, 2), (4, 7), (6, 7)),
)
_HILL = (1, 3, 5, 9, 14, 20, 23, 26, 24, 19, 14, 10, 6, 4, 2, 1)
_NODE = 6.5


def paint_sample(painter: QPainter, area: QRectF, sample: Sample) -> None:
    """The picture of a sample inside `area`."""
    _PAINTERS.get(sample.file, _paint_rows)(painter, area)


def _paint_asia(painter: QPainter, area: QRectF) -> None:
    points = _points(_middle(area, 0.42), _ASIA[0])
    _paint_edges(painter, points, _ASIA[1])
    _paint_nodes(painter, points, accent=1)


def _paint_wide(painter: QPainter, area: QRectF) -> None:
    points = _points(_middle(area, 0.8, 4.0), _WIDE[0])
    _paint_edges(painter, points, _WIDE[1])
    _paint_nodes(painter, points, radius=4.0)


def _paint_labels(painter: QPainter, area: QRectF) -> None:
    """A diamond whose lower edges carry labels."""
    points = _points(_middle(area, 0.36), _DIAMOND)
    _paint_edges(painter, points, ((0, 1), (0, 2)))
    _paint_tagged(painter, points, ((1, 3), (2, 3)))


def _paint_contexts(painter: QPainter, area: QRectF) -> None:
    """A triangle in which each edge has a context, and what hangs on it."""
    points = _points(_middle(area, 0.5), _TRIANGLE)
    _paint_edges(painter, points, ((2, 3), (3, 4)))
    _paint_tagged(painter, points, ((0, 1), (0, 2), (1, 2)))


def _paint_tagged(painter: QPainter, points: Sequence[QPointF], links: Links) -> None:
    """Edges with a tag each, and all nodes above them."""
    ink = theme().color("label_ink")
    _paint_edges(painter, points, links, QPen(ink, theme().line("edge")))
    _paint_nodes(painter, points)
    painter.setPen(QPen(ink, 1))
    painter.setBrush(theme().color("label_soft"))
    for one, other in links:
        middle = (points[one] + points[other]) / 2
        tag = QRectF(middle.x() - 13, middle.y() - 6, 26, 12)
        painter.drawRoundedRect(tag, 6, 6)


def _paint_bands(painter: QPainter, area: QRectF) -> None:
    """Three bands with their parameter nodes and what flows between them."""
    frame = _middle(area, 0.56, 0)
    height = frame.height() * 0.24
    bands = [
        QRectF(frame.left(), frame.top() + number * (frame.height() - height) / 2, frame.width(), 0)
        for number in range(3)
    ]
    rows = ((0.5,), (0.28, 0.72), (0.16, 0.5, 0.84))
    painter.setPen(QPen(theme().color("border"), 1))
    painter.setBrush(theme().color("surface"))
    for band in bands:
        band.setHeight(height)
        painter.drawRoundedRect(band, 4, 4)
    points = [
        [QPointF(band.left() + x * band.width(), band.center().y()) for x in row]
        for band, row in zip(bands, rows, strict=True)
    ]
    flow = theme().category(2, "line")
    for level, one, other, width in (
        (0, 0, 0, 5.0),
        (0, 0, 1, 2.6),
        (1, 0, 0, 3.6),
        (1, 0, 1, 1.6),
        (1, 1, 1, 1.4),
        (1, 1, 2, 2.0),
    ):
        painter.setPen(QPen(flow, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(points[level][one], points[level + 1][other])
    painter.setPen(QPen(theme().color("border_control"), theme().line("edge")))
    painter.setBrush(theme().color("surface"))
    for band_points in points:
        for point in band_points:
            painter.drawRoundedRect(QRectF(point.x() - 12, point.y() - 7, 24, 14), 4, 4)


def _paint_trees(painter: QPainter, area: QRectF) -> None:
    """Three trees over the same nodes, each with its line."""
    points = _points(_middle(area, 0.46), (*_TREES, (0.5, 1.0), (1.0, 0.92)))
    lines = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
    for number, (links, line) in enumerate(zip(_TREE_LINKS, lines, strict=True)):
        pen = QPen(theme().category(number, "line"), 2.2, line, Qt.PenCapStyle.FlatCap)
        _paint_edges(painter, points, links, pen)
    _paint_nodes(painter, points)


def _paint_classes(painter: QPainter, area: QRectF) -> None:
    """A hidden variable over its items, with profiles below."""
    frame = _middle(area, 0.52)
    spots = ((0.5, 0.0), *((number / 4, 0.52) for number in range(5)))
    points = _points(frame, spots)
    _paint_edges(painter, points, [(0, number) for number in range(1, 6)])
    _paint_nodes(painter, points)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(points[0], _NODE + 3, _NODE + 3)
    painter.setPen(Qt.PenStyle.NoPen)
    tall = frame.height() * 0.26
    for item, point in enumerate(points[1:]):
        for kind in range(3):
            fraction = 0.4 + 0.6 * ((item * 5 + kind * 7) % 4) / 3
            painter.setBrush(theme().category((4, 1, 2)[kind]))
            left = point.x() - 9 + kind * 6
            painter.drawRect(QRectF(left, frame.bottom() + 4 - tall * fraction, 5, tall * fraction))


def _paint_cuts(painter: QPainter, area: QRectF) -> None:
    """A histogram with two cuts."""
    frame = _middle(area, 0.62, 2)
    width = frame.width() / len(_HILL)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("belief"))
    for number, count in enumerate(_HILL):
        tall = frame.height() * 0.86 * count / max(_HILL)
        left = frame.left() + number * width
        painter.drawRect(QRectF(left + 0.75, frame.bottom() - tall, width - 1.5, tall))
    painter.setPen(QPen(theme().color("border_control"), 1))
    painter.drawLine(frame.bottomLeft(), frame.bottomRight())
    accent = theme().color("accent")
    for at in (6, 10):
        x = frame.left() + at * width
        painter.setPen(QPen(accent, 1.6))
        painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(QRectF(x - 3, frame.center().y() - 6, 6, 12), 2, 2)


def _paint_circuit(painter: QPainter, area: QRectF) -> None:
    """Bits through gates into one answer."""
    frame = _middle(area, 0.56)
    bits = [QPointF(frame.left(), frame.top() + n * frame.height() / 4) for n in range(5)]
    gates = [QPointF(frame.center().x(), frame.top() + y * frame.height()) for y in (0.18, 0.75)]
    answer = QPointF(frame.right(), frame.center().y())
    painter.setPen(QPen(theme().color("edge"), theme().line("edge")))
    for bit, gate in zip(bits, (0, 0, 1, 1, 1), strict=True):
        painter.drawLine(bit, gates[gate])
    for gate_place in gates:
        painter.drawLine(gate_place, answer)
    _paint_nodes(painter, bits)
    painter.drawEllipse(answer, _NODE, _NODE)
    painter.setPen(QPen(theme().color("target"), 2))
    painter.drawEllipse(answer, _NODE + 1, _NODE + 1)
    painter.setPen(QPen(theme().color("border_control"), theme().line("edge")))
    for point in gates:
        painter.drawRoundedRect(QRectF(point.x() - 10, point.y() - 9, 20, 18), 4, 4)


def _paint_rows(painter: QPainter, area: QRectF) -> None:
    _paint_table(painter, area, lambda r, c: theme().sequential((r * r + c * 4 + r * c) % 4 + 1))


def _paint_gaps(painter: QPainter, area: QRectF) -> None:
    def cell(r: int, c: int) -> QColor | None:
        return None if (r * 5 + c * 3) % 7 == 0 else theme().sequential((r * 3 + c * 5) % 4 + 1)

    _paint_table(painter, area, cell)


def _paint_bits(painter: QPainter, area: QRectF) -> None:
    """Rows with an even number of ones."""
    rows = (0b00110, 0b10010, 0b11011, 0b01001, 0b11101)
    _paint_table(
        painter, area, lambda r, c: theme().sequential(5 if rows[r - 1] >> c & 1 else 1), columns=5
    )


def _paint_counts(painter: QPainter, area: QRectF) -> None:
    """A table whose last column counts how often a row occurs."""
    counts = (1.0, 0.25, 0.6, 0.15, 0.8)

    def cell(r: int, c: int) -> QColor | None:
        return theme().sequential((r >> c & 1) * 2 + 1) if c < 4 else None

    right = _paint_table(painter, area, cell)
    painter.setBrush(theme().color("belief"))
    for number, count in enumerate(counts, 1):
        spot = right.translated(0, number * right.height()).adjusted(1.5, 1.5, -1.5, -1.5)
        spot.setWidth(max(3.0, (spot.width() + right.width() * 2) * count))
        painter.drawRoundedRect(spot, 2, 2)


def _paint_sets(painter: QPainter, area: QRectF) -> None:
    """A table in which some cells have two colours: one of two states."""

    def cell(r: int, c: int) -> QColor | None:
        return None if (r * 3 + c * 2) % 5 == 0 else theme().sequential((r * 3 + c * 5) % 4 + 1)

    head = _paint_table(painter, area, cell, columns=5)
    left, width, tall = head.left() - 4 * head.width(), head.width(), head.height()
    for r in range(1, 6):
        for c in range(5):
            if cell(r, c) is None:
                spot = QRectF(left + c * width, head.top() + r * tall, width, tall)
                spot.adjust(1.5, 1.5, -1.5, -1.5)
                for half, step in ((spot.left(), 1), (spot.center().x(), 4)):
                    painter.setBrush(theme().sequential(step))
                    painter.drawRect(QRectF(half, spot.top(), spot.width() / 2, spot.height()))


def _paint_table(
    painter: QPainter, area: QRectF, cell: Callable[[int, int], QColor | None], *, columns: int = 7
) -> QRectF:
    """Coloured cells under a head; where `cell` gives None there is none. Returns the fifth cell
    of the head."""
    rows = 6
    tall = min(area.height() / rows, area.width() / columns / 1.6)
    width = tall * 1.6
    left = area.center().x() - columns * width / 2
    top = area.center().y() - rows * tall / 2
    painter.setPen(Qt.PenStyle.NoPen)
    for r in range(rows):
        for c in range(columns):
            color = theme().color("border_control") if r == 0 else cell(r, c)
            if color is not None:
                painter.setBrush(color)
                spot = QRectF(left + c * width, top + r * tall, width, tall)
                painter.drawRoundedRect(spot.adjusted(1.5, 1.5, -1.5, -1.5), 2, 2)
    return QRectF(left + 4 * width, top, width, tall)


def _middle(area: QRectF, fraction: float, margin: float = _NODE) -> QRectF:
    """The middle of `area`, that fraction of its width, with room for nodes above and below."""
    width = area.width() * fraction
    frame = QRectF(area.center().x() - width / 2, area.top() + margin, width, 0)
    frame.setHeight(area.height() - 2 * margin)
    return frame


def _points(frame: QRectF, spots: Spots) -> list[QPointF]:
    return [
        QPointF(frame.left() + x * frame.width(), frame.top() + y * frame.height())
        for x, y in spots
    ]


def _paint_edges(
    painter: QPainter, points: Sequence[QPointF], links: Links, pen: QPen | None = None
) -> None:
    painter.setPen(pen or QPen(theme().color("edge"), theme().line("edge")))
    for source, target in links:
        painter.drawLine(points[source], points[target])


def _paint_nodes(
    painter: QPainter, points: Sequence[QPointF], *, radius: float = _NODE, accent: int = -1
) -> None:
    painter.setPen(QPen(theme().color("border_control"), theme().line("edge")))
    for number, point in enumerate(points):
        painter.setBrush(theme().color("evidence" if number == accent else "surface"))
        painter.drawEllipse(point, radius, radius)


# The objects of the lecture: color, shape, size.
_OBJECTS = (
    *(("target", "circle", 0.4), ("target", "circle", 0.6), ("danger_ink", "circle", 0.4)),
    *(("danger_ink", "circle", 0.6), ("danger_ink", "triangle", 0.6)),
    *(("danger_ink", "triangle", 0.8), ("virtual", "square", 0.6), ("do", "square", 0.6)),
    *(("do", "triangle", 0.8), ("do", "triangle", 0.6)),
)


def _paint_objects(painter: QPainter, area: QRectF, count: int) -> None:
    """Circles, squares and triangles in two rows."""
    side = min(area.width() / 6, area.height() / 2.4)
    left, top = area.center().x() - 2.5 * side, area.center().y() - side
    painter.setPen(Qt.PenStyle.NoPen)
    for number, (color, shape, size) in enumerate(_OBJECTS[:count]):
        half = size * side / 2
        x, y = left + (number % 5 + 0.5) * side, top + (number // 5 + 0.5) * side
        box = QRectF(x - half, y - half, 2 * half, 2 * half)
        painter.setBrush(theme().color(color))
        if shape == "circle":
            painter.drawEllipse(box)
        elif shape == "square":
            painter.drawRect(box)
        else:
            painter.drawPolygon([box.bottomLeft(), box.bottomRight(), QPointF(x, y - half)])


_PAINTERS: dict[str, Callable[[QPainter, QRectF], None]] = {
    "asia.json": _paint_asia,
    "greenhouse.json": _paint_wide,
    "coronary_labels.json": _paint_labels,
    "coronary_markov.json": _paint_contexts,
    "coronary_flow.json": _paint_bands,
    "survey_trees.json": _paint_trees,
    "survey_classes.json": _paint_classes,
    "check-up.csv": _paint_cuts,
    "coronary_counts.csv": _paint_counts,
    "survey.csv": _paint_gaps,
    "logic1.csv": _paint_circuit,
    "parity5.csv": _paint_bits,
    "k2_demo_counts.csv": _paint_counts,
    "geometric_objects.json": partial(_paint_objects, count=10),
    "geometric_objects_9.json": partial(_paint_objects, count=9),
    "weather_imprecise.csv": _paint_sets,
}


class WelcomePage(Page):
    """Every way in, one click each."""

    fixed_title = "Welcome"
    icon_name = "house"
    stands_alone = True
    needs_tab = False

    def __init__(self, app: AppContext) -> None:
        super().__init__("welcome")
        self._app = app
        self._opener = SampleOpener(app, self)
        self._group = "All"
        self._scroll = scrolled(QWidget(), "welcomeScroll")
        vbox(self, self._scroll)
        self._build()
        theme().changed.connect(self._on_theme_changed)

    def _build(self) -> None:
        """Everything in sizes of the present scale."""
        self._scale = theme().scale
        self._cards = [SampleCard(sample) for sample in SAMPLES if sample.path.is_file()]
        for card in self._cards:
            card.chosen.connect(self._opener.open)
        self._grid = QGridLayout()
        self._grid.setSpacing(theme().space(5))
        self._tour = self._tour_card()
        content = QWidget()
        self._halves = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._halves.setContentsMargins(*([theme().space(7)] * 4))
        self._halves.setSpacing(theme().space(8))
        self._halves.addWidget(self._left_side(), 0, Qt.AlignmentFlag.AlignTop)
        self._halves.addWidget(self._right_side(), 1, Qt.AlignmentFlag.AlignTop)
        self._scroll.setWidget(content)
        self._arrange()

    def _on_theme_changed(self) -> None:
        if theme().scale != self._scale:
            self._build()

    def _left_side(self) -> QWidget:
        side = QWidget()
        side.setFixedWidth(theme().px("right"))
        layout = vbox(
            side,
            label("PGM Studio", "heading", size="display"),
            label(
                "Learn probabilistic graphical models from data, query and compare them.",
                "secondary",
                wrap=True,
            ),
            theme().space(4),
            self._way_in("data.import", "Import data", "download-simple", True),
            self._way_in("file.open", "Open project or model", "folder-open"),
            self._way_in("file.new-model", "Draw a new model", "plus-circle"),
            spacing=theme().space(3),
        )
        recent = [Path(name) for name in self._app.preferences.recent if Path(name).is_file()]
        if recent:
            layout.addSpacing(theme().space(5))
            layout.addWidget(label("Recent", "heading", size="dense"))
            for path in recent[:MAX_RECENT]:
                layout.addWidget(self._recent_row(path))
        self._add_recovery(layout)
        return side

    def _way_in(self, action: str, text: str, icon_name: str, primary: bool = False) -> QPushButton:
        registry = self._app.actions
        keys = registry[action].shortcut().toString()
        made = button(
            f"  {text}",
            registry[action].trigger,
            role="primary" if primary else "",
            icon_name=icon_name,
            tip=registry.specs[action].tip,
            name=f"welcome.{action}",
        )
        tall = theme().px("row_roomy") + 2
        made.setStyleSheet(f"text-align: left; padding-left: 14px; min-height: {tall}px;")
        hint = label(keys.replace("+", " "), "on-accent" if primary else "tertiary", size="dense")
        hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        hbox(made, (hint, 0, Qt.AlignmentFlag.AlignRight), margins=(0, 0, theme().space(4), 0))
        return made

    def _recent_row(self, path: Path) -> QWidget:
        open_it = button(
            path.name,
            lambda: open_files(self._app, [path]),
            role="link",
            icon_name="file",
            tip=str(path),
            name="welcome.recent",
        )
        when = datetime.fromtimestamp(path.stat().st_mtime)
        return row(open_it, None, label(_when(when), "tertiary", size="dense"))

    def _add_recovery(self, layout: QVBoxLayout) -> None:
        for entry in left_behind()[:3]:
            note = Note(name="recoveryNote", rich=True)
            note.show_text(
                f"PGM Studio closed unexpectedly. <b>{escape(entry.name)}</b> was saved "
                f"for recovery: {_when(entry.saved_at)}."
            )
            layout.addSpacing(theme().space(4))
            layout.addWidget(note)

            def discard(entry: Recovered = entry, note: Note = note) -> None:
                forget(entry)
                note.hide()

            layout.addWidget(
                row(
                    button(
                        "Recover",
                        partial(recover, self._app, entry),
                        role="link",
                        name="recoveryAccept",
                        tip="Open the recovery copy as unsaved changes.",
                    ),
                    button(
                        "Discard",
                        discard,
                        role="link",
                        name="recoveryDiscard",
                        tip="Delete the recovery copy.",
                    ),
                    None,
                )
            )

    def _right_side(self) -> QWidget:
        side = QWidget()
        layout = QVBoxLayout(side)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme().space(4))
        groups = [("All", f"All {len(self._cards)}", "Every sample.")]
        groups += [
            (name, name, f"Samples: {name.lower()}.")
            for name in dict.fromkeys(card.sample.group for card in self._cards)
        ]
        filters = Segments(groups, "sampleGroups")
        filters.choose(self._group)
        filters.chosen.connect(self._show_group)
        layout.addWidget(row(label("Samples", "heading", size="title"), None, filters))
        layout.addLayout(self._grid)
        layout.addWidget(
            label(
                "Drop a data file or a model anywhere in this window. <b>F1</b> opens the manual.",
                "secondary",
                wrap=True,
                rich=True,
            )
        )
        return side

    def _tour_card(self) -> QFrame:
        registry = self._app.actions
        card = named(QFrame(), "welcomeTour")
        card.setProperty("role", "card")
        start = button(
            "Start tour",
            registry["help.tour"].trigger,
            icon_name="play",
            tip=registry.specs["help.tour"].tip,
            name="welcomeStartTour",
        )
        texts = vbox(
            None,
            label("Take the tour", "heading"),
            label(
                "8 steps, about 3 minutes: from evidence in a sample to a model learned from rows.",
                "secondary",
                size="dense",
                wrap=True,
            ),
            spacing=theme().space(2),
        )
        inside = QHBoxLayout(card)
        inside.setContentsMargins(*([theme().space(5)] * 4))
        inside.setSpacing(theme().space(4))
        inside.addWidget(IconLabel(icon("graduation-cap", "accent"), factor=1.5))
        inside.addLayout(texts, 1)
        inside.addWidget(start)
        return card

    def _show_group(self, group: str) -> None:
        self._group = group
        self._arrange()

    def _arrange(self) -> None:
        shown = [c for c in self._cards if self._group in ("All", c.sample.group)]
        free = self.width() - theme().space(7) * 2
        ways = QBoxLayout.Direction
        stacked = self.width() < round(STACKED_BELOW * theme().scale)
        self._halves.setDirection(ways.TopToBottom if stacked else ways.LeftToRight)
        if not stacked:
            free -= theme().px("right") + theme().space(8)
        columns = max(1, min(3, free // round(COLUMN_WIDTH * theme().scale)))
        for card in self._cards:
            self._grid.removeWidget(card)
            if card not in shown:
                card.hide()
        self._grid.removeWidget(self._tour)
        above = -(-min(ABOVE_THE_TOUR, len(shown)) // columns)
        self._grid.addWidget(self._tour, above, 0, 1, columns)
        for number, card in enumerate(shown):
            point = number // columns
            self._grid.addWidget(card, point + (point >= above), number % columns)
            card.show()
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def closed(self) -> None:
        self._opener.forget()


class SampleCard(QFrame):
    """A card with picture, title, kind and description; click or Enter opens the sample."""

    chosen = Signal(object)

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.sample = sample
        self.setObjectName(f"sample.{sample.file}")
        self.setAccessibleName(f"Open the sample {sample.title}")
        self.setToolTip(f"Open the sample {sample.title}: {sample.text}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 12)
        layout.setSpacing(4)
        layout.addSpacing(self._picture_height() + 8)
        chip = label(sample.chip, "chip", size="caption")
        layout.addWidget(row(label(sample.title, "heading"), None, chip))
        text = label(sample.text, "secondary", size="dense", wrap=True)
        text.setMinimumHeight(2 * QFontMetrics(theme().font("dense")).height() + 2)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout.addWidget(text)

    def _picture_height(self) -> int:
        return round(116 * theme().scale)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        focused = self.hasFocus()
        ring = theme().color("focus" if focused else "border")
        painter.setPen(QPen(ring, theme().line("focus" if focused else "hairline")))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(frame, theme().radius("card"), theme().radius("card"))
        picture = QRectF(frame.left(), frame.top(), frame.width(), self._picture_height())
        painter.setPen(QPen(theme().color("border"), 1))
        painter.drawLine(picture.bottomLeft(), picture.bottomRight())
        paint_sample(painter, picture.adjusted(12, 10, -12, -10), self.sample)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.sample)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.sample)
        else:
            super().keyPressEvent(event)


def _when(moment: datetime) -> str:
    now = datetime.now()
    if moment.date() == now.date():
        return f"today, {moment:%H:%M}"
    if (now.date() - moment.date()).days == 1:
        return "yesterday"
    return f"{moment.day} {moment:%B}"


def open_welcome(app: AppContext) -> Page:
    return app.open_page("welcome", lambda: WelcomePage(app))
