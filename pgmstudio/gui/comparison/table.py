"""Comparison table: one line for each language, filled as the learners finish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from pgmstudio.core.experiments.comparison_rows import (
    DIFFERENCE,
    NAME,
    QUERY,
    TEST,
    VERDICT,
    Line,
)
from pgmstudio.core.experiments.language_comparison.results import METHOD
from pgmstudio.gui.theme.language_symbols import paint_marker
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.grid_view import dress_head, paint_row_line

Index = QModelIndex | QPersistentModelIndex
LINE = Qt.ItemDataRole.UserRole
# Header, short header, tooltip.
_HEADS = (
    ("Language", "Language", "Marker and name of the language; double-click to open its model."),
    (
        "Test, bits per row ↑",
        "Test bits ↑",
        "Mean of log2 P(row) over the test rows ± standard error; higher is better.",
    ),
    (
        "Difference, 95 % CI",
        "Diff., 95 % CI",
        "Paired difference on the test rows with 95 % interval (Student's t, rows − 1 d.f.).",
    ),
    (
        "Verdict",
        "Verdict",
        "Whether the interval of the difference is below, above or around 0; a language that was "
        "stopped early has no verdict.",
    ),
    ("Effective size ↓", "Size ↓", "Effective size: cost of inference; smaller is better."),
    ("Free par. ↓", "Free ↓", "Free parameters; fewer is better."),
    ("Learned in", "Learned", "Learning time over all seeds; * stopped early, best model so far."),
    ("One update ↓", "Update ↓", "Measured mean time to update all beliefs with evidence."),
)
_WIDE = 900  # px from which on full headers are shown
_MIN_NAME = 132
_AIR = 5  # px on both sides of a cell
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class _Lines(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.lines: tuple[Line, ...] = ()
        self.is_wide = True

    def show(self, lines: Sequence[Line]) -> None:
        before, self.lines = self.lines, tuple(lines)
        if [line.title for line in before] == [line.title for line in lines]:
            if lines:
                self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, QUERY))
            return
        self.beginResetModel()
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(_HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADS[section][0 if self.is_wide else 1]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _HEADS[section][2]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_LEFT if section in (NAME, VERDICT) else _RIGHT)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        line = self.lines[index.row()]
        if role == LINE:
            return line
        if role == Qt.ItemDataRole.DisplayRole:
            return line.cell_text(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.tip
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_HEADS[index.column()][0]}: {line.cell_text(index.column())}"
        return None


class _Painter(QStyledItemDelegate):
    """Delegate that draws markers, likelihoods, verdict chips and progress bars."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line: Line = index.data(LINE)
        column = index.column()
        is_chip = column == VERDICT
        font = theme().font("caption", "semibold") if is_chip else theme().font("dense")
        text = "" if column == TEST and line.row.compared is None else line.cell_text(column)
        wide = QFontMetricsF(font).horizontalAdvance(text) + 2 * _AIR
        extra = {NAME: theme().px("icon") + 8, VERDICT: 18, TEST: 6}.get(column, 0)
        return QSize(round(wide + extra), theme().px("row_roomy"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line: Line = index.data(LINE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme().color("selection"))
        inner = rect.adjusted(_AIR, 0, -_AIR, 0)
        column = index.column()
        if column == NAME:
            self._paint_name(painter, inner, line)
        elif line.row.compared is None:
            if column in (TEST, DIFFERENCE, VERDICT):
                self._paint_state(painter, option, index, line)
        elif column == TEST:
            self._paint_test(painter, inner, line)
        elif column == VERDICT:
            self._paint_chip(painter, inner, line.verdict)
        else:
            is_quiet = column == DIFFERENCE and line.is_reference
            painter.setFont(theme().font("dense"))
            painter.setPen(theme().color("text_secondary" if is_quiet else "text"))
            painter.drawText(inner, int(_RIGHT), line.cell_text(column))
        paint_row_line(painter, option)
        painter.restore()

    def _paint_name(self, painter: QPainter, inner: QRectF, line: Line) -> None:
        size = theme().px("icon_small")
        middle = QPointF(inner.left() + size / 2, inner.center().y())
        paint_marker(painter, middle, line.row.language, size * 0.78)
        text_rect = inner.adjusted(size + 8, 0, 0, 0)
        painter.setFont(theme().font("dense", "medium"))
        painter.setPen(theme().color("text"))
        shown = painter.fontMetrics().elidedText(
            line.title, Qt.TextElideMode.ElideRight, int(text_rect.width())
        )
        painter.drawText(text_rect, int(_LEFT), shown)

    def _paint_test(self, painter: QPainter, inner: QRectF, line: Line) -> None:
        value, _, error = line.cell_text(TEST).partition(" ± ")
        quiet = theme().font("dense")
        tail = f" ± {error}" if error else ""
        painter.setFont(quiet)
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(inner, int(_RIGHT), tail)
        area = inner.adjusted(0, 0, -QFontMetricsF(quiet).horizontalAdvance(tail), 0)
        painter.setFont(theme().font("dense", "semibold"))
        painter.setPen(theme().color("text"))
        painter.drawText(area, int(_RIGHT), value)

    def _paint_chip(self, painter: QPainter, inner: QRectF, verdict: str) -> None:
        if not verdict:
            return
        font = theme().font("caption", "semibold")
        metrics = QFontMetricsF(font)
        shown = f"✓ {verdict}" if verdict == "best" else verdict
        height = metrics.height() + 4
        wide = min(inner.width(), metrics.horizontalAdvance(shown) + 14)
        chip = QRectF(inner.left(), inner.center().y() - height / 2, wide, height)
        painter.setPen(Qt.PenStyle.NoPen)
        good = verdict in ("best", "better")
        painter.setBrush(theme().color("do_soft" if good else "sunken"))
        painter.drawRoundedRect(chip, height / 2, height / 2)
        painter.setFont(font)
        painter.setPen(theme().color("success_ink" if good else "text_secondary"))
        text = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, chip.width() - 10)
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_state(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, line: Line
    ) -> None:
        """Draw the progress over the columns whose numbers are not known yet."""
        view = option.widget
        if not isinstance(view, QTableView):
            return
        start = view.columnViewportPosition(TEST)
        end = view.columnViewportPosition(VERDICT) + view.columnWidth(VERDICT)
        painter.setClipRect(option.rect)
        area = QRectF(start + 12, option.rect.top(), end - start - 20, option.rect.height())
        fraction = line.row.fraction
        if line.row.state == "learning":
            bar = QRectF(area.left(), area.center().y() - 3, 90 * theme().scale, 6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color("belief_track"))
            painter.drawRoundedRect(bar, 3, 3)
            if fraction is not None:
                done = QRectF(bar)
                done.setWidth(bar.width() * min(1.0, max(0.0, fraction)))
                painter.setBrush(theme().color("accent"))
                painter.drawRoundedRect(done, 3, 3)
            area.setLeft(bar.right() + 10)
        painter.setFont(theme().font("dense"))
        is_lost = line.row.state == "no model"
        painter.setPen(theme().color("warning_ink" if is_lost else "text_secondary"))
        shown = painter.fontMetrics().elidedText(
            line.state_text, Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, int(_LEFT), shown)


class CompareTable(QTableView):
    """Table of the languages; sends the selected language and the model to open."""

    language_selected = Signal(str)  # the title of a language
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("compareTable")
        title = "Languages on the same test rows; double-click or Enter to open the model"
        self.setAccessibleName(title)
        self.setToolTip(title)
        self._lines = _Lines(self)
        self.setModel(self._lines)
        self.setItemDelegate(_Painter(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setMinimumSectionSize(20)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.activated.connect(self._on_activated)
        self.selectionModel().currentRowChanged.connect(self._on_row)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines.lines

    @property
    def current(self) -> Line | None:
        """The selected line, or None."""
        row = self.currentIndex().row()
        return self.lines[row] if 0 <= row < len(self.lines) else None

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show other results; the selected language stays selected."""
        before = None if self.current is None else self.current.title
        self._lines.show(lines)
        if before is not None and (self.current is None or self.current.title != before):
            self.select(before)
        self._fit()

    def select(self, title: str) -> None:
        """Select a language."""
        for row, line in enumerate(self.lines):
            if line.title == title and row != self.currentIndex().row():
                self.selectRow(row)

    def _on_activated(self, index: QModelIndex) -> None:
        self.chosen.emit(self.lines[index.row()].title)

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self.language_selected.emit(self.lines[index.row()].title)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Fit the height to the lines and the columns to their contents."""
        head, area = self.horizontalHeader(), self.viewport().width()
        is_wide = area >= _WIDE * theme().scale
        if is_wide != self._lines.is_wide:
            self._lines.is_wide = is_wide
            self._lines.headerDataChanged.emit(Qt.Orientation.Horizontal, NAME, QUERY)
        widths = [
            max(head.sectionSizeHint(column), self.sizeHintForColumn(column))
            for column in range(len(_HEADS))
        ]
        rest = area - sum(widths[1:])
        widths[NAME] = max(round(_MIN_NAME * theme().scale), rest)
        for column, width in enumerate(widths):
            if self.columnWidth(column) != width:
                self.setColumnWidth(column, width)
        high = max(head.sizeHint().height(), head.height())
        high += max(1, len(self.lines)) * theme().px("row_roomy") + 2
        if sum(widths) > area:
            high += self.horizontalScrollBar().sizeHint().height()
        if self.maximumHeight() != high:
            self.setFixedHeight(high)

    def _restyle(self) -> None:
        self.setProperty("textSize", "dense")
        self.verticalHeader().setDefaultSectionSize(theme().px("row_roomy"))
        dress_head(self.horizontalHeader())
        self._fit()


def legend_text(lines: Sequence[Line], method: str = METHOD) -> str:
    """Legend of the table: directions, method, and the star at a time."""
    star = ""
    if any(line.row.state == "stopped" for line in lines):
        star = " * stopped early by the time budget or by the user; no verdict."
    return f"↑ higher, ↓ lower is better. {method}{star}"
