"""Random graphs that measure what is published of others."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.random_models import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.studies.pdg_table import KNOWN, entropy_bits, graph_like


@pytest.mark.parametrize("seed", range(5))
def test_the_entropy_is_that_of_all_rows(seed: int) -> None:
    graph = random_decision_graph(RandomPdgParams(variables=5), np.random.default_rng(seed))
    states = list(itertools.product(*map(range, graph.domain.cardinalities)))
    logs = graph.log2_probabilities(DataSet(graph.domain, np.array(states).T))
    assert entropy_bits(graph) == pytest.approx(-float(np.exp2(logs) @ logs), abs=1e-12)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_graph_like_a_published_one_measures_what_is_published(name: str) -> None:
    known = KNOWN[name]
    graph = graph_like(known, np.random.default_rng(1))
    assert len(graph.domain) == known.variables
    assert sum(graph.domain.cardinalities) == known.states
    assert graph.effective_size() == pytest.approx(known.size, rel=0.02)
    assert entropy_bits(graph) == pytest.approx(known.bits, abs=0.05)
    assert len(graph.roots) == 1
