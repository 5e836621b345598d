"""Edits of a project: functions that return a new project, or raise without changing anything.

The new project shares the unchanged parts. Edits inside one model are in `model_edits.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, TypeVar

from pgmstudio.core.data import transforms
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.imprecise import as_imprecise, as_precise, with_typed_cells
from pgmstudio.core.data.resampling import Split, SplitPlan, split_rows
from pgmstudio.core.errors import DataError, GraphError, PgmStudioError, named
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.bayesian_network.arc_reversal import (
    with_edge_turned,
    with_equivalent_graph,
)
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model, UndirectedModel, edges_of
from pgmstudio.core.project.project import (
    ComparisonEntry,
    CurveEntry,
    DataEntry,
    EvidenceCase,
    ModelEntry,
    Project,
    Run,
)

Edit = Callable[[Project], Project]
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class InOrder:
    """Several edits as one."""

    edits: tuple[Edit, ...]

    def __call__(self, project: Project) -> Project:
        return reduce(lambda so_far, edit: edit(so_far), self.edits, project)


@dataclass(frozen=True)
class Computed:
    """An edit whose result was computed beforehand, since it takes long; `edit` would give it."""

    edit: Edit
    result: Edit

    def __call__(self, project: Project) -> Project:
        return self.result(project)


@dataclass(frozen=True)
class Step:
    """One undo step: its text, the projects around it and the edits that made it."""

    text: str
    before: Project
    after: Project
    edits: tuple[Edit, ...]


def put(entries: Mapping[K, V], key: K, entry: V) -> dict[K, V]:
    """The entries with one more, or one replaced at its position."""
    return {**entries, key: entry}


def without(entries: Mapping[K, V], *gone: K) -> dict[K, V]:
    """The entries without some; names that are not there change nothing."""
    return {key: entry for key, entry in entries.items() if key not in gone}


def free_name(name: str, used: Iterable[str]) -> str:
    """The name, with a number if it is in use: two things of one name could not be told apart."""
    taken = set(used)
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _model_title(project: Project, title: str, but: str | None = None) -> str:
    return free_name(title, (e.title for key, e in project.models.items() if key != but))


def with_distinct_titles(project: Project) -> Project:
    """Models and data sets of the same name are numbered, in their order."""
    data: dict[str, DataEntry] = {}
    for key, entry in project.data.items():
        name = free_name(entry.name, (other.name for other in data.values()))
        data[key] = entry if name == entry.name else replace(entry, name=name)
    models: dict[str, ModelEntry] = {}
    for key, model in project.models.items():
        title = free_name(model.title, (other.title for other in models.values()))
        models[key] = model if title == model.title else replace(model, title=title)
    is_same = all(data[k] is e for k, e in project.data.items()) and all(
        models[k] is e for k, e in project.models.items()
    )
    return project if is_same else replace(project, data=data, models=models)


def set_title(project: Project, *, title: str) -> Project:
    """The title of the whole project."""
    return replace(project, title=title)


def set_notes(project: Project, *, notes: str) -> Project:
    """The notes on the whole project, in Markdown."""
    return replace(project, notes=notes)


# Data


def add_data(project: Project, *, entry: DataEntry) -> Project:
    """One more data set, under `project.next_data_id()`."""
    _check_split(entry)
    entry = replace(entry, name=free_name(entry.name, (d.name for d in project.data.values())))
    return replace(project, data=put(project.data, project.next_data_id(), entry))


def remove_data(project: Project, *, data_id: str) -> Project:
    """Without the data set; what was learned from it stays and refers to nothing."""
    project.data_entry(data_id)
    return replace(
        project,
        data=without(project.data, data_id),
        models=_freed(project.models, "data_id", data_id),
        runs=_freed(project.runs, "data_id", data_id),
        curves=_freed(project.curves, "data_id", data_id),
        comparisons=_freed(project.comparisons, "data_id", data_id),
    )


def with_columns(entry: DataEntry, names: Iterable[str]) -> DataEntry:
    """The data set with these columns alone, in their order; its rows are split as they were."""
    wanted = set(names)
    data = entry.data.select_columns(name for name in entry.data.domain.names if name in wanted)
    counted = "1 column" if len(wanted) == 1 else f"{len(wanted)} columns"
    return replace(
        entry,
        name=f"{entry.name}, {counted}",
        data=data,
        cuts={name: cuts for name, cuts in entry.cuts.items() if name in wanted},
        split=None if entry.split is None else entry.split.made_for(data),
    )


def select_columns(project: Project, *, data_id: str, names: Iterable[str]) -> Project:
    """One more data set: some columns of another."""
    return add_data(project, entry=with_columns(project.data_entry(data_id), names))


def reimport_data(project: Project, *, data_id: str, entry: DataEntry) -> Project:
    """The rows, bin edges and split of a data set as imported again with other choices."""
    project = replace_data(project, data_id=data_id, data=entry.data)
    project = set_cuts(project, data_id=data_id, cuts=entry.cuts)
    project = set_split(project, data_id=data_id, split=entry.split)
    return _change_data(project, data_id, provenance=entry.provenance)


def rename_data(project: Project, *, data_id: str, name: str) -> Project:
    """Another name for people; the id stays."""
    others = (entry.name for key, entry in project.data.items() if key != data_id)
    return _change_data(project, data_id, name=free_name(name, others))


def replace_data(project: Project, *, data_id: str, data: DataSet) -> Project:
    """Other rows under the same id; a split of another number of rows is dropped, and so are the
    cuts of columns that are gone."""
    entry = project.data_entry(data_id)
    fits = entry.split is not None and entry.split.fits(data)
    cuts = {name: edges for name, edges in entry.cuts.items() if name in data.domain}
    split = entry.split if fits else None
    return _change_data(project, data_id, data=data, split=split, cuts=cuts)


# Edits of rows and states, by the name that `edit_data` takes.
DATA_EDITS: Mapping[str, Callable[..., DataSet]] = {
    edit.__name__: edit
    for edit in (
        transforms.rename_states,
        transforms.reorder_states,
        transforms.merge_states,
        transforms.merge_rare_states,
        transforms.declare_states,
        transforms.set_ordinal,
        transforms.drop_columns,
        transforms.drop_rows,
        transforms.missing_as_state,
        transforms.impute_mode,
        transforms.impute_seeded,
        DataSet.complete_rows,
        as_imprecise,
        as_precise,
        with_typed_cells,
    )
}


def edit_data(project: Project, *, data_id: str, edit: str, **arguments: Any) -> Project:
    """An edit of the rows or states of a data set, such as `merge_states`."""
    function = named("edit of data", edit, DATA_EDITS)
    data = function(project.data_entry(data_id).data, **arguments)
    return replace_data(project, data_id=data_id, data=data)


def split_data(project: Project, *, data_id: str, **plan: Any) -> Project:
    """Split the rows as the entries of a `SplitPlan` say; a column of parts leaves the data."""
    before = project.data_entry(data_id).data
    data, split = split_rows(before, SplitPlan(**plan))
    if data is not before:
        project = replace_data(project, data_id=data_id, data=data)
    return set_split(project, data_id=data_id, split=split)


def set_split(project: Project, *, data_id: str, split: Split | None) -> Project:
    """How the rows are split; None for not at all, DataError for a split of other rows."""
    return _change_data(project, data_id, split=split)


def set_cuts(project: Project, *, data_id: str, cuts: Mapping[str, Cuts]) -> Project:
    """Where columns of numbers were cut, by column."""
    return _change_data(project, data_id, cuts=dict(cuts))


def set_missing_markers(project: Project, *, data_id: str, markers: Iterable[str]) -> Project:
    """What stands for a missing cell in the file."""
    return _change_data(project, data_id, missing_markers=tuple(markers))


def set_data_notes(project: Project, *, data_id: str, notes: str) -> Project:
    """The notes on one data set."""
    return _change_data(project, data_id, notes=notes)


def _change_data(project: Project, data_id: str, **changes: Any) -> Project:
    entry = replace(project.data_entry(data_id), **changes)
    _check_split(entry)
    return replace(project, data=put(project.data, data_id, entry))


def _check_split(entry: DataEntry) -> None:
    if entry.split is not None and entry.split.row_count != entry.data.row_count:
        raise DataError(
            f"The split is of {entry.split.row_count} rows, but {entry.name} has "
            f"{entry.data.row_count}. Split it again."
        )


def _freed(entries: Mapping[str, V], reference: str, gone: str) -> Mapping[str, V]:
    """The entries, those that refer to `gone` without the reference; the same when none does."""
    if not any(getattr(entry, reference) == gone for entry in entries.values()):
        return entries
    return {
        key: replace(entry, **{reference: None}) if getattr(entry, reference) == gone else entry  # type: ignore[type-var]
        for key, entry in entries.items()
    }


# Models


def add_model(project: Project, *, entry: ModelEntry) -> Project:
    """One more model, under `project.next_model_id()`."""
    entry = replace(entry, title=_model_title(project, entry.title))
    return replace(project, models=put(project.models, project.next_model_id(), entry))


def remove_model(project: Project, *, model_id: str) -> Project:
    """Without the model and the evidence cases that were only for it."""
    if model_id in project.unknown.models:
        unknown = replace(project.unknown, models=without(project.unknown.models, model_id))
        return replace(project, unknown=unknown)
    project.model_entry(model_id)
    cases = project.evidence_cases
    own = [name for name, case in cases.items() if case.model_id == model_id]
    comparisons = {
        key: replace(entry, model_ids=tuple(m for m in entry.model_ids if m != model_id))
        if model_id in entry.model_ids
        else entry
        for key, entry in project.comparisons.items()
    }
    return replace(
        project,
        models=without(project.models, model_id),
        runs=_freed(project.runs, "model_id", model_id),
        evidence_cases=without(cases, *own) if own else cases,
        comparisons=comparisons,
    )


def rename_model(project: Project, *, model_id: str, title: str) -> Project:
    """Another title; the id stays."""
    title = _model_title(project, title, but=model_id)
    entry = replace(project.model_entry(model_id), title=title)
    return replace(project, models=put(project.models, model_id, entry))


def duplicate_model(project: Project, *, model_id: str, title: str) -> Project:
    """A copy under a new id, after all others."""
    return add_model(project, entry=replace(project.model_entry(model_id), title=title))


def replace_model(
    project: Project, *, model_id: str, model: Model, run_id: str | None = None
) -> Project:
    """Another model under the same id, learned by a run or, with None, made by hand."""
    entry = project.model_entry(model_id)
    if run_id is None:
        entry = replace(entry, model=model, is_edited=True)
    else:
        named("run", run_id, project.runs)
        entry = replace(entry, model=model, run_id=run_id, is_edited=False)
    return replace(project, models=put(project.models, model_id, entry))


# Knowledge


def set_knowledge(project: Project, *, knowledge: Knowledge) -> Project:
    """Replaces all rules about edges."""
    return replace(project, knowledge=knowledge)


def set_edge_prices(project: Project, *, edge_prices: EdgePrices) -> Project:
    """Replaces the prices of all edges."""
    return replace(project, edge_prices=edge_prices)


def require_edge(project: Project, *, source: str, target: str) -> Project:
    """The edge must occur; it is no longer forbidden."""
    _check_ends(source, target)
    edge, rules = (source, target), project.knowledge
    rules = replace(rules, required=rules.required | {edge}, forbidden=rules.forbidden - {edge})
    return replace(project, knowledge=rules)


def forbid_edge(project: Project, *, source: str, target: str) -> Project:
    """The edge must not occur; it is no longer required."""
    _check_ends(source, target)
    edge, rules = (source, target), project.knowledge
    rules = replace(rules, required=rules.required - {edge}, forbidden=rules.forbidden | {edge})
    return replace(project, knowledge=rules)


def forget_edge_rule(project: Project, *, source: str, target: str) -> Project:
    """The edge is neither required nor forbidden by a rule of its own."""
    edge: Edge = (source, target)
    rules = project.knowledge
    rules = replace(rules, required=rules.required - {edge}, forbidden=rules.forbidden - {edge})
    return replace(project, knowledge=rules)


def rule_edit(edit: Callable[..., Project], model: Model | None, source: str, target: str) -> Edit:
    """The edit of a rule about an edge as the model has it: an edge without direction is forbidden
    in both directions, and required or freed in any."""

    directed = partial(edit, source=source, target=target)
    if not isinstance(model, UndirectedModel):
        return directed
    reverse = edit if edit is forbid_edge else forget_edge_rule
    return InOrder((partial(reverse, source=target, target=source), directed))


def set_tiers(
    project: Project, *, tiers: Iterable[Iterable[str]], closed_tiers: Iterable[int] = ()
) -> Project:
    """The tiers from earlier to later; those with these numbers, from 0, allow no edge inside."""
    rules = replace(
        project.knowledge,
        tiers=tuple(tuple(tier) for tier in tiers),
        closed_tiers=frozenset(closed_tiers),
    )
    return replace(project, knowledge=rules)


def _check_ends(source: str, target: str) -> None:
    if source == target:
        raise PgmStudioError(f"An edge leads from one variable to another; both are {source}.")


# Runs, evidence cases, curves, comparisons


def add_run(
    project: Project, *, run: Run, model: ModelEntry | None = None, into: str | None = None
) -> Project:
    """One more run, under `project.next_run_id()`, and with it the model that it learned.

    `into` is a model that has shown the best so far: it becomes the run's model, in its place.
    """
    run_id = project.next_run_id()
    if model is not None:
        model_id = project.next_model_id() if into is None else into
        run = replace(run, model_id=model_id)
        model = replace(model, run_id=run_id, data_id=run.data_id)
        if into is None:
            project = add_model(project, entry=model)
        else:
            landed = replace(
                project.model_entry(into),  # positions, titles and notes stay
                title=_model_title(project, model.title, but=into),
                model=model.model,
                data_id=model.data_id,
                run_id=run_id,
                provenance=model.provenance,
            )
            project = replace(project, models=put(project.models, into, landed))
    return replace(project, runs=put(project.runs, run_id, run))


def remove_run(project: Project, *, run_id: str) -> Project:
    """Without the run; its model stays."""
    named("run", run_id, project.runs)
    return replace(
        project,
        runs=without(project.runs, run_id),
        models=_freed(project.models, "run_id", run_id),
    )


def save_evidence_case(
    project: Project, *, name: str, evidence: Mapping[str, Finding], model_id: str | None = None
) -> Project:
    """Keep evidence under a name; a case of that name is replaced."""
    if not name:
        raise PgmStudioError("An evidence scenario needs a name.")
    if model_id is not None:
        project.model_entry(model_id)
    case = EvidenceCase(dict(evidence), model_id)
    return replace(project, evidence_cases=put(project.evidence_cases, name, case))


def rename_evidence_case(project: Project, *, old: str, new: str) -> Project:
    """The case under another name, at the same position."""
    named("evidence scenario", old, project.evidence_cases)
    if not new or (new != old and new in project.evidence_cases):
        raise PgmStudioError(f"There is an evidence scenario called “{new}” already.")
    cases = {new if name == old else name: case for name, case in project.evidence_cases.items()}
    return replace(project, evidence_cases=cases)


def delete_evidence_case(project: Project, *, name: str) -> Project:
    """Without the case of this name."""
    named("evidence scenario", name, project.evidence_cases)
    return replace(project, evidence_cases=without(project.evidence_cases, name))


def add_curve(project: Project, *, entry: CurveEntry) -> Project:
    """One more set of SL-curves, under `project.next_curve_id()`."""
    return replace(project, curves=put(project.curves, project.next_curve_id(), entry))


def set_curve(project: Project, *, curve_id: str, entry: CurveEntry) -> Project:
    """Other content under the id of some SL-curves."""
    named("SL-curve", curve_id, project.curves)
    return replace(project, curves=put(project.curves, curve_id, entry))


def rename_curve(project: Project, *, curve_id: str, title: str) -> Project:
    """SL-curves under another title."""
    entry = named("SL-curve", curve_id, project.curves)
    return set_curve(project, curve_id=curve_id, entry=replace(entry, title=title))


def remove_curve(project: Project, *, curve_id: str) -> Project:
    """Without these SL-curves; their models stay."""
    named("SL-curve", curve_id, project.curves)
    return replace(project, curves=without(project.curves, curve_id))


def add_comparison(project: Project, *, entry: ComparisonEntry) -> Project:
    """One more comparison, under `project.next_comparison_id()`; its models must exist."""
    for model_id in entry.model_ids:
        project.model_entry(model_id)
    key = project.next_comparison_id()
    return replace(project, comparisons=put(project.comparisons, key, entry))


def rename_comparison(project: Project, *, comparison_id: str, title: str) -> Project:
    """A comparison under another title."""
    entry = replace(named("comparison", comparison_id, project.comparisons), title=title)
    return replace(project, comparisons=put(project.comparisons, comparison_id, entry))


def remove_comparison(project: Project, *, comparison_id: str) -> Project:
    """Without this comparison; its models stay."""
    named("comparison", comparison_id, project.comparisons)
    return replace(project, comparisons=without(project.comparisons, comparison_id))


def choices_of(entry: ModelEntry) -> str | None:
    """What was decided so far, as the learner's parameter `choose` writes it."""
    params = entry.provenance.get("parameters")
    choice = params.get("choose") if isinstance(params, dict) else None
    return choice if isinstance(choice, str) else None


def resolve_choices(project: Project, *, model_id: str, model: Model, choose: str) -> Project:
    """The model that follows from some choices, and the choices with where it came from."""
    project = replace_model(project, model_id=model_id, model=model)
    entry = project.model_entry(model_id)
    before = entry.provenance.get("parameters")
    params = {**(before if isinstance(before, dict) else {}), "choose": choose}
    entry = replace(entry, provenance={**entry.provenance, "parameters": params})
    return replace(project, models=put(project.models, model_id, entry))


def turn_edge(project: Project, *, model_id: str, source: str, target: str) -> Project:
    """The edge the other way round, tables and inherited parents such that P stays the same."""
    network = _network(project, model_id)
    return same_distribution(
        project, model_id=model_id, model=with_edge_turned(network, source, target)
    )


def direct_edges(project: Project, *, model_id: str, edges: Iterable[Edge]) -> Project:
    """The equivalent graph in which these edges have these directions, and all others their own;
    P stays the same."""
    network = _network(project, model_id)
    wanted = {frozenset(edge): edge for edge in edges}
    turned = tuple(wanted.pop(frozenset(edge), edge) for edge in network.dag.edges)
    if wanted:
        source, target = next(iter(wanted.values()))
        raise GraphError(f"There is no edge between {source} and {target}.")
    dag = Dag.from_edges(network.dag.names, turned)
    return same_distribution(project, model_id=model_id, model=with_equivalent_graph(network, dag))


def same_distribution(project: Project, *, model_id: str, model: Model) -> Project:
    """Another graph for the same distribution; notes on edges go with edges that turned."""
    entry = project.model_entry(model_id)
    _network(project, model_id)
    edges = set(edges_of(model))
    notes = {
        (edge[1], edge[0]) if (edge[1], edge[0]) in edges else edge: text
        for edge, text in entry.edge_notes.items()
    }
    entry = replace(entry, model=model, is_edited=True, edge_notes=notes)
    return replace(project, models=put(project.models, model_id, entry))


def _network(project: Project, model_id: str) -> BayesianNetwork:
    model = project.model_entry(model_id).model
    network = plain_network(model)
    if network is None:
        raise GraphError(
            f"The edges of {a_kind(model.kind)} cannot be turned; convert it to a Bayesian network."
        )
    return network


def replace_structure(project: Project, *, model_id: str, model: Model) -> Project:
    """Another model over the same variables; a note turns with its edge and goes with it."""
    project = replace_model(project, model_id=model_id, model=model)
    entry = project.model_entry(model_id)
    edges = set(edges_of(model))
    notes = {}
    for (source, target), text in entry.edge_notes.items():
        for edge in ((source, target), (target, source)):
            if edge in edges:
                notes[edge] = text
                break
    return replace(project, models=put(project.models, model_id, replace(entry, edge_notes=notes)))
