"""Studies of SL-curves: languages on many data sets, as plans whose points can be kept.

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
from pgmstudio.studies.sl_sets import (
    ARTICLE_SETS,
    MADE_SETS,
    REAL_SETS,
    StudyRows,
    StudySet,
)

GREEDINESS = tuple(round(0.1 * tenth, 1) for tenth in range(10, -1, -1))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParams:
    """The settings of a study; more of everything comes nearer to the sources."""

    only: str | None = only_param()
    greediness: tuple[float, ...] = param(
        GREEDINESS,
        title="Greediness k",
        low=0,
        high=1,
        help="Of equivalence search; each of the list is run for each λ.",
    )
    restarts: int = param(
        1, title="Runs for each k", low=1, help="Of equivalence search; the source made 100."
    )
    forests: int = param(
        6, title="Forests", low=1, high=500, help="How many forests of variables are tried."
    )
    patience: int = param(
        6, title="Patience", low=1, help="Sweeps without a better decision graph before it ends."
    )
    graphs: int = param(
        8, title="Decision graphs", low=2, high=100, help="λ of the decision graphs."
    )
    growth: float = param(
        0.25, title="Growth", low=0, low_open=True, help="Classes added in a round, as a share."
    )
    most_classes: int = param(
        60, title="Most models of classes", low=1, help="Rounds of growing at most."
    )
    most_cells: int = param(
        2_000_000,
        title="Most cells",
        low=1,
        help="Networks whose clique tree has more are neither compiled nor asked.",
    )
    run_limit: float | None = param(
        120.0,
        title="Seconds for a model",
        low=0,
        low_open=True,
        none_label="no limit",
        help="A network of one λ that takes longer is the best one found by then, and likewise the "
        "graphs of one network.",
    )
    curve_limit: float | None = param(
        900.0,
        title="Seconds for a curve",
        low=0,
        low_open=True,
        none_label="no limit",
        help="Classes and decision graphs of all sizes, each in one run; one that takes longer "
        "gives the models it has by then.",
    )
    queries: int = param(
        1000, title="Queries", low=0, help="Random queries to models of each curve; 0 asks none."
    )
    asked_models: int = param(
        12, title="Asked models", low=1, help="Models of each curve that are asked."
    )
    rows: int = param(10_000, title="Rows", low=100, help="Rows to learn from where they are made.")
    test_rows: int = param(5000, title="Test rows", low=100, help="Test rows where rows are made.")


@dataclass(frozen=True, eq=False)
class Study:
    """Data sets and where their tables are printed; `chosen` are those that are looked at."""

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
        """Every file that the data sets read, once."""
        return tuple(
            {source.name: source for own in self.chosen for source in own.sources}.values()
        )

    def only(self, names: str | None) -> Study:
        """With those of its data sets a person wants; ParameterError names what there is."""
        kept = selected_names(names, (own.name for own in self.sets))
        return replace(self, chosen=tuple(own for own in self.sets if own.name in kept))

    def rows(
        self, own: StudySet, sources: Mapping[str, Any], params: StudyParams, seed: int
    ) -> StudyRows:
        """The rows of a data set; the same seed draws the same, whatever other sets do."""
        place = (0, [each.name for each in self.sets].index(own.name))
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=place))
        return own.draw(sources, (params.rows, params.test_rows), rng)


def direct_plan(own: StudySet, found: StudyRows, params: StudyParams, seed: int) -> Plan:
    """Networks, latent classes and decision graphs, each learned from the rows."""
    count = found.rows.train.total_weight
    grids = (
        LearnerGrid(
            "bn.kes",
            _lists(
                own,
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
            _lists(own, "nb.latent", growth=params.growth, most_models=params.most_classes),
            NB,
            time_limit=params.curve_limit,
        ),
        LearnerGrid(
            "pdg.learn",
            _lists(own, "pdg.learn", population=params.forests, patience=params.patience),
            PDG,
            spaced_lambdas(0.3, 5 * math.log2(max(count, 2)), params.graphs),
            params.curve_limit,
        ),
    )
    return Plan(grids, seeds=(seed,), title=own.title)


def hybrid_plan(own: StudySet, networks: Sequence[Model], params: StudyParams, seed: int) -> Plan:
    """Each of these networks compiled into a decision graph and merged for a list of λ."""
    grid = LearnerGrid("pdg.hybrid", {"start": tuple(networks)}, HYBRID)
    return Plan((grid,), seeds=(seed,), time_limit=params.run_limit, title=own.title)


def to_compile(points: Sequence[CurvePoint], most_cells: int) -> list[CurvePoint]:
    """The networks among the points that are small enough, one for each size."""
    fit = [p for p in points if p.series == BN and p.effective_size <= most_cells]
    best = {p.effective_size: p for p in sorted(fit, key=lambda p: p.train_log2_likelihood_per_row)}
    return [best[size] for size in sorted(best)]


def to_ask(points: Sequence[CurvePoint], most_cells: int, count: int) -> list[CurvePoint]:
    """Models of one curve, from small to large, with the best one on the test rows."""
    fit = sorted(
        (p for p in points if p.effective_size <= most_cells), key=lambda p: p.effective_size
    )
    if len(fit) <= count:
        return fit
    places = {round(place) for place in np.linspace(0, len(fit) - 1, count)}
    places.add(max(range(len(fit)), key=lambda i: fit[i].test_log2_likelihood_per_row))
    return [fit[place] for place in sorted(places)]


def _lists(own: StudySet, key: str, **values: object) -> dict[str, tuple[object, ...]]:
    """One value for each parameter, as a grid has them."""
    return {name: (value,) for name, value in (values | dict(own.settings.get(key, {}))).items()}


STUDIES = {
    study.key: study
    for study in (
        Study(
            "real",
            "Four languages on real rows",
            "Nielsen 2007, tables 5.5–5.10",
            "Networks, latent classes, decision graphs and compiled networks on seven data sets.",
            REAL_SETS,
            "about an hour",
        ),
        Study(
            "made",
            "Four languages on made rows",
            "Nielsen 2007, tables 5.1–5.4 and 5.11",
            "The same on rows of nine known models.",
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
