"""Form of a plan of SL-curves: data and test rows, common settings, queries and executor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.data.resampling import Split
from pgmstudio.core.execution.cluster import address_problem
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.io.curve_setup import FRACTION, SETS, SPLIT, CurveSetup, RowChoice
from pgmstudio.core.number_format import grouped
from pgmstudio.core.project.project import DataEntry, rows_in_memory
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.curves.learner_grid import error_line, mark_field, parsed_numbers, values_text
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Section,
    Segments,
    button,
    form_of,
    label,
    named,
    row,
    wide_first,
)
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import choose_folder
from pgmstudio.gui.widgets.number_box import decimal_box, whole_box
from pgmstudio.gui.widgets.param_form import ParamForm

HOW = (
    (FRACTION, "Fraction", "A random fraction of the rows is held out."),
    (SPLIT, "Split", "The split of the data set."),
    (SETS, "Data sets", "Separate data sets for test and validation."),
)


class RowFields(QWidget):
    """`choice()` is what was chosen; None without data."""

    changed = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self.data = chooser("planData", "Data set to learn from.")
        self.how = Segments(HOW, "planHow")
        self.test_fraction = decimal_box(
            "planTestFraction",
            "Rows for the test, percent",
            "Fraction of rows held out for testing.",
            1,
            90,
            10,
            decimals=1,
            suffix=" %",
        )
        tip = "The same seed holds out the same rows."
        self.seed = whole_box("planSplitSeed", "Seed of the split", tip, 0, 2**31 - 1)
        self.parts = label("", "secondary", size="dense", wrap=True, name="planParts")
        self.test = chooser("planTest", "The data set to test on.")
        self.valid = chooser("planValid", "A data set for validation, if there is one.")
        self.complete = QCheckBox("Only complete rows")
        self.complete.setObjectName("planComplete")
        self.complete.setToolTip("Exclude rows with missing cells.")
        self.complete.setAccessibleName("Only complete rows")
        self.reference = chooser("planReference", "The true model of synthetic data, if known.")
        self._form = form_of(
            ("Data", self.data),
            ("Test rows", self.how),
            ("Test fraction", self.test_fraction),
            ("Seed", self.seed),
            ("Parts", self.parts),
            ("Test on", self.test),
            ("Validation", self.valid),
            ("", self.complete),
            ("True model", self.reference),
            parent=self,
        )
        self._form.setContentsMargins(0, 0, 0, 0)
        self.data.currentIndexChanged.connect(self._on_data)
        self.how.chosen.connect(self._on_how)
        for combo in (self.test, self.valid, self.reference):
            combo.currentIndexChanged.connect(self._on_changed)
        self.test_fraction.valueChanged.connect(self._on_changed)
        self.seed.valueChanged.connect(self._on_changed)
        self.complete.clicked.connect(self._on_changed)
        self.refresh_data()

    # -- what is chosen

    @property
    def data_id(self) -> str | None:
        current = self.data.currentData()
        return None if current is None else str(current)

    @property
    def entry(self) -> DataEntry | None:
        return self._app.project.data.get(self.data_id or "")

    def choice(self) -> RowChoice | None:
        """The rows as chosen."""
        entry, how = self.entry, self.how.current
        if self.data_id is None or entry is None:
            return None
        options = RowChoice(
            self.data_id,
            how,
            test_share=self.test_fraction.value() / 100,
            split_seed=self.seed.value(),
            complete=self.complete.isChecked(),
            reference=self.reference.currentData(),
        )
        if how == SPLIT and entry.split is not None:
            train, test, valid = _roles(entry.split)
            return RowChoice(**{**vars(options), "train": train, "test": test, "valid": valid})
        if how == SETS:
            sets = {"test": self.test.currentData(), "valid": self.valid.currentData()}
            return RowChoice(**{**vars(options), **sets})
        return options

    def disabled_reason(self) -> str | None:
        """What is missing; None when there are rows."""
        if self.entry is None:
            return "There is no data set. Import one first, or generate some in the Data menu."
        if self.how.current == SETS and self.test.currentData() is None:
            return "No other data set has the same columns and states. Hold out a fraction instead."
        return None

    def fill(self, choice: RowChoice) -> None:
        """As a plan has it."""
        self.choose_data(choice.data_id)
        self.how.choose(choice.how)
        self.test_fraction.setValue(100 * choice.test_share)
        self.seed.setValue(choice.split_seed)
        self.complete.setChecked(choice.complete)
        self._on_how()
        if choice.how == SETS:
            self.test.setCurrentIndex(max(0, self.test.findData(choice.test)))
            self.valid.setCurrentIndex(max(0, self.valid.findData(choice.valid)))
        self.reference.setCurrentIndex(max(0, self.reference.findData(choice.reference)))

    def choose_data(self, data_id: str | None) -> None:
        index = self.data.findData(data_id)
        if index >= 0:
            self.data.setCurrentIndex(index)

    # -- what there is

    def refresh_data(self) -> None:
        """The data sets and models there are now; what was chosen stays chosen."""
        offer(
            self.data, {key: entry.name for key, entry in rows_in_memory(self._app.project).items()}
        )
        self._on_data()

    def _on_data(self) -> None:
        entry = self.entry
        has_split = entry is not None and entry.split is not None and entry.split.is_for(entry.data)
        known = [(FRACTION, True), (SPLIT, has_split), (SETS, self._others() != [])]
        self.how.show_only([key for key, there in known if there])
        self._form.setRowVisible(self.how, sum(there for _, there in known) > 1)
        if has_split:
            self.how.choose(SPLIT)
        elif self.how.current not in [key for key, there in known if there]:
            self.how.choose(FRACTION)
        if entry is not None and entry.split is not None and has_split:
            self.parts.setText(_parts_text(entry.split))
        others = {key: self._app.project.data[key].name for key in self._others()}
        offer(self.test, others)
        offer(self.valid, {None: "none", **others})
        names = set() if entry is None else set(entry.data.domain.names)
        models = self._app.project.models.items()
        fitting = {k: e.title for k, e in models if names and set(e.model.domain.names) == names}
        offer(self.reference, {None: "not known", **fitting})
        self._on_how()

    def _others(self) -> list[str]:
        entry = self.entry
        if entry is None:
            return []
        return [
            key
            for key, other in self._app.project.data.items()
            if key != self.data_id and other.data.domain == entry.data.domain
        ]

    def _on_how(self, *_: object) -> None:
        how = self.how.current
        for widget, shown in (
            (self.test_fraction, how == FRACTION),
            (self.seed, how == FRACTION),
            (self.parts, how == SPLIT),
            (self.test, how == SETS),
            (self.valid, how == SETS),
            (self.reference, self.reference.count() > 1),
        ):
            self._form.setRowVisible(widget, shown)
        entry = self.entry
        missing = entry is not None and entry.data.has_missing
        self._form.setRowVisible(self.complete, missing)
        self._on_changed()

    def _on_changed(self, *_: object) -> None:
        self.changed.emit()


def _roles(split: Split) -> tuple[str, str, str | None]:
    """The parts for training, test and validation, by name and else by position."""
    names = list(split.names)

    def like(*starts: str) -> str | None:
        return next((n for n in names if n.lower().startswith(starts)), None)

    train = like("train", "learn") or names[0]
    test = like("test", "held") or next(n for n in reversed(names) if n != train)
    rest = [name for name in names if name not in (train, test)]
    return train, test, rest[0] if rest else None


def _parts_text(split: Split) -> str:
    sizes = zip(split.names, split.sizes, strict=True)
    return " · ".join(f"{name} {grouped(size)}" for name, size in sizes)


EXECUTORS = (
    ("here", "This computer", "In separate processes on this computer."),
    ("cluster", "Dask cluster", "On the workers of a Dask scheduler."),
)


class PlanSheet(QWidget):
    """Texts and numbers that hold for all learners of a plan."""

    changed = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.problems: dict[str, str] = {}
        self.rows = RowFields(app)
        self.rows.changed.connect(self._on_changed)
        self.name = self._line("planName", "SL-curves", "Name of the curves.")
        self.lambdas = self._line(
            "planLambdas",
            "about twenty, with AIC and BIC",
            "Size penalties λ between 0 and 1, separated by commas; each gives a model.",
        )
        self.seeds = self._line(
            "planSeeds", "0", "Every run is made with each of them; 0…4 are five. Bars show spread."
        )
        self.limit = whole_box(
            "planLimit",
            "Time limit for each run, seconds",
            "A run that takes longer returns its models so far.",
            0,
            1_000_000,
            suffix=" s",
            lowest_text="none",
        )
        self.limit.valueChanged.connect(self._on_changed)
        self.ask = QCheckBox("Ask random queries")
        self.ask.setObjectName("planQueries")
        self.ask.setAccessibleName("Ask random queries")
        self.ask.setToolTip("Measure accuracy and time of inference in every model.")
        self.ask.clicked.connect(self._on_ask)
        self.queries = ParamForm(QueryPlan)
        self.queries.changed.connect(self._on_changed)
        self.queries.hide()
        self.executor = Segments(EXECUTORS, "planExecutor")
        self.executor.chosen.connect(self._on_executor)
        cores, tip = f"all {core_count()} cores", "Number of runs in parallel."
        self.processes = whole_box("planProcesses", "Processes", tip, 0, 256, lowest_text=cores)
        self.processes.valueChanged.connect(self._on_changed)
        self.address = self._line(
            "planAddress", "tcp://HOST:8786", "Address printed by “dask scheduler”."
        )
        self._marked = {
            name: (field, error_line())
            for name, field in (("λ", self.lambdas), ("seeds", self.seeds), ("", self.address))
        }
        self._folder: Path | None = None
        self.folder = named(ElidedLabel(), "planFolder")
        self._choose = button(
            "Choose…",
            self._on_choose,
            name="planChoose",
            tip="Another folder for the points and their models.",
        )
        self._lay_out()
        self._mark()
        self._on_executor()

    def _line(self, name: str, empty: str, tip: str) -> QLineEdit:
        field = named(QLineEdit(), name)
        field.setPlaceholderText(empty)
        field.setToolTip(tip)
        field.setAccessibleName(tip)
        field.textChanged.connect(self._on_changed)
        return field

    def _lay_out(self) -> None:
        self.setMinimumWidth(theme().px("right_min"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 20, 8, 16)
        layout.setSpacing(10)
        rows = Section("Rows", line=False)
        rows.add(self.rows)
        runs = Section("All runs")
        self._runs = form_of(
            ("Name", self.name),
            ("λ", self.lambdas),
            ("", self._marked["λ"][1]),
            ("Seeds", self.seeds),
            ("", self._marked["seeds"][1]),
            ("Time limit", self.limit),
        )
        runs.add(self._runs)
        asked = Section("Inference")
        asked.add(self.ask)
        asked.add(self.queries)
        location = Section("Where it runs")
        location.add(self.executor)
        self._executor_form = form_of(
            ("Processes", self.processes), ("Scheduler", self.address), ("", self._marked[""][1])
        )
        location.add(self._executor_form)
        self._keeping = Section("Folder of the points")
        self._keeping.add(wide_first(row(self.folder, self._choose)))
        for section in (rows, runs, asked, location, self._keeping):
            layout.addWidget(section)
        layout.addStretch(1)

    # -- what stands there

    def show_folder(self, folder: Path | None, *, can_change: bool) -> None:
        """Where points go; of a plan that has some it cannot be changed."""
        self._folder = folder
        self.folder.setText("" if folder is None else str(folder))
        self.folder.setToolTip("" if folder is None else str(folder))
        self._choose.setEnabled(can_change)

    @property
    def chosen_folder(self) -> Path | None:
        return self._folder

    @property
    def cluster(self) -> str:
        return self.address.text().strip() if self.executor.current == "cluster" else ""

    def options(self) -> dict[str, Any]:
        """The plan without its learners; errors are collected in `problems`."""
        self.problems = {}
        lambdas = self._numbers("λ", self.lambdas, whole=False)
        if not all(0 < value < 1 for value in lambdas):
            self.problems["λ"] = "must all lie between 0 and 1"
        seeds = self._numbers("seeds", self.seeds, whole=True) or (0,)
        queries = self.queries.params() if self.ask.isChecked() else None
        if self.ask.isChecked() and queries is None:
            self.problems["queries"] = "a number is wrong"
        elif queries is not None and self.rows.entry is not None:
            columns = len(self.rows.entry.data.domain)
            if queries.targets + queries.given > columns:
                self.problems["queries"] = f"ask about more columns than the {columns} there are"
        if self.executor.current == "cluster":
            wrong = address_problem(self.address.text())
            if wrong is not None:
                self.problems[""] = wrong
        self._mark()
        return {
            "title": self.name.text().strip(),
            "lambdas": lambdas,
            "seeds": tuple(dict.fromkeys(seeds)),
            "time_limit": float(self.limit.value()) or None,
            "queries": queries,
        }

    def _mark(self) -> None:
        """Show the error of each field under it."""
        for name, (field, error) in self._marked.items():
            form = self._runs if name else self._executor_form
            form.setRowVisible(error, name in self.problems)
            mark_field(field, error, self.problems.get(name, ""))

    def _numbers(self, name: str, field: QLineEdit, *, whole: bool) -> tuple[Any, ...]:
        try:
            return parsed_numbers(field.text(), whole)
        except ValueError as wrong:
            self.problems[name] = str(wrong)
            return ()

    def fill(self, setup: CurveSetup) -> None:
        """As a plan has it."""
        plan: Plan = setup.plan
        if setup.rows is not None:
            self.rows.fill(setup.rows)
        self.name.setText(plan.title)
        self.lambdas.setText(values_text(plan.lambdas))
        self.seeds.setText(values_text(plan.seeds))
        self.limit.setValue(round(plan.time_limit or 0))
        self.ask.setChecked(plan.queries is not None)
        if plan.queries is not None:
            self.queries.set_params(plan.queries)
        self.processes.setValue(setup.processes or 0)
        self.executor.choose("cluster" if setup.cluster else "here")
        self.address.setText(setup.cluster)
        self._on_ask()
        self._on_executor()

    # -- reactions

    def _on_ask(self) -> None:
        self.queries.setVisible(self.ask.isChecked())
        self._on_changed()

    def _on_executor(self, *_: object) -> None:
        is_cluster = self.executor.current == "cluster"
        self._executor_form.setRowVisible(self.processes, not is_cluster)
        self._executor_form.setRowVisible(self.address, is_cluster)
        self._on_changed()

    def _on_choose(self) -> None:
        folder = choose_folder(self, "experiment", "A folder for the points")
        if folder is not None:
            self.show_folder(folder, can_change=True)
            self._on_changed()

    def _on_changed(self, *_: object) -> None:
        self.changed.emit()
