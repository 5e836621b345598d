"""The plot of SL-curves as SVG."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.drawing.markers import Color, Marker
from pgmstudio.core.drawing.svg.plot_labels import Box, Crowd, draw_marker
from pgmstudio.core.drawing.svg.sl_plot import Axis, CurvePlot, PlotMark, PlotSeries, curve_svg
from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.markers import language_marker, marker_family
from pgmstudio.core.languages.registry import LANGUAGES

SVG = "{http://www.w3.org/2000/svg}"
DIAMOND = Marker("d", "green")
HYBRID = "pdg.hybrid"


def plot(**options: object) -> CurvePlot:
    network = PlotSeries(
        "Networks & <trees>",
        language_marker("bayesian-network"),
        (PlotMark(10, -5.0), PlotMark(100, -3.5, 0.2, "BIC", True)),
        (PlotMark(10, -4.9), PlotMark(100, -3.0)),
    )
    graphs = PlotSeries("PDG", DIAMOND, (PlotMark(30, -math.inf), PlotMark(40, -4.0)))
    return CurvePlot((network, graphs), **options)  # type: ignore[arg-type]


def texts_of(picture: str) -> list[str]:
    return ["".join(result.itertext()) for result in ET.fromstring(picture).iter(f"{SVG}text")]


def test_all_that_is_given_is_drawn() -> None:
    picture = curve_svg(
        plot(
            title="Asia",
            ceiling=-2.5,
            front=((10, -5.0), (100, -3.5)),
            line=((0.0, -4.0), (100.0, -3.0)),
            line_title="λ = 0.50",
            truth=(50, -3.2),
        )
    )
    texts = texts_of(picture)
    for messages in (
        "Asia",
        "Networks & <trees>",
        "PDG",
        "BIC",
        "λ = 0.50",
        "−H of the training rows",
    ):
        assert messages in texts
    tree = ET.fromstring(picture)
    # Two test and two training points, the legend's sign and the ring around the best.
    assert len(list(tree.iter(f"{SVG}circle"))) == 2 + 2 + 1 + 1


def test_points_that_cannot_be_shown_are_left_out() -> None:
    tree = ET.fromstring(curve_svg(plot()))
    green = tokens()["category"]["light"][2]["fill"]
    diamonds = [result for result in tree.iter(f"{SVG}path") if result.get("fill") == green]
    assert len(diamonds) == 1 + 1  # the finite one and the legend's
    assert "nan" not in curve_svg(plot())
    assert "inf" not in curve_svg(plot())


def lines_of(picture: str, width: str = "2") -> list[list[tuple[float, float]]]:
    """The corners of the lines of test points."""
    result = []
    for one in ET.fromstring(picture).iter(f"{SVG}path"):
        if one.get("stroke-width") == width and one.get("fill") == "none":
            numbers = [float(word) for word in str(one.get("d")).split() if word not in "ML"]
            result.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
    return result


def test_a_line_is_broken_at_a_model_that_rules_out_rows_and_the_legend_states_it() -> None:
    bits = (-5.0, -4.0, -math.inf, -3.5, -3.4, -3.3)
    marks = tuple(PlotMark(10.0 * 2**position, value) for position, value in enumerate(bits))
    whole = curve_svg(CurvePlot((PlotSeries("PDG", DIAMOND, marks[:2]),)))
    broken = curve_svg(CurvePlot((PlotSeries("PDG", DIAMOND, marks),)))
    assert [len(line) for line in lines_of(broken)] == [2, 3]
    assert "not shown, at −∞: 1," in texts_of(broken)
    assert not any("−∞" in words for words in texts_of(whole))


def test_heights_are_reported_with_as_many_digits_each() -> None:
    marks = (PlotMark(10, -18.0), PlotMark(100, -15.4))
    texts = texts_of(curve_svg(CurvePlot((PlotSeries("PDG", DIAMOND, marks),))))
    heights = [words for words in texts if words.startswith("−")]
    assert "−16.0" in heights
    assert "−15.5" in heights
    assert {len(words.partition(".")[2]) for words in heights} == {1}


def test_letters_lie_over_no_line_where_there_is_room() -> None:
    steep = tuple(
        PlotMark(10.0 * 2**k, -9.0 + k, None, "BIC AIC" if k == 2 else "") for k in range(5)
    )
    flat = tuple(PlotMark(10.0 * 2**k, -6.5, None, "AIC" if k == 2 else "") for k in range(5))
    message = (PlotSeries("A", DIAMOND, steep), PlotSeries("B", Marker("s", "purple"), flat))
    picture = curve_svg(CurvePlot(message))
    boxes = []
    for one in ET.fromstring(picture).iter(f"{SVG}rect"):
        if one.get("fill-opacity") == "0.8":  # the patch below letters
            x, y, wide, tall = (float(str(one.get(k))) for k in ("x", "y", "width", "height"))
            boxes.append(Box(x + 1, y + 1, x + wide - 1, y + tall - 1))
    assert len(boxes) == 2
    assert not boxes[0].meets(boxes[1])
    for (x, y), (to_x, to_y) in (pair for line in lines_of(picture) for pair in pairwise(line)):
        for fraction in (k / 40 for k in range(41)):
            at = x + fraction * (to_x - x), y + fraction * (to_y - y)
            assert not any(box.meets(Box.around(at, 0.1, 0.1)) for box in boxes)


def test_words_rather_cover_a_line_than_a_mark_and_a_mark_than_other_words() -> None:
    boxes = [Box(0, 0, 40, 10), Box(60, 0, 100, 10), Box(120, 0, 160, 10)]
    crowd = Crowd(Box(0, 0, 200, 20))
    crowd.add_mark((20, 5), 4.5)
    crowd.add_line([(60, 5), (100, 5)])
    crowd.take([boxes[2]])
    assert crowd.take(boxes) == boxes[1]
    assert crowd.take(boxes) == boxes[0]


def test_the_name_of_the_ceiling_goes_where_the_line_of_equal_score_is_not() -> None:
    crowd = Crowd(Box(0, 0, 400, 200))
    ends = [Box(8, 10, 108, 20), Box(292, 10, 392, 20)]
    assert crowd.take(ends) == ends[0]
    crossed = Crowd(Box(0, 0, 400, 200))
    crossed.add_line([(50, 0), (60, 200)])
    assert crossed.take(ends) == ends[1]


def test_a_hybrid_is_distinguished_from_a_decision_graph_by_its_marker() -> None:
    assert marker_family("pdg", "pdg.learn") == "pdg"
    assert marker_family("pdg", HYBRID) == HYBRID
    on_plots = [kind for kind, row in LANGUAGES.items() if row.scale is Scale.PROBABILITY]
    symbols = [language_marker(family).symbol for family in (*on_plots, HYBRID, "something new")]
    assert len(set(symbols)) == len(symbols)


def test_no_points_are_an_empty_plot() -> None:
    assert "Effective size" in " ".join(texts_of(curve_svg(CurvePlot(()))))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_same_plot_is_the_same_text_in_either_theme(theme: str) -> None:
    assert curve_svg(plot(), theme=theme) == curve_svg(plot(), theme=theme)


def test_every_language_has_a_sign_that_can_be_drawn() -> None:
    for family in (*LANGUAGES, HYBRID, "something new"):
        assert draw_marker(language_marker(family).symbol, (0, 0), 4).startswith("<")


def test_a_marker_has_a_symbol_and_a_colour_that_exist() -> None:
    for shade in ("light", "dark"):
        assert {entry["name"] for entry in tokens()["category"][shade]} == set(get_args(Color))
    with pytest.raises(ValueError, match="'heart', not one of o, s"):
        Marker("heart", "blue")  # type: ignore[arg-type]


@given(
    st.lists(st.floats(0.5, 1e6), min_size=1, max_size=8),
    st.booleans(),
)
def test_an_axis_shows_all_its_numbers_in_order_with_round_ticks(
    values: list[float], is_log: bool
) -> None:
    axis = Axis.around(values, 10, 110, is_log=is_log)
    positions = [axis.to_pixels(value) for value in sorted(values)]
    assert positions == sorted(positions)
    assert all(10 <= position <= 110 for position in positions)
    ticks = axis.ticks()
    assert all(axis.low <= tick <= axis.high * (1 + 1e-9) for tick in ticks)
    assert len(ticks) <= 9
