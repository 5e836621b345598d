"""The inspector beside the run sheet: what the run will cost, and what earlier ones did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.inference.forecasts import in_units
from pgmstudio.core.learning.protocols import Learner
from pgmstudio.core.learning.run_forecast import forecast_run, time_words
from pgmstudio.core.project.project import Run
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.panels.fact_rows import Fact, FactRows
from pgmstudio.gui.panels.inspector_head import InspectorHead, lay_under
from pgmstudio.gui.style.icons import language_icon
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.widgets import Section, label

# Earlier runs told of, the newest first.
MOST_RUNS = 4


@dataclass(frozen=True, eq=False)
class RunPlan:
    """What would run if it were started now; `params` is None while a setting is wrong."""

    learner: Learner[object]
    params: object | None
    data_id: str
    data_name: str
    part: str | None  # of the split
    rows: DataSet


class PlanInspector(QWidget):
    """Follows what is chosen on the run sheet."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setObjectName("planInspector")
        self._shell = shell
        self._head = InspectorHead("inspectorPlan")
        self.forecast = FactRows("inspectorPlanForecast")
        expected = Section("Forecast", "rough", line=False)
        expected.add(self.forecast)
        self.before = FactRows("inspectorPlanBefore")
        self._earlier = Section("Earlier runs on these rows")
        self._earlier.add(self.before)
        expected.add(
            label(
                "While it runs, the best model so far can be opened; stopping keeps it.",
                "tertiary",
                size="dense",
                wrap=True,
            )
        )
        lay_under(self._head, (expected, self._earlier), self, "inspectorPlanScroll")

    def show_plan(self, plan: RunPlan) -> None:
        part = f", {plan.part}" if plan.part else ""
        self._head.tell(
            plan.learner.title,
            f"Run sheet · {plan.data_name}{part}",
            sign=language_icon(plan.learner.kind),
        )
        self.forecast.show_facts(forecast_facts(plan))
        earlier = earlier_facts(plan, self._shell.project.runs.values())
        self.before.show_facts(earlier)
        self._earlier.setVisible(bool(earlier))


def forecast_facts(plan: RunPlan) -> list[Fact]:
    """Size of the task, time and memory."""
    rows = plan.rows
    facts: list[Fact] = [
        ("Rows × columns", f"{grouped(rows.row_count)} × {grouped(len(rows.domain))}"),
        ("Complete rows", grouped(rows.row_count - rows.incomplete_row_count)),
        (
            "States",
            f"{grouped(sum(rows.domain.cardinalities))} in all",
            "Of all columns together; tables grow with their products.",
        ),
    ]
    expected = None
    if plan.params is not None:
        expected = forecast_run(plan.learner.key, plan.params, rows)
    if expected is not None:
        facts += [
            (
                "Time",
                time_words(expected.seconds),
                "From times measured on made-up rows of other sizes; a third or three times as "
                "much is no surprise.",
            ),
            ("Memory", f"about {in_units(expected.bytes)}", "Rows, counts and the program."),
        ]
    return facts


def earlier_facts(plan: RunPlan, runs: Iterable[Run]) -> list[Fact]:
    """How long runs on the same data took: those of this learner first, then the newest."""
    same = [run for run in runs if run.data_id == plan.data_id]
    same.reverse()
    same.sort(key=lambda run: run.learner != plan.learner.key)
    return [
        (run.title or run.learner, f"{run.seconds:.3g} s, {run.outcome.value}")
        for run in same[:MOST_RUNS]
    ]
