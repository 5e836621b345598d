"""SVG: well-formed, the same every time, drawn by Qt, and true to the numbers."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
)
from pgmstudio.core.drawing.layout.boxes import box_sizes, elided, text_width
from pgmstudio.core.drawing.layout.edge_routing import tag_size
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.drawing.svg.diagram import svg_of
from pgmstudio.core.drawing.svg.nodes import mark_of
from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.languages.diagrams import picture_of
from pgmstudio.core.number_format import percent
from tests.strategies import random_network

SVG = "{http://www.w3.org/2000/svg}"

ONE = GraphPicture((PictureNode("rain", "Rain", variable="rain"),))
TWO = GraphPicture(
    (*ONE.nodes, PictureNode("wet", "Wet", variable="wet")), (PictureEdge("rain", "wet"),)
)


def drawn(picture: GraphPicture, **options: object) -> str:
    beliefs = options.get("beliefs") or {}
    assert isinstance(beliefs, dict)
    return svg_of(picture, place(picture, sizes=box_sizes(picture, beliefs)), **options)  # type: ignore[arg-type]


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def rects(svg: str, fill: str) -> list[dict[str, str]]:
    result = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [dict(node.attrib) for node in result if node.get("fill") == fill]


@given(
    st.text(st.characters(), max_size=30),
    st.sampled_from(NodeShape),
    st.sampled_from(EdgeStyle),
)
@example("x", NodeShape.OVAL, EdgeStyle.DIRECTED)  # the evidence below then weighs nothing
@settings(max_examples=80)
def test_any_name_gives_well_formed_xml(name: str, shape: NodeShape, style: EdgeStyle) -> None:
    picture = GraphPicture(
        (PictureNode("a", name, shape, "a"), PictureNode("b", "b", shape, "b")),
        (PictureEdge("a", "b", name, style),),
    )
    for beliefs in (None, {"a": {name: 0.5, name + "2": 0.5}}):
        svg = drawn(picture, beliefs=beliefs, evidence={"a": {name: 1.0, "x": 0.0}}, title=name)
        assert ElementTree.fromstring(svg.encode()).tag == f"{SVG}svg"


def test_markup_in_a_name_is_shown_as_text() -> None:
    picture = GraphPicture((PictureNode("a", "<b>&\"'", variable="a"),))
    assert "<b>&\"'" in texts(drawn(picture))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("with_bars", [False, True])
def test_qt_draws_it_and_the_same_arguments_give_the_same_text(
    qapp: object, theme: str, with_bars: bool
) -> None:
    from PySide6.QtCore import QByteArray
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    network = random_network(np.random.default_rng(0), 8)
    picture = picture_of(network)
    uniform = {v.name: dict.fromkeys(v.states, 1 / v.cardinality) for v in network.domain}
    options = {"beliefs": uniform, "priors": uniform} if with_bars else {}
    svg = drawn(picture, theme=theme, **options)
    assert svg == drawn(picture, theme=theme, **options)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    assert renderer.isValid()
    image = QImage(renderer.defaultSize(), QImage.Format.Format_RGB32)
    image.fill(0x00FF00FF)  # magenta: whatever stays so was not drawn
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    assert image.pixelColor(2, 2).name().upper() == colors(theme)["canvas"]
    shown = {
        image.pixelColor(x, y).name().upper()
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 3)
    }
    assert colors(theme)["surface"] in shown
    assert (colors(theme)["belief"] in shown) == with_bars


def test_bars_are_as_long_as_their_beliefs() -> None:
    svg = drawn(ONE, beliefs={"rain": {"yes": 0.2, "no": 0.8}})
    tracks, bars = (
        rects(svg, colors("light")["belief_track"]),
        rects(svg, colors("light")["belief"]),
    )
    fractions = [
        float(bar["width"]) / float(track["width"]) for bar, track in zip(bars, tracks, strict=True)
    ]
    assert fractions == pytest.approx([0.2, 0.8], abs=0.001)
    assert {"Rain", "yes", "20.0", "no", "80.0"} <= set(texts(svg))


def test_a_picture_without_beliefs_shows_names_only() -> None:
    assert texts(drawn(TWO)) == ["Rain", "Wet"]


def test_observed_evidence_is_named_in_words_and_strikes_the_other_states() -> None:
    evidence = {"rain": {"yes": 1.0, "no": 0.0}}
    svg = drawn(ONE, beliefs={"rain": {"yes": 1.0, "no": 0.0}}, evidence=evidence)
    assert {"= yes", "100", "0", "evidence"} <= set(texts(svg))
    assert len(rects(svg, colors("light")["evidence"])) == 1
    outline = rects(svg, colors("light")["surface"])[0]
    assert (outline["stroke"], outline["stroke-width"]) == (colors("light")["evidence"], "2")


def test_a_likelihood_is_dashed_and_named() -> None:
    svg = drawn(
        ONE,
        beliefs={"rain": {"yes": 0.6, "no": 0.4}},
        evidence={"rain": {"yes": 3.0, "no": 1.0}},
    )
    assert "likelihood" in texts(svg)
    assert "stroke-dasharray" in rects(svg, colors("light")["surface"])[0]


@pytest.mark.parametrize(
    ("weights", "words", "struck"),
    [
        ({"a": 0, "b": 2}, "= b", {"a"}),
        ({"a": 0, "b": 1, "c": 1}, "≠ a", {"a"}),
        ({"a": 0, "b": 1, "c": 1, "d": 0}, "∈ 2 of 4", {"a", "d"}),
        ({"a": 0, "b": 1, "c": 3}, "likelihood", {"a"}),
        ({"a": 2, "b": 2}, "likelihood", set()),
    ],
)
def test_evidence_is_read_from_its_weights(
    weights: dict[str, float], words: str, struck: set[str]
) -> None:
    mark = mark_of(weights)
    assert (mark.text, mark.struck) == (words, struck)
    assert mark.is_soft == (words == "likelihood")


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0"), (0.0001, "0+"), (0.0005, "0.1"), (0.5, "50.0"), (0.9996, "100.0"), (1, "100")],
)
def test_percentages_are_exact_only_when_they_are(value: float, words: str) -> None:
    assert percent(value) == words


def test_many_states_become_five_rows_and_a_count_of_the_rest() -> None:
    beliefs = {"rain": {f"s{i}": (i + 1) / 36 for i in range(8)}}
    words = texts(drawn(ONE, beliefs=beliefs))
    assert "3 more" in words
    assert [word for word in words if word.startswith("s")] == ["s3", "s4", "s5", "s6", "s7"]
    assert percent(6 / 36) in words  # 1 + 2 + 3 of 36 are not shown one by one


def test_priors_are_outlined_only_where_they_differ() -> None:
    ghost = f'stroke="{colors("light")["ghost"]}"'
    options = {"beliefs": {"rain": {"yes": 0.2, "no": 0.8}}, "legend": False}
    same = drawn(ONE, priors={"rain": {"yes": 0.2, "no": 0.8}}, **options)
    other = drawn(ONE, priors={"rain": {"yes": 0.7, "no": 0.3}}, **options)
    assert (same.count(ghost), other.count(ghost)) == (0, 2)


def test_the_legend_names_only_what_is_drawn() -> None:
    assert "fill-in" not in texts(drawn(TWO))
    married = GraphPicture(TWO.nodes, (PictureEdge("rain", "wet", style=EdgeStyle.FILL_IN),))
    assert "fill-in" in texts(drawn(married))
    assert "fill-in" not in texts(drawn(married, legend=False))


def test_only_directed_edges_have_arrow_heads() -> None:
    def heads(style: EdgeStyle) -> int:
        picture = GraphPicture(TWO.nodes, (PictureEdge("rain", "wet", style=style),))
        svg = ElementTree.fromstring(drawn(picture, legend=False))
        return sum(node.get("fill") != "none" for node in svg.iter(f"{SVG}path"))

    assert {style: heads(style) for style in EdgeStyle} == {
        EdgeStyle.DIRECTED: 1,
        EdgeStyle.COMPELLED: 1,
        EdgeStyle.COLLIDING: 1,
        EdgeStyle.UNDIRECTED: 0,
        EdgeStyle.REVERSIBLE: 0,
        EdgeStyle.MORAL: 0,
        EdgeStyle.FILL_IN: 0,
        EdgeStyle.COMMON: 1,
        EdgeStyle.COMMON_LINE: 0,
        EdgeStyle.ADDED: 1,
        EdgeStyle.MISSING: 1,
        EdgeStyle.ADDED_LINE: 0,
        EdgeStyle.MISSING_LINE: 0,
        EdgeStyle.REVERSED: 1,
        EdgeStyle.TRIAL: 1,
        EdgeStyle.LABELLED: 1,
        EdgeStyle.VANISHED: 1,
        EdgeStyle.CONTEXTUAL: 0,
        EdgeStyle.CONTEXTUAL_VANISHED: 0,
    }


def test_everything_lies_inside_the_view_box() -> None:
    network = random_network(np.random.default_rng(3), 12)
    svg = ElementTree.fromstring(drawn(picture_of(network)))
    x, y, width, height = (float(n) for n in svg.attrib["viewBox"].split())
    for box in svg.iter(f"{SVG}rect"):
        left, top = float(box.attrib["x"]), float(box.attrib["y"])
        assert x <= left
        assert y <= top
        assert left + float(box.attrib["width"]) <= x + width + 1e-6
        assert top + float(box.attrib["height"]) <= y + height + 1e-6


@given(st.text(max_size=60), st.floats(20, 200))
def test_an_elided_title_fits_and_a_short_one_is_left_alone(title: str, width: float) -> None:
    shown = elided(title, 12, width)
    if text_width(title, 12) <= width:
        assert shown == title
    else:
        assert "…" in shown
        assert text_width(shown, 12) <= width or len(shown) <= 2


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="theme"):
        svg_of(ONE, place(ONE), theme="sepia")


def contrast(one: str, other: str) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05), L the relative luminance."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_lines_stand_out_from_their_ground(theme: str) -> None:
    palette = colors(theme)
    words = [name for name in palette if name.endswith("_ink")]
    words += ["text", "text_secondary", "text_tertiary", "accent"]
    for name in words:
        assert contrast(palette[name], palette["surface"]) >= 4.5, name
    for name in ("edge", "edge_dim", "belief", "evidence", "border_control", "fill_in"):
        assert contrast(palette[name], palette["surface"]) >= 3, name
    for category in tokens()["category"][theme]:
        assert contrast(category["ink"], palette["surface"]) >= 4.5, category["name"]
        assert contrast(category["line"], palette["surface"]) >= 3, category["name"]


def test_only_reversible_edges_wear_a_ring() -> None:
    def rings(style: EdgeStyle) -> int:
        picture = GraphPicture(TWO.nodes, (PictureEdge("rain", "wet", style=style),))
        svg = ElementTree.fromstring(drawn(picture, legend=False))
        return sum(node.get("rx") == "4" for node in svg.iter(f"{SVG}rect"))

    assert {style for style in EdgeStyle if rings(style)} == {EdgeStyle.REVERSIBLE}


def test_what_was_done_has_its_own_mark_and_cuts_the_arrows_into_it() -> None:
    options = {"wet": {"yes": 1.0, "no": 0.0}}
    seen = drawn(TWO, evidence=options)
    done = drawn(TWO, evidence=options, done={"wet"})
    assert "= yes" in texts(seen)
    assert "do = yes" in texts(done)
    assert "intervention, do(X = x)" in texts(done)
    assert "evidence" not in texts(done)
    dashes = [p.get("stroke-dasharray") for p in ElementTree.fromstring(done).iter(f"{SVG}path")]
    assert any(dashes)
    assert not any(
        p.get("stroke-dasharray") for p in ElementTree.fromstring(seen).iter(f"{SVG}path")
    )


def test_no_tag_of_a_label_is_cut_at_the_edge_of_the_drawing() -> None:
    # The middle of the bent edge lies left of all boxes, and so does most of its tag.
    label = "physical work = sometimes"
    nodes = tuple(PictureNode(name, name) for name in "abc")
    edges = (
        PictureEdge("a", "b"),
        PictureEdge("b", "c"),
        PictureEdge("a", "c", label, EdgeStyle.LABELLED),
    )
    positions = {"a": (0.0, 0.0), "b": (0.0, 100.0), "c": (0.0, 200.0)}
    root = ElementTree.fromstring(svg_of(GraphPicture(nodes, edges), positions, background=False))
    left, _, width, _ = (float(value) for value in root.attrib["viewBox"].split())
    (words,) = [one for one in root.iter() if one.tag.endswith("text") and one.text == label]
    x, half = float(words.attrib["x"]), tag_size(label)[0] / 2
    assert left <= x - half
    assert x + half <= left + width
