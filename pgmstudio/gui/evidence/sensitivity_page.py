"""The sensitivity page: value of information, evidence impact and sensitivity to CPT entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFrame, QSizePolicy, QStackedWidget, QWidget

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.analysis.evidence_impact import trace_findings
from pgmstudio.core.analysis.sensitivity import ParameterSensitivity, Span, sensitivity_of
from pgmstudio.core.analysis.tables import Cell, swing_table, table_text, trace_table, worth_table
from pgmstudio.core.analysis.value_of_information import value_of_evidence
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Done, Finding, InferenceSession
from pgmstudio.core.inference.findings import finding_text
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, percent, signed
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.query_page import ModelQueryPage
from pgmstudio.gui.plots.function_plot import Curve, FunctionCurve
from pgmstudio.gui.plots.tornado_plot import Tornado, TornadoChart, TornadoRow
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    button,
    hairline,
    hbox,
    label,
    named,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.combo_box import Combo, offer
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.number_help import NumberHelp
from pgmstudio.gui.widgets.table import SelectionMode, Table

REST_MS = 80
MAX_LINES = 5  # lines of details under the chart
_SPANS = (
    (Span.TENTH.name, Span.TENTH.value, "Vary each CPT entry by 10 % of its value"),
    (Span.WHOLE.name, Span.WHOLE.value, "Vary each CPT entry from 0 to 1"),
)


# The number of bars drawn; the table and the file have all rows.
MAX_BARS = 60
# Variables with less information and a smaller effect are shown only in the table.
MIN_BITS, MIN_MOVE = 5e-4, 0.01


@dataclass(frozen=True)
class SensitivityQuery:
    """The model, evidence, target and state of a sensitivity analysis."""

    model: Model
    titles: Mapping[str, str]
    evidence: Mapping[str, Finding]
    target: str
    state: str
    span: Span = Span.TENTH

    def title(self, name: str) -> str:
        return self.titles.get(name, name)

    @property
    def code(self) -> int:
        return self.model.domain[self.target].code(self.state)

    @property
    def event(self) -> str:
        return f"{self.title(self.target)} = {self.state}"


@dataclass(frozen=True)
class Detail:
    """The details of one row: a heading, lines, a curve, and its variable."""

    heading: str
    lines: tuple[str, ...]
    variable: str
    curve: Curve | None = None


@dataclass(frozen=True, eq=False)
class SensitivityAnswer:
    """The result of one view."""

    query: SensitivityQuery
    summary: str  # a sentence that explains the chart
    tornado: Tornado
    cells: list[list[Cell]]
    details: Mapping[str, Detail] = field(default_factory=dict)


def what_to_ask(
    query: SensitivityQuery, session: InferenceSession, cancel: CancelToken
) -> SensitivityAnswer:
    """The value of information of every unobserved variable, the largest first."""
    become(session, query.evidence)
    result = value_of_evidence(session, query.model.domain, query.target, cancel)
    rows, details = [], {}
    for worth in result.worths[:MAX_BARS]:
        (low_state, low), (high_state, high) = worth.extremes(query.code)
        if worth.bits < MIN_BITS and high - low < MIN_MOVE:
            continue
        title, fraction = query.title(worth.variable), 100 * result.entropy_fraction(worth)
        fact = f"{worth.bits:.3f}  {fraction:.1f} %"
        rows.append(TornadoRow(worth.variable, title, fact, low, high, low_state, high_state))
        lines = [
            f"{title} = {state} ({percent(chance)} %) makes {query.event} {percent(belief)} %."
            for state, chance, belief in worth.outcomes(query.code)
        ]
        heading = f"Observing {title}: {worth.bits:.4f} bits, {fraction:.1f} % of the entropy"
        details[worth.variable] = Detail(heading, tuple(lines), worth.variable)
    belief = float(result.belief[query.code])
    summary = (
        f"Expected information of each observation about {query.title(query.target)}, in bits of "
        f"its {result.entropy:.3f} bits of entropy, and the range of the belief in "
        f"{query.event}."
        if rows
        else f"No unobserved variable has information about {query.title(query.target)}."
    )
    tornado = Tornado(
        belief,
        tuple(rows),
        "bits, fraction",
        "state that lowers it most",
        "state that raises it most",
        f"now {percent(belief)} %",
    )
    return SensitivityAnswer(query, summary, tornado, worth_table(result, query.code), details)


def what_findings_do(
    query: SensitivityQuery, session: InferenceSession, cancel: CancelToken
) -> SensitivityAnswer:
    """The impact of evidence: the belief without each finding in turn."""
    become(session, query.evidence)
    belief = float(session.belief(query.target).values[query.code])
    traces = trace_findings(session, query.model.domain, query.target, cancel)
    rows, details = [], {}
    for trace in traces.values():
        if trace.target_belief is None or trace.variable == query.target:
            continue
        without = float(trace.target_belief[query.code])
        title = f"{query.title(trace.variable)} {finding_text(trace.finding)}"
        low, high = min(belief, without), max(belief, without)
        fact = f"×{trace.normalised_likelihood:.3g}"
        rows.append(TornadoRow(trace.variable, title, fact, low, high))
        relation = "contradicts" if trace.conflict_bits > 0 else "agrees with"
        lines = (
            f"Without it, {query.event} has {percent(without)} %; with it {percent(belief)} %.",
            f"P({title}) is {trace.alone:.4g}; given the other evidence {trace.given_rest:.4g}, "
            f"{trace.normalised_likelihood:.3g} times as much.",
            f"It {relation} the other evidence: conflict {signed(trace.conflict_bits, 2)} bits.",
        )
        details[trace.variable] = Detail(title, lines, trace.variable)
    rows.sort(key=lambda row: -(row.solid - row.hatched))
    has_done = any(isinstance(finding, Done) for finding in query.evidence.values())
    rest = " Interventions stay in force." if has_done else ""
    summary = (
        f"The belief in {query.event} without each finding in turn. "
        f"× is P(e | the rest) / P(e): below 1 the rest contradicts it.{rest}"
        if rows
        else "There is no evidence yet. Click a state in the model to set it."
    )
    tornado = Tornado(
        belief,
        tuple(rows),
        "× likelihood",
        "lower without it",
        "higher without it",
        f"now {percent(belief)} %",
    )
    return SensitivityAnswer(
        query, summary, tornado, trace_table(traces, query.code, belief), details
    )


def which_numbers_matter(
    query: SensitivityQuery, session: InferenceSession, cancel: CancelToken
) -> SensitivityAnswer:
    """The sensitivity to every CPT entry, varied one at a time."""
    network = as_network(query.model)
    if network is None:
        raise PgmStudioError(
            f"{a_kind(query.model.kind, 'A')} has no conditional probability tables."
        )
    result = sensitivity_of(network, query.evidence, query.target, query.state, cancel)
    rows, details = [], {}
    for swing in result.swings(query.span, MAX_BARS, once_a_row=True):
        title = _swing_text(query, swing)
        rows.append(
            TornadoRow(
                title, title, f"{swing.value:.4g}", swing.belief_at_low, swing.belief_at_high
            )
        )
        lines = (
            swing.formula,
            f"Now θ = {swing.value:.6g}, slope {signed(swing.derivative, 4)}: a rise of 0.01 "
            f"moves {query.event} by about {signed(swing.derivative, 2)} points.",
            f"θ from {swing.low:.4g} to {swing.high:.4g} moves it from "
            f"{percent(swing.belief_at_low)} % to {percent(swing.belief_at_high)} %.",
        )
        text = f"{query.event} for θ from 0 to 1, now {percent(result.probability)} percent"
        curve = Curve(swing.belief_at, swing.value, swing.low, swing.high, text)
        details[title] = Detail(f"θ = {title}", lines, swing.variable, curve)
    how = "by ±10 % of itself" if query.span is Span.TENTH else "from 0 to 1"
    summary = (
        f"The change of {query.event} when one CPT entry is varied {how}, the rest of its "
        "row keeping its proportions. Left of the line it becomes less probable, right of it more. "
        "For each row of a CPT the entry with the largest effect is drawn."
        if rows
        else f"No CPT entry changes {query.event}."
    )
    tornado = Tornado(
        result.probability,
        tuple(rows),
        "number",
        "smaller entry",
        "larger entry",
        f"now {percent(result.probability)} %",
    )
    return SensitivityAnswer(
        query, summary, tornado, swing_table(result.swings(query.span)), details
    )


def _swing_text(query: SensitivityQuery, swing: ParameterSensitivity) -> str:
    given = ", ".join(f"{query.title(name)} = {state}" for name, state in swing.context)
    text = f"{query.title(swing.variable)} = {swing.state}"
    return f"{text} | {given}" if given else text


View = Callable[[SensitivityQuery, InferenceSession, CancelToken], SensitivityAnswer]
VIEWS: dict[str, tuple[str, str, View]] = {
    "ask": (
        "Information",
        "Value of information: which observation is most informative about the target",
        what_to_ask,
    ),
    "findings": (
        "Evidence",
        "Evidence impact: the belief in the target without each finding",
        what_findings_do,
    ),
    "numbers": ("CPT entries", "Which CPT entries the target depends on", which_numbers_matter),
}
# The number of each view, and those of the headings of its table that are not titles of numbers.
_NUMBERS = {"ask": "Value of information", "findings": "Evidence impact", "numbers": "Sensitivity"}
EXPLAINED_HEADS = {
    "bits": "Value of information",
    "probability": "Probability (finding)",
    "value": "Value (entry)",
    "low": "Low (entry)",
    "high": "High (entry)",
    "width": "Width (bar)",
    **dict.fromkeys("abcd", "Coefficient"),
}


class SensitivityPage(ModelQueryPage):
    """The sensitivity of the target of one model, computed in the background."""

    icon_name = "crosshair"

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(app, model_id, "sensitivity", REST_MS)
        self._answer: SensitivityAnswer | None = None
        self.target = self._choice("sensitivityTarget", "Target", "The target variable.")
        self.state = self._choice("sensitivityState", "State", "The state of the target.")
        self.target.activated.connect(self._on_target_chosen)
        self.state.activated.connect(self._ask)
        tabs = [(key, title, tip) for key, (title, tip, _) in VIEWS.items()]
        self.tabs = Segments(tabs, "sensitivityTabs")
        self.tabs.chosen.connect(self._on_tab)
        self.spans = Segments(_SPANS, "sensitivitySpans")
        self.spans.chosen.connect(self._ask)
        self.as_table = button(
            "Show as table",
            self._on_as_table,
            icon_name="table",
            name="sensitivityAsTable",
            tip="Show this view as a table that can be sorted and copied.",
        )
        export = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="sensitivityExport",
            tip="Export this view with full precision.",
        )
        self.note = Note(name="sensitivityNote")
        self.summary = label("", "secondary", size="dense", wrap=True, name="sensitivitySummary")
        self._help = NumberHelp()
        self.chart = TornadoChart("sensitivityChart")
        self.chart.row_selected.connect(self._on_looked_at)
        self.chart.chosen.connect(self._on_chosen)
        self.table = Table(
            "sensitivityTable",
            "All numbers of this view",
            selection=SelectionMode.ExtendedSelection,
            tip="",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.chart)
        self._stack.addWidget(self.table)
        self.card = DetailCard()
        head = row(label("Target", "secondary"), self.target, label("="), self.state, None, export)
        second = row(self.tabs, None, self.spans, self.as_table)
        header = QWidget()
        about = hbox(None, (self.summary, 1), (self._help, 0), spacing=6)
        vbox(header, head, second, self.note, about, margins=(16, 10, 16, 8), spacing=8)
        frame = QFrame()
        frame.setProperty("role", "surface")
        vbox(frame, header, hairline(), (self._stack, 1), self.card, spacing=0)
        vbox(self, scrolled(frame, "sensitivityScroll"))  # where fonts are large
        app.workspace.target_changed.connect(self._on_target_changed)
        self._refill()
        self._on_tab(self.tabs.current)

    def _choice(self, name: str, text: str, tip: str) -> QComboBox:
        made = named(Combo(), name, text, tip)
        made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        made.setMinimumContentsLength(12)
        return made

    # -- the page

    @property
    def answer(self) -> SensitivityAnswer | None:
        """The shown result; None until it is computed."""
        return self._answer

    def show_tab(self, key: str) -> None:
        """Show a view: ask, findings or numbers."""
        self.tabs.choose(key)
        self._on_tab(key)

    # -- target

    def _refill(self) -> None:
        entry = self._entry
        if entry is None:
            return
        wanted, state = self.target.currentData(), self.state.currentText()
        names = entry.model.domain.names
        if wanted not in names:
            wanted = self._app.workspace.target
        if wanted not in names:
            open_ones = [name for name in names if name not in self._live.evidence]
            chosen = [name for name in self._app.workspace.selection.nodes if name in open_ones]
            wanted = next(iter([*chosen, *open_ones, *names]), None)
        offer(self.target, {name: entry.node_titles.get(name, name) for name in names}, wanted)
        self._fill_states(state)
        has_tables = as_network(entry.model) is not None
        self.tabs.show_only([key for key in VIEWS if has_tables or key != "numbers"])
        if not has_tables and self.tabs.current == "numbers":
            self.show_tab("ask")

    def _fill_states(self, wanted: str) -> None:
        entry, name = self._entry, self.target.currentData()
        self.state.clear()
        if entry is not None and name in entry.model.domain:
            self.state.addItems(entry.model.domain[name].states)
            self.state.setCurrentIndex(max(0, self.state.findText(wanted)))

    def _on_target_chosen(self) -> None:
        self._fill_states(self.state.currentText())
        self._app.workspace.set_target(self.target.currentData())
        self._ask()

    def _on_target_changed(self, name: str | None) -> None:
        position = self.target.findData(name)
        if name is not None and position >= 0 and position != self.target.currentIndex():
            self.target.setCurrentIndex(position)
            self._fill_states(self.state.currentText())
            self._rest.start()

    def _on_tab(self, key: str) -> None:
        self._help.show_number(_NUMBERS[key])
        self.spans.setVisible(key == "numbers")
        self.card.has_curve(key == "numbers")
        self._ask()

    def _ask(self, *_: object) -> None:
        entry = self._entry
        if entry is None or self._live.model is not entry.model:
            return
        if self._live.error is not None or not self.state.count():
            self._show_problem(str(self._live.error or "This model has no variable."))
            return
        name, state = str(self.target.currentData()), self.state.currentText()
        span = Span[self.spans.current]
        query = SensitivityQuery(
            entry.model, entry.node_titles, self._live.evidence, name, state, span
        )
        view = VIEWS[self.tabs.current][2]
        self._live.side.ask(self._topic, partial(view, query), self._on_answer, self._on_error)

    def _on_error(self, error: PgmStudioError) -> None:
        self._show_problem(str(error))

    def _show_problem(self, message: str) -> None:
        self.note.show_text(message, "warning")
        self._answer = None
        self.summary.setText("")
        self.chart.show_tornado(Tornado())
        self.table.show_columns([])
        self.card.show_detail(None)

    # -- showing

    def _on_answer(self, result: SensitivityAnswer) -> None:
        self._answer = result
        self.note.show_text("")
        self.summary.setText(result.summary)
        self.chart.show_tornado(result.tornado)
        self.table.show_cells(result.cells, EXPLAINED_HEADS)
        self._on_looked_at(self.chart.current or "")

    def _on_looked_at(self, key: str) -> None:
        self.card.show_detail(None if self._answer is None else self._answer.details.get(key))

    def _on_chosen(self, key: str) -> None:
        result = self._answer
        if result is not None and key in result.details:
            self._on_looked_at(key)
            self._app.workspace.select((result.details[key].variable,))

    def _on_as_table(self) -> None:
        to_table = self._stack.currentWidget() is self.chart
        self._stack.setCurrentWidget(self.table if to_table else self.chart)
        self.as_table.setText("Show as chart" if to_table else "Show as table")
        self.card.setVisible(not to_table)

    # -- export

    def _on_export(self) -> None:
        if self._answer is None:
            return
        name = f"{self.target.currentData()}-{self.tabs.current}.csv"
        ask_where(self, "Export sensitivity", name, "CSV (*.csv);;TSV (*.tsv)", self.export)

    def export(self, path: Path) -> None:
        """Write all numbers of the view; tabs for .tsv, commas otherwise."""
        if self._answer is None:
            return
        text = table_text(self._answer.cells, "\t" if path.suffix == ".tsv" else ",")
        rows = counted(len(self._answer.cells) - 1, "row")
        self._app.export_file(path, text, f"{path.name} was written with {rows}.")


class DetailCard(QFrame):
    """The details of the chosen row: text and curve."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sensitivityCard")
        self.heading = label("", "heading", size="dense", wrap=True, name="sensitivityHeading")
        self.lines = label("", "secondary", size="dense", wrap=True, name="sensitivityLines")
        self.curve = FunctionCurve("sensitivityCurve")
        column = vbox(None, self.heading, self.lines, None, spacing=4)
        inside = hbox(None, (column, 3), (self.curve, 2), margins=(16, 10, 16, 10), spacing=16)
        vbox(self, hairline(), inside, spacing=0)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self.setFixedHeight(round(152 * theme().scale))

    def has_curve(self, has: bool) -> None:
        self.curve.setVisible(has)

    def show_detail(self, result: Detail | None) -> None:
        self.heading.setText("" if result is None else result.heading)
        lines = [] if result is None else list(result.lines)
        if len(lines) > MAX_LINES:
            lines[MAX_LINES - 1 :] = [f"and {len(lines) - MAX_LINES + 1} more states"]
        self.lines.setText("\n".join(lines))
        self.curve.show_curve(None if result is None else result.curve)
