"""The Associations tab of a data page: a measure of all pairs as a map and a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.analysis import associations as analysis
from pgmstudio.core.analysis.associations import PairDetail, pair_detail
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import Associations, associations
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import decimal, general, grouped
from pgmstudio.core.scores.association_measures import MEASURES, Measure, Setting, measures_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.jobs.job import ProgressCell
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.plots.matrix_plot import HeatLegend, HeatMap
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, named, progress_bar, row, scrolled, vbox
from pgmstudio.gui.widgets.combo_box import Combo, chooser, offer
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.number_help import NumberHelp
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

POLL_INTERVAL_MS = 100
_COUNTING = "Counting all pairs of columns…"
_STOPPED = "Stopped. No pairs were counted."


_MAX_SIDE = 40  # states shown of each variable of a pair
_MAX_SLICES = 12  # of a condition, with their gains


MUTUAL_INFORMATION = "info_gain"
_TITLES = {MUTUAL_INFORMATION: "Mutual information"}  # the usual name of information gain


@dataclass(frozen=True, eq=False)
class _Result:
    """The values of a measure; mutual information, which is always counted, has p-values too."""

    data: DataSet
    counted: Associations
    order: list[int]
    measured: analysis.Associations

    @property
    def measure(self) -> Measure:
        return self.measured.measure

    @property
    def is_mutual_information(self) -> bool:
        return self.measure.key == MUTUAL_INFORMATION

    @property
    def values(self) -> NDArray[np.float64]:
        """The measure of all pairs; the entropies are on the diagonal of mutual information."""
        return self.counted.information_bits if self.is_mutual_information else self.measured.matrix

    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Parents and children of all pairs, the strongest first."""
        is_pair = ~np.isnan(self.values) & ~np.eye(len(self.values), dtype=bool)
        first, second = np.nonzero(np.triu(is_pair) if self.measure.symmetric else is_pair)
        sign = -1 if self.measure.larger_is_stronger else 1
        order = np.argsort(sign * self.values[first, second], kind="stable")
        return first[order], second[order]


class PairList(Table):
    """List of all pairs of columns, strongest first."""

    pair_selected = Signal(str, str)

    def __init__(self, name: str) -> None:
        super().__init__(name, "All pairs of columns", rows_measured=24)
        self._names: tuple[str, ...] = ()
        self._first = self._second = np.zeros(0, dtype=np.intp)
        self.selected.connect(self._on_pair)
        self.clicked.connect(self._on_clicked)

    def show_pairs(self, result: _Result) -> None:
        names = result.counted.names
        first, second = result.pairs()
        self._names, self._first, self._second = names, first, second
        values = result.values[first, second]
        p_values = result.counted.p_values[first, second]
        measure = result.measure
        titles = ("Column", "Column") if measure.symmetric else ("Parent", "Child")
        ranks = np.argsort(np.argsort(np.array(names)))

        def column(title: str, tip: str, **more: Any) -> Column:
            return Column(title, stretches=True, tip=tip, **more)

        columns = [
            column(titles[0], "", value=lambda n: names[first[n]], keys=ranks[first]),
            column(titles[1], "", value=lambda n: names[second[n]], keys=ranks[second]),
            column(
                "MI (bits)" if result.is_mutual_information else measure.title,
                f"{measure_title(measure)} of the two columns: {measure.direction}",
                text=partial(decimal, digits=4),
                is_number=True,
                value=values.__getitem__,
                keys=values,
            ),
        ]
        if result.is_mutual_information:
            p_value = column(
                "p-value",
                "p-value of independence of the two columns",
                text="{:.2g}".format,
                is_number=True,
                value=p_values.__getitem__,
                keys=p_values,
            )
            columns.append(p_value)
        self.show_columns(columns)
        self.show_rows(range(first.size))
        orders = Qt.SortOrder
        is_descending = measure.larger_is_stronger
        self.sortByColumn(2, orders.DescendingOrder if is_descending else orders.AscendingOrder)

    def _on_pair(self, number: int) -> None:
        self.pair_selected.emit(self._names[self._first[number]], self._names[self._second[number]])

    def _on_clicked(self) -> None:
        """Also a click on the selected pair shows it: the map may show another."""
        if self.current is not None:
            self._on_pair(self.current)


_KEYS = {
    Setting.RELATIONAL: "1 for the pairs of states that occur.",
    Setting.PROBABILISTIC: "Row counts, tinted where there are more than expected under "
    "independence.",
    Setting.POSSIBILISTIC: "Degrees π(a,c), tinted where they are below min(π(a), π(c)), the "
    "second number.",
}


class PairTable(QWidget):
    """The table of two columns that a measure looks at, and the numbers in its formula."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pairTable")
        self._pair: tuple[_Result, str, str] | None = None
        self._row_states: tuple[str, ...] = ()  # of the table, which may be of the pair before
        self._latest_task = LatestTask(self, self._on_counted)
        self.title = label("", "heading", wrap=True)
        self.note = label("", "secondary", size="dense", wrap=True)
        self.numbers = label("", size="dense", wrap=True, name="pairNumbers")
        self.table = Table(
            "pairCounts",
            "Table of both columns",
            row_title=self._row_title,
            is_sortable=False,
            selection=SelectionMode.ExtendedSelection,
            tip="",
        )
        self._key = label("", "tertiary", size="dense", wrap=True)
        self._air = QWidget()  # keeps the text at the top while there is no table
        parts = (self.title, self.note, self.numbers, (self.table, 1), self._key, (self._air, 1))
        vbox(self, *parts, margins=(12, 8, 12, 8), spacing=6)
        self.show_pair(None)

    def minimumSizeHint(self) -> QSize:
        return QSize(round(260 * theme().scale), 200)

    def show_pair(
        self, result: _Result | None, first: str = "", second: str = "", note: str = ""
    ) -> None:
        """`first` is the parent of a directed measure."""
        for widget in (self.table, self._key):
            widget.setVisible(result is not None)
        self.numbers.hide()
        self._air.setVisible(result is None)
        self.note.setText(note or "Click a cell to show the table of its two columns.")
        if result is None:
            self._pair = None
            self.title.setText("")
            self._latest_task.forget()
            return
        self._pair = (result, first, second)
        self.title.setText(f"{first} {'×' if result.measure.symmetric else '→'} {second}")
        slices = " All slices together." if result.measured.given else ""
        self._key.setText(_KEYS[result.measure.setting] + slices)
        self._latest_task.ask(partial(pair_detail, result.data, result.measured, first, second))

    def _on_counted(self, detail: PairDetail) -> None:
        if self._pair is None:
            return
        result, first, second = self._pair
        self.numbers.setText(_numbers_text(detail, first, second, result.measured.given))
        self.numbers.setVisible(bool(detail.numbers))
        setting = result.measure.setting
        table, expected = detail.table, detail.expected

        def column(j: int, state: str) -> Column:
            def text(i: int) -> str:
                if setting is not Setting.POSSIBILISTIC:
                    return grouped(round(float(table[i, j])))
                degree = general(table[i, j], 3)
                is_below = table[i, j] < expected[i, j]
                return f"{degree} < {general(expected[i, j], 3)}" if is_below else degree

            def tip(i: int) -> str:
                value, other = float(table[i, j]), float(expected[i, j])
                names = f"{first} = {self._row_title(i)}, {second} = {state}: "
                if setting is Setting.PROBABILISTIC:
                    return names + f"{value:g} rows, {other:.1f} expected"
                if setting is Setting.RELATIONAL:
                    return names + ("occurs" if value else "does not occur")
                return names + f"π(a,c) = {value:.4g}, min(π(a), π(c)) = {other:.4g}"

            def background(i: int) -> str | None:
                value, other = table[i, j], expected[i, j]
                is_tinted = {
                    Setting.PROBABILISTIC: value > 1.2 * other,
                    Setting.RELATIONAL: value > 0,
                    Setting.POSSIBILISTIC: value < other,
                }[setting]
                return "accent_soft" if is_tinted else None

            return Column(state, is_number=True, value=text, cell_tip=tip, background=background)

        states = result.data.domain[second].states[:_MAX_SIDE]
        self._row_states = result.data.domain[first].states
        self.table.show_columns([column(j, state) for j, state in enumerate(states)])
        self.table.show_rows(range(min(result.data.domain[first].cardinality, _MAX_SIDE)))

    def _row_title(self, number: int) -> str:
        return self._row_states[number]


def _numbers_text(detail: PairDetail, first: str, second: str, given: Sequence[str]) -> str:
    """“A = color, C = shape: |R(A)| = 4, |R(C)| = 3, |R(A,C)| = 6”, or the gains of the slices."""
    if given:
        gains = [
            f"{name}: {f'{detail.terms[name]} = ' if detail.terms else ''}{general(value)}"
            for name, value in detail.numbers.items()
        ]
        more = f" and {len(gains) - _MAX_SLICES} more" if len(gains) > _MAX_SLICES else ""
        return "Gain in each slice: " + "; ".join(gains[:_MAX_SLICES]) + more
    numbers = [f"{name} = {general(value)}" for name, value in detail.numbers.items()]
    unbroken = [number.replace(" ", "\u00a0") for number in numbers]
    return f"A = {first}, C = {second}: " + ", ".join(unbroken)


class CountingWait(QWidget):
    """Progress bar of the counting with a Stop button; a stopped counting can be restarted."""

    stopped = Signal()
    restart_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("countingWait")
        self._progress = ProgressCell()
        self._text = label(_COUNTING, "secondary", name="countingText")
        title = "Progress of counting the pairs"
        self._bar = progress_bar("countingProgress", title, theme().px("right_min"))
        self._button = button("Stop", self._on_button, name="countingStop")
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_INTERVAL_MS)
        self._timer.timeout.connect(self._poll)
        layout = QVBoxLayout(self)
        layout.addStretch(1)
        for widget in (self._text, self._bar, self._button):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        self.end()

    def begin(self) -> ProgressCell:
        """Start a counting; it reports its progress to the cell that is returned."""
        self._progress = ProgressCell()
        self._timer.start()
        self._show(_COUNTING, "Stop", "Stop counting.")
        self._poll()
        return self._progress

    def end(self) -> None:
        self._timer.stop()

    def _on_button(self) -> None:
        if self._timer.isActive():
            self.end()
            self._show(_STOPPED, "Count the pairs", "Count all pairs of columns from the start.")
            self.stopped.emit()
        else:
            self.restart_requested.emit()

    def _show(self, text: str, button_text: str, tip: str) -> None:
        self._text.setText(text)
        self._button.setText(button_text)
        self._button.setToolTip(tip)
        self._button.setAccessibleName(tip)
        self._bar.setVisible(self._timer.isActive())

    def _poll(self) -> None:
        self._bar.setValue(round(1000 * self._progress.done))


_HINT = "Click a cell to select both variables in the model."
_EXPORT = "All pairs with their values"
_WAIT_AFTER_MS = 300  # a quick measure replaces the shown one without the page of the progress


def measure_title(measure: Measure) -> str:
    return _TITLES.get(measure.key, measure.title)


def describe_measure(measure: Measure) -> str:
    """Formula, setting, direction, symmetry and reference in a line."""
    kind = "symmetric" if measure.symmetric else "directed: the row is parent A, the column child C"
    facts = (measure.setting.value, measure.direction, kind, measure.reference)
    return f"{measure.formula}  ·  " + "  ·  ".join(facts)


class MeasureBox(Combo):
    """All measures under headings of their settings."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "measureBox", "Measure of association", "Measure of association of two columns")
        self.setSizeAdjustPolicy(Combo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(20)
        self.setMaxVisibleItems(24)
        items = self.model()
        assert isinstance(items, QStandardItemModel)
        for setting in (Setting.PROBABILISTIC, Setting.RELATIONAL, Setting.POSSIBILISTIC):
            self.addItem(setting.value.capitalize())
            items.item(self.count() - 1).setEnabled(False)
            for key in measures_of(setting) + measures_of(setting, conditional=True):
                self.addItem(measure_title(MEASURES[key]), key)
                tip = describe_measure(MEASURES[key])
                self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.choose(MUTUAL_INFORMATION)

    @property
    def measure(self) -> Measure:
        return MEASURES[self.currentData()]

    def choose(self, key: str) -> None:
        self.setCurrentIndex(self.findData(key))


def clustered_order(bits: NDArray[np.float64]) -> list[int]:
    """Order that puts strongly associated variables side by side.

    Average linkage on 1 − I(X;Y) / min(H(X), H(Y)); the diagonal of `bits` holds the entropies.
    """
    count = len(bits)
    if count < 3:
        return list(range(count))
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    entropies = np.diag(bits)
    least = np.minimum.outer(entropies, entropies)
    shared = np.divide(bits, least, out=np.zeros_like(bits), where=least > 0)
    distances = np.clip(1 - shared, 0, 1)
    np.fill_diagonal(distances, 0)
    condensed = squareform(distances, checks=False)
    tree = linkage(condensed, "average")
    if count <= 150:
        tree = optimal_leaf_ordering(tree, condensed)
    return [int(leaf) for leaf in leaves_list(tree)]


class AssociationTab(QWidget):
    """Computed in the background when shown; a click on a cell selects the two nodes."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("associationTab")
        self._app, self._data_id = app, data_id
        self._data: DataSet | None = None
        self._requested: tuple[DataSet, str, str] | None = None  # with the measure and condition
        self._pair: tuple[str, str] | None = None
        self._result: _Result | None = None
        self._is_table = False
        self._latest_task = LatestTask(self, self._on_answered, self._on_failed)
        self.map = HeatMap("heatMap")
        self.map.describe = self.describe
        self.map.chosen.connect(self._on_selected)
        self.map.hovered.connect(self._on_hovered)
        self.list = PairList("pairList")
        self.list.pair_selected.connect(self._on_selected)
        self.pair = PairTable()
        self.legend = HeatLegend()
        self.hover = PlainLine("heatHover")
        self.hover.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.measure = MeasureBox()
        self.measure.activated.connect(self._on_measure)
        self.given = chooser("measureGiven", "Column that is the condition of the measure", 8)
        self.given.activated.connect(self._on_measure)
        self.given.hide()
        self._help = NumberHelp()
        self.about = label("", "secondary", size="dense", wrap=True, name="measureAbout")
        self.about.setContentsMargins(16, 0, 16, 6)
        self._wait_timer = QTimer(self)
        self._wait_timer.setSingleShot(True)
        self._wait_timer.setInterval(_WAIT_AFTER_MS)
        self._wait_timer.timeout.connect(self._show_wait)
        self.as_table = button(
            "Show as table", self._on_as_table, icon_name="table", name="heatAsTable"
        )
        self.export = button(
            "Export CSV…", self._on_export, icon_name="export", tip=_EXPORT, name="heatExport"
        )
        self._stack = QStackedWidget()
        area = scrolled(self.map, "heatScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._stack.addWidget(area)
        self._stack.addWidget(self.list)
        self.wait = CountingWait()
        self.wait.stopped.connect(self._on_stopped)
        self.wait.restart_requested.connect(self._on_restart)
        self._stack.addWidget(self.wait)
        self._stack.setCurrentIndex(2)
        self._set_counted(False)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._stack)
        splitter.addWidget(self.pair)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([620, 300])
        head = row(self.measure, self._help, self.given, None, self.as_table, self.export)
        head.setContentsMargins(16, 6, 16, 6)
        foot = QWidget()
        vbox(foot, self.hover, self.legend, margins=(16, 2, 16, 6), spacing=2)
        vbox(self, head, self.about, (splitter, 1), foot, spacing=0)
        self.hover.setText(_HINT)
        app.workspace.active_model_changed.connect(self._refresh_edges)
        app.document.changed.connect(self._refresh_edges)

    # -- shown associations

    def show_data(self, data: DataSet) -> None:
        """Compute the measure of all pairs of `data` unless it is shown already."""
        self._refresh_edges()
        if data is not self._data:
            self._data = data
            offer(self.given, {name: f"given {name}" for name in data.domain.names})
        self._request()

    def choose(self, measure: str, given: str = "") -> None:
        """Show a measure; `given` is the condition, if it has one."""
        if measure not in MEASURES:
            raise UnknownNameError("measure", measure, MEASURES)
        self.measure.choose(measure)
        self.given.setCurrentIndex(max(0, self.given.findData(given)))
        self._on_measure()

    def _request(self) -> None:
        data, measure = self._data, self.measure.measure
        self.given.setVisible(measure.is_conditional)
        given = self.given.currentData() if measure.is_conditional else ""
        if data is None or self._requested == (data, measure.key, given):
            return
        self._requested = (data, measure.key, given)
        progress = self.wait.begin()
        if self._result is None:
            self._show_wait()
        else:
            self._wait_timer.start()
        shown = self._result

        def count(cancel: CancelToken) -> _Result:
            if shown is not None and shown.data is data:
                counted_pairs, order = shown.counted, shown.order
            else:
                counted_pairs = associations(data, cancel, progress.report)
                order = clustered_order(counted_pairs.information_bits)
            if measure.key == MUTUAL_INFORMATION:
                names, bits = counted_pairs.names, counted_pairs.information_bits
                measured = analysis.Associations(measure, names, (), bits)
            else:
                conditions = (given,) if given else ()
                measured = analysis.associations(
                    data, measure.key, conditions, cancel, progress.report
                )
            return _Result(data, counted_pairs, order, measured)

        self._latest_task.ask(count)

    def _on_measure(self) -> None:
        self._request()

    def _show_wait(self) -> None:
        self._stack.setCurrentIndex(2)

    def _on_failed(self, error: BaseException) -> None:
        self.wait.end()
        self._show_last()
        self._app.errors.report(error)

    def _on_stopped(self) -> None:
        self._latest_task.forget()
        self._show_last()

    def _show_last(self) -> None:
        """Go back to the measure that was shown before."""
        self._wait_timer.stop()
        if self._result is None:
            return
        measured = self._result.measured
        self.measure.choose(measured.measure.key)
        self.given.setVisible(bool(measured.given))
        given = measured.given[0] if measured.given else ""
        if given:
            self.given.setCurrentIndex(self.given.findData(given))
        self._requested = (self._result.data, measured.measure.key, given)
        self._show_view()

    def _show_view(self) -> None:
        self._stack.setCurrentIndex(1 if self._is_table else 0)

    def _on_restart(self) -> None:
        self._requested = None
        self._request()

    def _on_answered(self, result: _Result) -> None:
        is_same_data = self._result is not None and self._result.data is result.data
        self._result = result
        self._wait_timer.stop()
        self.wait.end()
        measure, names = result.measure, result.counted.names
        larger = measure.larger_is_stronger
        self.map.show_values(names, result.values, result.order, larger_is_stronger=larger)
        is_information = result.is_mutual_information
        unit, grey = (" bits", "entropy") if is_information else ("", "")
        self.legend.show_range(measure_title(measure), unit, self.map.ramp, grey)
        is_exact = result.measured.is_exact
        approximate = "" if is_exact else "  ·  approximate: the rows have too many intersections"
        self.about.setText(describe_measure(measure) + approximate)
        self._help.show_number(measure.title)
        self._set_counted(True)
        self.list.show_pairs(result)
        self._show_pair(self._pair if is_same_data else None)
        self._show_view()
        self._refresh_edges()

    def _show_pair(self, pair: tuple[str, str] | None) -> None:
        """Show the table of a pair and mark it in the map."""
        self._pair = pair
        self.map.select(pair)
        if self._result is None or pair is None or pair[0] == pair[1]:
            self.pair.show_pair(None)
            return
        i, j = map(self._result.counted.names.index, pair)
        if np.isnan(self._result.values[i, j]):
            self.pair.show_pair(None, note=self.describe(i, j))
        else:
            self.pair.show_pair(self._result, *pair, self.describe(i, j))

    def _set_counted(self, is_counted: bool) -> None:
        """Enable export and legend once the pairs are counted."""
        self.legend.setVisible(is_counted)
        for widget, tip in ((self.as_table, self.as_table.text()), (self.export, _EXPORT)):
            widget.setEnabled(is_counted)
            widget.setToolTip(tip if is_counted else "Not now: the pairs are still being counted.")

    def _refresh_edges(self, *_: object) -> None:
        entry = last_model(self._app).entry
        model = entry.model if entry is not None else None
        columns = set() if self._data is None else set(self._data.domain.names)
        edges = model.edges if isinstance(model, DirectedModel) else ()
        shown = [edge for edge in edges if columns.issuperset(edge)]
        self.map.show_edges(shown)
        self.legend.show_edges_of(entry.title if entry is not None and shown else None)

    def describe(self, i: int, j: int) -> str:
        """Text of a cell: both names and the value, with the p-value of mutual information."""
        if self._result is None:
            return ""
        result, names = self._result, self._result.counted.names
        value = float(result.values[i, j])
        if not result.is_mutual_information:
            pair = f"{names[i]} {'and' if result.measure.symmetric else '→'} {names[j]}"
            if i == j:
                return names[i]
            given = "".join(f" given {name}" for name in result.measured.given)
            if np.isnan(value):
                return f"{pair}: no value{given}"
            return f"{pair}: {result.measure.title}{given} = {decimal(value, 4)}"
        if i == j:
            return f"{names[i]}: entropy {value:.3f} bits"
        p = float(result.counted.p_values[i, j])
        p_text = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
        return f"{names[i]} and {names[j]}: {value:.3f} bits, {p_text}"

    # -- user actions

    def _on_hovered(self, i: int, j: int) -> None:
        self.hover.setText(self.describe(i, j) if i >= 0 else _HINT)

    def _on_selected(self, first: str, second: str) -> None:
        if self._result is None:
            return
        self._show_pair((first, second))
        last = last_model(self._app)
        if last.entry is not None:
            nodes = [n for n in dict.fromkeys((first, second)) if n in last.entry.model.domain]
            # The data page is current; the panels still show its model.
            self._app.workspace.activate_model(last.id)
            self._app.workspace.select(nodes)

    def _on_as_table(self) -> None:
        if self._result is not None:
            self._is_table = not self._is_table
            self._show_view()
            self.as_table.setText("Show as map" if self._is_table else "Show as table")

    def _on_export(self) -> None:
        if self._result is None:
            return
        name = self._app.project.data[self._data_id].name
        offered = f"{name}-associations.csv"
        ask_where(self, "Export associations", offered, "CSV (*.csv)", self.export_to)

    def export_to(self, path: Path) -> None:
        """Write all pairs, strongest first."""
        if self._result is not None:
            self._app.export_file(path, associations_csv(self._result))


def associations_csv(result: _Result) -> str:
    """CSV text with a line per pair: both names and the value; mutual information also with G²,
    degrees of freedom and p-value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    counted = result.counted
    numbers: dict[str, NDArray[Any]] = {result.measure.key: result.values}
    titles = ("first", "second") if result.measure.symmetric else ("parent", "child")
    if result.is_mutual_information:
        numbers = {
            "information_bits": counted.information_bits,
            "g2": counted.g2,
            "degrees": counted.degrees,
            "p_value": counted.p_values,
        }
    writer.writerow([*titles, *numbers])
    for i, j in zip(*result.pairs(), strict=True):
        values = (matrix[i, j].item() for matrix in numbers.values())
        writer.writerow([counted.names[i], counted.names[j], *values])
    return text.getvalue()
