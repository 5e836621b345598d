"""The data sets of the studies of SL-curves: real, synthetic, and those of the article."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import stacked
from pgmstudio.core.experiments.generators.random_models import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.core.experiments.generators.textbook import LogicParams, logic1, logic2, logic3
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.scores.row_means import mean_of
from pgmstudio.studies.alarm import ALARM_FILE
from pgmstudio.studies.measures import drawn_parts
from pgmstudio.studies.nb_real import SETS, both_parts
from pgmstudio.studies.nb_synthetic import HAILFINDER_FILE, true_classes
from pgmstudio.studies.pdg_table import RANDOM
from pgmstudio.studies.recipe import Source

# Numbers of training and test rows of synthetic data.
Counts = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Truth:
    """The true model of synthetic data: its effective size, training and test bits per row."""

    size: float
    train: float
    test: float


@dataclass(frozen=True, eq=False)
class StudyRows:
    """The rows of one data set, and the true model if it is known."""

    rows: PlanRows
    truth: Truth | None = None


Draw = Callable[[Mapping[str, Any], Counts, np.random.Generator], StudyRows]


@dataclass(frozen=True, eq=False)
class StudySet:
    """A data set of a study; `settings` are special settings by learner.

    `is_of_thesis` is whether the thesis has it, discretised and split in this way.
    """

    name: str
    title: str
    draw: Draw
    sources: tuple[Source, ...] = ()
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    is_of_thesis: bool = True


# -- table 5.5: real rows --------------------------------------------------------------------------


def _real(name: str) -> StudySet:
    def draw(sources: Mapping[str, Any], counts: Counts, rng: np.random.Generator) -> StudyRows:
        return StudyRows(PlanRows(*both_parts(name, sources[name], rng)))

    return StudySet(name, SETS[name].title, draw, (SETS[name].source,))


REAL_SETS = tuple(map(_real, SETS))


# -- tables 5.1–5.3: synthetic data ----------------------------------------------------------------


def _drawn(
    make: Callable[[Mapping[str, Any], np.random.Generator], ProbabilisticModel],
) -> Draw:
    def draw(sources: Mapping[str, Any], counts: Counts, rng: np.random.Generator) -> StudyRows:
        model = make(sources, rng)
        train, test = (model.sample(count, rng) for count in counts)
        bits = [mean_of(row_log2(model, part), part.weights).value for part in (train, test)]
        truth = Truth(float(model.effective_size()), *bits)
        return StudyRows(PlanRows(train, test, reference=model), truth)

    return draw


def _network(source: Source, title: str) -> StudySet:
    return StudySet(source.name, title, _drawn(lambda sources, _: sources[source.name]), (source,))


def _classes(name: str, title: str, count: int) -> StudySet:
    return StudySet(name, title, _drawn(lambda _, rng: true_classes(count, rng)))


def _random_graph(name: str, title: str) -> StudySet:
    variables, size = RANDOM[name]
    params = RandomPdgParams(variables=variables, size=size)
    return StudySet(name, title, _drawn(lambda _, rng: random_decision_graph(params, rng)))


def _logic(
    name: str,
    title: str,
    make: Callable[[LogicParams, np.random.Generator, int], DataSet],
    size: int,
    entropy: float,
) -> StudySet:
    def draw(sources: Mapping[str, Any], counts: Counts, rng: np.random.Generator) -> StudyRows:
        parts = [make(LogicParams(), rng, count) for count in counts]
        return StudyRows(PlanRows(parts[0], parts[1]), Truth(size, -entropy, -entropy))

    # Pairs of parity bits are independent, so only a test at a level near 1 joins them; and rows
    # that violate the definitions stay impossible.
    settings: dict[str, dict[str, object]] = {
        "pdg.learn": {"levels": tuple(float(v) for v in np.geomspace(1e-6, 0.999, 8))},
        "nb.latent": {"smoothing": 0.0},
    }
    return StudySet(name, title, draw, settings=settings)


MADE_SETS = (
    _logic("logic1", "Logic1", logic1, 44, 4.0),
    _logic("logic2", "Logic2", logic2, 18, 4.0),
    _logic("logic3", "Logic3", logic3, 40, 7.0),
    _random_graph("rnd15", "Rnd15"),
    _random_graph("rnd20", "Rnd20"),
    _classes("nb10", "NB10", 10),
    _classes("nb20", "NB20", 20),
    _network(ALARM_FILE, "Alarm"),
    _network(HAILFINDER_FILE, "Hailfinder"),
)


# -- the article's table 2: two thirds to learn from, intervals of equal width -------------------

_YEAST = ("mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc")
_FAME = (
    *("Number_seasons", "Games_played", "At_bats", "Runs", "Hits", "Doubles", "Triples"),
    *("Home_runs", "RBIs", "Walks", "Strikeouts", "Batting_average", "On_base_pct"),
    *("Slugging_pct", "Fielding_ave"),
)


def _wide(name: str, path: str, columns: tuple[str, ...]) -> Source:
    return Source(name, path, bins=dict.fromkeys(columns, 5), cut_by="width")


def _thirds(source: Source, title: str) -> StudySet:
    def draw(sources: Mapping[str, Any], counts: Counts, rng: np.random.Generator) -> StudyRows:
        given: DataSet | tuple[DataSet, ...] = sources[source.name]
        every = given if isinstance(given, DataSet) else stacked(given)
        every = every.complete_rows()
        count = 2 * every.row_count // 3
        learn, test = drawn_parts(every, (count, every.row_count - count), rng)
        return StudyRows(PlanRows(learn, test))

    return StudySet(source.name, title, draw, (source,), is_of_thesis=False)


ARTICLE_SETS = (
    _thirds(_wide("yeast", "seeds/yeast.csv", _YEAST), "Yeast"),
    _thirds(_wide("supreme", "seeds/supreme.csv", ("Year_of_decision", "Log_exposure")), "Supreme"),
    _thirds(_wide("hall-of-fame", "seeds/halloffame.csv", _FAME), "Hall of fame"),
    _thirds(_wide("letter", "seeds/letter.csv", tuple(SETS["letter"].source.bins)), "Letter"),
    _thirds(SETS["adult"].source, "Adult"),
)
