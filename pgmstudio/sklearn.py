"""Estimators of scikit-learn, one for each learner of probability models, and a classifier.

>>> import pgmstudio as pgm
>>> rows = pgm.read_data(pgm.sample_path("coronary.csv")).to_pandas()
>>> kes = pgm.sklearn.KES(restarts=2).fit(rows)
>>> kes.model_
Bayesian network with 6 variables, 6 edges and 14 free parameters
>>> round(kes.score(rows), 2)    # bits per row, higher is better
-5.23
>>> tan = pgm.sklearn.Classifier(pgm.sklearn.TAN())
>>> tan.fit(rows.drop(columns="pressure"), rows["pressure"]).classes_.tolist()
['140 or over', 'under 140']

The classes are made from the declarations of the learners when they are first used: `bn.kes` is
`KES`, `tree.chow-liu` is `ChowLiu`, `ldag.greedy` is `LDAGGreedy`; `estimator_type(key)` finds one.
Columns of numbers with more than `bins` distinct values are cut into so many bins, whose edges new
rows share; other columns are states. Missing cells (None, NaN, pandas.NA) are allowed everywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgmstudio.api.data import Data, polars_frame, read_data
from pgmstudio.api.learning import learn
from pgmstudio.api.models import Fitted
from pgmstudio.core.data.dataset import MAX_STATES, DataSet
from pgmstudio.core.data.discretization import number_text
from pgmstudio.core.data.variables import Domain, Variable, clean_name
from pgmstudio.core.errors import DataError, PgmStudioError, UnknownNameError
from pgmstudio.core.io.data.formats.text_sniffing import number_of
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.params import specs_of

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, clone
    from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError(
        "pgmstudio.sklearn needs scikit-learn; install it with: pip install 'pgmstudio[sklearn]'"
    ) from missing

if TYPE_CHECKING:
    import polars

_ACRONYMS = frozenset(
    ("bn", "csi", "em", "kes", "ldag", "mcmc", "mn", "mpl", "nb", "npc", "pc", "pdg", "tan")
)
_UNPREFIXED = ("bn", "tree")
_RENAMED = {"score": "criterion"}  # parameters named as a method of estimators
_COUNT = "rows counted"  # the column of weights while a table is read


@contextmanager
def _value_errors() -> Iterator[None]:
    """Errors of the program as those that scikit-learn expects."""
    try:
        yield
    except PgmStudioError as wrong:
        raise ValueError(str(wrong)) from wrong


# -- rows


@dataclass(frozen=True)
class _Rows:
    """Rows as columns x0, x1, … or with the names of a frame; `declared` are states in order."""

    frame: polars.DataFrame
    declared: dict[str, tuple[str, ...]]

    @property
    def texts(self) -> tuple[str, ...]:
        """Columns that are no numbers."""
        return tuple(n for n, dtype in self.frame.schema.items() if not dtype.is_numeric())


def _rows(estimator: Any, X: Any, *, reset: bool) -> _Rows:
    """The checked rows; what scikit-learn knows of an estimator's columns is set or compared."""
    if isinstance(X, Data | DataSet):
        X = read_data(X).to_polars()
    if hasattr(X, "columns") and hasattr(X, "shape"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        frame, declared = polars_frame(X)
        floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
        numbers = frame.select(floats).to_numpy() if floats else np.empty((frame.height, 0))
        check_array(numbers, ensure_all_finite="allow-nan", ensure_min_features=0)
    else:
        array = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        frame, declared = _array_frame(array), {}
    names = getattr(estimator, "feature_names_in_", [f"x{n}" for n in range(frame.width)])
    named = dict(zip(frame.columns, map(str, names), strict=True))
    return _Rows(frame.rename(named), {named[name]: states for name, states in declared.items()})


def _array_frame(array: NDArray[Any]) -> polars.DataFrame:
    import polars

    columns = []
    for number, cells in enumerate(array.T):
        name = str(number)
        if cells.dtype.kind in "iuf":
            columns.append(polars.Series(name, np.asarray(cells)).fill_nan(None))
            continue
        plain = [None if cell is None or cell != cell else cell for cell in cells.tolist()]
        if any(cell is not None and type(cell) not in (int, float) for cell in plain):
            texts = [None if cell is None else str(cell) for cell in plain]
            columns.append(polars.Series(name, texts, polars.String))
        else:
            columns.append(polars.Series(name, plain, polars.Float64))
    return polars.DataFrame(columns)


def _data(
    rows: _Rows,
    bins: int | None,
    binning: str,
    weights: NDArray[np.float64] | None,
    target: Variable | None = None,
    codes: NDArray[np.intp] | None = None,
) -> Data:
    """The rows as states; a target is the last column."""
    import polars

    frame, declared = rows.frame, dict(rows.declared)
    if weights is not None:
        frame = frame.with_columns(polars.Series(_COUNT, weights)).filter(weights > 0)
    if target is not None:
        assert codes is not None
        numbers = codes if weights is None else codes[weights > 0]
        frame = frame.with_columns(polars.Series(target.name, numbers.astype(str)))
        declared[target.name] = tuple(map(str, range(target.cardinality)))
    data = read_data(
        frame,
        bins=bins,
        binning=binning,
        target=None if target is None else target.name,
        declared=declared,
        as_states=rows.texts,
        many_numbers=MAX_STATES if bins is None else bins,
        frequency=None if weights is None else _COUNT,
    )
    if target is None:
        return data
    domain = Domain((*data.dataset.domain.variables[:-1], target))
    coded = DataSet(domain, data.dataset.codes, data.dataset.weights)
    return Data(coded, data.cuts, data.notes)


def _known_rows(rows: _Rows, domain: Domain, cut_columns: Container[str]) -> polars.DataFrame:
    """The rows without states that were not seen when fitting: their cells are missing."""
    import polars

    frame = rows.frame
    for name in frame.columns:
        if name not in domain or name in cut_columns:
            continue
        cells = frame[name].unique().drop_nulls()
        unknown = [cell for cell in cells.to_list() if not _names_of(cell) & {*domain[name].states}]
        if unknown:
            column = polars.col(name)
            frame = frame.with_columns(polars.when(~column.is_in(unknown)).then(column))
    return frame


def _names_of(cell: object) -> set[str]:
    """The texts of a cell; a number may be written as 1 or as 1.0."""
    number = number_of(str(cell))
    return {str(cell)} if number is None else {str(cell), number_text(number)}


# -- estimators


class _Base(BaseEstimator):  # type: ignore[misc]
    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class ModelEstimator(DensityMixin, _Base):  # type: ignore[misc]
    """What all learners have in common; `model_` is the `Fitted` model after `fit`."""

    key: ClassVar[str] = ""
    bins: int | None
    binning: str
    time_limit: float | None
    random_state: Any

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> ModelEstimator:
        """Learn a model of the columns of X; weights count as copies of a row."""
        rows = _rows(self, X, reset=True)
        weights = _weights(X, sample_weight, rows.frame.height)
        with _value_errors():
            data = _data(rows, self.bins, self.binning, weights)
            self.model_ = self._learn(data)
            self._values = _typical_values(rows, data, weights)
        return self

    def _learn(self, data: Data, **given: Any) -> Fitted:
        names = [spec.name for spec in specs_of(learner_of(self.key).params_type)]
        params = {name: getattr(self, _RENAMED.get(name, name)) for name in names} | given
        seed = _seed(self.random_state)
        return learn(self.key, data, seed=seed, time_limit=self.time_limit, **params)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """log2 P(row) of every row; missing cells are summed out, unknown states refused."""
        check_is_fitted(self)
        rows = _rows(self, X, reset=False)
        with _value_errors():
            return self.model_.log2_probabilities(rows.frame)

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Bits per row, higher is better: the mean of log2 P(row)."""
        log2 = self.score_samples(X)
        return float(np.average(log2, weights=_weights(X, sample_weight, log2.size)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Rows drawn from the model, as `fit` takes them; bins are given by their median."""
        check_is_fitted(self)
        state = self.random_state if random_state is None else random_state
        drawn = self.model_.sample(n_samples, seed=_seed(state)).dataset
        columns = [
            np.full(n_samples, np.nan) if values is None else values[drawn.column(name)]
            for name, values in self._values.items()
        ]
        is_number = all(column.dtype.kind == "f" for column in columns)
        return np.column_stack([c if is_number else c.astype(object) for c in columns])


class Classifier(ClassifierMixin, _Base):  # type: ignore[misc]
    """Predicts a class by a model of the class and the columns together.

    Parameters
    ----------
    estimator : estimator of this module, default=None
        Learns the model; None: `TAN()`. Learners of classifiers are given the class, others treat
        it like any column.

    P(class | row) is exact, with missing cells summed out; a state that was not seen in `fit`
    counts as missing. `model_` is the `Fitted` model, in which the class is the last variable.
    """

    def __init__(self, estimator: ModelEstimator | None = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Classifier:
        """Learn a model of the columns of X and of y; weights count as copies of a row."""
        rows = _rows(self, X, reset=True)
        if y is None:
            raise ValueError("Classifier requires y to be passed, but the target y is None")
        if self.estimator is not None and not isinstance(self.estimator, ModelEstimator):
            raise TypeError(
                "Classifier takes an estimator of pgmstudio.sklearn, such as "
                f"Classifier(NaiveBayes()), not {self.estimator!r}"
            )
        labels = column_or_1d(y, warn=True)
        if any(label is None or label != label for label in labels.tolist()):
            raise ValueError("Input y contains NaN: leave out the rows without a class")
        check_classification_targets(labels)
        check_consistent_length(rows.frame, labels)
        weights = _weights(X, sample_weight, rows.frame.height)
        kept = slice(None) if weights is None else weights > 0
        self.classes_ = np.unique(labels[kept])
        codes = np.searchsorted(self.classes_, labels)
        learner = estimator_type("bn.tan")() if self.estimator is None else clone(self.estimator)
        name = "class"
        while name in rows.frame.columns:
            name += "_"
        self.class_name_ = name
        target = Variable(name, _class_names(self.classes_))
        specs = specs_of(learner_of(learner.key).params_type)
        given = {"class_": name} if any(spec.name == "class_" for spec in specs) else {}
        with _value_errors():
            data = _data(rows, learner.bins, learner.binning, weights, target, codes)
            self.model_ = learner._learn(data, **given)
        self._cut_columns = frozenset(data.cuts)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(class | row), rows × classes."""
        check_is_fitted(self)
        rows = _rows(self, X, reset=False)
        with _value_errors():
            known = _known_rows(rows, self.model_.model.domain, self._cut_columns)
            return self.model_.predict_proba(known, self.class_name_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row."""
        probabilities = self.predict_proba(X)
        classes: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return classes


def _seed(state: Any) -> int:
    """A number as it is; otherwise one that is drawn."""
    if isinstance(state, int | np.integer):
        return int(state)
    return int(check_random_state(state).randint(2**31))


def _class_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """The classes as states; numbered where their texts do not differ."""
    names = tuple(clean_name(str(one)) or "(empty)" for one in classes.tolist())
    return names if len(set(names)) == len(names) else tuple(map(str, range(len(names))))


def _weights(X: Any, given: ArrayLike | None, rows: int) -> NDArray[np.float64] | None:
    """The weights of rows: those given, or those of a data set."""
    if given is None and isinstance(X, Data | DataSet):
        return read_data(X).dataset.weights
    if given is None:
        return None
    anything = np.empty((rows, 0))
    weights: NDArray[np.float64] = _check_sample_weight(
        given, anything, dtype=np.float64, ensure_non_negative=True
    )
    if not weights.any():
        raise ValueError("All sample weights are 0; there is nothing to learn from.")
    return weights


def _typical_values(
    rows: _Rows, data: Data, weights: NDArray[np.float64] | None
) -> dict[str, NDArray[Any] | None]:
    """By column and state a value of X: the median of numbers, or the state; None if all empty."""
    values: dict[str, NDArray[Any] | None] = {}
    frame = rows.frame if weights is None else rows.frame.filter(weights > 0)
    for name in frame.columns:
        if name not in data.dataset.domain:
            values[name] = None
            continue
        variable = data.dataset.domain[name]
        if name in rows.texts:
            values[name] = np.array(variable.states, dtype=object)
            continue
        cells = frame[name].to_numpy().astype(np.float64)
        codes = data.dataset.column(name)
        medians = [np.median(cells[codes == code]) for code in range(variable.cardinality)]
        values[name] = np.array(medians)
    return values


# -- one class for each learner


def class_name(key: str) -> str:
    """The class of a learner: its key in capitals, without `bn` and `tree`.

    >>> [class_name(key) for key in ("bn.kes", "tree.chow-liu", "ldag.greedy", "bn.csi-tree")]
    ['KES', 'ChowLiu', 'LDAGGreedy', 'CSITree']
    """
    words = key.replace(".", "-").split("-")
    if words[0] in _UNPREFIXED:
        words = words[1:]
    return "".join(w.upper() if w in _ACRONYMS else w.capitalize() for w in words)


def estimator_keys() -> dict[str, str]:
    """The key of the learner by the name of its class; all learners of probability models."""
    return {
        class_name(one.key): one.key
        for one in all_learners().values()
        if not no_likelihood_reason(one.kind)
    }


def estimator_type(key: str) -> type[ModelEstimator]:
    """The estimator of a learner by its key, such as "bn.kes"."""
    learner = learner_of(key)
    if reason := no_likelihood_reason(learner.kind):
        raise DataError(f"{key} cannot be an estimator: {reason}")
    return _made(learner.key)


@cache
def _made(key: str) -> type[ModelEstimator]:
    learner = learner_of(key)
    specs = specs_of(learner.params_type)
    lines = [f"{learner.title} (`{key}`).", "", "Parameters", "----------"]
    settings = {_RENAMED.get(s.name, s.name): (s.default, s.help) for s in specs} | _COMMON
    for name, (default, text) in settings.items():
        lines += [f"{name} : default={default!r}", f"    {text}"]
    body = {
        "key": key,
        "__init__": _initializer({name: default for name, (default, _) in settings.items()}),
        "__doc__": "\n".join(lines),
        "__module__": __name__,
    }
    return type(class_name(key), (ModelEstimator,), body)


_COMMON: dict[str, tuple[Any, str]] = {
    "bins": (5, "Columns of more distinct numbers are cut into so many bins; None: never."),
    "binning": (
        "frequency",
        "frequency, width, quantile, kmeans, nice; in a Classifier also mdl.",
    ),
    "time_limit": (None, "Seconds after which the best model so far is used, with a warning."),
    "random_state": (0, "Seed of the run; None or a RandomState: another one each time."),
}


def _initializer(defaults: dict[str, Any]) -> Callable[..., None]:
    """`__init__` with these keywords, which scikit-learn reads from its signature."""

    def __init__(self: Any, **given: Any) -> None:
        for name in given:
            if name not in defaults:
                raise TypeError(str(UnknownNameError("parameter", name, defaults)))
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults.items()
    ]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *keywords])  # type: ignore[attr-defined]
    return __init__


def __getattr__(name: str) -> type[ModelEstimator]:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    keys = estimator_keys()
    if name not in keys:
        raise AttributeError(str(UnknownNameError("estimator", name, (*keys, "Classifier"))))
    return _made(keys[name])


def __dir__() -> Sequence[str]:
    return sorted((*globals(), *estimator_keys()))
