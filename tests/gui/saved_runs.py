"""Runs that ended, put into a window's project without a process of their own."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import ArtifactSaved, Finished
from pgmstudio.core.params import parse_params, specs_of
from pgmstudio.core.project.edits import add_data, add_run
from pgmstudio.core.project.project import DataEntry, ModelEntry, Outcome, Run, plain_params
from pgmstudio.gui.context import AppContext

SEED = 1


def add_ended_run(app: AppContext, data: DataSet, learner: str, **params: object) -> str:
    """Learn here and now; the id of the model."""
    params_type = learner_of(learner).params_type
    smoothed = {spec.name: 1.0 for spec in specs_of(params_type) if spec.name == "smoothing"}
    chosen = parse_params(params_type, smoothed | params)
    task = LearnTask(learner, data, chosen, SEED)
    events = list(task(NEVER))
    last = events[-1]
    assert isinstance(last, Finished)
    kept = {e.artifact.kind: e.artifact.plain() for e in events if isinstance(e, ArtifactSaved)}
    data_id, model_id = app.project.next_data_id(), app.project.next_model_id()
    assert app.change("Add data", partial(add_data, entry=DataEntry("rows", data)))
    record = Run(
        learner=learner,
        params=plain_params(chosen, {}),
        seed=SEED,
        data_fingerprint=data.fingerprint,
        program_version="0",
        outcome=Outcome.FINISHED,
        title=learner_of(learner).title,
        data_id=data_id,
        measures=last.measures,
        artifacts=kept,
    )
    entry = ModelEntry(record.title, last.model, data_id=data_id)
    assert app.change("Learn", partial(add_run, run=record, model=entry))
    return model_id
