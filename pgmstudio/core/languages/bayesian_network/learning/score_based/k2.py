"""K2: parents chosen greedily among the columns before (Cooper and Herskovits 1992).

The columns have an order. Starting without parents, each column gets the earlier one that raises
the measure most, as long as one does and there are fewer than the most parents allowed. K2's own
score is the default; any score or measure of the lecture may be used instead. Those that never
fall when a parent joins, such as the information gain, fill up to the most parents.
"""

from __future__ import annotations

import csv
import heapq
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pgmstudio.core.data.counting import Prefetch, family_counter
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import KnowledgeError, ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import network_events
from pgmstudio.core.learning.artifacts import restored_value
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    knowledge_param,
    max_parents_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.params import param
from pgmstudio.core.scores.association_measures import (
    LECTURE_SCORES,
    MEASURES,
    Setting,
    measures_of,
)
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.local import Score, score_of

SCORE_MEASURES = ("k2", "bdeu", "bic", "aic", "aic-thesis", "aic_half", "loglik")
K2_MEASURES = tuple(dict.fromkeys((*SCORE_MEASURES, *measures_of(Setting.PROBABILISTIC))))

# A gain below this is rounding.
_ROUNDING = 1e-9

FamilyMeasure = Callable[[int, Sequence[int], CancelToken], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class K2Params:
    """The settings of K2."""

    order: str | None = param(
        None,
        title="Order",
        none_label="data order",
        help="Column names, separated by commas; parents come before children. Other columns "
        "follow in the order of the data.",
        is_order=True,
    )
    measure: str = param(
        "k2",
        title="Measure",
        choices=K2_MEASURES,
        help="The measure that a parent must raise: a score in bits (k2, bdeu, bic, aic, aic-"
        "thesis, aic_half, loglik) or a measure of dependence (Borgelt, Steinbrecher and "
        "Kruse 2009).",
    )
    max_parents: int | None = max_parents_param(4)
    ess: float = bdeu_rows_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()


@dataclass(frozen=True, slots=True)
class Trial:
    """A column tried as a further parent, and the measure with it."""

    candidate: str
    value: float


@dataclass(frozen=True, slots=True)
class K2Step:
    """One step at one column: the parents tried in addition to its own, and the one added."""

    child: str
    parents: tuple[str, ...]  # before the step
    value: float
    trials: tuple[Trial, ...]
    added: str | None

    @property
    def value_after(self) -> float:
        """The measure with the added parent, or as before."""
        return next((t.value for t in self.trials if t.candidate == self.added), self.value)

    def __str__(self) -> str:
        if self.added is None:
            return f"{self.child}: no further parent"
        return f"{self.child}: {self.added} joins the parents, {self.value_after - self.value:+.4g}"


@dataclass(frozen=True)
class K2Trace:
    """The whole search, step by step; columns are worked from the last of the order to the first.

    `total` is the sum of the measure over all columns with their final parents, which are `values`
    in the order of the graph's names.
    """

    order: tuple[str, ...]
    measure: str
    steps: tuple[K2Step, ...]
    dag: Dag
    total: float
    values: tuple[float, ...] = ()

    kind = "k2"

    def graph_before(self, step: int) -> Dag:
        """The graph when a step begins, counted from 0; after the last step the whole result."""
        if step >= len(self.steps):
            return self.dag
        now = self.steps[step]
        done = {one.child for one in self.steps[:step]} - {now.child}
        edges = [edge for edge in self.dag.edges if edge[1] in done]
        return Dag.from_edges(
            self.dag.names, [*edges, *((parent, now.child) for parent in now.parents)]
        )

    def plain(self) -> dict[str, Any]:
        return {
            "names": list(self.dag.names),
            "order": list(self.order),
            "measure": self.measure,
            "steps": [
                {
                    "child": step.child,
                    "parents": list(step.parents),
                    "value": step.value,
                    "trials": [[trial.candidate, trial.value] for trial in step.trials],
                    "added": step.added,
                }
                for step in self.steps
            ],
            "edges": [list(edge) for edge in self.dag.edges],
            "total": self.total,
            "values": list(self.values),
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> K2Trace:
        """The inverse of `plain`."""
        dag = Dag.from_edges(plain["names"], [(a, b) for a, b in plain["edges"]])
        order = tuple(plain["order"])
        steps = tuple(restored_value(K2Step, step) for step in plain["steps"])
        values = tuple(map(float, plain.get("values", ())))
        return cls(order, plain["measure"], steps, dag, float(plain["total"]), values)

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each column that was tried as a parent."""
        head: tuple[str, ...] = (
            *("step", "column", "parents", "value", "tried", "value_with_it", "gain", "joins"),
        )
        in_nats = math.log(2) if self.measure in SCORE_MEASURES else None
        if in_nats is not None:
            head = (*head, "nats_with_it")
        rows: list[tuple[object, ...]] = [
            (
                number,
                step.child,
                "; ".join(step.parents),
                step.value,
                trial.candidate,
                trial.value,
                trial.value - step.value,
                "yes" if trial.candidate == step.added else "no",
                *(() if in_nats is None else (trial.value * in_nats,)),
            )
            for number, step in enumerate(self.steps, start=1)
            for trial in step.trials
        ]
        return head, rows


def k2_search(
    data: DataSet, params: K2Params, cancel: CancelToken = NEVER
) -> Generator[Progress, None, K2Trace]:
    """The search with one event for each step; the generator's value is the trace."""
    names = data.domain.names
    rules = EdgeRules.of(names, params.knowledge, params.max_parents)
    order = order_of(names, params.order, params.knowledge)
    measure, prefetch = family_measure(data, params)
    return (
        yield from parents_along(
            names, order, measure, params.measure, rules, cancel, prefetch=prefetch
        )
    )


def parents_along(
    names: tuple[str, ...],
    order: Sequence[int],
    measure: FamilyMeasure,
    measure_name: str,
    rules: EdgeRules,
    cancel: CancelToken,
    min_gain: float = _ROUNDING,
    prefetch: Prefetch | None = None,
) -> Generator[Progress, None, K2Trace]:
    """Parents of every column among those before it in an order, greedily by any measure; a
    further parent has to gain more than `min_gain`. `prefetch` announces what is measured next."""
    steps: list[K2Step] = []
    parents: list[tuple[int, ...]] = [()] * len(names)
    values = [0.0] * len(names)
    for position in reversed(range(len(order))):
        child = order[position]
        result = [int(p) for p in np.flatnonzero(rules.required[:, child])]
        value = measure(child, result, cancel)
        while True:
            before = order[:position]
            step = _step(
                child, result, value, before, rules, measure, names, min_gain, prefetch, cancel
            )
            if step.trials:
                steps.append(step)
                done = (len(order) - 1 - position) / len(order)
                counters = {"column": float(len(order) - position), "steps": float(len(steps))}
                yield Progress(done, str(step), counters)
            if step.added is None:
                break
            result.append(names.index(step.added))
            value = step.value_after
        parents[child] = tuple(result)
        values[child] = value
    ordered = tuple(names[i] for i in order)
    dag = Dag(names, tuple(parents))
    return K2Trace(ordered, measure_name, tuple(steps), dag, sum(values), tuple(values))


def _step(
    child: int,
    parents: Sequence[int],
    value: float,
    before: Sequence[int],
    rules: EdgeRules,
    measure: FamilyMeasure,
    names: tuple[str, ...],
    min_gain: float,
    prefetch: Prefetch | None,
    cancel: CancelToken,
) -> K2Step:
    """Try every earlier column as a further parent; of equal ones the first of the order is
    best."""
    trials = []
    added = None
    best = value + min_gain
    if len(parents) < rules.most_parents:
        candidates = [p for p in before if p not in parents and rules.allowed[p, child]]
        if prefetch is not None:
            prefetch([((*parents, child), candidates)], cancel)
        for candidate in candidates:
            tried = measure(child, (*parents, candidate), cancel)
            if tried == -math.inf:  # its table would be too large
                continue
            trials.append(Trial(names[candidate], tried))
            if tried > best:
                added = names[candidate]
                best = tried
    known = tuple(names[p] for p in parents)
    return K2Step(names[child], known, value, tuple(trials), added)


def family_measure(data: DataSet, params: K2Params) -> tuple[FamilyMeasure, Prefetch]:
    """The measure of a child with its parents, −inf for a table of too many cells; and how to
    announce families."""
    if params.measure in SCORE_MEASURES:
        scores = FamilyScores(data, _score(data, params))
        return scores.local, scores.prefetch
    counter = family_counter(data)
    cards = data.domain.cardinalities
    measure = MEASURES[params.measure]

    def value(child: int, parents: Sequence[int], cancel: CancelToken) -> float:
        cancel.raise_if_cancelled()
        members = (*parents, child)
        if math.prod(cards[m] for m in members) > MAX_TABLE_CELLS:
            return -math.inf
        return measure.value(counter.counts(members, cancel))

    return value, counter.prefetch


def _score(data: DataSet, params: K2Params) -> Score:
    if params.measure in LECTURE_SCORES:
        return LECTURE_SCORES[params.measure]
    return score_of(params.measure, data.total_weight, ess=params.ess)


def order_of(
    names: tuple[str, ...], given: str | None, knowledge: Knowledge | None
) -> tuple[int, ...]:
    """The order as columns: the given one, or that of the data as far as knowledge permits.

    In the order of the data, columns of earlier tiers come first and required parents before
    their children. A given order that puts a required parent after its child is refused.
    """
    rules = Knowledge() if knowledge is None else knowledge
    if given is None:
        return _order_by_rules(names, rules)
    (listed,) = csv.reader([given], skipinitialspace=True)
    listed = [name.strip() for name in listed if name.strip()]
    problems = [str(UnknownNameError("column", n, names)) for n in listed if n not in names]
    problems += [f"{n} is named twice." for n in names if listed.count(n) > 1]
    if problems:
        raise ParameterError({"order": " ".join(problems)})
    full = [*listed, *(name for name in names if name not in listed)]
    position = {name: i for i, name in enumerate(full)}
    clashes = [
        f"{source} → {target} is required, but {target} comes first in the order."
        for source, target in sorted(rules.required)
        if position[source] > position[target]
    ]
    if clashes:
        raise KnowledgeError(clashes)
    return tuple(names.index(name) for name in full)


def _order_by_rules(names: tuple[str, ...], rules: Knowledge) -> tuple[int, ...]:
    required = Dag.from_edges(names, rules.required)
    waiting = [len(parents) for parents in required.parent_indices]

    def key(column: int) -> tuple[int, int]:
        return rules.tier_of.get(names[column], 0), column

    ready = [key(column) for column, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, column = heapq.heappop(ready)
        order.append(column)
        for child in required.child_indices[column]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, key(child))
    return tuple(order)


class K2Learner(BaseLearner[K2Params]):
    """Greedy choice of parents along an order."""

    key = "bn.k2"
    passes = Passes(columns=2.0)
    title = "Parents along an order (K2)"
    kind = "bayesian-network"
    params_type = K2Params
    cost = Cost(0.1, 0.5, 2.0)
    artifacts = (K2Trace,)
    starts_with_tree = False  # the order of the columns decides the direction

    def events(
        self, data: DataSet, params: K2Params, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        trace = yield from k2_search(rows, params, cancel)
        yield Note(f"The order was {', '.join(trace.order)}.")
        yield ArtifactSaved(trace)
        measures = {"score": trace.total, "steps": float(len(trace.steps))}
        yield from network_events(trace.dag, rows, data, params, measures, rng=rng, cancel=cancel)
