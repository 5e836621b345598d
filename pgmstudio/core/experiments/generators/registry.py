"""The table of generators; a new one is its file and one line here."""

from __future__ import annotations

from pgmstudio.core.errors import named
from pgmstudio.core.experiments.generators.bars import BARS
from pgmstudio.core.experiments.generators.four_cycle import FOUR_CYCLE
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.experiments.generators.hidden_variable_models import GENERAL_H, TREE_H
from pgmstudio.core.experiments.generators.logic import LOGIC_GENERATORS
from pgmstudio.core.experiments.generators.noise import NOISE
from pgmstudio.core.experiments.generators.random_ldags import RANDOM_LDAG
from pgmstudio.core.experiments.generators.random_markov_networks import RANDOM_MARKOV
from pgmstudio.core.experiments.generators.random_networks import RANDOM_NETWORKS
from pgmstudio.core.experiments.generators.random_pdgs import RANDOM_PDG
from pgmstudio.core.experiments.generators.random_trees import RANDOM_TREES
from pgmstudio.core.experiments.generators.random_walks import RANDOM_WALKS
from pgmstudio.core.experiments.generators.survey import SURVEY

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
