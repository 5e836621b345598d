"""What data and a model report of single edges: strengths, and reasons for and against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequency
from pgmstudio.core.scores.edge_gains import Edge, EdgeMove
from pgmstudio.core.scores.independence import Outcome


@dataclass(frozen=True, slots=True)
class LinkStrength:
    """One edge with its measures from data; None where a table would be too large to test."""

    source: str
    target: str
    alone: Outcome | None  # U against X
    given_parents: Outcome | None  # U against X given the other parents of X, or a blanket
    bic_gain: float  # bits; of PIC for an edge without direction

    @property
    def edge(self) -> Edge:
        return self.source, self.target

    @property
    def information_bits(self) -> float:
        """I(U; X)."""
        return 0.0 if self.alone is None else self.alone.bits

    @property
    def added_bits(self) -> float:
        """I(U; X | Z)."""
        return 0.0 if self.given_parents is None else self.given_parents.bits

    @property
    def p_value(self) -> float:
        """Of U ⊥ X | Z; 1 when it cannot be tested."""
        return 1.0 if self.given_parents is None else self.given_parents.p_value


@dataclass(frozen=True, slots=True)
class OptimaShare:
    """In which runs of a search two variables ended up joined; runs count from 1."""

    runs: int
    joined_in: tuple[int, ...]
    optima: int
    joining_optima: int
    best_joins: bool

    def __str__(self) -> str:
        where = ""
        if self.joined_in and len(self.joined_in) < self.runs:
            few = ", ".join(map(str, self.joined_in[:5]))
            more = f" and {len(self.joined_in) - 5} more" if len(self.joined_in) > 5 else ""
            where = f" (run {few}{more})"
        best = "the best one does" if self.best_joins else "the best one does not"
        return (
            f"{len(self.joined_in)} of {self.runs} runs of the search ended with the two "
            f"joined{where}, in {self.joining_optima} of {self.optima} local optima; {best}."
        )


class TestRecords(Protocol):
    """The tests that a search made."""

    def about(self, one: str, other: str, /) -> Iterable[object]: ...

    def why(self, one: str, other: str, /) -> str | None: ...


@dataclass(frozen=True, slots=True)
class PairTest:
    """A ⊥ B given some variables, by G²; no outcome when the table would be too large."""

    given: tuple[str, ...]
    outcome: Outcome | None


@dataclass(frozen=True)
class EdgeWhy:
    """The explanation of one pair of variables; when `is_edge`, the graph has source → target."""

    source: str
    target: str
    is_edge: bool
    moves: Mapping[str, tuple[EdgeMove, ...]]  # by the title of the score
    tests: tuple[PairTest, ...]
    rules: tuple[str, ...] = ()
    frequency: EdgeFrequency | None = None
    replicates: int = 0
    pc: str | None = None  # the reason that the search recorded
    pc_tests: tuple[str, ...] = ()
    optima: OptimaShare | None = None
    is_directed: bool = True
    contexts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # gains by score

    @property
    def edge_text(self) -> str:
        return f"{self.source} {'→' if self.is_directed else '–'} {self.target}"

    def with_records(
        self, *, tests: TestRecords | None = None, optima: OptimaShare | None = None
    ) -> EdgeWhy:
        """With what a search saw of the pair."""
        result = self
        if tests is not None:
            made = tuple(map(str, tests.about(self.source, self.target)))
            result = replace(result, pc=tests.why(self.source, self.target), pc_tests=made)
        return result if optima is None else replace(result, optima=optima)

    def with_frequency(self, frequency: EdgeFrequency, replicates: int) -> EdgeWhy:
        """With the bootstrap frequencies, in the direction of this pair."""
        if frequency.source != self.source:
            frequency = frequency.turned()
        return replace(self, frequency=frequency, replicates=replicates)


def rules_about(knowledge: Knowledge | None, one: str, other: str) -> tuple[str, ...]:
    """One line for each rule about this pair."""
    if knowledge is None:
        return ()
    lines = []
    for source, target in ((one, other), (other, one)):
        if (source, target) in knowledge.required:
            lines.append(f"{source} → {target} is required.")
        why = knowledge.why_forbidden(source, target)
        if why is not None:
            lines.append(why)
    return tuple(dict.fromkeys(lines))
