"""The steps of PC as an artifact: every test with its decision, then every direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pgmstudio.core.languages.bayesian_network.learning.constraint_based.orientation import (
    DirectionStep,
    Edge,
    Orientation,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    PairRules,
    Skeleton,
    numbers_of,
    pairs_of,
    row_of_test,
    test_of,
)
from pgmstudio.core.learning.artifacts import plain_value, restored_value
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.independence import IndependenceRule

# Of longer searches only the tests that removed an edge are steps.
MAX_TESTS = 2_000


@dataclass(frozen=True)
class PcSteps:
    """The tests of the skeleton, then the directions; the result is a class of networks.

    `start` are the edges before the first test. `made` tests were made; `tests` has fewer if only
    those that removed an edge were stored.
    """

    names: tuple[str, ...]
    rule: IndependenceRule
    start: tuple[Edge, ...]
    tests: tuple[LoggedTest, ...]
    made: int
    directions: tuple[DirectionStep, ...]
    directed: tuple[Edge, ...]
    undirected: tuple[Edge, ...]

    kind = "pc"

    @classmethod
    def of(
        cls,
        skeleton: Skeleton,
        orientation: Orientation,
        rule: IndependenceRule,
        edge_rules: EdgeRules,
    ) -> PcSteps:
        names, tests = skeleton.names, skeleton.tests
        if len(tests) > MAX_TESTS:
            tests = tuple(test for test in tests if test.outcome.independent)
        joinable = PairRules.of(edge_rules).joinable
        return cls(
            names,
            rule,
            tuple((names[a], names[b]) for a, b in pairs_of(joinable)),
            tests,
            len(skeleton.tests),
            orientation.steps,
            orientation.pdag.directed,
            orientation.pdag.undirected,
        )

    def __len__(self) -> int:
        return len(self.tests) + len(self.directions)

    def edges_before(self, step: int) -> tuple[list[Edge], list[Edge]]:
        """The undirected and the directed edges when a step begins, counted from 0; after the last
        step those of the result."""
        if step >= len(self):
            return list(self.undirected), list(self.directed)
        removed = {
            frozenset((test.a, test.b)) for test in self.tests[:step] if test.outcome.independent
        }
        directions = self.directions[: max(0, step - len(self.tests))]
        directed = [edge for one in directions if one.rule != "conflict" for edge in one.edges]
        done = removed | set(map(frozenset, directed))
        return [edge for edge in self.start if frozenset(edge) not in done], _once(directed)

    def plain(self) -> dict[str, Any]:
        index = {name: i for i, name in enumerate(self.names)}
        return {
            "names": list(self.names),
            "rule": plain_value(self.rule),
            "start": plain_value(self.start),
            "made": self.made,
            "tests": [row_of_test(test, index) for test in self.tests],
            "directions": plain_value(self.directions),
            "directed": plain_value(self.directed),
            "undirected": plain_value(self.undirected),
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> PcSteps:
        """The inverse of `plain`."""
        names = tuple(plain["names"])
        edges = tuple[Edge, ...]
        return cls(
            names,
            restored_value(IndependenceRule, plain["rule"]),
            restored_value(edges, plain["start"]),
            tuple(test_of(row, names) for row in plain["tests"]),
            int(plain["made"]),
            restored_value(tuple[DirectionStep, ...], plain["directions"]),
            restored_value(edges, plain["directed"]),
            restored_value(edges, plain["undirected"]),
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each test, then one for each step that directs edges."""
        head = (
            "step",
            "phase",
            "edge",
            "given",
            "statistic",
            "degrees_of_freedom",
            "p_value",
            "bits",
            "result",
        )
        rows: list[tuple[object, ...]] = []
        for number, test in enumerate(self.tests, start=1):
            given, edge = "; ".join(test.given), f"{test.a} – {test.b}"
            numbers = numbers_of(test.outcome)
            rows.append((number, f"level {test.level}", edge, given, *numbers, decision(test)))
        for number, step in enumerate(self.directions, start=len(self.tests) + 1):
            rows.append((number, step.rule, edges_text(step), "", "", "", "", "", step.reason))
        return head, rows


def decision(test: LoggedTest) -> str:
    """What a test decides about its edge."""
    return "removed" if test.outcome.independent else "kept"


def edges_text(step: DirectionStep) -> str:
    """The edges that a step directs; a v-structure as a → k ← b."""
    if step.rule in ("v-structure", "conflict"):
        (a, k), (b, _) = step.edges
        return f"{a} → {k} ← {b}"
    return ", ".join(f"{source} → {target}" for source, target in step.edges)


def _once(edges: Iterable[Edge]) -> list[Edge]:
    return list(dict.fromkeys(edges))
