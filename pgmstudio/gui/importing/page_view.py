"""Widgets of the import page: the steps, their contents, and the footer with the buttons."""

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
from pgmstudio.core.io.import_plan import DiscretisedColumn, Draft, Reading
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.importing.columns_step import ColumnDetail, ColumnsPane
from pgmstudio.gui.importing.discretise_step import CutsEditor
from pgmstudio.gui.importing.file_step import FileStep, detected_text
from pgmstudio.gui.importing.hints import markers_note, sets_note
from pgmstudio.gui.importing.preview_table import PreviewTable
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, hairline, label, row, scrolled, vbox
from pgmstudio.gui.widgets.split_form import SplitForm
from pgmstudio.gui.widgets.step_bar import STEPS, StepBar


def _nothing() -> None:
    """A button without a slot; the page connects to `clicked`."""


class ImportFooter(QWidget):
    """Footer: Cancel on the left; Back, Next and Import on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("importFoot")
        self.cancel = self._button("Cancel", "importCancel", "Close without importing", "link")
        self.back = self._button("Back", "importBack", "Previous step", icon_name="caret-left")
        self.forward = self._button("Next", "importNext", "Next step (Return)")
        policy = self.forward.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # Back stays where it is in the last step
        self.forward.setSizePolicy(policy)
        self.finish = self._button(
            "Import", "importFinish", "Add the rows to the project", "primary", "check"
        )
        self.finish.setShortcut("Ctrl+Return")
        self.text = label("", "secondary", size="dense", name="importProgress")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(120)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 10)
        layout.setSpacing(8)
        layout.addWidget(self.cancel)
        layout.addWidget(self.bar)
        layout.addWidget(self.text, 1)
        for made in (self.back, self.forward, self.finish):
            layout.addWidget(made)
        self.show_progress("")

    def _button(
        self, text: str, name: str, tip: str, role: str = "", icon_name: str | None = None
    ) -> QPushButton:
        return button(text, _nothing, role=role, icon_name=icon_name, tip=tip, name=name)

    def show_progress(self, text: str) -> None:
        """Show a progress message; an empty text hides the bar."""
        self.text.setText(text)
        self.bar.setVisible(bool(text))

    def show_finish(self, text: str, reason: str | None) -> None:
        self.finish.setText(text)
        self.finish.setShortcut("Ctrl+Return")  # a new text removes it
        self.finish.setMinimumWidth(max(self.finish.minimumWidth(), self.finish.sizeHint().width()))
        self.finish.setAccessibleName(text)
        self.finish.setEnabled(reason is None)
        self.finish.setToolTip(f"Not now: {reason}" if reason else f"{text} (Ctrl+Return)")


FILE, COLUMNS, CUTS, SPLIT = range(4)
_COLUMNS_WIDTH = 420  # px, of the list of columns at least


def unneeded_steps(reading: Reading | None, draft: Draft) -> dict[int, str]:
    """Why a step is skipped by Next and Back; empty for a step that is shown."""
    if reading is None:
        return {}
    report = reading.report
    is_cut = any(draft.treatment(column) is Treatment.DISCRETISE for column in report.columns)
    has_parts = draft.split.kind == "files"
    return {
        CUTS: "" if is_cut else "no column is discretised.",
        SPLIT: "the files are the parts." if has_parts else "",
    }


def following_step(step: int, reading: Reading | None, draft: Draft, by: int = 1) -> int | None:
    """The next step that applies, or the one before with `by` = -1; None if there is none."""
    skipped = unneeded_steps(reading, draft)
    step += by
    while FILE <= step <= SPLIT:
        if not skipped.get(step):
            return step
        step += by
    return None


class ImportView(QFrame):
    """Container of the page's widgets."""

    def __init__(self, waiting: str) -> None:
        super().__init__()
        self.setProperty("role", "surface")
        self._can_choose = False  # reading options of a file that could not be read
        self._is_width_chosen = False  # of the list of columns
        self._names: tuple[str, ...] = ()  # in the list of columns
        self.steps = StepBar()
        self.problem = Note("", "danger", "importProblem")
        self.file = FileStep()
        self.columns = ColumnsPane()
        self.detail = ColumnDetail()
        self.cuts = CutsEditor()
        self.preview = PreviewTable("importPreview")
        self.split = SplitForm()
        self.foot = ImportFooter()
        self.wait = label(waiting, "secondary")
        self.wait.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._preview_text = label("", "tertiary", size="dense")
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
        head = row(label("Preview", "heading", size="dense"), None, self._preview_text)
        head.setContentsMargins(5, 0, 16, 0)
        vbox(below, head, (self.preview, 1), margins=(11, 8, 0, 0), spacing=4)
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
        both.setSizes([round(_COLUMNS_WIDTH * theme().scale), 800])
        both.splitterMoved.connect(self._on_splitter_moved)
        self._both, self._scroll = both, scrolled(both, "columnsScroll")
        return self._scroll

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scroll columns and histogram in a low window, and stack them in a narrow one.

        Both occur with large fonts or in a small window.
        """
        super().resizeEvent(event)
        low = theme().px("bottom") + theme().px("bottom_min")
        stacked = self.width() < self.columns.minimumSizeHint().width() + theme().px("right")
        ways = Qt.Orientation
        self._both.setOrientation(ways.Vertical if stacked else ways.Horizontal)
        self._both.setMinimumSize(1, 2 * low if stacked else low)
        self._give_names_room()

    def _give_names_room(self) -> None:
        """Make the list of columns wide enough for its names, up to half of the page, until
        the user sets the width."""
        if not self._is_width_chosen and self._both.orientation() is Qt.Orientation.Horizontal:
            least = round(_COLUMNS_WIDTH * theme().scale)
            left = max(least, min(self.columns.wanted_width, self.width() // 2))
            self._both.setSizes([left, max(1, self.width() - left)])

    def _on_splitter_moved(self, _position: int, _index: int) -> None:
        self._is_width_chosen = True

    def show_unread(self, options: ImportOptions, *, is_text: bool) -> None:
        """Show a file that could not be read, with the options that may help, if any."""
        self.wait.setText("This file cannot be previewed.")
        if is_text:
            self.file.show_unread(options)
        self._can_choose = is_text
        self._stack.setCurrentIndex(1 if is_text else 0)

    def show_choices(self, step: int, reading: Reading | None, draft: Draft, undo: str) -> None:
        """Show a step with its settings; before the file is read, only the waiting message."""
        self.steps.show_step(step)
        if reading is None:
            self._stack.setCurrentIndex(1 if self._can_choose else 0)
            return
        self._stack.setCurrentIndex({FILE: 1, COLUMNS: 2, CUTS: 2, SPLIT: 3}[step])
        self._right.setCurrentIndex(1 if step == CUTS else 0)
        report = reading.report
        markers = (*draft.reading.all_markers, *reading.table.markers)
        self.steps.show_summary(detected_text(report, draft.reading))
        self.file.show_reading(report, draft.reading)
        used = draft.used(report)
        names = [column.name for column in used]
        complete = reading.complete_rows(names)
        self.columns.show_columns(report, draft, complete, reading.markers_seen)
        listed = tuple(column.name for column in report.columns)
        if listed != self._names:
            self._names = listed
            self._give_names_room()
        self.file.show_doubtful(*markers_note(report, draft))
        self.file.show_sets(sets_note(report, draft))
        self.preview.show_cells(
            report.preview_names,
            report.preview,
            markers,
            only=names,
            decimal=reading.table.decimal,
            has_sets=draft.reading.imprecise,
        )
        shown, total = len(report.preview), report.row_count
        self._preview_text.setText(f"first {shown} of {grouped(total)} rows")
        self.split.show_plan(draft.split, total, names, has_files=reading.is_split)
        states = [c for c in used if draft.treatment(c) is Treatment.STATES]
        states.sort(key=lambda column: column.distinct > 1)  # a single state is no target
        self.cuts.show_targets([column.name for column in states])
        self.cuts.show_undo(undo)

    def show_cuts(self, shown: DiscretisedColumn) -> None:
        """Show the bins of the selected column in the histogram, the list and the preview."""
        bins = len(shown.points) + 1
        self.cuts.show_cuts(shown)
        if self._right.currentWidget() is self.cuts:  # below the columns if they are stacked
            self._scroll.ensureWidgetVisible(self._right, 0, 0)
        self.detail.show_bins(bins)
        self.columns.show_bins(shown.values.name, shown.how, bins)
        self.preview.show_cuts(shown.values.name, shown.points)

    def show_no_cuts(self, column: ColumnReport, draft: Draft) -> None:
        """Show why the selected column has no bins."""
        treatment = draft.treatment(column)
        is_out = treatment is Treatment.LEAVE_OUT
        what = "is left out" if is_out else f"is used as {treatment.value}"
        can_cut = column.low is not None
        numbers = "" if can_cut else " and has values that are not numbers"
        message = f"{column.name} {what}{numbers}, so it is not discretised."
        self.cuts.show_nothing(column.name, message, can_cut=can_cut)
        self.preview.show_cuts(None, ())

    def show_footer(
        self,
        step: int,
        reading: Reading | None,
        draft: Draft,
        disabled_reason: str | None,
        *,
        busy: bool,
    ) -> None:
        self.foot.back.setEnabled(step > FILE and not busy)
        after = following_step(step, reading, draft)
        self.foot.forward.setVisible(after is not None)
        if after is not None:
            self.foot.forward.setToolTip(f"Next: {STEPS[after]} (Return)")
        for number, reason in unneeded_steps(reading, draft).items():
            self.steps.show_unneeded(number, reason)
        self.foot.forward.setEnabled(not busy and reading is not None)
        what = "" if reading is None else f" {counted(reading.report.row_count, 'row')}"
        if draft.split.kind == "files":
            what = " 3 files"
        self.foot.show_finish(f"Import{what}", disabled_reason)
        self._note_row.setVisible(bool(self.problem.text))
