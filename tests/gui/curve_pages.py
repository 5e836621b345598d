"""SL-curves for tests and pictures: made-up points, rows, and places where nothing takes long."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from pytestqt.qtbot import QtBot

from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.generators.textbook import ParityParams, parity
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.run_task import PointWork
from pgmstudio.core.experiments.plans.runner import ExecutorEvent, SerialExecutor
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry, DataEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.curves.page import CurvesPage, open_curves

# Name, family, marks, how high it rises, from and to which size, where the test rows fall.
LANGUAGES = (
    ("LDAG", "ldag", 8, 2.6, (170, 24_000), 4.2),
    ("Bayesian network", "bayesian-network", 9, 2.5, (180, 62_000), 4.8),
    ("Mixture of trees", "tree-mixture", 5, 2.55, (1500, 24_000), 4.0),
    ("PDG", "pdg", 6, 2.3, (240, 7000), 3.2),
    ("Chow–Liu", "tree", 4, 2.5, (100, 760), 4.9),
)


def made_up_points(seeds: int = 1, more: int = 1) -> list[CurvePoint]:
    """Curves as they often are: training rises, test rises and falls; `more` times as many."""
    result = []
    for name, family, count, rise, sizes, peak in LANGUAGES:
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            for index, size in enumerate(np.geomspace(*sizes, count * more)):
                log = math.log10(size)
                train = -18.2 + rise * (1 - math.exp(1.9 - log)) + 0.01 * rng.normal()
                test = train - 0.08 * 10 ** (log - peak)
                result.append(
                    CurvePoint(
                        f"made.{family}",
                        family,
                        round(0.9 - 0.8 * index / (count * more), 4),
                        seed,
                        int(size),
                        int(0.6 * size),
                        train,
                        test,
                        0.03,
                        27_145,
                        2.0 * log,
                        {},
                        key=f"{name}{seed}-{index:03d}",
                        name=name,
                        query_log2=test / 4,
                        inference_seconds=1e-6 * size,
                    )
                )
    return result


def open_points(app: AppContext, points: Sequence[CurvePoint], qtbot: QtBot) -> CurvesPage:
    """The page of these points, drawn."""
    page = show_points(app, points)
    qtbot.waitUntil(lambda: is_drawn(page))
    return page


def show_points(app: AppContext, points: Sequence[CurvePoint]) -> CurvesPage:
    entry = CurveEntry("SL-curves", tuple(point.as_dict() for point in points))
    curve_id = app.project.next_curve_id()
    app.change("Points", partial(edits.add_curve, entry=entry))
    return open_curves(app, curve_id)


def is_drawn(page: CurvesPage) -> bool:
    """Whether the plot and what stands around it show all points."""
    return page.plot.canvas is not None and bool(page.points) and page.is_settled


def add_rows(app: AppContext, rows: int = 120, name: str = "bits") -> str:
    """A small data set of the project; returns its id."""
    data = parity(ParityParams(variables=4), np.random.default_rng(1), rows)
    data_id = app.project.next_data_id()
    app.change("Rows", partial(edits.add_data, entry=DataEntry(name, data)))
    return data_id


@dataclass
class SlowPlace:
    """Runs here; after `most` of them it waits to be stopped. `made` are the keys it was given."""

    most: int | None = None
    made: list[str] = field(default_factory=list)

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        few = works if self.most is None else works[: self.most]
        self.made += [work.key for work in works]
        yield from SerialExecutor().events(rows, few, cancel)
        pause = threading.Event()
        while len(few) < len(works):
            if cancel.is_cancelled:
                raise Cancelled
            pause.wait(0.01)
