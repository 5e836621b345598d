"""Small projects for tests of the window."""

from __future__ import annotations

from functools import partial

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.app.shell import Shell


def sprinkler() -> BayesianNetwork:
    """Rain and sprinkler wet the grass; rain keeps the sprinkler off."""
    domain = Domain.of({"rain": ["no", "yes"], "sprinkler": ["off", "on"], "wet": ["no", "yes"]})
    edges = [("rain", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")]
    tables = (
        np.array([0.8, 0.2]),
        np.array([[0.6, 0.4], [0.99, 0.01]]),
        np.array([[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]]),
    )
    return BayesianNetwork(domain, Dag.from_edges(domain.names, edges), tables)


def sprinkler_rows(count: int = 400) -> DataSet:
    return sprinkler().sample(count, np.random.default_rng(7))


def add_sprinkler(shell: Shell) -> str:
    """Data and model in the project, the model in view; returns the model's id."""
    shell.change("Import", partial(edits.add_data, entry=DataEntry("garden", sprinkler_rows())))
    data_id = list(shell.project.data)[-1]
    model_id = shell.project.next_model_id()
    entry = ModelEntry("Sprinkler", sprinkler(), data_id=data_id)
    shell.change("Open", partial(edits.add_model, entry=entry))
    shell.bench.view_model(model_id)
    return model_id
