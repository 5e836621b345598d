"""A session whose beliefs are estimates with errors, for models too large for a junction tree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, ImpossibleEvidenceError, PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.approximate.blocks import MAX_BLOCK_CELLS
from pgmstudio.core.inference.approximate.sampler import CutsetSampler, Estimate, LogEstimate
from pgmstudio.core.inference.base import (
    Belief,
    Finding,
    Scale,
    as_seen,
    done_states,
    weights_of,
)
from pgmstudio.core.inference.factors import Factor, Factored
from pgmstudio.core.model import HasDag

# Sweeps before a belief is reported for the first time.
FIRST_SWEEPS = 8
UNSEEN = 1e-9


class ApproximateSession:
    """Estimates by cutset sampling; `refine` makes them better."""

    def __init__(
        self,
        model: Factored,
        *,
        seed: int = 0,
        most_cells: int = MAX_BLOCK_CELLS,
        cancel: CancelToken = NEVER,
    ) -> None:
        self.model = model
        self._dag = model.dag if isinstance(model, HasDag) else None
        self._sampler = CutsetSampler(
            model.factors,
            model.domain.cardinalities,
            self._dag,
            seed=seed,
            most_cells=most_cells,
        )
        self._state_at = np.concatenate([[0], np.cumsum(model.domain.cardinalities)])
        self._evidence: dict[str, Finding] = {}
        self._estimate: Estimate | None = None
        self._explanation: tuple[Mapping[str, str], float] | None = None
        self._sampler.set_evidence({}, cancel)

    @property
    def domain(self) -> Domain:
        return self.model.domain

    @property
    def evidence(self) -> Mapping[str, Finding]:
        return MappingProxyType(self._evidence)

    def set_evidence(self, variable: str, finding: Finding) -> None:
        """Replace the finding on a variable; ImpossibleEvidenceError changes nothing. It is raised
        too where no joint state with the evidence was found, which is no proof."""
        self.set_all({**self._evidence, variable: finding})

    def retract(self, variable: str) -> None:
        """Remove the finding on `variable`, if there is one."""
        self.domain.index(variable)
        self.set_all({name: f for name, f in self._evidence.items() if name != variable})

    def retract_all(self) -> None:
        self.set_all({})

    def set_all(self, evidence: Mapping[str, Finding], cancel: CancelToken = NEVER) -> None:
        """Exactly this evidence and no other; ImpossibleEvidenceError changes nothing."""
        if evidence == self._evidence:
            return
        seen = dict(evidence)
        if self._dag is not None:
            seen = {name: as_seen(finding) for name, finding in evidence.items()}
        weights = {self.domain.index(n): weights_of(self.domain[n], f) for n, f in seen.items()}
        before = self._evidence
        self._change_interventions(before, evidence)
        try:
            self._sampler.set_evidence(weights, cancel)
        except (PgmStudioError, Cancelled) as problem:
            self._change_interventions(evidence, before)
            if isinstance(problem, Cancelled):
                raise
            raise ImpossibleEvidenceError({n: str(f) for n, f in evidence.items()}) from problem
        self._evidence = dict(evidence)
        self._estimate = self._explanation = None

    def _change_interventions(
        self, before: Mapping[str, Finding], after: Mapping[str, Finding]
    ) -> None:
        """Intervened variables are certain whatever their parents are."""
        done = done_states(after)
        if done == done_states(before):
            return
        factors = list(self.model.factors)
        for name, state in done.items():
            index = self.domain.index(name)
            scope = factors[index].scope
            certain = np.zeros(self.domain.cardinalities[index])
            certain[self.domain[name].code(state)] = 1.0
            shape = [certain.size if v == index else 1 for v in scope]
            full = tuple(self.domain.cardinalities[v] for v in scope)
            factors[index] = Factor(scope, np.broadcast_to(certain.reshape(shape), full))
        self._sampler.set_factors(factors)

    def refine(self, cancel: CancelToken = NEVER) -> float:
        """One more sweep of all chains; returns the largest error of a belief."""
        self._sampler.sweep(cancel)
        self._estimate = self._sampler.estimate()
        return float(self._estimate.errors.max(initial=0.0))

    def rows(self, cancel: CancelToken = NEVER) -> Iterator[NDArray[np.int64]]:
        """Joint states given the evidence by Gibbs sampling, without end."""
        return self._sampler.rows(cancel)

    @property
    def is_exact(self) -> bool:
        """Whether everything fits into one block, whose beliefs have no error."""
        return self._sampler.is_exact

    @property
    def sweeps(self) -> int:
        """The sweeps that the present estimates rest on."""
        return 0 if self._estimate is None else self._estimate.sweeps

    def belief(self, variable: str) -> Belief:
        """P(variable | evidence) with its errors: half the width of a 95 % interval per state."""
        while self._estimate is None or self._estimate.sweeps < FIRST_SWEEPS:
            self.refine()
        index = self.domain.index(variable)
        span = slice(*self._state_at[index : index + 2])
        values, errors = self._estimate.values[span].copy(), self._estimate.errors[span].copy()
        own = self._evidence.get(variable)
        is_open = np.ones(values.size, dtype=bool)
        if own is not None:
            is_open = weights_of(self.domain[variable], as_seen(own)) > 0
        # What no chain has met is not impossible.
        values[is_open & (errors > 0)] = np.maximum(values[is_open & (errors > 0)], UNSEEN)
        errors[~is_open] = 0.0
        if is_open.sum() == 1:
            errors[:] = 0.0
        for array in (values, errors):
            array.flags.writeable = False
        return Belief(variable, Scale.PROBABILITY, values, errors)

    def log2_evidence(self) -> float:
        """log2 P(evidence); −inf where it is too small to be estimated."""
        return self.log2_evidence_estimate().log2

    def log2_evidence_estimate(self) -> LogEstimate:
        """log2 P(evidence) with its error."""
        return self._sampler.log2_evidence() if self._evidence else LogEstimate(0.0, 0.0)

    def most_probable(self) -> Mapping[str, str]:
        """The most probable joint state that was found, with the evidence in it."""
        return self._explained()[0]

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence; of a model without DAG an estimate."""
        return self._explained()[1] - self._sampler.log2_partition().log2

    @property
    def is_most_probable_exact(self) -> bool:
        return math.isclose(self.log2_most_probable(), self.log2_most_probable_bound())

    def log2_most_probable_bound(self) -> float:
        """No joint state has a larger log2 probability than this."""
        return self._sampler.log2_bound() - self._sampler.log2_partition().log2

    def _explained(self) -> tuple[Mapping[str, str], float]:
        if self._explanation is None:
            states, log2 = max(self._sampler.explanations(), key=lambda one: one[1])
            named = {v.name: v.states[s] for v, s in zip(self.domain, states, strict=True)}
            self._explanation = MappingProxyType(named), log2
        return self._explanation
