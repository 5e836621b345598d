"""Experiments from Python: models compared on rows, SL-curves and bootstraps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.api.answers import Drawing, Table
from pgmstudio.api.checks import check_mapping, check_whole, keys_of
from pgmstudio.api.data import TableLike, read_data, rows_for
from pgmstudio.api.learning import task_of
from pgmstudio.api.models import Fitted
from pgmstudio.core.analysis.fit_comparison import FitComparison, compare_fit
from pgmstudio.core.analysis.model_averaging import EQUAL, POSTERIOR, average_models
from pgmstudio.core.analysis.model_comparison import Comparison, likelihood_of
from pgmstudio.core.analysis.model_comparison import compare as compare_models
from pgmstudio.core.drawing.svg.sl_plot import curve_svg
from pgmstudio.core.errors import DataError, ParameterError
from pgmstudio.core.execution.events import NEVER, Progress
from pgmstudio.core.experiments.bootstrap import (
    BootstrapParams,
    BootstrapPlan,
    Counted,
    processes_for,
)
from pgmstudio.core.experiments.bootstrap import bootstrap as run_bootstrap
from pgmstudio.core.experiments.cross_validation import (
    DEFAULT_FOLDS,
    CrossValidation,
    CrossValidationPlan,
    named_once,
)
from pgmstudio.core.experiments.sl_curves.curve import SIZE_TITLES, CurvePlan, curve_plot
from pgmstudio.core.experiments.sl_curves.curve import sl_curve as run_curve
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, SizeName
from pgmstudio.core.experiments.sl_curves.selection import best_on_test, pareto_front
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.model import Model
from pgmstudio.core.params import parse_params


def compare(models: Mapping[str, Fitted], data: TableLike, *, scores: bool = False) -> Table:
    """Bits per row of several models on the same rows, and which differences are significant.

    `difference` is to the best model, `low` and `high` its 95 % interval, paired over rows. With
    `scores` also BIC, AIC and, experimental, BIC with the effective size in place of the
    parameters, in bits over all rows. Of relational or possibilistic networks: the tuples or
    degrees that each adds to the rows.

    >>> from pgmstudio.api.data import sample_path
    >>> from pgmstudio.api.learning import learn
    >>> rows = sample_path("coronary.csv")
    >>> tree, free = learn("tree.chow-liu", rows), learn("bn.hill-climb", rows, max_parents=0)
    >>> [row["verdict"] for row in compare({"tree": tree, "independent": free}, rows)]
    ['best', 'worse']
    """
    if not models:
        raise DataError("There is nothing to compare; give at least one model.")
    check_mapping('{"tree": tree, "kes": kes}', models=models)
    plain = _models_in(models)
    rows = rows_for(next(iter(plain.values())).domain, data)
    if any(no_likelihood_reason(model.kind) for model in plain.values()):
        return _fit_table(compare_fit(plain, rows))
    return _comparison_table(compare_models(plain, rows), "model", scores=scores)


def _models_in(fitted: Mapping[str, Fitted]) -> dict[str, Model]:
    """The models; ParameterError names what is none."""
    wrong = next((name for name, one in fitted.items() if not isinstance(one, Fitted)), None)
    if wrong is not None:
        raise ParameterError({f"models, {wrong}": "is not a model; pgm.load reads one from a file"})
    return {name: one.model for name, one in fitted.items()}


def average(
    models: Sequence[Fitted] | Mapping[str, Fitted],
    data: TableLike | None = None,
    *,
    weights: str | Sequence[float] | None = None,
) -> Fitted:
    """The average Σ Q(x) Pr[Q | D] of trees, latent class models and mixtures of trees over the
    same variables: a mixture of all their trees.

    `weights`: "posterior" (as BIC approximates it; for the rows the models were learned from; the
    default with `data`), "likelihood" (for rows they were not learned from), "equal" (the default
    without `data`), or a number for each model. `measures` holds the weights.

    >>> from pgmstudio.api.data import sample_path
    >>> from pgmstudio.api.learning import learn
    >>> rows = sample_path("coronary.csv")
    >>> tree, classes = learn("tree.chow-liu", rows), learn("nb.latent", rows, components=2)
    >>> average([tree, classes], weights=[3, 1])
    Mixture of trees with 6 variables and 25 free parameters
    """
    if not isinstance(models, Mapping):
        models = {str(number): fitted for number, fitted in enumerate(models, start=1)}
    plain = _models_in(models)
    first = next(iter(plain.values()), None)
    rows = None if data is None or first is None else rows_for(first.domain, data)
    result = average_models(
        plain,
        rows,
        weights if weights is not None else EQUAL if data is None else POSTERIOR,
    )
    measures = {f"weight_{name}": weight for name, weight in result.weights.items()}
    if rows is not None:
        measures["log2_likelihood_per_row"] = likelihood_of(result.model, rows).per_row
    return Fitted(result.model, measures)


def _comparison_table(comparison: Comparison, what: str, *, scores: bool = False) -> Table:
    names = ("bic", "aic", "bic_effective") if scores else ()
    return Table.of(
        [
            {
                what: one.name,
                "language": one.kind,
                "bits_per_row": one.log2_likelihood_per_row,
                "standard_error": one.standard_error,
                "difference": one.difference,
                "low": None if one.interval is None else one.interval[0],
                "high": None if one.interval is None else one.interval[1],
                "parameters": one.representation_size,
                "effective_size": one.effective_size,
                **{name: getattr(one, name) for name in names},
                "verdict": one.verdict,
            }
            for one in comparison.models
        ]
    )


def _fit_table(comparison: FitComparison) -> Table:
    return Table.of(
        [
            {
                "model": one.name,
                "language": one.kind,
                **{name: one.measures.get(name) for name in comparison.measure_names},
                "parameters": one.representation_size,
                "effective_size": one.effective_size,
                "verdict": "best" if one.is_best else "",
            }
            for one in comparison.models
        ]
    )


def cross_validate(
    learners: str | Sequence[str] | Mapping[str, Mapping[str, Any]],
    data: TableLike,
    *,
    folds: int = DEFAULT_FOLDS,
    seed: int = 0,
    jobs: int | None = None,
) -> Table:
    """Learners compared on rows that none of their models was learned from.

    All learners have the same folds. A mapping gives the parameters of each learner. The columns
    are those of `compare`; the intervals allow for the common training rows of the folds.
    """
    if not isinstance(learners, Mapping):
        learners = {key: {} for key in keys_of(learners)}
    rows = read_data(data).dataset
    tasks = [task_of(key, rows, seed, dict(params)) for key, params in learners.items()]
    plan = CrossValidationPlan(
        named_once((task.learner_key, task.params) for task in tasks), rows, folds, seed, jobs
    )
    result = CrossValidation(plan)
    for event in plan(NEVER):
        if not isinstance(event, Progress):
            result.take(event)
    comparison = result.comparison()
    if comparison is None:
        raise DataError("No learner found a model in all folds. " + " ".join(result.notes[:3]))
    return _comparison_table(comparison, "learner")


@dataclass(frozen=True, eq=False)
class Curve:
    """The points of SL-curves: the size and the likelihood of many models."""

    points: tuple[CurvePoint, ...]

    @property
    def table(self) -> Table:
        """One row per model, from small to large within each learner."""
        ordered = sorted(self.points, key=lambda p: (p.learner, p.effective_size))
        front = {id(point) for point in pareto_front(self.points)}
        return Table.of(
            [
                {
                    "learner": p.learner,
                    "lambda": p.lambda_,
                    "effective_size": p.effective_size,
                    "parameters": p.representation_size,
                    "train_bits": p.train_log2_likelihood_per_row,
                    "test_bits": p.test_log2_likelihood_per_row,
                    "on_front": id(p) in front,
                }
                for p in ordered
            ]
        )

    @property
    def best(self) -> Fitted:
        """The model with the highest likelihood of the test rows."""
        point = best_on_test(self.points)
        if point is None or point.model is None:
            raise DataError("No point has a likelihood of test rows.")
        return Fitted(point.model)

    def plot(
        self, *, theme: str = "light", title: str = "", size: SizeName = "effective_size"
    ) -> Drawing:
        """Size against likelihood, as in the window.

        `size` is what is counted: `"effective_size"`; `"size_as_printed"` and
        `"size_by_definition"`, which count latent classes as the tables and as eq. 3.59 of
        Nielsen (2007); or `"representation_size"`, the free parameters.
        """
        if size not in SIZE_TITLES:
            raise ParameterError({"size": f"{size!r} is not one of {', '.join(SIZE_TITLES)}"})
        return Drawing(curve_svg(curve_plot(self.points, title=title, size=size), theme=theme))

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def __repr__(self) -> str:
        return repr(self.table)


def sl_curve(
    learners: str | Sequence[str],
    data: TableLike,
    *,
    test: TableLike | None = None,
    test_share: float = 0.1,
    lambdas: Sequence[float] = (),
    seed: int = 0,
) -> Curve:
    """Learn many models and compare their size and likelihood.

    `lambdas` are penalties between 0 and 1 for learners that have one; without `test`, the share
    `test_share` of the rows is held out.
    """
    check_whole(0, seed=seed)
    rows = read_data(data).dataset
    held_out = None if test is None else rows_for(rows.domain, test)
    plan = CurvePlan.of(
        keys_of(learners), lambdas=tuple(lambdas), seeds=(seed,), test_share=test_share
    )
    events = run_curve(plan, rows, held_out, rng=np.random.default_rng(seed), cancel=NEVER)
    return Curve(tuple(event for event in events if isinstance(event, CurvePoint)))


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How often each edge was found in bootstrap samples."""

    frequencies: EdgeFrequencies
    plan: BootstrapPlan

    @property
    def table(self) -> Table:
        """One row per edge, the most frequent first."""
        head, rows = self.frequencies.table()
        return Table(head, tuple(rows))

    def averaged(self) -> Fitted:
        """The model of the edges above the threshold."""
        model, measures = self.plan.averaged(self.frequencies)
        return Fitted(model, measures)

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def bootstrap(
    learner: str,
    data: TableLike,
    *,
    replicates: int = 200,
    threshold: float = 0.5,
    seed: int = 0,
    jobs: int | None = None,
    **params: Any,
) -> Bootstrap:
    """Learn from data sets drawn from the rows, and count the edges."""
    task = task_of(learner, data, seed, params)
    given = {"replicates": replicates, "threshold": threshold}
    settings = parse_params(BootstrapParams, given)
    workers = jobs or processes_for(task.data, replicates)
    plan = BootstrapPlan(task.learner_key, task.data, task.params, seed, settings, workers)
    result: EdgeFrequencies | None = None
    for event in run_bootstrap(plan, cancel=NEVER):
        if isinstance(event, Counted):
            result = event.frequencies
    assert result is not None, "at least one replicate"
    return Bootstrap(result, plan)
