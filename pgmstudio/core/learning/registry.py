"""The table of learners: the built-in ones and those of installed plug-ins."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from typing import Any

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.learning.chow_liu import ChowLiuLearner
from pgmstudio.core.learning.chow_liu_sparse import ChowLiuSparseLearner
from pgmstudio.core.learning.em import EmLearner
from pgmstudio.core.learning.hidden_trees import HiddenLearner
from pgmstudio.core.learning.hill_climb import HillClimbLearner
from pgmstudio.core.learning.k2 import K2Learner
from pgmstudio.core.learning.kes import KesLearner
from pgmstudio.core.learning.latent_classes import LatentClassLearner
from pgmstudio.core.learning.ldag import CsiTreeLearner, LdagLearner
from pgmstudio.core.learning.ldag_exact import ExactLearner
from pgmstudio.core.learning.ldag_labels import LabelsLearner
from pgmstudio.core.learning.ldag_mcmc import McmcLearner
from pgmstudio.core.learning.mixture_trees import MixtureLearner, SharedMixtureLearner
from pgmstudio.core.learning.naive_bayes import NaiveBayesLearner
from pgmstudio.core.learning.npc import NpcLearner
from pgmstudio.core.learning.pc import PcLearner
from pgmstudio.core.learning.pdg import PdgLearner
from pgmstudio.core.learning.pdg_hybrid import HybridPdgLearner
from pgmstudio.core.learning.polytree import PolytreeLearner
from pgmstudio.core.learning.protocols import Learner
from pgmstudio.core.learning.structural_em import StructuralEmLearner
from pgmstudio.core.learning.tan import TanLearner

BUILT_IN: tuple[Learner[Any], ...] = (
    ChowLiuLearner(),
    ChowLiuSparseLearner(),
    HillClimbLearner(),
    KesLearner(),
    PcLearner(),
    NpcLearner(),
    K2Learner(),
    NaiveBayesLearner(),
    TanLearner(),
    PolytreeLearner(),
    StructuralEmLearner(),
    EmLearner(),
    LatentClassLearner(),
    MixtureLearner(),
    SharedMixtureLearner(),
    HiddenLearner(),
    PdgLearner(),
    HybridPdgLearner(),
    LdagLearner(),
    LabelsLearner(),
    ExactLearner(),
    McmcLearner(),
    CsiTreeLearner(),
)

PLUGIN_GROUP = "pgmstudio.learners"


@lru_cache(maxsize=1)
def _plugins() -> tuple[dict[str, Learner[Any]], tuple[str, ...]]:
    """Learners of other packages, and a sentence for each entry point that would not load."""
    found: dict[str, Learner[Any]] = {}
    problems: list[str] = []
    taken = {learner.key for learner in BUILT_IN}
    for entry in metadata.entry_points(group=PLUGIN_GROUP):
        try:
            made = entry.load()
            learner: Learner[Any] = made() if isinstance(made, type) else made
            key = learner.key
        except Exception as problem:  # a stranger's code may fail in any way; it is reported
            problems.append(f"The plug-in {entry.name} did not load: {problem}")
            continue
        if key in taken:
            problems.append(f"The plug-in {entry.name} is left out: {key} exists already.")
            continue
        taken.add(key)
        found[key] = learner
    return found, tuple(problems)


def all_learners() -> dict[str, Learner[Any]]:
    """Every learner by its key, built-in ones first."""
    return {learner.key: learner for learner in BUILT_IN} | _plugins()[0]


def plugin_problems() -> tuple[str, ...]:
    """A sentence for each plug-in that could not be used."""
    return _plugins()[1]


def learner_of(key: str) -> Learner[Any]:
    """The learner of that key; UnknownNameError suggests the nearest."""
    learners = all_learners()
    if key not in learners:
        raise UnknownNameError("learner", key, learners)
    return learners[key]
