"""Toolbar of the comparison table: reference language and exports."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from pgmstudio.core.experiments.comparison_rows import Line
from pgmstudio.gui.widgets.basic import allow, button, tool_button
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import ElidedLabel


class CompareBar(QWidget):
    """Toolbar that sends requests as signals; the page enables its buttons."""

    open_requested = Signal()
    stop_requested = Signal()
    keep_requested = Signal()
    copy_requested = Signal()
    export_requested = Signal()
    settings_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.settings = tool_button(
            "sliders-horizontal",
            "Rows, languages and time of the comparison",
            self.settings_requested.emit,
            name="compareSettings",
        )
        self.facts = ElidedLabel()
        self.facts.setObjectName("compareFacts")
        self.against = ChoiceBox("compareAgainst", "Reference language of the differences")
        self.ender = button(
            "Stop language",
            self.stop_requested.emit,
            icon_name="stop",
            name="compareStopOne",
            tip="Stop the selected language and keep its best model so far.",
        )
        self.opener = button(
            "Open model",
            self.open_requested.emit,
            icon_name="arrow-square-out",
            name="compareOpen",
            tip="Open the model of the selected language in the project.",
        )
        self.keeper = button(
            "Add all to project",
            self.keep_requested.emit,
            icon_name="push-pin",
            name="compareKeep",
            tip="Add the models of all languages and this comparison to the project.",
        )
        self.exporter = button(
            "Export…",
            self.export_requested.emit,
            icon_name="export",
            name="compareExport",
            tip="Export the table as CSV, or with all pairs as JSON, with all digits.",
        )
        copy_tip = "Copy the table as comma-separated text"
        self.copier = tool_button("copy", copy_tip, self.copy_requested.emit, name="compareCopy")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 12, 6)
        layout.setSpacing(8)
        layout.addWidget(self.settings)
        layout.addWidget(self.facts, 1)
        for tool in (self.against, self.ender, self.opener, self.keeper):
            layout.addWidget(tool)
        layout.addWidget(self.copier)
        layout.addWidget(self.exporter)

    def show_lines(self, lines: list[Line], line: Line | None, is_running: bool) -> None:
        """Enable the buttons for these lines and the selected one."""
        known = any(one.row.compared is not None for one in lines)
        self.ender.setVisible(is_running)
        self.keeper.setVisible(not is_running)
        has_model = line is not None and line.row.point is not None
        is_learning = line is not None and line.row.state == "learning"
        allow(self.opener, None if has_model else "select a language that has a model.")
        allow(self.ender, None if is_learning else "select a language that is being learned.")
        for tool in (self.keeper, self.exporter, self.copier):
            allow(tool, None if known else "compare languages first.")

    def show_against(self, lines: list[Line], reference: str | None) -> None:
        """Offer the languages that have a model, and the best one."""
        known = [line.title for line in lines if line.row.compared is not None]
        texts = {"": "against the best", **{title: f"against {title}" for title in known}}
        self.against.show_choices(texts, reference or "")
        self.against.setEnabled(bool(known))
