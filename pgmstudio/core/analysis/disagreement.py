"""The same evidence in several models, and the variables about which they disagree most.

Two beliefs p and q about one variable differ by the total variation ½ Σ|p − q|, which is the
largest difference of probability they give to any set of states, or by the relative entropy
D(p‖q) = Σ p log2(p/q) in bits, which is ∞ where q rules out what p thinks possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, Literal

import numpy as np

from pgmstudio.core.analysis.model_comparison import finite
from pgmstudio.core.analysis.query_benchmark import relative_entropy
from pgmstudio.core.analysis.tables import Cell, table_text
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.base import (
    Done,
    Excluded,
    Finding,
    Likelihood,
    Observed,
    Scale,
    doings_first,
)
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model

Measure = Literal["total variation", "relative entropy"]
MEASURES: tuple[Measure, ...] = ("total variation", "relative entropy")


def total_variation(p: Floats, q: Floats) -> float:
    """½ Σ|p − q|, between 0 and 1."""
    return float(np.abs(p - q).sum() / 2)


def not_taken_reason(domain: Domain, variable: str, finding: Finding) -> str | None:
    """Why a model over these variables cannot take a finding; None when it can."""
    if variable not in domain:
        return f"it has no variable {variable}"
    states = domain[variable].states
    match finding:
        case Observed(state) | Done(state):
            spoken = [state]
        case Excluded(excluded):
            spoken = sorted(excluded)
        case Likelihood(weights):
            spoken = [state for state, _ in weights]
    absent = [state for state in spoken if state not in states]
    if absent:
        return f"its {variable} has no state {', '.join(absent)}"
    if isinstance(finding, Excluded) and len(spoken) == len(states):
        return f"nothing of its {variable} would be left"
    return None


def taken_by(
    domain: Domain, evidence: Mapping[str, Finding]
) -> tuple[dict[str, Finding], tuple[str, ...]]:
    """The findings a model over these variables can take, and a reason for each other one."""
    reasons = {name: not_taken_reason(domain, name, finding) for name, finding in evidence.items()}
    taken = {name: finding for name, finding in evidence.items() if reasons[name] is None}
    return taken, tuple(reason for reason in reasons.values() if reason is not None)


@dataclass(frozen=True, eq=False)
class ModelAnswer:
    """The answer of one model: beliefs by variable, log2 P(e), and the findings it cannot
    represent.

    `problem` is the reason why it has no beliefs.
    """

    name: str
    domain: Domain
    beliefs: Mapping[str, Floats] = field(repr=False)
    log2_evidence: float | None
    left_out: tuple[str, ...] = ()
    problem: str = ""


def answer_of(name: str, model: Model, evidence: Mapping[str, Finding]) -> ModelAnswer:
    """Query a model; findings without a variable or state in it are left out and reported."""
    taken, left_out = taken_by(model.domain, evidence)
    try:
        asked = open_session(model)
        for variable, finding in doings_first(taken).items():
            asked.set_evidence(variable, finding)
        beliefs = [asked.belief(variable) for variable in model.domain.names]
        if any(belief.scale is not Scale.PROBABILITY for belief in beliefs):
            problem = f"{a_kind(model.kind)} has no probabilities"
            return ModelAnswer(name, model.domain, {}, None, left_out, problem)
        result = {belief.variable: belief.values for belief in beliefs}
        return ModelAnswer(name, model.domain, result, asked.log2_evidence(), left_out)
    except PgmStudioError as problem:
        return ModelAnswer(name, model.domain, {}, None, left_out, str(problem))


@dataclass(frozen=True, slots=True)
class Distance:
    """The largest difference of two models about a variable: how much, and which two.

    Of the relative entropy D(p‖q) the first of the two is p.
    """

    value: float
    between: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Disagreement:
    """One variable: beliefs by model and state, and how far the models are apart.

    A state that a model does not have is None there; such a model is not measured, and `lacking`
    says so. `distances` is empty when fewer than two models can be compared.
    """

    variable: str
    states: tuple[str, ...]
    beliefs: Mapping[str, tuple[float | None, ...]]
    distances: Mapping[Measure, Distance]
    lacking: Mapping[str, str]

    def distance(self, measure: Measure) -> float:
        """The largest difference by this measure; −1 when nothing can be compared."""
        result = self.distances.get(measure)
        return -1.0 if result is None else result.value


def disagreements(
    answers: Sequence[ModelAnswer], measure: Measure = "total variation"
) -> tuple[Disagreement, ...]:
    """Every variable that a model has, the largest disagreement first; else in their order."""
    names = dict.fromkeys(name for one in answers for name in one.domain.names)
    result = [_disagreement(name, answers) for name in names]
    return tuple(sorted(result, key=lambda one: -one.distance(measure)))


def _disagreement(variable: str, answers: Sequence[ModelAnswer]) -> Disagreement:
    have = [one for one in answers if variable in one.domain]
    states = tuple(dict.fromkeys(s for one in have for s in one.domain[variable].states))
    beliefs: dict[str, tuple[float | None, ...]] = {}
    lacking = {one.name: f"no variable {variable}" for one in answers if one not in have}
    whole: dict[str, Floats] = {}
    for one in have:
        own = one.domain[variable].states
        if variable not in one.beliefs:
            lacking[one.name] = one.problem or "no beliefs"
            continue
        known = dict(zip(own, one.beliefs[variable].tolist(), strict=True))
        beliefs[one.name] = tuple(known.get(state) for state in states)
        absent = [state for state in states if state not in known]
        if absent:
            lacking[one.name] = f"no state {', '.join(absent)}"
        else:
            whole[one.name] = np.array([known[state] for state in states])
    return Disagreement(variable, states, beliefs, _distances(whole), lacking)


def _distances(beliefs: Mapping[str, Floats]) -> dict[Measure, Distance]:
    pairs = list(permutations(beliefs, 2))
    if not pairs:
        return {}
    far: dict[Measure, Distance] = {}
    for measure, distance in zip(MEASURES, (total_variation, relative_entropy), strict=True):
        values = [distance(beliefs[one], beliefs[other]) for one, other in pairs]
        index = int(np.argmax(values))
        far[measure] = Distance(max(0.0, values[index]), pairs[index])  # rounding is no distance
    return far


def disagreement_json(
    answers: Sequence[ModelAnswer], result: Sequence[Disagreement], measure: Measure
) -> dict[str, Any]:
    """Everything as plain values; ∞ is None."""
    return {
        "sorted_by": measure,
        "models": [
            {
                "name": one.name,
                "log2_evidence": one.log2_evidence,
                "left_out": list(one.left_out),
                **({"problem": one.problem} if one.problem else {}),
            }
            for one in answers
        ],
        "variables": [
            {
                "variable": one.variable,
                **{
                    name.replace(" ", "_"): {
                        "value": finite(distance.value),
                        "between": list(distance.between),
                    }
                    for name, distance in one.distances.items()
                },
                "beliefs": {
                    name: dict(zip(one.states, values, strict=True))
                    for name, values in one.beliefs.items()
                },
                "lacking": dict(one.lacking),
            }
            for one in result
        ],
    }


def disagreement_csv(
    answers: Sequence[ModelAnswer], result: Sequence[Disagreement], separator: str = ","
) -> str:
    """One line for each state: variable, both distances, state, then each model, to all digits."""
    names = [one.name for one in answers]
    heads = [measure.replace(" ", "_") for measure in MEASURES]
    rows: list[list[Cell]] = [["variable", *heads, "state", *names]]
    for one in result:
        distances = [one.distance(measure) for measure in MEASURES]
        shown = [None if value < 0 else value for value in distances]
        for index, state in enumerate(one.states):
            values = [one.beliefs[name][index] if name in one.beliefs else None for name in names]
            rows.append([one.variable, *shown, state, *values])
    return table_text(rows, separator)
