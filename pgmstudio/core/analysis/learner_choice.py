"""Which learners suit a data set, and why."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.cost_estimates import forecast_run, time_words
from pgmstudio.core.number_format import counted, grouped

# A first run that takes longer is not recommended.
MAX_SECONDS = 90.0
# With fewer rows per column the parameters of a denser graph than a tree are not reliable.
ROWS_PER_COLUMN = 15
# From here on most pairs of columns occur together in few rows.
WIDE_COLUMNS, SPARSE_FRACTION = 100, 0.9


def recommended_learners(data: DataSet, target: str | None = None) -> dict[str, str]:
    """The keys of learners that suit these rows, best first, each with the reason.

    `target`: the variable to predict, if there is one.
    """
    reasons: dict[str, str] = {}
    if target in data.domain and len(data.domain) > 2:
        reasons["bn.tan"] = f"Predicts the target, {target}."
    if isinstance(data, ImpreciseData):
        cells = counted(len(data.sets), "cell is a set", "cells are sets")
        reasons["possibilistic.spanning-tree"] = f"{cells} of states."
    key, reason = _network(data)
    reasons[key] = reason
    reasons |= _tree(data)
    learners = all_learners()
    return {
        key: reason
        for key, reason in reasons.items()
        if key in learners and learners[key].refuses(data) is None
    }


def _network(data: DataSet) -> tuple[str, str]:
    """A Bayesian network by the most thorough search that takes about a minute."""
    columns = counted(len(data.domain), "column")
    missing = sum(data.missing_counts)
    if missing:
        fraction = 100 * missing / max(1, data.row_count * len(data.domain))
        cells = (
            f"{fraction:.1f} % of the cells are missing"
            if fraction >= 0.05
            else (f"{counted(missing, 'cell is', 'cells are')} missing")
        )
        if _seconds("bn.structural-em", data) <= MAX_SECONDS:
            return "bn.structural-em", f"{cells}: graph and CPTs by EM, from all rows."
        return "bn.hill-climb", f"{cells}; they are completed first, EM would take long."
    seconds = _seconds("bn.kes", data)
    if seconds <= MAX_SECONDS:
        return "bn.kes", f"{columns}: equivalence classes take {time_words(seconds)}."
    return "bn.hill-climb", f"{columns}: a search over graphs is fast enough."


def _tree(data: DataSet) -> dict[str, str]:
    """A tree where rows are few or columns are many."""
    columns = len(data.domain)
    if columns >= WIDE_COLUMNS:
        kind = "tree.chow-liu-sparse" if _is_sparse(data) else "tree.chow-liu"
        rows = " sparse" if kind.endswith("sparse") else ""
        return {kind: f"{grouped(columns)}{rows} columns: exact, and the fastest."}
    if columns > 2 and data.total_weight < ROWS_PER_COLUMN * columns:
        rows_text = counted(data.row_count, "row")
        return {"tree.chow-liu": f"{rows_text}, {columns} columns: few parameters, few errors."}
    return {}


def _is_sparse(data: DataSet) -> bool:
    """Whether nearly all cells have the first state of a two-state column."""
    is_binary = max(data.domain.cardinalities, default=0) <= 2
    return is_binary and float(np.mean(data.codes == 0)) >= SPARSE_FRACTION


def _seconds(key: str, data: DataSet) -> float:
    learner = all_learners()[key]
    forecast = forecast_run(learner, learner.params_type(), data)
    return 0.0 if forecast is None else forecast.seconds
