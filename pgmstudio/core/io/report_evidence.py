"""What a report says of evidence cases: what is known, how likely that is, which beliefs move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.experiments.number_words import decimal
from pgmstudio.core.inference.findings import scaling_note
from pgmstudio.core.inference.protocols import InferenceSession
from pgmstudio.core.inference.sessions import open_session
from pgmstudio.core.io.report_html import Markup, facts, joined, table, tag
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.project.project import EvidenceCase, Project

# Beliefs that are shown, those that moved most.
MOST_MOVED = 8
# Models that cost more are not asked for a report.
MOST_SIZE = 5_000_000

Floats = NDArray[np.float64]


def cases_part(project: Project) -> Iterator[Markup]:
    """Every case under the model it is for, or the first that has its variables."""
    for name, case in project.evidence_cases.items():
        found = _model_of(project, case)
        parts = [facts((variable, str(finding)) for variable, finding in case.evidence.items())]
        if found is not None:
            title, model = found
            parts += [tag("p", f"In {title}:"), _moved(model, case)]
        yield joined([tag("h3", name), *parts])


def _model_of(project: Project, case: EvidenceCase) -> tuple[str, Model] | None:
    entries = list(project.models.values())
    if case.model_id is not None:
        own = project.models.get(case.model_id)
        entries = [] if own is None else [own]
    for entry in entries:
        if all(name in entry.model.domain.names for name in case.evidence):
            return entry.title, entry.model
    return None


def _moved(model: Model, case: EvidenceCase) -> Markup:
    """Prior and belief of the variables that the evidence moves most."""
    if model.effective_size() > MOST_SIZE:
        return tag("p", "The model is too large to be asked here.", class_="quiet")
    try:
        session = open_session(model)
        before = _beliefs(session, model)
        for name, finding in case.evidence.items():
            session.set_evidence(name, finding)
        after = _beliefs(session, model)
        bits = session.log2_evidence()
    except PgmStudioError as problem:
        return tag("p", str(problem), class_="quiet")
    free = [name for name in before if name not in case.evidence]
    free.sort(key=lambda name: -float(np.abs(after[name] - before[name]).sum()))
    rows = [
        (
            name if place == 0 else "",
            state,
            decimal(float(before[name][place])),
            decimal(float(after[name][place])),
        )
        for name in free[:MOST_MOVED]
        for place, state in enumerate(model.domain[name].states)
    ]
    told = f"log2 of the probability of the evidence: {decimal(bits)}. "
    told += scaling_note(case.evidence)
    return joined([tag("p", told), table(("Variable", "State", "Before", "After"), rows, "<<>>")])


def _beliefs(session: InferenceSession, model: Any) -> Mapping[str, Floats]:
    return {v.name: session.belief(v.name).values.copy() for v in model.domain}
