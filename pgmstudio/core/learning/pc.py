"""PC: a network by independence tests (Spirtes, Glymour and Scheines 1993; Colombo and Maathuis
2014 for the stable form; Meek 1995 for the rules of direction).

Removes every edge whose ends some test finds independent, directs v-structures and what follows
from them, and fits one of the networks that remain. With exact tests, no hidden common causes and
data faithful to some graph, the class of that graph is found exactly.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.completed_rows import completed_rows
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.missing_cells import ON_MISSING, missing_sentence, refuse_empty
from pgmstudio.core.learning.open_structure import OpenStructure
from pgmstudio.core.learning.pc_choices import read_choices
from pgmstudio.core.learning.pc_log import why_edge
from pgmstudio.core.learning.pc_network import network_events
from pgmstudio.core.learning.pc_oracle import stated_independences
from pgmstudio.core.learning.pc_orientation import Orientation, oriented_skeleton
from pgmstudio.core.learning.pc_params import SearchParams
from pgmstudio.core.learning.pc_skeleton import LoggedTest, Skeleton, skeleton_search
from pgmstudio.core.learning.protocols import LearnEvent
from pgmstudio.core.learning.search_value import value_of
from pgmstudio.core.params import param
from pgmstudio.core.running import NEVER, CancelToken, Progress
from pgmstudio.core.scores.independence_tests import DataTests, IndependenceTester


@dataclass(frozen=True, slots=True, kw_only=True)
class PcParams(SearchParams):
    """The settings of PC."""

    stable: bool = param(
        True,
        title="Stable",
        help="Neighbours are those at the start of a level, so that the order of columns does not "
        "matter for which edges stay.",
        advanced=True,
    )
    stated: str | None = param(
        None,
        title="Stated independences",
        none_label="as tested",
        help="In place of tests, to replay an example: A ⊥ B; A ⊥ D | C. Exactly these hold, "
        "_||_ is read as ⊥; the rows are for the tables only.",
        advanced=True,
    )


@dataclass(frozen=True)
class PcResult:
    """All that PC found: the skeleton, every test, the separating sets and the directions."""

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
        """For each pair that a test took apart, what it was given."""
        return {frozenset((t.a, t.b)): t.given for t in self.skeleton.separated.values()}

    def tests_about(self, a: str, b: str) -> tuple[LoggedTest, ...]:
        """Every test of one pair, in the order they were made; why there is an edge or none."""
        for name in (a, b):
            if name not in self.skeleton.names:
                raise UnknownNameError("variable", name, self.skeleton.names)
        return self.skeleton.tests_about(a, b)

    def why(self, a: str, b: str) -> str:
        """One sentence: why there is an edge a – b, or none."""
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


def pc_result(data: DataSet, params: PcParams, cancel: CancelToken = NEVER) -> PcResult:
    """What PC finds in the data with these settings, with the log of every test."""
    return value_of(_search(data, params, cancel))


def _search(
    data: DataSet, params: PcParams, cancel: CancelToken
) -> Generator[Progress, None, PcResult]:
    tests: IndependenceTester = DataTests(data, params.rule())
    if params.stated is not None:
        tests = stated_independences(params.stated, data.domain.names)
    return pc_search(
        tests,
        params.knowledge,
        max_condition=params.max_condition,
        stable=params.stable,
        cancel=cancel,
    )


class PcLearner:
    """A Bayesian network by independence tests."""

    key = "bn.pc"
    title = "Independence tests (PC)"
    kind = "bayesian-network"
    params_type = PcParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING)

    def run(
        self, data: DataSet, params: PcParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        rules = EdgeRules.of(data.domain.names, params.knowledge, None)
        choices = read_choices(params.choose, data.domain.names)
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        result = yield from _search(rows, params, cancel)
        found = OpenStructure.of_skeleton(result.skeleton)
        yield from network_events(
            data,
            result.skeleton,
            found.resolved(choices, rules, cancel=cancel).orientation,
            rules,
            params,
            rows=rows,
            open_=found,
            rng=rng,
            cancel=cancel,
        )
