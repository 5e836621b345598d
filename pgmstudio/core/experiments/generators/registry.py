"""The table of generators; a new one is its file and one line here."""

from __future__ import annotations

from pgmstudio.core.errors import named
from pgmstudio.core.experiments.generators.bars import BARS
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.experiments.generators.hidden_variable_models import GENERAL_H, TREE_H
from pgmstudio.core.experiments.generators.random_markov_networks import RANDOM_MARKOV
from pgmstudio.core.experiments.generators.random_models import (
    RANDOM_LDAG,
    RANDOM_NETWORKS,
    RANDOM_PDG,
    RANDOM_TREES,
)
from pgmstudio.core.experiments.generators.textbook import (
    FOUR_CYCLE,
    LOGIC_GENERATORS,
    NOISE,
    RANDOM_WALKS,
    SURVEY,
)

_ALL = (
    *LOGIC_GENERATORS,
    FOUR_CYCLE,
    BARS,
    RANDOM_TREES,
    TREE_H,
    GENERAL_H,
    RANDOM_WALKS,
    *RANDOM_NETWORKS,
    RANDOM_PDG,
    RANDOM_LDAG,
    RANDOM_MARKOV,
    NOISE,
    SURVEY,
)
GENERATORS: dict[str, Generator] = {generator.name: generator for generator in _ALL}


def generator_of(name: str) -> Generator:
    """The generator of that name; UnknownNameError suggests the nearest."""
    return named("generator", name, GENERATORS)
