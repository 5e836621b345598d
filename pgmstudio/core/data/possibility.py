"""The possibility distribution that a data set induces, and its projections.

A row with imprecise cells is a set of tuples. π(t) is the part of the weight of the rows that
contain t. The projection π_M(m) is the largest degree of a tuple above m; summing weights of
projected rows would be wrong. It is found among the intersections of rows: every tuple lies in the
intersection of the rows that contain it, and they are the weight of that set (Borgelt, Steinbrecher
and Kruse 2009, §5.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import allowed_states
from pgmstudio.core.data.relation import Tuples, tuple_ids
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.large_counts import count_text

Words = NDArray[np.uint64]  # elements × words: a bit for every state of every variable
Masks = list[list[tuple[int, np.uint64]]]  # per variable, its bits in each word

# More intersections than this, or more comparisons, and some of them are drawn instead.
MAX_CLOSURE = 100_000
MAX_COMPARISONS = 2_000_000_000
DRAWN = 2_000
MAX_CELLS = 100_000_000  # of a table of degrees, 800 MB
_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class PossibilityDistribution:
    """Sets of tuples with their degrees: single tuples, and sets given by the states that each
    variable may have. The degree of a tuple is the largest of the sets that contain it.

    `is_exact` is False where not all intersections of rows were looked at; degrees may then be too
    small.
    """

    domain: Domain
    tuples: Tuples  # variables × tuples
    tuple_degrees: Floats
    allowed: tuple[NDArray[np.bool_], ...]  # per variable: sets × states
    set_degrees: Floats
    is_exact: bool = True

    @classmethod
    def of(
        cls,
        data: DataSet,
        *,
        rescaled: bool = False,
        max_closure: int = MAX_CLOSURE,
        rng: np.random.Generator | None = None,
        cancel: CancelToken = NEVER,
    ) -> PossibilityDistribution:
        """π(t) = weight of the rows that contain t, over the weight of all; with `rescaled` the
        largest degree is 1. DataError without rows."""
        weights = data.row_weights
        if not weights.sum() > 0:
            raise DataError("There are no rows to take degrees of possibility from.")
        data = data.take_rows(weights > 0)
        allowed = allowed_states(data)
        is_precise = np.ones(data.row_count, dtype=bool)
        for table in allowed:
            is_precise &= table.sum(axis=1) == 1
        tuples, tuple_weights = _merged_tuples(data.take_rows(is_precise))
        masks = _masks(data.domain.cardinalities)
        packed = _packed([table[~is_precise] for table in allowed], masks)
        sets, which = np.unique(packed, axis=0, return_inverse=True)
        set_weights = _sums(which.ravel(), data.row_weights[~is_precise], len(sets))
        elements, is_exact = _closure(sets, masks, max_closure, cancel)
        if not is_exact:
            drawn = _drawn_intersections(sets, masks, rng or np.random.default_rng(0), cancel)
            elements = np.unique(np.concatenate((sets, drawn)), axis=0)
        as_sets = _packed([np.eye(c, dtype=bool)[t] for c, t in _with_cards(data, tuples)], masks)
        degrees = tuple_weights + _coverage(as_sets, sets, set_weights, cancel)
        covered = _coverage(elements, sets, set_weights, cancel)
        total = float(weights.sum())
        result = cls(
            data.domain,
            tuples,
            np.minimum(degrees / total, 1.0),
            _unpacked(elements, masks, data.domain.cardinalities),
            np.minimum(covered / total, 1.0),
            is_exact,
        )
        return result.rescaled() if rescaled else result

    @cached_property
    def top(self) -> float:
        """The largest degree of a tuple."""
        return float(max(self.tuple_degrees.max(initial=0.0), self.set_degrees.max(initial=0.0)))

    def rescaled(self) -> PossibilityDistribution:
        """The degrees divided by the largest."""
        top = self.top
        return replace(
            self, tuple_degrees=self.tuple_degrees / top, set_degrees=self.set_degrees / top
        )

    def projection(self, scope: Sequence[int]) -> Floats:
        """π_M as a table with an axis for each variable: the largest degree above each cell."""
        cards = [self.domain.cardinalities[v] for v in scope]
        if math.prod(cards) > MAX_CELLS:
            raise TooLargeError(
                f"The table of {', '.join(self.domain.names[v] for v in scope)} has "
                f"{count_text(math.prod(cards))} degrees; {MAX_CELLS:,} are possible. Use fewer "
                "parents, or merge states."
            )
        table = np.zeros(cards)
        np.maximum.at(table, tuple(self.tuples[list(scope)]), self.tuple_degrees)
        if self.set_degrees.size:
            _fill(table, [self.allowed[v] for v in scope], self.set_degrees)
        return table

    def degrees_of(self, rows: Tuples) -> Floats:
        """π(t) of full tuples, variables × tuples."""
        columns = np.concatenate((self.tuples, rows), axis=1)
        _, ids = tuple_ids(columns, self.domain.cardinalities)
        known = np.zeros(int(ids.max(initial=-1)) + 1)
        np.maximum.at(known, ids[: self.tuple_degrees.size], self.tuple_degrees)
        result = known[ids[self.tuple_degrees.size :]]
        for row in range(rows.shape[1]):
            inside = np.ones(self.set_degrees.size, dtype=bool)
            for table, state in zip(self.allowed, rows[:, row], strict=True):
                inside &= table[:, state]
            result[row] = max(result[row], self.set_degrees[inside].max(initial=0.0))
        return result

    @property
    def is_precise(self) -> bool:
        """Whether every set is a single tuple, so that all possible tuples are listed."""
        return not self.set_degrees.size


def _merged_tuples(data: DataSet) -> tuple[Tuples, Floats]:
    codes = data.codes.astype(np.int64)
    first, ids = tuple_ids(codes, data.domain.cardinalities)
    return codes[:, first], _sums(ids, data.row_weights, first.size)


def _sums(ids: NDArray[np.intp], weights: Floats, count: int) -> Floats:
    return np.bincount(ids, weights, minlength=count).astype(np.float64)


def _with_cards(data: DataSet, tuples: Tuples) -> list[tuple[int, Tuples]]:
    return list(zip(data.domain.cardinalities, tuples, strict=True))


def _masks(cards: Sequence[int]) -> Masks:
    """Where the states of each variable are: a variable of up to 64 states is within one word."""
    masks: Masks = []
    bit = 0
    for card in cards:
        if card <= 64 and bit % 64 + card > 64:
            bit += 64 - bit % 64
        parts: dict[int, int] = {}
        for index in range(bit, bit + card):
            parts[index // 64] = parts.get(index // 64, 0) | 1 << index % 64
        masks.append([(word, np.uint64(mask)) for word, mask in parts.items()])
        bit += card
    return masks


def _bits(masks: Masks) -> list[list[tuple[int, int]]]:
    """The word and bit of every state of every variable."""
    return [
        [(word, bit) for word, mask in parts for bit in range(64) if int(mask) >> bit & 1]
        for parts in masks
    ]


def _packed(allowed: Sequence[NDArray[np.bool_]], masks: Masks) -> Words:
    count = allowed[0].shape[0] if allowed else 0
    words = np.zeros((count, max((w for p in masks for w, _ in p), default=0) + 1), np.uint64)
    for table, bits in zip(allowed, _bits(masks), strict=True):
        for state, (word, bit) in enumerate(bits):
            words[:, word] |= table[:, state].astype(np.uint64) << np.uint64(bit)
    return words


def _unpacked(words: Words, masks: Masks, cards: Sequence[int]) -> tuple[NDArray[np.bool_], ...]:
    result = []
    for card, bits in zip(cards, _bits(masks), strict=True):
        table = np.zeros((len(words), card), dtype=bool)
        for state, (word, bit) in enumerate(bits):
            table[:, state] = (words[:, word] >> np.uint64(bit)) & np.uint64(1) == 1
        result.append(table)
    return tuple(result)


def _is_possible(words: Words, masks: Masks) -> NDArray[np.bool_]:
    """Which sets have a state of every variable."""
    result = np.ones(len(words), dtype=bool)
    for parts in masks:
        has = np.zeros(len(words), dtype=bool)
        for word, mask in parts:
            has |= (words[:, word] & mask) != 0
        result &= has
    return result


def _closure(sets: Words, masks: Masks, most: int, cancel: CancelToken) -> tuple[Words, bool]:
    """All intersections of the sets that are not empty; (the sets, False) if they are too many."""
    known: set[bytes] = set()
    closure = sets[:0]
    compared = 0
    for number in range(len(sets)):
        cancel.raise_if_cancelled()
        compared += len(closure) * len(masks)
        met = closure & sets[number]
        new = np.concatenate((sets[number : number + 1], met[_is_possible(met, masks)]))
        new = np.unique(new, axis=0)
        fresh = [row for row in new if row.tobytes() not in known]
        known.update(row.tobytes() for row in fresh)
        if len(known) > most or compared > MAX_COMPARISONS:
            return sets, False
        if fresh:
            closure = np.concatenate((closure, np.array(fresh, dtype=np.uint64)))
    return closure, True


def _drawn_intersections(
    sets: Words, masks: Masks, rng: np.random.Generator, cancel: CancelToken
) -> Words:
    """Sets narrowed by all others, in random order, as long as something is left."""
    result = sets[rng.integers(0, len(sets), DRAWN)]
    for number in rng.permutation(len(sets)):
        cancel.raise_if_cancelled()
        met = result & sets[number]
        result = np.where(_is_possible(met, masks)[:, None], met, result)
    return result


def _coverage(elements: Words, sets: Words, weights: Floats, cancel: CancelToken) -> Floats:
    """The weight of the sets that contain each element."""
    result = np.zeros(len(elements))
    if not len(sets):
        return result
    block = max(1, _BLOCK // len(sets))
    for begin in range(0, len(elements), block):
        cancel.raise_if_cancelled()
        part = elements[begin : begin + block]
        inside = np.ones((len(part), len(sets)), dtype=bool)
        for word in range(elements.shape[1]):
            inside &= (part[:, word, None] & ~sets[None, :, word]) == 0
        result[begin : begin + block] = inside @ weights
    return result


def _fill(table: Floats, allowed: Sequence[NDArray[np.bool_]], degrees: Floats) -> None:
    """Raise every cell to the largest degree of a set that allows it."""
    for state in range(table.shape[0]):
        chosen = allowed[0][:, state]
        if not chosen.any():
            continue
        if table.ndim == 1:
            table[state] = max(table[state], degrees[chosen].max())
        else:
            _fill(table[state], [one[chosen] for one in allowed[1:]], degrees[chosen])
