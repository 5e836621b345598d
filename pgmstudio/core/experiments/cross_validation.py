"""Cross-validation: learners compared on rows that none of their models was learned from.

All learners have the same folds, so that they are compared by paired differences row by row. Models
of different folds share most of their training rows; the intervals allow for that (Nadeau and
Bengio 2003, "Inference for the generalization error", Machine Learning 52).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from pgmstudio.core.analysis.model_comparison import (
    Comparison,
    RowSplits,
    Scored,
    comparison_of,
    finite,
    row_log2,
)
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import Deal, case_total, deal_folds
from pgmstudio.core.errors import DataError, ParameterError, PgmStudioError
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import CLOCK, CancelToken, Note, Progress
from pgmstudio.core.execution.process_pool import WorkEnded, WorkFailed, in_pool
from pgmstudio.core.languages.learn_task import CollectedEvents, LearnTask
from pgmstudio.core.languages.learners import learner_of, named_settings
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.params import parse_params, specs_of
from pgmstudio.core.scores.row_means import mean_of

DEFAULT_FOLDS = 10


@dataclass(frozen=True, eq=False)
class FoldRows:
    """The rows, and which fold tests each of them."""

    data: DataSet
    deal: Deal


@dataclass(frozen=True, eq=False, slots=True)
class FoldScore:
    """The model that a learner found without a fold: log2 P of the fold's rows, and its sizes."""

    learner: str
    fold: int
    row_log2: Floats
    representation_size: int
    effective_size: int
    seconds: float


CrossValidationEvent = Progress | Note | FoldScore


@dataclass(frozen=True, eq=False)
class CrossValidationPlan:
    """Learners with their parameters, rows, and how these are divided; a task that can run in any
    process. The same plan gives the same scores over any number of processes."""

    learners: Mapping[str, Any]  # key to parameters
    data: DataSet
    folds: int = DEFAULT_FOLDS
    seed: int = 0
    processes: int | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.folds <= max(2, case_total(self.data)):
            cases = case_total(self.data)
            raise ParameterError({"folds": f"must be from 2 to the number of rows, {cases}"})
        if not self.learners:
            raise ParameterError({"learners": "names no learner"})
        for key in self.learners:
            learner = learner_of(key)
            reason = no_likelihood_reason(learner.kind) or learner.refuses(self.data)
            if reason:
                raise DataError(f"{key} cannot be cross-validated: {reason}")

    @classmethod
    def of(cls, keys: Sequence[str], data: DataSet, **options: Any) -> CrossValidationPlan:
        """A plan for these learners with their default parameters, or those of an alias."""
        given = []
        for name in keys:
            learner = learner_of(name)
            names = {spec.name for spec in specs_of(learner.params_type)}
            one = {"processes": 1} if "processes" in names else {}  # folds fill the cores
            params: Any = parse_params(learner.params_type, named_settings(name, one))
            given.append((learner.key, params))
        return cls(named_once(given), data, **options)

    @property
    def rows(self) -> FoldRows:
        """The folds of the plan."""
        rng = np.random.default_rng(self.seed)
        return FoldRows(self.data, deal_folds(self.data, self.folds, rng))

    def __call__(self, cancel: CancelToken, /) -> Iterator[CrossValidationEvent]:
        """The scores of one fold of all learners after another; a failed run becomes a note."""
        works = [
            _FoldWork(key, params, self.seed, fold)
            for fold in range(self.folds)
            for key, params in self.learners.items()
        ]
        ended = 0
        yield Progress(0.0)
        for number, event in in_pool(self.rows, works, cancel, processes=self.processes):
            match event:
                case FoldScore() | Note():
                    yield event
                case WorkFailed(PgmStudioError() as problem):
                    yield Note(f"{works[number].title}: {problem}")
                case WorkFailed(bug):
                    raise ChildError(str(bug))
            if isinstance(event, WorkEnded | WorkFailed):
                ended += 1
                yield Progress(ended / len(works), works[number].title, {"run": float(ended)})


def named_once(learners: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Parameters by learner; ParameterError for a learner with two different settings."""
    result: dict[str, Any] = {}
    for key, params in learners:
        if result.setdefault(key, params) != params:
            raise ParameterError({"learners": f"names {key} twice, with different settings"})
    return result


@dataclass(frozen=True)
class _FoldWork:
    """A run on all folds but one, measured on that one."""

    learner: str
    params: Any
    seed: int
    fold: int

    @property
    def title(self) -> str:
        return f"{self.learner}, fold {self.fold + 1}"

    def __call__(self, rows: FoldRows, cancel: CancelToken, /) -> Iterator[CrossValidationEvent]:
        train = rows.deal.rest(rows.data, self.fold)
        test = rows.deal.part(rows.data, self.fold)
        began = CLOCK.now()
        task = LearnTask(self.learner, train, self.params, self.seed)
        collected = CollectedEvents(task)
        for event in task(cancel):
            collected.take(event)
        best = collected.best()
        if best is None:
            yield Note(f"{self.title}: no model was found.")
            return
        model = best.model
        seconds = CLOCK.now() - began
        yield FoldScore(
            self.learner,
            self.fold,
            row_log2(model, test),
            model.representation_size(),
            model.effective_size(),
            seconds,
        )


@dataclass(eq=False)
class CrossValidation:
    """The scores so far; learners are compared on the folds that all of them have."""

    plan: CrossValidationPlan
    scores: dict[tuple[str, int], FoldScore] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, event: CrossValidationEvent) -> None:
        """Add what a run of the plan yields."""
        if isinstance(event, FoldScore):
            self.scores[event.learner, event.fold] = event
        elif isinstance(event, Note):
            self.notes.append(event.message)

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners that have a model of any fold."""
        return tuple(k for k in self.plan.learners if any(key == k for key, _ in self.scores))

    @property
    def folds(self) -> tuple[int, ...]:
        """The folds for which all these learners have a model."""
        return tuple(
            fold
            for fold in range(self.plan.folds)
            if self.learners and all((key, fold) in self.scores for key in self.learners)
        )

    def comparison(self) -> Comparison | None:
        """The learners on the rows of these folds; None before the first is complete."""
        if not self.folds:
            return None
        rows = self.plan.rows
        parts = [rows.deal.part(rows.data, fold) for fold in self.folds]
        weights = None
        if any(part.weights is not None for part in parts):
            weights = np.concatenate([part.row_weights for part in parts])
        sizes = [part.row_count for part in parts]
        splits = RowSplits(np.repeat(np.arange(len(parts)), sizes), 1 / (self.plan.folds - 1))
        scored = {}
        for key in self.learners:
            own = [self.scores[key, fold] for fold in self.folds]
            scored[key] = Scored(
                learner_of(key).kind,
                fmean(score.representation_size for score in own),
                fmean(score.effective_size for score in own),
                np.concatenate([score.row_log2 for score in own]),
            )
        return comparison_of(scored, weights, splits if len(parts) > 1 else None)

    def fold_bits(self, learner: str) -> list[float | None]:
        """The bits per row of each of `folds`; None for minus infinity."""
        rows = self.plan.rows
        return [
            finite(
                mean_of(
                    self.scores[learner, fold].row_log2, rows.deal.part(rows.data, fold).weights
                ).value
            )
            for fold in self.folds
        ]

    def seconds(self, learner: str) -> float:
        """The time of learning, for all folds together."""
        return sum(score.seconds for (key, _), score in self.scores.items() if key == learner)
