"""Step 2 of an import: the list of columns, and how the selected one is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from pgmstudio.core.data.discretization import Discretisation
from pgmstudio.core.io.data.inspection import ColumnKind, ColumnReport, FileReport, Treatment
from pgmstudio.core.io.import_plan import Draft
from pgmstudio.core.number_format import counted, grouped, read_number
from pgmstudio.gui.importing.hints import markers_note, missing_note, outlier_note, weights_note
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, named, row, vbox
from pgmstudio.gui.widgets.column_table import ColumnList, ColumnRow
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.search_field import SearchField
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

_FLAGS = {
    ColumnKind.INDEX: "index",
    ColumnKind.CONSTANT: "constant",
    ColumnKind.IDENTIFIER: "identifier",
    ColumnKind.DATE: "date",
    ColumnKind.EMPTY: "empty",
}


BinCounts = Mapping[tuple[str, Discretisation], int]  # number of bins by column and method


def column_row(
    column: ColumnReport, draft: Draft, bin_counts: BinCounts | None = None
) -> ColumnRow:
    """Row of a column in the list; a method may give fewer bins than requested."""
    treatment = draft.treatment(column)
    is_number = column.kind is ColumnKind.NUMBERS or treatment is Treatment.DISCRETISE
    bars = column.histogram if is_number else tuple(count for _, count in column.states)
    if is_number and column.low is not None and column.high is not None:
        facts = f"{read_number(column.low)} … {read_number(column.high)}"
    else:
        facts = counted(column.distinct, "state")
    chip = _FLAGS.get(column.kind, "")
    if treatment is Treatment.DISCRETISE:
        how = draft.cutting_of(column)
        if how.method == "mdl":
            chip = "MDL"
        else:
            bins = len(how.points) + 1 if how.method == "cuts" else how.bins
            chip = counted((bin_counts or {}).get((column.name, how), bins), "bin")
    elif treatment is Treatment.WEIGHTS:
        chip = "frequency"
    return ColumnRow(
        name=column.name,
        is_number=is_number,
        bars=tuple(float(bar) for bar in bars),
        facts=facts,
        missing=column.missing,
        chip=chip,
        chip_is_warning=column.kind in _FLAGS and treatment is not Treatment.WEIGHTS,
        is_used=treatment is not Treatment.LEAVE_OUT,
        tip=f"{column.name}: {column.note}" if column.note else column.name,
    )


class ColumnsPane(QWidget):
    """Column list with check boxes at the left of steps 2 and 3, with notes on the columns."""

    markers_requested = Signal(object)  # additional missing markers
    weights_requested = Signal(str, bool)  # column, whether it holds row counts
    picked = Signal(str)
    ticked = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("columnsPane")
        self.count = label("", "heading", size="dense")
        self.search = SearchField("findImportColumn", "Find a column")
        self.search.setMaximumWidth(round(160 * theme().scale))
        self.list = ColumnList(
            "importColumns", with_ticks=True, selection=SelectionMode.ExtendedSelection
        )
        self.list.setToolTip("Ctrl or Shift and a click selects several columns.")
        self.list.selected.connect(self._on_selected)
        self.list.ticked.connect(self._on_ticked)
        self.search.textChanged.connect(self.list.show_filtered)
        self.note = Note("", "warning", "missingNote", rich=True)
        self.odd = Note("", "info", "oddNote", rich=True)
        self._odd_markers: tuple[str, ...] = ()
        self._shown: tuple[FileReport, Draft] | None = None
        self._bin_counts: dict[tuple[str, Discretisation], int] = {}
        self.odd.link_activated.connect(self._on_count_as_missing)
        self.doubtful = Note("", "info", "markersNote", rich=True)
        self._doubtful_markers: tuple[str, ...] = ()
        self.doubtful.link_activated.connect(self._on_doubtful_missing)
        self.weights = Note("", "info", "weightsNote", rich=True)
        self._weights_column = ""
        self.weights.link_activated.connect(self._on_count_by)
        head = row(self.count, None, self.search)
        head.setContentsMargins(12, 8, 12, 8)
        layout = vbox(self, head, (self.list, 1), spacing=0)
        foot = vbox(
            None,
            self.weights,
            self.doubtful,
            self.odd,
            self.note,
            margins=(12, 8, 12, 12),
            spacing=8,
        )
        layout.addLayout(foot)

    def show_columns(
        self, report: FileReport, draft: Draft, complete: int, markers: Sequence[str]
    ) -> None:
        """`complete`: number of rows without a missing cell; `markers`: those that occur."""
        self.count.setText(counted(len(report.columns), "column"))
        if self._shown is None or self._shown[0] is not report:
            self._bin_counts.clear()  # the file was read with other options
        self._shown = report, draft
        self._show_rows()
        self.note.show_text(missing_note(report, draft, complete, markers), "warning")
        note, self._odd_markers = outlier_note(report, draft)
        self.odd.show_text(note, "info")
        note, self._doubtful_markers = markers_note(report, draft)
        self.doubtful.show_text(note, "info")
        note, self._weights_column = weights_note(report, draft)
        self.weights.show_text(note, "info")

    def show_bins(self, name: str, how: Discretisation, bins: int) -> None:
        """Show the number of bins of a column under a method."""
        if self._bin_counts.get((name, how)) != bins:
            self._bin_counts[name, how] = bins
            self._show_rows()

    def _show_rows(self) -> None:
        if self._shown is not None:
            report, draft = self._shown
            self.list.show_rows([column_row(c, draft, self._bin_counts) for c in report.columns])

    @property
    def selected_names(self) -> list[str]:
        """All selected columns."""
        return [column.name for column in self.list.selected_rows]

    def _on_selected(self, number: int) -> None:
        self.picked.emit(self.list.rows[number].name)

    def _on_ticked(self, number: int, is_on: bool) -> None:
        self.ticked.emit(self.list.rows[number].name, is_on)

    def _on_count_by(self, link: str) -> None:
        self.weights_requested.emit(self._weights_column, link == "yes")

    def _on_count_as_missing(self, _link: str) -> None:
        self.markers_requested.emit(self._odd_markers)

    def _on_doubtful_missing(self, _link: str) -> None:
        self.markers_requested.emit(self._doubtful_markers)

    @property
    def wanted_width(self) -> int:
        """The width at which no name in the list is shortened."""
        return self.list.wanted_width

    def minimumSizeHint(self) -> QSize:
        return QSize(round(356 * theme().scale), super().minimumSizeHint().height())


_USES = (
    (Treatment.STATES, "States", "Each distinct value is a state."),
    (Treatment.DISCRETISE, "Bins", "Numbers are discretised into bins."),
    (Treatment.WEIGHTS, "Row weights", "Numbers are the counts or weights of the rows."),
    (Treatment.LEAVE_OUT, "Leave out", "The column is not imported."),
)


class ColumnDetail(QWidget):
    """Details of one column: type, use, and its states with their counts."""

    treatment_requested = Signal(str, object)  # column, Treatment
    cuts_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("columnDetail")
        self._column: ColumnReport | None = None
        self.title = ElidedLabel("", "heading", size="title", is_snug=True)
        self.facts = label("", "secondary", size="dense")
        self.use = named(QComboBox(), "useAs", "How the column is used")
        for treatment, title, tip in _USES:
            self.use.addItem(title, treatment)
            self.use.setItemData(self.use.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.use.activated.connect(self._on_use)
        self.note = Note("", "info", "columnNote")
        self.states = Table(
            "statesFound",
            "States of the column",
            (
                Column("State", stretches=True, tip="Each distinct value is a state."),
                Column("Rows", grouped, True, tip="Rows with this state."),
            ),
            selection=SelectionMode.NoSelection,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(10)
        layout.addWidget(row(self.title, self.facts, None))
        layout.addWidget(row(label("Use as", "secondary"), self.use, None))
        layout.addWidget(self.note)
        layout.addWidget(self.states, 1)
        self.bins = label("", "secondary", wrap=True)
        self.edit_bins = button(
            "Edit bins",
            self.cuts_requested.emit,
            role="link",
            icon_name="scissors",
            tip="Go to step 3, where the bin edges can be moved",
            name="showCuts",
        )
        layout.addWidget(self.bins)
        layout.addWidget(row(self.edit_bins, None))
        self._air = QWidget()  # keeps the widgets at the top when there are no states
        layout.addWidget(self._air, 1)

    def show_column(self, column: ColumnReport, draft: Draft) -> None:
        self._column = column
        self.title.setText(column.name)
        facts = [column.kind.value, counted(column.distinct, "value")]
        if column.low is not None and column.high is not None:
            facts.append(f"{read_number(column.low)} … {read_number(column.high)}")
        if column.missing:
            facts.append(f"{grouped(column.missing)} missing")
        self.facts.setText(" · ".join(facts))
        treatment = draft.treatment(column)
        self.use.setCurrentIndex([use for use, _, _ in _USES].index(treatment))
        self.use.setToolTip(_USES[self.use.currentIndex()][2])
        numeric = column.low is not None
        for index, (use, _, tip) in enumerate(_USES):
            needs_numbers = use in (Treatment.DISCRETISE, Treatment.WEIGHTS)
            self._enable(index, numeric or not needs_numbers, tip)
        self.note.show_text(column.note, "info")
        is_cut = treatment is Treatment.DISCRETISE
        counts = treatment is Treatment.WEIGHTS
        self.bins.setVisible(is_cut or counts)
        self.edit_bins.setVisible(is_cut)
        if is_cut:
            self.show_bins(draft.cutting_of(column).bins)
        elif counts:
            self.bins.setText("Each row counts as often as given here, in learners and scores.")
        self._show_states(column)

    def show_bins(self, bins: int) -> None:
        """Show the number of bins of the column."""
        self.bins.setText(f"Discretised into {counted(bins, 'bin')}.")

    def _enable(self, row: int, on: bool, tip: str) -> None:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        index = self.use.model().index(row, 0)
        self.use.model().setData(index, flags if on else Qt.ItemFlag.NoItemFlags, _FLAGS_ROLE)
        text = tip if on else "Not now: the column has values that are not numbers."
        self.use.setItemData(row, text, Qt.ItemDataRole.ToolTipRole)

    def _show_states(self, column: ColumnReport) -> None:
        self.states.setVisible(bool(column.states))
        self._air.setVisible(not column.states)
        self.states.show_rows(column.states)

    def _on_use(self, row: int) -> None:
        if self._column is not None:
            self.treatment_requested.emit(self._column.name, _USES[row][0])


# Role in which QComboBox's own model stores whether an item is enabled.
_FLAGS_ROLE = Qt.ItemDataRole.UserRole - 1
