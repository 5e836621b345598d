"""The page that shows degrees beside the probabilities of the same graph, given the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QFrame

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, Scale
from pgmstudio.core.inference.belief_text import belief_text
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.languages.possibilistic_network.probabilities import (
    StateDegrees,
    compared_degrees,
    same_graph_network,
)
from pgmstudio.core.number_format import counted, percent
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.query_page import ModelQueryPage
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Note, button, label, row, vbox, wide_first
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.table import Column, Table

REST_MS = 60
_degree = partial(belief_text, scale=Scale.POSSIBILITY)


@dataclass(frozen=True, eq=False)
class _Compared:
    network: PossibilisticNetwork
    data: DataSet
    twin: BayesianNetwork
    rows: list[StateDegrees]


def _compare(
    network: PossibilisticNetwork,
    data: DataSet,
    known: BayesianNetwork | None,
    evidence: dict[str, Finding],
    cancel: CancelToken,
) -> _Compared:
    twin = same_graph_network(network, data, cancel) if known is None else known
    return _Compared(network, data, twin, compared_degrees(network, twin, evidence))


class ProbabilityComparisonPage(ModelQueryPage):
    """One row per state; follows the evidence of the model."""

    icon_name = "scales"

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(app, model_id, "degrees-and-probabilities", REST_MS)
        self._heading = "Degrees and probabilities"
        self._result: _Compared | None = None
        self._task = LatestTask(self, self._on_result, self._on_failed)
        self.note = Note(name="comparedNote")
        self.text = label("", "secondary", wrap=True, name="comparedText")
        self.keep = button(
            "Add the Bayesian network",
            self._on_keep,
            icon_name="plus",
            name="comparedKeep",
            tip="Add the Bayesian network of the same graph to the project.",
        )
        self.text.setText("Fitting the Bayesian network of the same graph…")
        self.table = Table(
            "comparedDegrees",
            "Degrees and probabilities",
            (
                Column("Variable", value=lambda line: line.variable),
                Column("State", value=lambda line: line.state, stretches=True),
                Column("Π", _degree, True, value=lambda line: line.possibility),
                Column("N", _degree, True, value=lambda line: line.necessity),
                Column(
                    "",
                    stretches=True,
                    marks=lambda line: CellMarks(bar=Bar(line.possibility, inner=line.necessity)),
                    tip="Possibility, and inside it necessity.",
                ),
                Column(
                    "P, %",
                    lambda value: "–" if value is None else percent(value),
                    True,
                    value=lambda line: line.probability,
                    tip="The probability in the Bayesian network of the same graph.",
                    color=lambda line: None if line.is_consistent else "evidence_ink",
                ),
                Column(
                    "",
                    stretches=True,
                    marks=lambda line: CellMarks(bar=Bar(line.probability, "do")),
                    tip="Probability.",
                ),
            ),
        )
        frame = QFrame()
        frame.setProperty("role", "surface")
        head = wide_first(row(self.text, self.keep))
        vbox(frame, head, self.note, (self.table, 1), margins=(16, 12, 16, 8), spacing=8)
        vbox(self, frame)
        self._ask()

    def closed(self) -> None:
        super().closed()
        self._task.forget()

    def _ask(self) -> None:
        entry = self._entry
        if entry is None or not isinstance(entry.model, PossibilisticNetwork):
            return
        rows = model_sources(self._app).rows_or_why(self._model_id)
        if isinstance(rows, str):
            self.note.show_text(rows, "warning")
            return
        before = self._result
        is_known = before is not None and before.data is rows and before.network is entry.model
        twin = before.twin if is_known and before is not None else None
        self._task.ask(partial(_compare, entry.model, rows, twin, dict(self._live.evidence)))

    def _on_result(self, result: _Compared) -> None:
        self._result = result
        self.note.show_text("")
        self.table.show_rows(result.rows)
        wrong = sum(not line.is_consistent for line in result.rows)
        given = counted(len(self._live.evidence), "finding") if self._live.evidence else "nothing"
        text = f"Given {given}. The Bayesian network has the same graph and rows; sets of states "
        text += "are missing cells for it."
        if wrong:
            text += f" {counted(wrong, 'state')} more probable than possible, relative to Π(e)."
        self.text.setText(text)

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.note.show_text(str(error), "warning")
        else:
            self._app.errors.report(error)

    def _on_keep(self) -> None:
        entry = self._entry
        if self._result is not None and entry is not None:
            made = ModelEntry(
                f"{entry.title}, probabilities", self._result.twin, data_id=entry.data_id
            )
            add_and_show_model(self._app, made, f"Add probabilities of {entry.title}")


def open_comparison(app: AppContext, model_id: str) -> ProbabilityComparisonPage:
    """Open the page of a network and bring it to the front."""
    page = app.open_page(
        f"degrees-and-probabilities:{model_id}", partial(ProbabilityComparisonPage, app, model_id)
    )
    assert isinstance(page, ProbabilityComparisonPage)
    return page
