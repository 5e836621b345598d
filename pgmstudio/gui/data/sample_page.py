"""Page that samples rows from a model, optionally given its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QVBoxLayout, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.sessions import Sampled, SamplePlan, sample_rows
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.drawn_data import sample_model, sampled_entry
from pgmstudio.core.project.edits import Computed, add_data
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.navigation import open_data_page
from pgmstudio.gui.widgets.basic import Note, button, label, named, row, vbox
from pgmstudio.gui.widgets.number_box import decimal_box, whole_box
from pgmstudio.gui.widgets.page import Page

_MANY_GIVEN = 5_000  # sampling more rows than this given evidence takes a while


class SamplePage(Page):
    """Sampling form of one model; the rows become a data set that records its origin."""

    icon_name = "dice-five"

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"sample:{model_id}")
        self._app, self._model_id = app, model_id
        self._job: Job | None = None
        tip = "Number of independent rows."
        self.rows = whole_box("sampleRows", "Rows to draw", tip, 1, 10_000_000, 1000)
        self.rows.valueChanged.connect(self._refresh)
        tip = "The same seed gives the same rows."
        self.seed = whole_box("sampleSeed", "Seed", tip, 0, 2_000_000_000, 1)
        tip = "Each cell is removed with this probability, independently of its value (MCAR)."
        self.missing = decimal_box("sampleMissing", "Missing cells", tip, 0, 99, suffix=" %")
        self.given = named(QCheckBox("Given the current evidence"), "sampleGiven")
        self.given.clicked.connect(self._refresh)
        self.description = Note("", "info", "sampleDescription")
        self.problem = Note("", "danger", "sampleProblem")
        self.progress = label("", "secondary", size="dense", name="sampleProgress")
        self.draw = button("Draw rows", self.start, role="primary", icon_name="check", name="draw")
        self.cancel = button("Cancel", self._on_cancel, role="link", name="sampleCancel")
        self._lay_out()
        app.workspace.beliefs_changed.connect(self._refresh)
        app.document.changed.connect(self._refresh)
        self._refresh()

    @property
    def title(self) -> str:
        return f"Sample from {self._title}"

    @property
    def _title(self) -> str:
        entry = self._app.project.models.get(self._model_id)
        return entry.title if entry is not None else "a model"

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        form.addRow(label("Rows", "secondary"), self.rows)
        form.addRow(label("Seed", "secondary"), self.seed)
        form.addRow(label("Missing cells", "secondary"), self.missing)
        form.addRow("", self.given)
        box = QWidget()
        box.setMaximumWidth(520)
        inner = QVBoxLayout(box)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(12)
        inner.addWidget(label(f"Rows drawn from {self._title}", "heading", size="title"))
        inner.addLayout(form)
        inner.addWidget(self.description)
        inner.addWidget(self.problem)
        inner.addWidget(row(self.cancel, self.progress, None, self.draw))
        frame = QFrame()
        frame.setProperty("role", "surface")
        vbox(frame, box, None, margins=24)
        vbox(self, frame)

    def _evidence(self) -> dict[str, Finding]:
        if self._model_id not in self._app.project.models:
            return {}
        return dict(self._app.workspace.beliefs(self._model_id).evidence)

    def _refresh(self, *_: object) -> None:
        evidence = self._evidence()
        self.given.setEnabled(bool(evidence))
        self.given.setToolTip(
            "Draw rows from the distribution conditional on the evidence."
            if evidence
            else "Not now: the model has no evidence."
        )
        if not evidence:
            self.given.setChecked(False)
        self.draw.setText(f"Draw {counted(self.rows.value(), 'row')}")
        self.draw.setEnabled(self._job is None and self._model_id in self._app.project.models)
        self.description.show_text(self._description(evidence), "info")

    def _description(self, evidence: dict[str, Finding]) -> str:
        if not self.given.isChecked():
            unused = " The evidence is not used." if evidence else ""
            return f"Independent rows from the joint distribution.{unused}"
        findings = ", ".join(f"{name} {finding}" for name, finding in evidence.items())
        slow = " Variables are drawn one after the other, which takes a while."
        return f"Rows given {findings}." + (slow if self.rows.value() > _MANY_GIVEN else "")

    def start(self) -> None:
        """Draw in the background."""
        model = self._app.project.models[self._model_id].model
        evidence = self._evidence() if self.given.isChecked() else None
        plan = SamplePlan(
            self.rows.value(), self.seed.value(), self.missing.value() / 100, evidence
        )

        def task(cancel: CancelToken) -> Iterator[object]:
            return sample_rows(model, plan, cancel)

        self.problem.show_text("")
        self._job = Job(task, self)
        self._job.events_arrived.connect(partial(self._on_events, plan))
        self._job.state_changed.connect(self._on_state)
        self._job.failed.connect(self._on_failed)
        self._job.start()
        self._refresh()

    def _on_events(self, plan: SamplePlan, events: list[object]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.progress.setText(event.message)
            elif isinstance(event, Sampled):
                self._add_to_project(plan, event)

    def _add_to_project(self, plan: SamplePlan, sampled: Sampled) -> None:
        app, title = self._app, self._title
        entry = sampled_entry(self._model_id, title, plan, sampled)
        how = partial(
            sample_model,
            model_id=self._model_id,
            rows=plan.rows,
            seed=plan.seed,
            missing_rate=plan.missing_rate,
            evidence=dict(plan.evidence or {}),
        )
        data_id = app.project.next_data_id()
        edit = Computed(how, partial(add_data, entry=entry))
        if app.change(f"Sample from {title}", edit):
            open_data_page(app, data_id)
            app.center.close_page(self)
            text = f"{counted(plan.rows, 'row')} drawn from {title}. {sampled.note}".rstrip()
            app.notify(text, undo=True)

    def _on_state(self, state: JobState) -> None:
        if state is JobState.CANCELLING:
            self.progress.setText("Stopping…")
        elif state.is_end:
            self._job = None
            self.progress.setText("")
            self._refresh()

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.problem.show_text(str(error))
        else:
            self._app.errors.report(error)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
        else:
            self._app.center.close_page(self)

    def closed(self) -> None:
        if self._job is not None:
            self._job.cancel()
