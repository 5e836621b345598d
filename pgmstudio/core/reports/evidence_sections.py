"""Sections of a report about evidence: scenarios side by side, explanations, sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from pgmstudio.core.analysis.belief_query import Answer, Beliefs, answer, become
from pgmstudio.core.analysis.sensitivity import ParameterSensitivity, Span, sensitivity_of
from pgmstudio.core.analysis.value_of_information import value_of_evidence
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.inference.base import (
    ExplainingSession,
    Finding,
    InferenceSession,
    Scale,
    scaling_note,
)
from pgmstudio.core.inference.belief_text import belief_text, state_text
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import language_of, no_likelihood_reason
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import count_of, decimal, percent
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.core.project.scenarios import LETTERS, Outcome, Scenario, cases_for, evaluate
from pgmstudio.core.reports.html import Content, Markup, details, facts, joined, table, tag

MAX_SIZE = 5_000_000  # effective size of models that are queried for a report
MAX_VARIABLES = 60  # in a table of scenarios, those that differ most
MAX_OPEN = 30  # longer lists of states are collapsed at first
MAX_ENTRIES = 10  # of tables and variables in lists of sensitivity
Evidence = Mapping[str, Finding]


def scenarios_by_model(project: Project) -> dict[str, dict[str, Evidence]]:
    """The evidence scenarios of each model; one for any model is with the first that fits."""
    result: dict[str, dict[str, Evidence]] = {}
    taken: set[str] = set()
    for model_id in project.models:
        own = {n: e for n, e in cases_for(project, model_id).items() if n not in taken}
        if own:
            result[model_id] = own
            taken.update(own)
    return result


def scenarios_part(project: Project) -> Iterator[Markup]:
    """The beliefs of every model in its scenarios, four of them side by side."""
    shown: set[str] = set()
    for model_id, cases in scenarios_by_model(project).items():
        entry = project.models[model_id]
        shown.update(cases)
        yield tag("h3", entry.title)
        named = list(cases.items())
        for start in range(0, len(named), len(LETTERS)):
            group = named[start : start + len(LETTERS)]
            yield _guarded(entry.model, partial(_beliefs, entry, group))
    for name, case in project.evidence_cases.items():
        if name not in shown:  # no model has these variables
            yield tag("h3", name)
            yield facts((variable, str(finding)) for variable, finding in case.evidence.items())


def explanation_part(project: Project) -> Iterator[Markup]:
    """The most probable joint state of every model, without evidence and in its scenarios."""
    cases = scenarios_by_model(project)
    for model_id, entry in project.models.items():
        if language_of(entry.model).scale is not Scale.PROBABILITY:
            continue
        own: dict[str, Evidence] = {"No evidence": {}, **cases.get(model_id, {})}
        yield tag("h3", entry.title)
        yield _guarded(entry.model, partial(_explanations, entry, own))


def sensitivity_part(project: Project, target: str, state: str) -> Iterator[Markup]:
    """What the belief in a state depends on: CPT entries, and what else could be observed."""
    cases = scenarios_by_model(project)
    for model_id, entry in project.models.items():
        model = entry.model
        if target not in model.domain or state not in model.domain[target].states:
            continue
        if no_likelihood_reason(model.kind):
            continue
        own: dict[str, Evidence] = {"No evidence": {}, **cases.get(model_id, {})}
        for name, evidence in own.items():
            if target not in evidence:
                yield tag("h3", f"{entry.title}: {name}")
                yield _guarded(model, partial(_sensitivity, model, evidence, target, state))


def _guarded(model: Model, make: Callable[[InferenceSession], Markup]) -> Markup:
    """A part that asks a session of the model; a message where that is not possible."""
    if model.effective_size() > MAX_SIZE:
        return tag("p", "The model is too large to compute beliefs for a report.", class_="quiet")
    try:
        return make(open_session(model))
    except PgmStudioError as problem:
        return tag("p", str(problem), class_="quiet")


# -- scenarios


def _beliefs(
    entry: ModelEntry, cases: Sequence[tuple[str, Evidence]], session: InferenceSession
) -> Markup:
    model = entry.model
    scale = language_of(model).scale
    first = answer(session, model.domain, {}, {}, False)
    prior = _shown_beliefs(first.beliefs, first.log2_evidence, scale)
    scenarios = [Scenario(a, *case) for a, case in zip(LETTERS, cases, strict=False)]
    outcomes = evaluate(model.domain, scenarios, session, NEVER)
    known = [_shown_beliefs(o.beliefs, o.log2_evidence, scale) for o in outcomes if o.beliefs]
    names = sorted(model.domain.names, key=lambda name: -_difference(name, [prior, *known]))
    rows: list[tuple[Content, ...]] = []
    for name in names[:MAX_VARIABLES]:
        for index, state in enumerate(model.domain[name].states):
            cells = [_cell(beliefs, name, index, scale) for beliefs in (prior, *known)]
            title = entry.node_titles.get(name, name)
            rows.append((title if index == 0 else "", state, *cells))
    letters = [o.scenario.letter for o in outcomes if o.beliefs]
    head = ("Variable", "State", "Prior", *letters)
    parts: list[Content] = [facts(_scenario_facts(outcome, scale) for outcome in outcomes)]
    unit = " in percent" if scale is Scale.PROBABILITY else ""
    caption = f"Beliefs{unit}; variables with the largest differences first"
    parts.append(table(head, rows, "<<" + ">" * (1 + len(letters)), caption))
    if len(names) > MAX_VARIABLES:
        left = count_of(len(names) - MAX_VARIABLES, "variable")
        parts.append(tag("p", f"{left} that differ less are left out.", class_="quiet"))
    return joined(parts)


def _scenario_facts(outcome: Outcome, scale: Scale) -> tuple[str, Content]:
    scenario = outcome.scenario
    findings = ", ".join(f"{name} {finding}" for name, finding in scenario.evidence.items())
    text = scenario.name if scenario.name == findings else f"{scenario.name}: {findings}"
    if outcome.problem:
        return scenario.letter, f"{text}. {outcome.problem}"
    note = scaling_note(scenario.evidence)
    degree = "P(e)" if scale is Scale.PROBABILITY else "Degree of possibility"
    return scenario.letter, f"{text}. {degree} {2**outcome.log2_evidence:.4g}. {note}".rstrip()


def _shown_beliefs(beliefs: Beliefs, log2_evidence: float, scale: Scale) -> Beliefs:
    """Degrees are shown as they are, not scaled to a largest of 1."""
    if scale is not Scale.POSSIBILITY:
        return beliefs
    return {name: values * 2.0**log2_evidence for name, values in beliefs.items()}


def _difference(name: str, columns: Sequence[Beliefs]) -> float:
    values = np.array([column[name] for column in columns])
    return float(np.max(values.max(axis=0) - values.min(axis=0)))


def _cell(beliefs: Beliefs, name: str, index: int, scale: Scale) -> str:
    if scale is Scale.PROBABILITY:
        return belief_text(float(beliefs[name][index]), scale)
    return state_text(beliefs[name].tolist(), index, scale)


# -- explanations


def _explanations(
    entry: ModelEntry, cases: Mapping[str, Evidence], session: InferenceSession
) -> Markup:
    if not isinstance(session, ExplainingSession):
        return tag("p", "This language has no most probable explanation.", class_="quiet")
    domain = entry.model.domain
    results: dict[str, Answer] = {}
    for name, evidence in cases.items():
        become(session, evidence)
        results[name] = answer(session, domain, evidence, {}, True)
    rows: list[tuple[Content, ...]] = [
        ("Probability", *(_probability(result) for result in results.values()))
    ]
    for name in domain.names:
        states = [
            tag("strong", state) if name in result.evidence else state
            for result in results.values()
            if (state := result.most_probable[name])
        ]
        rows.append((entry.node_titles.get(name, name), *states))
    made = table(("Variable", *results), rows, "<" * (1 + len(results)), "Observed states are bold")
    return made if len(domain) <= MAX_OPEN else details(count_of(len(domain), "variable"), made)


def _probability(result: Answer) -> str:
    """Given the evidence, as in the window."""
    return f"{2 ** ((result.log2_most_probable or 0.0) - result.log2_evidence):.4g}"


# -- sensitivity


def _sensitivity(
    model: Model, evidence: Evidence, target: str, state: str, session: InferenceSession
) -> Markup:
    become(session, evidence)
    value = value_of_evidence(session, model.domain, target)
    belief = float(value.belief[model.domain[target].code(state)])
    parts: list[Content] = [tag("p", f"P({target} = {state}) is {percent(belief)} %.")]
    network = as_network(model)
    if network is not None:
        swings = sensitivity_of(network, evidence, target, state).swings(Span.TENTH)
        caption = "CPT entries that change it most when they vary by ±10 %; beliefs in percent"
        head = ("CPT entry", "Value", "Belief at −10 %", "Belief at +10 %", "Range")
        lines = [_swing(swing) for swing in swings[:MAX_ENTRIES]]
        parts.append(table(head, lines, "<>>>>", caption))
    worths = [
        (worth.variable, decimal(worth.bits, 4), f"{percent(value.entropy_fraction(worth))} %")
        for worth in value.worths[:MAX_ENTRIES]
    ]
    caption = f"Value of information; the entropy of {target} is {decimal(value.entropy)} bits"
    parts.append(table(("Variable", "Bits", "Of the entropy"), worths, "<>>", caption))
    return joined(parts)


def _swing(swing: ParameterSensitivity) -> tuple[Content, ...]:
    beliefs = (swing.belief_at_low, swing.belief_at_high)
    return (
        swing.label,
        decimal(swing.value, 4),
        *(percent(belief) for belief in beliefs),
        percent(swing.width),
    )
