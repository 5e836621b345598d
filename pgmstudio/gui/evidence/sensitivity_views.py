"""The three views of the sensitivity page: each a chart, a table, and details for every row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.analysis.evidence_impact import trace_findings
from pgmstudio.core.analysis.sensitivity import ParameterSensitivity, Span, sensitivity_of
from pgmstudio.core.analysis.tables import Cell, swing_table, trace_table, worth_table
from pgmstudio.core.analysis.value_of_information import value_of_evidence
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Done, Finding, InferenceSession
from pgmstudio.core.inference.findings import finding_words
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import percent, signed
from pgmstudio.gui.plots.function_plot import Curve
from pgmstudio.gui.plots.tornado_plot import Tornado, TornadoRow

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
        title = f"{query.title(trace.variable)} {finding_words(trace.finding)}"
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
    "numbers": (
        "CPT entries",
        "Which CPT entries the target depends on",
        which_numbers_matter,
    ),
}
