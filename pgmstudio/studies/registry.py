"""The recipes; a new recipe is a module, a TOML file and a line here."""

from __future__ import annotations

from pgmstudio.core.errors import named
from pgmstudio.studies.alarm import ALARM_LARGE, ALARM_SMALL
from pgmstudio.studies.bars import BARS, BARS_SWEEP
from pgmstudio.studies.credit import CREDIT, CREDIT_TREES
from pgmstudio.studies.digits import DIGITS, PAIRS
from pgmstudio.studies.hidden_blocks import GENERAL_H, TREE_H
from pgmstudio.studies.kes_restarts import (
    KES_ALARM,
    KES_FOUR_CYCLE,
    KES_HAILFINDER,
    KES_SECONDS,
)
from pgmstudio.studies.ldag_recovery import LDAG_RECOVERY
from pgmstudio.studies.ldag_tables import LDAG_TABLES
from pgmstudio.studies.markov_recovery import MARKOV_RECOVERY
from pgmstudio.studies.mushroom import MUSHROOM
from pgmstudio.studies.nb_real import NB_REAL
from pgmstudio.studies.nb_synthetic import NB_SYNTHETIC
from pgmstudio.studies.pdg_figures import PDG_PARITY, PDG_SIZES, SMOOTHING_CURVE
from pgmstudio.studies.pdg_hybrid import PDG_HYBRID
from pgmstudio.studies.pdg_real import PDG_REAL
from pgmstudio.studies.pdg_table import PDG_TABLE
from pgmstudio.studies.random_trees import RANDOM_TREES
from pgmstudio.studies.recipe import Recipe
from pgmstudio.studies.sparse_trees import ACL_SECONDS, ACL_STEPS, KRUSKAL_STEPS
from pgmstudio.studies.splice import SPLICE, SPLICE_NOISE, SPLICE_SMALL
from pgmstudio.studies.splice_others import SPLICE_OTHERS

_ALL = (
    KRUSKAL_STEPS,
    ACL_SECONDS,
    ACL_STEPS,
    TREE_H,
    GENERAL_H,
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
    SPLICE_OTHERS,
    SPLICE_NOISE,
    SMOOTHING_CURVE,
    KES_FOUR_CYCLE,
    KES_ALARM,
    KES_HAILFINDER,
    KES_SECONDS,
    NB_SYNTHETIC,
    NB_REAL,
    PDG_TABLE,
    PDG_REAL,
    PDG_HYBRID,
    PDG_SIZES,
    PDG_PARITY,
    LDAG_RECOVERY,
    LDAG_TABLES,
    MARKOV_RECOVERY,
)
RECIPES: dict[str, Recipe] = {recipe.key: recipe for recipe in _ALL}


def recipe_of(key: str) -> Recipe:
    """The recipe of that key; UnknownNameError suggests the nearest."""
    return named("recipe", key, RECIPES)
