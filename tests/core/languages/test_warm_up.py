"""The compiled loops can be loaded ahead, and answer as the plain ones do."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree import propagation
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.sessions import warm_up
from tests.strategies import random_network


@pytest.mark.slow  # the very first time they are compiled
def test_after_warming_up_the_answers_are_the_same_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = random_network(np.random.default_rng(9), 8)
    state = network.domain.variables[0].states[0]

    def beliefs() -> list[list[float]]:
        session = JunctionTreeSession(network)
        session.set_evidence("X0", Observed(state))
        return [belief.values.tolist() for belief in session.beliefs().values()]

    monkeypatch.setattr(propagation, "_compiled", None)
    plain = beliefs()
    assert propagation._compiled is None
    warm_up()
    assert propagation._compiled is not None
    assert beliefs() == plain
