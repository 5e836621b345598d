"""A run of one learner as a value, which can be sent to a child process, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.chunked import ChunkedData, PassProgress
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, TooLargeError
from pgmstudio.core.execution.events import CLOCK, CancelToken, Note, Progress
from pgmstudio.core.execution.thread_pool import send_from_thread
from pgmstudio.core.json_documents import with_null
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    Finished,
    ImprovedModel,
    LearnEvent,
    RunArtifact,
)
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.number_format import whole
from pgmstudio.core.params import ParamKind, params_to_dict, specs_of
from pgmstudio.version import __version__


@dataclass(frozen=True, eq=False)
class LearnTask:
    """Learner, data, parameters and seed; the same task gives the same events, in any runner."""

    learner_key: str
    data: DataSet
    params: Any
    seed: int

    def __call__(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        # Here, not above: a window that has not learned yet needs no learner. Loading does not
        # count against a time limit.
        with CLOCK.paused():
            learner = learner_of(self.learner_key)
        if isinstance(self.data, ChunkedData):
            if (reason := learner.refuses(self.data)) is not None:
                raise DataError(reason)
            yield from with_pass_progress(self._events, self.data, cancel)
        else:
            yield from self._events(cancel)

    def _events(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        from pgmstudio.core.languages.run_checks import (
            knowledge_of,
            model_warnings,
            obeys_knowledge,
            rules_note,
        )
        from pgmstudio.core.languages.start_models import start_models

        learner = learner_of(self.learner_key)
        knowledge = knowledge_of(self.params)
        if knowledge is not None:
            knowledge.check(self.data.domain.names)
            if not obeys_knowledge(learner):
                yield Note(rules_note(learner, knowledge))
        yield from start_models(learner, self.data, self.params, cancel)
        rng = np.random.default_rng(self.seed)
        for event in learner.run(self.data, self.params, rng=rng, cancel=cancel):
            if isinstance(event, Finished):
                yield from map(Note, model_warnings(event.model, self.data))
            yield event

    def provenance(
        self,
        *,
        outcome: str,
        seconds: float,
        measures: Mapping[str, float],
        trace: Sequence[Mapping[str, Any]] = (),
        file: str = "",
        objects: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """What is needed to repeat the run and to compare its result.

        `objects` has the files of parameters that are objects.
        """
        is_object = {s.name: s.kind is ParamKind.OBJECT for s in specs_of(type(self.params))}
        provenance: dict[str, Any] = with_null(
            {
                "program": f"PGM Studio {__version__}",
                "learner": self.learner_key,
                "parameters": {
                    name: (objects or {}).get(name) if is_object[name] else value
                    for name, value in params_to_dict(self.params).items()
                },
                "seed": self.seed,
                "data": {
                    "file": file,
                    "fingerprint": self.data.fingerprint,
                    "rows": self.data.row_count,
                    "variables": len(self.data.domain),
                },
                "outcome": outcome,
                "seconds": seconds,
                "measures": dict(measures),
                "trace": list(trace),
            }
        )
        return provenance


# A pass is reported so often.
PASS_REPORTS = 100


def with_pass_progress(
    events: Callable[[CancelToken], Iterator[LearnEvent]], data: ChunkedData, cancel: CancelToken
) -> Iterator[LearnEvent]:
    """The events of a run, and between them how far the passes over the rows are."""
    last: Progress | None = None

    def of_pass(at: PassProgress) -> Progress:
        before = "" if last is None or not last.message else f"{last.message}: "
        message = f"{before}pass {at.passes + 1}, {at.fraction:.0%} of the rows"
        fraction = None if last is None else last.fraction
        return Progress(fraction, message, {"pass": at.passes + at.fraction})

    reported = -1.0

    def report(at: PassProgress, send: Callable[[LearnEvent], object]) -> None:
        nonlocal reported
        if at.passes + at.fraction - reported >= 1 / PASS_REPORTS:
            reported = at.passes + at.fraction
            send(of_pass(at))

    def search(token: CancelToken, send: Callable[[LearnEvent], object]) -> None:
        nonlocal last
        with data.reporting(lambda at: report(at, send)):
            for event in events(token):
                if isinstance(event, Progress):
                    last = event
                if isinstance(event, Finished):
                    times = "once" if data.passes == 1 else f"{whole(data.passes)} times"
                    send(Note(f"The rows were read {times}."))
                send(event)

    yield from send_from_thread(search, cancel)


class CollectedEvents:
    """The models, artifacts and notes of a run."""

    def __init__(self, task: LearnTask) -> None:
        self._data = task.data
        self._models: list[ImprovedModel | Finished] = []
        self.artifacts: dict[str, RunArtifact] = {}  # by kind
        self.notes: list[str] = []

    def take(self, event: LearnEvent) -> None:
        match event:
            case ArtifactSaved(artifact):
                self.artifacts[artifact.kind] = artifact
            case ImprovedModel() | Finished():
                self._models.append(event)
            case Note(message):
                self.notes.append(message)

    @property
    def trace(self) -> list[dict[str, float]]:
        """The measures of all models but those from before the search."""
        return [
            dict(event.measures)
            for event in self._models
            if not (isinstance(event, ImprovedModel) and event.is_start)
        ]

    def best(self) -> ImprovedModel | Finished | None:
        """The last model; of a stopped run, the start if it is better in likelihood and in BIC.

        A search from no edges may be stopped before it is as good as the tree computed at its
        start.
        """
        data = self._data
        if isinstance(data, ChunkedData):  # without a pass for each of the two
            return self._models[-1] if self._models else None
        starts = [e for e in self._models if isinstance(e, ImprovedModel) and e.is_start]
        last = self._models[-1] if self._models else None
        if not starts or not isinstance(last, ImprovedModel) or last.is_start or data.has_missing:
            return last
        start = starts[-1].model
        model = last.model
        if not (isinstance(start, ProbabilisticModel) and isinstance(model, ProbabilisticModel)):
            return last
        if not start.domain == model.domain == data.domain:  # a given graph may have others
            return last
        try:
            ahead = log2_likelihood(start, data) - log2_likelihood(model, data)
        except TooLargeError:
            return last
        saved = model.representation_size() - start.representation_size()
        bic_ahead = ahead + saved * math.log2(max(data.total_weight, 1.0)) / 2
        return starts[-1] if ahead > 0 and bic_ahead > 0 else last
