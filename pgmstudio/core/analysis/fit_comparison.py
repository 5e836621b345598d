"""Comparison of models without probabilities: what each adds to the rows, and its sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.errors import DataError
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.registry import a_kind, language_of, scale_of
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model, how it agrees with the rows, and its sizes."""

    name: str
    kind: str
    measures: Mapping[str, float]
    representation_size: int
    effective_size: int
    is_best: bool

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            **self.measures,
            "representation_size": self.representation_size,
            "effective_size": self.effective_size,
            "is_best": self.is_best,
        }


@dataclass(frozen=True, slots=True)
class FitComparison:
    """Models of one scale in the order given."""

    rows: int
    scale: Scale
    size_title: str
    models: tuple[FittedModel, ...]

    @property
    def measure_names(self) -> tuple[str, ...]:
        """The measures that any of the models has."""
        return tuple(dict.fromkeys(name for one in self.models for name in one.measures))


def fit_of(model: Model, data: DataSet) -> dict[str, float]:
    """How a model without probabilities agrees with rows; DataError if its language has no measure
    for it."""
    measures = language_of(model).fit_measures
    if measures is None:
        raise DataError(f"{a_kind(model.kind, 'A')} cannot be compared with rows.")
    result: dict[str, float] = measures.load()(model, fitted_to(data, model.domain))
    return result


def best_fits(measured: Mapping[str, tuple[Model, Mapping[str, float]]]) -> frozenset[str]:
    """The models whose measures are smallest, by the order of their language, then by size."""

    def rank(name: str) -> tuple[float, ...]:
        model, measures = measured[name]
        order = language_of(model).fit_order
        # Sums of degrees differ in their last digits.
        return *(round(abs(measures[key]), 9) for key in order), model.representation_size()

    known = [
        name
        for name, (model, measures) in measured.items()
        if set(language_of(model).fit_order) <= set(measures)
    ]
    best = min(map(rank, known), default=())
    return frozenset(name for name in known if rank(name) == best)


def scale_refusal(models: Mapping[str, Model]) -> str | None:
    """Why models cannot be compared: some state what is possible, others how probable it is."""
    by_scale = {scale_of(model.kind): name for name, model in models.items()}
    if len(by_scale) < 2:
        return None
    named = [f"{name} is {a_kind(models[name].kind)}" for name in by_scale.values()]
    return (
        f"{', '.join(named)}: possible tuples, degrees of possibility and probabilities cannot be "
        "compared. Choose models of one scale."
    )


def compare_fit(models: Mapping[str, Model], data: DataSet) -> FitComparison:
    """What each model adds to the rows. DataError where scales or variables differ."""
    if not models:
        raise DataError("There is no model to compare.")
    if data.row_count == 0:
        raise DataError("There are no rows to compare the models on.")
    refusal = scale_refusal(models)
    if refusal is not None:
        raise DataError(refusal)
    _refuse_other_variables(models, data)
    first = language_of(next(iter(models.values())))
    measured = {name: (model, fit_of(model, data)) for name, model in models.items()}
    best = best_fits(measured)
    fitted = tuple(
        FittedModel(
            name,
            model.kind,
            measures,
            model.representation_size(),
            model.effective_size(),
            name in best,
        )
        for name, (model, measures) in measured.items()
    )
    return FitComparison(data.row_count, first.scale, first.size_title, fitted)


def _refuse_other_variables(models: Mapping[str, Model], data: DataSet) -> None:
    first, *others = models
    problems = [
        f"{name} needs {', '.join(absent)}, which the data do not have."
        for name, model in models.items()
        if (absent := _without(model.domain.names, data.domain.names))
    ]
    names = set(models[first].domain.names)
    problems += [
        f"{name} and {first} differ in {', '.join(unlike)}."
        for name in others
        if (unlike := sorted(names ^ set(models[name].domain.names)))
    ]
    if problems:
        raise DataError(" ".join([*problems, "Compare models over the same variables."]))


def _without(names: Iterable[str], known: Iterable[str]) -> list[str]:
    return sorted(set(names) - set(known))
