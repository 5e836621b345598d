"""Rows drawn from a model, with and without evidence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, TooLargeError
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.experiments.generators.random_markov_networks import (
    RANDOM_MARKOV,
    RandomMarkovParams,
    random_markov_network,
)
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.io.models.files import write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.sessions import Sampled, SamplePlan, open_session, sample_rows

ROWS = 1500


@pytest.fixture
def sprinkler() -> BayesianNetwork:
    domain = Domain.of({"rain": ("no", "yes"), "sprinkler": ("off", "on"), "grass": ("dry", "wet")})
    dag = Dag.from_edges(
        domain.names, [("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass")]
    )
    tables = (
        np.array([0.8, 0.2]),
        np.array([[0.6, 0.4], [0.99, 0.01]]),
        np.array([[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]]),
    )
    return BayesianNetwork(domain, dag, tables)


def drawn(model: BayesianNetwork, plan: SamplePlan) -> DataSet:
    *_, last = sample_rows(model, plan, NEVER)
    assert isinstance(last, Sampled)
    return last.data


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"grass": Observed("wet")},
        {"grass": Excluded(frozenset({"dry"})), "rain": Likelihood((("no", 1.0), ("yes", 3.0)))},
    ],
)
def test_rows_given_evidence_have_the_frequencies_of_the_beliefs(
    sprinkler: BayesianNetwork, evidence: Mapping[str, Finding]
) -> None:
    data = drawn(sprinkler, SamplePlan(ROWS, seed=3, evidence=evidence))
    session = open_session(sprinkler)
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    for variable in sprinkler.domain:
        wanted = session.belief(variable.name).values
        result = np.bincount(data.column(variable.name), minlength=2) / ROWS
        # Five standard errors: a wrong sampler is further away, a right one never.
        np.testing.assert_allclose(result, wanted, atol=5 * np.sqrt(0.25 / ROWS))
    assert np.isfinite(sprinkler.log2_probabilities(data)).all()


def test_the_same_seed_draws_the_same_rows(sprinkler: BayesianNetwork) -> None:
    plan = SamplePlan(50, seed=9, evidence={"grass": Observed("wet")})
    np.testing.assert_array_equal(drawn(sprinkler, plan).codes, drawn(sprinkler, plan).codes)


def test_cells_are_left_empty_at_the_rate_asked_for(sprinkler: BayesianNetwork) -> None:
    data = drawn(sprinkler, SamplePlan(2000, seed=1, missing_rate=0.25))
    assert sum(data.missing_counts) / (2000 * 3) == pytest.approx(0.25, abs=0.03)


def test_drawing_can_be_stopped(sprinkler: BayesianNetwork) -> None:
    switch = StopSwitch()
    switch.cancel()
    with pytest.raises(Cancelled):
        list(sample_rows(sprinkler, SamplePlan(10), switch))


@pytest.mark.parametrize("evidence", [{}, {"grass": Observed("wet")}, {"sprinkler": Done("on")}])
def test_no_rows_are_a_table_without_rows(
    sprinkler: BayesianNetwork, evidence: dict[str, Finding]
) -> None:
    data = drawn(sprinkler, SamplePlan(0, seed=1, evidence=evidence))
    assert (data.row_count, data.domain) == (0, sprinkler.domain)


def test_a_network_too_large_for_exact_sampling_is_sampled_by_gibbs_sampling_and_reports_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = random_markov_network(
        RandomMarkovParams(variables=9, strength=0.4), np.random.default_rng(1)
    )
    expected = open_session(network).belief("X1").values

    def refuse(_network: MarkovNetwork) -> Propagation:
        raise TooLargeError("The junction tree is too large.")

    monkeypatch.setattr(MarkovNetwork, "propagation", refuse)
    *_, last = sample_rows(network, SamplePlan(600, seed=1), NEVER)
    assert isinstance(last, Sampled)
    assert "Gibbs sampling" in last.note
    frequencies = np.bincount(last.data.codes[0], minlength=2) / 600
    assert frequencies == pytest.approx(expected, abs=0.11)
    rng = np.random.default_rng(1)
    assert RANDOM_MARKOV.generate(RandomMarkovParams(variables=9), rng, 20).row_count == 20
    write_model(tmp_path / "grid.json", network)
    main(["sample", str(tmp_path / "grid.json"), "-n", "5", "-o", str(tmp_path / "rows.csv")])
    assert "Gibbs sampling" in capsys.readouterr().err
