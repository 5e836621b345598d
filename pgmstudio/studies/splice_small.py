"""SPLICE with few rows: tree, naive Bayes and TAN (Meilă 1999, §7.3.4, figures 7-8b to d)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pgmstudio.core.params import param
from pgmstudio.studies.measures import drawn_parts
from pgmstudio.studies.recipe import (
    Measured,
    Quantity,
    Recipe,
    RecipeEvent,
    RecipeWork,
)
from pgmstudio.studies.splice_rows import (
    CLASS,
    NEXT_TO_NONE,
    SPLICE_FILE,
    clean_rows,
    percent_right,
)
from pgmstudio.studies.trials import Steps, trials_param

LEARNERS: dict[str, tuple[str, str, dict[str, object]]] = {
    "tree": ("Tree", "tree.chow-liu", {}),
    "naive": ("Naive Bayes", "bn.naive-bayes", {"class": CLASS}),
    "tan": ("TAN", "bn.tan", {"class": CLASS}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpliceSmallRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: tuple[int, ...] = param(
        (100, 200, 400), title="Rows", low=10, help="Rows to learn from, one after the other."
    )
    test_rows: int = param(1500, title="Test rows", low=10, help="Rows to classify.")
    smoothing: float = param(0.1, title="Smoothing α", low=0, help="Pseudo-count of every cell.")


def run(work: RecipeWork) -> Iterator[RecipeEvent]:
    params: SpliceSmallRecipe = work.params
    data = clean_rows(work.sources[SPLICE_FILE.name])
    steps = Steps(params.trials * len(params.rows) * len(LEARNERS), work.cancel)
    for trial in range(params.trials):
        rng = work.rng(trial)
        largest = max(params.rows)
        all_rows, test = drawn_parts(data, (largest, params.test_rows), rng)
        order = rng.permutation(largest)
        for count in params.rows:
            rows = all_rows.take_rows(order[:count])  # the small sets lie within the large ones
            for name, (title, key, given) in LEARNERS.items():
                model = yield from steps.learned(
                    f"split {trial + 1} of {params.trials}, {count} rows, {title}",
                    key,
                    rows,
                    rng,
                    smoothing=max(params.smoothing, NEXT_TO_NONE),
                    **given,
                )
                values = {f"{name}_{count}": 100 - percent_right(model, test)}
                yield Measured(trial, values, model, rows, f"{title}, {count} rows")


SPLICE_SMALL = Recipe(
    "splice-small",
    "SPLICE with few rows",
    "Meilă 1999, §7.3.4, figures 7-8b to d",
    "Errors of a tree, naive Bayes and TAN learned from few rows.",
    SpliceSmallRecipe,
    tuple(
        Quantity(
            f"{name}_{count}",
            f"{title}, {count} rows, % wrong",
            5.5 if (name, count) == ("tree", 400) else None,
            digits=1,
            note="" if (name, count) == ("tree", 400) else "in a figure only",
        )
        for count in (100, 200, 400)
        for name, (title, _, _) in LEARNERS.items()
    ),
    run,
    "a few seconds",
    (SPLICE_FILE,),
    (
        "The source used the row lists of the DELVE archive, which are not to be had; here every "
        "trial draws its own rows.",
        "Its figures show a range of smoothing; here one pseudo-count for all three.",
    ),
)
