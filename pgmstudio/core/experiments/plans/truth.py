"""What all curves of a plan are measured against: the ceiling −H and the true model."""

from __future__ import annotations

from pgmstudio.core.experiments.compare import row_log2
from pgmstudio.core.experiments.means import mean_of
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.sl_curve import likelihood_ceiling


def ceiling_of(rows: PlanRows) -> float | None:
    """−H of the training rows, None when no row is complete."""
    complete = rows.train.complete_rows()
    return likelihood_ceiling(complete) if complete.total_weight > 0 else None


def truth_of(rows: PlanRows) -> tuple[float, float] | None:
    """Effective size and bits per test row of the model that the rows come from, if it is known."""
    if rows.reference is None:
        return None
    bits = mean_of(row_log2(rows.reference, rows.test), rows.test.weights)
    return float(rows.reference.effective_size()), bits.value
