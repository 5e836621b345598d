"""A decision graph as an SVG document: bands, nodes and arcs as wide as the flow through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.layout.boxes import elided, text_width
from pgmstudio.core.drawing.svg.diagram import LEGEND_HEIGHT, MARGIN, Sample, document, legend_card
from pgmstudio.core.drawing.svg.elements import Attribute, element, line, path, rect, text
from pgmstudio.core.drawing.svg.nodes import NodeDrawing, States, mark_of
from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.inference.base import Finding, as_seen, weights_of
from pgmstudio.core.languages.pdg.diagrams import (
    GUTTER,
    HEAD,
    NOT_REACHED,
    PADDING,
    Band,
    BandForm,
    BandPicture,
    Box,
    band_picture,
    node_numbers,
    progress_text,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.core.number_format import percent

_WIDEST, _HOLLOW_FROM, _CORE = 11.0, 3.6, 1.3
_DASHES = (None, "5 3", "9 4", "2 3", "9 3 2 3")
_STATE_LABELS = ("first state", "second state", "third state", "fourth state", "further states")


def svg_of_bands(
    graph: DecisionGraph,
    visits: Sequence[Floats],
    arcs: Sequence[Floats],
    *,
    beliefs: Mapping[str, States],
    priors: Mapping[str, States] | None = None,
    evidence: Mapping[str, States] | None = None,
    theme: str = "light",
    title: str = "",
) -> str:
    """`visits` are the chances to reach each node, `arcs` those to pass it in each state; the same
    arguments give the same bytes."""
    drawing = _Drawing(graph, theme, visits, arcs, evidence or {})
    palette, picture = drawing.palette, drawing.picture
    body: list[str] = []
    for i, band in enumerate(picture.bands):
        name = graph.domain.names[i]
        finding = (evidence or {}).get(name)
        known = NodeDrawing(palette, beliefs[name], (priors or {}).get(name), finding)
        body.append(element("g", "\n".join(drawing.ground(band, known, name))))
    body += drawing.all_arcs()
    for band in picture.bands:
        body += drawing.nodes(band)
    extent = picture.extent
    left, top, right, bottom = extent.x, extent.y, extent.right, extent.bottom
    drawn, width = legend_card(drawing.entries(), (left, bottom + MARGIN), palette)
    right, bottom = max(right, left + width), bottom + MARGIN + LEGEND_HEIGHT
    return document([*body, *drawn], (left, top, right, bottom), title, palette, True)


class _Drawing:
    def __init__(
        self,
        graph: DecisionGraph,
        theme: str,
        visits: Sequence[Floats],
        arcs: Sequence[Floats],
        evidence: Mapping[str, States],
    ) -> None:
        self.graph, self._visits, self._arcs, self._evidence = graph, visits, arcs, evidence
        self.palette = colors(theme)
        self._tints: list[str] = [entry["line"] for entry in tokens()["category"][theme]]
        self.picture: BandPicture = band_picture(graph)
        self._numbers = node_numbers(graph)

    def _is_alone(self, i: int) -> bool:
        return self.graph.forest[i] is None and not self.graph.children[i]

    def ground(self, band: Band, known: NodeDrawing, name: str) -> list[str]:
        """The band with the beliefs of its variable at the left."""
        palette, box = self.palette, band.box
        finding = self._evidence.get(name)
        stroke, width, dash = palette["border"], 1.0, None
        if finding is not None:
            mark = mark_of(finding)
            stroke, width = palette[mark.tint], tokens()["line_px"]["node_evidence"]
            dash = "5 3" if mark.is_soft else None
        attributes: dict[str, Attribute] = {"fill": palette["surface"], "stroke": stroke}
        attributes |= {"stroke_width": width, "stroke_dasharray": dash}
        drawn = [rect(box.x, box.y, box.width, box.height, 8, **attributes)]
        drawn += known.draw_open(name, (box.x + PADDING - 6, box.y + PADDING - 8), GUTTER - 6)
        if not self._is_alone(band.variable):
            x = box.x + GUTTER
            ends = (x, box.y + 9), (x, box.bottom - 9)
            drawn.append(line(*ends, stroke=palette["border"], stroke_width=1))
        return drawn

    # -- arcs

    def all_arcs(self) -> list[str]:
        """Thin ones first, so that wide ones lie on top."""
        result: list[tuple[float, str]] = []
        for lower, above in enumerate(self.graph.forest):
            heads = self.graph.successors[lower]
            if above is None or heads is None:
                continue
            states = heads.shape[1]
            for node, row in enumerate(heads.tolist()):
                for state, head in enumerate(row):
                    flow = float(self._arcs[above][node, state])
                    ends = self.picture.arc(above, node, state, states, lower, head)
                    result.append((flow, "\n".join(self._arc(ends, state, flow))))
        return [drawn for _, drawn in sorted(result, key=lambda arc: arc[0])]

    def _arc(self, ends: tuple[float, float, float, float], state: int, flow: float) -> list[str]:
        x1, y1, x2, y2 = ends
        bend = (y2 - y1) / 2
        way = ("M", (x1, y1), "C", (x1, y1 + bend), (x2, y2 - bend), (x2, y2))
        if flow <= 0:
            hair = self.palette["edge_dim"]
            return [path(*way, fill="none", stroke=hair, stroke_width=1, stroke_dasharray="1.5 3")]
        return self._stroke(way, state, 1.0 + _WIDEST * flow)

    def _stroke(
        self, way: Sequence[str | tuple[float, float]], state: int, width: float
    ) -> list[str]:
        tint = self._tints[state % len(self._tints)]
        is_hollow = state == 1 and width >= _HOLLOW_FROM
        dash = None if is_hollow else _DASHES[state % len(_DASHES)]
        drawn = [path(*way, fill="none", stroke=tint, stroke_width=width, stroke_dasharray=dash)]
        if is_hollow:
            core, inner = self.palette["surface"], width - 2 * _CORE
            drawn.append(path(*way, fill="none", stroke=core, stroke_width=inner))
        return drawn

    # -- nodes

    def nodes(self, band: Band) -> list[str]:
        if self._is_alone(band.variable):
            return []
        return ["\n".join(self._node(band, node, box)) for node, box in enumerate(band.boxes)]

    def _node(self, band: Band, node: int, box: Box) -> list[str]:
        palette, i = self.palette, band.variable
        fraction = float(self._visits[i][node])
        is_reached = fraction > 0
        attributes: dict[str, Attribute] = {
            "fill": palette["surface" if is_reached else "sunken"],
            "stroke": palette["border_control"],
            "stroke_width": tokens()["line_px"]["node"],
            "stroke_dasharray": None if is_reached else "4 3",
        }
        drawn = [rect(box.x, box.y, box.width, box.height, 6, **attributes)]
        name = str(self._numbers[i][node])
        ink = palette["text" if is_reached else "text_tertiary"]
        if band.form in (BandForm.NUMBERS, BandForm.STRIP):
            if text_width(name, 10) + 4 < box.width:
                middle = box.y + box.height / 2
                drawn.append(text(name, box.middle, middle, size=10, fill=ink, anchor="middle"))
            return drawn
        head = box.y + HEAD / 2
        label = f"{percent(fraction)} %" if is_reached else NOT_REACHED
        grey = palette["text_secondary"]
        drawn += [
            text(f"ν{name}", box.x + 7, head, size=11, fill=ink, weight="semibold"),
            text(label, box.right - 7, head, size=11, fill=grey, anchor="end"),
            line(
                (box.x, box.y + HEAD),
                (box.right, box.y + HEAD),
                stroke=palette["border"],
                stroke_width=1,
            ),
        ]
        finding = self._evidence.get(self.graph.domain.names[i])
        for state, title in enumerate(self.graph.domain.variables[i].states):
            is_out = finding is not None and finding[title] <= 0
            drawn += self._cell(band, node, state, title, ink, is_out, is_reached)
        return drawn

    def _cell(
        self,
        band: Band,
        node: int,
        state: int,
        title: str,
        ink: str,
        is_out: bool,
        is_reached: bool,
    ) -> list[str]:
        i, palette = band.variable, self.palette
        states = self.graph.domain.cardinalities[i]
        box = self.picture.cell(i, node, state, states)
        value = float(self.graph.parameters[i][node, state])
        grey = palette["text_secondary"]
        if band.form is BandForm.CELLS:
            shown = elided(title, 11, box.width - 8)
            position, anchor = (box.middle, box.y + 8), "middle"
            bar = Box(box.x + 6, box.y + 16, box.width - 12, 5)
            number, at = (box.middle, box.y + 28), "middle"
        else:
            shown = elided(title, 11, box.width * 0.38 - 11)
            position, anchor = (box.x + 7, box.y + box.height / 2), "start"
            left = box.width * 0.38
            bar = Box(box.x + left, position[1] - 3, box.width - left - 30, 6)
            number, at = (box.right - 6, position[1]), "end"
        drawn = [
            text(shown, *position, size=11, fill=grey if is_out else ink, anchor=anchor),
            rect(bar.x, bar.y, bar.width, bar.height, 2, fill=palette["belief_track"]),
            text(progress_text(value), *number, size=10, fill=grey, anchor=at),
        ]
        if is_out:
            width = text_width(shown, 11)
            begin = position[0] - (width / 2 if anchor == "middle" else 0)
            ends = (begin, position[1]), (begin + width, position[1])
            drawn.append(line(*ends, stroke=grey, stroke_width=1))
        elif value > 0:
            tint = self._tints[state % len(self._tints)] if is_reached else palette["edge_dim"]
            drawn.append(rect(bar.x, bar.y, max(1.0, bar.width * value), bar.height, 2, fill=tint))
        return drawn

    # -- legend

    def entries(self) -> list[tuple[str, Sample]]:
        """A line for each state an arc can be of, and what widths mean."""
        above = [self.graph.domain.cardinalities[i] for i in self.graph.forest if i is not None]
        most = min(max(above, default=0), len(_STATE_LABELS))
        result: list[tuple[str, Sample]] = [
            (_STATE_LABELS[state], self._sample(state)) for state in range(most)
        ]
        given = "flow given evidence" if self._evidence else "probability of passing"
        return [*result, (f"width = {given}", lambda _x, _y: [])]

    def _sample(self, state: int) -> Sample:
        def drawn(x: float, y: float) -> list[str]:
            return self._stroke(("M", (x, y), "L", (x + 28, y)), state, 5.0 if state < 2 else 2.5)

        return drawn


def nodes_drawing(
    graph: DecisionGraph, findings: Mapping[str, Finding], theme: str, title: str | None
) -> str:
    """The nodes of a decision graph with the flow through them given the evidence, as SVG."""
    session = DecisionGraphSession(graph)

    def beliefs() -> dict[str, dict[str, float]]:
        return {
            v.name: dict(zip(v.states, session.belief(v.name).values.tolist(), strict=True))
            for v in graph.domain
        }

    priors = beliefs()
    for name, finding in findings.items():
        session.set_evidence(name, finding)
    flows = session.node_flows()
    weights = {
        name: dict(
            zip(
                graph.domain[name].states,
                map(float, weights_of(graph.domain[name], as_seen(finding))),
                strict=True,
            )
        )
        for name, finding in findings.items()
    }
    return svg_of_bands(
        graph,
        flows.visits,
        flows.arcs,
        beliefs=beliefs(),
        priors=priors if findings else None,
        evidence=weights,
        theme=theme,
        title=title or "",
    )
