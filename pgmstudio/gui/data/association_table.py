"""The list of column pairs by mutual information, and the contingency table of one pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import Associations
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

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
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_counted)
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
