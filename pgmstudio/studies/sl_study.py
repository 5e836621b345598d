"""Studies of SL-curves: languages on many data sets, as plans whose points can be saved.

Nielsen (2007), ch. 5, and Jaeger, Nielsen and Silander (2006), §§4–5. Networks come from
equivalence search, one for each λ; latent classes grow; decision graphs are learned for a list of
λ, and every network is compiled into graphs as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pgmstudio.core.errors import named
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.sl_curves.curve import default_lambdas
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.model import Model
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import spaced_lambdas
from pgmstudio.studies.recipe import Source, only_param, selected_names
from pgmstudio.studies.sl_published import BN, HYBRID, NB, PDG
from pgmstudio.studies.sl_sets import ARTICLE_SETS, MADE_SETS, REAL_SETS, StudyRows, StudySet

GREEDINESS = tuple(round(0.1 * tenth, 1) for tenth in range(10, -1, -1))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParams:
    """The settings of a study; larger numbers come nearer to the published effort."""

    only: str | None = only_param()
    greediness: tuple[float, ...] = param(
        GREEDINESS,
        title="Greediness k",
        low=0,
        high=1,
        help="Greediness of equivalence search; each value is run for each λ.",
    )
    restarts: int = param(
        1,
        title="Runs for each k",
        low=1,
        help="Restarts of equivalence search; 100 in the publication.",
    )
    forests: int = param(6, title="Forests", low=1, high=500, help="Number of variable forests.")
    patience: int = param(
        6, title="Patience", low=1, help="Sweeps without a better decision graph before it ends."
    )
    graphs: int = param(
        8, title="Decision graphs", low=2, high=100, help="λ of the decision graphs."
    )
    growth: float = param(
        0.25, title="Growth", low=0, low_open=True, help="Classes added in a round, as a fraction."
    )
    most_classes: int = param(
        60, title="Maximum latent class models", low=1, help="Maximum number of rounds."
    )
    most_cells: int = param(
        2_000_000,
        title="Maximum cells",
        low=1,
        help="Networks with a larger junction tree are neither compiled nor queried.",
    )
    run_limit: float | None = param(
        120.0,
        title="Seconds for a model",
        low=0,
        low_open=True,
        none_label="no limit",
        help="Time limit for the network of one λ, and for the graphs of one network; the best "
        "model found by then is used.",
    )
    curve_limit: float | None = param(
        900.0,
        title="Seconds for a curve",
        low=0,
        low_open=True,
        none_label="no limit",
        help="Time limit for latent classes and for decision graphs of all sizes, each in one run; "
        "the models found by then are used.",
    )
    queries: int = param(
        1000,
        title="Queries",
        low=0,
        help="Number of random queries to models of each curve; 0 for none.",
    )
    asked_models: int = param(
        12, title="Queried models", low=1, help="Number of models of each curve that are queried."
    )
    rows: int = param(10_000, title="Rows", low=100, help="Training rows of synthetic data.")
    test_rows: int = param(5000, title="Test rows", low=100, help="Test rows of synthetic data.")


# Settings of a study of minutes; its models are far from those of the authors' effort.
SMALL = {
    "greediness": "1",
    "forests": "1",
    "patience": "1",
    "graphs": "3",
    "growth": "1",
    "most_classes": "5",
    "most_cells": "5000",
    "run_limit": "2",
    "curve_limit": "10",
    "queries": "20",
    "asked_models": "3",
    "rows": "500",
    "test_rows": "200",
}


@dataclass(frozen=True, eq=False)
class Study:
    """A publication's data sets; `chosen` are those to run."""

    key: str
    title: str
    place: str
    help: str
    sets: tuple[StudySet, ...]
    takes: str
    chosen: tuple[StudySet, ...] = ()

    def __post_init__(self) -> None:
        if not self.chosen:
            object.__setattr__(self, "chosen", self.sets)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files of the chosen data sets."""
        return tuple(
            {
                source.name: source for data_set in self.chosen for source in data_set.sources
            }.values()
        )

    def only(self, names: str | None) -> Study:
        """The study on the named data sets; ParameterError lists the known ones."""
        selected = selected_names(names, (data_set.name for data_set in self.sets))
        return replace(
            self, chosen=tuple(data_set for data_set in self.sets if data_set.name in selected)
        )

    def rows(
        self, data_set: StudySet, sources: Mapping[str, Any], params: StudyParams, seed: int
    ) -> StudyRows:
        """The rows of a data set, which depend on the seed and not on other data sets."""
        key = (0, [each.name for each in self.sets].index(data_set.name))
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        return data_set.draw(sources, (params.rows, params.test_rows), rng)


def direct_plan(data_set: StudySet, drawn: StudyRows, params: StudyParams, seed: int) -> Plan:
    """Networks, latent classes and decision graphs, each learned from the rows."""
    count = drawn.rows.train.total_weight
    grids = (
        LearnerGrid(
            "bn.kes",
            _lists(
                data_set,
                "bn.kes",
                greediness=params.greediness,
                restarts=params.restarts,
                phases="full",  # as the authors searched
            ),
            BN,
            default_lambdas(count)[::-1],  # small networks take seconds, so they come first
            params.run_limit,
        ),
        LearnerGrid(
            "nb.latent",
            _lists(data_set, "nb.latent", growth=params.growth, most_models=params.most_classes),
            NB,
            time_limit=params.curve_limit,
        ),
        LearnerGrid(
            "pdg.learn",
            _lists(data_set, "pdg.learn", population=params.forests, patience=params.patience),
            PDG,
            spaced_lambdas(0.3, 5 * math.log2(max(count, 2)), params.graphs),
            params.curve_limit,
        ),
    )
    return Plan(grids, seeds=(seed,), title=data_set.title)


def hybrid_plan(
    data_set: StudySet, networks: Sequence[Model], params: StudyParams, seed: int
) -> Plan:
    """Each of these networks compiled into a decision graph and merged for a list of λ."""
    grid = LearnerGrid("pdg.hybrid", {"start": tuple(networks)}, HYBRID)
    return Plan((grid,), seeds=(seed,), time_limit=params.run_limit, title=data_set.title)


def to_compile(points: Sequence[CurvePoint], most_cells: int) -> list[CurvePoint]:
    """The networks among the points that are small enough, one for each size."""
    fit = [p for p in points if p.series == BN and p.effective_size <= most_cells]
    best = {p.effective_size: p for p in sorted(fit, key=lambda p: p.train_log2_likelihood_per_row)}
    return [best[size] for size in sorted(best)]


def to_ask(points: Sequence[CurvePoint], most_cells: int, count: int) -> list[CurvePoint]:
    """Models of one curve, from small to large, with the one of the best test likelihood."""
    fit = sorted(
        (p for p in points if p.effective_size <= most_cells), key=lambda p: p.effective_size
    )
    if len(fit) <= count:
        return fit
    indices = {round(index) for index in np.linspace(0, len(fit) - 1, count)}
    indices.add(max(range(len(fit)), key=lambda i: fit[i].test_log2_likelihood_per_row))
    return [fit[index] for index in sorted(indices)]


def _lists(data_set: StudySet, key: str, **values: object) -> dict[str, tuple[object, ...]]:
    """The parameters as lists of one value, for a grid."""
    return {
        name: (value,) for name, value in (values | dict(data_set.settings.get(key, {}))).items()
    }


STUDIES = {
    study.key: study
    for study in (
        Study(
            "real",
            "Four languages on real data",
            "Nielsen 2007, tables 5.5–5.10",
            "Networks, latent classes, decision graphs and compiled networks on seven data sets.",
            REAL_SETS,
            "about an hour",
        ),
        Study(
            "made",
            "Four languages on synthetic data",
            "Nielsen 2007, tables 5.1–5.4 and 5.11",
            "The same on data drawn from nine known models.",
            MADE_SETS,
            "about an hour",
        ),
        Study(
            "article",
            "Networks and decision graphs, five data sets",
            "Jaeger, Nielsen and Silander 2006, figures 5 and 7",
            "The same on five data sets in intervals of equal width, a third of the rows for the "
            "test.",
            ARTICLE_SETS,
            "about an hour",
        ),
    )
}


def study_of(key: str) -> Study:
    """The study of that key; UnknownNameError suggests the nearest."""
    return named("study", key, STUDIES)
