"""The models of one run: all that its learner kept where it passes many, else the last.

A learner that goes from model to model (latent classes, decision graphs of many λ, labelled graphs
of many κ) keeps them as it goes; each is a point of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import member_of
from pgmstudio.core.learning.class_scan import ClassScan
from pgmstudio.core.learning.em_steps import fit_observed
from pgmstudio.core.learning.kappa_path import KappaPath
from pgmstudio.core.learning.kes_optima import KesOptima
from pgmstudio.core.learning.pdg_scan import PdgScan
from pgmstudio.core.learning.protocols import Keepsake
from pgmstudio.core.models.protocols import Model


@dataclass(frozen=True, eq=False)
class Harvested:
    """One model of a run; `setting` are parameters that differ from those of the run.

    `is_final` says that more time would not have made it another.
    """

    model: Model
    lambda_: float | None = None
    setting: tuple[tuple[str, object], ...] = ()
    is_final: bool = False


def _of_classes(scan: ClassScan) -> list[Harvested]:
    return [
        Harvested(point.model, setting=(("components", point.classes),), is_final=True)
        for point in scan.points
        if point.model is not None
    ]


def _of_graphs(scan: PdgScan) -> list[Harvested]:
    found = reversed(scan.points)
    return [Harvested(point.model, point.lambda_) for point in found if point.model is not None]


def _of_kappas(path: KappaPath) -> list[Harvested]:
    return [Harvested(point.model, setting=(("kappa", point.kappa),)) for point in path.points]


# Of these kinds the whole run's models are taken; the last model of the run is one of them.
WHOLE: Mapping[str, Callable[[Any], list[Harvested]]] = {
    PdgScan.kind: _of_graphs,
    KappaPath.kind: _of_kappas,
}
# Of these kinds a model is final as soon as it is kept, so that it can be told at once.
GROWING: Mapping[str, Callable[[Any], list[Harvested]]] = {ClassScan.kind: _of_classes}


class Harvest:
    """Takes what a run keeps, and gives its models in an order that is the same every time."""

    def __init__(self, data: DataSet, params: Any, seed: int, optima: int) -> None:
        self._data, self._params, self._seed, self._optima = data, params, seed, optima
        self._kept: dict[str, Keepsake] = {}
        self._told: list[Model] = []

    def keep(self, keepsake: Keepsake) -> Iterator[Harvested]:
        """Remember it; models that can be told at once come out."""
        self._kept[keepsake.kind] = keepsake
        if keepsake.kind in GROWING:
            found = GROWING[keepsake.kind](keepsake)[len(self._told) :]
            self._told += [one.model for one in found]
            yield from found

    @property
    def has_curve(self) -> bool:
        """Whether it has models of many λ or κ by now, each of them a result."""
        return any(kind in self._kept for kind in WHOLE)

    def so_far(self, last: Model) -> list[Harvested]:
        """What `rest` would begin with if the run ended now with that model."""
        for kind, models in WHOLE.items():
            if kind in self._kept and (found := models(self._kept[kind])):
                return found
        is_told = any(model is last for model in self._told)  # the best of those that were
        return [] if is_told else [Harvested(last)]

    def rest(self, last: Model) -> Iterator[Harvested]:
        """The models that were not told on the way, `last` among them."""
        found = self.so_far(last)
        yield from found
        optima = self._kept.get(KesOptima.kind)
        if found and self._optima > 1 and isinstance(optima, KesOptima):
            yield from self._others(optima)

    def _others(self, optima: KesOptima) -> Iterator[Harvested]:
        """Local optima beside the best, with tables as the learner fills them."""
        for place, optimum in enumerate(optima.optima[1 : self._optima], start=2):
            fitted = fit_observed(
                self._data,
                member_of(optimum.cpdag),
                self._params.smoothing,
                self._params.missing,
                rng=np.random.default_rng(self._seed),
            )
            yield Harvested(fitted.network, setting=(("optimum", place),))
