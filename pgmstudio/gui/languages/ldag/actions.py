"""The actions of labelled DAGs: create and drop labels, set the context of the diagram."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.labels import labelled_from_rows
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.contexts.controller import contexts_of
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.widgets.actions import ActionSpec

NO_LABELS = "the active model is not a labelled DAG."


def label_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), _Commands(app)
    tables = on.model_with(
        lambda entry: isinstance(entry.model, BayesianNetwork | LabelledDag),
        lambda entry: (
            f"{a_kind(entry.model.kind)} has no tables whose rows could be compared; convert it."
        ),
    )
    labels = on.model_with(lambda entry: isinstance(entry.model, LabelledDag), NO_LABELS)
    contexts = on.model_with(
        lambda entry: contexts_of(entry.model),
        lambda entry: f"the edges of {a_kind(entry.model.kind)} do not vanish in contexts.",
    )
    context = on.model_with(
        lambda _: context_views(app).context(app.workspace.model_id or ""),
        "the context is empty; add a variable in the bar over the graph.",
    )
    return [
        ActionSpec(
            "model.labels-from-rows",
            "Make labels from equal rows",
            "Model/Labels",
            "A labelled DAG of this network; CPT rows that differ by at most ε are merged.",
            commands.make,
            icon="tag",
            needs=[tables],
            separator_before=True,
        ),
        ActionSpec(
            "model.labels-in-place",
            "Make labels in this model",
            "Model/Labels",
            "Replace this model by its labelled DAG. Undo restores every CPT row.",
            commands.make_here,
            needs=[tables],
        ),
        ActionSpec(
            "model.drop-labels",
            "Drop all labels",
            "Model/Labels",
            "Every configuration gets its own row again; the distribution does not change.",
            commands.drop,
            needs=[
                labels,
                on.model_with(_has_merged_rows, "every row has its own parameters already."),
            ],
        ),
        ActionSpec(
            "view.context.follow",
            "Evidence sets the context",
            "View/Context",
            "Use the evidence as the context: the graph is redrawn when the evidence changes.",
            commands.follow,
            icon="funnel",
            needs=[contexts],
            is_checked=commands.follows,
        ),
        ActionSpec(
            "view.context.clear",
            "Clear the context",
            "View/Context",
            "Show every edge of the graph again.",
            commands.clear,
            needs=[contexts, context],
        ),
        ActionSpec(
            "view.context.copy",
            "Copy the context to evidence",
            "View/Context",
            "Set the context as evidence; the beliefs change.",
            commands.copy,
            needs=[contexts, context],
        ),
    ]


def _has_merged_rows(entry: ModelEntry) -> bool:
    model = entry.model
    return isinstance(model, LabelledDag) and model.representation_size() != model.unlabelled_size()


class _Commands(QObject):
    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._making = LatestTask(self, self._on_made, app.errors.report)

    @property
    def _model_id(self) -> str:
        return self._app.workspace.model_id or ""

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._model_id)

    def make(self) -> None:
        """A new model of the project; the old one stays."""
        entry = self._entry
        if entry is not None:
            epsilon = cpt_edit_session(self._app).epsilon
            self._making.ask(partial(_made, entry, epsilon))

    def _on_made(self, made: ModelEntry) -> None:
        assert isinstance(made.model, LabelledDag)
        if add_and_show_model(self._app, made, f"Make {made.title}") is not None:
            self._app.notify(_savings_text(made.model))

    def make_here(self) -> None:
        epsilon, model_id = cpt_edit_session(self._app).epsilon, self._model_id
        edit = partial(edit_language, edit="labels_from_rows", model_id=model_id, tolerance=epsilon)
        if self._app.change("Make labels from equal rows", edit):
            model = self._app.project.models[model_id].model
            if isinstance(model, LabelledDag):
                self._app.notify(_savings_text(model), undo=True)

    def drop(self) -> None:
        edit = partial(edit_language, edit="drop_labels", model_id=self._model_id)
        self._app.change("Drop all labels", edit)

    def follows(self) -> bool:
        return context_views(self._app).follows(self._model_id)

    def follow(self) -> None:
        views = context_views(self._app)
        views.follow(self._model_id, not views.follows(self._model_id))
        self._app.actions.refresh()

    def clear(self) -> None:
        context_views(self._app).choose(self._model_id, {})
        self._app.actions.refresh()

    def copy(self) -> None:
        context_views(self._app).observe(self._model_id)


def _made(entry: ModelEntry, epsilon: float, _cancel: CancelToken) -> ModelEntry:
    """The labelled DAG of a network with its titles, notes and positions."""
    model = entry.model
    network = model.as_bayesian_network if isinstance(model, LabelledDag) else model
    assert isinstance(network, BayesianNetwork)
    positions = entry.layouts.get("dag") or entry.layouts.get("labels")
    return ModelEntry(
        f"{entry.title}, labels at ε {epsilon:g}",
        labelled_from_rows(network, epsilon),
        data_id=entry.data_id,
        node_titles=dict(entry.node_titles),
        node_notes=dict(entry.node_notes),
        notes=entry.notes,
        layouts={"labels": dict(positions)} if positions else {},
        provenance={"made by": f"rows of {entry.title} within {epsilon:g} made one"},
    )


def _savings_text(model: LabelledDag) -> str:
    """The number of parameters that the labels save, as a message."""
    saved = model.unlabelled_size() - model.representation_size()
    edges = counted(len(model.labelled_edges), "edge")
    if not saved:
        return "No rows are near enough: no label was made. A larger ε merges more."
    verb = "carries" if len(model.labelled_edges) == 1 else "carry"
    return f"{edges} {verb} labels; {counted(saved, 'parameter')} fewer."
