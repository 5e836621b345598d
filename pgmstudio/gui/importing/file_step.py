"""Step 1 of an import: file format, missing markers, and a preview of the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.io.data.inspection import FileReport
from pgmstudio.core.io.data.options import SUGGESTED_MARKERS, ImportOptions
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.importing.preview_table import PreviewTable
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, label, named, row, scrolled, vbox
from pgmstudio.gui.widgets.combo_box import chooser

_AUTO = "detected"
_DELIMITERS = (("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("blanks", " "), ("bar |", "|"))
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")
_EMPTY = "(empty)"
_AS_STATE = "If off, cells stay missing; each learner states how it treats them."
_NOT_A_STATE = "Not now: a missing cell of imprecise rows may be any state."
_HEADER, _NO_HEADER = "names the columns", "is data"


def delimiter_name(delimiter: str) -> str:
    return next(
        (name for name, character in _DELIMITERS if character == delimiter), f"“{delimiter}”"
    )


def detected_text(report: FileReport, options: ImportOptions) -> str:
    """Reading options as text: `comma · UTF-8 · header in row 1 · detected`."""
    facts = report.facts
    if facts is None:
        return f"{report.format} · {counted(report.row_count, 'row')}"
    chosen = (options.delimiter, options.encoding, options.header, options.decimal)
    parts = [
        delimiter_name(facts.delimiter),
        facts.encoding.upper().replace("-SIG", ""),
        "header in row 1" if facts.has_header else "no header",
    ]
    if facts.decimal != ".":
        parts.append("decimal comma")
    parts.append(_AUTO if all(each is None for each in chosen) else "set manually")
    return " · ".join(parts)


class FileStep(QWidget):
    """Form of the reading options; the page reads the file again when they change."""

    options_requested = Signal(object)  # ImportOptions
    markers_requested = Signal(object)  # additional missing markers

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fileStep")
        self._options = ImportOptions()
        self.delimiter = self._combo("delimiter", "Column delimiter.")
        self.encoding = self._combo("encoding", "Text encoding.")
        self.header = self._combo("header", "Whether the first row names the columns.")
        self.decimal = self._combo("decimal", "Decimal separator.")
        self.sheet = self._combo("sheet", "Sheet or table of the file.")
        self._fill(self.delimiter, _DELIMITERS)
        self._fill(self.encoding, [(name.upper(), name) for name in _ENCODINGS])
        self._fill(self.header, [(_HEADER, True), (_NO_HEADER, False)])
        self._fill(self.decimal, [("point", "."), ("comma", ",")])
        self.markers = named(
            QLineEdit(),
            "markers",
            "Missing-value markers (space separated)",
            "Cells with one of these texts are missing (space separated). "
            f"{_EMPTY} is an empty cell.",
        )
        self.markers.editingFinished.connect(self._on_markers_edited)
        self.suggested = QComboBox()
        self.suggested.setObjectName("suggestedMarkers")
        self.suggested.setAccessibleName("Add a missing-value marker")
        self.suggested.setToolTip("Add a common missing-value marker.")
        self.suggested.addItem("Add…")
        self.suggested.addItems([_shown(marker) for marker in SUGGESTED_MARKERS])
        self.suggested.activated.connect(self._on_suggestion)
        self.as_state = QCheckBox("Treat “missing” as a state")
        self.as_state.setObjectName("missingAsState")
        self.as_state.setToolTip(_AS_STATE)
        self.as_state.clicked.connect(self._on_changed)
        self.imprecise = QCheckBox("Cells may be sets of states")
        self.imprecise.setObjectName("impreciseCells")
        self.imprecise.setToolTip(
            "{red,green} is one of these states and * any state. Quote such a cell in a file of "
            "comma-separated values, or write {red|green}."
        )
        self.imprecise.clicked.connect(self._on_changed)
        self.sets = Note("", "info", "fileSetsNote", rich=True)
        self.sets.link_activated.connect(self._on_sets_link)
        self.doubtful = Note("", "info", "fileMarkersNote", rich=True)
        self._doubtful_markers: tuple[str, ...] = ()
        self.doubtful.link_activated.connect(self._on_doubtful_missing)
        self.preview = PreviewTable("filePreview")
        self.preview_text = label("", "tertiary", size="dense")
        self._lay_out()

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        fields = [
            ("Delimiter", self.delimiter),
            ("Encoding", self.encoding),
            ("First row", self.header),
            ("Decimal separator", self.decimal),
        ]
        for index, (title, widget) in enumerate(fields):
            line, side = divmod(index, 2)
            form.addWidget(label(title, "secondary"), line, 2 * side)
            form.addWidget(widget, line, 2 * side + 1)
        self._sheet_label = label("Sheet or table", "secondary")
        form.addWidget(self._sheet_label, 2, 0)
        form.addWidget(self.sheet, 2, 1)
        form.addWidget(label("Missing markers", "secondary"), 3, 0)
        form.addWidget(row(self.markers, self.suggested), 3, 1, 1, 3)
        form.addWidget(self.as_state, 4, 1)
        form.addWidget(self.imprecise, 4, 2, 1, 2)
        form.setColumnStretch(1, 1)
        form.setColumnStretch(3, 1)
        self._form = box = QWidget()
        box.setLayout(form)
        whole = QWidget()  # scrolls in a low window with large fonts
        vbox(self, scrolled(whole, "fileStepScroll", is_wide=True))
        layout = QVBoxLayout(whole)
        layout.setContentsMargins(16, 12, 16, 0)
        layout.setSpacing(10)
        layout.addWidget(box)
        layout.addWidget(self.sets)
        layout.addWidget(self.doubtful)
        layout.addWidget(row(label("Preview", "heading", size="dense"), None, self.preview_text))
        layout.addWidget(self.preview, 1)

        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._form.setMaximumWidth(round(860 * theme().scale))
        self.preview.setMinimumHeight(5 * theme().px("row"))

    def _combo(self, name: str, tip: str) -> QComboBox:
        made = chooser(name, tip, 10)
        made.activated.connect(self._on_changed)
        return made

    def _fill(self, combo: QComboBox, entries: Sequence[tuple[str, object]]) -> None:
        combo.addItem(_AUTO, None)
        for title, value in entries:
            combo.addItem(title, value)

    # -- the shown options

    def show_reading(self, report: FileReport, options: ImportOptions) -> None:
        """Show the current options and the first rows they give."""
        self._show_options(options)
        facts = report.facts
        detected = {
            self.delimiter: facts and delimiter_name(facts.delimiter),
            self.encoding: facts and facts.encoding.upper(),
            self.header: facts and (_HEADER if facts.has_header else _NO_HEADER),
            self.decimal: facts and ("point" if facts.decimal == "." else "comma"),
        }
        for combo, title in detected.items():
            combo.setItemText(0, f"{title} (detected)" if facts else _AUTO)
            combo.setEnabled(facts is not None)
        with QSignalBlocker(self.sheet):
            self.sheet.clear()
            self.sheet.addItems(list(report.tables))
            if options.sheet is not None:
                self.sheet.setCurrentText(options.sheet)
        for widget in (self.sheet, self._sheet_label):
            widget.setVisible(len(report.tables) > 1)
        self.preview.show_cells(
            report.preview_names, report.preview, options.all_markers, has_sets=options.imprecise
        )
        rows = len(report.preview)
        self.preview_text.setText(
            f"first {rows} of {grouped(report.row_count)} rows · as in the file"
        )

    def show_unread(self, options: ImportOptions) -> None:
        """Show the current options of a file that they cannot read."""
        self._show_options(options)
        for widget in (self.sheet, self._sheet_label):
            widget.hide()
        self.preview_text.setText("the file cannot be read with these options")

    def _show_options(self, options: ImportOptions) -> None:
        self._options = options
        values = {
            self.delimiter: options.delimiter,
            self.encoding: options.encoding,
            self.header: options.header,
            self.decimal: options.decimal,
        }
        for combo, value in values.items():
            combo.setCurrentIndex(max(0, combo.findData(value)) if value is not None else 0)
        self.markers.setText(" ".join(_shown(marker) for marker in options.markers))
        self.markers.setCursorPosition(0)
        self.as_state.setChecked(options.missing_as_state)
        self.imprecise.setChecked(options.imprecise)
        self.as_state.setEnabled(not options.imprecise)
        self.as_state.setToolTip(_NOT_A_STATE if options.imprecise else _AS_STATE)

    # -- requests

    def _on_changed(self, *_: object) -> None:
        sheet = self.sheet.currentText() if self.sheet.count() > 1 else self._options.sheet
        try:
            options = replace(
                self._options,
                delimiter=self.delimiter.currentData(),
                encoding=self.encoding.currentData(),
                header=self.header.currentData(),
                decimal=self.decimal.currentData(),
                sheet=sheet,
                markers=_read_markers(self.markers.text()),
                missing_as_state=self.as_state.isChecked() and not self.imprecise.isChecked(),
                imprecise=self.imprecise.isChecked(),
            )
        except ParameterError as wrong:
            self.delimiter.setToolTip(str(wrong))
            return
        if options != self._options:
            self.options_requested.emit(options)

    def show_doubtful(self, note: str, markers: Sequence[str]) -> None:
        """Offer texts of the file as missing markers; an empty note hides the offer."""
        self._doubtful_markers = tuple(markers)
        self.doubtful.show_text(note, "info")

    def show_sets(self, note: str) -> None:
        """State how cells such as {red,green} are read; an empty note hides it."""
        self.sets.show_text(note, "info")

    def _on_sets_link(self, link: str) -> None:
        self.imprecise.setChecked(link == "yes")
        self._on_changed()

    def _on_doubtful_missing(self, _link: str) -> None:
        self.markers_requested.emit(self._doubtful_markers)

    def _on_markers_edited(self) -> None:
        self._on_changed()

    def _on_suggestion(self, index: int) -> None:
        if index > 0:
            marker = SUGGESTED_MARKERS[index - 1]
            present = _read_markers(self.markers.text())
            self.markers.setText(" ".join(_shown(m) for m in dict.fromkeys((*present, marker))))
            self.suggested.setCurrentIndex(0)
            self._on_changed()


def _shown(marker: str) -> str:
    return marker or _EMPTY


def _read_markers(text: str) -> tuple[str, ...]:
    texts = text.split()
    return tuple(dict.fromkeys("" if text == _EMPTY else text for text in texts))
