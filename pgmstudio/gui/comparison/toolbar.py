"""Toolbar of the comparison table: reference language and exports."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QToolButton, QWidget

from pgmstudio.core.experiments.comparison_rows import Line
from pgmstudio.gui.widgets.basic import button, tool_button
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import ElidedLabel

_NOTHING = "compare languages first."


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
        self._tips: dict[QPushButton | QToolButton, str] = {}
        self.ender = self._button(
            "Stop language",
            "stop",
            "compareStopOne",
            "Stop the selected language and keep its best model so far.",
            self.stop_requested.emit,
        )
        self.opener = self._button(
            "Open model",
            "arrow-square-out",
            "compareOpen",
            "Open the model of the selected language in the project.",
            self.open_requested.emit,
        )
        self.keeper = self._button(
            "Add all to project",
            "push-pin",
            "compareKeep",
            "Add the models of all languages and this comparison to the project.",
            self.keep_requested.emit,
        )
        self.exporter = self._button(
            "Export…",
            "export",
            "compareExport",
            "Export the table as CSV, or with all pairs as JSON, with all digits.",
            self.export_requested.emit,
        )
        copy_tip = "Copy the table as comma-separated text"
        self.copier = tool_button("copy", copy_tip, self.copy_requested.emit, name="compareCopy")
        self._tips[self.copier] = copy_tip
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 12, 6)
        layout.setSpacing(8)
        layout.addWidget(self.settings)
        layout.addWidget(self.facts, 1)
        for tool in (self.against, self.ender, self.opener, self.keeper):
            layout.addWidget(tool)
        layout.addWidget(self.copier)
        layout.addWidget(self.exporter)

    def _button(
        self, texts: str, icon_name: str, name: str, tip: str, slot: Callable[[], None]
    ) -> QPushButton:
        tool = button(texts, slot, icon_name=icon_name, name=name, tip=tip)
        self._tips[tool] = tip
        return tool

    def show_lines(self, lines: list[Line], line: Line | None, is_running: bool) -> None:
        """Enable the buttons for these lines and the selected one."""
        known = any(one.row.compared is not None for one in lines)
        self.ender.setVisible(is_running)
        self.keeper.setVisible(not is_running)
        has_model = line is not None and line.row.point is not None
        is_learning = line is not None and line.row.state == "learning"
        self._allow(self.opener, has_model, "select a language that has a model.")
        self._allow(self.ender, is_learning, "select a language that is being learned.")
        self._allow(self.keeper, known, _NOTHING)
        self._allow(self.exporter, known, _NOTHING)
        self._allow(self.copier, known, _NOTHING)

    def _allow(self, tool: QPushButton | QToolButton, is_usable: bool, reason: str) -> None:
        tool.setEnabled(is_usable)
        tool.setToolTip(self._tips[tool] if is_usable else f"Not now: {reason}")

    def show_against(self, lines: list[Line], reference: str | None) -> None:
        """Offer the languages that have a model, and the best one."""
        known = [line.title for line in lines if line.row.compared is not None]
        texts = {"": "against the best", **{title: f"against {title}" for title in known}}
        self.against.show_choices(texts, reference or "")
        self.against.setEnabled(bool(known))


def progress_bar() -> QProgressBar:
    """Progress bar of a comparison, in thousandths."""
    tool = QProgressBar()
    tool.setObjectName("compareBar")
    tool.setAccessibleName("Progress of the comparison")
    tool.setToolTip("Progress of all languages together.")
    tool.setTextVisible(False)
    tool.setRange(0, 1000)
    tool.setMaximumWidth(160)
    return tool
