"""Bootstrap of a structure: the frequency of each edge over models learned from resampled rows.

Friedman, Goldszmidt and Wyner (1999): draw as many rows as there are, with replacement; learn;
count the edges; repeat. Every replicate has its own random numbers, given by the seed and its
number, so the frequencies do not depend on how many processes share the work or on who is first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import bootstrap_rows
from pgmstudio.core.errors import Cancelled, DataError, RunFailedError
from pgmstudio.core.execution.child_process import in_processes
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_frequencies import Averaged, Edge, EdgeFrequencies
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of, oriented
from pgmstudio.core.languages.base import Language
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.registry import a_kind, edge_analysis, kinds_with, language
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, Learner, LearnEvent
from pgmstudio.core.model import Model, UndirectedModel
from pgmstudio.core.params import AUTO, param, params_to_dict, specs_of

ORIENTATIONS = ("graph", "class")
# A process of its own takes two seconds to begin. Hill climbing does as much work, in rows times
# pairs of columns, in about eight seconds.
WORK_FOR_PROCESSES = 2e8
# A table of the averaged network: 80 MB while its smoothing is tuned on ten folds.
MAX_TABLE_CELLS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapParams:
    """How often to learn again, and how edges are counted."""

    replicates: int = param(
        200,
        title="Replicates",
        low=1,
        help="How many times rows are drawn with replacement and learned from.",
    )
    orientation: str = param(
        "class",
        title="Directions",
        choices=ORIENTATIONS,
        help="class: an edge counts as directed where every equivalent graph has that direction, "
        "else as free; graph: as the learner directed it.",
    )
    threshold: float = param(
        0.5,
        title="Threshold",
        low=0,
        low_open=True,
        high=1,
        help="The averaged network has the edges of at least this fraction of the replicates.",
    )


def no_bootstrap_reason(learner: Learner[Any]) -> str | None:
    """The reason why the models of a learner have no edges to count, or None."""
    if _has_counted_edges(language(learner.kind)):
        return None
    return (
        f"A bootstrap counts the edges of {kinds_with(_has_counted_edges)}; {learner.title} learns "
        f"{a_kind(learner.kind)}."
    )


def _has_counted_edges(row: Language) -> bool:
    return row.is_network or row.edge_analysis is not None


def has_directions(learner: Learner[Any]) -> bool:
    """Whether the edges of the learner's models have directions."""
    return edge_analysis(learner.kind).is_directed


@dataclass(frozen=True, slots=True)
class Replicate:
    """The edges of one replicate; an undirected edge has no direction."""

    number: int
    graph: Pdag


@dataclass(frozen=True, slots=True)
class Counted:
    """The frequencies of the replicates so far."""

    frequencies: EdgeFrequencies


@dataclass(frozen=True, eq=False)
class BootstrapPlan(LearnTask):
    """A bootstrap as a run: learner, rows, parameters, seed, and how often to learn again.

    What it keeps are the frequencies, its model is the averaged network. The same plan gives the
    same frequencies over any number of processes.
    """

    settings: BootstrapParams = dataclasses.field(default_factory=BootstrapParams)
    processes: int = 1

    @cached_property
    def _quick_params(self) -> Any:
        """Only the graph is looked at, so the tables need no tuning; processes are in use."""
        quick: dict[str, object] = {}
        if getattr(self.params, "smoothing", None) == AUTO:
            quick["smoothing"] = 1.0
        if hasattr(self.params, "processes"):
            quick["processes"] = 1
        return dataclasses.replace(self.params, **quick) if quick else self.params

    @property
    def knowledge(self) -> Knowledge | None:
        """The rules about edges that every replicate obeys."""
        result = [getattr(self.params, spec.name) for spec in specs_of(type(self.params))]
        return next((value for value in result if isinstance(value, Knowledge)), None)

    def as_dict(self) -> dict[str, Any]:
        """How the frequencies came about, as plain values."""
        made = {"learner": self.learner_key, "seed": self.seed, **params_to_dict(self.settings)}
        is_directed = has_directions(learner_of(self.learner_key))
        return made if is_directed else {**made, "has_directions": False}

    def check(self) -> None:
        """DataError when the learner cannot use the rows, or finds no edges that can be counted."""
        learner = learner_of(self.learner_key)
        refusal = no_bootstrap_reason(learner) or learner.refuses(self.data)
        if refusal is not None:
            raise DataError(refusal)

    def replicate(self, number: int, cancel: CancelToken) -> Replicate:
        """Draw rows and learn from them; depends on the seed and the number alone."""
        drawing, learning = np.random.SeedSequence(self.seed, spawn_key=(number,)).spawn(2)
        rows = bootstrap_rows(self.data, np.random.default_rng(drawing))
        learner = learner_of(self.learner_key)
        run = learner.run(
            rows, self._quick_params, rng=np.random.default_rng(learning), cancel=cancel
        )
        for event in run:
            if isinstance(event, Finished):
                return Replicate(number, self._graph(event.model))
        raise RunFailedError(f"{learner.title} ended without a model.")

    def _graph(self, model: Model) -> Pdag:
        if isinstance(model, UndirectedModel):
            return Pdag.from_edges(model.domain.names, (), model.undirected_edges)
        dag = dag_of(model)
        is_class = self.settings.orientation == "class"
        return class_under(dag, self.knowledge) if is_class else Pdag.of_dag(dag)

    def __call__(self, cancel: CancelToken, /) -> Iterator[LearnEvent]:
        last: EdgeFrequencies | None = None
        shown_graphs = 0
        try:
            for event in bootstrap(self, cancel=cancel):
                if isinstance(event, Progress):
                    yield event
                    continue
                last = event.frequencies
                # Ever rarer, since each has all replicates so far.
                if last.graphs > 1.5 * shown_graphs:
                    shown_graphs = last.graphs
                    yield ArtifactSaved(last)
                    yield ImprovedModel(*self.averaged(last))
        except Cancelled:
            if last is not None and last.graphs > shown_graphs:
                yield ArtifactSaved(last)
                yield ImprovedModel(*self.averaged(last))
            raise
        if last is None:
            raise RunFailedError("The bootstrap ended without a replicate.")
        yield ArtifactSaved(last)
        yield from map(Note, self.notes(last))
        yield Finished(*self.averaged(last))

    def averaged(self, result: EdgeFrequencies) -> tuple[Model, dict[str, float]]:
        """The model of the frequent edges with parameters from all rows, and its measures."""
        threshold = self.settings.threshold
        averaged = result.averaged(threshold)
        measures = {
            "replicates": float(result.graphs),
            "threshold": threshold,
            "edges": float(len(averaged.dag.edges)),
            "left_out_for_cycles": float(len(averaged.left_out)),
        }
        edges, too_large = affordable_edges(self, result, averaged)
        if too_large:
            measures |= {
                "edges": float(len(edges)),
                "left_out_for_size": float(len(too_large)),
            }
        return averaged_model(self, result, threshold), measures

    def omissions(self, result: EdgeFrequencies) -> Iterator[str]:
        """What the averaged network lacks of the frequent edges, and why."""
        averaged = result.averaged(self.settings.threshold)
        for edge in averaged.left_out:
            yield f"{edge.source} → {edge.target} would close a cycle and was left out."
        for source, target in affordable_edges(self, result, averaged)[1]:
            yield (
                f"{source} → {target} was left out: with it the table of {target} would have more "
                f"than {MAX_TABLE_CELLS:,} cells."
            )

    def notes(self, result: EdgeFrequencies) -> Iterator[str]:
        """Notes about the replicates for the run's log."""
        threshold = self.settings.threshold
        averaged = result.averaged(threshold)
        always = sum(edge.joined > 1 - 1e-9 for edge in result.edges)
        yield (
            f"{result.graphs} replicates joined {len(result.edges)} pairs; "
            f"{always} in all of them, {len(averaged.dag.edges)} edges of at least "
            f"{threshold:.0%} make the network."
        ).replace("%", " %")
        if not result.has_directions:
            yield "The network has no contexts: only edges are counted."
        yield from self.omissions(result)
        if not averaged.is_exact:
            yield "No network has exactly the v-structures that most replicates share."


def processes_for(data: DataSet, replicates: int) -> int:
    """Over how many processes to spread so many replicates; the frequencies are the same."""
    work = replicates * data.row_count * len(data.domain) ** 2
    return 1 if work < WORK_FOR_PROCESSES else min(replicates, core_count())


@dataclass(frozen=True, eq=False)
class BootstrapShare:
    """Every `step`-th replicate from `first` on, as a task for a child process."""

    plan: BootstrapPlan
    first: int = 0
    step: int = 1

    def __call__(self, cancel: CancelToken, /) -> Iterator[Replicate]:
        for number in range(self.first, self.plan.settings.replicates, self.step):
            cancel.raise_if_cancelled()
            yield self.plan.replicate(number, cancel)


def bootstrap(plan: BootstrapPlan, *, cancel: CancelToken) -> Iterator[Progress | Counted]:
    """Frequencies that grow with every replicate; stopping keeps the last that came.

    With more than one process the replicates arrive in any order, and their counts are the same.
    """
    plan.check()
    wanted = plan.settings.replicates
    processes = max(1, min(plan.processes, wanted))
    if processes == 1:
        result = BootstrapShare(plan)(cancel)
    else:
        tasks = [BootstrapShare(plan, first, processes) for first in range(processes)]
        result = (replicate for _, replicate in in_processes(tasks, cancel))
    counted = EdgeFrequencies(plan.data.domain.names, settings=plan.as_dict())
    yield Progress(0.0, f"0 of {wanted} replicates")
    for replicate in result:
        counted = counted.joined_by(replicate.graph)
        yield Counted(counted)
        done = counted.graphs
        message = f"{done} of {wanted} replicates"
        yield Progress(done / wanted, message, {"edges": float(len(counted.edges))})


def class_under(dag: Dag, knowledge: Knowledge | None) -> Pdag:
    """The equivalence class, narrowed to the directions that the rules leave open."""
    cpdag = cpdag_of(dag)
    if knowledge is None or knowledge.is_empty:
        return cpdag
    known = [
        (dag.index(source), dag.index(target))
        for source, target in dag.edges
        if not knowledge.allows(target, source) or (source, target) in knowledge.required
    ]
    narrowed = oriented(cpdag, known)
    return cpdag if narrowed is None else narrowed


def affordable_edges(
    task: LearnTask, result: EdgeFrequencies, averaged: Averaged
) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """The edges of the averaged graph whose tables fit in memory, the most frequent first, and the
    others. Models without tables given parents have all of them."""
    edges = averaged.dag.edges
    if not has_directions(learner_of(task.learner_key)):
        return edges, ()
    sizes = dict(zip(result.names, task.data.domain.cardinalities, strict=True))
    cells = dict(sizes)
    too_large = set()
    for source, target in sorted(edges, key=lambda edge: -result.of_pair(*edge).joined):
        if cells[target] * sizes[source] > MAX_TABLE_CELLS:
            too_large.add((source, target))
        else:
            cells[target] *= sizes[source]
    kept = tuple(edge for edge in edges if edge not in too_large)
    return kept, tuple(edge for edge in edges if edge in too_large)


def averaged_model(task: LearnTask, result: EdgeFrequencies, threshold: float) -> Model:
    """The model of the frequent edges, its parameters from all rows: of the learner's language, or
    a Bayesian network."""
    edges, _ = affordable_edges(task, result, result.averaged(threshold))
    smoothing = getattr(task.params, "smoothing", 1.0)
    analysis = edge_analysis(learner_of(task.learner_key).kind)
    return analysis.model_of_edges(edges, task.data, smoothing, np.random.default_rng(task.seed))
