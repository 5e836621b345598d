"""PC: a network by independence tests (Spirtes, Glymour and Scheines 1993; Colombo and Maathuis
2014 for the stable form; Meek 1995 for the orientation rules).

Removes every edge whose ends some test finds independent, directs v-structures and what follows
from them, and fits one of the networks that remain. With exact tests, no hidden common causes and
data faithful to some graph, the result is exactly the class of that graph. The notes and the fitted
network at the end are the same for every learner by tests.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, member_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    OpenStructure,
    read_choices,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.orientation import (
    Orientation,
    oriented_skeleton,
    strongest_first,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc_steps import PcSteps
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    Skeleton,
    TestLog,
    skeleton_search,
    stated_independences,
    stated_names,
    weakness,
    why_edge,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import network_events
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import knowledge_param, missing_param, smoothing_param
from pgmstudio.core.number_format import count_of, whole
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS
from pgmstudio.core.scores.independence import (
    STATED,
    TEST_HELP,
    TESTS,
    DataTests,
    IndependenceRule,
    IndependenceTester,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestParams:
    """Parameters of the test, and background knowledge."""

    __test__ = False  # nothing for pytest to collect

    test: str = param("g2", title="Test", choices=TESTS, help=TEST_HELP)
    alpha: float = param(
        0.05,
        title="Significance α",
        low=0,
        low_open=True,
        high=1,
        high_open=True,
        help="For g2 and chi2: two columns are independent if the p-value is larger. A smaller α "
        "keeps fewer edges.",
    )
    epsilon: float = param(
        0.01,
        title="Threshold ε",
        low=0,
        high=5,
        help="For info_gain: two columns are independent up to this many bits.",
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()
    adjusted: bool = param(
        True,
        title="Count occurring states only",
        help="Count degrees of freedom by the states that occur in each slice of the table. "
        "Otherwise all states count, which keeps fewer edges.",
        advanced=True,
    )

    def rule(self) -> IndependenceRule:
        """The test these settings describe."""
        return IndependenceRule(
            test=self.test, alpha=self.alpha, epsilon=self.epsilon, adjusted=self.adjusted
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParams(TestParams):
    """Parameters of a search that conditions on sets of columns."""

    max_condition: int | None = param(
        3,
        title="Maximum condition size",
        low=0,
        none_label="no limit",
        help="Maximum size of the conditioning set; large sets are slow and need many rows.",
    )
    choose: str | None = param(
        None,
        title="Decisions",
        none_label="by strength",
        help="Decisions where tests leave a choice, separated by commas: A - B keeps an uncertain "
        "edge, not A - B removes it, A -> B directs an undirected one.",
        advanced=True,
    )


MAX_REPORTED = 5


def skeleton_events(
    data: DataSet,
    skeleton: Skeleton,
    orientation: Orientation,
    rules: EdgeRules,
    params: TestParams,
    *,
    rows: DataSet,
    open_: OpenStructure | None = None,
    steps: PcSteps | None = None,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[LearnEvent]:
    """Notes on the search, then the network of `rows`, the data as they were searched.

    The log of tests is saved, with `open_` the choices that are left to the user, and the `steps`.
    """
    yield ArtifactSaved(TestLog.of(skeleton, params.rule()))
    if open_ is not None:
        yield ArtifactSaved(open_.trimmed())
    if steps is not None:
        yield ArtifactSaved(steps)
    for text in notes_on(skeleton, orientation):
        yield Note(text)
    dag, gone = with_small_tables(orientation.dag, data.domain.cardinalities, skeleton, rules)
    if gone:
        edges = _listed([f"{source} → {target}" for source, target in gone])
        limit = whole(MAX_TABLE_CELLS)
        yield Note(
            f"Tables would have more than {limit} cells; the weakest edges were left out: {edges}."
        )
    yield Progress(None, "Filling the tables")
    measures = {
        "directed_edges": float(len({*orientation.pdag.directed} & {*dag.edges})),
        "tests": float(len(skeleton.tests)),
        "conflicts": float(len(orientation.conflicts)),
    }
    yield from network_events(dag, rows, data, params, measures, rng=rng, cancel=cancel)


def notes_on(skeleton: Skeleton, orientation: Orientation) -> Iterator[str]:
    """Notes on the search: tests, weakest edge, free directions, conflicts."""
    edges = len(skeleton.pairs)
    text = f"{count_of(len(skeleton.tests), 'test')}, {count_of(edges, 'edge')}"
    weakest = max(skeleton.weakest.values(), key=weakness, default=None)
    if weakest is not None and not weakest.outcome.is_stated:
        given = f" given {', '.join(weakest.given)}" if weakest.given else ""
        p = f"{weakest.outcome.p_value:.3g}"
        text += f"; weakest kept edge {weakest.a} – {weakest.b}, p = {p}{given}"
    yield f"{text}."
    unreliable = sum(not test.outcome.reliable for test in skeleton.tests)
    if unreliable:
        tests = count_of(unreliable, "test")
        yield f"{tests} had fewer than 5 rows for each degree of freedom and may err."
    if skeleton.left_out:
        tests = count_of(skeleton.left_out, "test")
        yield f"{tests} left out because of too large tables; the edges stay."
    free = len(orientation.pdag.undirected)
    if free:
        yield (
            f"{free} of {count_of(edges, 'edge')} could point either way; "
            "the network has one of the possible directions."
        )
    if orientation.dropped:
        dropped = _listed([f"{source} → {target}" for source, target in orientation.dropped])
        yield f"The constraints close a cycle; the weakest edges were left out: {dropped}."
    conflicts = orientation.conflicts
    for conflict in conflicts[:MAX_REPORTED]:
        yield f"Tests disagree: {conflict}"
    if len(conflicts) > MAX_REPORTED:
        yield f"Tests disagree on {len(conflicts) - MAX_REPORTED} more v-structures."
    if not orientation.consistent:
        yield "No network has exactly these v-structures; one with few more was taken."


def _listed(items: list[str]) -> str:
    more = f" and {len(items) - MAX_REPORTED} more" if len(items) > MAX_REPORTED else ""
    return ", ".join(items[:MAX_REPORTED]) + more


def with_small_tables(
    dag: Dag, cards: tuple[int, ...], skeleton: Skeleton, rules: EdgeRules
) -> tuple[Dag, list[tuple[str, str]]]:
    """The graph without the weakest edges into columns whose tables would be too large."""
    kept, gone = [], []
    for child, parents in enumerate(dag.parent_indices):
        left = list(parents)
        free = [(p, child) for p in parents if not rules.required[p, child]]
        weakest_last = strongest_first(skeleton, free)
        while weakest_last and math.prod(cards[v] for v in (*left, child)) > MAX_TABLE_CELLS:
            parent, _ = weakest_last.pop()
            left.remove(parent)
            gone.append((dag.names[parent], dag.names[child]))
        kept.append(tuple(left))
    return Dag(dag.names, tuple(kept)), gone


@dataclass(frozen=True, slots=True, kw_only=True)
class PcParams(SearchParams):
    """The settings of PC."""

    stable: bool = param(
        True,
        title="Stable",
        help="Use the neighbours at the start of a level, so that the order of columns does not "
        "affect which edges remain.",
        advanced=True,
    )
    stated: str | None = param(
        None,
        title="Given independences",
        none_label="as tested",
        help="Independences that replace the tests, to replay an example: A ⊥ B; A ⊥ D | C. "
        "Exactly these hold; _||_ is read as ⊥. The rows are used for the tables only.",
        advanced=True,
    )

    def rule(self) -> IndependenceRule:
        if self.stated is not None:
            return IndependenceRule(test=STATED)
        return SearchParams.rule(self)


@dataclass(frozen=True)
class PcResult:
    """The result of PC: the skeleton, every test, the separating sets and the directions."""

    skeleton: Skeleton
    orientation: Orientation

    @property
    def pdag(self) -> Pdag:
        """Directed where there is no choice, without direction elsewhere."""
        return self.orientation.pdag

    @property
    def dag(self) -> Dag:
        return self.orientation.dag

    @property
    def tests(self) -> tuple[LoggedTest, ...]:
        return self.skeleton.tests

    @cached_property
    def sepsets(self) -> Mapping[frozenset[str], tuple[str, ...]]:
        """The conditioning set of each pair that a test separated."""
        return {frozenset((t.a, t.b)): t.given for t in self.skeleton.separated.values()}

    def tests_about(self, a: str, b: str) -> tuple[LoggedTest, ...]:
        """Every test of one pair, in the order they were made; why there is an edge or none."""
        for name in (a, b):
            if name not in self.skeleton.names:
                raise UnknownNameError("variable", name, self.skeleton.names)
        return self.skeleton.tests_about(a, b)

    def why(self, a: str, b: str) -> str:
        """Why there is an edge a – b, or none, as text."""
        return why_edge(a, b, self.tests_about(a, b))


def pc_search(
    tester: IndependenceTester,
    knowledge: Knowledge | None = None,
    *,
    max_condition: int | None = None,
    stable: bool = True,
    cancel: CancelToken = NEVER,
) -> Generator[Progress, None, PcResult]:
    """Skeleton and directions from tests or an oracle; the generator's value is the result."""
    rules = EdgeRules.of(tester.names, knowledge, None)
    skeleton = yield from skeleton_search(
        tester, rules, cancel, max_condition=max_condition, stable=stable
    )
    return PcResult(skeleton, oriented_skeleton(skeleton, rules))


def stated_steps(text: str, variables: str = "", cancel: CancelToken = NEVER) -> PcSteps:
    """The steps of PC where exactly the stated independences hold, `A ⊥ B; A ⊥ D | C`.

    `variables` are separated by commas; without them those that the statements name.
    """
    names = tuple(dict.fromkeys(filter(None, map(str.strip, variables.split(",")))))
    names = names or stated_names(text)
    if not names:
        raise ParameterError({"stated": "Write at least one independence, such as A ⊥ B | C."})
    tester = stated_independences(text, names, "one of the variables")
    result = run_to_end(pc_search(tester, cancel=cancel))
    rules = EdgeRules.of(names, None, None)
    return PcSteps.of(result.skeleton, result.orientation, IndependenceRule(test=STATED), rules)


def stated_network(steps: PcSteps) -> BayesianNetwork:
    """A network of the class that the steps lead to, of two states each and uniform tables."""
    pdag = Pdag.from_edges(steps.names, steps.directed, steps.undirected)
    domain = Domain.of(dict.fromkeys(steps.names, ("no", "yes")))
    return BayesianNetwork.uniform(domain, member_of(pdag))


def pc_result(data: DataSet, params: PcParams, cancel: CancelToken = NEVER) -> PcResult:
    """The result of PC on the data with these settings, with the log of every test."""
    return run_to_end(_search(data, params, cancel))


def _search(
    data: DataSet, params: PcParams, cancel: CancelToken
) -> Generator[Progress, None, PcResult]:
    tests: IndependenceTester
    if params.stated is None:
        tests = DataTests(data, params.rule())
    else:
        tests = stated_independences(params.stated, data.domain.names)
    return pc_search(
        tests,
        params.knowledge,
        max_condition=params.max_condition,
        stable=params.stable,
        cancel=cancel,
    )


class PcLearner(BaseLearner[PcParams]):
    """Independence tests remove edges."""

    key = "bn.pc"
    passes = Passes(columns=0.5)
    title = "Independence tests (PC)"
    kind = "bayesian-network"
    params_type = PcParams
    cost = Cost(1.5, 0.5, 2.5)
    artifacts = (TestLog, OpenStructure, PcSteps)

    def events(
        self, data: DataSet, params: PcParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, None)
        choices = read_choices(params.choose, data.domain.names)
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        result = yield from _search(rows, params, cancel)
        outcome = OpenStructure.of_skeleton(result.skeleton)
        orientation = outcome.resolved(choices, rules, cancel=cancel).orientation
        yield from skeleton_events(
            data,
            result.skeleton,
            orientation,
            rules,
            params,
            rows=rows,
            open_=outcome,
            steps=PcSteps.of(result.skeleton, orientation, params.rule(), rules),
            rng=rng,
            cancel=cancel,
        )
