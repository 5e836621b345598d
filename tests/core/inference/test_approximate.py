"""Approximate inference: estimates with errors against exact values, and what they leave alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np
import pytest

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.inference.approximate.blocks import choose_blocks
from pgmstudio.core.inference.approximate.mini_buckets import log2_maximum_bound
from pgmstudio.core.inference.approximate.sampler import CutsetSampler
from pgmstudio.core.inference.approximate.session import ApproximateSession
from pgmstudio.core.inference.base import Done, Finding, Likelihood, Observed
from pgmstudio.core.inference.factors import Factor, Factored
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import random_network

SMALL_CELLS = 64  # blocks so small that even little models need several


def grid_factors(side: int, strength: float, seed: int) -> list[Factor]:
    """An Ising grid with random fields and couplings."""
    rng = np.random.default_rng(seed)
    factors = []
    for row in range(side):
        for column in range(side):
            v = row * side + column
            field = rng.normal(0, strength)
            factors.append(Factor((v,), np.exp([field, -field])))
            right = [v + 1] if column + 1 < side else []
            below = [v + side] if row + 1 < side else []
            for other in right + below:
                c = rng.normal(0, strength)
                factors.append(Factor((v, other), np.exp([[c, -c], [-c, c]])))
    return factors


def exact_of(factors: Sequence[Factor], cards: Sequence[int]) -> Propagation:
    return Propagation(plan_of(clique_tree_of_scopes([f.scope for f in factors], cards), factors))


def network(seed: int, zeros: float = 0.2) -> BayesianNetwork:
    rng = np.random.default_rng(seed)
    return random_network(rng, 14, cardinalities=[3] * 14, density=0.5, zeros=zeros)


def small_blocks(model: Factored, seed: int = 0) -> ApproximateSession:
    """A session that cannot compute the model in one block."""
    session = ApproximateSession(model, seed=seed, most_cells=SMALL_CELLS)
    assert not session.is_exact
    return session


def possible_evidence(model: BayesianNetwork, count: int, seed: int) -> dict[str, Finding]:
    rng = np.random.default_rng(seed)
    row = model.sample(1, rng).codes[:, 0]
    chosen = rng.choice(len(model.domain), count, replace=False)
    variables = model.domain.variables
    return {variables[v].name: Observed(variables[v].states[row[v]]) for v in chosen}


def covered_fraction(
    model: BayesianNetwork, evidence: Mapping[str, Finding], session: ApproximateSession
) -> float:
    exact = JunctionTreeSession(model)
    exact.set_all(evidence)
    hits = []
    for name in model.domain.names:
        belief = session.belief(name)
        assert belief.errors is not None
        hits.append(np.abs(belief.values - exact.belief(name).values) <= belief.errors)
    return float(np.concatenate(hits).mean())


@pytest.mark.parametrize("findings", [0, 2, 4])
def test_intervals_cover_exact_beliefs_of_networks_with_zeros(findings: int) -> None:
    covered = []
    for seed in range(10):
        model = network(seed)
        evidence = possible_evidence(model, findings, seed)
        session = small_blocks(model, seed)
        session.set_all(evidence)
        for _ in range(30):
            session.refine()
        covered.append(covered_fraction(model, evidence, session))
    # 95 % on average; the states of one model are right or wrong together, so a mean of ten varies.
    assert np.mean(covered) >= 0.92


def test_intervals_cover_exact_beliefs_of_a_grid_and_log_partition() -> None:
    factors, cards = grid_factors(8, 0.6, 1), [2] * 64
    exact = exact_of(factors, cards)
    sampler = CutsetSampler(factors, cards, seed=2, most_cells=2**9)
    weights = {5: np.array([1.0, 0.0]), 40: np.array([0.3, 1.0])}
    log2_sum = exact.log2_evidence()
    for variable, numbers in weights.items():
        exact.set_weights(variable, numbers)
    sampler.set_evidence(weights)
    for _ in range(30):
        sampler.sweep()
    estimate = sampler.estimate()
    assert (np.abs(estimate.values - exact.beliefs()) <= estimate.errors).mean() >= 0.95
    partition = sampler.log2_partition()
    assert abs(partition.log2 - log2_sum) <= 2 * partition.error
    evidence = sampler.log2_evidence()
    assert abs(evidence.log2 - (exact.log2_evidence() - log2_sum)) <= 2 * evidence.error


def test_beliefs_do_not_depend_on_whether_the_partition_function_was_asked_for() -> None:
    estimates = []
    for asks in (False, True):
        sampler = CutsetSampler(grid_factors(6, 0.6, 1), [2] * 36, seed=2, most_cells=2**6)
        sampler.set_evidence({})
        if asks:
            sampler.log2_partition()
        for _ in range(3):
            sampler.sweep()
        estimates.append(sampler.estimate().values)
    assert np.array_equal(estimates[0], estimates[1])


def test_rows_of_a_model_that_does_not_fit_have_the_frequencies_of_the_exact_beliefs() -> None:
    model = network(2)
    evidence = possible_evidence(model, 2, 2)
    session, exact = small_blocks(model), JunctionTreeSession(model)
    session.set_all(evidence)
    exact.set_all(evidence)
    rows = np.array(list(islice(session.rows(), 1500)))
    for index, variable in enumerate(model.domain):
        frequencies = np.bincount(rows[:, index], minlength=3) / len(rows)
        # The rows depend on each other: a wide margin, and evidence to the last row.
        assert frequencies == pytest.approx(exact.belief(variable.name).values, abs=0.08)
        if variable.name in evidence:
            assert frequencies.max() == 1


def test_errors_shrink_the_longer_a_session_runs() -> None:
    session = small_blocks(network(3))
    early = [session.refine() for _ in range(10)][-1]
    late = [session.refine() for _ in range(150)][-1]
    assert late < early / 2


def test_the_probability_of_evidence_is_estimated_with_an_error() -> None:
    for seed in range(4):
        model = network(seed)
        evidence = possible_evidence(model, 3, seed)
        session, exact = small_blocks(model), JunctionTreeSession(model)
        session.set_all(evidence)
        exact.set_all(evidence)
        for _ in range(20):
            session.refine()
        estimate = session.log2_evidence_estimate()
        assert abs(estimate.log2 - exact.log2_evidence()) <= 2 * estimate.error


def test_interventions_and_likelihoods_are_those_of_the_exact_session() -> None:
    model = network(5)
    first, second = model.domain.variables[:2]
    evidence: dict[str, Finding] = {
        first.name: Done(first.states[1]),
        second.name: Likelihood(tuple(zip(second.states, (0.2, 1.0, 0.5), strict=True))),
    }
    session = small_blocks(model)
    session.set_all(evidence)
    for _ in range(30):
        session.refine()
    assert covered_fraction(model, evidence, session) >= 0.95


def test_retracting_all_evidence_gives_back_the_prior() -> None:
    model = network(6)
    session = small_blocks(model)
    for name, finding in possible_evidence(model, 3, 6).items():
        session.set_evidence(name, finding)
    session.retract_all()
    for _ in range(20):
        session.refine()
    assert session.log2_evidence() == 0
    assert covered_fraction(model, {}, session) >= 0.95


def test_impossible_evidence_is_refused_and_changes_nothing() -> None:
    model = network(7, zeros=0.4)
    variable = next(
        v
        for i, v in enumerate(model.domain.variables)
        if not model.dag.parent_indices[i] and (model.tables[i] == 0).any()
    )
    state = variable.states[int(model.tables[model.domain.index(variable.name)].argmin())]
    session = small_blocks(model)
    other = next(name for name in model.domain.names if name != variable.name)
    possible = possible_evidence(model, 1, 1)
    session.set_all(possible)
    before = session.belief(other).values
    with pytest.raises(ImpossibleEvidenceError):
        session.set_evidence(variable.name, Observed(state))
    assert session.evidence == possible
    assert np.array_equal(session.belief(other).values, before)


def test_the_same_seed_gives_the_same_estimates() -> None:
    model = network(8)
    one, other = small_blocks(model, 4), small_blocks(model, 4)
    for name in model.domain.names:
        assert np.array_equal(one.belief(name).values, other.belief(name).values)


def test_an_explanation_lies_between_its_probability_and_the_bound() -> None:
    for seed in range(4):
        model = network(seed)
        evidence = possible_evidence(model, 2, seed)
        session, exact = small_blocks(model), JunctionTreeSession(model)
        session.set_all(evidence)
        exact.set_all(evidence)
        best = exact.log2_most_probable()
        assert session.log2_most_probable() <= best + 1e-9
        assert session.log2_most_probable_bound() >= best - 1e-9
        states = session.most_probable()
        assert all(states[name] == f.state for name, f in evidence.items())  # type: ignore[union-attr]
        assert best - session.log2_most_probable() < 1


def test_the_bound_is_exact_where_no_bucket_is_split() -> None:
    factors, cards = grid_factors(4, 1.0, 3), [2] * 16
    best = exact_of(factors, cards).most_probable()[1]
    assert log2_maximum_bound(factors, cards) == pytest.approx(best)
    assert log2_maximum_bound(factors, cards, most_cells=4) > best


def test_blocks_fit_their_limit_and_together_draw_every_variable() -> None:
    factors, cards = grid_factors(12, 0.5, 0), [2] * 144
    blocks = choose_blocks(factors, cards, most_cells=2**10)
    assert all(block.propagation.plan.cells <= 2**10 for block in blocks)
    assert set.union(*(set(block.free) for block in blocks)) == set(range(144))


def test_a_model_that_fits_into_one_block_has_exact_beliefs() -> None:
    model = network(9)
    session = ApproximateSession(model)
    assert session.is_exact
    evidence = possible_evidence(model, 3, 9)
    session.set_all(evidence)
    exact = JunctionTreeSession(model)
    exact.set_all(evidence)
    for name in model.domain.names:
        assert session.belief(name).values == pytest.approx(exact.belief(name).values)
    assert session.log2_evidence() == pytest.approx(exact.log2_evidence())
    assert math.isfinite(session.log2_most_probable())


@pytest.mark.slow
def test_a_grid_too_large_for_one_block_has_beliefs_with_errors() -> None:
    sampler = CutsetSampler(grid_factors(20, 0.6, 1), [2] * 400, seed=1, most_cells=2**14)
    assert not sampler.is_exact
    sampler.set_evidence({0: np.array([1.0, 0.0])})
    for _ in range(8):
        sampler.sweep()
    estimate = sampler.estimate()
    assert estimate.values[0] == 1
    assert 0 < np.median(estimate.errors) < 0.1
