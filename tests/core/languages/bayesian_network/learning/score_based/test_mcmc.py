"""Metropolis–Hastings over graphs: frequencies against all graphs of few variables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.bayesian_network.learning.score_based.mcmc import (
    DagMcmcLearner,
    DagMcmcParams,
    NetworkPosterior,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.possibilistic_network.learning.exhaustive import all_dags
from pgmstudio.core.learning.base import ArtifactSaved, Finished
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.core.learning.lecture_data import CORONARY


def small_data() -> DataSet:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 40)
    b = np.where(rng.random(40) < 0.8, a, rng.integers(0, 2, 40))
    c = np.where(rng.random(40) < 0.6, b, rng.integers(0, 2, 40))
    return DataSet(Domain.of(dict.fromkeys("abc", "01")), np.array([a, b, c], dtype=np.uint8))


def run(data: DataSet, **chosen: object) -> tuple[NetworkPosterior, BayesianNetwork]:
    events = list(
        DagMcmcLearner().run(
            data,
            DagMcmcParams(**chosen),  # type: ignore[arg-type]
            rng=np.random.default_rng(1),
            cancel=NEVER,
        )
    )
    (posterior,) = (e.artifact for e in events if isinstance(e, ArtifactSaved))
    assert isinstance(posterior, NetworkPosterior)
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return posterior, last.model


def test_frequencies_are_the_posterior_over_all_graphs() -> None:
    data = small_data()
    scores = FamilyScores(data, score_of("bdeu", data.total_weight))
    keys = list(all_dags(EdgeRules.of(data.domain.names, None, None)))
    logs = [sum(scores.local(c, bits_of(m)) for c, m in enumerate(k)) for k in keys]
    weights = np.exp2(np.array(logs) - max(logs))
    weights /= weights.sum()
    posterior, model = run(data, iterations=40_000, chains=3, max_parents=None)
    for p, parent in enumerate("abc"):
        for c, child in enumerate("abc"):
            expected = sum(w for k, w in zip(keys, weights, strict=True) if k[c] >> p & 1)
            assert posterior.edge(parent, child) == pytest.approx(expected, abs=0.03)
    best = max(logs)
    result = scores.total(model.dag.parent_indices)
    assert result == pytest.approx(best)
    assert posterior.graphs[0].probability == pytest.approx(weights.max(), abs=0.03)
    assert NetworkPosterior.restored(posterior.plain()) == posterior


def test_the_best_graph_of_the_coronary_table_is_the_optimum_by_k2() -> None:
    # §10: over all graphs −6717.013666 nats.
    posterior, model = run(CORONARY, score="k2", iterations=6_000, chains=4, max_parents=None)
    scores = FamilyScores(CORONARY, score_of("k2", CORONARY.total_weight))
    nats = scores.total(model.dag.parent_indices) * math.log(2)
    assert nats == pytest.approx(-6717.013666, abs=1e-5)
    assert max(posterior.edge("B", "C"), posterior.edge("C", "B")) > 0.3


def test_knowledge_holds_in_every_graph() -> None:
    knowledge = Knowledge(
        required=frozenset({("a", "c")}), forbidden=frozenset({("a", "b"), ("b", "a")})
    )
    posterior, model = run(small_data(), iterations=2_000, knowledge=knowledge)
    assert posterior.edge("a", "c") == 1
    assert posterior.edge("a", "b") == posterior.edge("b", "a") == 0
    assert ("a", "c") in model.edges
