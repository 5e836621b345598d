"""Chains of block draws: every variable's belief with its error, better the longer they run.

Each chain draws its blocks in turn (blocked Gibbs sampling), and what counts is not the state drawn
but the belief of every free variable given the cutset, which varies much less (Rao–Blackwell).
Between these steps a cutset drawn without evidence is proposed, and accepted by the ratio of
P(e | cutset), which is exact in the first block (an independence sampler). So chains leave places
that single blocks cannot leave, and without evidence in a DAG every step is an independent draw.
The mean of P(e | cutset) over the proposals estimates P(e).

The error is that of the mean of independent chains. Chains that stay in different places have a
large error: slow mixing is seen and not hidden.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.approximate.blocks import (
    MAX_BLOCK_CELLS,
    Block,
    States,
    choose_blocks,
)
from pgmstudio.core.inference.approximate.mini_buckets import log2_maximum_bound
from pgmstudio.core.inference.factors import Factor

CHAINS = 10
# Two-sided 95 % of Student's t with CHAINS − 1 degrees of freedom.
T_95 = 2.262
# Cutsets without evidence: so many are drawn at a time, and the first of them choose where the
# chains start.
BATCH = 10 * CHAINS
STARTS = 2 * BATCH
# Where there is no DAG they come from chains, which start after so many steps of annealing; the
# partition function is estimated with more of them.
START_STEPS, ANNEALING_STEPS = 4, 16
MAX_PRIOR_STATES = 4 * BATCH
# Sums over sweeps are kept for so many stretches of a run, so that the first of them can be left
# out: chains have to forget where they started.
STRETCHES = 32
FORGOTTEN = 0.25
# Sweeps before rows are drawn.
FORGOTTEN_SWEEPS = 10
# What was seen in none of n draws has a probability below 3/n (95 %, the rule of three).
RULE_OF_THREE = 3.0
# How the weights of impossible states shrink while chains look for a possible joint state.
RELAXATIONS = tuple(10.0**-k for k in range(1, 13))
RELAXED_SWEEPS = 2


@dataclass(frozen=True, eq=False)
class Estimate:
    """Beliefs of all variables, one after the other, with half the width of a 95 % interval."""

    values: Floats
    errors: Floats
    sweeps: int


@dataclass(frozen=True, eq=False)
class Proposal:
    """A joint state drawn without evidence, with log2 of the sum over all with its cutset."""

    states: States
    log2_sum: float


@dataclass(frozen=True, slots=True)
class LogEstimate:
    """A logarithm with half the width of a 95 % interval; −inf if nothing possible was met."""

    log2: float
    error: float


class CutsetSampler:
    """Chains over the joint states of factors; findings are weights by variable."""

    def __init__(
        self,
        factors: Sequence[Factor],
        cardinalities: Sequence[int],
        dag: Dag | None = None,
        *,
        seed: int = 0,
        most_cells: int = MAX_BLOCK_CELLS,
    ) -> None:
        """With a DAG, factor v has to be P(v | parents)."""
        self._cards = tuple(cardinalities)
        self._dag = dag
        self._scale(factors)
        self._seed = seed
        self._blocks = choose_blocks(self._factors, self._cards, most_cells=most_cells)
        # The first block once more, in which there is never evidence.
        self._prior_block = Block(self._factors, self._cards, self._blocks[0].cutset)
        self._state_at = np.concatenate([[0], np.cumsum(self._cards)])
        self._times_free = np.zeros(self._state_at[-1])
        self._rows: list[np.ndarray] = []  # per block, where the states of its variables stand
        for block in self._blocks:
            spans = [np.arange(*self._state_at[v : v + 2]) for v in block.free]
            self._rows.append(np.concatenate(spans))
            self._times_free[self._rows[-1]] += 1
        self._begin()

    @property
    def is_exact(self) -> bool:
        """Whether one block holds all variables."""
        return len(self._blocks) == 1

    def set_factors(self, factors: Sequence[Factor]) -> None:
        """Other numbers for the same scopes; forgets all draws."""
        self._scale(factors)
        for block in (*self._blocks, self._prior_block):
            block.set_factors(self._factors)
        self._begin()

    def _scale(self, factors: Sequence[Factor]) -> None:
        """Blocks need numbers that are not above 1."""
        largest = [max(1.0, float(factor.values.max())) for factor in factors]
        self._factors = [
            factor if scale == 1 else replace(factor, values=factor.values / scale)
            for factor, scale in zip(factors, largest, strict=True)
        ]
        self._log2_scale = float(np.log2(largest).sum())

    def _begin(self) -> None:
        self._rng = np.random.default_rng(self._seed)
        self._bank: list[Proposal] = []
        self._prior_chains: list[States] = []
        self._log2_sum: LogEstimate | None = None  # of all factors, once it was asked for
        self._chains: list[States] = []
        self._set_weights({})

    def _set_weights(self, weights: Mapping[int, Floats]) -> None:
        self._weights = dict(weights)
        for block in self._blocks:
            block.set_weights(self._weights)
        self._sums: list[Floats] = []  # per stretch, chains × states
        self._stretch = 1  # sweeps in each of them
        self._pending = 0
        self._sweeps = 0
        self._gains: list[float] = []  # log2 P(e | cutset) of the proposals, in their order

    # -- without evidence

    def _extend_bank(self, cancel: CancelToken) -> None:
        """Draw more cutsets without evidence, with log2 of the sum over the rest."""
        weights = self._weights
        for block in self._blocks:
            block.set_weights({})
        try:
            for states in self._prior_states(cancel):
                cancel.raise_if_cancelled()
                self._bank.append(Proposal(states, self._prior_block.condition(states)))
        finally:
            for block in self._blocks:
                block.set_weights(weights)

    def _prior_states(self, cancel: CancelToken) -> Iterator[States]:
        if self._dag is not None:
            yield from _forward_samples(self._factors, self._cards, self._dag, BATCH, self._rng)
            return
        self._start_prior_chains(cancel)
        for _ in range(BATCH // CHAINS):
            for states in self._prior_chains:
                self._draw_blocks(states, self._rng, cancel)
                yield states.copy()

    def _draw_blocks(self, states: States, rng: np.random.Generator, cancel: CancelToken) -> None:
        for block in self._blocks:
            cancel.raise_if_cancelled()
            block.condition(states)
            block.draw(states, rng)

    def _start_prior_chains(self, cancel: CancelToken) -> None:
        if not self._prior_chains:
            chains, _ = self._anneal(START_STEPS, self._rng, cancel)
            self._prior_chains = [self._made_possible(states, {}, cancel) for states in chains]

    def _anneal(
        self, steps: int, rng: np.random.Generator, cancel: CancelToken
    ) -> tuple[list[States], LogEstimate]:
        """Chains without evidence, from uniform states by raising the factors to powers that grow
        to 1; the gains on the way estimate the partition function (annealed importance sampling,
        Neal 2001, here over cutsets, with the sum over all else exact)."""
        chains = [rng.integers(0, self._cards) for _ in range(CHAINS)]
        first, factors = self._blocks[0], self._factors
        log2_weights = np.full(CHAINS, float(np.log2(self._cards).sum()))
        present = np.zeros(CHAINS)
        try:
            for power in np.linspace(0, 1, steps + 1):
                raised = [replace(f, values=f.values**power) for f in factors]
                for block in self._blocks:
                    block.set_factors(raised)
                for chain, states in enumerate(chains):
                    cancel.raise_if_cancelled()
                    fresh = first.condition(states)
                    if power:
                        log2_weights[chain] += fresh - present[chain]
                    if fresh > -math.inf:
                        self._draw_blocks(states, rng, cancel)
                        present[chain] = first.condition(states)
        finally:
            for block in self._blocks:
                block.set_factors(factors)
        return chains, _log2_mean(log2_weights)

    def _made_possible(
        self, states: States, weights: Mapping[int, Floats], cancel: CancelToken
    ) -> States:
        """A joint state that factors and weights allow, from one that they may not: zeros become
        small numbers that vanish step by step."""
        states = states.copy()
        first = self._blocks[0]
        if first.condition(states) > -math.inf:
            first.draw(states, self._rng)
            return states
        factors = self._factors
        try:
            for least in RELAXATIONS:
                for block in self._blocks:
                    block.set_factors([_relaxed(factor, least) for factor in factors])
                    block.set_weights({v: np.maximum(w, least) for v, w in weights.items()})
                for block in self._blocks * RELAXED_SWEEPS:
                    cancel.raise_if_cancelled()
                    block.condition(states)
                    block.draw(states, self._rng)
        finally:
            for block in self._blocks:
                block.set_factors(factors)
                block.set_weights(weights)
        for block in self._blocks:
            if block.condition(states) > -math.inf:
                block.draw(states, self._rng)
                return states
        raise PgmStudioError(
            "No joint state was found in which all of this holds; it may be impossible."
        )

    # -- with evidence

    def set_evidence(self, weights: Mapping[int, Floats], cancel: CancelToken = NEVER) -> None:
        """Go on with exactly this evidence; PgmStudioError if no joint state with it was found,
        and then nothing has changed."""
        before = self._weights, self._chains, self._sums, self._stretch, self._pending
        counts = self._sweeps, self._gains
        self._set_weights(weights)
        try:
            self._start_chains(cancel)
        except PgmStudioError:
            self._set_weights(before[0])
            self._weights, self._chains, self._sums, self._stretch, self._pending = before
            self._sweeps, self._gains = counts
            raise

    def _start_chains(self, cancel: CancelToken) -> None:
        if not self._weights:
            if self._dag is not None:
                self._chains = _forward_samples(
                    self._factors, self._cards, self._dag, CHAINS, self._rng
                )
                return
            self._start_prior_chains(cancel)
            self._chains = [states.copy() for states in self._prior_chains]
            return
        gains = np.array([self._propose(cancel)[1] for _ in range(STARTS)])
        if gains.max() == -math.inf:
            near = self._chains or [proposal.states for proposal in self._bank[:CHAINS]]
            self._chains = [self._made_possible(s, self._weights, cancel) for s in near]
            return
        ratios = np.exp2(gains - gains.max())
        # Systematic resampling: as many copies of a state as its importance asks for.
        points = (np.arange(CHAINS) + self._rng.random()) / CHAINS
        chosen = np.searchsorted(np.cumsum(ratios) / ratios.sum(), points).clip(max=STARTS - 1)
        self._chains = [self._bank[int(i)].states.copy() for i in chosen]

    def _propose(self, cancel: CancelToken) -> tuple[States, float]:
        """The next cutset without evidence, with log2 P(e | cutset)."""
        cancel.raise_if_cancelled()
        index = len(self._gains)
        is_full = self._dag is None and len(self._bank) >= MAX_PRIOR_STATES
        if index >= len(self._bank) and not is_full:
            self._extend_bank(cancel)
        proposal = self._bank[index % len(self._bank)]
        gain = self._blocks[0].condition(proposal.states) - proposal.log2_sum
        self._gains.append(gain)
        return proposal.states, gain

    def log2_evidence(self) -> LogEstimate:
        """log2 P(e), from the proposals so far."""
        return _log2_mean(np.array(self._gains))

    def log2_partition(self, cancel: CancelToken = NEVER) -> LogEstimate:
        """log2 of the sum of the product of factors over all joint states."""
        if self._dag is not None:
            return LogEstimate(0.0, 0.0)
        if self._log2_sum is None:
            rng = np.random.default_rng([self._seed, 1])  # beliefs do not depend on this question
            weights = self._weights
            for block in self._blocks:
                block.set_weights({})
            try:
                _, self._log2_sum = self._anneal(ANNEALING_STEPS, rng, cancel)
            finally:
                for block in self._blocks:
                    block.set_weights(weights)
        return LogEstimate(self._log2_sum.log2 + self._log2_scale, self._log2_sum.error)

    def sweep(self, cancel: CancelToken = NEVER) -> None:
        """Propose a cutset to every chain, and draw every block of every chain once."""
        sums = np.zeros((CHAINS, self._times_free.size))
        first = self._blocks[0]
        # Without evidence the chains of a model without DAG are those that proposals come from.
        has_proposals = not self.is_exact and (self._weights or self._dag is not None)
        for chain, states in enumerate(self._chains):
            cancel.raise_if_cancelled()
            if has_proposals:
                proposed, gain = self._propose(cancel)
                present = first.condition(states) - self._prior_block.condition(states)
                if math.log2(1 - self._rng.random()) < gain - present:
                    states[:] = proposed
            for block, rows in zip(self._blocks, self._rows, strict=True):
                block.condition(states)
                sums[chain, rows] += block.propagation.beliefs()
                block.draw(states, self._rng)
        self._add(sums / self._times_free)

    def _add(self, sums: Floats) -> None:
        self._sweeps += 1
        if self._pending:
            self._sums[-1] += sums
        else:
            self._sums.append(sums)
        self._pending = (self._pending + 1) % self._stretch
        if len(self._sums) == STRETCHES and not self._pending:
            pairs = zip(self._sums[::2], self._sums[1::2], strict=True)
            self._sums = [one + other for one, other in pairs]
            self._stretch *= 2

    def rows(self, cancel: CancelToken = NEVER) -> Iterator[States]:
        """Joint states by Gibbs sampling, one of each chain after every sweep, without end; the
        first sweeps are left out. Rows of a chain depend on those before them."""
        for _ in range(FORGOTTEN_SWEEPS):
            self.sweep(cancel)
        while True:
            self.sweep(cancel)
            yield from (states.copy() for states in self._chains)

    def estimate(self) -> Estimate:
        """What the chains say so far; at least one sweep has to be done."""
        first = int(FORGOTTEN * len(self._sums))
        sums = np.sum(self._sums[first:], axis=0)
        kept = self._sweeps - first * self._stretch
        means = sums / kept
        errors = T_95 * means.std(axis=0, ddof=1) / math.sqrt(CHAINS)
        errors = np.hypot(errors, RULE_OF_THREE / (kept * CHAINS))
        if self.is_exact:
            errors[:] = 0.0
        return Estimate(means.mean(axis=0), errors, self._sweeps)

    def explanations(self, cancel: CancelToken = NEVER) -> Iterator[tuple[States, float]]:
        """Joint states of locally largest probability, one from each chain, with log2 of the
        product of factors and weights: each block in turn takes its most probable states."""
        for chain in self._chains:
            states, best = chain.copy(), -math.inf
            while True:
                before = best
                for block in self._blocks:
                    cancel.raise_if_cancelled()
                    block.condition(states)
                    block.most_probable(states)
                best = self.log2_of(states)
                if best <= before + 1e-9:
                    break
            yield states, best

    def log2_of(self, states: States) -> float:
        """log2 of the product of factors and weights."""
        values = [float(f.values[tuple(states[v] for v in f.scope)]) for f in self._factors]
        values += [float(w[states[v]]) for v, w in self._weights.items()]
        return float(np.log2(values).sum()) + self._log2_scale if all(values) else -math.inf

    def log2_bound(self) -> float:
        """No joint state has a larger product of factors and weights than this."""
        findings = [Factor((v,), w) for v, w in self._weights.items()]
        return log2_maximum_bound([*self._factors, *findings], self._cards) + self._log2_scale


def _log2_mean(log2_values: Floats) -> LogEstimate:
    """log2 of the mean of independent numbers, given by their logarithms."""
    if not log2_values.size or log2_values.max() == -math.inf:
        return LogEstimate(-math.inf, math.inf)
    ratios = np.exp2(log2_values - log2_values.max())
    groups = ratios[: ratios.size - ratios.size % CHAINS].reshape(-1, CHAINS).mean(axis=0)
    error = T_95 * groups.std(ddof=1) / math.sqrt(CHAINS) / groups.mean() / math.log(2)
    return LogEstimate(float(log2_values.max() + math.log2(ratios.mean())), float(error))


def _relaxed(factor: Factor, least: float) -> Factor:
    if factor.values.all():
        return factor
    return replace(factor, values=np.maximum(factor.values, least))


def _forward_samples(
    factors: Sequence[Factor],
    cardinalities: Sequence[int],
    dag: Dag,
    count: int,
    rng: np.random.Generator,
) -> list[States]:
    """Independent joint states, every variable after its parents."""
    states = np.zeros((count, len(cardinalities)), dtype=np.int64)
    for variable in dag.topological_order:
        factor = factors[variable]
        axis = factor.scope.index(variable)
        parents = [v for v in factor.scope if v != variable]
        table = np.moveaxis(factor.values, axis, -1)
        rows = table[tuple(states[:, v] for v in parents)]
        rows = np.broadcast_to(rows, (count, cardinalities[variable]))
        bounds = np.cumsum(rows, axis=1)
        points = rng.random(count) * bounds[:, -1]
        states[:, variable] = (points[:, None] >= bounds).sum(axis=1)
    return list(states)
