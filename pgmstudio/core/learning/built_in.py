"""The learners that come with the program, in the order of menus and lists."""

from __future__ import annotations

from typing import Any

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
