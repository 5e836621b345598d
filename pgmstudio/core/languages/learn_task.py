"""A run of one learner as a value, which can be sent to a child process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished, LearnEvent


@dataclass(frozen=True, eq=False)
class LearnTask:
    """Learner, data, parameters and seed; the same task gives the same events, in any runner."""

    learner_key: str
    data: DataSet
    params: Any
    seed: int

    def __call__(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        # Here, not above: a window that has not learned yet needs no learner.
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
