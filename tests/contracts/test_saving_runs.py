"""Whatever a run found, its project can be saved and comes back, infinities included."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.languages.learners import all_learners, restored
from pgmstudio.core.learning.base import ArtifactSaved, Finished, Learner, RunArtifact
from pgmstudio.core.project.project import (
    DataEntry,
    ModelEntry,
    Outcome,
    Project,
    Run,
    plain_params,
)
from tests.contracts.test_learners import params_of

every_learner = pytest.mark.parametrize(
    "learner", list(all_learners().values()), ids=lambda learner: learner.key
)


def rare_rows(count: int = 60) -> DataSet:
    """Most states occur once or never, and rows held out have some that no other row has."""
    codes = np.minimum(np.random.default_rng(1).geometric(0.5, (4, count)) - 1, 5)
    # One state looks like an infinity that was written as a text.
    states = ("inf", *map(str, range(1, 6)))
    return DataSet(Domain.of({f"v{i}": states for i in range(4)}), codes.astype(np.uint8))


def learned(learner: Learner[Any]) -> tuple[Project, dict[str, RunArtifact]]:
    """A project with the run of a learner that smooths nothing, where it can be set so."""
    data = rare_rows()
    params = params_of(learner, data, smoothing=0)
    kept: dict[str, RunArtifact] = {}
    last = None
    for event in learner.run(data, params, rng=np.random.default_rng(1), cancel=NEVER):
        if isinstance(event, ArtifactSaved):
            kept[event.artifact.kind] = event.artifact
        elif isinstance(event, Finished):
            last = event
    assert last is not None
    run = Run(
        learner=learner.key,
        params=plain_params(params, {}),
        seed=1,
        data_fingerprint=data.fingerprint,
        program_version="test",
        outcome=Outcome.FINISHED,
        data_id="d1",
        model_id="m1",
        measures=last.measures,
        artifacts={kind: artifact.plain() for kind, artifact in kept.items()},
    )
    model = ModelEntry("model", last.model, "d1", "r1", provenance={"measures": last.measures})
    project = Project(data={"d1": DataEntry("rare", data)}, models={"m1": model}, runs={"r1": run})
    return project, kept


def floats_replaced(value: Any, new: Callable[[float], float]) -> Any:
    if isinstance(value, Mapping):
        return {key: floats_replaced(entry, new) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [floats_replaced(entry, new) for entry in value]
    return new(value) if isinstance(value, float) else value


@every_learner
def test_a_run_on_rare_states_is_saved_and_comes_back(learner: Learner[Any]) -> None:
    project, kept = learned(learner)
    again = project_from_bytes(project_bytes(project)).runs["r1"]
    before = project.runs["r1"]
    assert again.measures == pytest.approx(before.measures, nan_ok=True)
    assert again.artifacts == floats_replaced(before.artifacts, float)
    for kind, artifact in kept.items():
        loaded = restored(kind, again.artifacts[kind], learner.key)
        assert loaded is not None
        assert repr(loaded.table()) == repr(artifact.table())


@every_learner
def test_a_run_whose_every_number_is_infinite_is_saved_and_comes_back(
    learner: Learner[Any],
) -> None:
    project, _ = learned(learner)
    for number in (-math.inf, math.inf, math.nan):
        run = dataclasses.replace(
            project.runs["r1"],
            seconds=number,
            measures=dict.fromkeys(project.runs["r1"].measures, number),
            trace=((0.0, number),),
            artifacts=floats_replaced(
                project.runs["r1"].artifacts, lambda _, number=number: number
            ),
        )
        again = project_from_bytes(
            project_bytes(dataclasses.replace(project, runs={"r1": run}))
        ).runs["r1"]
        assert repr(again.artifacts) == repr(run.artifacts)
        assert repr((again.measures, again.trace)) == repr((run.measures, run.trace))
