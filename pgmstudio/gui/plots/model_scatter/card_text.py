"""Text of the hover card of a model of an SL-curve."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.experiments.curve_chart import (
    Behind,
    Chart,
    best_of,
    marker_family_of,
    point_title,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.plots.model_scatter.hover_card import CardFacts, bits, lines_of, seconds_text


def card_of(behind: Behind, chart: Chart, pinned: frozenset[str]) -> CardFacts:
    """The numbers of a mark; of several seeds their means with a standard deviation."""
    point = best_of(behind)
    mean = _mean_text(behind)
    spread = point.test_standard_error
    test = bits(point.test_log2_likelihood_per_row)
    error = "" if spread is None else f" ± {bits(spread)}"
    lines = lines_of(
        ("Effective size", grouped(point.effective_size)),
        ("Free parameters", grouped(point.representation_size)),
        ("Test", f"{test}{error}" if mean is None else mean),
        ("Training", bits(point.train_log2_likelihood_per_row)),
        ("Queries", bits(point.query_log2)),
        ("Mean ± deviation of", f"{len(behind)} seeds" if len(behind) > 1 else None),
        ("Learned in", seconds_text(point.seconds)),
        ("All beliefs in", _update_text(point)),
    )
    chip, hint = _chip(point, behind, chart, pinned), _hint(point, pinned)
    return CardFacts(marker_family_of(point), point_title(point), chip, lines, hint)


def _hint(point: CurvePoint, pinned: frozenset[str]) -> str:
    if point.model is not None:
        return "Click opens · pins when its run is done"
    return f"Click opens · right-click {'unpins' if point.key in pinned else 'pins'}"


def _mean_text(behind: Behind) -> str | None:
    if len(behind) < 2:
        return None
    values = np.array([point.test_log2_likelihood_per_row for point in behind])
    return f"{bits(float(values.mean()))} ± {bits(float(values.std(ddof=1)))}"


def _update_text(point: CurvePoint) -> str | None:
    seconds = point.inference_seconds
    return None if seconds is None else f"{1000 * seconds:.2f} ms"


def _chip(point: CurvePoint, behind: Behind, chart: Chart, pinned: frozenset[str]) -> str:
    if any(one.model is not None for one in behind):
        return "so far"  # its run continues and may replace it
    if any(one is chart.best for one in behind):
        return "best test"
    if any(one.key in pinned for one in behind):
        return "pinned"
    position = chart.index_by_key.get(point.key)
    if position is not None and (criteria := chart.curves[position[0]].labels.get(position[1])):
        return criteria
    return "front" if any(one is point for one in chart.front) else ""
