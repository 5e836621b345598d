"""What a report says of SL-curves: the plot, what stands for each curve, who is above whom."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pgmstudio.core.experiments.curve_choices import (
    best_on_test,
    dominance_matrix,
    overfits,
    pareto_front,
    summaries_of,
)
from pgmstudio.core.experiments.curve_picture import curve_plot
from pgmstudio.core.experiments.curve_points import CurvePoint, curves_of
from pgmstudio.core.experiments.empirical_curves import timing_fits
from pgmstudio.core.experiments.number_words import count_of, decimal, whole
from pgmstudio.core.experiments.point_words import measured_words
from pgmstudio.core.io.report_html import Content, Markup, details, figure, joined, table, tag
from pgmstudio.core.pictures.curve_svg import curve_svg

# Points beyond these are in the table of the folder, not on the page.
MOST_POINTS = 2000


def curves_part(
    points: Sequence[CurvePoint],
    *,
    title: str = "",
    ceiling: float | None = None,
    truth: tuple[float, float] | None = None,
) -> Markup:
    """The plot and the tables of these points."""
    usable = [p for p in points if math.isfinite(p.test_log2_likelihood_per_row)]
    if not usable:
        return tag("p", "There are no points yet.", class_="quiet")
    plot = curve_plot(usable, title=title, ceiling=ceiling, truth=truth)
    light, dark = (curve_svg(plot, theme=theme) for theme in ("light", "dark"))
    caption = f"{count_of(len(usable), 'model')}: bits per row against size, higher is better"
    parts: list[Content] = [figure(light, dark, caption), summary_table(usable)]
    parts += _dominance(usable)
    parts += _timing(usable)
    parts.append(
        details(f"All {count_of(len(points), 'point')}", points_table(points[:MOST_POINTS]))
    )
    if len(points) > MOST_POINTS:
        parts.append(tag("p", f"The first {whole(MOST_POINTS)} are shown.", class_="quiet"))
    return joined(parts)


def summary_table(points: Sequence[CurvePoint]) -> Markup:
    """The model that test rows like best, and those that BIC and AIC take, of every curve."""
    rows = []
    for own in summaries_of(points):
        chosen = own.chosen
        for words, point in (
            ("most test bits", chosen.best_test),
            ("BIC", chosen.bic),
            ("AIC", chosen.aic),
        ):
            rows.append(
                (
                    own.series,
                    words,
                    *measured_words(point),
                    "–" if point.lambda_ is None else decimal(point.lambda_),
                    whole(own.models),
                    decimal(own.seconds, 1),
                )
            )
    head = (
        *("Curve", "Chosen by", "Effective size", "Parameters", "Train bits", "Test bits", "±"),
        *("λ", "Models", "Learning s"),
    )
    return table(head, rows, "<<>>>>>>>>", "The models that stand for each curve")


def _dominance(points: Sequence[CurvePoint]) -> list[Markup]:
    curves = curves_of(points)
    if len(curves) < 2:
        return []
    above = dominance_matrix(curves)
    rows = [
        (one, *("" if one == other else "above" if above[one, other] else "–" for other in curves))
        for one in curves
    ]
    caption = "Which curve is wholly above or left of which on test rows"
    return [table(("", *curves), rows, "<" * (1 + len(curves)), caption)]


def _timing(points: Sequence[CurvePoint]) -> list[Markup]:
    rows = [
        (
            family,
            decimal(1e9 * fit.slope, 2),
            "–" if fit.slope_error is None else decimal(1e9 * fit.slope_error, 2),
            decimal(1e6 * fit.intercept, 1),
            decimal(fit.r_squared, 2),
        )
        for family, fit in timing_fits(points).items()
    ]
    head = ("Language", "ns for each unit of size", "±", "µs at size 0", "R²")
    return [table(head, rows, "<>>>>", "Time of updating all beliefs")] if rows else []


def points_table(points: Sequence[CurvePoint]) -> Markup:
    """All points by curve from small to large."""
    best = best_on_test(points)
    front = {id(point) for point in pareto_front(points)}
    rows = []
    for name, own in curves_of(points).items():
        for point in own:
            marks = ["most test bits"] if point is best else ["front"] if id(point) in front else []
            marks += ["overfits"] if overfits(point, own) else []
            settings = ", ".join(f"{k} {v}" for k, v in point.parameters.items())
            rows.append(
                (
                    name,
                    "–" if point.lambda_ is None else decimal(point.lambda_),
                    str(point.seed),
                    *measured_words(point),
                    decimal(point.seconds, 2),
                    decimal(point.query_log2),
                    ", ".join(marks),
                    settings[:160],
                )
            )
    head = (
        *("Curve", "λ", "Seed", "Effective size", "Parameters", "Train bits", "Test bits", "±"),
        *("Learning s", "Query bits", "", "Settings"),
    )
    return table(head, rows, "<>>>>>>>>><<")
