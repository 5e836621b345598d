"""The best of all graphs: the optimum of the specification, and against all graphs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.bayesian_network.learning.score_based.exact import (
    MAX_VARIABLES,
    ExactNetworkLearner,
    ExactParams,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.core.graphs.small_dags import all_dags
from tests.core.learning.lecture_data import CORONARY


def learned(data: DataSet, **params: object) -> tuple[BayesianNetwork, float]:
    chosen = ExactParams(smoothing=1.0, **params)  # type: ignore[arg-type]
    *_, last = ExactNetworkLearner().run(data, chosen, rng=np.random.default_rng(0), cancel=NEVER)
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return last.model, last.measures["score"]


def test_the_optimum_of_the_coronary_table_by_k2() -> None:
    # Specification, check 20.
    _, score = learned(CORONARY, score="k2")
    assert score * math.log(2) == pytest.approx(-6717.013666, abs=1e-6)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from(["bic", "bdeu", "k2"]))
def test_no_graph_is_better(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    names = all_dags(4)[0].names
    codes = rng.integers(0, 2, (4, 30), dtype=np.uint8)
    codes[3] = codes[0] ^ codes[1]
    data = DataSet(Domain.of(dict.fromkeys(names, "01")), codes)
    scores = FamilyScores(data, score_of(name, data.total_weight))
    best = max(
        sum(scores.local(child, parents) for child, parents in enumerate(dag.parent_indices))
        for dag in all_dags(4)
    )
    network, score = learned(data, score=name)
    assert score == pytest.approx(best, abs=1e-6)
    assert network.dag in all_dags(4)


def test_rules_are_obeyed_and_parents_limited() -> None:
    rules = Knowledge(frozenset({("F", "A")}), frozenset({("B", "C"), ("C", "B")}))
    network, _ = learned(CORONARY, knowledge=rules, max_parents=1)
    assert network.dag.has_edge("F", "A")
    assert not network.dag.has_edge("B", "C")
    assert max(map(len, network.dag.parent_indices)) == 1


def test_too_many_columns_are_refused() -> None:
    names = [f"v{i}" for i in range(MAX_VARIABLES + 1)]
    data = DataSet.from_rows(Domain.of(dict.fromkeys(names, "01")), [("0",) * len(names)])
    assert "at most 15 columns" in (ExactNetworkLearner().refuses(data) or "")
