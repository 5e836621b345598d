"""Runs recorded in the project, as opposed to those in the queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from pgmstudio.core.execution.events import Progress
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.score_definition import ScoreDefinition, score_definition
from pgmstudio.core.project.project import Outcome, Project, Run
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun, Trace

_STATES = {
    Outcome.FINISHED: JobState.FINISHED,
    Outcome.STOPPED: JobState.CANCELLED,
    Outcome.FAILED: JobState.FAILED,
}

# The key of λ among the measures of a run and in the provenance of a model.
LAMBDA = "lambda"


@dataclass(frozen=True)
class RecordedRun:
    """A run of the project that ended before the project was opened, or came with a model."""

    run_id: str
    record: Run
    is_paused: ClassVar = False
    progress: ClassVar = Progress(None, "")
    no_steps_reason: ClassVar = "the run has ended."

    @property
    def title(self) -> str:
        return self.record.title or self.record.learner

    @property
    def learner_key(self) -> str:
        return self.record.learner

    @property
    def params(self) -> Mapping[str, object]:
        return self.record.params

    @property
    def has_model(self) -> bool:
        return self.record.model_id is not None

    @property
    def measures(self) -> Mapping[str, float]:
        return self.record.measures

    @property
    def seconds(self) -> float:
        return self.record.seconds

    @property
    def artifacts(self) -> Mapping[str, Any]:
        return self.record.artifacts

    @property
    def state(self) -> JobState:
        return _STATES[self.record.outcome]

    @cached_property
    def trace(self) -> Trace:
        """Its score by step, for the plot."""
        points = self.record.trace
        return Trace([x for x, _ in points], [y for _, y in points], [0.0] * len(points))


AnyRun = LearningRun | RecordedRun


def score_of(run: AnyRun) -> ScoreDefinition:
    """What the score of a run measures."""
    return score_definition(all_learners().get(run.learner_key), run.params)


def record_of(project: Project, run: LearningRun) -> str | None:
    """The id under which the project records a run of the queue; ids are given again."""
    record = project.runs.get(run.run_id or "")
    is_its = (
        record is not None
        and record.learner == run.request.learner_key
        and record.data_fingerprint == run.task.data.fingerprint
        and record.seconds == round(run.seconds, 3)
    )
    return run.run_id if is_its else None


def model_of(project: Project, run: AnyRun) -> str | None:
    """The model that a run made, if it is still in the project."""
    run_id = run.run_id if isinstance(run, RecordedRun) else record_of(project, run)
    record = project.runs.get(run_id or "")
    model_id = None if record is None else record.model_id
    return model_id if model_id in project.models else None


def runs_of(project: Project, queue: Iterable[LearningRun]) -> list[AnyRun]:
    """Every run of the project: the recorded ones, then those of the queue."""
    live = list(queue)
    known = {record_of(project, run) for run in live}
    recorded = [RecordedRun(key, run) for key, run in project.runs.items() if key not in known]
    return [*recorded, *live]
