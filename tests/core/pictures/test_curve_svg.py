"""The plot of SL-curves as SVG."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.pictures.axes import Axis
from pgmstudio.core.pictures.curve_svg import (
    CurvePlot,
    PlotMark,
    PlotSeries,
    curve_svg,
    language_sign,
    sign,
)
from pgmstudio.core.pictures.tokens import tokens

SVG = "{http://www.w3.org/2000/svg}"


def plot(**told: object) -> CurvePlot:
    network = PlotSeries(
        "Networks & <trees>",
        "bayesian-network",
        (PlotMark(10, -5.0), PlotMark(100, -3.5, 0.2, "BIC", True)),
        (PlotMark(10, -4.9), PlotMark(100, -3.0)),
    )
    graphs = PlotSeries("PDG", "pdg", (PlotMark(30, -math.inf), PlotMark(40, -4.0)))
    return CurvePlot((network, graphs), **told)  # type: ignore[arg-type]


def texts_of(picture: str) -> list[str]:
    return ["".join(found.itertext()) for found in ET.fromstring(picture).iter(f"{SVG}text")]


def test_all_that_is_told_is_drawn() -> None:
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
    for said in ("Asia", "Networks & <trees>", "PDG", "BIC", "λ = 0.50", "−H of the training rows"):
        assert said in texts
    tree = ET.fromstring(picture)
    # Two test and two training points, the legend's sign and the ring around the best.
    assert len(list(tree.iter(f"{SVG}circle"))) == 2 + 2 + 1 + 1


def test_points_that_cannot_be_shown_are_left_out() -> None:
    tree = ET.fromstring(curve_svg(plot()))
    green = tokens()["category"]["light"][2]["fill"]
    diamonds = [found for found in tree.iter(f"{SVG}path") if found.get("fill") == green]
    assert len(diamonds) == 1 + 1  # the finite one and the legend's
    assert "nan" not in curve_svg(plot())
    assert "inf" not in curve_svg(plot())


def test_no_points_are_an_empty_plot() -> None:
    assert "Effective size" in " ".join(texts_of(curve_svg(CurvePlot(()))))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_same_plot_is_the_same_text_in_either_theme(theme: str) -> None:
    assert curve_svg(plot(), theme=theme) == curve_svg(plot(), theme=theme)


def test_every_language_has_a_sign_that_can_be_drawn() -> None:
    for family in (*tokens()["language"], "tree", "something new"):
        marker, category = language_sign(family)
        assert sign(marker, (0, 0), 4).startswith("<")
        assert category in {entry["name"] for entry in tokens()["category"]["light"]}
    assert language_sign("tree") == language_sign("chow-liu")


@given(
    st.lists(st.floats(0.5, 1e6), min_size=1, max_size=8),
    st.booleans(),
)
def test_an_axis_shows_all_its_numbers_in_order_with_round_ticks(
    values: list[float], is_log: bool
) -> None:
    axis = Axis.around(values, 10, 110, is_log=is_log)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(10 <= place <= 110 for place in places)
    ticks = axis.ticks()
    assert all(axis.low <= tick <= axis.high * (1 + 1e-9) for tick in ticks)
    assert len(ticks) <= 9
