"""What the rows say for each edge: three readings of the same counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.edge_analysis import link_strengths
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of

EDGES = (("rain", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet"))


@pytest.fixture(scope="module")
def rows() -> DataSet:
    """Rain and sprinkler wet the grass; rain keeps the sprinkler off."""
    rng = np.random.default_rng(7)
    rain = rng.random(3000) < 0.2
    sprinkler = rng.random(3000) < np.where(rain, 0.01, 0.4)
    wet = rng.random(3000) < np.where(rain | sprinkler, 0.85, 0.02)
    domain = Domain.of({name: ["no", "yes"] for name in ("rain", "sprinkler", "wet")})
    return DataSet(domain, np.array([rain, sprinkler, wet], dtype=np.uint8))


def test_the_gain_is_the_difference_of_the_whole_scores(rows: DataSet) -> None:
    dag = Dag.from_edges(rows.domain.names, EDGES)
    scores = FamilyScores(rows, score_of("bic", rows.total_weight))
    whole = scores.total(dag.parent_indices)
    for link in link_strengths(dag, rows):
        less = scores.total(dag.without_edge(*link.edge).parent_indices)
        assert link.bic_gain == pytest.approx(whole - less)


def test_bits_follow_from_entropies_of_the_counts(rows: DataSet) -> None:
    def entropy(*names: str) -> float:
        codes = np.array([rows.column(name) for name in names])
        _, counts = np.unique(codes, axis=1, return_counts=True)
        fractions = counts / counts.sum()
        return float(-(fractions * np.log2(fractions)).sum())

    dag = Dag.from_edges(rows.domain.names, EDGES)
    links = {link.edge: link for link in link_strengths(dag, rows)}
    assert set(links) == set(EDGES)
    link = links["rain", "wet"]
    alone = entropy("rain") + entropy("wet") - entropy("rain", "wet")
    assert link.information_bits == pytest.approx(alone)
    given = entropy("rain", "sprinkler") + entropy("sprinkler", "wet")
    given -= entropy("rain", "sprinkler", "wet") + entropy("sprinkler")
    assert link.added_bits == pytest.approx(given)
    assert link.p_value < 1e-6


def test_the_weakest_come_first_and_an_edge_without_reason_costs(rows: DataSet) -> None:
    rng = np.random.default_rng(5)
    codes = rows.codes.copy()
    codes[rows.domain.index("rain")] = rng.integers(0, 2, rows.row_count)
    noisy = DataSet(rows.domain, codes)
    first, *_, last = link_strengths(Dag.from_edges(rows.domain.names, EDGES), noisy)
    assert "rain" in first.edge
    assert first.bic_gain < 0
    assert first.p_value > 0.001
    assert last.edge == ("sprinkler", "wet")


def test_a_graph_without_edges_has_no_strengths(rows: DataSet) -> None:
    assert link_strengths(Dag.from_edges(rows.domain.names, ()), rows) == ()


def test_an_untestable_edge_is_marked() -> None:
    names = [str(k) for k in range(1100)]
    codes = np.array([np.arange(1100), np.arange(1100)], dtype=np.uint16)
    data = DataSet(Domain.of({"a": names, "b": names}), codes)
    (link,) = link_strengths(Dag.from_edges("ab", [("a", "b")]), data)
    assert link.alone is None
    assert (link.p_value, link.information_bits) == (1.0, 0.0)
    assert math.isfinite(link.bic_gain)
