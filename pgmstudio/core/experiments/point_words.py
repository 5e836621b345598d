"""A point of an SL-curve as tables have it."""

from __future__ import annotations

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.number_words import decimal, whole


def measured_words(point: CurvePoint) -> tuple[str, ...]:
    """Effective size, parameters, train bits, test bits and their standard error."""
    return (
        whole(point.effective_size),
        whole(point.representation_size),
        decimal(point.train_log2_likelihood_per_row),
        decimal(point.test_log2_likelihood_per_row),
        decimal(point.test_standard_error),
    )
