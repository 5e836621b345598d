"""The active model: its entry, beliefs and target, for panels and actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.inference.findings import TARGET, Chip, chip_of
from pgmstudio.core.languages.registry import kind_title
from pgmstudio.core.model import Model, UndirectedModel, edges_of
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.evidence.last_model import last_model


@dataclass(frozen=True)
class ActiveModel:
    """The active model with its beliefs and target."""

    model_id: str
    entry: ModelEntry
    live: BeliefService
    target: str | None
    waiting: frozenset[str] = frozenset()  # variables whose beliefs need a finished table
    context: Mapping[str, str] = field(default_factory=dict)  # in which it is viewed

    @property
    def model(self) -> Model:
        return self.entry.model

    @property
    def language(self) -> str:
        return kind_title(self.model.kind)

    def variable(self, name: str) -> Variable:
        return self.model.domain[name]

    def title(self, name: str) -> str:
        return self.entry.node_titles.get(name, name)

    @cached_property  # a check of a protocol is slow, and edges are read often
    def edges(self) -> tuple[tuple[str, str], ...]:
        return edges_of(self.model)

    @cached_property
    def is_undirected(self) -> bool:
        return isinstance(self.model, UndirectedModel)

    def parents(self, name: str) -> list[str]:
        if self.is_undirected:
            return []
        return [source for source, target in self.edges if target == name]

    def children(self, name: str) -> list[str]:
        if self.is_undirected:
            return []
        return [target for source, target in self.edges if source == name]

    def chip(self, name: str) -> Chip | None:
        """The chip of a variable in lists: its evidence, the target, or its state in the
        context."""
        finding = self.live.evidence.get(name)
        if finding is not None:
            return chip_of(self.variable(name), finding)
        if name == self.target:
            return TARGET
        return Chip(self.context[name], "funnel", "label") if name in self.context else None


def active_model(app: AppContext) -> ActiveModel | None:
    """The active model; None when the current page shows no model."""
    return _subject(app, app.workspace.model_id)


def subject_around(app: AppContext) -> ActiveModel | None:
    """The model that panels show: the active one, or the last one if the current page shows neither
    a model nor data, such as a page of the manual."""
    page = app.center.current
    if app.workspace.model_id is not None or page is None or page.about_data() is not None:
        return active_model(app)
    return _subject(app, last_model(app).id)


def data_around(app: AppContext) -> str | None:
    """The data set of the current page, else the first of the project."""
    page, data = app.center.current, app.project.data
    shown = page.about_data() if page is not None else None
    return shown if shown in data else next(iter(data), None)


def _subject(app: AppContext, model_id: str | None) -> ActiveModel | None:
    workspace = app.workspace
    entry = app.project.models.get(model_id or "")
    live = workspace.beliefs(model_id) if model_id is not None and entry is not None else None
    # Between a change of the document and its signal the beliefs may be those of the old model.
    if entry is None or live is None or live.model is not entry.model:
        return None
    assert model_id is not None
    waiting = cpt_edit_session(app).stale_in(model_id, entry.model, live.evidence)
    context = context_views(app).context(model_id)
    return ActiveModel(model_id, entry, live, workspace.target, waiting, context)


def rows_for(
    app: AppContext, entry: ModelEntry, first: Iterable[DataEntry | None] = ()
) -> DataEntry | None:
    """The first data set with a column of the model: of `first`, its own, then all others."""
    data = app.project.data
    known = set(entry.model.domain.names)
    for result in (*first, data.get(entry.data_id or ""), *data.values()):
        if result is not None and result.data.row_count and known & set(result.data.domain.names):
            return result
    return None
