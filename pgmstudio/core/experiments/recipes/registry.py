"""The table of recipes; a new one is its file and one line here."""

from __future__ import annotations

from pgmstudio.core.errors import named
from pgmstudio.core.experiments.recipes.alarm import ALARM_LARGE, ALARM_SMALL
from pgmstudio.core.experiments.recipes.bars import BARS
from pgmstudio.core.experiments.recipes.bars_sweep import BARS_SWEEP
from pgmstudio.core.experiments.recipes.credit import CREDIT
from pgmstudio.core.experiments.recipes.credit_trees import CREDIT_TREES
from pgmstudio.core.experiments.recipes.digits import DIGITS, PAIRS
from pgmstudio.core.experiments.recipes.ldag_recovery import LDAG_RECOVERY
from pgmstudio.core.experiments.recipes.ldag_tables import LDAG_TABLES
from pgmstudio.core.experiments.recipes.mushroom import MUSHROOM
from pgmstudio.core.experiments.recipes.nb_real import NB_REAL
from pgmstudio.core.experiments.recipes.nb_synthetic import NB_SYNTHETIC
from pgmstudio.core.experiments.recipes.pdg_hybrid import PDG_HYBRID
from pgmstudio.core.experiments.recipes.pdg_real import PDG_REAL
from pgmstudio.core.experiments.recipes.pdg_table import PDG_TABLE
from pgmstudio.core.experiments.recipes.random_trees import RANDOM_TREES
from pgmstudio.core.experiments.recipes.recipe import Recipe
from pgmstudio.core.experiments.recipes.splice import SPLICE
from pgmstudio.core.experiments.recipes.splice_noise import SPLICE_NOISE
from pgmstudio.core.experiments.recipes.splice_small import SPLICE_SMALL

_ALL = (
    RANDOM_TREES,
    BARS,
    BARS_SWEEP,
    DIGITS,
    PAIRS,
    ALARM_LARGE,
    ALARM_SMALL,
    CREDIT,
    CREDIT_TREES,
    MUSHROOM,
    SPLICE,
    SPLICE_SMALL,
    SPLICE_NOISE,
    NB_SYNTHETIC,
    NB_REAL,
    PDG_TABLE,
    PDG_REAL,
    PDG_HYBRID,
    LDAG_RECOVERY,
    LDAG_TABLES,
)
RECIPES: dict[str, Recipe] = {recipe.key: recipe for recipe in _ALL}


def recipe_of(key: str) -> Recipe:
    """The recipe of that key; UnknownNameError suggests the nearest."""
    return named("recipe", key, RECIPES)
