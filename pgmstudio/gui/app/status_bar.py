"""The status bar: data, graph, selection at the left; evidence and the run signal at the right."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QPushButton, QStatusBar

from pgmstudio.core.inference.measures import conflict_word
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme


class StatusBar(QStatusBar):
    """Each part is a flat button: a click copies its text; the run signal stops the runs."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.setObjectName("statusBar")
        self.setSizeGripEnabled(False)
        self.data = self._part("statusData", "The data set in use; click copies this text.")
        self.graph = self._part("statusGraph", "Nodes and edges of the model in view.")
        self.selection = self._part("statusSelection", "Selected nodes : edges.")
        self.evidence = self._part("statusEvidence", "P(e) of the evidence.", right=True)
        self.surprise = self._part(
            "statusSurprise", "−log2 P(e): how unexpected the evidence is, in bits.", right=True
        )
        self.conflict = self._part(
            "statusConflict",
            "log2( Π P(eᵢ) / P(e) ): above 0 the findings are less probable together than if they "
            "had nothing to do with each other, from 3 bits on strongly so.",
            right=True,
        )
        self.speed = self._part("statusSpeed", "How long the last update took.", right=True)
        # The first to go when the bar is too narrow for all; P(e) and the run signal stay.
        self._dropping = (
            self.data,
            self.graph,
            self.selection,
            self.speed,
            self.conflict,
            self.surprise,
        )
        self._parts = (*self._dropping, self.evidence)
        self._wanted: set[QPushButton] = set()
        self.signal = self._part("statusRuns", "Runs under way; click stops them.", right=True)
        self.signal.clicked.disconnect()
        self.signal.clicked.connect(self._on_signal_clicked)
        bench = shell.bench
        shell.document.changed.connect(self._refresh)
        bench.model_in_view_changed.connect(self._refresh)
        bench.selection_changed.connect(self._refresh)
        bench.beliefs_changed.connect(self._refresh)
        for signal in (bench.runs.run_added, bench.runs.run_changed, bench.runs.run_ended):
            signal.connect(self._refresh_runs)
        theme().changed.connect(self._refresh_runs)
        self._refresh()
        self._refresh_runs()

    def _part(self, name: str, tip: str, *, right: bool = False) -> QPushButton:
        part = QPushButton()
        part.setObjectName(name)
        part.setProperty("role", "status")
        part.setFlat(True)
        part.setToolTip(tip)
        part.setAccessibleName(tip)
        part.clicked.connect(lambda: QApplication.clipboard().setText(part.text()))
        (self.addPermanentWidget if right else self.addWidget)(part)
        return part

    def _refresh(self, *_: object) -> None:
        bench = self._shell.bench
        entry = bench.project.models.get(bench.model_id or "")
        data_id = entry.data_id if entry is not None else None
        data = bench.project.data.get(data_id or "") or next(
            iter(bench.project.data.values()), None
        )
        if data is None:
            self.data.setText("no data" if bench.project.models else "no project open")
        else:
            rows, missing = data.data.row_count, sum(data.data.missing_counts)
            complete = grouped(rows - data.data.incomplete_row_count)
            self.data.setText(
                f"{data.name} · {grouped(rows)} rows × {len(data.data.domain)} · "
                + (f"{grouped(missing)} cells missing · " if missing else "none missing")
                + (f"{complete} rows complete" if missing else "")
            )
        self._wanted = {self.data}
        if entry is not None:
            self._refresh_model(entry)
        self._fit()

    def _refresh_model(self, entry: ModelEntry) -> None:
        bench = self._shell.bench
        self._wanted |= {self.graph, self.selection, self.evidence}
        edges = len(entry.model.edges) if isinstance(entry.model, DirectedModel) else 0
        self.graph.setText(f"{len(entry.model.domain)} nodes : {edges} edges")
        chosen = bench.selection
        self.selection.setText(f"selected {len(chosen.nodes)} : {len(chosen.edges)}")
        live = bench.beliefs_in_view
        if live is None or not live.evidence:
            self.evidence.setText("no evidence")
            return
        self._wanted |= {self.surprise, self.speed}
        probability = 2.0**live.log2_evidence
        self.evidence.setText(f"P(e) {probability:.4g}")
        self.surprise.setText(f"surprise {-live.log2_evidence:.2f} bits")
        conflict = None if live.is_stale else live.conflict_bits
        if conflict is not None:
            self._wanted.add(self.conflict)
            told = f"{conflict:.2f}".replace("-", "−")
            self.conflict.setText(f"conflict {told} ({conflict_word(conflict)})")
        self.speed.setText("stale" if live.is_stale else f"updated in {live.update_ms:.1f} ms")

    def _fit(self) -> None:
        """Show what is wanted and fits."""
        shown = [part for part in self._parts if part in self._wanted]
        gaps = 2 * theme().space(4)
        for part in self._dropping:
            needed = sum(p.sizeHint().width() + gaps for p in [*shown, self.signal])
            if needed > self.width() and part in shown:
                shown.remove(part)
        for part in self._parts:
            part.setVisible(part in shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _refresh_runs(self, *_: object) -> None:
        runs = self._shell.bench.runs
        busy, waiting = len(runs.running), len(runs.waiting)
        if not busy and not waiting:
            self.signal.setText("Ready")
            self.signal.setIcon(icon("check-circle", "success_ink"))
            self._fit()
            return
        stopping = any(run.state.value == "cancelling" for run in runs.running)
        words = f"{busy} run{'s' if busy != 1 else ''}" + (
            f", {waiting} waiting" if waiting else ""
        )
        self.signal.setText("Stopping…" if stopping else f"{words} · click to stop")
        self.signal.setIcon(
            icon("hourglass", "warning_ink") if stopping else icon("play-circle", "accent")
        )
        self._fit()

    def _on_signal_clicked(self) -> None:
        self._shell.bench.runs.stop_all()
        self._refresh_runs()
