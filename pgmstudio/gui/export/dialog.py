"""Export options: format, what of it, legend, background, look; with a preview of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Segments, button, hbox, label, named, row, vbox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.file_dialog import choose_target
from pgmstudio.gui.widgets.image_file import (
    FORMAT_TITLES,
    MAX_DPI,
    MIN_DPI,
    PX_PER_INCH,
    Drawing,
    PictureOptions,
    image_of,
    page_size,
    pixel_size,
    write_picture,
)

PREVIEW = QSize(380, 340)
_PICTURE = QSize(PREVIEW.width() - 24, PREVIEW.height() - 24)
DPI_STEP = 24


class ExportDialog(QDialog):
    """Shows the picture as the file will hold it; `written` has the path."""

    written = Signal(object)  # Path

    def __init__(
        self,
        drawing: Drawing,
        folder: Path | None,
        options: PictureOptions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("exportDialog")
        self.setWindowTitle(f"Export picture of {drawing.title}")
        self._drawing, self._folder = drawing, folder
        self._options = options or PictureOptions(shade=theme().shade)
        self._ending = ".png"
        self._make_controls()
        self._preview = named(QLabel(), "exportPreview", "Preview of the picture")
        self._preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._preview.setFixedSize(PREVIEW)
        self._preview.setProperty("role", "note")
        self._size = label("", "secondary", size="dense", name="exportSize")
        self._trouble = Note(level="danger", name="exportTrouble")
        self._arrange()
        self._soon = one_shot(self, self._show_preview)
        self._refresh()

    def _make_controls(self) -> None:
        chosen = self._options
        self._format = Segments(
            [
                (".png", "PNG", "Pixels, for slides and web pages."),
                (".svg", "SVG", "Vector graphics: sharp at any size and editable."),
                (".pdf", "PDF", "Vector graphics for papers and printing."),
            ],
            "exportFormat",
        )
        self._part = Segments(
            [
                ("whole", "Whole graph", "Every node, with a small margin."),
                ("sight", "Current view", "The visible part of the graph."),
            ],
            "exportPart",
        )
        self._detail = Segments(
            [
                ("screen", "As on screen", "As much of each node as the zoom shows."),
                ("full", "In full", "Every node at 100 %, whatever the zoom."),
            ],
            "exportDetail",
        )
        self._shade = Segments(
            [("light", "Light", "Light theme."), ("dark", "Dark", "Dark theme.")], "exportShade"
        )
        self._legend = self._check("exportLegend", "Legend", "What widths and marks mean.")
        self._transparent = self._check(
            "exportTransparent", "Transparent background", "Transparent background."
        )
        self._dpi = QSpinBox()
        self._dpi.setObjectName("exportDpi")
        self._dpi.setAccessibleName("Dots per inch")
        self._dpi.setToolTip("Pixels per inch of a PNG; 96 is the size on screen.")
        self._dpi.setRange(MIN_DPI, MAX_DPI)
        self._dpi.setSingleStep(DPI_STEP)
        self._dpi.setSuffix(" dpi")
        self._part.choose("whole" if chosen.whole else "sight")
        self._detail.choose("full" if chosen.in_full else "screen")
        self._shade.choose(chosen.shade)
        self._legend.setChecked(chosen.legend)
        self._transparent.setChecked(chosen.transparent)
        self._dpi.setValue(chosen.dpi)
        for segments in (self._format, self._part, self._detail, self._shade):
            segments.chosen.connect(self._refresh)
        for check in (self._legend, self._transparent):
            check.toggled.connect(self._refresh)
        self._dpi.valueChanged.connect(self._refresh)

    @staticmethod
    def _check(name: str, text: str, tip: str) -> QCheckBox:
        return named(QCheckBox(text), name, tip=tip)

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setVerticalSpacing(theme().space(4))
        form.setHorizontalSpacing(theme().space(5))
        self._form = form
        for words, widget in (
            ("Format", self._format),
            ("Show", self._part),
            ("Nodes", self._detail),
            ("Look", self._shade),
            ("Resolution", self._dpi),
            ("", self._legend),
            ("", self._transparent),
        ):
            form.addRow(label(words, "secondary"), widget)
        sides = hbox(None, form, spacing=theme().space(6))
        shown = vbox(None, self._preview, (self._size, 0, Qt.AlignmentFlag.AlignHCenter))
        sides.addLayout(shown, 1)
        self._save = button(
            "Export…",
            self._on_export,
            role="primary",
            icon_name="export",
            tip="Choose a file and write the picture into it.",
            name="exportSave",
        )
        self._save.setDefault(True)
        self._copy = button(
            "Copy",
            self._on_copy,
            icon_name="copy",
            tip="Put the picture on the clipboard as an image.",
            name="exportCopy",
        )
        cancel = button("Cancel", self.reject, role="link", tip="Write nothing.", name="exportNo")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*([theme().space(6)] * 4))
        layout.setSpacing(theme().space(5))
        layout.addLayout(sides, 1)
        layout.addWidget(self._trouble)
        layout.addWidget(row(cancel, None, self._copy, self._save))
        for widget in (
            self._part,
            self._legend,
        ):  # now they are inside, and no windows of their own
            form.setRowVisible(widget, self._drawing.has_parts)

    # -- what is chosen

    @property
    def options(self) -> PictureOptions:
        return self._options

    def _chosen(self) -> PictureOptions:
        shade = cast(Literal["light", "dark"], self._shade.current)
        return replace(
            self._options,
            whole=self._part.current == "whole",
            in_full=self._detail.current == "full",
            legend=self._legend.isChecked(),
            transparent=self._transparent.isChecked(),
            dpi=self._dpi.value(),
            shade=shade,
        )

    def _refresh(self, *_: object) -> None:
        self._options, self._ending = self._chosen(), self._format.current
        self._form.setRowVisible(self._dpi, self._ending == ".png")
        self._form.setRowVisible(self._detail, self._drawing.has_parts and self._options.whole)
        size = page_size(self._drawing, self._options)
        inches = f"{size.width() / PX_PER_INCH:.1f} × {size.height() / PX_PER_INCH:.1f} inches"
        if self._ending == ".png":
            pixels = pixel_size(size, self._options)
            words = f"{grouped(pixels.width())} × {grouped(pixels.height())} pixels, {inches}"
        else:
            words = inches
        self._size.setText(words)
        self._trouble.show_text("")
        self._soon.start()

    def _show_preview(self) -> None:
        ratio = self.devicePixelRatioF()
        image = image_of(self._drawing, replace(self._options, dpi=MAX_DPI), most=_PICTURE * ratio)
        image.setDevicePixelRatio(ratio)
        self._preview.setPixmap(QPixmap.fromImage(image))

    # -- writing

    def _on_export(self) -> None:
        chosen = choose_target(
            self,
            "picture",
            "Export picture",
            f"{self._drawing.title or 'picture'}{self._ending}",
            f"{FORMAT_TITLES[self._ending]} (*{self._ending})",
            first=self._folder,
        )
        if chosen is not None:
            path, _ = chosen
            if path.suffix.lower() not in FORMAT_TITLES:  # one that was typed is meant
                path = path.with_name(path.name + self._ending)
            self.export_to(path)

    def export_to(self, path: Path) -> bool:
        """Write the image; an error is shown in the dialog, which stays open."""
        try:
            write_picture(path, self._drawing, self._options)
        except PgmStudioError as error:
            self._trouble.show_text(str(error))
            return False
        self.written.emit(path)
        self.accept()
        return True

    def _on_copy(self) -> None:
        try:
            QApplication.clipboard().setImage(image_of(self._drawing, self._options))
        except PgmStudioError as error:
            self._trouble.show_text(str(error))
            return
        self.accept()
