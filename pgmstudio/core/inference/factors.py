"""Factors: tables over a few variables whose product is a distribution up to a constant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import CliqueTree
from pgmstudio.core.inference.base import Finding, as_seen, done_states, weights_of
from pgmstudio.core.model import HasDag, Model


@dataclass(frozen=True, eq=False)
class Factor:
    """Numbers ≥ 0 for every joint state of a few variables, one axis for each."""

    scope: tuple[int, ...]
    values: Floats


class Factored(Model, Protocol):
    """A model with P(x) = Π factors / Z, for which the junction tree answers.

    Where such a model has a DAG, the factors are P(X | parents), one per variable in the order of
    the domain: then barren variables need not be computed with, and do() replaces a factor.
    """

    @property
    def factors(self) -> tuple[Factor, ...]: ...

    @property
    def clique_tree(self) -> CliqueTree:
        """A tree in which every scope lies within a clique and every variable has one."""

    @property
    def log2_partition(self) -> float:
        """log2 Z."""


@dataclass(frozen=True, eq=False)
class QueryFactors:
    """The factors on which a query depends, with variables in a known state fixed.

    The factors are over positions in `free`. Σ Π factors · weights · 2^log2_constant = Z · P(e).
    """

    known: Mapping[int, int]  # variables that the findings leave one state
    free: tuple[int, ...]  # the other variables that matter
    factors: tuple[Factor, ...]  # every free variable has one at least
    weights: Mapping[int, Floats]  # of findings on free variables, by position
    log2_constant: float  # of the factors whose variables are all known

    @property
    def position_of(self) -> dict[int, int]:
        """The position of every free variable."""
        return {v: i for i, v in enumerate(self.free)}


def query_factors(
    model: Factored, targets: Iterable[int], evidence: Mapping[str, Finding]
) -> QueryFactors:
    """What a query about `targets` given the evidence depends on."""
    domain = model.domain
    factors = model.factors
    relevant: Iterable[int] = range(len(domain))
    if isinstance(model, HasDag):
        dag = model.dag
        done = {domain.index(name) for name in done_states(evidence)}
        if done:  # the edges into these variables are cut, and their states are certain
            parents = tuple(() if v in done else p for v, p in enumerate(dag.parent_indices))
            dag = Dag(domain.names, parents)
            evidence = {name: as_seen(finding) for name, finding in evidence.items()}
        relevant = sorted(dag.ancestral_indices({*targets, *map(domain.index, evidence)}))
        factors = tuple(factors[v] for v in relevant if v not in done)
    weights = {domain.index(n): weights_of(domain[n], f) for n, f in evidence.items()}
    known = {v: int(w.argmax()) for v, w in weights.items() if (w > 0).sum() == 1}
    free = tuple(v for v in relevant if v not in known)
    position_of = {v: i for i, v in enumerate(free)}
    reduced = []
    log2_constant = 0.0
    for factor in factors:
        values = factor.values[tuple(known.get(v, slice(None)) for v in factor.scope)]
        left = tuple(position_of[v] for v in factor.scope if v not in known)
        if left:
            reduced.append(Factor(left, np.asarray(values)))
        else:
            log2_constant += math.log2(float(values)) if values > 0 else -math.inf
    unnamed = set(range(len(free))).difference(*(factor.scope for factor in reduced))
    cards = domain.cardinalities
    reduced += [Factor((i,), np.ones(cards[free[i]])) for i in sorted(unnamed)]
    of_free = {position_of[v]: numbers for v, numbers in weights.items() if v in position_of}
    return QueryFactors(known, free, tuple(reduced), of_free, log2_constant)
