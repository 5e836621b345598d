"""What earlier searches saw of one pair of variables: PC's tests, the ends of KES's runs.

A search is run again with the data, settings and seed it was run with, so what it tells is what
happened then. Both are tasks, since they may take as long as the search did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.learning.kes_optima import KesOptima
from pgmstudio.core.learning.kes_params import KesParams
from pgmstudio.core.learning.kes_search import kes_optima
from pgmstudio.core.learning.pc import PcParams, pc_result
from pgmstudio.core.learning.pc_log import TestLog
from pgmstudio.core.running import CancelToken


@dataclass(frozen=True, eq=False)
class PcTask:
    """PC once more, for the log of its tests."""

    data: DataSet
    params: PcParams

    def __call__(self, cancel: CancelToken, /) -> Iterator[TestLog]:
        found = pc_result(self.data, self.params, cancel)
        yield TestLog.of(found.skeleton, self.params.rule())


@dataclass(frozen=True, eq=False)
class OptimaTask:
    """The runs of a k-greedy equivalence search once more; the same seed, the same optima."""

    data: DataSet
    params: KesParams
    seed: int

    def __call__(self, cancel: CancelToken, /) -> Iterator[KesOptima]:
        rng = np.random.default_rng(self.seed)
        yield kes_optima(self.data, self.params, rng=rng, cancel=cancel)


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


def optima_share(found: KesOptima, one: str, other: str) -> OptimaShare:
    """How often the runs of a search joined the two variables."""
    runs = [i for i, run in enumerate(found.runs, start=1) if _joins(run.cpdag, one, other)]
    joining = [optimum for optimum in found.optima if _joins(optimum.cpdag, one, other)]
    return OptimaShare(
        len(found.runs),
        tuple(runs),
        len(found.optima),
        len(joining),
        _joins(found.best.cpdag, one, other),
    )


def _joins(graph: Pdag, one: str, other: str) -> bool:
    return bool(graph.adjacent_masks[graph.names.index(one)] >> graph.names.index(other) & 1)
