"""The learning page: choose learner and data, set parameters, start a run."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from pgmstudio.core.analysis.learner_choice import recommended_learners
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.cluster import address_problem
from pgmstudio.core.experiments.bootstrap import (
    BootstrapParams,
    has_directions,
    no_bootstrap_reason,
)
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.run_checks import rules_note, settings_refusal
from pgmstudio.core.learning.base import Learner, missing_data_note
from pgmstudio.core.learning.cost_estimates import forecast_passes
from pgmstudio.core.number_format import counted
from pgmstudio.core.params import specs_of
from pgmstudio.core.project.project import Project
from pgmstudio.core.project.runs import training_rows
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun, reports_steps
from pgmstudio.gui.learning.learner_forms import LearnerForms, LearnerList, free_title
from pgmstudio.gui.navigation import close_welcome
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.imputation import RemedyRow
from pgmstudio.gui.runs.run_recorder import (
    RunRecorder,
    run_recorder,
    start_bootstrap,
)
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Section,
    allow,
    button,
    foot_of,
    form_of,
    hbox,
    named,
    scrolled,
    side_layout,
)
from pgmstudio.gui.widgets.combo_box import Combo, chooser, offer
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.page import Page, RunPlan

# Page width (px at 100 %) below which the run settings are below the parameters.
STACKED_BELOW = 860
FIRST_LEARNER = "bn.hill-climb"
_WALK_TIP = "Start a run that pauses before every step of its search and shows it on the diagram."


MAX_REPLICATES = 100_000
_HELP = {spec.name: spec.help for spec in specs_of(BootstrapParams)}
_ORIENTATIONS = {"class": "class directions", "graph": "graph directions"}


class BootstrapChoice(QWidget):
    """Number of bootstrap replicates (0: no bootstrap) and how directions are counted."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._has_directions = True
        self.replicates = named(QSpinBox(), "learnReplicates")
        self.replicates.setRange(0, MAX_REPLICATES)
        self.replicates.setSingleStep(50)
        self.replicates.setSpecialValueText("off")
        self.replicates.setSuffix(" replicates")
        self.replicates.setAccessibleName("Bootstrap replicates")
        self.replicates.setToolTip(
            f"{_HELP['replicates']} The run then reports the frequency of each edge."
        )
        self.orientation = named(
            Combo(), "learnOrientation", "How directions are counted", _HELP["orientation"]
        )
        self.orientation.setMinimumContentsLength(8)
        for key, text in _ORIENTATIONS.items():
            self.orientation.addItem(text, key)
        self.note = Note(name="bootstrapChoiceNote")
        hbox(self, (self.replicates, 2), (self.orientation, 3), spacing=6)
        self.replicates.valueChanged.connect(self._on_changed)
        self._on_changed()

    def _on_changed(self, *_: object) -> None:
        count = self.replicates.value()
        self.orientation.setVisible(count > 0 and self._has_directions)
        self.note.show_text(
            f"Bootstrap: {counted(count, 'replicate')}. The model has the edges "
            "that occur in at least half of the replicates."
            if count
            else ""
        )
        self.changed.emit()

    @property
    def settings(self) -> BootstrapParams | None:
        """The bootstrap settings, or None without a bootstrap."""
        count = self.replicates.value()
        if count == 0:
            return None
        return BootstrapParams(replicates=count, orientation=self.orientation.currentData())

    def disabled_reason(self, learner: Learner[Any]) -> str | None:
        """Why this learner cannot be bootstrapped, if a bootstrap is requested."""
        return None if self.settings is None else no_bootstrap_reason(learner)

    def follow(self, learner: Learner[Any]) -> None:
        """Offer directions only where the edges of the learner's models have some."""
        self._has_directions = has_directions(learner)
        self.orientation.setVisible(self.replicates.value() > 0 and self._has_directions)

    def switch_on(self) -> None:
        """Set a default number of replicates unless one is set."""
        if self.replicates.value() == 0:
            self.replicates.setValue(BootstrapParams().replicates)


class LearnPage(Page):
    """Learning page of the window; preserves the parameters entered for each learner."""

    fixed_title = "Learn"
    icon_name = "play-circle"
    starts_runs = True

    def __init__(self, app: AppContext, recorder: RunRecorder) -> None:
        super().__init__("learn")
        self._app, self._recorder = app, recorder
        self._remedies = RemedyRow(app)
        self._learners = LearnerList("learnerList", all_learners())
        self._learners.picked.connect(self._on_learner)
        self._forms = LearnerForms(app, lambda: app.project.knowledge, self._names)
        self._forms.changed.connect(self._refresh_notes)
        content = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._columns.setContentsMargins(0, 0, 0, 0)
        self._columns.setSpacing(0)
        self._columns.addWidget(self._forms, 3)
        self._columns.addWidget(self._sheet(), 2)
        self._scroll = scrolled(content, "learnScroll")
        side_layout(self, self._learners, self._scroll, self._foot())
        app.document.changed.connect(self._on_document_changed)
        app.workspace.target_changed.connect(self._recommend)
        self._refresh_data()
        self.choose(learner=FIRST_LEARNER)

    def _sheet(self) -> QWidget:
        sheet = QWidget()
        sheet.setMinimumWidth(theme().px("right_min"))
        layout = QVBoxLayout(sheet)
        layout.setContentsMargins(8, 24, 8, 16)
        self._data = chooser("learnData", "Data set to learn from.")
        self._part = chooser("learnPart", "All rows or one part of the split.")
        tip = "The same seed gives the same model."
        self._seed = whole_box("learnSeed", "Seed", tip, 0, 2**31 - 1)
        self._name = named(
            QLineEdit(), "learnName", "Name of the run", "Name of the run and its model."
        )
        self._cluster = named(
            QLineEdit(),
            "learnCluster",
            "Dask scheduler",
            "Address of a Dask scheduler, such as tcp://HOST:8786, whose workers read the rows. "
            "Empty: this computer reads them.",
        )
        self._cluster.setPlaceholderText("this computer")
        self._cluster.textChanged.connect(self._refresh_notes)
        self.bootstrap = BootstrapChoice()
        self.bootstrap.changed.connect(self._refresh_notes)
        form = form_of(
            ("Data", self._data),
            ("Rows", self._part),
            ("Seed", self._seed),
            ("Name", self._name),
            ("Cluster", self._cluster),
            ("Bootstrap", self.bootstrap),
        )
        self._form = form
        section = Section("This run", line=False)
        section.add(form)
        layout.addWidget(section)
        layout.addStretch(1)
        self._data.currentIndexChanged.connect(self._on_data)
        self._part.currentIndexChanged.connect(self._refresh_notes)
        return sheet

    def _foot(self) -> QWidget:
        """Footer with notes and the start button; it does not scroll."""
        self._missing = Note(name="missingNote")
        self._rules = Note(name="rulesNote")
        self._refusal = Note(level="danger", name="refusalNote")
        self._start = button(
            "Start",
            self._on_start,
            role="primary",
            icon_name="play-circle",
            tip="Start the run in the background (Ctrl+Return)",
            name="learnStart",
        )
        self._start.setShortcut("Ctrl+Return")
        self._walk = button(
            "Step by step",
            self._on_walk,
            icon_name="skip-forward",
            tip=_WALK_TIP,
            name="learnSteps",
        )
        notes = (self._missing, self._rules, self.bootstrap.note, self._refusal)
        return foot_of((*notes, self._remedies), self._walk, self._start)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the run settings below the parameters in a narrow page."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        narrow = self.width() < STACKED_BELOW * theme().scale
        self._columns.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        self._learners.fit_page_width(self.width())

    # -- selection

    @property
    def learner(self) -> Learner[object]:
        learner = self._learners.learner
        assert learner is not None  # a learner is always selected
        return learner

    @property
    def seed(self) -> int:
        return self._seed.value()

    @property
    def data_id(self) -> str | None:
        data_id = self._data.currentData()
        return str(data_id) if data_id is not None else None

    def about_data(self) -> str | None:
        return self.data_id

    def about_run(self) -> RunPlan | None:
        try:
            rows = self._rows()
        except PgmStudioError:
            return None
        if rows is None or self.data_id is None or self._learners.learner is None:
            return None
        name = self._app.project.data[self.data_id].name
        part = self._part.currentData()
        return RunPlan(
            self.learner,
            self._forms.params(),
            self.data_id,
            name,
            part,
            rows,
            self.bootstrap.replicates.value(),
        )

    def choose(self, *, learner: str | None = None, data_id: str | None = None) -> None:
        """Preselect a learner or a data set."""
        self._learners.choose(learner)
        if data_id is not None:
            self._data.setCurrentIndex(max(0, self._data.findData(data_id)))

    def fill(self, request: RunRequest) -> None:
        """Show the parameters of an earlier run."""
        self.choose(learner=request.learner_key, data_id=request.data_id)
        self._forms.set_params(request.params)
        self._seed.setValue(request.seed)
        self._part.setCurrentIndex(max(0, self._part.findData(request.split_part)))

    def show_bootstrap(self) -> None:
        """Switch the bootstrap on and show its settings."""
        self.bootstrap.switch_on()
        self._scroll.ensureWidgetVisible(self.bootstrap)
        self.bootstrap.replicates.setFocus()

    def _names(self) -> tuple[str, ...]:
        entry = self._app.project.data.get(self.data_id or "")
        return () if entry is None else entry.data.domain.names

    def _rows(self) -> DataSet | None:
        if self.data_id is None:
            return None
        return training_rows(self._app.project, self.data_id, self._part.currentData())

    # -- reactions

    def _on_learner(self) -> None:
        self._forms.show_learner(self.learner)
        self._name.setPlaceholderText(self.learner.title)
        self.bootstrap.follow(self.learner)
        self._refresh_notes()

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before.data is not after.data:
            self._refresh_data()
        if any(
            getattr(before, part) is not getattr(after, part)
            for part in ("knowledge", "edge_prices", "models")
        ):
            self._forms.refresh_objects()
            self._refresh_notes()

    def _refresh_data(self) -> None:
        offer(self._data, {key: entry.name for key, entry in self._app.project.data.items()})
        self._on_data()

    def _on_data(self) -> None:
        self.subject_changed.emit()
        entry = self._app.project.data.get(self.data_id or "")
        parts = entry.split.names if entry is not None and entry.split is not None else ()
        offer(self._part, {None: "all rows", **{name: name for name in parts}}, *parts[:1])
        self._forms.refresh_objects()
        self._forms.show_columns(() if entry is None else entry.data.domain.names)
        is_chunked = entry is not None and isinstance(entry.data, ChunkedData)
        self._form.setRowVisible(self._cluster, is_chunked)
        self._recommend()
        self._refresh_notes()

    def _recommend(self, *_: object) -> None:
        """List the learners that suit the data on top."""
        entry = self._app.project.data.get(self.data_id or "")
        target = self._app.workspace.target
        self._learners.show_recommended(
            {} if entry is None else recommended_learners(entry.data, target)
        )

    def _refresh_notes(self, *_: object) -> None:
        if self._learners.learner is None:
            return
        self.facts_changed.emit()
        try:
            data = self._rows()
        except PgmStudioError as error:
            self._refusal.show_text(str(error))
            self._start.setEnabled(False)
            return
        params = self._forms.params()
        refusal = (
            "Import data first: Data ▸ Import."
            if data is None
            else self.bootstrap.disabled_reason(self.learner)
            or self.learner.refuses(data)
            or self._cluster_problem(data)
            or ("" if params is not None else "A parameter is invalid.")
            or settings_refusal(self.learner, params)
        )
        knowledge = getattr(params, "knowledge", None)
        if data is not None and isinstance(knowledge, Knowledge):
            clashes = knowledge.contradictions(data.domain.names)
            refusal = refusal or " ".join(clashes)
            self._rules.show_text(rules_note(self.learner, knowledge))
        else:
            self._rules.show_text("")
        if isinstance(data, ChunkedData):
            passes = None if params is None else forecast_passes(self.learner, params, data)
            self._missing.show_text("" if passes is None else str(passes))
        else:
            self._missing.show_text(
                "" if data is None else missing_data_note(self.learner, data, params)
            )
        self._remedies.offer(self.learner, data, self.data_id)
        self._refusal.show_text(refusal)
        allow(self._start, refusal)
        self._walk.setVisible(reports_steps(self.learner) and self.bootstrap.settings is None)
        allow(self._walk, refusal)

    def _cluster_problem(self, data: DataSet) -> str | None:
        """What is wrong with the address of a scheduler, where one is used."""
        address = self._cluster.text().strip()
        return address_problem(address) if address and isinstance(data, ChunkedData) else None

    def _request(self) -> RunRequest | None:
        params = self._forms.params()
        if params is None or self.data_id is None:
            return None
        return RunRequest(
            title=self._name.text().strip() or self._default_title(),
            learner_key=self.learner.key,
            params=params,
            seed=self._seed.value(),
            data_id=self.data_id,
            split_part=self._part.currentData(),
            cluster=self._cluster.text().strip(),
        )

    def _on_walk(self) -> None:
        """Start a run that pauses before every step, and show its steps."""
        from pgmstudio.gui.languages.pdg.steps_page import open_steps

        request = self._request()
        if request is not None:
            open_steps(self._app, self._recorder.start(request, is_paused=True))

    def start(self) -> LearningRun | None:
        """Start a run with the settings as they stand; None if they are wrong."""
        request = self._request()
        if request is None or not self._start.isEnabled():
            return None
        settings = self.bootstrap.settings
        if settings is None:
            run = self._recorder.start(request)
        else:
            run = start_bootstrap(self._app, request, settings)
        return run

    def _on_start(self) -> None:
        if self.start() is not None:
            self._app.reveal("runsPanel")

    def _default_title(self) -> str:
        base = self.learner.title
        if self.bootstrap.settings is not None:
            base = f"Bootstrap of {base}"
        return free_title(self._app, base)


def open_learn(app: AppContext, learner: str | None = None) -> LearnPage:
    """Show the page, with a learner and the data of the current page preselected."""
    current = app.center.current
    data_id = None if current is None else current.about_data()
    close_welcome(app)
    page = app.open_page("learn", lambda: LearnPage(app, run_recorder(app)))
    assert isinstance(page, LearnPage)
    page.choose(learner=learner, data_id=data_id)
    return page
