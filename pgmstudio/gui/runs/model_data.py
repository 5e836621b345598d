"""What a model can be asked with: the rows it goes with, the bootstraps and records of its data."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.learners import all_learners, restored
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.params import parse_params
from pgmstudio.core.project.model_rows import ModelRows, no_rows_reason, rows_of_model
from pgmstudio.core.project.project import Project, Run, restored_params
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.model_state import ByModel

BOOTSTRAP_OF = "bootstrap of "  # begins the provenance of a model that averages one
NO_BOOTSTRAP = "No bootstrap of these rows yet. Learn ▸ Bootstrap… makes one."


class ModelSources(QObject):
    """Rows and artifacts of models in the project, cached until the data change."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._rows: ByModel[tuple[tuple[object, ...], ModelRows | None]] = ByModel(app.document)
        self._restored: dict[tuple[str, str], tuple[object, RunArtifact | None]] = {}
        app.document.replaced.connect(self._restored.clear)

    @property
    def _project(self) -> Project:
        return self._app.project

    def rows(self, model_id: str) -> ModelRows | None:
        """The rows with the variables of a model; None when there are none."""
        project = self._project
        entry = project.models.get(model_id)
        if entry is None:
            return None
        known = (project.data, entry.model.domain, entry.data_id, entry.run_id)
        cached = self._rows.get(model_id)
        if cached is None or any(a is not b for a, b in zip(cached[0], known, strict=True)):
            cached = self._rows[model_id] = (known, rows_of_model(project, model_id))
        return cached[1]

    def rows_or_why(self, model_id: str) -> DataSet | str:
        """The rows, or the reason why there are none."""
        rows = self.rows(model_id)
        return no_rows_reason(self._project, model_id) if rows is None else rows.data

    def run(self, model_id: str) -> Run | None:
        """The run that made a model."""
        entry = self._project.models.get(model_id)
        return None if entry is None else self._project.runs.get(entry.run_id or "")

    def params(self, model_id: str) -> Any:
        """The parameters of the run that made a model; None where they cannot be read."""
        run = self.run(model_id)
        learner = None if run is None else all_learners().get(run.learner)
        if run is None or learner is None:
            return None
        models = {key: entry.model for key, entry in self._project.models.items()}
        try:
            return parse_params(learner.params_type, restored_params(run.params, models))
        except PgmStudioError:  # of another version, or a model it started from is gone
            return None

    def artifact(self, model_id: str, kind: str) -> RunArtifact | None:
        """Artifact of this kind of the run that made a model."""
        entry = self._project.models.get(model_id)
        return None if entry is None else self._artifact_of(entry.run_id or "", kind)

    def _artifact_of(self, run_id: str, kind: str) -> RunArtifact | None:
        run = self._project.runs.get(run_id)
        if run is None or kind not in run.artifacts:
            return None
        plain = run.artifacts[kind]
        known = self._restored.get((run_id, kind))
        if known is None or known[0] is not plain:
            known = self._restored[run_id, kind] = (plain, restored(kind, plain, run.learner))
        return known[1]

    def bootstrap_runs(self, model_id: str) -> list[str]:
        """The bootstraps of the rows that a model goes with, newest first."""
        rows = self.rows(model_id)
        entry = self._project.models.get(model_id)
        own = None if entry is None else entry.run_id
        run_ids = [
            run_id
            for run_id, run in self._project.runs.items()
            if EdgeFrequencies.kind in run.artifacts
            and (run_id == own or (rows is not None and run.data_fingerprint == rows.fingerprint))
        ]
        run_ids.reverse()
        return sorted(run_ids, key=lambda run_id: run_id != own)  # its own before any other

    def frequencies_of(self, run_id: str) -> EdgeFrequencies | None:
        """What a bootstrap counted."""
        artifact = self._artifact_of(run_id, EdgeFrequencies.kind)
        return artifact if isinstance(artifact, EdgeFrequencies) else None

    def frequencies(self, model_id: str) -> EdgeFrequencies | None:
        """What the newest bootstrap of the model's rows counted."""
        runs = self.bootstrap_runs(model_id)
        return self.frequencies_of(runs[0]) if runs else None

    def is_bootstrap(self, model_id: str) -> bool:
        """Whether a model is the average of a bootstrap that the project has."""
        if self.artifact(model_id, EdgeFrequencies.kind) is not None:
            return True
        entry = self._project.models.get(model_id)
        made_by = "" if entry is None else str(entry.provenance.get("made by", ""))
        return made_by.startswith(BOOTSTRAP_OF) and self.frequencies(model_id) is not None

    def frequencies_or_why(self, model_id: str) -> EdgeFrequencies | str:
        frequencies = self.frequencies(model_id)
        return NO_BOOTSTRAP if frequencies is None else frequencies


def model_sources(app: AppContext) -> ModelSources:
    """The `ModelSources` of a window, made on first use."""
    return app.service(ModelSources)
