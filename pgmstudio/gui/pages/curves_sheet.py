"""The sheet of a plan: its rows, what all runs have in common, queries, and where it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.experiments.empirical import QueryPlan
from pgmstudio.core.experiments.plans.cluster import address_problem
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.process_pools import core_count
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.dialogs.param_form import ParamForm
from pgmstudio.gui.pages.curves_grid import error_line, mark_field, parsed_numbers, values_text
from pgmstudio.gui.pages.curves_rows import RowFields
from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import Section, Segments, button, form_of, row
from pgmstudio.gui.workers.curve_setup import CurveSetup

PLACES = (
    ("here", "This computer", "In processes of their own; the window is never felt."),
    ("cluster", "Dask cluster", "On the workers of a scheduler: rows are sent, models come back."),
)


class PlanSheet(QWidget):
    """Texts and numbers that hold for all learners of a plan."""

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.problems: dict[str, str] = {}
        self.rows = RowFields(shell)
        self.rows.changed.connect(self._on_changed)
        self.name = self._line("planName", "SL-curves", "How the curves are called.")
        self.lambdas = self._line(
            "planLambdas",
            "about twenty, with AIC and BIC",
            "Penalties for size between 0 and 1, parted by commas; each gives a model.",
        )
        self.seeds = self._line(
            "planSeeds", "0", "Every run is made with each of them; 0…4 are five. Bars show spread."
        )
        self.limit = QSpinBox()
        self.limit.setObjectName("planLimit")
        self.limit.setRange(0, 1_000_000)
        self.limit.setSpecialValueText("none")
        self.limit.setSuffix(" s")
        self.limit.setAccessibleName("Time limit for each run, seconds")
        self.limit.setToolTip("A run that takes longer gives the models it has by then.")
        self.limit.valueChanged.connect(self._on_changed)
        self.ask = QCheckBox("Ask random queries")
        self.ask.setObjectName("planQueries")
        self.ask.setAccessibleName("Ask random queries")
        self.ask.setToolTip("Measure how well and how fast every model answers.")
        self.ask.clicked.connect(self._on_ask)
        self.queries = ParamForm(QueryPlan)
        self.queries.changed.connect(self._on_changed)
        self.queries.hide()
        self.place = Segments(PLACES, "planPlace")
        self.place.chosen.connect(self._on_place)
        self.processes = QSpinBox()
        self.processes.setObjectName("planProcesses")
        self.processes.setRange(0, 256)
        self.processes.setSpecialValueText(f"all {core_count()} cores")
        self.processes.setAccessibleName("Processes")
        self.processes.setToolTip("How many runs are made at once.")
        self.processes.valueChanged.connect(self._on_changed)
        self.address = self._line(
            "planAddress", "tcp://HOST:8786", "The address that “dask scheduler” tells."
        )
        self._marked = {
            name: (field, error_line())
            for name, field in (("λ", self.lambdas), ("seeds", self.seeds), ("", self.address))
        }
        self._folder: Path | None = None
        self.folder = ElidedLabel()
        self.folder.setObjectName("planFolder")
        self._choose = button(
            "Choose…",
            self._on_choose,
            name="planChoose",
            tip="Another folder for the points and their models.",
        )
        self._lay_out()
        self._mark()
        self._on_place()

    def _line(self, name: str, empty: str, tip: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(name)
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
        place = Section("Where it runs")
        place.add(self.place)
        self._places = form_of(
            ("Processes", self.processes),
            ("Scheduler", self.address),
            ("", self._marked[""][1]),
        )
        place.add(self._places)
        kept = row(self.folder, self._choose)
        kept.layout().setStretch(0, 1)  # type: ignore[union-attr]
        self._keeping = Section("Points are kept in")
        self._keeping.add(kept)
        for section in (rows, runs, asked, place, self._keeping):
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
        return self.address.text().strip() if self.place.current == "cluster" else ""

    def told(self) -> dict[str, Any]:
        """What a plan says besides its learners; what is wrong is in `problems`."""
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
        if self.place.current == "cluster":
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
        """Say under each field what is wrong in it."""
        for name, (field, error) in self._marked.items():
            form = self._runs if name else self._places
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
        self.place.choose("cluster" if setup.cluster else "here")
        self.address.setText(setup.cluster)
        self._on_ask()
        self._on_place()

    # -- reactions

    def _on_ask(self) -> None:
        self.queries.setVisible(self.ask.isChecked())
        self._on_changed()

    def _on_place(self, *_: object) -> None:
        is_cluster = self.place.current == "cluster"
        self._places.setRowVisible(self.processes, not is_cluster)
        self._places.setRowVisible(self.address, is_cluster)
        self._on_changed()

    def _on_choose(self) -> None:
        found = QFileDialog.getExistingDirectory(self, "A folder for the points")
        if found:
            self.show_folder(Path(found), can_change=True)
            self._on_changed()

    def _on_changed(self, *_: object) -> None:
        self.changed.emit()
