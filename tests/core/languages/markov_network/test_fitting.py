"""Maximum likelihood of log-linear models with contexts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, DataError
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.markov_network import fitting
from pgmstudio.core.languages.markov_network.fitting import FittedMarkovNetwork, fit
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables, element_rows
from pgmstudio.core.languages.markov_network.objectives import PseudoLikelihoodObjective
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from tests.ldag_tables import coronary, t3
from tests.markov_networks import random_markov_network, random_structure, structure_of
from tests.oracles.brute_force import joint_table


def fitted_to(
    structure: MarkovStructure, data: DataSet, smoothing: float = 0
) -> FittedMarkovNetwork:
    return run_to_end(fit(structure, data, smoothing=smoothing))


@pytest.mark.parametrize(
    ("edges", "contexts", "log_likelihood", "free", "bic"),
    [
        ("AC BC", {"AD": "E=1", "AE": "D=0", "DE": "A=0"}, -6687.814120, 9, -6721.645408),
        ("BC", {"CE": "A=0", "AE": "C=1", "AC": "E=1"}, -6696.856155, 8, -6726.928412),
        ("AC AE BC DE", {}, -6693.280969, 10, -6730.871290),
        ("", {}, -7065.112126, 6, -7087.666318),
        ("AC AE BC CE DE", {}, -6682.443428, 12, -6727.551813),
    ],
)
def test_the_coronary_fits_have_the_published_likelihoods(
    edges: str, contexts: dict[str, str], log_likelihood: float, free: int, bic: float
) -> None:
    data = coronary()
    result = fitted_to(structure_of(data, edges, **contexts), data)
    assert result.free_parameters == free
    assert result.log_likelihood_nats == pytest.approx(log_likelihood, abs=1e-4)
    assert result.bic_nats == pytest.approx(bic, abs=1e-4)
    assert result.is_exact
    assert result.is_finite
    rows = result.network.log2_probabilities(data)
    assert data.weights is not None
    assert rows @ data.weights == pytest.approx(result.log2_likelihood, abs=1e-6)


def test_the_saturated_model_has_no_finite_estimate() -> None:
    data = coronary()
    every = [f"{a}{b}" for n, a in enumerate("ABCDEF") for b in "ABCDEF"[n + 1 :]]
    saturated = structure_of(data, " ".join(every))
    result = fitted_to(saturated, data)
    assert result.log_likelihood_nats == pytest.approx(-6643.133648, abs=1e-4)
    assert result.free_parameters == 63
    assert result.bic_nats == pytest.approx(-6879.952670, abs=1e-4)
    assert not result.is_finite
    assert "No finite estimate" in result.notes[0]
    assert fitted_to(saturated, data, smoothing=1.0).is_finite


def test_a_diverging_fit_with_contexts_is_noticed() -> None:
    data = t3()
    triangle = structure_of(data, "12 13", **{"23": "1=1"})
    codes = data.codes.copy()
    keep = ~((codes[0] == 0) & (codes[1] == 0) & (codes[2] == 0))
    result = fitted_to(triangle, data.take_rows(keep))
    assert not result.is_finite
    assert fitted_to(triangle, data).is_finite


def test_the_fit_obeys_restrictions_and_reproduces_free_counts() -> None:
    rng = np.random.default_rng(1)
    for seed in range(6):
        structure = random_structure(rng, [2, 3, 2, 2, 3], 0.8, 0.3)
        truth = random_markov_network(rng, structure, 0.7)
        data = truth.sample(2000, np.random.default_rng(seed))
        result = fitted_to(structure, data, smoothing=1.0)
        form = LogLinearTables.of(structure)
        values = dict(zip(form.parameters, result.network.parameters, strict=True))
        for edge, elements in structure.contexts.items():
            for element in elements:
                for row in element_rows(structure, edge, element):
                    assert abs(sum(float(f) * values[p] for p, f in row.items())) < 1e-8
        counts = [joint_counts(data, clique) for clique in structure.maximal_cliques]
        observed = form.sums([c + 1.0 / c.size for c in counts]) / 2001
        joint = joint_table(result.network)
        expected = form.sums(
            [
                joint.sum(axis=tuple(v for v in range(5) if v not in clique))
                for clique in structure.maximal_cliques
            ]
        )
        assert np.abs(form.basis.T @ (observed - expected)).max() < 1e-7
        assert math.isclose(
            result.log2_likelihood, result.network.log2_probabilities(data).sum(), rel_tol=1e-10
        )


def test_in_the_fitted_toy_model_two_variables_are_independent_in_the_context() -> None:
    data = t3()
    result = fitted_to(structure_of(data, "12 13", **{"23": "1=1"}), data)
    table = joint_table(result.network)[1]
    assert table[0, 0] * table[1, 1] / (table[0, 1] * table[1, 0]) == pytest.approx(1, abs=1e-6)
    assert result.free_parameters == 6


def test_weighted_rows_are_copies() -> None:
    rng = np.random.default_rng(3)
    structure = random_structure(rng, [2, 3, 2, 2], 0.8, 0.3)
    data = random_markov_network(rng, structure).sample(500, rng)
    one, other = fitted_to(structure, data, 1.0), fitted_to(structure, data.merged(), 1.0)
    assert one.log2_likelihood == pytest.approx(other.log2_likelihood)
    assert one.network.parameters == pytest.approx(other.network.parameters, abs=1e-6)


def test_missing_cells_are_summed_out_by_em() -> None:
    rng = np.random.default_rng(4)
    structure = random_structure(rng, [2, 2, 2, 2], 0.9, 0.3)
    data = random_markov_network(rng, structure).sample(800, rng)
    codes = data.codes.copy()
    codes[rng.random(codes.shape) < 0.15] = data.missing_code
    holes = DataSet(data.domain, codes)
    result = fitted_to(structure, holes, smoothing=0.5)
    assert result.log2_likelihood == pytest.approx(result.network.log2_probabilities(holes).sum())
    # A maximum: no small change of the free parameters is better.
    form = LogLinearTables.of(structure)

    def penalised(values: NDArray[np.float64]) -> float:
        network = type(result.network).of_parameters(structure, values)
        prior = np.log2(joint_table(network)).mean() * 0.5
        return float(network.log2_probabilities(holes).sum() + prior)

    best = penalised(result.network.parameters)
    for _ in range(20):
        step = rng.normal(size=len(form.parameters)) * 0.02
        assert penalised(form.restricted(result.network.parameters + step)) < best + 1e-6


def test_where_cliques_are_too_large_the_pseudo_likelihood_is_maximised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    structure = random_structure(rng, [2, 3, 2, 2, 2], 0.7, 0.3)
    truth = random_markov_network(rng, structure, 0.7)
    data = truth.sample(20_000, rng)
    exact = fitted_to(structure, data)
    monkeypatch.setattr(fitting, "MAX_CELLS", 1)
    result = fitted_to(structure, data)
    assert not result.is_exact
    assert "pseudo-likelihood" in result.notes[0]
    assert math.isnan(result.log2_likelihood)
    # Both are consistent.
    assert np.abs(result.network.parameters - exact.network.parameters).max() < 0.2
    assert result.network.log2_probabilities(data).sum() > exact.log2_likelihood - 20


def test_pseudo_likelihood_is_that_of_the_conditionals(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    structure = random_structure(rng, [2, 3, 2, 2], 0.8, 0.3)
    network = random_markov_network(rng, structure)
    data = network.sample(50, rng)
    form = LogLinearTables.of(structure)
    objective = PseudoLikelihoodObjective(form, data, 0.0, StopSwitch())
    value, gradient = objective.value_and_gradient(network.parameters)
    joint = joint_table(network)
    expected = 0.0
    for row in data.codes.T:
        for v in range(4):
            line = joint[tuple(slice(None) if u == v else row[u] for u in range(4))]
            expected += math.log(line[row[v]] / line.sum())
    assert value == pytest.approx(expected / 50)
    for n in range(len(form.parameters)):
        step = np.zeros(len(form.parameters))
        step[n] = 1e-5
        up, _ = objective.value_and_gradient(network.parameters + step)
        down, _ = objective.value_and_gradient(network.parameters - step)
        assert gradient[n] == pytest.approx((up - down) / 2e-5, abs=1e-8)


def test_the_curvature_of_the_pseudo_likelihood_is_its_second_derivative() -> None:
    rng = np.random.default_rng(7)
    structure = random_structure(rng, [2, 3, 2, 2], 0.8, 0.3)
    network = random_markov_network(rng, structure)
    form = LogLinearTables.of(structure)
    objective = PseudoLikelihoodObjective(form, network.sample(80, rng), 1.0, StopSwitch())
    direction = rng.normal(size=len(form.parameters))
    up, down = (
        objective.value_and_gradient(network.parameters + side * 1e-5 * direction)[1]
        for side in (1, -1)
    )
    curved = objective.curvature(network.parameters)(direction)
    np.testing.assert_allclose(curved, (down - up) / 2e-5, atol=1e-7)


@pytest.mark.parametrize("limit", [fitting.MAX_CELLS, 1])
def test_tables_that_are_nearly_deterministic_are_fitted_with_smoothing_only(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "MAX_CELLS", limit)
    rng = np.random.default_rng(8)
    codes = rng.integers(2, size=(4, 500))
    codes[1] |= codes[0]  # 1 0 never occurs
    codes[3] &= codes[2]
    domain = Domain.of(dict.fromkeys("ABCD", "01"))
    data = DataSet(domain, codes.astype(np.uint8))
    square = structure_of(data, "AB BC CD AD")
    without = fitted_to(square, data)
    assert not without.is_finite
    assert any("No finite estimate" in note for note in without.notes)
    result = fitted_to(square, data, smoothing=1.0)
    assert result.is_finite
    assert not any("No finite estimate" in note for note in result.notes)
    assert result.is_exact == (limit > 1)
    joint = joint_table(result.network)
    assert 0 < joint[1, 0].sum() < 0.01
    assert joint.sum(axis=(1, 2, 3)) == pytest.approx(np.bincount(codes[0]) / 500, abs=0.02)


def test_a_fit_goes_on_from_a_network_of_the_same_structure() -> None:
    data = coronary()
    structure = structure_of(data, "AB BC CD DE EF AF")
    whole = fitted_to(structure, data)
    again = run_to_end(fit(structure, data, start=whole.network))
    assert again.iterations <= 1 < whole.iterations
    assert again.log2_likelihood == pytest.approx(whole.log2_likelihood, abs=1e-6)


def test_a_fit_stops_when_it_is_cancelled_and_refuses_no_rows() -> None:
    data = coronary()
    structure = structure_of(data, "AC BC", AD="E=1", AE="D=0", DE="A=0")
    switch = StopSwitch()
    run = fit(structure, data, cancel=switch)
    next(run)
    switch.cancel()
    with pytest.raises(Cancelled):
        list(run)
    with pytest.raises(DataError, match="no rows"):
        fitted_to(structure, data.take_rows(slice(0, 0)))


@pytest.mark.parametrize("seed", range(12))
def test_parts_that_are_fitted_by_themselves_give_the_fit_of_the_whole(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    structure = random_structure(rng, [2, 3, 2, 2, 2, 3], 0.4, 0.4)
    rows = random_markov_network(rng, structure).sample(400, rng)
    parts = fitted_to(structure, rows, 2.0)
    monkeypatch.setattr(fitting, "_parts", lambda structure: [structure])
    whole = fitted_to(structure, rows, 2.0)
    assert parts.free_parameters == whole.free_parameters
    assert parts.log2_likelihood == pytest.approx(whole.log2_likelihood, abs=1e-5)
    np.testing.assert_allclose(
        joint_table(parts.network), joint_table(whole.network), rtol=1e-4, atol=1e-8
    )
