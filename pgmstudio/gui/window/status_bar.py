"""The status bar: data, graph, selection at the left; evidence and the run signal at the right."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QPushButton,
    QStatusBar,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.inference.base import SCALED_LIKELIHOODS, Scale
from pgmstudio.core.inference.information_measures import conflict_word
from pgmstudio.core.number_format import THIN, data_facts, decimal, percent
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import data_around
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.languages.registry import language_view
from pgmstudio.gui.runs.learner_compiler import LearnerCompiler
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.number_help import NumberHelp

_GAP = 6
_BETWEEN = " · "
# These stand out as a whole; of the others only the numbers do.
_IN_ONE_INK = ("statusRuns", "statusWaits")
IDLE_TIP = "Runs under way; click stops them."
COMPILING_TIP = "Learners are compiled once, with low priority, so that their first run is fast."
_NUMBERS = re.compile(rf"(?<![\w.])[−-]?\d[\d{THIN}.]*(?:e[−+-]?\d+)?")


class StatusBar(QStatusBar):
    """Each part is a flat button: a click copies its text; the run signal stops the runs."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self.setObjectName("statusBar")
        self.setSizeGripEnabled(False)
        self._strip = _Strip()
        self._left: list[_Part] = []
        self._right: list[_Part] = []
        self._helps: dict[_Part, NumberHelp] = {}
        self.data = self._part("statusData", "The data set in use; click copies this text.")
        self.graph = self._part("statusGraph", "Nodes and edges of the active model.")
        self.selection = self._part("statusSelection", "Selected nodes : edges.")
        self.evidence = self._part(
            "statusEvidence",
            f"Probability of the evidence. {SCALED_LIKELIHOODS}",
            right=True,
            explains="P(e)",
        )
        self.surprise = self._part(
            "statusSurprise",
            "−log2 P(e): how unexpected the evidence is, in bits.",
            right=True,
            explains="Surprise",
        )
        self.conflict = self._part(
            "statusConflict",
            "log2( Π P(eᵢ) / P(e) ): above 0 the findings are less probable together than if "
            "they were independent, from 3 bits on strongly so.",
            right=True,
            explains="Conflict",
        )
        self.speed = self._part("statusSpeed", "How long the last update took.", right=True)
        self._work = cpt_edit_session(app)
        self._compiler = app.service(LearnerCompiler)
        self.waits = self._part(
            "statusWaits", "Typed numbers become beliefs once their column sums to 1.", right=True
        )
        # The first to go when the bar is too narrow for all, after they were shortened; P(e) and
        # the run signal stay.
        self._dropping = (
            self.data,
            self.graph,
            self.selection,
            self.speed,
            self.conflict,
            self.surprise,
        )
        self._parts = (*self._dropping, self.evidence, self.waits)
        self._wanted: set[_Part] = set()
        self.signal = self._part("statusRuns", IDLE_TIP, right=True)
        self.addWidget(self._strip, 1)
        self._strip.asked.connect(self._fit)
        self.signal.clicked.disconnect()
        self.signal.clicked.connect(self._on_signal_clicked)
        workspace = app.workspace
        app.document.changed.connect(self._refresh)
        app.center.page_changed.connect(self._refresh)
        app.center.facts_changed.connect(self._refresh)
        workspace.active_model_changed.connect(self._refresh)
        workspace.selection_changed.connect(self._refresh)
        workspace.beliefs_changed.connect(self._refresh)
        runs = workspace.runs
        for signal in (runs.run_added, runs.run_changed, runs.run_ended, runs.order_changed):
            signal.connect(self._refresh_runs)
        workspace.background_runs.changed.connect(self._refresh_runs)
        self._compiler.changed.connect(self._refresh_runs)
        self._work.changed.connect(self._refresh)
        self._refresh()
        self._refresh_runs()

    def _part(self, name: str, tip: str, *, right: bool = False, explains: str = "") -> _Part:
        part = _Part(has_numbers=name not in _IN_ONE_INK)
        part.setObjectName(name)
        part.setProperty("role", "status")
        part.setFlat(True)
        part.setToolTip(tip)
        part.setAccessibleName(tip)
        part.clicked.connect(lambda: QApplication.clipboard().setText(part.facts or part.text()))
        part.setParent(self._strip)
        (self._right if right else self._left).append(part)
        if explains:
            self._helps[part] = NumberHelp(explains)
            self._helps[part].setParent(self._strip)
        return part

    def _refresh(self, *_: object) -> None:
        workspace = self._app.workspace
        entry = workspace.project.models.get(workspace.model_id or "")
        data_id = entry.data_id if entry is not None else None
        data = workspace.project.data.get(data_id or data_around(self._app) or "")
        page = self._app.center.current
        facts = page.data_facts() if page is not None else None
        if facts is None and data is not None:
            rows, missing = data.data.row_count, sum(data.data.missing_counts)
            complete = rows - data.data.incomplete_row_count
            sets = len(data.data.sets) if isinstance(data.data, ImpreciseData) else 0
            columns = len(data.data.domain)
            facts = data_facts(data.name, rows, columns, missing - sets, complete, sets)
        if facts is None:
            facts = "no data" if workspace.project.models else "No project open"
        self.data.facts = facts
        self._wanted = {self.data}
        if entry is not None:
            self._refresh_model(entry)
        waiting = self._work.waiting
        if waiting is not None and waiting.model_id == workspace.model_id:
            self._wanted.add(self.waits)
            self.waits.setText(waiting.message)
            self.waits.setIcon(icon("warning", "warning_ink"))
        self._fit()

    def _refresh_model(self, entry: ModelEntry) -> None:
        workspace = self._app.workspace
        self._wanted |= {self.graph, self.selection, self.evidence}
        description = language_view(entry.model.kind).description.load()
        self.graph.facts = description.structure(entry.model)
        chosen = workspace.selection
        self.selection.setText(f"selected {len(chosen.nodes)} : {len(chosen.edges)}")
        live = workspace.active_beliefs
        if live is None or not live.evidence:
            self.evidence.setText("no evidence")
            self._helps[self.evidence].show_number("")
            return
        self._wanted.add(self.speed)
        degree = 2.0**live.log2_evidence
        if live.scale is Scale.PROBABILITY:
            self._wanted.add(self.surprise)
            about = "" if live.largest_error is None else "≈ "
            self.evidence.setText(f"P(e) {about}{degree:.4g}")
            self._helps[self.evidence].show_number("P(e)")
        else:
            self.evidence.setText(f"Π(e) {degree:.4g}")
            self._helps[self.evidence].show_number("Π(e)")
        self.surprise.setText(f"surprise {max(0.0, -live.log2_evidence):.2f} bits")
        conflict = None if live.is_stale else live.conflict_bits
        if conflict is not None:
            self._wanted.add(self.conflict)
            self.conflict.setText(f"conflict {decimal(conflict, 2)} ({conflict_word(conflict)})")
        if live.is_stale:
            self.speed.setText("stale")
        elif live.largest_error is not None:
            self.speed.setText(f"estimates ± {percent(live.largest_error)} %")
        else:
            self.speed.setText(f"updated in {live.update_ms:.1f} ms")

    def _fit(self) -> None:
        """Show what is wanted and fits: shortened, where that is enough."""
        shown = [part for part in self._parts if part in self._wanted]
        gaps = 2 * _GAP  # the second as a reserve, as numbers change
        wide = {part: part.sizeHint().width() + gaps for part in (*shown, self.signal)}
        for part in wide.keys() & self._helps.keys():
            wide[part] += self._helps[part].width()
        for part in (p for p in shown if p.facts):
            wide[part] = 0
            free = self.width() - sum(wide.values()) - gaps
            part.shorten_to(free)
            wide[part] = part.sizeHint().width() + gaps
        for part in self._dropping:
            if part in shown and sum(wide.values()) > self.width():
                shown.remove(part)
                wide.pop(part)
        for part in self._parts:
            part.setVisible(part in shown)
        for part, asked in self._helps.items():
            asked.setVisible(part in shown and asked.has_number)
        self._strip.arrange(self._with_helps(self._left, wide), self._with_helps(self._right, wide))

    def _with_helps(self, parts: Sequence[_Part], shown: Container[_Part]) -> list[QWidget]:
        """The shown parts, each before the “?” of its number."""
        widgets: list[QWidget] = []
        for part in (p for p in parts if p in shown):
            widgets.append(part)
            if part in self._helps and self._helps[part].has_number:
                widgets.append(self._helps[part])
        return widgets

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _refresh_runs(self, *_: object) -> None:
        runs, background = self._app.workspace.runs, self._app.workspace.background_runs.running
        busy, waiting = len(runs.running) + len(background), len(runs.waiting)
        if not busy and not waiting:
            compiled = self._compiler.fraction
            done = "" if compiled is None else f"{percent(compiled, 0)}\u00a0%"
            self.signal.setText(f"Ready · compiling learners {done}" if done else "Ready")
            self.signal.setToolTip(IDLE_TIP if compiled is None else COMPILING_TIP)
            self.signal.setIcon(icon("check-circle", "success_ink"))
            self._colour_signal("ready")
            self._fit()
            return
        self.signal.setToolTip(IDLE_TIP)
        states = {run.state for run in runs.running} | {run.state for run in background}
        stopping = JobState.CANCELLING in states
        words = f"{busy} run{'s' if busy != 1 else ''}" + (
            f", {waiting} waiting" if waiting else ""
        )
        paused = sum(run.is_paused for run in runs.running)
        if paused:
            words += " paused" if paused == busy and not waiting else f", {paused} paused"
        self.signal.setText("Stopping…" if stopping else f"{words} · click to stop")
        look = ("play-circle", "accent") if paused < busy else ("pause", "warning_ink")
        self.signal.setIcon(icon(*(("hourglass", "warning_ink") if stopping else look)))
        self._colour_signal("stopping" if stopping else "busy")
        self._fit()

    def _colour_signal(self, state: str) -> None:
        if self.signal.property("state") != state:
            self.signal.setProperty("state", state)
            self.signal.style().unpolish(self.signal)
            self.signal.style().polish(self.signal)

    def _on_signal_clicked(self) -> None:
        self._app.workspace.runs.stop_all()
        self._app.workspace.background_runs.stop_all()
        self._refresh_runs()


class _Part(QPushButton):
    """A text, its numbers in a heavier weight; of facts with “ · ” between, the last give way."""

    # Used many times after each click, while text and look are the same.
    _measured: tuple[tuple[str, str, float], QSize] | None = None
    _shortened: tuple[str, float, str, float] | None = None

    def __init__(self, *, has_numbers: bool) -> None:
        super().__init__()
        self._has_numbers = has_numbers
        self.facts = (
            ""  # all of them, of which `shorten_to` shows what fits; empty: never shortened
        )

    def shorten_to(self, width: float) -> None:
        """Show as many of the facts as fit, at least those to the first count."""
        look = self.facts, width, self.font().key(), theme().scale
        if look == self._shortened:
            return
        self._shortened = look
        parts = self.facts.split(_BETWEEN)
        counts = [number for number, part in enumerate(parts, 1) if _NUMBERS.match(part)]
        least = next(iter(counts), 1)
        # Measured before it is set: each new text lays out the bar again.
        around = super().sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
        while len(parts) > least and around + sum(self._widths(_BETWEEN.join(parts))) > width:
            parts.pop()
        self.setText(_BETWEEN.join(parts))

    def sizeHint(self) -> QSize:
        if not self._has_numbers:
            return super().sizeHint()
        look = self.text(), self.font().key(), theme().scale
        if self._measured is None or self._measured[0] != look:
            plain = super().sizeHint()
            words = self.fontMetrics().horizontalAdvance(self.text())
            wide = plain.width() - words + sum(self._widths(self.text()))
            self._measured = look, QSize(wide, plain.height())
        return self._measured[1]

    @staticmethod
    def _pieces(text: str) -> list[tuple[str, bool]]:
        """The text in pieces, and which of them are numbers."""
        pieces, end = [], 0
        for matches in _NUMBERS.finditer(text):
            pieces += [(text[end : matches.start()], False), (matches.group(), True)]
            end = matches.end()
        return [*pieces, (text[end:], False)]

    def _fonts(self) -> tuple[QFont, QFont]:
        heavy = QFont(self.font())
        heavy.setWeight(QFont.Weight.DemiBold)
        return self.font(), heavy

    def _widths(self, text: str) -> list[int]:
        measures = [QFontMetrics(font) for font in self._fonts()]
        return [measures[heavy].horizontalAdvance(words) for words, heavy in self._pieces(text)]

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._has_numbers:
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        fonts, widths = self._fonts(), self._widths(self.text())
        left = (self.width() - sum(widths)) // 2
        for (words, heavy), width in zip(self._pieces(self.text()), widths, strict=True):
            painter.setFont(fonts[heavy])
            painter.setPen(theme().color("text" if heavy else "text_secondary"))
            position = QRect(left, 0, width, self.height())
            painter.drawText(position, Qt.AlignmentFlag.AlignVCenter, words)
            left += width


class _Strip(QWidget):
    """Parts side by side, from both ends, without a layout.

    A layout would notify the window of every changed text, and the window would lay out all of
    its panels again.
    """

    asked = Signal()  # a part wants another size

    def sizeHint(self) -> QSize:
        parts = self.findChildren(QPushButton)
        return QSize(0, max((part.sizeHint().height() for part in parts), default=0))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def arrange(self, left: Sequence[QWidget], right: Sequence[QWidget]) -> None:
        """Those of the right side end where the strip ends."""
        begin = 0
        for part in left:
            begin = self._put(part, begin) + _GAP
        end = self.width()
        for part in reversed(right):
            end -= part.sizeHint().width()
            self._put(part, end)
            end -= 0 if isinstance(part, NumberHelp) else _GAP  # “?” belongs to what is before it

    def _put(self, part: QWidget, x: int) -> int:
        size = part.sizeHint()
        part.setGeometry(
            QRect(x, (self.height() - size.height()) // 2, size.width(), size.height())
        )
        return x + size.width()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            if self.sizeHint().height() != self.height():
                self.updateGeometry()
            self.asked.emit()
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.asked.emit()
