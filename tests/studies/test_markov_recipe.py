"""The recipe of Markov networks: its divergence, and a small run."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.generators.random_markov_networks import (
    RandomMarkovParams,
    random_markov_network,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.params import parse_params
from pgmstudio.studies.markov_recovery import METHODS, context_key, divergence, graph_key
from pgmstudio.studies.recipe import Measured, sweep_of
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import recipe_of


def test_the_divergence_is_0_from_itself_and_positive_from_another() -> None:
    params = RandomMarkovParams(variables=6, states=3, topology="clique", contexts=0.3)
    one, other = (random_markov_network(params, np.random.default_rng(seed)) for seed in (1, 2))
    assert divergence(one, one) == pytest.approx(0, abs=1e-12)
    assert divergence(one, other) > 0.1
    uniform = MarkovNetwork.uniform(one.structure)
    log2_p = one.log2_probabilities(one.sample(20_000, np.random.default_rng(3)))
    by_samples = log2_p.mean() + 6 * np.log2(3)
    assert divergence(one, uniform) == pytest.approx(by_samples, rel=0.05)


def test_a_small_recovery_counts_wrong_edges_and_measures_contexts() -> None:
    recipe = recipe_of("markov-recovery")
    given = {"trials": 1, "variables": (8,), "only": "loop", "rows": (200, 5000), "strength": 3.0}
    task = RecipeTask(recipe.key, parse_params(recipe.params_type, given), 0, {})
    measured = [event for event in task(NEVER) if isinstance(event, Measured)]
    values = {key: value for event in measured for key, value in event.values.items()}
    for name in METHODS:
        few, many = (values[graph_key(8, "loop", rows, name)] for rows in (200, 5000))
        assert 0 <= many <= few
    assert values[graph_key(8, "loop", 5000, "hc")] <= 1
    plain, contextual, gain = (
        values[context_key(8, "loop", 5000, name)] for name in ("plain", "contextual", "gain")
    )
    assert gain == pytest.approx(plain - contextual)
    assert contextual < 0.1
    sweep = sweep_of(recipe, measured)
    assert sweep is not None
    assert {line.name for line in sweep.lines} == set(METHODS.values())
    assert isinstance(measured[0].model, MarkovNetwork)
