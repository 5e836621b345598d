"""Edits of a decision graph in a project: steps on its nodes, moves in its forest, parameters.

Edits of labels in a project: contexts in and out, rows of classes, labels from equal rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.kinds import a_kind
from pgmstudio.core.languages.ldag.labels import (
    SAME,
    labelled_from_rows,
    labelled_less,
    labelled_more,
    with_labels_dropped,
    with_partition,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Context, with_context
from pgmstudio.core.languages.pdg.candidate_operations import Step
from pgmstudio.core.languages.pdg.measures import (
    SMOOTHING,
    fitted_where_changed,
    refitted,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import moved, with_parameters
from pgmstudio.core.project.edits import put, replace_model
from pgmstudio.core.project.project import Project


def take_step(
    project: Project, *, model_id: str, step: Step, data: DataSet | None = None
) -> Project:
    """Merge, split or redirect; with rows, the nodes that get other rows are fitted to them."""
    before = _graph(project, model_id)
    after = step.done(before)
    if data is not None:
        after = fitted_where_changed(before, after, data)
    return replace_model(project, model_id=model_id, model=after)


def move_variable(
    project: Project,
    *,
    model_id: str,
    variable: str,
    above: str | None,
    data: DataSet | None = None,
) -> Project:
    """The variable, with all below it, below another or as a root."""
    found = moved(_graph(project, model_id), variable, above, data)
    graph = found.graph
    if data is not None and not found.is_exact:
        graph = refitted(graph, data, SMOOTHING)  # as other edits: what was not seen stays possible
    return replace_model(project, model_id=model_id, model=graph)


def set_node(
    project: Project, *, model_id: str, variable: str, node: int, numbers: Sequence[float]
) -> Project:
    """Another distribution in one node."""
    graph = with_parameters(_graph(project, model_id), variable, node, numbers)
    return replace_model(project, model_id=model_id, model=graph)


def _graph(project: Project, model_id: str) -> DecisionGraph:
    model = project.model_entry(model_id).model
    if not isinstance(model, DecisionGraph):
        raise GraphError(
            "Nodes are edited in probabilistic decision graphs; this is another model."
        )
    return model


Floats = NDArray[np.float64]


def add_context(
    project: Project,
    *,
    model_id: str,
    source: str,
    target: str,
    context: Context,
    weights: Floats | None = None,
) -> Project:
    """The edge vanishes in one more context; rows that merge become their mean, by weight."""
    model = _labelled(project, model_id)
    edited = labelled_more(model, source, target, context, weights)
    return replace_model(project, model_id=model_id, model=edited)


def remove_context(
    project: Project, *, model_id: str, source: str, target: str, context: Context
) -> Project:
    """The edge no longer vanishes in a context; the rows keep the numbers they had together."""
    edited = labelled_less(_labelled(project, model_id), source, target, context)
    return replace_model(project, model_id=model_id, model=edited)


def delete_labelled_edge(
    project: Project,
    *,
    model_id: str,
    source: str,
    target: str,
    context: Context,
    weights: Floats | None = None,
) -> Project:
    """The context joins the label and with it no context needs the edge: it goes, the rest stays.

    Edges that have no say either once the rows are merged go with it.
    """
    model = _labelled(project, model_id)
    axis = model.dag.parents(target).index(source)
    i = model.domain.index(target)
    merged = with_context(model.classes[i], axis, context)
    edited = with_partition(model, target, merged, weights).regular()
    project = replace_model(project, model_id=model_id, model=edited)
    entry = project.model_entry(model_id)
    notes = {edge: text for edge, text in entry.edge_notes.items() if edge in edited.edges}
    return replace(project, models=put(project.models, model_id, replace(entry, edge_notes=notes)))


def set_class_rows(project: Project, *, model_id: str, variable: str, rows: Floats) -> Project:
    """Other distributions of the classes of a variable, in their order."""
    model = _labelled(project, model_id)
    i = model.domain.index(variable)
    every = (*model.rows[:i], np.asarray(rows, dtype=np.float64), *model.rows[i + 1 :])
    edited = LabelledDag(model.domain, model.dag, model.classes, every)
    return replace_model(project, model_id=model_id, model=edited)


def drop_labels(project: Project, *, model_id: str) -> Project:
    """Every configuration has a row of its own; the distribution stays."""
    edited = with_labels_dropped(_labelled(project, model_id))
    return replace_model(project, model_id=model_id, model=edited)


def labels_from_rows(project: Project, *, model_id: str, tolerance: float = SAME) -> Project:
    """A label wherever a parent changes no number by more than the tolerance, in place."""
    model = project.model_entry(model_id).model
    network = model.as_bayesian_network if isinstance(model, LabelledDag) else model
    if not isinstance(network, BayesianNetwork):
        raise GraphError(f"{a_kind(model.kind, 'A')} has no tables whose rows could be compared.")
    edited = labelled_from_rows(network, tolerance)
    return replace_model(project, model_id=model_id, model=edited)


def _labelled(project: Project, model_id: str) -> LabelledDag:
    model = project.model_entry(model_id).model
    if not isinstance(model, LabelledDag):
        raise GraphError(
            f"{a_kind(model.kind, 'A')} has no labels; convert it to a labelled graph first."
        )
    return model
