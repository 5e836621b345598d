"""Comparison of models without probabilities: what each adds to the rows, and its sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.errors import DataError
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.registry import a_kind, kind_noun, language_of, scale_of
from pgmstudio.core.model import Model, ProbabilisticModel


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
    refusal = scale_refusal(models)
    if refusal is not None:
        raise DataError(refusal)
    refuse_unlike(models, data)
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


def refuse_unlike(
    models: Mapping[str, Model], data: DataSet, *, need_probabilities: bool = False
) -> None:
    """DataError with all problems unless the models have the same variables, which the data have
    too, and there are rows."""
    if not models:
        raise DataError("There is no model to compare.")
    if data.row_count == 0:
        raise DataError("There are no rows to compare the models on.")
    first = next(iter(models))
    problems = []
    for name, model in models.items():
        own = {*model.domain.names}
        if need_probabilities and not isinstance(model, ProbabilisticModel):
            problems.append(f"{name} ({kind_noun(model.kind)}) gives rows no probability.")
        if absent := sorted(own - {*data.domain.names}):
            problems.append(f"{name} needs {', '.join(absent)}, which the data do not have.")
        if unlike := sorted(own ^ {*models[first].domain.names}):
            problems.append(f"{name} and {first} differ in {', '.join(unlike)}.")
    if problems:
        what = "distributions" if need_probabilities else "models"
        raise DataError(" ".join([*problems, f"Compare {what} over the same variables."]))
