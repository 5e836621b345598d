"""LearnPDGs: a population of forests, a graph of each for every λ (Nielsen 2007, Alg. 4.6).

An addition to Alg. 4.6: the forests removed after a λ are replaced by modified copies of the best
ones, with a variable moved, alone or with all below it, or two exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import CancelToken, StepToken, step_token
from pgmstudio.core.execution.thread_pool import Search, map_events, run_in_threads
from pgmstudio.core.languages.pdg.learning.forest import (
    ForestGrowth,
    PlacementGains,
    grow_by_gains,
    learn_forest,
)
from pgmstudio.core.languages.pdg.learning.params import GAINS, SIZE_PAR, WAYS, PdgParams
from pgmstudio.core.languages.pdg.learning.search import PdgStep, SweepResult, in_steps, learn_pdg
from pgmstudio.core.languages.pdg.learning.state import Forest, PdgRows, PdgState, RowClasses
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import idle_as_roots
from pgmstudio.core.scores.local import spaced_lambdas


class RelocationGains:
    """Positions at which a variable alone would gain over its position in a graph, computed
    lazily."""

    def __init__(self, state: PdgState, lambda_: float) -> None:
        self._remaining = _gainful(state, lambda_)
        self._candidates = list(islice(self._remaining, 1))

    def __bool__(self) -> bool:
        """Whether any variable would gain; computes one candidate only."""
        return bool(self._candidates)

    def drawn(self, rng: np.random.Generator) -> tuple[int, int]:
        """A variable and its new parent, drawn in proportion to the gain."""
        self._candidates += self._remaining
        fractions = np.array([gain for _, _, gain in self._candidates])
        i, above, _ = self._candidates[
            int(rng.choice(fractions.size, p=fractions / fractions.sum()))
        ]
        return i, above


def changed(
    forest: Forest, guide: RelocationGains, rng: np.random.Generator, seen: set[Forest]
) -> Forest | None:
    """An unseen forest one change away; None if ten draws gave none.

    Half of the draws move a variable to where the guide expects a gain; the others are uniform.
    A chain stays a chain.
    """
    size = len(forest)
    if size < 2:
        return None
    kinds = _CHAIN_KINDS if is_chain(forest) else _KINDS
    for _ in range(10):
        if guide and rng.random() < 0.5:
            i, above = guide.drawn(rng)
        else:
            i, above = (int(v) for v in rng.choice(size, 2, replace=False))
        made = kinds[int(rng.integers(len(kinds)))](forest, i, above)
        if made is not None and made not in seen:
            return made
    return None


def _gainful(state: PdgState, lambda_: float) -> Iterator[tuple[int, int, float]]:
    """Variable, new parent and gain in bits, for moves of one variable that gain."""
    placing = PlacementGains.of(state, lambda_)
    size = len(state.forest)
    for i in range(size):
        now = placing.worth(i, state)
        for above in range(size):
            if above in (i, state.forest[i]):
                continue
            gain = 0.0  # as where it would not gain at all
            if placing.most_below(i, above) > max(now, 0.0):
                gain = placing.below(i, above).gain
            if gain > now:
                yield i, above, gain - now


def with_subtree_below(forest: Forest, i: int, above: int) -> Forest | None:
    """The variable and all below it, below another; None when that stands below it."""
    line: int | None = above
    while line is not None:
        if line == i:
            return None
        line = forest[line]
    moved = list(forest)
    moved[i] = above
    return tuple(moved)


def alone_below(forest: Forest, i: int, above: int) -> Forest:
    """The variable alone as a leaf below another; what stood below it moves up."""
    moved = [forest[i] if up == i else up for up in forest]
    moved[i] = above
    return tuple(moved)


def between(forest: Forest, i: int, above: int) -> Forest:
    """The variable alone, between another and all that stands below that."""
    freed = alone_below(forest, i, above)
    return tuple(i if up == above and j != i else up for j, up in enumerate(freed))


def exchanged(forest: Forest, a: int, b: int) -> Forest:
    """The forest with two variables exchanged."""
    other = {a: b, b: a}
    moved = list(forest)
    moved[a], moved[b] = forest[b], forest[a]
    return tuple(None if up is None else other.get(up, up) for up in moved)


_CHAIN_KINDS = (exchanged, between)
_KINDS = (*_CHAIN_KINDS, with_subtree_below, alone_below)


def is_chain(forest: Forest) -> bool:
    """Whether the forest is one chain, over which a graph can represent any distribution."""
    above = [up for up in forest if up is not None]
    return len(above) == len(forest) - 1 and len(set(above)) == len(above)


MIN_FORESTS = 5
# With fewer cells than this threads do not pay.
_CELLS_FOR_THREADS = 50_000


@dataclass(frozen=True, eq=False)
class CandidateForest:
    """A forest of the population: its number from 1, and the random numbers of its searches."""

    number: int
    forest: Forest
    rng: np.random.Generator
    classes: RowClasses

    @property
    def edges(self) -> int:
        return sum(above is not None for above in self.forest)


@dataclass(frozen=True, eq=False)
class ForestResult:
    """The best graph of one λ, with the likeliest parameters; S_λ and L are in bits."""

    lambda_: float
    planted: CandidateForest
    graph: DecisionGraph
    score: float
    log2_likelihood: float
    size: int
    is_reused: bool = False


@dataclass(frozen=True, slots=True)
class ForestProgress:
    """Progress of phase I: the growth of one forest."""

    forest: int
    forests: int
    growth: ForestGrowth


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Progress of phase II: the search for one forest and λ."""

    lambda_: float
    lambdas_done: int
    forest: int
    searches_done: int
    searches: int
    pruned: int
    event: SweepResult | PdgStep


def default_lambdas(rows: float, count: int = 20) -> tuple[float, ...]:
    """λ/(1−λ) evenly spaced in its logarithm from 0.05 to 5·log2 N."""
    return spaced_lambdas(0.05, 5 * math.log2(max(rows, 2)), count)


def default_levels(count: int) -> tuple[float, ...]:
    """Evenly spaced in their logarithm from 10⁻⁶ to 0.2."""
    return tuple(float(level) for level in np.geomspace(1e-6, 0.2, count))


def _worth(one: ForestResult) -> tuple[float, int]:
    """Sort key: the score; ties, as of graphs of single nodes, by the number of edges."""
    return one.score, one.planted.edges


class Population:
    """The forests of one run, and the searches in them."""

    def __init__(self, rows: PdgRows, params: PdgParams, cancel: CancelToken) -> None:
        self._rows, self._params, self._cancel = rows, params, cancel
        self._rules = params.sweep_rules()
        self._by_parameters = params.size == SIZE_PAR
        given = params.lambdas or default_lambdas(rows.total)
        self.lambdas = tuple(sorted(set(given), reverse=True))
        cells = rows.row_count * len(rows.cards)
        self._threads = 1 if cells < _CELLS_FOR_THREADS else core_count()
        self.forests: list[CandidateForest] = []
        self.pruned = self._made = 0
        self._seen: set[Forest] = set()

    def plant(self, forests: Sequence[Forest], rngs: Sequence[np.random.Generator]) -> None:
        """Take the forests as the population; of equal ones the first."""
        for forest, rng in zip(forests, rngs, strict=True):
            if forest not in self._seen:
                self.forests.append(self._planted(forest, rng))

    def plant_only(self, forest: Forest, rng: np.random.Generator) -> None:
        """Take one forest as the whole population, and search it several times."""
        count = min(MIN_FORESTS, self._params.population)
        self.forests = [self._planted(forest, own) for own in rng.spawn(count)]

    def _planted(self, forest: Forest, rng: np.random.Generator) -> CandidateForest:
        self._seen.add(forest)
        self._made += 1
        return CandidateForest(self._made, forest, rng, RowClasses(self._rows, forest))

    def grow(self, rng: np.random.Generator) -> Generator[ForestProgress, None, None]:
        """Phase I: the forests, each with random numbers of its own."""
        count = self._params.population
        rngs = rng.spawn(count)
        searches = [self._growing(number, rngs[number]) for number in range(count)]
        events = run_in_threads(searches, self._threads, self._cancel)
        forests = yield from map_events(
            events, lambda event: ForestProgress(event[0] + 1, count, event[1])
        )
        self.plant(forests, rngs)

    def _growing(self, number: int, rng: np.random.Generator) -> Search[ForestGrowth, Forest]:
        """Forest `number` of the population, by tests or by gains, alternating for both."""
        params, ways = self._params, WAYS[self._params.grow_by]
        way, turn = ways[number % len(ways)], number // len(ways)
        turns = -(-params.population // len(ways))
        if way == GAINS:
            ratios = np.geomspace(1, 5 * math.log2(max(self._rows.total, 2)), turns)
            lambda_ = float(ratios[turn] / (1 + ratios[turn]))
            return partial(
                grow_by_gains,
                self._rows,
                lambda_,
                rng,
                as_chain=turn % 3 == 2,
            )
        levels = params.levels or default_levels(turns)
        index = turn % len(levels) if turns > len(levels) else turn * len(levels) // turns
        return partial(
            learn_forest,
            self._rows,
            levels[index],
            params.forest_lambda or self.lambdas[0],
            self._rules,
            params.test_rules(),
            rng,
            by_parameters=self._by_parameters,
        )

    def learn(self, index: int) -> Generator[SweepProgress, None, ForestResult]:
        """Phase II for one λ of the list: the best over all forests; then poor forests are
        removed."""
        planted = self.forests
        result = yield from self._learn_all(index, planted)
        if self._params.evolve and self._params.forest is None:
            result.sort(key=_worth, reverse=True)
            indices, made = self._offspring(result)
            children = yield from self._learn_all(index, made)
            for parent, child in zip(indices, children, strict=True):
                if child.score > result[parent].score:  # keeps the forests diverse
                    result[parent] = child
        result.sort(key=_worth, reverse=True)
        self._prune([one.planted for one in result])
        return result[0]

    def _learn_all(
        self, index: int, planted: list[CandidateForest]
    ) -> Generator[SweepProgress, None, list[ForestResult]]:
        lambda_ = self.lambdas[index]
        searches = [partial(self._search, one, lambda_) for one in planted]
        walker = step_token(self._cancel)
        threads = 1 if walker is not None and walker.is_stepping else self._threads
        events = run_in_threads(searches, threads, self._cancel)

        def swept(event: tuple[int, SweepResult | PdgStep]) -> SweepProgress:
            number, inner = event
            which, count = planted[number].number, len(planted)
            return SweepProgress(lambda_, index, which, number, count, self.pruned, inner)

        return (yield from map_events(events, swept))

    def _offspring(self, result: list[ForestResult]) -> tuple[list[int], list[CandidateForest]]:
        """Changed copies of the best forests, the best first, and the index of the result each may
        replace.

        The best chain is changed twice: the value of its order shows late.
        """
        parents = list(range(min(len(result), max(MIN_FORESTS, len(result) // 4))))
        chains = [n for n, one in enumerate(result) if is_chain(one.planted.forest)]
        positions, made = [], []
        guides: dict[int, RelocationGains] = {}
        for index in [*parents, *chains[:1]]:
            self._cancel.raise_if_cancelled()
            parent = result[index]
            rng = parent.planted.rng.spawn(1)[0]
            if index not in guides:
                graph = parent.graph
                state = PdgState(self._rows, graph.forest, start=graph)
                guides[index] = RelocationGains(state, parent.lambda_)
            forest = changed(parent.planted.forest, guides[index], rng, self._seen)
            if forest is not None:
                positions.append(index)
                made.append(self._planted(forest, rng))
        return positions, made

    def _prune(self, best_first: list[CandidateForest]) -> None:
        gone = math.floor(len(best_first) * self._params.prune_percent / 100)
        remaining = max(min(MIN_FORESTS, len(best_first)), len(best_first) - gone)
        self.pruned += len(best_first) - remaining
        chain = next((one for one in best_first if is_chain(one.forest)), None)
        stay = best_first[:remaining]
        if (
            chain is not None and chain not in stay
        ):  # gains of several variables together show at small λ
            stay = [*stay[:-1], chain]
        self.forests = sorted(stay, key=lambda planted: planted.number)

    def _search(
        self, planted: CandidateForest, lambda_: float, cancel: CancelToken
    ) -> Generator[SweepResult | PdgStep, None, ForestResult]:
        start = PdgState(
            self._rows,
            planted.forest,
            by_parameters=self._by_parameters,
            classes=planted.classes,
        )
        walker = step_token(cancel)
        best = yield from learn_pdg(start, lambda_, self._rules, planted.rng, cancel, walker)
        return self._learned(best, planted, lambda_)

    def reused(
        self, smaller: ForestResult, own: ForestResult
    ) -> Generator[SweepProgress, None, ForestResult]:
        """The model of a smaller λ, merged at this λ and searched on from there, or the own one
        where that scores higher."""
        self._cancel.raise_if_cancelled()
        start, position = smaller.graph, self.lambdas.index(own.lambda_)
        state = PdgState(self._rows, start.forest, by_parameters=self._by_parameters, start=start)
        planted, walker = smaller.planted, step_token(self._cancel)
        searching = self._merged_and_searched(state, own.lambda_, planted.rng, walker)

        def swept(event: SweepResult | PdgStep) -> SweepProgress:
            return SweepProgress(own.lambda_, position, planted.number, 0, 1, self.pruned, event)

        result = yield from map_events(searching, swept)
        merged = self._learned(result, planted, own.lambda_)
        return replace(merged, is_reused=True) if merged.score > own.score else own

    def _merged_and_searched(
        self, state: PdgState, lambda_: float, rng: np.random.Generator, walker: StepToken | None
    ) -> Generator[SweepResult | PdgStep, None, PdgState]:
        merge = partial(state.merge_at, lambda_, as_printed=self._rules.merge_as_printed)
        yield from in_steps(state, merge, lambda_, walker)
        return (yield from learn_pdg(state, lambda_, self._rules, rng, self._cancel, walker))

    def _learned(self, state: PdgState, planted: CandidateForest, lambda_: float) -> ForestResult:
        graph, bits = state.graph(), state.log2_likelihood()
        if self._params.forest is None:
            graph = idle_as_roots(graph)
        size = graph.parameter_size() if self._by_parameters else graph.effective_size()
        score = (1 - lambda_) * bits - lambda_ * size
        return ForestResult(lambda_, planted, graph, score, bits, size)
