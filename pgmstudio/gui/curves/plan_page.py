"""The plan page of SL-curves: learners and values to try, data, seeds, limits, executor."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QVBoxLayout, QWidget

from pgmstudio.core.errors import ParameterError, PgmStudioError
from pgmstudio.core.execution.cluster import reach_problem
from pgmstudio.core.experiments.plans.expansion import runs_of_plan
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.sl_curves.curve import default_lambdas
from pgmstudio.core.io.curve_setup import CurveSetup, curve_folder
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.run_checks import unused_rules
from pgmstudio.core.number_format import counted
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.curves.learner_grid import FIRST_TICKED, GridForm, LearnerTicks
from pgmstudio.gui.curves.page import open_curves
from pgmstudio.gui.curves.plan_form import PlanSheet
from pgmstudio.gui.curves.sweep_run import CurveRun, new_folder, when_allowed
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import close_welcome
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, allow, button, foot_of, label, scrolled, side_layout
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page

KEY = "curves-plan"
STACKED_BELOW = 860  # px at 100 %: below, values and sheet stand one above the other


class CurvesPlanPage(Page):
    """One for the window: a new plan, or one of the project that is extended."""

    fixed_title = "Plan SL-curves"
    icon_name = "chart-line"
    stands_alone = True

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app = app
        self.curve_id: str | None = None  # the one that is extended
        self._forms: dict[str, GridForm] = {}
        self.learners = LearnerTicks()
        self.sheet = PlanSheet(app)
        self._title = label("", "heading", size="heading")
        self._about = label("", "secondary", wrap=True)
        self._holder = QVBoxLayout()
        self._advanced = QCheckBox("Show all parameters")
        self._advanced.setObjectName("planAdvanced")
        self._advanced.setToolTip("Parameters that are rarely changed.")
        self._advanced.clicked.connect(self._on_advanced)
        self.forecast = Note(name="planForecast")
        self.refusal = Note(level="danger", name="planRefusal")
        self.start_button = button(
            "Start",
            self.start,
            role="primary",
            icon_name="play",
            name="planStart",
            tip="Start in the background; points appear as they are found.",
        )
        self._reach = LatestTask(self, self._on_reached, app.errors.report)
        self._pending: CurveSetup | None = None
        self._lay_out()
        self._soon = one_shot(self, self._refresh, 30)
        self.learners.picked.connect(self._show_learner)
        self.learners.ticked.connect(self._soon.start)
        self.sheet.changed.connect(self._soon.start)
        app.document.changed.connect(self._on_document)
        app.workspace.background_runs.changed.connect(self._soon.start)
        self.learners.choose(FIRST_TICKED[0])
        self.sheet.show_folder(new_folder(app), can_change=True)
        self._refresh()

    def about_data(self) -> str | None:
        return self.sheet.rows.data_id

    def closed(self) -> None:
        self._reach.forget()

    def _lay_out(self) -> None:
        values = QWidget()
        inner = QVBoxLayout(values)
        inner.setContentsMargins(24, 20, 24, 16)
        inner.setSpacing(8)
        inner.addWidget(self._title)
        inner.addWidget(self._about)
        inner.addSpacing(6)
        inner.addLayout(self._holder)
        inner.addWidget(self._advanced)
        inner.addStretch(1)
        content = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._columns.setContentsMargins(0, 0, 0, 0)
        self._columns.setSpacing(0)
        self._columns.addWidget(values, 3)
        self._columns.addWidget(self.sheet, 2)
        foot = foot_of((self.forecast, self.refusal), self.start_button)
        side_layout(self, self.learners, scrolled(content, "planScroll"), foot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the form below the values where two columns do not fit."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        narrow = self.width() < STACKED_BELOW * theme().scale
        self._columns.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)

    # -- what is chosen

    def form(self, key: str) -> GridForm:
        """The values of a learner, as they were left."""
        if key not in self._forms:
            made = self._forms[key] = GridForm(all_learners()[key])
            made.changed.connect(self._soon.start)
            made.hide()
            self._holder.addWidget(made)
        return self._forms[key]

    def _show_learner(self, key: str) -> None:
        learner = all_learners()[key]
        self._title.setText(learner.title)
        self._about.setText(" ".join((type(learner).__doc__ or "").split()))
        for other in self._forms.values():
            other.hide()
        form = self.form(key)
        form.show()
        self._advanced.setVisible(form.has_advanced)
        form.show_advanced(self._advanced.isChecked())

    def _on_advanced(self) -> None:
        for form in self._forms.values():
            form.show_advanced(self._advanced.isChecked())

    def setup(self) -> CurveSetup:
        """The plan as entered; raises ParameterError or another error of the input."""
        texts = self.sheet.options()
        why = self.sheet.rows.disabled_reason() or self._why_busy()
        if why is not None:
            raise PgmStudioError(why)
        grids: list[LearnerGrid] = []
        problems: dict[str, str] = {}
        for key in self.learners.keys:
            grid = self.form(key).grid()
            if grid is None:
                name = all_learners()[key].title
                wrong = self.form(key).problems_by_title
                problems |= {f"{name}, {title}:": problem for title, problem in wrong.items()}
            else:
                grids.append(grid)
        wrong_address = self.sheet.problems.pop("", None)
        problems |= self.sheet.problems
        if problems:
            raise ParameterError(problems)
        if wrong_address is not None:
            raise PgmStudioError(wrong_address)
        names = [grid.name or grid.key for grid in grids]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PgmStudioError(f"Two curves are called “{twice}”. Give one another name.")
        plan = Plan(tuple(grids), **texts)
        runs_of_plan(plan, (0.5,))  # refuses values that do not go together
        processes = self.sheet.processes.value() or None
        return CurveSetup(plan, self.sheet.rows.choice(), processes, self.sheet.cluster)

    def _why_busy(self) -> str | None:
        """Two sweeps cannot add to one folder, and a sweep does not change its plan on the way."""
        running = self._app.workspace.background_runs.running
        folders = [run.folder for run in running if isinstance(run, CurveRun)]
        if self.sheet.chosen_folder not in folders:
            return None
        return "A sweep is adding points to this folder. Stop it first."

    def extend(self, curve_id: str | None) -> None:
        """Fill the sheet from a plan of the project; None begins a new one."""
        self.curve_id = curve_id
        entry = self._app.project.curves.get(curve_id or "")
        setup = None if entry is None else CurveSetup.of(entry.setup)
        if entry is None or setup is None:
            self.curve_id = None
            self.sheet.show_folder(new_folder(self._app), can_change=True)
        else:
            self.sheet.fill(replace(setup, plan=replace(setup.plan, title=entry.title)))
            self.sheet.show_folder(curve_folder(entry, self._app.document.path), can_change=False)
            for grid in setup.plan.learners:
                if grid.key in all_learners():
                    self.form(grid.key).fill(grid)
            self.learners.tick([grid.key for grid in setup.plan.learners])
            self.learners.choose(setup.plan.learners[0].key)
        self.title_changed.emit()
        self._refresh()

    # -- what will happen

    def _on_document(self, before: Project, after: Project) -> None:
        if before.data is not after.data or before.models is not after.models:
            self.sheet.rows.refresh_data()
        if self.curve_id is not None and self.curve_id not in after.curves:
            self.extend(None)

    def _refresh(self) -> None:
        self.subject_changed.emit()
        try:
            setup = self.setup()
        except PgmStudioError as error:
            self.refusal.show_text(_error_text(error))
            self.forecast.show_text("")
            allow(self.start_button, _error_text(error))
            return
        self.refusal.show_text("")
        self.forecast.show_text(self._forecast(setup))
        self.start_button.setText("Start" if self.curve_id is None else "Extend and go on")
        allow(self.start_button, None)

    def _forecast(self, setup: CurveSetup) -> str:
        entry = self.sheet.rows.entry
        rows = 1000.0 if entry is None else entry.data.total_weight
        runs = runs_of_plan(setup.plan, default_lambdas(rows))
        limit = setup.plan.time_limit
        where = f"on the cluster {setup.cluster}" if setup.cluster else "on this computer"
        at_most = "" if limit is None else f", at most {limit:g} s each"
        refused = [
            f"{all_learners()[grid.key].title}: {why}"
            for grid in setup.plan.learners
            if entry is not None and (why := all_learners()[grid.key].refuses(entry.data))
        ]
        more = "" if self.curve_id is None else " Finished runs are not repeated."
        text = f"{counted(len(runs), 'run')} of {counted(len(setup.plan.learners), 'learner')} "
        text += f"{where}{at_most}; a run gives one model or many.{more}"
        if rules := unused_rules(self._app.project.knowledge, "curves"):
            text += f" {rules}"
        return text + (f" Left out: {' '.join(refused)}" if refused else "")

    # -- starting

    def start(self) -> None:
        """Begin, after asking whether the scheduler answers."""
        try:
            setup = self.setup()
        except PgmStudioError as error:
            self.refusal.show_text(_error_text(error))
            return
        if not setup.cluster:
            self._begin(setup)
            return
        entry = self._app.project.curves.get(self.curve_id or "")
        if entry is None or entry.setup.get("cluster") != setup.cluster:
            self._app.approved_locations.add(setup.cluster)  # it was typed here
        when_allowed(self._app, setup.cluster, None, partial(self._ask_scheduler, setup))

    def _ask_scheduler(self, setup: CurveSetup) -> None:
        self._pending = setup
        self.start_button.setEnabled(False)
        self.forecast.show_text(f"Asking {setup.cluster}…")
        self._reach.ask(partial(reach_problem, setup.cluster))

    def _on_reached(self, problem: str | None) -> None:
        setup, self._pending = self._pending, None
        self._refresh()
        if problem is not None:
            self.refusal.show_text(problem)
            self.sheet.address.setFocus()  # it went elsewhere while the button was greyed
        elif setup is not None:
            self._begin(setup)

    def _begin(self, setup: CurveSetup) -> None:
        app, curve_id = self._app, self.curve_id
        title = setup.plan.title or self._free_title()
        data_id = None if setup.rows is None else setup.rows.data_id
        if curve_id is None:
            folder = self.sheet.chosen_folder or new_folder(app)
            app.approved_locations.add(str(folder))
            curve_id = app.project.next_curve_id()
            entry = CurveEntry(title, (), data_id, setup.plain(), str(folder))
            done = app.change(f"Plan {title}", partial(edits.add_curve, entry=entry))
        else:
            before = app.project.curves[curve_id]
            entry = replace(before, title=title, data_id=data_id, setup=setup.plain())
            edit = partial(edits.set_curve, curve_id=curve_id, entry=entry)
            done = app.change(f"Extend {title}", edit)
        if not done:
            return
        page = open_curves(app, curve_id)
        app.center.close_page(self)
        page.resume()

    def _free_title(self) -> str:
        taken = {entry.title for entry in self._app.project.curves.values()}
        entry = self.sheet.rows.entry
        base = "SL-curves" if entry is None else f"SL-curves of {entry.name}"
        names = [base, *(f"{base} {number}" for number in range(2, len(taken) + 3))]
        return next(name for name in names if name not in taken)


def _error_text(error: PgmStudioError) -> str:
    """All problems of an error in one sentence."""
    if isinstance(error, ParameterError):
        text = "; ".join(f"{name} {problem}" for name, problem in error.problems.items())
        return f"{text}." if text.startswith("λ") else f"{text[:1].upper()}{text[1:]}."
    return str(error)


def open_plan(
    app: AppContext, curve_id: str | None = None, *, data_id: str | None = None
) -> CurvesPlanPage:
    """The sheet of a plan in front: a new one, or that of some curves to be extended."""
    close_welcome(app)
    page = app.open_page(KEY, partial(CurvesPlanPage, app))
    assert isinstance(page, CurvesPlanPage)
    if curve_id != page.curve_id or curve_id is not None:
        page.extend(curve_id)
    page.sheet.rows.choose_data(data_id)
    return page
