"""The relation that a relational network goes with: of its data set, or its own tuples."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.errors import DataError, TooLargeError
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.number_format import whole
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.model_data import model_sources

# A network without data whose tuples are more is not listed.
MAX_TUPLES = 100_000


def relation_for(model: RelationalNetwork, data: DataSet | None) -> Relation:
    """The relation of the data; without data the tuples of the network."""
    if data is not None:
        return Relation.of(data)
    if model.tuple_count > MAX_TUPLES:
        raise TooLargeError(
            f"The network has {whole(model.tuple_count)} tuples; at most {whole(MAX_TUPLES)} are "
            "listed. Open its data set as well."
        )
    tuples = np.array(sorted(model.join_tree.tuples()), dtype=np.int64).T
    return Relation(model.domain, np.ascontiguousarray(tuples))


def data_of_model(app: AppContext, model_id: str) -> DataSet | None:
    """The rows of the project that have the columns of a model."""
    rows = model_sources(app).rows(model_id)
    return None if rows is None else rows.data


class RelationCache:
    """The relation of the model that was asked for last; None if it cannot be listed."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._known: tuple[object, object, Relation | None] = (None, None, None)

    def relation(self, model_id: str) -> Relation | None:
        entry = self._app.project.models.get(model_id)
        if entry is None or not isinstance(entry.model, RelationalNetwork):
            return None
        data = data_of_model(self._app, model_id)
        source = entry.model if data is None else data
        if self._known[0] is not source or self._known[1] is not entry.model.domain:
            try:
                relation = relation_for(entry.model, data)
            except (DataError, TooLargeError):
                relation = None
            self._known = (source, entry.model.domain, relation)
        return self._known[2]
