"""A made-up survey on living and getting about, with three hidden kinds of household.

Everything is invented: given the kind of household the answers are independent, with the tables
below, and each answer is missing with the same chance whatever it is (missing completely at
random). A latent-class learner should find three classes with about these profiles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.experiments.generators.generator import (
    Generator,
    keep_hidden,
    without_columns,
)
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.params import param

HOUSEHOLD = "household"
KINDS = {"city": 0.45, "family": 0.35, "country": 0.20}

# Question: states, and per kind of household (in the order above) the chance of each.
QUESTIONS: dict[str, tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]] = {
    "age": (
        ("under 30", "30 to 49", "50 and over"),
        ((0.50, 0.30, 0.20), (0.10, 0.75, 0.15), (0.05, 0.25, 0.70)),
    ),
    "people": (
        ("1", "2", "3 or more"),
        ((0.55, 0.35, 0.10), (0.02, 0.13, 0.85), (0.20, 0.60, 0.20)),
    ),
    "home": (
        ("flat", "house"),
        ((0.92, 0.08), (0.40, 0.60), (0.08, 0.92)),
    ),
    "garden": (("no", "yes"), ((0.85, 0.15), (0.35, 0.65), (0.05, 0.95))),
    "car": (("none", "one", "two"), ((0.65, 0.32, 0.03), (0.08, 0.57, 0.35), (0.05, 0.45, 0.50))),
    "bicycle": (("no", "yes"), ((0.30, 0.70), (0.20, 0.80), (0.55, 0.45))),
    "to work": (
        ("on foot", "bicycle", "bus or train", "car", "no way to work"),
        (
            (0.20, 0.25, 0.40, 0.05, 0.10),
            (0.05, 0.15, 0.20, 0.50, 0.10),
            (0.02, 0.03, 0.05, 0.40, 0.50),
        ),
    ),
    "season ticket": (("no", "yes"), ((0.35, 0.65), (0.70, 0.30), (0.95, 0.05))),
    "pet": (
        ("none", "cat", "dog"),
        ((0.75, 0.20, 0.05), (0.45, 0.25, 0.30), (0.30, 0.25, 0.45)),
    ),
    "newspaper": (
        ("never", "on the screen", "on paper"),
        ((0.30, 0.65, 0.05), (0.40, 0.45, 0.15), (0.15, 0.15, 0.70)),
    ),
    "club": (("no", "yes"), ((0.70, 0.30), (0.45, 0.55), (0.30, 0.70))),
    "would move": (
        ("no", "perhaps", "yes"),
        ((0.30, 0.40, 0.30), (0.60, 0.30, 0.10), (0.90, 0.08, 0.02)),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyParams:
    missing: float = param(
        0.15, title="Missing", low=0, high=1, high_open=True, help="Chance that a cell is empty."
    )
    keep_hidden: bool = keep_hidden("kind of household")


def survey_model() -> BayesianNetwork:
    """The true model: the kind of household and, independent given it, the answers."""
    questions = [Variable(name, states) for name, (states, _) in QUESTIONS.items()]
    domain = Domain((*questions, Variable(HOUSEHOLD, tuple(KINDS))))
    hidden = len(questions)
    dag = Dag(domain.names, (*(((hidden,),) * hidden), ()))
    tables = [np.array(rows) for _, rows in QUESTIONS.values()]
    return BayesianNetwork(domain, dag, (*tables, np.array(list(KINDS.values()))))


def survey(params: SurveyParams, rng: np.random.Generator, count: int) -> DataSet:
    """Answers with cells missing completely at random."""
    data = survey_model().sample(count, rng)
    codes = data.codes.copy()
    gone = rng.random((len(QUESTIONS), count)) < params.missing
    codes[:-1][gone] = data.missing_code
    data = DataSet(data.domain, codes)
    return data if params.keep_hidden else without_columns(data, HOUSEHOLD)


SURVEY = Generator(
    "survey",
    "Survey",
    "Made-up answers of three hidden kinds of household, some cells missing.",
    SurveyParams,
    survey,
)
