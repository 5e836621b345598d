"""Markov networks are in the registry during these tests."""

from __future__ import annotations

import pytest

from pgmstudio.core.languages import registry
from pgmstudio.core.languages.base import Lazy


@pytest.fixture(autouse=True)
def markov_networks_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Lazy("pgmstudio.core.languages.markov_network.language:LANGUAGE")
    monkeypatch.setitem(registry.BUILT_IN, "markov-network", row)
