"""Collapsed sides: a rail of icons at the left, a row of labels at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QToolButton, QVBoxLayout

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label
from pgmstudio.gui.window.registry import PanelSpec


class DockRail(QFrame):
    """One button per panel of a side; `chosen` has its name."""

    chosen = Signal(str)

    def __init__(self, name: str, specs: Sequence[PanelSpec], *, upright: bool) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("Folded panels")
        self.setProperty("role", "window")
        self._upright = upright
        self._buttons: dict[str, QToolButton] = {}
        self.box: QBoxLayout = QVBoxLayout(self) if upright else QHBoxLayout(self)
        self.box.setContentsMargins(*((6, 8, 6, 8) if upright else (8, 2, 8, 2)))
        self.box.setSpacing(theme().space(2))
        for spec in specs:
            self.box.addWidget(self._button(spec))
        self.box.addStretch(1)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _button(self, spec: PanelSpec) -> QToolButton:
        made = QToolButton()
        made.setObjectName(f"rail.{spec.name}")
        made.setIcon(icon(spec.icon, on="accent"))
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        made.setToolTip(f"{spec.title}: {spec.tip}")
        made.setAccessibleName(f"Show {spec.title.lower()}")
        if not self._upright:
            made.setText(spec.title)
            made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.clicked.connect(lambda: self.chosen.emit(spec.name))
        self._buttons[spec.name] = made
        return made

    def mark(self, names: Sequence[str]) -> None:
        """Show which panels are open over the centre."""
        for name, made in self._buttons.items():
            made.setChecked(name in names)

    def _restyle(self) -> None:
        if self._upright:
            side = theme().px("row_roomy")
            for made in self._buttons.values():
                made.setFixedSize(side, side)
            self.setFixedWidth(theme().px("rail"))
        else:
            self.setFixedHeight(theme().px("row_roomy"))


class CollapsedBottomBar(DockRail):
    """The labels of the bottom panels with the progress of the first run."""

    def __init__(self, specs: Sequence[PanelSpec], app: AppContext) -> None:
        super().__init__("bottomRow", specs, upright=False)
        self._runs = app.workspace.runs
        self._with_verb = label("", "secondary", size="dense")
        self._with_verb.setObjectName("bottomRowRun")
        self.box.addWidget(self._with_verb)
        runs = self._runs
        for signal in (runs.run_added, runs.run_changed, runs.run_ended, runs.order_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        self._with_verb.setText(progress_text(self._runs.running))


def progress_text(running: Sequence[LearningRun]) -> str:
    """`Chow–Liu 45 %`, and how many more there are."""
    if not running:
        return ""
    first = running[0]
    percent = "" if first.progress.fraction is None else f" {first.progress.fraction:.0%}"
    more = f" and {len(running) - 1} more" if len(running) > 1 else ""
    return f"{first.request.title}{percent.replace('%', ' %')}{more}"
