"""Below the plot: how far the sweep is, stop and go on, and tables of curves and points."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QListWidget,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.pages.curves_tables import CURVE_COLUMNS, POINT_COLUMNS, SignedTable
from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.widgets import Segments, button, row

TABLES = (
    ("curves", "Curves", "One line for each curve."),
    ("points", "Points", "One line for each model; a double-click opens it."),
    ("remarks", "Remarks", "Runs that gave no models, or not all they could have."),
)


class CurvesFoot(QWidget):
    """Shows; the page says what and does what the buttons ask."""

    stop_asked = Signal()
    resume_asked = Signal()
    extend_asked = Signal()
    table_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("curvesFoot")
        self.which = Segments(TABLES, "curvesTables")
        self.which.chosen.connect(self.show_table)
        self.words = ElidedLabel()
        self.words.setObjectName("curvesWords")
        self.words.setProperty("role", "secondary")
        self.words.elide = Qt.TextElideMode.ElideRight
        self.bar = QProgressBar()
        self.bar.setObjectName("curvesProgress")
        self.bar.setAccessibleName("How far the sweep is")
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(110)
        self.stop = button(
            "Stop",
            self.stop_asked.emit,
            icon_name="stop",
            name="curvesStop",
            tip="Stop; every point found so far stays, and Resume goes on.",
        )
        self.resume = button(
            "Resume",
            self.resume_asked.emit,
            role="primary",
            icon_name="play",
            name="curvesResume",
            tip="Go on with the runs that are not done; what is done is not done again.",
        )
        self.extend = button(
            "Extend…",
            self.extend_asked.emit,
            icon_name="plus",
            name="curvesExtend",
            tip="Add learners, values or seeds to this plan; its points stay.",
        )
        self.curves = SignedTable("curvesTable", "Curves of the plan", CURVE_COLUMNS)
        self.points = SignedTable("curvesPoints", "Points; a double-click opens", POINT_COLUMNS)
        self.remarks = QListWidget()
        self.remarks.setObjectName("curvesRemarks")
        self.remarks.setAccessibleName("Remarks on runs")
        self.remarks.setToolTip("Runs that gave no models, or not all they could have.")
        self.remarks.setWordWrap(True)
        self._pages = QStackedWidget()
        for page in (self.curves, self.points, self.remarks):
            self._pages.addWidget(page)
        head = row(self.which, self.words, self.bar, self.stop, self.resume, self.extend)
        head.layout().setStretch(1, 1)  # type: ignore[union-attr]
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.setSpacing(6)
        layout.addWidget(head)
        layout.addWidget(self._pages, 1)

    def show_table(self, key: str) -> None:
        """Curves, points or remarks."""
        self.which.choose(key)
        self._pages.setCurrentIndex([name for name, _, _ in TABLES].index(key))
        self.table_changed.emit()

    def tell(self, words: str, share: float | None) -> None:
        """The sentence on the sweep; None hides the bar."""
        self.words.setText(words)
        self.words.setToolTip(words)
        self.bar.setVisible(share is not None)
        if share is not None:
            self.bar.setValue(round(1000 * share))

    def tell_remarks(self, remarks: Sequence[str]) -> None:
        words = f"Remarks {grouped(len(remarks))}" if remarks else "Remarks"
        self.which.button("remarks").setText(words)
        if self.remarks.count() != len(remarks):
            self.remarks.clear()
            self.remarks.addItems(list(remarks))
