"""The bar over the table of a race: against what, and what to do with the results."""

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
    """Wishes come out as signals; the page says what can be done."""

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
        self.against = ChoiceBox("compareAgainst", "The language that the others are held against")
        self._tips: dict[QPushButton | QToolButton, str] = {}
        self.ender = self._button(
            "Stop this one",
            "stop",
            "compareStopOne",
            "End the selected language now; its best model so far stays.",
            self.stop_requested.emit,
        )
        self.opener = self._button(
            "Open model",
            "arrow-square-out",
            "compareOpen",
            "The model of the selected language, as a model of the project.",
            self.open_requested.emit,
        )
        self.keeper = self._button(
            "Keep all",
            "push-pin",
            "compareKeep",
            "Put the models of all languages and this comparison into the project.",
            self.keep_requested.emit,
        )
        self.exporter = self._button(
            "Export…",
            "export",
            "compareExport",
            "The table as .csv, or with all pairs as .json, to all digits.",
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
        for made in (self.against, self.ender, self.opener, self.keeper):
            layout.addWidget(made)
        layout.addWidget(self.copier)
        layout.addWidget(self.exporter)

    def _button(
        self, words: str, sign: str, name: str, tip: str, wish: Callable[[], None]
    ) -> QPushButton:
        made = button(words, wish, icon_name=sign, name=name, tip=tip)
        self._tips[made] = tip
        return made

    def show_lines(self, lines: list[Line], line: Line | None, is_running: bool) -> None:
        """What can be done with these lines, of which one may be selected."""
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

    def _allow(self, made: QPushButton | QToolButton, is_usable: bool, reason: str) -> None:
        made.setEnabled(is_usable)
        made.setToolTip(self._tips[made] if is_usable else f"Not now: {reason}")

    def show_against(self, lines: list[Line], reference: str | None) -> None:
        """The languages that have a model, and the best, whichever it is."""
        known = [line.title for line in lines if line.row.compared is not None]
        words = {"": "against the best", **{title: f"against {title}" for title in known}}
        self.against.show_choices(words, reference or "")
        self.against.setEnabled(bool(known))


def progress_bar() -> QProgressBar:
    """How far a race is, in thousandths."""
    made = QProgressBar()
    made.setObjectName("compareBar")
    made.setAccessibleName("Progress of the comparison")
    made.setToolTip("How far all languages together are.")
    made.setTextVisible(False)
    made.setRange(0, 1000)
    made.setMaximumWidth(160)
    return made
