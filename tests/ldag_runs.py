"""Learners of labelled graphs run to their end, and what they leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.ldag.learning.label_search import NATS_PER_BIT
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import ArtifactSaved, Finished, LearnEvent
from pgmstudio.core.params import parse_params


def run(key: str, data: DataSet, seed: int = 1, **given: object) -> list[LearnEvent]:
    learner = learner_of(key)
    params: Any = parse_params(learner.params_type, given)
    return list(learner.run(data, params, rng=np.random.default_rng(seed), cancel=NEVER))


def end(events: Iterable[LearnEvent]) -> Finished:
    *_, last = events
    assert isinstance(last, Finished)
    return last


def artifact_of(events: Iterable[LearnEvent]) -> Any:
    return [event.artifact for event in events if isinstance(event, ArtifactSaved)][-1]


def nats(finished: Finished) -> float:
    return finished.measures["score"] * NATS_PER_BIT


def labelled_end(key: str, data: DataSet, **given: object) -> tuple[float, LabelledDag]:
    last = end(run(key, data, **given))
    assert isinstance(last.model, LabelledDag)
    return nats(last), last.model
