"""Bootstraps in the queue of runs."""

from __future__ import annotations

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.bootstrap import BootstrapParams, BootstrapPlan, processes_for
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.params import parse_params, specs_of
from pgmstudio.core.project.project import Run
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import training_rows


def start_bootstrap(app: AppContext, request: RunRequest, settings: BootstrapParams) -> LearningRun:
    """Learn again and again from rows drawn with replacement; spread over the cores."""
    data = training_rows(app.project, request.data_id, request.split_part)
    processes = processes_for(data, settings.replicates)
    plan = BootstrapPlan(
        request.learner_key, data, request.params, request.seed, settings, processes
    )
    return app.workspace.runs.enqueue(request, plan)


def settings_of(run: Run) -> BootstrapParams | None:
    """How often a recorded bootstrap learned again; None for other runs."""
    frequencies = run.kept.get(EdgeFrequencies.kind)
    if frequencies is None:
        return None
    names = {spec.name for spec in specs_of(BootstrapParams)}
    details = {name: value for name, value in frequencies["settings"].items() if name in names}
    try:
        return parse_params(BootstrapParams, details)
    except ParameterError:  # written by another version
        return None
