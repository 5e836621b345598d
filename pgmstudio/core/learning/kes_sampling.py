"""Better neighbours of an equivalence class by sampling, as the thesis does (Nielsen 2007, §4.3.3).

A neighbour is drawn by reversing random covered edges of a DAG of the class and then adding or
removing one edge (Algorithm 4.4); turning one is drawn likewise. Every neighbour can be drawn, near
ones more often. Drawing and looking at scores are swapped for speed: R(k, N) neighbours are drawn
and the best of them is taken if it is better, else more are drawn, until R(1, N) draws in all have
brought nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.graphs.cpdag import Pdag, bits_of, cpdag_of
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.kes_boundary import ADDITIONS, REMOVALS, TURNS, Deed, Proposal
from pgmstudio.core.learning.kes_gains import GainRows, words_of
from pgmstudio.core.running import CancelToken

# Drawn by one compiled call.
_CHUNK = 256


def draws_needed(greediness: float, neighbours: int, epsilon: float = 0.001) -> int:
    """Draws that are expected to meet a share of equally likely neighbours.

    R(k, N) = max(1, ⌈ln(1 − min(k, 1 − ε)) / ln(1 − 1/N)⌉), from N (1 − (1 − 1/N)^R) distinct
    ones in R draws (Nielsen 2007, eq. B.3; eq. 4.30 is printed with one draw too many).
    """
    share = min(greediness, 1 - epsilon)
    if neighbours <= 1:
        return 1
    return max(1, math.ceil(math.log1p(-share) / math.log1p(-1 / neighbours)))


class SampledBoundary:
    """Better neighbours by chance; what is not found need not be absent."""

    def __init__(self, gains: GainRows, epsilon: float = 0.001) -> None:
        n = len(gains.rules.names)
        self.gains, self.epsilon = gains, epsilon
        self.neighbours = n * n - n  # the thesis's estimate: ordered pairs

    def proposals(
        self,
        cpdag: Pdag,
        least_gain: float,
        greediness: float,
        kinds: int,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[Proposal]:
        """The best of each R(k, N) draws, where it is better."""
        if self.neighbours == 0:
            return
        self.gains.forget_if_many()
        dag = self.gains.rules.member(cpdag)
        parents = words_of(Pdag.of_dag(dag).parent_masks, len(dag.names))
        at_once = draws_needed(greediness, self.neighbours, self.epsilon)
        left = draws_needed(1.0, self.neighbours, self.epsilon)
        while left > 0:
            seeds = rng.integers(
                2**63, size=max(1, min(_CHUNK, left) // at_once) * at_once, dtype=np.uint64
            )
            gains = self._gains_of(parents, seeds, kinds, cancel)
            for first in range(0, len(seeds), at_once):
                group = gains[first : first + at_once]
                for drawn in np.argsort(-group, kind="stable"):
                    if group[drawn] <= least_gain:
                        break
                    proposal = _drawn_class(
                        dag, parents, seeds[first + drawn], kinds == TURNS, float(group[drawn])
                    )
                    if self.gains.rules.narrowed(proposal.cpdag) is not None:
                        yield proposal
                        break
            left -= len(seeds)

    def _gains_of(
        self,
        parents: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        kinds: int,
        cancel: CancelToken,
    ) -> NDArray[np.float64]:
        """What the neighbour drawn by each seed gains; −inf where it is not of a wanted kind."""
        from pgmstudio.core.learning.kes_kernels import draw_neighbours

        drawn = np.empty((len(seeds), 2, parents.shape[1]), dtype=np.uint64)
        others, nodes = np.empty((2, len(seeds)), dtype=np.int64)
        gains = np.full(len(seeds), -math.inf)
        draw_neighbours(parents, seeds, kinds == TURNS, drawn, others, nodes)
        for k, (other, node) in enumerate(zip(others.tolist(), nodes.tolist(), strict=True)):
            if node < 0:
                continue
            above, above_other = map(_mask, drawn[k])
            if kinds == TURNS:
                gains[k] = self._gain(node, above, other, cancel)
                gains[k] += self._gain(other, above_other, node, cancel)
            elif kinds & (REMOVALS if above >> other & 1 else ADDITIONS):
                gains[k] = self._gain(node, above, other, cancel)
        return gains

    def _gain(self, node: int, above: int, other: int, cancel: CancelToken) -> float:
        row = self.gains.row(node, above, cancel)  # first, as it may replace `values`
        return float(self.gains.values[row, other])


def _mask(words: NDArray[np.uint64]) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def _drawn_class(
    dag: Dag, parents: NDArray[np.uint64], seed: np.uint64, is_turn: bool, gain: float
) -> Proposal:
    """The neighbour that a seed draws."""
    from pgmstudio.core.learning.kes_kernels import draw_neighbour

    walked = parents.copy()
    other, node = draw_neighbour(walked, seed, is_turn)
    masks = [*map(_mask, walked)]
    masks[node] ^= 1 << other
    if is_turn:
        masks[other] ^= 1 << node
    drawn = Dag(dag.names, tuple(tuple(bits_of(mask)) for mask in masks))
    deed: Deed = "turned" if is_turn else "added" if masks[node] >> other & 1 else "removed"
    return Proposal(cpdag_of(drawn), gain, (other, node), deed)
