"""Step 1 of an import: how the file is written, which texts mean missing, its first rows."""

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
from pgmstudio.gui.widgets.basic import label, row
from pgmstudio.gui.widgets.combo_box import chooser

_AUTO = "found automatically"
_DELIMITERS = (
    ("comma", ","),
    ("semicolon", ";"),
    ("tab", "\t"),
    ("blanks", " "),
    ("bar |", "|"),
)
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")
_EMPTY = "(empty)"
_HEADER, _NO_HEADER = "names the columns", "is data"


def delimiter_word(delimiter: str) -> str:
    return next((word for word, sign in _DELIMITERS if sign == delimiter), f"“{delimiter}”")


def found_sentence(report: FileReport, options: ImportOptions) -> str:
    """What was detected: `comma · UTF-8 · header in row 1 · found automatically`."""
    facts = report.facts
    if facts is None:
        return f"{report.format} · {counted(report.row_count, 'row')}"
    told = (options.delimiter, options.encoding, options.header, options.decimal)
    parts = [
        delimiter_word(facts.delimiter),
        facts.encoding.upper().replace("-SIG", ""),
        "header in row 1" if facts.has_header else "no header",
    ]
    if facts.decimal != ".":
        parts.append("decimal comma")
    parts.append(_AUTO if all(each is None for each in told) else "as you chose")
    return " · ".join(parts)


class FileStep(QWidget):
    """Emits the wish for other reading options; the page reads again."""

    options_requested = Signal(object)  # ImportOptions

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fileStep")
        self._options = ImportOptions()
        self.delimiter = self._combo("delimiter", "What stands between two cells of a row.")
        self.encoding = self._combo("encoding", "How letters are written in the file.")
        self.header = self._combo("header", "Whether the first row names the columns.")
        self.decimal = self._combo("decimal", "What stands before the decimals of a number.")
        self.sheet = self._combo("sheet", "Which sheet or table of the file.")
        self._fill(self.delimiter, _DELIMITERS)
        self._fill(self.encoding, [(name.upper(), name) for name in _ENCODINGS])
        self._fill(self.header, [(_HEADER, True), (_NO_HEADER, False)])
        self._fill(self.decimal, [("point", "."), ("comma", ",")])
        self.markers = QLineEdit()
        self.markers.setObjectName("markers")
        self.markers.setAccessibleName("Texts that mean missing, separated by blanks")
        self.markers.setToolTip(
            "Cells with one of these texts are missing; separated by blanks. "
            f"{_EMPTY} is a cell without text."
        )
        self.markers.editingFinished.connect(self._on_markers_edited)
        self.suggested = QComboBox()
        self.suggested.setObjectName("suggestedMarkers")
        self.suggested.setAccessibleName("Add a text that means missing")
        self.suggested.setToolTip("Add a text that often means missing.")
        self.suggested.addItem("Add…")
        self.suggested.addItems([_shown(marker) for marker in SUGGESTED_MARKERS])
        self.suggested.activated.connect(self._on_suggestion)
        self.as_state = QCheckBox("Make “missing” a state of its own")
        self.as_state.setObjectName("missingAsState")
        self.as_state.setToolTip("Off: cells stay missing and each learner says what it does.")
        self.as_state.clicked.connect(self._on_changed)
        self.preview = PreviewTable("filePreview")
        self.preview_words = label("", "tertiary", size="dense")
        self._lay_out()

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        fields = [
            ("Delimiter", self.delimiter),
            ("Encoding", self.encoding),
            ("First row", self.header),
            ("Decimal sign", self.decimal),
        ]
        for place, (words, widget) in enumerate(fields):
            line, side = divmod(place, 2)
            form.addWidget(label(words, "secondary"), line, 2 * side)
            form.addWidget(widget, line, 2 * side + 1)
        form.addWidget(label("Missing markers", "secondary"), 2, 0)
        form.addWidget(row(self.markers, self.suggested), 2, 1)
        self._sheet_label = label("Sheet or table", "secondary")
        form.addWidget(self._sheet_label, 2, 2)
        form.addWidget(self.sheet, 2, 3)
        form.addWidget(self.as_state, 3, 1, 1, 3)
        form.setColumnStretch(1, 1)
        form.setColumnStretch(3, 1)
        box = QWidget()
        box.setLayout(form)
        box.setMaximumWidth(860)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 0)
        layout.setSpacing(10)
        layout.addWidget(box)
        layout.addWidget(row(label("Preview", "heading", size="dense"), None, self.preview_words))
        layout.addWidget(self.preview, 1)

    def _combo(self, name: str, tip: str) -> QComboBox:
        made = chooser(name, tip, 10)
        made.activated.connect(self._on_changed)
        return made

    def _fill(self, combo: QComboBox, entries: Sequence[tuple[str, object]]) -> None:
        combo.addItem(_AUTO, None)
        for words, value in entries:
            combo.addItem(words, value)

    # -- what is shown

    def show_reading(self, report: FileReport, options: ImportOptions) -> None:
        """The options in force and the first rows they give."""
        self._show_options(options)
        facts = report.facts
        found = {
            self.delimiter: facts and delimiter_word(facts.delimiter),
            self.encoding: facts and facts.encoding.upper(),
            self.header: facts and (_HEADER if facts.has_header else _NO_HEADER),
            self.decimal: facts and ("point" if facts.decimal == "." else "comma"),
        }
        for combo, words in found.items():
            combo.setItemText(0, f"{words} (found)" if facts else _AUTO)
            combo.setEnabled(facts is not None)
        with QSignalBlocker(self.sheet):
            self.sheet.clear()
            self.sheet.addItems(list(report.tables))
            if options.sheet is not None:
                self.sheet.setCurrentText(options.sheet)
        for widget in (self.sheet, self._sheet_label):
            widget.setVisible(len(report.tables) > 1)
        self.preview.show_cells(report.preview_names, report.preview, options.markers)
        rows = len(report.preview)
        self.preview_words.setText(
            f"first {rows} of {grouped(report.row_count)} rows · as they stand in the file"
        )

    def show_unread(self, options: ImportOptions) -> None:
        """The options in force for a file that they do not fit; others may."""
        self._show_options(options)
        for widget in (self.sheet, self._sheet_label):
            widget.hide()
        self.preview_words.setText("nothing to show as it is read now")

    def _show_options(self, options: ImportOptions) -> None:
        self._options = options
        told = {
            self.delimiter: options.delimiter,
            self.encoding: options.encoding,
            self.header: options.header,
            self.decimal: options.decimal,
        }
        for combo, value in told.items():
            combo.setCurrentIndex(max(0, combo.findData(value)) if value is not None else 0)
        self.markers.setText(" ".join(_shown(marker) for marker in options.markers))
        self.as_state.setChecked(options.missing_as_state)

    # -- wishes

    def _on_changed(self, *_: object) -> None:
        sheet = self.sheet.currentText() if self.sheet.count() > 1 else self._options.sheet
        try:
            wanted = replace(
                self._options,
                delimiter=self.delimiter.currentData(),
                encoding=self.encoding.currentData(),
                header=self.header.currentData(),
                decimal=self.decimal.currentData(),
                sheet=sheet,
                markers=_read_markers(self.markers.text()),
                missing_as_state=self.as_state.isChecked(),
            )
        except ParameterError as wrong:
            self.delimiter.setToolTip(str(wrong))
            return
        if wanted != self._options:
            self.options_requested.emit(wanted)

    def _on_markers_edited(self) -> None:
        self._on_changed()

    def _on_suggestion(self, place: int) -> None:
        if place > 0:
            marker = SUGGESTED_MARKERS[place - 1]
            present = _read_markers(self.markers.text())
            self.markers.setText(" ".join(_shown(m) for m in dict.fromkeys((*present, marker))))
            self.suggested.setCurrentIndex(0)
            self._on_changed()


def _shown(marker: str) -> str:
    return marker or _EMPTY


def _read_markers(text: str) -> tuple[str, ...]:
    words = text.split()
    return tuple(dict.fromkeys("" if word == _EMPTY else word for word in words))
