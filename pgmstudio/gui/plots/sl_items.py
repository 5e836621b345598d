"""How SL-curves are drawn: test filled with a line, training hollow and dashed, the front below."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from pgmstudio.core.pictures.curve_signs import language_sign
from pgmstudio.gui.plots.language_marks import mark_colors
from pgmstudio.gui.plots.mark_layers import MANY, Bars, Dots, MarksLayer, Stroke, dot_look
from pgmstudio.gui.plots.mark_words import MarkWords
from pgmstudio.gui.plots.sl_marks import Chart, CurveMarks, Floats
from pgmstudio.gui.style.theme import theme

# From so many marks on lines are plain.
VERY_MANY = 1500
_STEPS_BETWEEN = 10
Across = Callable[[Floats], Floats]


def tell_curves(layer: MarksLayer, chart: Chart, mode: str, across: Across) -> None:
    """The curves and their front in the present colours; `mode`: test, training or both."""
    strokes = [] if mode == "training" else _front(chart, across)
    dots: list[Dots] = []
    bars: list[Bars] = []
    is_plain, is_small = chart.marks > VERY_MANY, chart.marks > MANY
    told = [(curve, across(curve.sizes), mark_colors(curve.family)) for curve in chart.curves]
    if mode != "test":
        style = Qt.PenStyle.SolidLine if is_plain else Qt.PenStyle.DashLine
        for curve, xs, (_, ink) in told:
            faint = QColor(ink)
            faint.setAlphaF(0.75)
            pen = QPen(faint, 1 if is_plain else 1.2, style)
            strokes.append(Stroke(xs, curve.train, pen, not is_plain))
            symbol, ground = language_sign(curve.family)[0], theme().color("surface")
            look = dot_look(symbol, 4 if is_small else 6, faint, 1.2, ground)
            dots.append(Dots(xs, curve.train, look))
    if mode != "training":
        for curve, xs, (fill, ink) in told:
            strokes.append(Stroke(xs, curve.test, QPen(ink, 1 if is_plain else 2), not is_plain))
            bars += _bars(curve, xs, ink)
            symbol = language_sign(curve.family)[0]
            look = dot_look(symbol, 5 if is_small else 9, ink, 1, fill)
            dots.append(Dots(xs, curve.test, look))
    layer.tell(strokes, dots, bars)


def _front(chart: Chart, across: Across) -> list[Stroke]:
    """Steps, to the right end of all points."""
    if not chart.front:
        return []
    xs = across(np.array([float(getattr(point, chart.size)) for point in chart.front]))
    ys = np.array([point.test_log2_likelihood_per_row for point in chart.front])
    far = max(float(across(chart.arrays.sizes.max())), xs[-1])
    pen = QPen(theme().color("accent", 0.16), 8)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return [Stroke(np.append(np.repeat(xs, 2)[1:], far), np.repeat(ys, 2), pen, False)]


def _bars(curve: CurveMarks, xs: Floats, ink: QColor) -> list[Bars]:
    known = np.isfinite(curve.spread) & np.isfinite(curve.test)
    if not known.any():
        return []
    middle, half = curve.test[known], curve.spread[known]
    return [Bars(xs[known], middle - half, middle + half, QPen(ink, 1))]


def words_beside(chart: Chart, mode: str, across: Across) -> list[MarkWords]:
    """At its end the name of a curve, where others have the same sign; then what BIC, AIC take."""
    names: list[MarkWords] = []
    letters: list[MarkWords] = []
    for curve in chart.curves:
        xs, ink = across(curve.sizes), mark_colors(curve.family)[1]
        heights = curve.train if mode == "training" else curve.test
        known = np.flatnonzero(np.isfinite(heights))
        told = {place: words for place, words in curve.letters.items() if place in known}
        if len(known) and sum(other.family == curve.family for other in chart.curves) > 1:
            last = known[-1]
            names.append(MarkWords(float(xs[last]), float(heights[last]), curve.title, ink, True))
        letters += [
            MarkWords(float(xs[place]), float(heights[place]), words, ink)
            for place, words in told.items()
        ]
    return names + letters


def along(xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """Places all along a line, near enough to each other that no word fits between."""
    if len(xs) < 2:
        return xs, ys
    places = np.arange(len(xs))
    steps = np.linspace(0, len(xs) - 1, _STEPS_BETWEEN * (len(xs) - 1) + 1)
    return np.interp(steps, places, xs), np.interp(steps, places, ys)
