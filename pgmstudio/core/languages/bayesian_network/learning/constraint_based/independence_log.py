"""The log of the independence tests of a run, as an artifact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    Skeleton,
    weakness,
)
from pgmstudio.core.scores.independence import IndependenceRule, Outcome

# Of longer searches the log has for each pair the test that decided.
MAX_TESTS = 50_000


@dataclass(frozen=True)
class TestLog:
    """The tests in the order they were made, and the rule that decided them.

    `made` is their number; `tests` has fewer if only those that decided were stored.
    """

    __test__ = False  # nothing for pytest to collect

    names: tuple[str, ...]
    rule: IndependenceRule
    tests: tuple[LoggedTest, ...]
    made: int

    kind = "tests"

    @classmethod
    def of(cls, skeleton: Skeleton, rule: IndependenceRule) -> TestLog:
        tests = skeleton.tests
        if len(tests) > MAX_TESTS:
            tests = tuple(deciding(tests))
        return cls(skeleton.names, rule, tests, len(skeleton.tests))

    @property
    def threshold(self) -> str:
        """The rule as text: when a pair counts as independent."""
        match self.rule.test:
            case "info_gain":
                return f"independent up to ε = {self.rule.epsilon:g} bits"
            case "bic":
                return "independent when an edge would not pay for its parameters"
            case _:
                return f"independent when p > α = {self.rule.alpha:g}"

    def about(self, a: str, b: str | None = None) -> tuple[LoggedTest, ...]:
        """The tests of one pair, or of every pair with a variable."""
        if b is None:
            return tuple(test for test in self.tests if a in (test.a, test.b))
        return tuple(test for test in self.tests if {test.a, test.b} == {a, b})

    def why(self, a: str, b: str) -> str:
        """Why there is an edge a – b, or none, as text."""
        return why_edge(a, b, self.about(a, b))

    def plain(self) -> dict[str, Any]:
        index = {name: i for i, name in enumerate(self.names)}
        rule = self.rule
        return {
            "names": list(self.names),
            "rule": [rule.test, rule.alpha, rule.epsilon, rule.adjusted],
            "made": self.made,
            "tests": [row_of_test(test, index) for test in self.tests],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> TestLog:
        """The inverse of `plain`."""
        names = tuple(plain["names"])
        test, alpha, epsilon, adjusted = plain["rule"]
        rule = IndependenceRule(test=test, alpha=alpha, epsilon=epsilon, adjusted=adjusted)
        tests = tuple(test_of(row, names) for row in plain["tests"])
        return cls(names, rule, tests, int(plain["made"]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each test."""
        head = (
            "a",
            "b",
            "given",
            "level",
            "statistic",
            "degrees_of_freedom",
            "p_value",
            "bits",
            "independent",
            "reliable",
        )
        rows: list[tuple[object, ...]] = [
            (
                test.a,
                test.b,
                "; ".join(test.given),
                test.level,
                test.outcome.statistic,
                test.outcome.freedom,
                test.outcome.p_value,
                test.outcome.bits,
                "yes" if test.outcome.independent else "no",
                "yes" if test.outcome.reliable else "no",
            )
            for test in self.tests
        ]
        return head, rows


def why_edge(a: str, b: str, tests: Iterable[LoggedTest]) -> str:
    """Why there is an edge, or none, as text, from all tests of a pair."""
    tests = tuple(tests)
    separating = next((test for test in tests if test.outcome.independent), None)
    if not tests:
        return f"{a} – {b} was not tested; the rules decide."
    if separating is not None:
        return f"There is no edge: {separating}."
    nearest = max(tests, key=lambda test: test.outcome.p_value)
    return f"There is an edge: none of {len(tests)} tests separates them; nearest {nearest}."


def deciding(tests: Iterable[LoggedTest]) -> list[LoggedTest]:
    """The strongest test for independence of each pair, in the order they were made."""
    best: dict[tuple[str, str], LoggedTest] = {}
    for test in tests:
        pair = (test.a, test.b)
        if pair not in best or weakness(test) > weakness(best[pair]):
            best[pair] = test
    return list(best.values())


def row_of_test(test: LoggedTest, index: Mapping[str, int]) -> list[Any]:
    """A test as plain values, its variables as indices."""
    outcome = test.outcome
    return [
        index[test.a],
        index[test.b],
        [index[name] for name in test.given],
        outcome.statistic,
        outcome.freedom,
        outcome.p_value,
        outcome.bits,
        outcome.independent,
        outcome.reliable,
    ]


def test_of(row: Sequence[Any], names: Sequence[str]) -> LoggedTest:
    """The inverse of `row_of_test`."""
    a, b, given, statistic, freedom, p_value, bits, independent, reliable = row
    outcome = Outcome(
        float(statistic), int(freedom), float(p_value), float(bits), independent, reliable
    )
    return LoggedTest(names[a], names[b], tuple(names[z] for z in given), outcome)
