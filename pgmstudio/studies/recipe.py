"""Recipes: published experiments that are run again and compared with the published values.

A recipe's `run` yields progress, notes and the measured values of each trial. The table has the
mean over the trials so far beside the published value, so a stopped recipe has a table too.
"""

from __future__ import annotations

import math
import statistics
import tomllib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, TypeVar, cast

import numpy as np

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, RunFailedError
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.experiments.sl_curves.sweep import Curves, Sweep, lines_of
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.tree_mixture.learning.learner import MixtureSearch
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.learning.base import ArtifactSaved, Finished, RunArtifact
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.params import param, parse_params

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A row of the table; `spread` is the published ±, `note` is about the value."""

    key: str
    title: str
    published: float | None = None
    spread: float | None = None
    digits: int = 2
    note: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a recipe: its path in the data folder (`.gz` may follow) and how it is read."""

    name: str
    path: str
    test_path: str | None = None  # a second file over the same columns, with the test rows
    bins: Mapping[str, int] = field(default_factory=dict)  # intervals, by column
    all_bins: int | None = None  # intervals of all columns of many numbers
    cut_by: str = "frequency"  # the method of both
    missing_as_state: bool = False
    as_states: tuple[str, ...] = ()  # columns of many numbers that are not discretised

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,) if self.test_path is None else (self.path, self.test_path)

    @property
    def is_network(self) -> bool:
        return self.path.endswith(".bif")


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured values of a trial or of a part of it; `model` and `rows` can be opened."""

    trial: int
    values: Mapping[str, float]
    model: Model | None = None
    rows: DataSet | None = None
    name: str = ""  # of this model, if the trial has several
    part: int = 0  # number of the part of the recipe


@dataclass(frozen=True, slots=True)
class Part:
    """What is run apart: a trial, of one of the data sets where they do not depend on each other.

    The trial is None where the recipe has no such parts.
    """

    trial: int | None = None
    name: str | None = None


RecipeEvent = Progress | Note | Measured


Learning = Generator[Progress, None, ProbabilisticModel]


class RecipeContext:
    """What a recipe runs with: settings, data, random numbers, and learners with progress."""

    def __init__(
        self,
        params: Any,
        seed: int,
        sources: Mapping[str, Any],
        cancel: CancelToken,
        part: Part | None = None,
        parts: int = 1,
    ) -> None:
        """`part` is one of so many `parts`; without it all are run."""
        self.params = params
        self.seed = seed
        self.sources = sources  # data sets, pairs of them and networks, by name
        self.cancel = cancel
        self._part, self._parts = part or Part(), parts
        self.artifacts: dict[str, RunArtifact] = {}  # of the last model, by kind
        self.measures: Mapping[str, float] = {}  # of the last model
        self._expected = 1.0
        self._done = 0

    def rng(self, *key: int) -> np.random.Generator:
        """Random numbers of one trial, independent of other trials."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    @property
    def trial_numbers(self) -> Sequence[int]:
        """The trials to run."""
        trial = self._part.trial
        return range(self.params.trials) if trial is None else range(trial, trial + 1)

    @property
    def has_first_trial(self) -> bool:
        """Whether to report what is the same for all trials: one part does it for all."""
        return 0 in self.trial_numbers

    def trials(self, names: Collection[str]) -> Iterator[tuple[int, str, np.random.Generator]]:
        """Each trial of each selected data set, with its random numbers."""
        order = list(names)
        for trial in self.trial_numbers:
            for name in selected_names(self._part.name or self.params.only, names):
                yield trial, name, self.rng(trial, order.index(name))

    def expect_models(self, count: int) -> None:
        """Set the number of models of all parts, which progress is measured against."""
        self._expected = max(1.0, count / self._parts)

    def advance(self, message: str) -> Progress:
        """Count an expected step that is not a model."""
        self._done += 1
        return Progress(self._done / self._expected, message)

    def skip_model(self) -> None:
        """Count an expected model that is not learned."""
        self._done += 1

    def learn(
        self, message: str, key: str, data: DataSet, rng: np.random.Generator, **settings: object
    ) -> Learning:
        """Learn a model; its progress is shown under `message`."""
        learner = learner_of(key)
        params: Any = parse_params(learner.params_type, settings)
        return (
            yield from self._learn(message, learner.run(data, params, rng=rng, cancel=self.cancel))
        )

    def learn_model(
        self,
        model_type: type[M],
        message: str,
        key: str,
        data: DataSet,
        rng: np.random.Generator,
        **settings: object,
    ) -> Generator[RecipeEvent, None, M]:
        """The same for a learner whose models are of this type."""
        model = yield from self.learn(message, key, data, rng, **settings)
        assert isinstance(model, model_type)
        return model

    def learn_mixture(
        self,
        message: str,
        data: DataSet,
        valid: DataSet,
        rng: np.random.Generator,
        params: MixtureParams,
    ) -> Learning:
        """Learn a mixture of trees; EM stops when the likelihood of `valid` stops rising."""
        search = MixtureSearch(
            data, params, is_shared=False, rng=rng, cancel=self.cancel, held=valid
        )
        return (yield from self._learn(message, search.run()))

    def _learn(self, message: str, events: Iterable[Any]) -> Learning:
        fraction = self._done / self._expected
        self.artifacts = {}
        yield Progress(fraction, message)
        model: ProbabilisticModel | None = None
        for event in events:
            self.cancel.raise_if_cancelled()
            if isinstance(event, Progress):
                yield Progress(fraction, message, event.counters)
            elif isinstance(event, ArtifactSaved):
                self.artifacts[event.artifact.kind] = event.artifact
            elif isinstance(event, Finished):
                model = cast(ProbabilisticModel, event.model)
                self.measures = event.measures
        if model is None:
            raise RunFailedError(f"{message}: the learner ended without a model.")
        self._done += 1
        yield Progress(self._done / self._expected, message)
        return model


def selected_names(only: str | None, known: Iterable[str]) -> list[str]:
    """The names in the setting `only`, or all; ParameterError lists the known ones."""
    names = list(known)
    if only is None:
        return names
    selected = [name.strip() for name in only.split(",") if name.strip()]
    if not selected or any(name not in names for name in selected):
        raise ParameterError({"only": f"there are {', '.join(names)}"})
    return selected


def trials_param(count: int) -> Any:
    """The setting `trials`; its default is the published number."""
    return param(count, title="Trials", low=1, high=1000, help="Repetitions of the experiment.")


def only_param(help: str = "Names of the data sets, separated by commas.") -> Any:
    """The setting `only`: the data sets to use."""
    return param(None, title="Only", none_label="all", help=help)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A published experiment; `why` lists reasons for differences from the published values."""

    key: str
    title: str
    place: str  # section or table of the publication
    help: str
    params_type: type
    quantities: tuple[Quantity, ...]
    run: Callable[[RecipeContext], Iterator[RecipeEvent]]
    takes: str  # typical duration with the default settings
    sources: tuple[Source, ...] = ()
    why: tuple[str, ...] = ()
    curves: Curves | None = None  # which quantities are drawn as curves
    small: Mapping[str, str] = field(default_factory=dict)  # settings of a run of seconds
    names: tuple[str, ...] = ()  # of data sets that are run apart, each with its random numbers
    has_parts: bool = True  # whether trials can be run apart
    is_timed: bool = False  # whether it measures seconds, so that nothing else should run

    def parts(self, params: Any) -> tuple[Part, ...]:
        """What is run with these settings, in order."""
        if not self.has_parts:
            return (Part(),)
        names = selected_names(params.only, self.names) if self.names else (None,)
        return tuple(Part(trial, name) for trial in range(params.trials) for name in names)

    def published(self, key: str) -> float:
        """The published value of a quantity."""
        value = next(quantity.published for quantity in self.quantities if quantity.key == key)
        assert value is not None
        return value


def load_recipe(
    key: str,
    params_type: type,
    run: Callable[[RecipeContext], Iterator[RecipeEvent]],
    *,
    sources: tuple[Source, ...] = (),
    quantities: tuple[Quantity, ...] | None = None,
    curves: Curves | None = None,
    names: Iterable[str] = (),
    has_parts: bool = True,
    is_timed: bool = False,
) -> Recipe:
    """A recipe with the texts and published values of `published/KEY.toml`."""
    text = (files("pgmstudio.studies") / "published" / f"{key}.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    if quantities is None:
        quantities = tuple(Quantity(**entry) for entry in document.get("quantities", ()))
    return Recipe(
        key=key,
        title=document["title"],
        place=document["place"],
        help=document["help"],
        params_type=params_type,
        quantities=quantities,
        run=run,
        takes=document["takes"],
        sources=sources,
        why=tuple(document["why"]),
        curves=curves,
        small=document["small"],
        names=tuple(names),
        has_parts=has_parts,
        is_timed=is_timed,
    )


def in_order(measured: Iterable[Measured]) -> list[Measured]:
    """Parts that run at the same time end in any order."""
    return sorted(measured, key=lambda event: event.part)


def sweep_of(recipe: Recipe, measured: Sequence[Measured]) -> Sweep | None:
    """The published and obtained curves of a recipe over the trials so far, if it has any."""
    curves = recipe.curves
    if curves is None:
        return None
    obtained = (
        (key, float(value)) for event in in_order(measured) for key, value in event.values.items()
    )
    published = (
        (quantity.key, quantity.published)
        for quantity in recipe.quantities
        if quantity.published is not None
    )
    points = [
        (f"{position[0]}{suffix}", position[1], value)
        for source, suffix in ((obtained, ""), (published, ", published"))
        for key, value in source
        if (position := curves.place_of(key)) is not None
    ]
    lines = lines_of(points)
    axes = (curves.x_title, curves.y_title)
    return Sweep(recipe.title, *axes, lines, curves.is_log, curves.is_log_up)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A quantity, published and obtained; `spread` is the standard deviation over the trials."""

    quantity: Quantity
    obtained: float | None
    spread: float | None
    trials: int

    @property
    def difference(self) -> float | None:
        """Obtained minus published."""
        if self.obtained is None or self.quantity.published is None:
            return None
        return self.obtained - self.quantity.published


def table_of(recipe: Recipe, measured: Sequence[Measured]) -> tuple[TableRow, ...]:
    """The table over the trials so far; undeclared quantities come last."""
    measured_values: dict[str, list[float]] = {quantity.key: [] for quantity in recipe.quantities}
    for event in in_order(measured):
        for key, value in event.values.items():
            if not math.isnan(value):
                measured_values.setdefault(key, []).append(float(value))
    declared = {quantity.key: quantity for quantity in recipe.quantities}
    rows = []
    for key, values in measured_values.items():
        quantity = declared.get(key, Quantity(key, key))
        mean = statistics.fmean(values) if values else None
        spread = None
        if len(values) > 1 and all(map(math.isfinite, values)):
            spread = statistics.stdev(values)
        rows.append(TableRow(quantity, mean, spread, len(values)))
    return tuple(rows)


def without_curve_points(recipe: Recipe, rows: Iterable[TableRow]) -> tuple[TableRow, ...]:
    """The rows for people: points of curves are in the plot and in the file, unless declared."""
    curves, declared = recipe.curves, set(recipe.quantities)
    if curves is None or not declared:
        return tuple(rows)
    return tuple(
        row for row in rows if row.quantity in declared or curves.place_of(row.quantity.key) is None
    )


CSV_HEADER = (
    "quantity",
    "published",
    "published_sd",
    "obtained",
    "sd",
    "difference",
    "trials",
    "note",
)


def table_csv(rows: Sequence[TableRow]) -> str:
    """The table as CSV, with all digits."""
    lines: list[Sequence[object]] = [CSV_HEADER]
    for row in rows:
        quantity = row.quantity
        cells = [quantity.published, quantity.spread, row.obtained, row.spread, row.difference]
        numbers = ["" if cell is None else repr(float(cell)) for cell in cells]
        lines.append([quantity.title, *numbers, row.trials, quantity.note])
    return csv_text(lines)
