"""Scenarios: up to four sets of evidence on one model, looked at side by side."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.analysis.belief_query import Beliefs, answer, become
from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, InferenceSession, Scale
from pgmstudio.core.inference.belief_text import necessity_of
from pgmstudio.core.inference.findings import fits
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import Project

LETTERS = "ABCD"
PRESENT = "Present evidence"


@dataclass(frozen=True, eq=False)
class Scenario:
    """One set of evidence under a letter."""

    letter: str
    name: str
    evidence: Mapping[str, Finding]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The beliefs of a scenario; `problem` is the reason why there are none."""

    scenario: Scenario
    beliefs: Beliefs
    log2_evidence: float
    problem: str = ""

    def relative(self) -> Outcome:
        """Degrees divided by that of the evidence."""
        top = 2.0**self.log2_evidence
        return replace(self, beliefs={name: values / top for name, values in self.beliefs.items()})


def cases_for(project: Project, model_id: str) -> dict[str, Mapping[str, Finding]]:
    """The evidence cases that speak of this model, in the order of the project."""
    entry = project.models[model_id]
    result: dict[str, Mapping[str, Finding]] = {}
    for name, case in project.evidence_cases.items():
        if case.model_id in (None, model_id):
            fitting = {v: f for v, f in case.evidence.items() if fits(entry.model, v, f)}
            if fitting:
                result[name] = fitting
    return result


def evaluate(
    domain: Domain,
    scenarios: Sequence[Scenario],
    session: InferenceSession,
    cancel: CancelToken,
) -> tuple[Outcome, ...]:
    """Ask the session for every scenario, one after the other."""
    outcomes = []
    for scenario in scenarios:
        cancel.raise_if_cancelled()
        try:
            become(session, scenario.evidence)
        except PgmStudioError as error:
            outcomes.append(Outcome(scenario, {}, 0.0, str(error)))
            continue
        result = answer(session, domain, scenario.evidence, {}, False)
        outcomes.append(Outcome(scenario, result.beliefs, result.log2_evidence))
    return tuple(outcomes)


def scenario_table(
    model: Model,
    priors: Beliefs,
    outcomes: Sequence[Outcome],
    names: Sequence[str],
    separator: str = "\t",
) -> str:
    """One line per state: variable, state, prior, then each scenario, to all digits; degrees of
    possibility are followed by those of necessity."""
    heads = ["prior", *(f"{o.scenario.letter}: {o.scenario.name}" for o in outcomes)]
    columns = [priors, *(outcome.beliefs for outcome in outcomes)]
    if language_of(model).scale is Scale.POSSIBILITY:
        heads += [f"necessity, {head}" for head in heads]
        columns += [
            {
                name: np.array(necessity_of(values.tolist()), dtype=np.float64)
                for name, values in beliefs.items()
            }
            for beliefs in columns
        ]
    rows = [["variable", "state", *heads]]
    for name in names:
        for index, state in enumerate(model.domain[name].states):
            cells = [repr(float(b[name][index])) if name in b else "" for b in columns]
            rows.append([name, state, *cells])
    return csv_text(rows, separator)


def name_for(
    evidence: Mapping[str, Finding], titles: Mapping[str, str], taken: Container[str]
) -> str:
    """A name that describes the evidence and is not used yet."""
    findings = [f"{titles.get(name, name)} {finding}" for name, finding in evidence.items()]
    label = ", ".join(findings[:3])
    if len(findings) > 3:
        label += f" and {len(findings) - 3} more"
    label = label if len(label) <= 60 else label[:59] + "…"
    number = 1
    name = label
    while name in taken:
        number += 1
        name = f"{label} ({number})"
    return name
