"""Parameter learning: the tables of a given graph from data with missing or hidden cells.

See parameter_fitting.py for the formulas and expected_counts.py for the expectation step. With
complete data the first step is the last: relative frequencies with their pseudo-counts.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    expectation_of,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    MAX_ITERATIONS,
    TOLERANCE,
    EmState,
    em_states,
    first_tables,
    progress_of,
    random_tables,
)
from pgmstudio.core.languages.bayesian_network.missing_cells import Counts, Table
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.run_checks import given_start
from pgmstudio.core.learning.base import (
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.params import knowledge_param, smoothing_param
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.learning.smoothing import tune_smoothing
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import AUTO, param

CELLS, BDEU, MODEL = "cells", "bdeu", "model"
PRIORS = (CELLS, BDEU, MODEL)
DATA, RANDOM = "data", "random"
BEGINS = (DATA, MODEL, RANDOM)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmParams:
    """The settings of parameter learning."""

    start: DirectedModel | None = param(
        None,
        title="Model",
        none_label="not chosen",
        help="The model with the graph whose parameters are learned.",
    )
    nodes: str | None = param(
        None,
        title="Nodes",
        none_label="all",
        help="Names separated by commas: only these tables are learned; the others stay unchanged.",
    )
    prior: str = param(
        CELLS,
        title="Pseudo-counts",
        choices=PRIORS,
        help="cells: the smoothing α in every cell of a table. bdeu: the equivalent sample size "
        "spread evenly over each table. model: the equivalent sample size, distributed as the"
        " model.",
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    ess: float = param(
        1.0,
        title="Equivalent sample size",
        low=0,
        help="For bdeu and model: the prior of each table, in rows; 0 is maximum likelihood.",
    )
    node_ess: str | None = param(
        None,
        title="Sample size of nodes",
        none_label="as above",
        help="For bdeu and model: other equivalent sample sizes, such as “smoke=50, lung=0”.",
    )
    begin: str = param(
        DATA,
        title="Initial tables",
        choices=BEGINS,
        help="data: estimated from the rows that have the cells of a table, random if there are "
        "none. model: those of the model. random: random tables.",
    )
    restarts: int | Literal["auto"] = param(
        "auto",
        title="Restarts",
        low=0,
        help="Additional starts from random tables; the best result is used. auto makes 10 if a "
        "variable is hidden, otherwise none.",
    )
    tolerance: float = param(
        TOLERANCE,
        title="Tolerance",
        low=0,
        help="EM ends when an iteration gains less, in bits per row.",
        advanced=True,
    )
    iterations: int = param(
        MAX_ITERATIONS,
        title="Maximum iterations",
        low=1,
        help="Maximum number of EM iterations.",
        advanced=True,
    )
    knowledge: Knowledge | None = knowledge_param(
        "the edges are those of the given model; the model is only checked."
    )

    def __post_init__(self) -> None:
        problems = {}
        if self.prior == CELLS and self.node_ess is not None:
            problems["node_ess"] = "is for the pseudo-counts bdeu or model; choose one of them"
        for name, choice in (("prior", self.prior), ("begin", self.begin)):
            if choice == MODEL and self.start is None:
                problems[name] = "takes tables of a model; choose one to start from"
        if self.nodes is not None and self.start is None:
            problems["nodes"] = "keeps the other tables of a model; choose one to start from"
        if problems:
            raise ParameterError(problems)


def named_nodes(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The variables a list such as “smoke, lung” names; ParameterError lists the unknown."""
    result = _listed(text)
    problems = [str(UnknownNameError("variable", n, names)) for n in result if n not in names]
    if problems or not result:
        raise ParameterError({"nodes": " ".join(problems) or "names no variable"})
    return tuple(result)


def sample_sizes(text: str | None, ess: float, names: tuple[str, ...]) -> Mapping[str, float]:
    """The equivalent sample size of every variable; “smoke=50, lung=0” gives some others."""
    sizes = dict.fromkeys(names, ess)
    problems = []
    for item in _listed(text or ""):
        name, _, number = (part.strip() for part in item.rpartition("="))
        if name not in sizes:
            problems.append(str(UnknownNameError("variable", name or item, names)))
            continue
        try:
            sizes[name] = float(number)
        except ValueError:
            problems.append(f"{number!r} of {name} is not a number.")
            continue
        if not 0 <= sizes[name] < float("inf"):
            problems.append(f"{name} needs a number of at least 0.")
    if problems:
        raise ParameterError({"node_ess": " ".join(problems)})
    return sizes


def _listed(text: str) -> list[str]:
    (items,) = csv.reader([text], skipinitialspace=True) if text.strip() else ([],)
    return [item.strip() for item in items if item.strip()]


RESTARTS_WITH_HIDDEN = 10
# A better model is reported after so much estimated work, so that a stop loses little.
SECONDS_PER_FOUND = 0.3


class EmLearner(BaseLearner[EmParams]):
    """CPTs of a given graph, also of incomplete data."""

    key = "bn.em"
    passes = Passes(steps="iterations")
    title = "Parameters by EM"
    kind = "bayesian-network"
    params_type = EmParams
    missing_treatment = (
        "Every missing cell counts with the probabilities of its states given the rest of its "
        "row, repeatedly until they converge (EM); no row is dropped, it takes several times as "
        "long, and the result is right if cells are missing at random."
    )
    cost = Cost(0.02, 1.0, 1.0, gaps=60.0, completes=False)
    score_kind = ScoreKind.POSTERIOR
    obeys_knowledge = False
    needs_start = True

    def events(
        self, data: DataSet, params: EmParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        task = _Task.of(data, params)
        yield from map(Note, task.notes())
        smoothing = 0.0
        if params.prior == CELLS and params.smoothing == AUTO:
            families = [(*parents, c) for c, parents in enumerate(task.dag.parent_indices)]
            tuned = tune_smoothing(task.rows, families, rng, cancel)
            yield Note(str(tuned))
            smoothing = tuned.smoothing
        elif params.prior == CELLS:
            smoothing = float(params.smoothing)
        search = _Search(task, smoothing, rng, cancel)
        yield from search.runs(cancel)
        yield from map(Note, search.notes())
        assert search.best is not None
        yield Finished(task.network(search.best.tables), search.measures(search.best))


@dataclass(frozen=True, eq=False)
class _Task:
    """The rows over the model's variables, its graph, and which of its tables are learned."""

    params: EmParams
    rows: DataSet
    dag: Dag
    model: BayesianNetwork | None
    learned: tuple[bool, ...]
    left_out: tuple[str, ...]  # columns that the model does not have
    hidden: tuple[str, ...]  # variables that no row has

    @classmethod
    def of(cls, data: DataSet, params: EmParams) -> _Task:
        start = given_start(params.start)
        model = as_network(start)
        if model is None:
            if params.nodes is not None or MODEL in (params.prior, params.begin):
                raise ParameterError({"start": f"{a_kind(start.kind)} has no tables to keep"})
            rows = data
            dag = Dag.from_edges(data.domain.names, start.edges)
        else:
            rows = rows_over(data, model.domain)
            dag = model.dag
        names = rows.domain.names
        chosen = names if params.nodes is None else named_nodes(params.nodes, names)
        counts = zip(names, rows.missing_counts, strict=True)
        return cls(
            params=params,
            rows=rows,
            dag=dag,
            model=model,
            learned=tuple(name in chosen for name in names),
            left_out=tuple(n for n in data.domain.names if n not in rows.domain),
            hidden=tuple(name for name, count in counts if count == rows.row_count),
        )

    def notes(self) -> Iterator[str]:
        if self.left_out:
            yield f"Not in the model, so left out: {', '.join(self.left_out)}."
        if self.hidden:
            yield f"Hidden in every row: {', '.join(self.hidden)}."
        fixed = self.learned.count(False)
        if fixed:
            yield f"{fixed} of {len(self.learned)} tables stay as they are in the model."

    def network(self, tables: Sequence[Table]) -> BayesianNetwork:
        return BayesianNetwork(self.rows.domain, self.dag, tuple(tables))

    def pseudo_counts(self, smoothing: float) -> list[Counts | float]:
        """The pseudo-counts of every table."""
        params = self.params
        names = self.rows.domain.names
        if params.prior == CELLS:
            return [smoothing] * len(names)
        sizes = sample_sizes(params.node_ess, params.ess, names)
        if params.prior == MODEL:
            assert self.model is not None
            joints = family_beliefs(self.model)
            return [sizes[name] * joint for name, joint in zip(names, joints, strict=True)]
        cards = self.rows.domain.cardinalities
        return [
            sizes[name] / math.prod(cards[v] for v in (*parents, child))
            for child, (name, parents) in enumerate(
                zip(names, self.dag.parent_indices, strict=True)
            )
        ]


class _Search:
    """The starts of one run, as events."""

    def __init__(
        self, task: _Task, smoothing: float, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        self.task = task
        self.smoothing = smoothing
        self._rng = rng
        self.expectation = expectation_of(task.dag, task.rows, cancel)
        self._pseudo = task.pseudo_counts(smoothing)
        restarts = task.params.restarts
        if restarts == AUTO:
            restarts = RESTARTS_WITH_HIDDEN if task.hidden else 0
        assert isinstance(restarts, int)
        # Where nothing is missing every start ends in the same tables.
        self.restarts = 0 if self.expectation.is_complete else restarts
        self.best: EmState | None = None
        self._reported: EmState | None = None
        self._ends: list[EmState] = []
        self._steps = 0

    def runs(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        work = 0.0
        for number, rng in enumerate(self._rng.spawn(self.restarts + 1)):
            for state in self._states(self._begin(number, rng), cancel):
                if self.best is None or state.penalised > self.best.penalised:
                    self.best = state
                work += self.expectation.seconds
                # Random first tables are no model worth keeping; those of the first step are.
                is_fitted = state.iteration > 0 or self.task.params.begin != RANDOM
                if is_fitted and (self._reported is None or work > SECONDS_PER_FOUND):
                    yield from self._improved_if_due()
                    work = 0.0
                total = self.expectation.total_weight
                yield progress_of(state, total, number, self._steps)
                self._steps += 1
            self._ends.append(state)
            yield from self._improved_if_due()

    def _improved_if_due(self) -> Iterator[ImprovedModel]:
        assert self.best is not None
        if self.best is not self._reported:
            self._reported = self.best
            yield ImprovedModel(self.task.network(self.best.tables), self.measures(self.best))

    def _begin(self, number: int, rng: np.random.Generator) -> tuple[Table, ...]:
        begin = self.task.params.begin
        model = self.task.model
        if number == 0 and begin == MODEL:
            assert model is not None
            return model.tables
        make = first_tables if number == 0 and begin == DATA else random_tables
        tables = make(self.expectation, rng)
        if model is None:
            return tables
        tables_of_variable = zip(tables, model.tables, self.task.learned, strict=True)
        return tuple(table if is_learned else old for table, old, is_learned in tables_of_variable)

    def _states(self, tables: tuple[Table, ...], cancel: CancelToken) -> Iterator[EmState]:
        params = self.task.params
        return em_states(
            self.expectation,
            tables,
            self._pseudo,
            learned=self.task.learned,
            tolerance=params.tolerance,
            most=params.iterations,
            cancel=cancel,
        )

    def measures(self, state: EmState) -> dict[str, float]:
        total = self.expectation.total_weight
        measures = {
            "score": state.penalised,
            "log2_likelihood_per_row": state.log2_likelihood / total,
            "iterations": float(self._steps),
            "starts": float(max(1, len(self._ends))),
            "edges": float(len(self.task.dag.edges)),
        }
        if self.task.params.prior == CELLS:
            measures["smoothing"] = self.smoothing
        return measures

    def notes(self) -> Iterator[str]:
        assert self.best is not None
        unfinished = sum(end.iteration == self.task.params.iterations for end in self._ends)
        if unfinished and not self.expectation.is_complete:
            yield (
                f"{unfinished} of {len(self._ends)} starts were still gaining after "
                f"{self.task.params.iterations} iterations. Increase the number of iterations."
            )
        if len(self._ends) > 1:
            best = max(end.penalised for end in self._ends)
            near = 1e-4 * max(self.expectation.total_weight, 1.0)
            same = sum(best - end.penalised < near for end in self._ends)
            yield f"{same} of {len(self._ends)} starts reached the best score."


def family_beliefs(network: BayesianNetwork) -> list[Counts]:
    """P(parents, child) of every family, the child's axis last."""
    flow = Propagation(plan_of(network.clique_tree, network.factors))
    return [
        joint_of(network, (*parents, child), {}, flow)
        for child, parents in enumerate(network.dag.parent_indices)
    ]
