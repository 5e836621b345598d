"""Side panel of the plot: curves shown, model selected by λ, Pareto front, pins, overfitting."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QSlider, QVBoxLayout, QWidget

from pgmstudio.core.experiments.curve_chart import (
    Chart,
    marker_family_of,
    overfitting,
    point_title,
    series_title,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.curves.tables import FRONT_COLUMNS, front_models, front_rows
from pgmstudio.gui.plots.model_scatter.hover_card import bits
from pgmstudio.gui.theme.language_symbols import mark_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    IconLabel,
    Note,
    Section,
    button,
    empty,
    label,
    literal,
    named,
    row,
    scrolled,
    vbox,
    widening,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.table import Table

STEPS = 1000
_MIN_WIDE = 44  # px of a column of numbers, with air before the next one


class CurvesSide(QFrame):
    """Side panel; requests are sent as signals."""

    hidden_changed = Signal(object)  # names of curves that are not shown
    lambda_chosen = Signal(float)
    open_requested = Signal(object)  # CurvePoint

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("curvesSide")
        self.setProperty("role", "surface")
        self._ticks: dict[str, QCheckBox] = {}
        self._counts: dict[str, ElidedLabel] = {}
        self._lines: dict[str, QWidget] = {}
        self._chart = Chart()
        self._selected: CurvePoint | None = None
        self._pinned: list[CurvePoint] = []
        self.heading = label("SL-curves", "heading", size="title")
        self.facts = label("", "secondary", size="dense", wrap=True, name="curvesFacts")
        self._languages = Section("Curves")
        self._languages.fact.setText("points")
        self._choice = Section("Selected by λ")
        self.icon = IconLabel(size="icon_small")
        self.selected = ElidedLabel(is_link=True)
        self.selected.setObjectName("curvesSelected")
        self.selected.setToolTip("The model selected by this λ; click to open it.")
        self.selected.clicked.connect(self._on_selected)
        self.selected_bits = label("", size="dense")
        self.slider = named(QSlider(Qt.Orientation.Horizontal), "curvesLambda")
        self.slider.setRange(1, STEPS - 1)
        self.slider.setAccessibleName("Penalty λ for size")
        self.slider.setToolTip("λ of the score (1 − λ) · log-likelihood − λ · size")
        self.slider.valueChanged.connect(self._on_slider)
        line = row(self.icon, self.selected, self.selected_bits, spacing=6)
        self._choice.add(widening(line, 1))
        self._choice.add(self.slider)
        self._choice.add(
            row(
                label("0 · likelihood only", "tertiary", size="caption"),
                None,
                label("size only · 1", "tertiary", size="caption"),
            )
        )
        self._front_section = Section("Pareto front")
        self.front = Table(
            "curvesFront",
            "Models that no other model dominates",
            FRONT_COLUMNS,
            key=tuple,
            has_room_for_help=False,
        )
        # A click on a head still sorts; without space for its arrow the names are not elided.
        head = self.front.horizontalHeader()
        head.setSortIndicatorShown(False)
        head.setMinimumSectionSize(round(_MIN_WIDE * theme().scale))
        self.front.chosen.connect(self._on_front)
        self._front_section.add(self.front)
        self._pins = Section("Pinned")
        self._pin_rows = QVBoxLayout()
        self._pin_rows.setSpacing(2)
        self._pins.add(self._pin_rows)
        self._open_pins = button(
            "Open all pinned",
            self._on_open_pins,
            icon_name="push-pin",
            name="curvesOpenPins",
            tip="Open the pinned models in the project.",
        )
        self._pins.add(row(self._open_pins, None))
        self.note = Note("", "info", "curvesOverfit")
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 12, 0, 12)
        layout.setSpacing(8)
        top = vbox(None, self.heading, self.facts, margins=(16, 0, 16, 4))
        layout.addLayout(top)
        for section in (self._languages, self._choice, self._front_section, self._pins):
            layout.addWidget(section)
        note_layout = vbox(None, self.note, margins=(16, 0, 16, 0))
        layout.addLayout(note_layout)
        layout.addStretch(1)
        vbox(self, scrolled(content, "curvesSideScroll"))

    # -- showing

    def show_chart(self, chart: Chart, hidden: Collection[str], facts: str) -> None:
        self._chart = chart
        self.facts.setText(facts)
        self._show_languages(hidden)
        rows_of_front = front_rows(chart)
        self.front.show_rows(rows_of_front)
        rows = min(8, max(2, len(rows_of_front)))
        head = self.front.horizontalHeader().sizeHint().height()
        self.front.setFixedHeight(head + rows * theme().px("row") + 6)
        self._front_section.fact.setText(counted(len(rows_of_front), "model"))
        notes = [text for curve in chart.curves if (text := overfitting(curve))]
        self.note.show_text("\n".join(notes[:3]))

    def _show_languages(self, hidden: Collection[str]) -> None:
        counts = self._chart.counts
        for series, (family, points) in counts.items():
            if series not in self._ticks:
                tick = QCheckBox(literal(series_title(series)))
                tick.setObjectName(f"curve.{series}")
                tick.setToolTip(f"Show {series_title(series)} on the plot.")
                tick.setAccessibleName(f"Show {series_title(series)}")
                tick.setIcon(mark_icon(family))
                tick.setChecked(series not in hidden)
                tick.clicked.connect(self._on_tick)
                count = ElidedLabel("", "tertiary", is_snug=True)
                self._ticks[series], self._counts[series] = tick, count
                self._lines[series] = row(tick, None, count)
                self._languages.add(self._lines[series])
            self._counts[series].setText(grouped(points))
            self._counts[series].setToolTip(counted(points, "point"))
        for series, line in self._lines.items():
            line.setVisible(series in counts)

    def show_lambda(self, lambda_: float | None, selected: CurvePoint | None) -> None:
        self._selected = selected
        if lambda_ is not None:
            self._choice.title.setText(f"Selected by λ = {lambda_:.3g}")
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(STEPS * lambda_))
        self.selected.setText("–" if selected is None else _short(selected, self._chart))
        text = None if selected is None else bits(selected.test_log2_likelihood_per_row)
        self.selected_bits.setText(text or "")
        if selected is not None:
            self.icon.show_icon(mark_icon(marker_family_of(selected)))

    def show_pins(self, pinned: Sequence[CurvePoint]) -> None:
        self._pinned = list(pinned)
        self._pins.setVisible(bool(pinned))
        empty(self._pin_rows)
        for point in pinned:
            made = _PinRow(point)
            made.clicked.connect(self._on_pin)
            self._pin_rows.addWidget(made)

    # -- requests

    def _on_tick(self) -> None:
        gone = {series for series, tick in self._ticks.items() if not tick.isChecked()}
        self.hidden_changed.emit(gone)

    def _on_slider(self, value: int) -> None:
        self.lambda_chosen.emit(value / STEPS)

    def _on_selected(self) -> None:
        if self._selected is not None:
            self.open_requested.emit(self._selected)

    def _on_front(self, number: int) -> None:
        models = front_models(self._chart)
        if number < len(models):
            self.open_requested.emit(models[number])

    def _on_pin(self) -> None:
        made = self.sender()
        if isinstance(made, _PinRow):
            self.open_requested.emit(made.point)

    def _on_open_pins(self) -> None:
        for point in self._pinned:
            self.open_requested.emit(point)


class _PinRow(ElidedLabel):
    def __init__(self, point: CurvePoint) -> None:
        super().__init__(
            f"{point_title(point)}, size {grouped(point.effective_size)}", is_link=True
        )
        named(self, f"pin.{point.key}", tip="Open this model; right-click its marker to unpin it.")
        self.point = point


def _short(point: CurvePoint, chart: Chart) -> str:
    size = grouped(int(getattr(point, chart.size)))
    return f"{series_title(point.series)}, size {size}"
