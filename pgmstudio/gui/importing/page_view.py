"""The buttons under an import page; they never scroll away.

How an import page looks: the steps, what each shows, the buttons; it decides nothing.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.io.data.inspection import ColumnReport, Treatment
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.import_plan import Draft
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.importing.columns_step import ColumnDetail, ColumnsPane
from pgmstudio.gui.importing.discretise_step import CutsEditor
from pgmstudio.gui.importing.file_step import FileStep, found_sentence
from pgmstudio.gui.importing.preview_table import PreviewTable
from pgmstudio.gui.importing.reading import CutColumn, Reading
from pgmstudio.gui.importing.split_step import SplitForm
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, hairline, label, row, scrolled
from pgmstudio.gui.widgets.step_bar import STEPS, StepBar


def _nothing() -> None:
    """The page connects to `clicked` itself."""


class ImportFoot(QWidget):
    """Cancel at the left; Back, Next and the primary button at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("importFoot")
        self.cancel = self._button("Cancel", "importCancel", "Leave; nothing is imported", "link")
        self.back = self._button("Back", "importBack", "The step before", icon_name="caret-left")
        self.forward = self._button("Next", "importNext", "The next step")
        self.finish = self._button(
            "Import", "importFinish", "Add the rows to the project", "primary", "check"
        )
        self.finish.setShortcut("Ctrl+Return")
        self.words = label("", "secondary", size="dense")
        self.words.setObjectName("importProgress")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(120)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 10)
        layout.setSpacing(8)
        layout.addWidget(self.cancel)
        layout.addWidget(self.bar)
        layout.addWidget(self.words, 1)
        for made in (self.back, self.forward, self.finish):
            layout.addWidget(made)
        self.tell_progress("")

    def _button(
        self, text: str, name: str, tip: str, role: str = "", icon_name: str | None = None
    ) -> QPushButton:
        return button(text, _nothing, role=role, icon_name=icon_name, tip=tip, name=name)

    def tell_progress(self, words: str) -> None:
        """What is going on; nothing: the bar goes away."""
        self.words.setText(words)
        self.bar.setVisible(bool(words))

    def show_finish(self, words: str, reason: str | None) -> None:
        self.finish.setText(words)
        self.finish.setAccessibleName(words)
        self.finish.setEnabled(reason is None)
        self.finish.setToolTip(f"Not now: {reason}" if reason else f"{words} (Ctrl+Return)")


FILE, COLUMNS, CUTS, SPLIT = range(4)


class ImportView(QFrame):
    """All widgets of the page by name."""

    def __init__(self, waiting: str) -> None:
        super().__init__()
        self.setProperty("role", "surface")
        self._can_choose = False  # how to read a file that could not be read
        self.steps = StepBar()
        self.problem = Note("", "danger", "importProblem")
        self.file = FileStep()
        self.columns = ColumnsPane()
        self.detail = ColumnDetail()
        self.cuts = CutsEditor()
        self.preview = PreviewTable("importPreview")
        self.split = SplitForm()
        self.foot = ImportFoot()
        self.wait = label(waiting, "secondary")
        self.wait.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._preview_words = label("", "tertiary", size="dense")
        self._stack = QStackedWidget()
        split_area = scrolled(self.split, "splitScroll")
        for widget in (self.wait, self.file, self._columns_and_cuts(), split_area):
            self._stack.addWidget(widget)
        self._note_row = row(self.problem)
        self._note_row.setContentsMargins(16, 8, 16, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self.steps, hairline(), self._note_row):
            layout.addWidget(part)
        layout.addWidget(self._stack, 1)
        for part in (hairline(), self.foot):
            layout.addWidget(part)

    def _columns_and_cuts(self) -> QWidget:
        self._right = QStackedWidget()
        self._right.addWidget(self.detail)
        self._right.addWidget(self.cuts)
        below = QWidget()
        layout = QVBoxLayout(below)
        layout.setContentsMargins(11, 8, 0, 0)
        layout.setSpacing(4)
        head = row(label("Preview", "heading", size="dense"), None, self._preview_words)
        head.setContentsMargins(5, 0, 16, 0)
        layout.addWidget(head)
        layout.addWidget(self.preview, 1)
        side = QSplitter(Qt.Orientation.Vertical)
        side.setChildrenCollapsible(False)
        side.addWidget(self._right)
        side.addWidget(below)
        side.setStretchFactor(0, 2)
        side.setStretchFactor(1, 1)
        side.setSizes([400, 210])
        both = QSplitter(Qt.Orientation.Horizontal)
        both.setChildrenCollapsible(False)
        both.addWidget(self.columns)
        both.addWidget(side)
        both.setStretchFactor(0, 0)
        both.setStretchFactor(1, 1)
        both.setSizes([round(420 * theme().scale), 800])
        self._both, self._scroll = both, scrolled(both, "columnsScroll")
        return self._scroll

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a window too low for columns and cuts they scroll; in a narrow one they are stacked.

        So it is with large fonts, or with a window much smaller than the screen.
        """
        super().resizeEvent(event)
        low = theme().px("bottom") + theme().px("bottom_min")
        stacked = self.width() < self.columns.minimumSizeHint().width() + theme().px("right")
        ways = Qt.Orientation
        self._both.setOrientation(ways.Vertical if stacked else ways.Horizontal)
        self._both.setMinimumSize(1, 2 * low if stacked else low)

    def show_unread(self, options: ImportOptions, *, is_text: bool) -> None:
        """A file that could not be read: what can be chosen so that it can, if anything."""
        self.wait.setText("Nothing of this file can be shown.")
        if is_text:
            self.file.show_unread(options)
        self._can_choose = is_text
        self._stack.setCurrentIndex(1 if is_text else 0)

    def show_choices(self, step: int, reading: Reading | None, draft: Draft, undo: str) -> None:
        """A step with all choices; before anything was read, only the wait."""
        self.steps.show_step(step)
        if reading is None:
            self._stack.setCurrentIndex(1 if self._can_choose else 0)
            return
        self._stack.setCurrentIndex({FILE: 1, COLUMNS: 2, CUTS: 2, SPLIT: 3}[step])
        self._right.setCurrentIndex(1 if step == CUTS else 0)
        report = reading.report
        markers = (*draft.reading.markers, *reading.table.markers)
        self.steps.tell_found(found_sentence(report, draft.reading))
        self.file.show_reading(report, draft.reading)
        used = draft.used(report)
        names = [column.name for column in used]
        complete = reading.complete_rows(names)
        self.columns.show_columns(report, draft, complete, reading.markers_seen)
        self.preview.show_cells(
            report.preview_names,
            report.preview,
            markers,
            only=names,
            decimal=reading.table.decimal,
        )
        shown, total = len(report.preview), report.row_count
        self._preview_words.setText(f"first {shown} of {grouped(total)} rows")
        self.split.show_plan(draft.split, total, names, has_files=reading.is_split)
        states = [c for c in used if draft.treatment(c) is Treatment.STATES]
        states.sort(key=lambda column: column.distinct > 1)  # nothing tells one state apart
        self.cuts.show_targets([column.name for column in states])
        self.cuts.tell_undo(undo)

    def show_cuts(self, shown: CutColumn) -> None:
        """The cuts of the chosen column, wherever they are told."""
        bins = len(shown.points) + 1
        self.cuts.show_cuts(shown)
        if self._right.currentWidget() is self.cuts:  # below the columns, when they are stacked
            self._scroll.ensureWidgetVisible(self._right, 0, 0)
        self.detail.tell_bins(bins)
        self.columns.tell_bins(shown.values.name, shown.how, bins)
        self.preview.show_cuts(shown.values.name, shown.points)

    def show_no_cuts(self, column: ColumnReport, draft: Draft) -> None:
        """Say why the chosen column has no cuts."""
        treatment = draft.treatment(column)
        is_out = treatment is Treatment.LEAVE_OUT
        what = "is left out" if is_out else f"is used as {treatment.value}"
        can_cut = column.low is not None
        numbers = "" if can_cut else " and holds texts"
        sentence = f"{column.name} {what}{numbers}, so there is nothing to cut."
        self.cuts.show_nothing(column.name, sentence, can_cut=can_cut)
        self.preview.show_cuts(None, ())

    def show_foot(
        self,
        step: int,
        reading: Reading | None,
        draft: Draft,
        disabled_reason: str | None,
        *,
        busy: bool,
    ) -> None:
        self.foot.back.setEnabled(step > FILE and not busy)
        self.foot.forward.setVisible(step < SPLIT)
        if step < SPLIT:
            self.foot.forward.setText(f"Next: {STEPS[step + 1]}")
        self.foot.forward.setEnabled(not busy and reading is not None)
        what = "" if reading is None else f" {counted(reading.report.row_count, 'row')}"
        if draft.split.kind == "files":
            what = " 3 files"
        self.foot.show_finish(f"Import{what}", disabled_reason)
        self._note_row.setVisible(bool(self.problem.text))
