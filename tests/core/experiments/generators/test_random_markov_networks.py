"""Random Markov networks of every topology."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.experiments.generators.random_markov_networks import (
    RANDOM_MARKOV,
    TOPOLOGIES,
    RandomMarkovParams,
    random_markov_network,
)

EDGES = {"grid": 24, "loop": 16, "chain": 15, "hub": 15, "clique": 24}


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("contexts", [0.0, 0.3])
def test_every_topology_gives_a_network_and_rows(topology: str, contexts: float) -> None:
    params = RandomMarkovParams(topology=topology, contexts=contexts)
    network = random_markov_network(params, np.random.default_rng(1))
    assert len(network.domain) == 16
    assert bool(network.structure.contexts) == (contexts > 0)
    if contexts == 0 and topology in EDGES:
        assert len(network.structure.edges) == EDGES[topology]
    rows = RANDOM_MARKOV.generate(params, np.random.default_rng(1), 200)
    again = RANDOM_MARKOV.generate(params, np.random.default_rng(1), 200)
    assert (rows.codes == again.codes).all()
    assert rows.row_count == 200
    # Main effects are balanced: no state is rare everywhere.
    assert 0.3 < rows.codes.mean() < 0.7


def test_a_grid_of_64_variables_can_be_sampled() -> None:
    params = RandomMarkovParams(variables=64, states=2)
    rows = RANDOM_MARKOV.generate(params, np.random.default_rng(2), 100)
    assert rows.codes.shape == (64, 100)


@pytest.mark.parametrize("variables", [1, 2, 3])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_few_variables_are_enough(topology: str, variables: int) -> None:
    params = RandomMarkovParams(variables=variables, topology=topology, states=3, contexts=0.5)
    assert len(random_markov_network(params, np.random.default_rng(3)).domain) == variables
