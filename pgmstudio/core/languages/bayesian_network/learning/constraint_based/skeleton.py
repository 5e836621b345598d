"""The skeleton of a network by independence tests: PC (Spirtes, Glymour and Scheines 1993).

Start with every pair joined. On level ℓ = 0, 1, 2, … an edge a – b is removed when a ⊥ b | Z for a
set Z of ℓ neighbours of a, or of b. In the stable form (Colombo and Maathuis 2014) the neighbours
are those at the start of the level, so that the skeleton does not depend on the order of columns.
Tests may be replaced by a table of stated independences, to replay an example.

Knowledge: a pair with a required edge is not tested and stays; a pair both of whose directions are
forbidden is never joined. If a → b may exist, a set of parents of a or of b separates them when
they are not joined, so only neighbours that may be parents are conditioned on.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import Any

from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.independence import (
    NO_STATISTIC,
    DataTests,
    IndependenceRule,
    IndependenceTester,
    Outcome,
)

Statement = tuple[str, str, Iterable[str]]

_YES = Outcome(0.0, NO_STATISTIC, 1.0, 0.0, independent=True, reliable=True)
_NO = Outcome(0.0, NO_STATISTIC, 0.0, 0.0, independent=False, reliable=True)


class StatedIndependencies:
    """Independence tests answered by statements: exactly the stated (a, b, given) are
    independent."""

    def __init__(self, names: Iterable[str], statements: Iterable[Statement]) -> None:
        self.names = tuple(names)
        position = {name: i for i, name in enumerate(self.names)}

        def index(name: str) -> int:
            if name not in position:
                raise UnknownNameError("variable", name, self.names)
            return position[name]

        self._stated = {
            (frozenset({index(a), index(b)}), frozenset(map(index, given)))
            for a, b, given in statements
        }

    def test(self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER) -> Outcome:
        cancel.raise_if_cancelled()
        return _YES if (frozenset({a, b}), frozenset(given)) in self._stated else _NO


def stated_independences(
    text: str, names: Iterable[str], what: str = "a column"
) -> StatedIndependencies:
    """Statements as they are typed, `A ⊥ B; A ⊥ D | C, E`; an error names all that is wrong."""
    known = tuple(names)
    statements: list[Statement] = []
    problems = []
    for item, ends, given in _typed_statements(text):
        strange = [name for name in (*ends, *given) if name not in known]
        if len(ends) != 2 or ends[0] == ends[1] or not all(ends):
            problems.append(f"“{item}” is not a statement; write A ⊥ B or A _||_ B | C, D.")
        elif strange:
            problems.append(f"“{item}” names {', '.join(strange)}, which is not {what}.")
        else:
            statements.append((ends[0], ends[1], given))
    if problems:
        raise ParameterError({"stated": " ".join(problems)})
    return StatedIndependencies(known, statements)


def stated_names(text: str) -> tuple[str, ...]:
    """The variables that typed statements name, in the order of the alphabet."""
    return tuple(
        sorted(
            {name for _, ends, given in _typed_statements(text) for name in (*ends, *given) if name}
        )
    )


def _typed_statements(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each statement with what stands left of the bar, which should be two names, and right."""
    for item in filter(None, map(str.strip, re.split(r"[;\n]", text.replace("_||_", "⊥")))):
        pair, _, condition = item.partition("|")
        ends = [end.strip() for end in pair.split("⊥")]
        yield item, ends, [name.strip() for name in condition.split(",") if name.strip()]


Pair = tuple[int, int]  # the earlier column first

TESTS_PER_EVENT = 256


@dataclass(frozen=True, slots=True)
class LoggedTest:
    """One test that was made: a ⊥ b | given?"""

    a: str
    b: str
    given: tuple[str, ...]
    outcome: Outcome

    @property
    def level(self) -> int:
        return len(self.given)

    def __str__(self) -> str:
        return f"{self.statement}: {self.strength}"

    @property
    def statement(self) -> str:
        """What the test found: a ⊥ b | given, or that it does not hold."""
        given = f" | {', '.join(self.given)}" if self.given else ""
        return f"{self.a} {'⊥' if self.outcome.independent else '⊥̸'} {self.b}{given}"

    @property
    def strength(self) -> str:
        """The number that decided, with its name."""
        outcome = self.outcome
        if outcome.is_stated:
            return "stated" if outcome.independent else "not stated"
        return f"p = {outcome.p_value:.3g}" if outcome.has_p_value else f"{outcome.bits:.3g} bits"


def weakness(test: LoggedTest) -> tuple[float, float]:
    """Sort key of tests by support for independence: p-value, then few bits."""
    return test.outcome.p_value, -test.outcome.bits


class AskedTests:
    """Runs tests and logs every one in the order it was made."""

    def __init__(self, tester: IndependenceTester) -> None:
        self.names = tester.names
        self.made: list[LoggedTest] = []
        self.left_out = 0
        self._tester = tester

    def ask(self, pair: Pair, given: Sequence[int], cancel: CancelToken) -> LoggedTest | None:
        """The test of a pair given others; None when its table is too large."""
        cancel.raise_if_cancelled()
        outcome = self._tester.test(*pair, given, cancel)
        if outcome is None:
            self.left_out += 1
            return None
        a, b = pair
        given_names = tuple(self.names[z] for z in given)
        self.made.append(LoggedTest(self.names[a], self.names[b], given_names, outcome))
        return self.made[-1]

    def progress(self, message: str, level: int, adjacent: Sequence[int]) -> Progress:
        """Progress of a search by tests; its end is not known."""
        edges = sum(near.bit_count() for near in adjacent) // 2
        counters = {"tests": len(self.made), "level": level, "edges": edges}
        return Progress(None, message, {name: float(count) for name, count in counters.items()})


@dataclass(frozen=True)
class Skeleton:
    """Which columns are joined, and the test that separated each separated pair.

    `weakest` is, of each pair that stayed joined after tests, the test nearest to separating it.
    `left_out` tests were not made because their tables would have had too many cells.
    """

    names: tuple[str, ...]
    adjacent: tuple[int, ...]  # per column the others it is joined to, as bits
    separated: Mapping[Pair, LoggedTest] = field(default_factory=dict)
    tests: tuple[LoggedTest, ...] = ()
    left_out: int = 0

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(pairs_of(self.adjacent))

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every edge once, the earlier column first."""
        return tuple((self.names[a], self.names[b]) for a, b in self.pairs)

    @cached_property
    def weakest(self) -> Mapping[Pair, LoggedTest]:
        index = {name: i for i, name in enumerate(self.names)}
        joined = set(self.pairs)
        result: dict[Pair, LoggedTest] = {}
        for test in self.tests:
            pair = index[test.a], index[test.b]
            if pair in joined and (pair not in result or weakness(test) > weakness(result[pair])):
                result[pair] = test
        return result

    def tests_about(self, a: str, b: str) -> tuple[LoggedTest, ...]:
        """Every test of the pair, in the order they were made."""
        return tuple(test for test in self.tests if {test.a, test.b} == {a, b})


def pairs_of(adjacent: Sequence[int]) -> Iterator[Pair]:
    """Every joined pair once, in the order of columns."""
    for a, near in enumerate(adjacent):
        for b in bits_of(near >> a + 1 << a + 1):
            yield a, b


def part(adjacent: list[int], pair: Pair) -> None:
    """Remove the edge between a pair."""
    a, b = pair
    adjacent[a] &= ~(1 << b)
    adjacent[b] &= ~(1 << a)


@dataclass(frozen=True)
class PairRules:
    """Knowledge as bits, per column: which others it may be joined to, must be, may come from."""

    joinable: tuple[int, ...]
    joined: tuple[int, ...]
    possible_parents: tuple[int, ...]

    @classmethod
    def of(cls, rules: EdgeRules) -> PairRules:
        allowed, required = rules.allowed, rules.required
        tables = (allowed | allowed.T, required | required.T, allowed)
        return cls(*(tuple(map(_bits, table.T.tolist())) for table in tables))

    def testable(self, adjacent: Sequence[int]) -> list[Pair]:
        """The joined pairs without a required edge."""
        return [(a, b) for a, b in pairs_of(adjacent) if not self.joined[a] >> b & 1]

    def candidates(self, adjacent: Sequence[int], pair: Pair) -> tuple[int, int]:
        """The neighbours of either end that may be its parents, without the other end."""
        a, b = pair
        return (
            adjacent[a] & self.possible_parents[a] & ~(1 << b),
            adjacent[b] & self.possible_parents[b] & ~(1 << a),
        )


def _bits(flags: Sequence[int]) -> int:
    return sum(1 << index for index, flag in enumerate(flags) if flag)


def conditions(candidates: tuple[int, int], size: int) -> Iterator[tuple[int, ...]]:
    """The sets of that size from one side's candidates or the other's, each once."""
    if size == 0:
        yield ()
        return
    one, other = candidates
    yield from combinations(bits_of(one), size)
    known = set(bits_of(one))
    for condition in combinations(bits_of(other), size):
        if not known.issuperset(condition):
            yield condition


def skeleton_search(
    tester: IndependenceTester,
    rules: EdgeRules,
    cancel: CancelToken,
    *,
    max_condition: int | None = None,
    stable: bool = True,
) -> Generator[Progress, None, Skeleton]:
    """Remove edges level by level; the events are progress, and the value is the skeleton."""
    tests = AskedTests(tester)
    pair_rules = PairRules.of(rules)
    adjacent = list(pair_rules.joinable)
    separated: dict[Pair, LoggedTest] = {}
    level = 0
    while max_condition is None or level <= max_condition:
        at_start = tuple(adjacent)
        pairs = pair_rules.testable(at_start)
        deeper = False
        if isinstance(tester, DataTests) and tester.reads_chunks:
            _prefetch_level(tester, pair_rules, at_start, pairs, level, cancel)
        for done, pair in enumerate(pairs):
            candidates = pair_rules.candidates(at_start if stable else adjacent, pair)
            deeper |= max(side.bit_count() for side in candidates) > level
            for condition in conditions(candidates, level):
                if len(tests.made) % TESTS_PER_EVENT == 0:
                    message = f"Level {level}: pair {done + 1} of {len(pairs)}"
                    yield tests.progress(message, level, adjacent)
                test = tests.ask(pair, condition, cancel)
                if test is not None and test.outcome.independent:
                    separated[pair] = test
                    part(adjacent, pair)
                    break
        yield tests.progress(f"Level {level} is done", level, adjacent)
        if not deeper:
            break
        level += 1
    return Skeleton(tests.names, tuple(adjacent), separated, tuple(tests.made), tests.left_out)


def _prefetch_level(
    tester: DataTests,
    rules: PairRules,
    adjacent: Sequence[int],
    pairs: Sequence[Pair],
    level: int,
    cancel: CancelToken,
) -> None:
    """Have the tables of a level counted by few passes: those of the next sets of every pair that
    no test has separated yet, each time twice as many."""
    waiting = {pair: conditions(rules.candidates(adjacent, pair), level) for pair in pairs}
    size = 1
    while waiting:
        next_sets = {pair: [*islice(rest, size)] for pair, rest in waiting.items()}
        tester.prefetch(((*pair, one) for pair, sets in next_sets.items() for one in sets), cancel)
        for pair, sets in next_sets.items():
            outcomes = (tester.test(*pair, one, cancel) for one in sets)
            if not sets or any(outcome is not None and outcome.independent for outcome in outcomes):
                del waiting[pair]
        size *= 2


# The log of the independence tests of a run, as an artifact.

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
        return self.rule.threshold

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
                *numbers_of(test.outcome),
                "yes" if test.outcome.independent else "no",
                "yes" if test.outcome.reliable else "no",
            )
            for test in self.tests
        ]
        return head, rows


def numbers_of(
    outcome: Outcome,
) -> tuple[float | None, int | None, float | None, float | None]:
    """Statistic, degrees of freedom, p-value and bits; None where there is none."""
    if outcome.is_stated:
        return None, None, None, None
    if not outcome.has_p_value:
        return outcome.statistic, None, None, outcome.bits
    return outcome.statistic, outcome.freedom, outcome.p_value, outcome.bits


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
