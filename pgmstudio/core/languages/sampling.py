"""Rows sampled from a model, also given evidence."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import Codes, DataSet, code_dtype
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.inference.base import Done, Finding, InferenceSession, Observed, doings_first
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model, ProbabilisticModel

_ROWS_AT_ONCE = 100_000
_TELL_EVERY = 50


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How many rows, by which seed, how many cells left empty, given what."""

    rows: int = 1000
    seed: int = 1
    missing_rate: float = 0.0
    evidence: Mapping[str, Finding] | None = None


@dataclass(frozen=True, eq=False)
class Sampled:
    """The end of a sampling run."""

    data: DataSet


def sample_rows(
    model: Model, plan: SamplePlan, cancel: CancelToken
) -> Iterator[Progress | Sampled]:
    """Independent rows from the model.

    Without evidence the model draws them itself. With evidence each row is drawn variable by
    variable: P(x1 | e), then P(x2 | x1, e), …, which is exact for every kind of evidence.
    """
    if not isinstance(model, ProbabilisticModel):
        raise DataError(
            f"{a_kind(model.kind, 'A')} is no probability distribution; nothing can be drawn."
        )
    rng = np.random.default_rng(plan.seed)
    if plan.evidence:
        parts = yield from _conditional(open_session(model), model, plan, rng, cancel)
        data = DataSet(model.domain, parts)
    else:
        drawn = []
        for start in range(0, plan.rows, _ROWS_AT_ONCE):
            cancel.raise_if_cancelled()
            yield Progress(start / plan.rows, f"{start} of {plan.rows} rows drawn…")
            drawn.append(model.sample(min(_ROWS_AT_ONCE, plan.rows - start), rng).codes)
        data = DataSet(model.domain, np.concatenate(drawn, axis=1))
    if plan.missing_rate > 0:
        codes = data.codes.copy()
        codes[rng.random(codes.shape) < plan.missing_rate] = data.missing_code
        data = DataSet(data.domain, codes)
    yield Sampled(data)


def _conditional(
    session: InferenceSession,
    model: ProbabilisticModel,
    plan: SamplePlan,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress, None, Codes]:
    names = model.domain.names
    evidence = doings_first(plan.evidence or {})
    codes = np.empty((len(names), plan.rows), dtype=code_dtype(model.domain))
    for row in range(plan.rows):
        cancel.raise_if_cancelled()
        if row % _TELL_EVERY == 0:
            yield Progress(row / plan.rows, f"{row} of {plan.rows} rows drawn…")
        session.retract_all()
        for variable, finding in evidence.items():
            session.set_evidence(variable, finding)
        for index, name in enumerate(names):
            belief = session.belief(name).values
            code = int(rng.choice(belief.size, p=belief / belief.sum()))
            codes[index, row] = code
            if not isinstance(
                session.evidence.get(name), Done
            ):  # an intervention is more than an observed state
                session.set_evidence(name, Observed(model.domain[name].states[code]))
    return codes
