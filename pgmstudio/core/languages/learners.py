"""The learners that come with the program, in the order of menus and lists.

The table of learners: the built-in ones and those of installed plug-ins.

One run of one learner as a value: it can be sent to a child process and run anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import named
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.languages.bayesian_network.learning.classifiers.naive_bayes import (
    NaiveBayesLearner,
)
from pgmstudio.core.languages.bayesian_network.learning.classifiers.tan import TanLearner
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.npc import NpcLearner
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import PcLearner
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.polytree import (
    PolytreeLearner,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.learner import KesLearner
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em import EmLearner
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbLearner,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import K2Learner
from pgmstudio.core.languages.bayesian_network.learning.structural_em import StructuralEmLearner
from pgmstudio.core.languages.latent_class.learning.learner import LatentClassLearner
from pgmstudio.core.languages.ldag.learning.exact import ExactLearner
from pgmstudio.core.languages.ldag.learning.learner import (
    CsiTreeLearner,
    LabelsLearner,
    LdagLearner,
)
from pgmstudio.core.languages.ldag.learning.mcmc import McmcLearner
from pgmstudio.core.languages.pdg.learning.hybrid import HybridPdgLearner
from pgmstudio.core.languages.pdg.learning.learner import PdgLearner
from pgmstudio.core.languages.tree.learning.chow_liu import ChowLiuLearner
from pgmstudio.core.languages.tree.learning.chow_liu_sparse import ChowLiuSparseLearner
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.learner import HiddenLearner
from pgmstudio.core.languages.tree_mixture.learning.learner import (
    MixtureLearner,
    SharedMixtureLearner,
)
from pgmstudio.core.learning.base import Finished, Learner, LearnEvent

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


def _built_in() -> dict[str, Learner[Any]]:
    # Loads a third of the program: whoever only names learners need not wait for it.

    return {learner.key: learner for learner in BUILT_IN}


@lru_cache(maxsize=1)
def _plugins() -> tuple[dict[str, Learner[Any]], tuple[str, ...]]:
    """Learners of other packages, and a sentence for each entry point that would not load."""
    found: dict[str, Learner[Any]] = {}
    problems: list[str] = []
    taken = set(_built_in())
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
    return _built_in() | _plugins()[0]


def plugin_problems() -> tuple[str, ...]:
    """A sentence for each plug-in that could not be used."""
    return _plugins()[1]


def learner_of(key: str) -> Learner[Any]:
    """The learner of that key; UnknownNameError suggests the nearest."""
    return named("learner", key, all_learners())


@dataclass(frozen=True, eq=False)
class LearnTask:
    """Learner, data, parameters and seed; the same task gives the same events, in any runner."""

    learner_key: str
    data: DataSet
    params: Any
    seed: int

    def __call__(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        # Here, not above: a window that has not learned yet needs no learner.
        from pgmstudio.core.languages.run_checks import (
            knowledge_of,
            model_warnings,
            obeys_knowledge,
            rules_note,
        )
        from pgmstudio.core.languages.start_models import start_models

        learner = learner_of(self.learner_key)
        knowledge = knowledge_of(self.params)
        if knowledge is not None:
            knowledge.check(self.data.domain.names)
            if not obeys_knowledge(learner):
                yield Note(rules_note(learner, knowledge))
        yield from start_models(learner, self.data, self.params, cancel)
        rng = np.random.default_rng(self.seed)
        for event in learner.run(self.data, self.params, rng=rng, cancel=cancel):
            if isinstance(event, Finished):
                yield from map(Note, model_warnings(event.model, self.data))
            yield event
