"""The evidence list: a check box, chip and × for each finding, and notes on conflicts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.analysis.belief_query import Refusal
from pgmstudio.core.analysis.evidence_impact import FindingTrace
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.findings import chip_of, finding_text, short_text
from pgmstudio.core.inference.information_measures import conflict_word
from pgmstudio.core.number_format import decimal, whole
from pgmstudio.gui.beliefs.evidence_diagnostics import (
    EvidenceDiagnostics,
    TracedEvidence,
    stop_listening,
    trace_text,
)
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import (
    IconLabel,
    Note,
    Section,
    button,
    empty,
    hbox,
    label,
    named,
    set_role,
    tool_button,
    vbox,
)
from pgmstudio.gui.widgets.chip import ChipLabel
from pgmstudio.gui.widgets.elided_label import ElidedLabel

# More suggestions than this only confuse.
MAX_RETRACT_BUTTONS = 3
# Conflicting findings with at least this fraction of the largest conflict are named.
WORTH_NAMING = 0.2


class EvidenceSection(Section):
    """A section with the evidence on the active model."""

    def __init__(self, app: AppContext, name: str) -> None:
        super().__init__("Evidence", "untick to switch off")
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # a new row repaints only itself
        self._app = app
        self._subject: ActiveModel | None = None
        self.conflict = ConflictNote(f"{name}Conflict")
        self._none = label("None yet. Click a state to set it.", "tertiary", size="dense")
        self._none.setObjectName(f"{name}None")
        self._none.setWordWrap(True)
        self._rows: dict[str, _Row] = {}
        self._list = QVBoxLayout()
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self.clash = Note(level="warning", name=f"{name}Clash")
        self._keeper: EvidenceDiagnostics | None = None
        self.add(self.conflict)
        self.add(self.clash)
        self.add(self._none)
        self.add(self._list)
        # The layout grows for a new row; else all rows would first be squeezed into its height.
        grown = self.layout()
        assert grown is not None
        grown.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        self.conflict.retract_requested.connect(self._on_retract_requested)

    def show_subject(self, subject: ActiveModel) -> None:
        self._subject = subject
        live = subject.live
        self.conflict.show_refusal(subject, live.refusal)
        findings = live.findings
        self._none.setVisible(not findings)
        self.fact.setVisible(bool(findings))
        if list(self._rows) != list(findings):
            self._rebuild(list(findings))
        for row in self._rows.values():
            row.show_finding(subject)
        keeper = live.diagnostics
        if keeper is not self._keeper:
            stop_listening(self._keeper, self._show_traces)
            self._keeper = keeper
            keeper.changed.connect(self._show_traces)
        keeper.follow()
        self._show_traces()

    def _show_traces(self) -> None:
        """Show the conflict of each finding with the others."""
        if self._keeper is None or self._subject is None:
            return
        traced = self._keeper.traced
        for name, row in self._rows.items():
            row.show_trace(traced.traces.get(name) if len(traced.traces) > 1 else None)
        self.clash.show_text(conflict_text(self._subject, traced))

    def _rebuild(self, names: list[str]) -> None:
        for name in [name for name in self._rows if name not in names]:
            row = self._rows.pop(name)
            row.hide()
            self._list.removeWidget(row)
            row.deleteLater()
        rows = {name: self._rows.get(name) or self._row(name) for name in names}
        for position, row in enumerate(rows.values()):
            at = self._list.itemAt(position)
            if at is None or at.widget() is not row:
                self._list.removeWidget(row)
                self._list.insertWidget(position, row)
        self._rows = rows

    def _row(self, name: str) -> _Row:
        row = _Row(name)
        row.tick.clicked.connect(partial(self._on_ticked, name))
        row.name.clicked.connect(partial(self._app.workspace.select, (name,)))
        row.gone.clicked.connect(partial(self._on_gone, name))
        return row

    def _on_ticked(self, name: str, *_: object) -> None:
        if self._subject is not None:
            tick = self._rows[name].tick
            self._subject.live.switch(name, tick.isChecked())
            tick.setChecked(name in self._subject.live.evidence)

    def _on_gone(self, name: str, *_: object) -> None:
        if self._subject is not None:
            self._subject.live.retract(name)

    def _on_retract_requested(self, variable: str, refusal: Refusal) -> None:
        if self._subject is not None:
            live = self._subject.live
            live.retract(variable)
            if refusal.variable != variable:
                live.set_finding(refusal.variable, refusal.finding)


class _Row(QWidget):
    def __init__(self, variable: str) -> None:
        super().__init__()
        self.setObjectName(f"evidence.{variable}")
        self._variable = variable
        self._told: tuple[object, ...] = ()
        self.tick = named(QCheckBox(), f"evidenceTick.{variable}")
        self.name = named(ElidedLabel(is_link=True), f"evidenceName.{variable}")
        self.factor = label("", "tertiary", size="dense", name=f"evidenceFactor.{variable}")
        self.chip = ChipLabel(f"evidenceChip.{variable}", max_width=130)
        self.gone = tool_button("x", f"Retract {variable}", name=f"evidenceGone.{variable}")
        hbox(self, self.tick, (self.name, 1), self.factor, self.chip, self.gone, spacing=6)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_finding(self, subject: ActiveModel) -> None:
        variable, live = self._variable, subject.live
        finding = live.findings[variable]
        is_on = variable in live.evidence
        self.tick.setChecked(is_on)
        title, known = subject.title(variable), subject.variable(variable)
        if (title, known, finding, is_on) == self._told:
            return
        self._told = title, known, finding, is_on
        text = finding_text(finding)
        chip = replace(chip_of(known, finding), text=short_text(known, finding), icon="")
        state = "in force" if is_on else "switched off"
        self.tick.setAccessibleName(f"{title} {text}, {state}")
        self.tick.setToolTip("Untick to switch it off." if is_on else "Tick to switch it on.")
        self.name.setText(title)
        self.name.setToolTip(f"{title} {text}, {state}. Click selects it.")
        self.name.setAccessibleName(f"Select {title}")
        self.chip.show_chip(chip, f"{title} {text}")
        self.chip.setEnabled(is_on)
        self.gone.setToolTip(f"Retract {title} {text}")
        self.gone.setAccessibleName(f"Retract {title}")

    def show_trace(self, trace: FindingTrace | None) -> None:
        """Show `×0.12`, P(finding | others) / P(finding), with a warning for conflicts."""
        self.factor.setVisible(trace is not None)
        if trace is None:
            return
        factor = trace.normalised_likelihood
        text = f"×{factor:.2g}" if 0.001 <= factor < 1000 else f"×2^{whole(-trace.conflict_bits)}"
        self.factor.setText(text)
        is_odd = conflict_word(trace.conflict_bits) == "strong"
        set_role(self.factor, "warning" if is_odd else "tertiary")
        bits = decimal(trace.conflict_bits, 2)
        self.factor.setToolTip(f"{trace_text(trace)} Conflict {bits} bits.")
        self.factor.setAccessibleName(f"{self._variable}: conflict {bits} bits")


def conflict_text(subject: ActiveModel, traced: TracedEvidence) -> str:
    """A message with the conflicting findings; empty if there is no conflict."""
    if traced.conflict_bits < 0.5 or not traced.clashing:
        return ""
    worst = sorted(traced.clashing, key=lambda name: -traced.clashing[name])
    most = traced.clashing[worst[0]]
    worst = [name for name in worst if traced.clashing[name] >= most * WORTH_NAMING]
    named = [f"{subject.title(n)} {finding_text(traced.evidence[n])}" for n in worst[:4]]
    if len(worst) > 4:
        named[3:] = [f"{len(worst) - 3} more"]
    word = conflict_word(traced.conflict_bits)
    text = f"{', '.join(named[:-1])} and {named[-1]}"
    return f"Conflicting evidence: {text} ({word}, {traced.conflict_bits:.1f} bits)."


class ConflictNote(QFrame):
    """A note on contradicting findings with a button to retract each of them."""

    retract_requested = Signal(str, object)  # variable, Refusal

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("role", "note-warning")
        self._shown: Refusal | None = None
        self._icon = IconLabel(icon("warning", "warning_ink"))
        self._text = label("", "warning", wrap=True)
        self._buttons = QVBoxLayout()
        self._buttons.setSpacing(4)
        inner = vbox(None, self._text, self._buttons, spacing=6)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(8)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(inner, 1)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_refusal(self, subject: ActiveModel, refusal: Refusal | None) -> None:
        self.setVisible(refusal is not None)
        if refusal is self._shown:
            return
        self._shown = refusal
        empty(self._buttons)
        if refusal is None:
            return
        error = refusal.error
        if isinstance(error, ImpossibleEvidenceError):  # with titles instead of names
            error = ImpossibleEvidenceError(
                {subject.title(name): text for name, text in error.conflict.items()}
            )
        self._text.setText(str(error))
        self.setAccessibleName(str(error))
        if not isinstance(refusal.error, ImpossibleEvidenceError):
            return
        evidence = subject.live.evidence
        wanted = f"{subject.title(refusal.variable)} {finding_text(refusal.finding)}"
        others = [n for n in refusal.error.conflict if n in evidence and n != refusal.variable]
        for name in others[:MAX_RETRACT_BUTTONS]:
            text = f"{subject.title(name)} {finding_text(evidence[name])}"
            made = button(
                f"Retract {text}",
                partial(self.retract_requested.emit, name, refusal),
                name=f"retract.{name}",
                tip=f"Retract {text} and set {wanted} instead.",
            )
            self._buttons.addWidget(made)
