"""Small projects for tests of the window."""

from __future__ import annotations

from functools import partial

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.context import AppContext


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


def add_sprinkler(app: AppContext) -> str:
    """Data and model in the project, the model in view; returns the model's id."""
    app.change("Import", partial(edits.add_data, entry=DataEntry("garden", sprinkler_rows())))
    data_id = list(app.project.data)[-1]
    model_id = app.project.next_model_id()
    entry = ModelEntry("Sprinkler", sprinkler(), data_id=data_id)
    app.change("Open", partial(edits.add_model, entry=entry))
    app.workspace.activate_model(model_id)
    return model_id


VOTES = Domain.of({name: ["no", "yes"] for name in ("tax", "aid", "ban", "crime", "school")})


def votes_mixture() -> TreeMixture:
    """Three trees over five votes: tax – aid is in all of them, aid – ban in two."""
    rng = np.random.default_rng(4)

    def tree(*parents: int | None) -> Tree:
        tables = [
            rng.dirichlet([1.0, 1.0], size=None if parent is None else 2) for parent in parents
        ]
        return Tree(VOTES, parents, tuple(tables))

    trees = (tree(None, 0, 1, 2, 3), tree(None, 0, 1, 0, 0), tree(None, 0, 0, 1, None))
    return TreeMixture(VOTES, np.array([0.6, 0.35, 0.05]), trees)


def votes_classes() -> LatentClasses:
    """Two classes that vote against each other, and a third in between."""
    yes = np.array([0.9, 0.15, 0.5])
    tables = tuple(
        np.stack([1 - row, row], axis=1) for row in (yes, yes, 1 - yes, 0.8 * yes, yes[::-1])
    )
    return LatentClasses(VOTES, np.array([0.5, 0.3, 0.2]), tables)


def add_votes(app: AppContext, kind: str) -> str:
    """Rows and a model of the kind (“mixture” or “classes”) in the project, the model in view."""
    model = votes_mixture() if kind == "mixture" else votes_classes()
    rows = model.sample(300, np.random.default_rng(3))
    app.change("Import", partial(edits.add_data, entry=DataEntry("votes", rows)))
    data_id = list(app.project.data)[-1]
    model_id = app.project.next_model_id()
    entry = ModelEntry("Votes", model, data_id=data_id)
    app.change("Open", partial(edits.add_model, entry=entry))
    app.workspace.activate_model(model_id)
    return model_id
