"""Step 3 of an import: discretisation method and bin edges of a numeric column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget

from pgmstudio.core.data.discretization import Discretisation, number_text
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.io.import_plan import BY_HAND, DiscretisedColumn
from pgmstudio.core.number_format import counted, read_number
from pgmstudio.gui.importing.bin_histogram import (
    BinEdgeHistogram,
    with_one_less_edge,
    with_one_more_edge,
)
from pgmstudio.gui.widgets.basic import Segments, button, label, named, row
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.number_box import whole_box

_METHODS = (
    ("width", "Equal width", "Bins of equal width."),
    ("frequency", "Equal frequency", "Bins with equal numbers of rows, as far as ties allow."),
    ("quantile", "Quantiles", "Bins between quantiles; a value equal to one belongs above it."),
    ("kmeans", "k-means", "Bin edges between clusters of values (k-means)."),
    ("nice", "Rounded", "Bin edges at round numbers."),
    (
        "mdl",
        "MDL",
        "Supervised discretisation by the MDL criterion (Fayyad and Irani) for a target column.",
    ),
    (BY_HAND, "Manual", "The bin edges stay where you place them."),
)
_TIP = Qt.ItemDataRole.ToolTipRole


class CutsEditor(QWidget):
    """Histogram and discretisation settings of one column; edits are requested by signals."""

    cutting_requested = Signal(str, object)  # undo text, Discretisation
    moving = Signal(object)  # edges while one is dragged
    undo_requested = Signal()
    use_as_numbers = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("cutsEditor")
        self._shown: DiscretisedColumn | None = None
        self.title = ElidedLabel("", "heading", size="title", is_snug=True)
        self.facts = label("", "secondary", size="dense")
        self.undo = button(
            "Undo",
            self.undo_requested.emit,
            role="link",
            icon_name="arrow-counter-clockwise",
            name="undoImport",
        )
        self.methods = Segments(_METHODS, "cutMethod")
        self.methods.chosen.connect(self._on_method)
        # Replaces the segments on a narrow page.
        self.method_combo = named(
            QComboBox(), "cutMethodCombo", "Discretisation method", "Discretisation method."
        )
        for key, title, tip in _METHODS:
            self.method_combo.addItem(title, key)
            self.method_combo.setItemData(self.method_combo.count() - 1, tip, _TIP)
        self.method_combo.activated.connect(self._on_method_combo)
        tip = "Number of bins; with manual edges, one more splits the largest bin."
        self.bins = whole_box("bins", "Number of bins", tip, 1, 1000)
        self.bins.valueChanged.connect(self._on_bins)
        self._target_label = label("Target", "secondary")
        self.target = Combo()
        self.target.setObjectName("cutTarget")
        self.target.setAccessibleName("Target column")
        self.target.setToolTip("Target column whose states the bins should separate.")
        self.target.activated.connect(self._on_target)
        self.histogram = BinEdgeHistogram("cutHistogram")
        self.histogram.moving.connect(self._on_moving)
        self.histogram.settled.connect(self._on_settled)
        self.hint = label(
            "Drag an edge · double-click adds one · Del removes it", "tertiary", size="dense"
        )
        self.moved = label("", "secondary", size="dense", rich=True, name="cutMoved")
        self.several = label("", "secondary", size="dense", wrap=True, name="cutSeveral")
        self._empty = label("", "secondary", wrap=True)
        self._cut_it = button("Discretise", self.use_as_numbers.emit, name="cutIntoBins")
        self._lay_out()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(row(self.title, self.facts, None, self.undo))
        bins = row(label("Bins", "secondary"), self.bins)
        self._bar = row(
            self.methods, self.method_combo, None, self._target_label, self.target, bins
        )
        # The combo box replaces the segments before they would be truncated.
        self._bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        layout.addWidget(self._bar)
        layout.addWidget(self.several)
        layout.addWidget(self._empty)
        layout.addWidget(row(self._cut_it, None))
        layout.addWidget(self.histogram, 1)
        layout.addWidget(row(self.hint, None, self.moved))
        # Without a histogram the message is at the top, not in the middle.
        self._air = QWidget()
        layout.addWidget(self._air, 1)

    # -- the shown column

    @property
    def points(self) -> tuple[float, ...]:
        return self.histogram.points

    def show_targets(self, names: Sequence[str]) -> None:
        """Set the categorical columns that can be the target of MDL, the likeliest last."""
        with QSignalBlocker(self.target):
            self.target.clear()
            self.target.addItems(list(names))
            self.target.setCurrentIndex(self.target.count() - 1)
        self.methods.button("mdl").setEnabled(bool(names))

    def show_cuts(self, shown: DiscretisedColumn) -> None:
        before, self._shown = self._shown, shown
        values = shown.values
        self._set_visible(True)
        self.title.setText(values.name)
        distinct = int(np.unique(values.values).size) if values.values.size else 0
        middle = read_number(float(np.median(values.values))) if values.values.size else "none"
        self.facts.setText(f"number · {counted(distinct, 'value')} · median {middle}")
        self.methods.choose(shown.how.method)
        self.method_combo.setCurrentIndex(self.method_combo.findData(shown.how.method))
        with QSignalBlocker(self.bins):
            self.bins.setValue(len(shown.points) + 1)
        is_mdl = shown.how.method == "mdl"
        self.bins.setEnabled(not is_mdl)
        for widget in (self.target, self._target_label):
            widget.setVisible(is_mdl)
        if is_mdl and shown.how.target is not None:
            self.target.setCurrentText(shown.how.target)
        self._fold()
        if before is not None and before.values is values:
            self.moved.setText(describe_change(before.points, shown.points))
            self.histogram.show_points(shown.points)
        else:
            self.moved.setText("")
            self.histogram.show_column(values, shown.points)

    def show_nothing(self, name: str, message: str, *, can_cut: bool) -> None:
        """Show why the selected column has no bins."""
        self._shown = None
        self._set_visible(False)
        self.title.setText(name)
        self.facts.setText("")
        self._empty.setText(message)
        self._cut_it.setVisible(can_cut)

    def show_count(self, count: int) -> None:
        """Show how many selected columns the method and the number of bins are for."""
        self.several.setText(
            f"Method and bins apply to the {counted(count, 'selected column')}."
            if count > 1
            else "To discretise several columns at once, select them with Ctrl or Shift."
        )

    def _set_visible(self, has_cuts: bool) -> None:
        for widget in (self._bar, self.several, self.histogram, self.hint, self.moved):
            widget.setVisible(has_cuts)
        self._empty.setVisible(not has_cuts)
        self._cut_it.setVisible(False)
        self._air.setVisible(not has_cuts)

    def show_undo(self, text: str) -> None:
        """Show what Undo would revert; an empty text disables it."""
        self.undo.setEnabled(bool(text))
        self.undo.setToolTip(f"Undo {text}" if text else "Not now: nothing to undo.")

    def _fold(self) -> None:
        margins = 32 + self.bins.sizeHint().width() + 60
        if not self.target.isHidden():
            margins += self.target.sizeHint().width() + 60
        wide = self.width() >= self.methods.sizeHint().width() + margins
        self.methods.setVisible(wide)
        self.method_combo.setVisible(not wide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    # -- requests

    def _on_method_combo(self, index: int) -> None:
        self._on_method(_METHODS[index][0])

    def _on_method(self, method: str) -> None:
        if self._shown is None:
            return
        name = self._shown.values.name
        bins = max(2, self.bins.value()) if method != BY_HAND else self.bins.value()
        target = self.target.currentText() or None
        try:
            how = Discretisation(
                method,
                bins,
                points=self.points if method == BY_HAND else (),
                target=target if method == "mdl" else None,
            )
        except ParameterError:
            self.show_cuts(self._shown)
            return
        title = next(text for key, text, _ in _METHODS if key == method)
        self.cutting_requested.emit(f"discretise {name}: {title}", how)

    def _on_target(self, _index: int) -> None:
        if self._shown is not None and self._shown.how.method == "mdl":
            how = replace(self._shown.how, target=self.target.currentText())
            self.cutting_requested.emit(
                f"discretise {self._shown.values.name} by {how.target}", how
            )

    def _on_bins(self, bins: int) -> None:
        shown = self._shown
        if shown is None:
            return
        text = f"discretise {shown.values.name} into {counted(bins, 'bin')}"
        if shown.how.method != BY_HAND:
            self.cutting_requested.emit(text, replace(shown.how, bins=bins))
            return
        points = shown.points
        while len(points) + 1 < bins:
            counts = shown.values.counts(points).tolist()
            more = with_one_more_edge(points, counts, shown.values.low, shown.values.high)
            if more == points:
                break
            points = more
        while len(points) + 1 > bins:
            points = with_one_less_edge(points, shown.values.counts(points).tolist())
        self.cutting_requested.emit(text, by_hand(points))

    def _on_moving(self, points: tuple[float, ...]) -> None:
        if self._shown is not None:
            self.moved.setText(describe_change(self._shown.points, points))
        self.moving.emit(points)

    def _on_settled(self, text: str, points: tuple[float, ...]) -> None:
        self.cutting_requested.emit(text, by_hand(points))


def describe_change(before: Sequence[float], after: Sequence[float]) -> str:
    """Change of one bin edge as rich text; empty if several edges differ."""
    removed = [point for point in before if point not in after]
    added = [point for point in after if point not in before]
    if len(removed) == len(added) == 1:
        number = list(after).index(added[0]) + 1
        return f"Edge {number}: {number_text(removed[0])} → <b>{number_text(added[0])}</b>"
    if len(added) == 1 and not removed:
        return f"Edge at <b>{number_text(added[0])}</b> added"
    if len(removed) == 1 and not added:
        return f"Edge at {number_text(removed[0])} removed"
    return ""


def by_hand(points: Sequence[float]) -> Discretisation:
    """Discretisation with manual bin edges."""
    return Discretisation(BY_HAND, bins=len(points) + 1, points=tuple(points))
