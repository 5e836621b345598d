"""Cross-validation: every row is scored by models that have not seen it, the same folds for all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.model_comparison import Comparison, Scored, comparison_of, row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import case_total, deal_folds
from pgmstudio.core.errors import ParameterError, PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.model import Model
from pgmstudio.core.params import parse_params


@dataclass(frozen=True)
class Candidate:
    """A learner and the parameters that differ from its defaults."""

    learner: str
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FoldScored:
    """A model learned without one fold, and the log2-probabilities of the rows of that fold.

    A row of a table of counts may be in several folds, with a part of its weight in each.
    """

    name: str
    fold: int
    rows: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    row_log2: NDArray[np.float64]
    seconds: float
    model: Model


def cross_validate(
    candidates: Mapping[str, Candidate],
    data: DataSet,
    *,
    folds: int = 10,
    seed: int = 0,
    cancel: CancelToken,
) -> Iterator[Progress | Note | FoldScored | Comparison]:
    """Learn every candidate on all folds but one and score that one, for each fold in turn.

    The last event is the comparison over all rows, with mean sizes, of the candidates that could be
    learned on every fold; one that could not is reported in a note. Folds and learners both take
    `seed`.
    """
    prepared = _prepared(candidates, data, folds)
    dealt = deal_folds(data, folds, np.random.default_rng(seed))
    results: dict[str, list[FoldScored]] = {name: [] for name in candidates}
    index, count = 0, folds * len(candidates)
    for fold in range(folds):
        rows, _ = dealt.rows(fold)
        train, test = dealt.rest(data, fold), dealt.part(data, fold)
        for name, params in prepared.items():
            cancel.raise_if_cancelled()
            title = f"{name}, fold {fold + 1} of {folds}"
            yield Progress(index / count, title)
            index += 1
            task = LearnTask(candidates[name].learner, train, params, seed)
            try:
                start = time.perf_counter()
                model = _model_of(task, cancel)
                seconds = time.perf_counter() - start
                logs = row_log2(model, test)
                scored = FoldScored(name, fold, rows, test.weights, logs, seconds, model)
            except PgmStudioError as problem:
                yield Note(f"{title}: {problem}")
                continue
            results[name].append(scored)
            yield scored
    yield Progress(1.0)
    complete = {name: result for name, result in results.items() if len(result) == folds}
    if complete:
        first = next(iter(complete.values()))  # all have the same folds
        order = np.argsort(np.concatenate([scored.rows for scored in first]), kind="stable")
        weights = [scored.weights for scored in first if scored.weights is not None]
        yield comparison_of(
            {name: _joined(result, order) for name, result in complete.items()},
            np.concatenate(weights)[order] if weights else None,
        )


@dataclass(frozen=True, eq=False)
class CrossValidationTask:
    """A cross-validation as a task for a child process."""

    candidates: Mapping[str, Candidate]
    data: DataSet
    folds: int = 10
    seed: int = 0

    def __call__(
        self, cancel: CancelToken, /
    ) -> Iterator[Progress | Note | FoldScored | Comparison]:
        yield from cross_validate(
            self.candidates, self.data, folds=self.folds, seed=self.seed, cancel=cancel
        )


def _prepared(candidates: Mapping[str, Candidate], data: DataSet, folds: int) -> dict[str, Any]:
    """Parameters by name; one ParameterError names all that is wrong."""
    problems: dict[str, str] = {}
    if not candidates:
        problems["learners"] = "needs at least one learner"
    if not 2 <= folds <= case_total(data):
        problems["folds"] = f"must lie between 2 and the {case_total(data)} rows"
    prepared: dict[str, Any] = {}
    for name, candidate in candidates.items():
        params_type = learner_of(candidate.learner).params_type
        try:
            prepared[name] = parse_params(params_type, candidate.parameters)
        except ParameterError as wrong:
            problems |= {f"{name} {option}": text for option, text in wrong.problems.items()}
    if problems:
        raise ParameterError(problems)
    return prepared


def _model_of(task: LearnTask, cancel: CancelToken) -> Model:
    why = learner_of(task.learner_key).refuses(task.data)
    if why is not None:
        raise PgmStudioError(why)
    finished = [event for event in task(cancel) if isinstance(event, Finished)]
    return finished[-1].model


def _joined(result: list[FoldScored], order: NDArray[np.intp]) -> Scored:
    """The rows of all folds in the order of the data, and the mean sizes of the models."""
    row_log2 = np.concatenate([scored.row_log2 for scored in result])[order]
    models = [scored.model for scored in result]
    return Scored(
        models[0].kind,
        float(np.mean([model.representation_size() for model in models])),
        float(np.mean([model.effective_size() for model in models])),
        row_log2,
    )
