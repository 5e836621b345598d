"""Feature selection for a target: by the graph of a model, or by tests of independence.

By the graph: in a tree the class depends on its neighbours alone and the tree classifies as naive
Bayes on them does (Meilă 1999, §7.3.5); in a Bayesian network on the Markov blanket.

By tests: each column is tested against the target alone, A ⊥ T; the p-value is the probability of
counts at least as far from independence if the two were independent, so a large one speaks for
leaving the column out. Many tests find something by chance: with m of them the p-values can be
corrected by

    Bonferroni   p'_(i) = m · p_(i)
    Holm         p'_(i) = max_{j ≤ i} (m − j + 1) · p_(j)

at most 1, with p_(1) ≤ … ≤ p_(m) (Holm 1979). Both bound the probability of one false find or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pgmstudio.core.analysis.value_of_information import information_about
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.scores.independence import DataTests, IndependenceRule, Outcome


@dataclass(frozen=True, slots=True)
class Feature:
    """`bits` is I(target; variable) in the model, None where that cannot be computed.

    `role` is its relation to the target as text; "" for variables that add nothing once
    the others are known.
    """

    name: str
    bits: float | None
    role: str

    @property
    def is_used(self) -> bool:
        return bool(self.role)


def features_of(model: Model, target: str, cancel: CancelToken = NEVER) -> tuple[Feature, ...]:
    """All variables but the target: those with a role first, the most informative of them first."""
    roles = roles_towards(model, target)
    bits: dict[str, float] = {}
    with suppress(TooLargeError):  # complete rows can be classified all the same
        bits = information_about(open_session(model), model.domain, target, cancel)
    result = [
        Feature(name, bits.get(name), roles.get(name, ""))
        for name in model.domain.names
        if name != target
    ]
    return tuple(sorted(result, key=lambda one: (not one.is_used, -(one.bits or 0.0))))


def roles_towards(model: Model, target: str) -> dict[str, str]:
    """How the variables that a prediction uses stand to the target; absent ones are not used.

    A language without edges between variables uses all of them.
    """
    others = [name for name in model.domain.names if name != target]
    row = LANGUAGES.get(model.kind)
    if row is not None and row.roles is not None:
        return row.roles.load()(model, target)
    if not isinstance(model, DirectedModel):
        return dict.fromkeys(others, "in the model")
    children = [child for parent, child in model.edges if parent == target]
    result: dict[str, str] = {}
    for parent, child in model.edges:
        if child in children and parent != target:
            result[parent] = "parent of a child"
    result.update(dict.fromkeys(children, "child"))
    result.update((parent, "parent") for parent, child in model.edges if child == target)
    return result


CORRECTIONS = ("none", "bonferroni", "holm")
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class TargetTest:
    """A column against the target; no outcome when the two have too many states together."""

    column: str
    outcome: Outcome | None
    corrected: float  # the p-value after the correction for many tests

    @property
    def p_value(self) -> float:
        """That of the test alone; 1 when it cannot be made."""
        return 1.0 if self.outcome is None else self.outcome.p_value

    @property
    def bits(self) -> float:
        """Mutual information with the target, I(A; T)."""
        return 0.0 if self.outcome is None else self.outcome.bits


def target_tests(
    data: DataSet,
    target: str,
    *,
    test: str = "g2",
    correction: str = "none",
    cancel: CancelToken = NEVER,
) -> tuple[TargetTest, ...]:
    """Every other column against the target, the most informative first."""
    tests = DataTests(data, IndependenceRule(test=test))
    position = data.domain.index(target)
    others = [column for column in range(len(data.domain)) if column != position]
    outcomes = [tests.test(column, position, (), cancel) for column in others]
    p_values = [1.0 if outcome is None else outcome.p_value for outcome in outcomes]
    result = [
        TargetTest(data.domain.names[column], outcome, p)
        for column, outcome, p in zip(
            others, outcomes, corrected(p_values, correction), strict=True
        )
    ]
    return tuple(sorted(result, key=lambda row: (row.p_value, -row.bits)))


def corrected(p_values: Sequence[float], correction: str) -> list[float]:
    """The p-values of as many tests, corrected for their number."""
    if correction not in CORRECTIONS:
        message = f"{correction!r} is not one of {', '.join(CORRECTIONS)}"
        raise ParameterError({"correction": message})
    count = len(p_values)
    if correction == "none":
        return list(p_values)
    if correction == "bonferroni":
        return [min(1.0, count * p) for p in p_values]
    changed, most = [0.0] * count, 0.0
    for rank, index in enumerate(sorted(range(count), key=lambda k: p_values[k])):
        most = max(most, min(1.0, (count - rank) * p_values[index]))
        changed[index] = most
    return changed


def significant_columns(tests: Iterable[TargetTest], alpha: float = ALPHA) -> tuple[str, ...]:
    """The columns whose corrected p-value is below α."""
    return tuple(row.column for row in tests if row.corrected < alpha)


def p_value_text(p: float) -> str:
    """A p-value for reading: four digits, tiny ones by their size."""
    if p >= 0.0001:
        return f"{p:.4f}"
    return "< 1e−300" if p < 1e-300 else f"{p:.0e}".replace("-", "−")
