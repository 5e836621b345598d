"""A recipe: an experiment of a source with its settings, its data and its published table.

`run` yields progress, notes, and what each trial measured; the table is the mean over the trials
so far beside the published value, so a recipe that is stopped keeps what it has.
"""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.experiments.sl_curves.sweep import Curves, Sweep, lines_of
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class Quantity:
    """A row of the table; `spread` is the published ± and `note` what is known of the value."""

    key: str
    title: str
    published: float | None = None
    spread: float | None = None
    digits: int = 2
    note: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that a recipe reads, by its path in the folder of data sets; `.gz` may follow it."""

    name: str
    path: str
    test_path: str | None = None  # a second file over the same columns, with the test rows
    bins: Mapping[str, int] = field(default_factory=dict)  # intervals, by column
    all_bins: int | None = None  # equally frequent ones, for every column of many numbers
    cut_by: str = "frequency"  # how `bins` are cut: equally frequent, or of equal "width"
    missing_as_state: bool = False
    as_states: tuple[str, ...] = ()  # columns of many numbers that are states all the same

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,) if self.test_path is None else (self.path, self.test_path)

    @property
    def is_network(self) -> bool:
        return self.path.endswith(".bif")


@dataclass(frozen=True, eq=False)
class Measured:
    """What a trial found, or a part of it; `model` and `rows` are there to be opened."""

    trial: int
    values: Mapping[str, float]
    model: Model | None = None
    rows: DataSet | None = None
    name: str = ""  # which of several models of the trial this is


RecipeEvent = Progress | Note | Measured


@dataclass(frozen=True, eq=False)
class RecipeWork:
    """What a recipe is run with."""

    params: Any
    seed: int
    # Data sets, pairs of them and networks, by the names of `Recipe.sources`.
    sources: Mapping[str, Any]
    cancel: CancelToken

    def rng(self, *place: int) -> np.random.Generator:
        """Random numbers of their own for a trial, whatever other trials do."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=place))


@dataclass(frozen=True, slots=True)
class Recipe:
    """One experiment; `why` says, a sentence each, how and why its figures differ."""

    key: str
    title: str
    place: str  # in the source
    help: str
    params_type: type
    quantities: tuple[Quantity, ...]
    run: Callable[[RecipeWork], Iterator[RecipeEvent]]
    takes: str  # about how long, with the usual settings
    sources: tuple[Source, ...] = ()
    why: tuple[str, ...] = ()
    curves: Curves | None = None  # how some of its quantities make lines


def sweep_of(recipe: Recipe, measured: Sequence[Measured]) -> Sweep | None:
    """The lines of a recipe over the trials so far; None for one without lines."""
    curves = recipe.curves
    if curves is None:
        return None
    found = (
        (*place, float(value))
        for event in measured
        for key, value in event.values.items()
        if (place := curves.place_of(key)) is not None
    )
    lines = lines_of(found)
    axes = (curves.x_title, curves.y_title)
    return Sweep(recipe.title, *axes, lines, curves.is_log, curves.is_log_up)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A quantity, published and obtained; `spread` is the sample standard deviation of trials."""

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
    """The table over the trials so far; what was measured beyond the declared rows comes last."""
    found: dict[str, list[float]] = {quantity.key: [] for quantity in recipe.quantities}
    for event in measured:
        for key, value in event.values.items():
            if not math.isnan(value):
                found.setdefault(key, []).append(float(value))
    declared = {quantity.key: quantity for quantity in recipe.quantities}
    rows = []
    for key, values in found.items():
        quantity = declared.get(key, Quantity(key, key))
        mean = statistics.fmean(values) if values else None
        spread = None
        if len(values) > 1 and all(map(math.isfinite, values)):
            spread = statistics.stdev(values)
        rows.append(TableRow(quantity, mean, spread, len(values)))
    return tuple(rows)


CSV_HEAD = (
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
    """The table as comma-separated text; numbers in full, so equal tables are equal bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    for row in rows:
        told = row.quantity
        cells = [told.published, told.spread, row.obtained, row.spread, row.difference]
        numbers = ["" if cell is None else repr(float(cell)) for cell in cells]
        writer.writerow([told.title, *numbers, row.trials, told.note])
    return text.getvalue()


@dataclass(frozen=True, eq=False)
class RecipeTask:
    """A recipe as a task for a child process: the same task gives the same events anywhere."""

    key: str
    params: Any
    seed: int
    sources: Mapping[str, Any]

    def __call__(self, cancel: CancelToken, /) -> Iterator[RecipeEvent]:
        from pgmstudio.studies.registry import recipe_of

        work = RecipeWork(self.params, self.seed, self.sources, cancel)
        for event in recipe_of(self.key).run(work):
            cancel.raise_if_cancelled()
            yield event
