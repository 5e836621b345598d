"""Inference in models of any language: sessions, queries, MAP queries, do and samples.

Which languages have interventions do(X = x) is in their rows. A tree is read as the network it is
stored as, with every edge away from its root. Mixtures, latent class models and decision graphs
have no edges that could be read as cause and effect.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import Codes, DataSet, code_dtype
from pgmstudio.core.errors import DataError, PgmStudioError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.inference.base import (
    NO_INTERVENTION,
    Answer,
    Belief,
    BoundedSession,
    Done,
    ExplainingSession,
    Finding,
    InferenceSession,
    Observed,
    doings_first,
    done_states,
    weights_of,
)
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.propagation import Propagation, compiled_passes
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.inference.map_search import Combination, MapAnswer
from pgmstudio.core.languages.registry import LANGUAGES, a_kind, inference_form
from pgmstudio.core.model import Model, ProbabilisticModel

if TYPE_CHECKING:
    from pgmstudio.core.inference.approximate.session import ApproximateSession


# Fewer sweeps of the chains say little about how much they differ.
MIN_SWEEPS = 8
ROUNDING_LOG2 = 1e-9


def warm_up() -> None:
    """Load the compiled kernels, and compile them on the very first run; for a background thread.

    Until it is done the plain loops are used, so no query waits for the compiler.
    """
    from pgmstudio.core.inference.junction_tree import kernels as passes_kernels

    small = Factor((0, 1), np.full((2, 2), 0.25))
    plan = plan_of(clique_tree_of_scopes([small.scope], [2, 2]), [small])
    compiled = Propagation(plan, passes_kernels)
    compiled.set_weights(0, np.array([1.0, 0.5]))
    compiled.beliefs()
    compiled.most_probable()
    compiled_passes()


def open_session(model: Model) -> InferenceSession:
    """A session without evidence; PgmStudioError if the language has no inference."""
    row = LANGUAGES.get(model.kind)
    if row is None or row.session is None:
        raise PgmStudioError(
            f"There is no inference for {a_kind(model.kind)} yet, so it cannot answer questions."
        )
    return row.open_session(model)


def open_approximate_session(model: Model, *, seed: int = 0) -> ApproximateSession:
    """A session of estimates with errors; PgmStudioError if the language has none."""
    row, factored = inference_form(model)
    if row is None or row.approximate_session is None:
        raise PgmStudioError(
            f"{a_kind(model.kind, 'A')} has no approximate inference; leave it out, its beliefs "
            "are exact."
        )
    return row.approximate_session.load()(factored, seed=seed)


def has_approximate_session(model: Model) -> bool:
    """Whether there are estimates with errors for models of this language."""
    row, _ = inference_form(model)
    return row is not None and row.approximate_session is not None


def open_fitting_session(model: Model) -> InferenceSession:
    """An exact session where it fits into memory, otherwise one of estimates with errors."""
    try:
        return open_session(model)
    except TooLargeError:
        if not has_approximate_session(model):
            raise
        return open_approximate_session(model)


def ask(model: Model, targets: Sequence[str], evidence: Mapping[str, Finding]) -> Answer:
    """One query about a few variables; networks are pruned first, so huge ones can answer."""
    row, model = inference_form(model)
    if row is not None and row.query is not None:
        return row.query.load()(model, targets, evidence)
    session = open_session(model)
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    return Answer({name: session.belief(name) for name in targets}, session.log2_evidence())


@dataclass(frozen=True, eq=False)
class QueryAnswer:
    """Beliefs, the probability of the evidence and the most probable explanation."""

    beliefs: Mapping[str, Belief]
    log2_evidence: float
    most_probable: Mapping[str, str] | None = None
    log2_most_probable: float | None = None  # together with the evidence
    log2_bound: float | None = None  # of an explanation that may not be the best one
    log2_evidence_error: float | None = None  # of an estimate, half the width of a 95 % interval
    sweeps: int = 0  # of the chains that estimates rest on

    @property
    def log2_given_evidence(self) -> float | None:
        """log2 of the most probable explanation given the evidence."""
        joint = self.log2_most_probable
        return None if joint is None else joint - self.log2_evidence


def answer_query(
    model: Model, names: Sequence[str], findings: Mapping[str, Finding], *, explain: bool = False
) -> QueryAnswer:
    """Beliefs of these variables, of all without names; and the most probable explanation.

    For a few variables, the parts of a network that cannot matter are pruned.
    """
    if names and not explain:
        pruned = ask(model, names, findings)
        return QueryAnswer(pruned.beliefs, pruned.log2_evidence)
    session = open_session(model)
    for name, finding in findings.items():
        session.set_evidence(name, finding)
    beliefs = {name: session.belief(name) for name in names or model.domain.names}
    if not explain:
        return QueryAnswer(beliefs, session.log2_evidence())
    if not isinstance(session, ExplainingSession):
        raise PgmStudioError(f"{a_kind(model.kind, 'A')} has no most probable explanation.")
    explanation, log2 = session.most_probable(), session.log2_most_probable()
    bound = None
    if isinstance(session, BoundedSession) and not session.is_most_probable_exact:
        bound = session.log2_most_probable_bound()
    return QueryAnswer(beliefs, session.log2_evidence(), explanation, log2, bound)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """When estimates are good enough: the largest error, or the time that may be spent."""

    error: float = 0.01
    seconds: float = 10.0
    seed: int = 0


def approximate_answer(
    model: Model,
    names: Sequence[str],
    findings: Mapping[str, Finding],
    accuracy: Accuracy,
    *,
    explain: bool = False,
    cancel: CancelToken = NEVER,
) -> Generator[Progress, None, QueryAnswer]:
    """The same by estimates with errors, of models whose tables do not fit too."""
    start = time.perf_counter()
    yield Progress(None, "Choosing blocks of variables…")
    session = open_approximate_session(model, seed=accuracy.seed)
    session.set_all(findings, cancel)
    elapsed = 0.0
    while elapsed < accuracy.seconds:
        error = session.refine(cancel)
        elapsed = time.perf_counter() - start
        yield Progress(elapsed / accuracy.seconds, f"errors up to {error:.4f}")
        if error <= accuracy.error and session.sweeps >= MIN_SWEEPS:
            break
    estimate = session.log2_evidence_estimate()
    answer = QueryAnswer(
        {name: session.belief(name) for name in names or model.domain.names},
        estimate.log2,
        log2_evidence_error=estimate.error,
        sweeps=session.sweeps,
    )
    if not explain:
        return answer
    yield Progress(None, "Looking for the most probable explanation…")
    log2, bound = session.log2_most_probable(), session.log2_most_probable_bound()
    return replace(
        answer,
        most_probable=session.most_probable(),
        log2_most_probable=log2,
        log2_bound=bound if bound > log2 + ROUNDING_LOG2 else None,
    )


def no_intervention_reason(model: Model) -> str:
    """Why do() has no meaning in this model, as text; empty if it has one."""
    row = LANGUAGES.get(model.kind)
    return "" if row is not None and row.has_interventions else NO_INTERVENTION


def direction_note(model: Model, evidence: Mapping[str, Finding]) -> str:
    """What has to be known about answers after do() in this language; empty without do()."""
    row = LANGUAGES.get(model.kind)
    return row.intervention_note if row is not None and done_states(evidence) else ""


def most_probable_together(
    model: Model,
    variables: Sequence[str],
    evidence: Mapping[str, Finding],
    *,
    best: int = 1,
    stop: CancelToken = NEVER,
    cancel: CancelToken = NEVER,
) -> MapAnswer:
    """The same of any model: networks and trees are searched, others list their joint table."""
    row, model = inference_form(model)
    if row is not None and row.map_query is not None:
        answer: MapAnswer = row.map_query.load()(
            model, variables, evidence, best=best, stop=stop, cancel=cancel
        )
        return answer
    session = open_session(model)
    joint_of = getattr(session, "joint", None)
    if joint_of is None:
        raise PgmStudioError(
            f"{a_kind(model.kind, 'A')} has no joint beliefs of several variables yet."
        )
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    names = list(dict.fromkeys(variables))
    joint = np.asarray(joint_of(names))
    order = np.argsort(-joint.ravel(), kind="stable")[:best]
    result = []
    for cell in order[joint.ravel()[order] > 0]:
        codes = np.unravel_index(int(cell), joint.shape)
        states = {n: model.domain[n].states[int(c)] for n, c in zip(names, codes, strict=True)}
        result.append(Combination(states, math.log2(float(joint[codes]))))
    return MapAnswer(tuple(result), result[0].log2_probability, True, 0)


# Rows sampled from a model, also given evidence.

_ROWS_AT_ONCE = 100_000
_REPORT_EVERY = 50
# Evidence of at least this probability is waited for: drawing all of a row is that much faster.
_LIKELY_LOG2 = math.log2(1e-3)


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How many rows, by which seed, how many cells left empty, given what."""

    rows: int = 1000
    seed: int = 1
    missing_rate: float = 0.0
    evidence: Mapping[str, Finding] | None = None


@dataclass(frozen=True, eq=False)
class Sampled:
    """The end of a sampling run; the note says what is to be known about the rows."""

    data: DataSet
    note: str = ""


GIBBS_NOTE = (
    "The model is too large for exact sampling, so the rows were drawn by Gibbs sampling from ten "
    "chains: rows of a chain depend on those before them."
)


def sample_rows(
    model: Model, plan: SamplePlan, cancel: CancelToken
) -> Iterator[Progress | Sampled]:
    """Independent rows from the model.

    Without evidence the model draws them itself. Given likely evidence it does so too, and rows
    are kept with the probability that they agree with it. Given other evidence the rows are drawn
    variable by variable: P(x1 | e), then P(x2 | x1, e), … All of these are exact. A model that is
    too large for them is sampled by Gibbs sampling, which is noted.
    """
    if not isinstance(model, ProbabilisticModel):
        raise DataError(
            f"{a_kind(model.kind, 'A')} is no probability distribution; nothing can be drawn."
        )
    rng = np.random.default_rng(plan.seed)
    note = ""
    try:
        if plan.evidence:
            codes = yield from _conditional(open_session(model), model, plan, rng, cancel)
        else:
            codes = yield from _independent(model, plan, rng, cancel)
    except TooLargeError:
        if not has_approximate_session(model):
            raise
        codes, note = (yield from _gibbs_rows(model, plan, cancel)), GIBBS_NOTE
    data = DataSet(model.domain, codes)
    if plan.missing_rate > 0:
        codes = data.codes.copy()
        codes[rng.random(codes.shape) < plan.missing_rate] = data.missing_code
        data = DataSet(data.domain, codes)
    yield Sampled(data, note)


def _independent(
    model: ProbabilisticModel, plan: SamplePlan, rng: np.random.Generator, cancel: CancelToken
) -> Generator[Progress, None, Codes]:
    drawn = [_no_rows(model)]
    for start in range(0, plan.rows, _ROWS_AT_ONCE):
        cancel.raise_if_cancelled()
        yield Progress(start / plan.rows, f"{start} of {plan.rows} rows drawn…")
        drawn.append(model.sample(min(_ROWS_AT_ONCE, plan.rows - start), rng).codes)
    return np.concatenate(drawn, axis=1)


def _gibbs_rows(
    model: ProbabilisticModel, plan: SamplePlan, cancel: CancelToken
) -> Generator[Progress, None, Codes]:
    yield Progress(None, "Choosing blocks of variables…")
    session = open_approximate_session(model, seed=plan.seed)
    session.set_all(plan.evidence or {}, cancel)
    codes = np.empty((len(model.domain), plan.rows), dtype=code_dtype(model.domain))
    for row, states in enumerate(islice(session.rows(cancel), plan.rows)):
        codes[:, row] = states
        if row % _REPORT_EVERY == 0:
            yield Progress(row / plan.rows, f"{row} of {plan.rows} rows drawn…")
    return codes


def rows_of(model: ProbabilisticModel, count: int, seed: int) -> DataSet:
    """Rows from the model, by Gibbs sampling where it is too large for exact sampling."""
    *_, last = sample_rows(model, SamplePlan(count, seed), NEVER)
    assert isinstance(last, Sampled)
    return last.data


def _conditional(
    session: InferenceSession,
    model: ProbabilisticModel,
    plan: SamplePlan,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress, None, Codes]:
    evidence = doings_first(plan.evidence or {})
    for variable, finding in evidence.items():
        session.set_evidence(variable, finding)
    is_seen = not done_states(evidence) and all(name in model.domain for name in evidence)
    if is_seen and session.log2_evidence() >= _LIKELY_LOG2:
        return (yield from _accepted(model, evidence, session.log2_evidence(), plan, rng, cancel))
    return (yield from _variable_by_variable(session, model, evidence, plan, rng, cancel))


def _no_rows(model: ProbabilisticModel) -> Codes:
    return np.empty((len(model.domain), 0), dtype=code_dtype(model.domain))


def _accepted(
    model: ProbabilisticModel,
    evidence: Mapping[str, Finding],
    log2_evidence: float,
    plan: SamplePlan,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress, None, Codes]:
    """Rows of the model, each kept with the probability of the evidence given the row."""
    weights = [
        (model.domain.index(name), weights_of(model.domain[name], finding))
        for name, finding in evidence.items()
    ]
    kept = [_no_rows(model)]
    accepted = 0
    while accepted < plan.rows:
        cancel.raise_if_cancelled()
        yield Progress(accepted / plan.rows, f"{accepted} of {plan.rows} rows drawn…")
        expected = math.ceil(1.1 * (plan.rows - accepted) * 2.0**-log2_evidence) + 16
        drawn = model.sample(min(_ROWS_AT_ONCE, expected), rng).codes
        chances = np.ones(drawn.shape[1])
        for index, weight in weights:
            chances *= weight[drawn[index]]
        kept.append(drawn[:, rng.random(chances.size) < chances])
        accepted += kept[-1].shape[1]
    return np.concatenate(kept, axis=1)[:, : plan.rows]


def _variable_by_variable(
    session: InferenceSession,
    model: ProbabilisticModel,
    evidence: Mapping[str, Finding],
    plan: SamplePlan,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress, None, Codes]:
    """Rows that agree so far are drawn together, from one belief of the next variable."""
    domain = model.domain
    codes = np.empty((len(domain), plan.rows), dtype=code_dtype(domain))
    accepted, reported = 0, 0
    # Groups of rows by how many of their variables are drawn; None is the end of such a group.
    groups: list[tuple[int, NDArray[np.intp] | None]] = [(0, np.arange(plan.rows))]
    while groups:
        index, rows = groups.pop()
        if rows is None:
            _set_or_retract(session, domain.names[index], evidence.get(domain.names[index]))
            continue
        cancel.raise_if_cancelled()
        if index > 0:
            last = domain.variables[index - 1]
            if not isinstance(
                evidence.get(last.name), Done
            ):  # which is more than an observed state
                state = last.states[int(codes[index - 1, rows[0]])]
                session.set_evidence(last.name, Observed(state))
                groups.append((index - 1, None))
        belief = session.belief(domain.names[index]).values
        codes[index, rows] = rng.choice(belief.size, size=rows.size, p=belief / belief.sum())
        if index + 1 < len(domain):
            states = codes[index, rows]
            groups += [(index + 1, rows[states == code]) for code in np.unique(states)]
            continue
        accepted += rows.size
        if accepted - reported >= _REPORT_EVERY:
            reported = accepted
            yield Progress(accepted / plan.rows, f"{accepted} of {plan.rows} rows drawn…")
    rng.shuffle(codes, axis=1)  # rows of one group are no longer together
    return codes


def _set_or_retract(session: InferenceSession, name: str, finding: Finding | None) -> None:
    if finding is None:
        session.retract(name)
    else:
        session.set_evidence(name, finding)
