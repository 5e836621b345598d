"""Toolbar of the SL-curves plot: view, rows, size measure and export."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QToolButton, QWidget

from pgmstudio.core.experiments.sl_curves.curve import SIZE_TITLES
from pgmstudio.core.experiments.sl_curves.points import SizeName
from pgmstudio.gui.curves.query_plot import VIEWS
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, tool_button
from pgmstudio.gui.widgets.combo_box import chooser, offer

CURVES = "curves"
_SHORT, _LONG = 6, 20  # characters of the name of the view
PARTS = (
    ("both", "Both", "Test rows filled, training rows open."),
    ("test", "Test", "Test rows only."),
    ("training", "Training", "Training rows only."),
    ("side", "Apart", "Training rows and test rows in two plots, side by side."),
)


class CurvesBar(QWidget):
    """Toolbar of the SL-curves page; `changed` when another view is selected."""

    changed = Signal()
    table_requested = Signal()
    picture_requested = Signal()
    rows_requested = Signal()
    plan_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("curvesBar")
        tip = "SL-curves, or plots of random queries in the same models."
        self.view = chooser("curvesView", tip, _SHORT)
        offer(self.view, {CURVES: "SL-curves", **{key: view.title for key, view in VIEWS.items()}})
        self.view.currentIndexChanged.connect(self._on_changed)
        self.parts = Segments(PARTS, "curvesParts")
        self.parts.chosen.connect(self._on_part)
        tip = "Test rows filled, training rows hollow; one of them or both."
        self.part = chooser("curvesPart", tip, _SHORT)  # where the segments do not fit
        offer(self.part, {key: title for key, title, _ in PARTS})
        self.part.currentIndexChanged.connect(self._on_part_combo)
        self.measure = chooser("curvesSize", "Size measure of the horizontal axis.", 10)
        offer(self.measure, SIZE_TITLES)
        self.measure.currentIndexChanged.connect(self._on_changed)
        self.log = QCheckBox("Log")
        self.log.setObjectName("curvesLog")
        self.log.setAccessibleName("Logarithmic size axis")
        self.log.setToolTip("Logarithmic or linear size axis.")
        self.log.setChecked(True)
        self.log.clicked.connect(self._on_changed)
        self.table = tool_button(
            "table", "Show the points as a table.", self.table_requested.emit, name="curvesAsTable"
        )
        self.export = tool_button("export", "Export the plot or the points.", name="curvesExport")
        self.export.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.export)
        menu.setToolTipsVisible(True)
        for name, title, tip, signal in (
            ("curvesPicture", "Picture…", "the plot as SVG, PDF or PNG.", self.picture_requested),
            (
                "curvesCsv",
                "Points as a table…",
                "a line per point with all digits (.csv).",
                self.rows_requested,
            ),
            ("curvesPlan", "Plan…", "the plan for “pgmstudio sweep” (.json).", self.plan_requested),
        ):
            action = menu.addAction(title, signal.emit)
            action.setObjectName(name)
            action.setToolTip(f"Export {tip}")
        self.export.setMenu(menu)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 10, 4)
        layout.setSpacing(8)
        for widget in (self.view, self.parts, self.part, self.measure, self.log):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(self.table)
        layout.addWidget(self.export)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def is_curves(self) -> bool:
        return bool(self.view.currentData() == CURVES)

    @property
    def size_name(self) -> SizeName:
        name: SizeName = self.measure.currentData()
        return name

    def choose_view(self, key: str) -> None:
        """Plot something else."""
        self.view.setCurrentIndex(max(0, self.view.findData(key)))

    def _on_changed(self, *_: object) -> None:
        self.view.setMinimumContentsLength(_SHORT if self.is_curves else _LONG)
        self._fold()
        self.changed.emit()

    def _on_part(self, key: str) -> None:
        self.part.setCurrentIndex(self.part.findData(key))

    def _on_part_combo(self, *_: object) -> None:
        self.parts.choose(self.part.currentData())
        self._on_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """Show segments where they fit, else a combo box."""
        always = (self.view, self.parts, self.measure, self.log, self.table, self.export)
        needed = sum(widget.sizeHint().width() + 8 for widget in always) + 20
        is_wide = self.width() >= needed
        self.parts.setVisible(self.is_curves and is_wide)
        self.part.setVisible(self.is_curves and not is_wide)
        self.measure.setVisible(self.is_curves)
        self.log.setVisible(self.is_curves)

    def _restyle(self) -> None:
        self.setFixedHeight(theme().px("view_bar"))
        self._fold()
