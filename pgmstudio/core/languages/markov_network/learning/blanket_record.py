"""What a search by blankets saw: blankets, AND and OR graphs, and the steps of the climb."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pgmstudio.core.languages.markov_network.learning.blankets import BlanketSearch, EdgeStep
from pgmstudio.core.languages.markov_network.pseudo_likelihood import bits_of
from pgmstudio.core.languages.markov_network.structure import Edge
from pgmstudio.core.learning.artifacts import PlainFields

NamedEdge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FoundBlanket:
    """The blanket of one variable, found on its own; scores in bits, `empty_score` without it.

    `steps` are the variables in the order in which they joined (+) and left (−).
    """

    variable: str
    members: tuple[str, ...]
    score: float
    empty_score: float
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoredGraph:
    """A graph and its score in bits."""

    title: str
    edges: tuple[NamedEdge, ...]
    score: float


@dataclass(frozen=True, slots=True)
class ClimbStep:
    """An edge that the climb added or removed, and its gain in bits."""

    first: str
    second: str
    is_added: bool
    gain: float


@dataclass(frozen=True)
class BlanketRecord(PlainFields):
    """A whole search. The blankets by themselves are a dependency network: x may be in the blanket
    of y and y not in that of x."""

    blankets: tuple[FoundBlanket, ...]
    graphs: tuple[ScoredGraph, ...]
    steps: tuple[ClimbStep, ...]

    kind = "markov-blankets"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows: every variable with its blanket and how it was found."""
        return ("variable", "blanket", "score_bits", "score_without_blanket_bits", "steps"), [
            (one.variable, " ".join(one.members), one.score, one.empty_score, " ".join(one.steps))
            for one in self.blankets
        ]


def record_of(
    names: Sequence[str],
    search: BlanketSearch,
    graphs: Mapping[str, tuple[Iterable[Edge], float]],
    steps: Iterable[EdgeStep] = (),
) -> BlanketRecord:
    """The record of a search, its graphs by their titles, with their scores."""

    def named(edges: Iterable[Edge]) -> tuple[NamedEdge, ...]:
        return tuple((names[i], names[j]) for i, j in sorted(edges))

    blankets = tuple(
        FoundBlanket(
            names[node],
            tuple(names[v] for v in bits_of(one.members)),
            one.score,
            one.empty_score,
            tuple(f"{'+' if s.is_added else '−'}{names[s.variable]}" for s in one.steps),
        )
        for node, one in enumerate(search.blankets)
    )
    return BlanketRecord(
        blankets,
        tuple(ScoredGraph(title, named(edges), score) for title, (edges, score) in graphs.items()),
        tuple(ClimbStep(names[s.edge[0]], names[s.edge[1]], s.is_added, s.gain) for s in steps),
    )
