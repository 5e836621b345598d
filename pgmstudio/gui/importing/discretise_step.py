"""Step 3 of an import: the histogram of a column of numbers with cuts to choose or to drag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QSpinBox, QVBoxLayout, QWidget

from pgmstudio.core.data.discretization import Discretisation, number_text
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.io.import_plan import BY_HAND
from pgmstudio.core.number_format import counted, read_number
from pgmstudio.gui.importing.cut_histogram import HistogramCuts, one_cut_less, one_cut_more
from pgmstudio.gui.importing.reading import CutColumn
from pgmstudio.gui.widgets.basic import Segments, button, label, row
from pgmstudio.gui.widgets.combo_box import Combo

_METHODS = (
    ("width", "Equal width", "Intervals of the same width."),
    ("frequency", "Equal frequency", "As many rows in each interval, as far as values allow."),
    ("kmeans", "k-means", "Cuts between clusters of values."),
    ("nice", "Rounded", "Cuts at round numbers."),
    ("mdl", "MDL", "As many cuts as tell something about a target column."),
    (BY_HAND, "By hand", "The cuts stay where you put them."),
)
_TIP = Qt.ItemDataRole.ToolTipRole


class CutsEditor(QWidget):
    """Shows one column; every wish leaves as a signal with words for undo."""

    cutting_requested = Signal(str, object)  # words, Discretisation
    moving = Signal(object)  # points while a cut is being dragged
    undo_requested = Signal()
    use_as_numbers = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("cutsEditor")
        self._shown: CutColumn | None = None
        self.title = label("", "heading", size="title")
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
        # The same choice for a narrow page.
        self.method_combo = QComboBox()
        self.method_combo.setObjectName("cutMethodCombo")
        self.method_combo.setAccessibleName("How to cut")
        self.method_combo.setToolTip("How to cut.")
        for key, words, tip in _METHODS:
            self.method_combo.addItem(words, key)
            self.method_combo.setItemData(self.method_combo.count() - 1, tip, _TIP)
        self.method_combo.activated.connect(self._on_method_combo)
        self.bins = QSpinBox()
        self.bins.setObjectName("bins")
        self.bins.setRange(1, 1000)
        self.bins.setAccessibleName("Number of bins")
        self.bins.setToolTip("How many intervals; by hand, one more splits the fullest.")
        self.bins.valueChanged.connect(self._on_bins)
        self._target_label = label("Target", "secondary")
        self.target = Combo()
        self.target.setObjectName("cutTarget")
        self.target.setAccessibleName("Column that the cuts tell apart")
        self.target.setToolTip("The column whose states the cuts tell apart.")
        self.target.activated.connect(self._on_target)
        self.histogram = HistogramCuts("cutHistogram")
        self.histogram.moving.connect(self._on_moving)
        self.histogram.settled.connect(self._on_settled)
        self.hint = label(
            "Drag a cut · double-click adds one · Del removes it", "tertiary", size="dense"
        )
        self.moved = label("", "secondary", size="dense", rich=True)
        self.moved.setObjectName("cutMoved")
        self._empty = label("", "secondary", wrap=True)
        self._cut_it = button("Cut into bins", self.use_as_numbers.emit, name="cutIntoBins")
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
        # Its width follows the page; the segments give way to the combo before they are cut.
        self._bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        layout.addWidget(self._bar)
        layout.addWidget(self._empty)
        layout.addWidget(row(self._cut_it, None))
        layout.addWidget(self.histogram, 1)
        layout.addWidget(row(self.hint, None, self.moved))
        # Without a histogram the sentence stands at the top, not in the middle.
        self._air = QWidget()
        layout.addWidget(self._air, 1)

    # -- what is shown

    @property
    def points(self) -> tuple[float, ...]:
        return self.histogram.points

    def show_targets(self, names: Sequence[str]) -> None:
        """Columns of states that MDL could tell apart, the likeliest target last."""
        with QSignalBlocker(self.target):
            self.target.clear()
            self.target.addItems(list(names))
            self.target.setCurrentIndex(self.target.count() - 1)
        self.methods.button("mdl").setEnabled(bool(names))

    def show_cuts(self, shown: CutColumn) -> None:
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
            self.moved.setText(change_of_cuts(before.points, shown.points))
            self.histogram.show_points(shown.points)
        else:
            self.moved.setText("")
            self.histogram.show_column(values, shown.points)

    def show_nothing(self, name: str, sentence: str, *, can_cut: bool) -> None:
        """The chosen column has no cuts; say why."""
        self._shown = None
        self._set_visible(False)
        self.title.setText(name)
        self.facts.setText("")
        self._empty.setText(sentence)
        self._cut_it.setVisible(can_cut)

    def _set_visible(self, has_cuts: bool) -> None:
        for widget in (self._bar, self.histogram, self.hint, self.moved):
            widget.setVisible(has_cuts)
        self._empty.setVisible(not has_cuts)
        self._cut_it.setVisible(False)
        self._air.setVisible(not has_cuts)

    def tell_undo(self, text: str) -> None:
        """What Undo would take back; nothing: it is greyed out."""
        self.undo.setEnabled(bool(text))
        self.undo.setToolTip(f"Undo {text}" if text else "Not now: nothing was changed yet.")

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

    # -- wishes

    def _on_method_combo(self, place: int) -> None:
        self._on_method(_METHODS[place][0])

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
        words = next(text for key, text, _ in _METHODS if key == method)
        self.cutting_requested.emit(f"cut {name}: {words}", how)

    def _on_target(self, _place: int) -> None:
        if self._shown is not None and self._shown.how.method == "mdl":
            how = replace(self._shown.how, target=self.target.currentText())
            self.cutting_requested.emit(f"cut {self._shown.values.name} by {how.target}", how)

    def _on_bins(self, bins: int) -> None:
        shown = self._shown
        if shown is None:
            return
        words = f"cut {shown.values.name} into {counted(bins, 'bin')}"
        if shown.how.method != BY_HAND:
            self.cutting_requested.emit(words, replace(shown.how, bins=bins))
            return
        points = shown.points
        while len(points) + 1 < bins:
            counts = shown.values.counts(points).tolist()
            more = one_cut_more(points, counts, shown.values.least, shown.values.most)
            if more == points:
                break
            points = more
        while len(points) + 1 > bins:
            points = one_cut_less(points, shown.values.counts(points).tolist())
        self.cutting_requested.emit(words, by_hand(points))

    def _on_moving(self, points: tuple[float, ...]) -> None:
        if self._shown is not None:
            self.moved.setText(change_of_cuts(self._shown.points, points))
        self.moving.emit(points)

    def _on_settled(self, words: str, points: tuple[float, ...]) -> None:
        self.cutting_requested.emit(words, by_hand(points))


def change_of_cuts(before: Sequence[float], after: Sequence[float]) -> str:
    """What became of one cut, as rich text; nothing when several differ."""
    gone = [point for point in before if point not in after]
    come = [point for point in after if point not in before]
    if len(gone) == len(come) == 1:
        place = list(after).index(come[0]) + 1
        return f"Cut {place}: {number_text(gone[0])} → <b>{number_text(come[0])}</b>"
    if len(come) == 1 and not gone:
        return f"Cut at <b>{number_text(come[0])}</b> added"
    if len(gone) == 1 and not come:
        return f"Cut at {number_text(gone[0])} removed"
    return ""


def by_hand(points: Sequence[float]) -> Discretisation:
    """Cuts that stay where they are put."""
    return Discretisation(BY_HAND, bins=len(points) + 1, points=tuple(points))
