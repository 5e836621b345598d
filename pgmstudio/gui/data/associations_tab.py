"""The Associations tab of a data page: mutual information of all pairs as a map and a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import Associations, associations
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.jobs.job import ProgressCell
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.plots.matrix_plot import HeatLegend, HeatMap
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, progress_bar, row, scrolled, vbox
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

POLL_INTERVAL_MS = 100
_COUNTING = "Counting all pairs of columns…"
_STOPPED = "Stopped. No pairs were counted."


_MAX_SIDE = 40  # states shown of each variable of a contingency table


class PairList(Table):
    """List of all pairs of columns, strongest first."""

    pair_selected = Signal(str, str)

    def __init__(self, name: str) -> None:
        super().__init__(name, "All pairs of columns", rows_measured=24)
        self._names: tuple[str, ...] = ()
        self._first = self._second = np.zeros(0, dtype=np.intp)
        self.selected.connect(self._on_pair)
        self.clicked.connect(self._on_clicked)

    def show_pairs(self, associations: Associations) -> None:
        names = associations.names
        first, second = np.triu_indices(len(names), 1)
        order = np.argsort(-associations.information_bits[first, second], kind="stable")
        first, second = first[order], second[order]
        self._names, self._first, self._second = names, first, second
        bits = associations.information_bits[first, second]
        p_values = associations.p_values[first, second]
        ranks = np.argsort(np.argsort(np.array(names)))

        def column(title: str, tip: str, **more: Any) -> Column:
            return Column(title, stretches=True, tip=tip, **more)

        self.show_columns(
            (
                column("Column", "", value=lambda n: names[first[n]], keys=ranks[first]),
                column("Column", "", value=lambda n: names[second[n]], keys=ranks[second]),
                column(
                    "MI (bits)",
                    "Mutual information of the two columns",
                    text="{:.4f}".format,
                    is_number=True,
                    value=bits.__getitem__,
                    keys=bits,
                ),
                column(
                    "p-value",
                    "p-value of independence of the two columns",
                    text="{:.2g}".format,
                    is_number=True,
                    value=p_values.__getitem__,
                    keys=p_values,
                ),
            )
        )
        self.show_rows(range(first.size))
        self.sortByColumn(2, Qt.SortOrder.DescendingOrder)

    def _on_pair(self, number: int) -> None:
        self.pair_selected.emit(self._names[self._first[number]], self._names[self._second[number]])

    def _on_clicked(self) -> None:
        """Also a click on the selected pair shows it: the map may show another."""
        if self.current is not None:
            self._on_pair(self.current)


class PairTable(QWidget):
    """Contingency table of two columns, tinted where there are more rows than expected."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pairTable")
        self._pair: tuple[DataSet, str, str] | None = None
        self._latest_task = LatestTask(self, self._on_counted)
        self.title = label("", "heading", wrap=True)
        self.note = label("", "secondary", size="dense", wrap=True)
        self.table = Table(
            "pairCounts",
            "Rows with both states",
            row_title=self._row_title,
            is_sortable=False,
            selection=SelectionMode.ExtendedSelection,
            tip="",
        )
        key_text = "Row counts, tinted where there are more than expected under independence."
        self._key = label(key_text, "tertiary", size="dense", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        for widget in (self.title, self.note):
            layout.addWidget(widget)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._key)
        self._air = QWidget()  # keeps the text at the top while there is no table
        layout.addWidget(self._air, 1)
        self.show_pair(None)

    def minimumSizeHint(self) -> QSize:
        return QSize(round(260 * theme().scale), 200)

    def show_pair(
        self, data: DataSet | None, first: str = "", second: str = "", note: str = ""
    ) -> None:
        self.table.setVisible(data is not None)
        self._key.setVisible(data is not None)
        self._air.setVisible(data is None)
        self.title.setText(f"{first} × {second}" if data is not None else "")
        self.note.setText(note or "Click a cell to show the contingency table of its two columns.")
        if data is None:
            self._pair = None
            self._latest_task.forget()
            return
        self._pair = (data, first, second)

        def count(cancel: CancelToken) -> Any:
            return joint_counts(data, [data.domain.index(first), data.domain.index(second)], cancel)

        self._latest_task.ask(count)

    def _on_counted(self, counts: Any) -> None:
        if self._pair is None:
            return
        data, first, second = self._pair
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1.0)

        def column(j: int, state: str) -> Column:
            def tip(i: int) -> str:
                return (
                    f"{first} = {self._row_title(i)}, {second} = {state}: "
                    f"{float(counts[i, j]):g} rows, {float(expected[i, j]):.1f} expected"
                )

            return Column(
                state,
                grouped,
                True,
                value=lambda i: round(float(counts[i, j])),
                cell_tip=tip,
                background=lambda i: "accent_soft" if counts[i, j] > 1.2 * expected[i, j] else None,
            )

        states = data.domain[second].states[:_MAX_SIDE]
        self.table.show_columns([column(j, state) for j, state in enumerate(states)])
        self.table.show_rows(range(min(data.domain[first].cardinality, _MAX_SIDE)))

    def _row_title(self, number: int) -> str:
        assert self._pair is not None
        data, first, _ = self._pair
        return data.domain[first].states[number]


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
_EXPORT = "All pairs with bits and p-values"


@dataclass(frozen=True, eq=False)
class _Result:
    data: DataSet
    associations: Associations
    order: list[int]


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
        self._requested: DataSet | None = None
        self._result: _Result | None = None
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
        head = row(self.hover, self.as_table, self.export)
        head.setContentsMargins(16, 6, 16, 6)
        foot = row(self.legend)
        foot.setContentsMargins(16, 2, 16, 6)
        vbox(self, head, (splitter, 1), foot, spacing=0)
        self.hover.setText(_HINT)
        app.workspace.active_model_changed.connect(self._refresh_edges)
        app.document.changed.connect(self._refresh_edges)

    # -- shown associations

    def show_data(self, data: DataSet) -> None:
        """Count the pairs of `data` unless they are shown already."""
        self._refresh_edges()
        if data is self._requested:
            return
        self._requested = data
        if self._result is None:
            self._stack.setCurrentIndex(2)

        progress = self.wait.begin()

        def count(cancel: CancelToken) -> _Result:
            counted_pairs = associations(data, cancel, progress.report)
            return _Result(data, counted_pairs, clustered_order(counted_pairs.information_bits))

        self._latest_task.ask(count)

    def _on_failed(self, error: BaseException) -> None:
        self.wait.end()
        self._app.errors.report(error)

    def _on_stopped(self) -> None:
        self._latest_task.forget()
        if self._result is not None:  # the associations of the rows before
            self._requested = self._result.data
            self._stack.setCurrentIndex(0)

    def _on_restart(self) -> None:
        data, self._requested = self._requested, None
        if data is not None:
            self.show_data(data)

    def _on_answered(self, result: _Result) -> None:
        first = self._result is None
        self._result = result
        self.wait.end()
        associations = result.associations
        self.map.show_values(associations.names, associations.information_bits, result.order)
        self.legend.show_range(self.map.largest)
        self._set_counted(True)
        self.list.show_pairs(associations)
        self.pair.show_pair(None)
        if first or self._stack.currentIndex() == 2:
            self._stack.setCurrentIndex(0)
        self._refresh_edges()

    def _set_counted(self, is_counted: bool) -> None:
        """Enable export and legend once the pairs are counted."""
        self.legend.setVisible(is_counted)
        for widget, tip in ((self.as_table, self.as_table.text()), (self.export, _EXPORT)):
            widget.setEnabled(is_counted)
            widget.setToolTip(tip if is_counted else "Not now: the pairs are still being counted.")

    def _refresh_edges(self, *_: object) -> None:
        entry = last_model(self._app).entry
        model = entry.model if entry is not None else None
        edges = model.edges if isinstance(model, DirectedModel) else ()
        self.map.show_edges(edges)
        self.legend.show_edges_of(entry.title if entry is not None and edges else None)

    def describe(self, i: int, j: int) -> str:
        """Text of a cell: both names, the mutual information and the p-value."""
        if self._result is None:
            return ""
        associations = self._result.associations
        bits = float(associations.information_bits[i, j])
        if i == j:
            return f"{associations.names[i]}: entropy {bits:.3f} bits"
        p = float(associations.p_values[i, j])
        p_text = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
        return f"{associations.names[i]} and {associations.names[j]}: {bits:.3f} bits, {p_text}"

    # -- user actions

    def _on_hovered(self, i: int, j: int) -> None:
        self.hover.setText(self.describe(i, j) if i >= 0 else _HINT)

    def _on_selected(self, first: str, second: str) -> None:
        if self._result is None:
            return
        self.map.select((first, second))
        names = self._result.associations.names
        if first != second:
            note = self.describe(names.index(first), names.index(second))
            self.pair.show_pair(self._result.data, first, second, note)
        else:
            self.pair.show_pair(None)
        last = last_model(self._app)
        if last.entry is not None:
            nodes = [n for n in dict.fromkeys((first, second)) if n in last.entry.model.domain]
            # The data page is current; the panels still show its model.
            self._app.workspace.activate_model(last.id)
            self._app.workspace.select(nodes)

    def _on_as_table(self) -> None:
        if self._result is not None:
            show_list = self._stack.currentIndex() == 0
            self._stack.setCurrentIndex(1 if show_list else 0)
            self.as_table.setText("Show as map" if show_list else "Show as table")

    def _on_export(self) -> None:
        if self._result is None:
            return
        name = self._app.project.data[self._data_id].name
        offered = f"{name}-associations.csv"
        ask_where(self, "Export associations", offered, "CSV (*.csv)", self.export_to)

    def export_to(self, path: Path) -> None:
        """Write all pairs, strongest first."""
        if self._result is not None:
            self._app.export_file(path, associations_csv(self._result.associations))


def associations_csv(associations: Associations) -> str:
    """CSV text with a line per pair: names, bits, G², degrees of freedom, p-value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["first", "second", "information_bits", "g2", "degrees", "p_value"])
    for i, j in pairs_by_strength(associations):
        numbers = (
            associations.information_bits,
            associations.g2,
            associations.degrees,
            associations.p_values,
        )
        writer.writerow(
            [associations.names[i], associations.names[j], *(n[i, j].item() for n in numbers)]
        )
    return text.getvalue()


def pairs_by_strength(associations: Associations) -> list[tuple[int, int]]:
    first, second = np.triu_indices(len(associations.names), 1)
    order = np.argsort(-associations.information_bits[first, second], kind="stable")
    return [(int(first[k]), int(second[k])) for k in order]
