"""SPLICE with classifiers of scikit-learn in the place of those of figure 7-8 (Meilă 1999)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.params import param
from pgmstudio.studies.measures import drawn_parts, percent_correct
from pgmstudio.studies.recipe import Measured, RecipeContext, RecipeEvent, load_recipe, trials_param
from pgmstudio.studies.splice import BASES, CLASS, NEXT_TO_NONE, SPLICE_FILE, clean_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SpliceOthersRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: tuple[int, ...] = param(
        (100, 200, 400, 2000), title="Rows", low=10, help="Rows to learn from, the x values."
    )
    test_rows: int = param(1175, title="Test rows", low=10, help="Rows to classify.")
    smoothing: float = param(0.1, title="Smoothing α", low=0, help="Pseudo-count of the tree.")


def classifiers(seed: int) -> Mapping[str, Callable[[], Any]]:
    """Substitutes by name; DataError without scikit-learn."""
    try:
        from sklearn.linear_model import RidgeClassifier
        from sklearn.naive_bayes import BernoulliNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.neural_network import MLPClassifier
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as missing:
        raise DataError(
            "splice-others needs scikit-learn; install it with: pip install 'pgmstudio[sklearn]'"
        ) from missing
    return {
        "1 nearest neighbour": lambda: KNeighborsClassifier(1),
        "15 nearest neighbours": lambda: KNeighborsClassifier(15),
        "decision tree": lambda: DecisionTreeClassifier(min_samples_leaf=2, random_state=seed),
        "linear least squares": lambda: RidgeClassifier(1.0),
        "neural network": lambda: MLPClassifier((20,), alpha=0.1, max_iter=300, random_state=seed),
        "naive Bayes": lambda: BernoulliNB(),
    }


def indicators(data: DataSet) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A column of zeros and ones for each base of each site."""
    sites = [data.column(name) for name in data.domain.names if name != CLASS]
    return np.concatenate([np.eye(len(BASES))[site] for site in sites], axis=1)


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SpliceOthersRecipe = context.params
    data = clean_rows(context.sources[SPLICE_FILE.name])
    makers = classifiers(context.seed)
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    context.expect_models(params.trials * len(params.rows) * (1 + len(makers)))
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        largest = max(params.rows)
        all_rows, test = drawn_parts(data, (largest, params.test_rows), rng)
        order = rng.permutation(largest)
        cells, truth = indicators(test), test.column(CLASS)
        for count in params.rows:
            rows = all_rows.take_rows(order[:count])
            message = f"split {trial + 1} of {params.trials}, {count} rows"
            tree = yield from context.learn(
                f"{message}, tree",
                "tree.chow-liu",
                rows,
                rng,
                smoothing=max(params.smoothing, NEXT_TO_NONE),
            )
            values = {f"tree, {count} rows": 100 - percent_correct(tree, test, CLASS)}
            others = {}
            for name, make in makers.items():
                context.cancel.raise_if_cancelled()
                yield context.advance(f"{message}, {name}")
                with threadpool_limits(1):  # small products, slow in many threads
                    model = make().fit(indicators(rows), rows.column(CLASS))
                    others[name] = 100 * float((model.predict(cells) != truth).mean())
                values[f"{name}, {count} rows"] = others[name]
            best = min(error for name, error in others.items() if name != "naive Bayes")
            values[f"ratio_{count}"] = values[f"tree, {count} rows"] / best
            yield Measured(trial, values, tree, rows, f"{count} rows")


SPLICE_OTHERS = load_recipe(
    "splice-others",
    SpliceOthersRecipe,
    run,
    sources=(SPLICE_FILE,),
    curves=Curves("Rows", "% wrong ↓", r"(?P<line>[\w ]+), (?P<x>\d+) rows", is_log=True),
)
