"""The document of an interactive page: the model's engine, its diagram and everything to read.

The page is one file: style and script are inside, its content security policy allows no others, and
nothing is requested from anywhere. The script is the readable text of the files beside this module.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.drawing.diagram import GraphPicture, PictureNode, Point, Size
from pgmstudio.core.drawing.layout.boxes import (
    box_size,
    overlapping_pairs,
    text_width,
    without_overlaps,
)
from pgmstudio.core.drawing.layout.fitted import CANVAS
from pgmstudio.core.drawing.layout.placement import Frame, place
from pgmstudio.core.drawing.svg.diagram import category_lines, edge_layer, edge_legend
from pgmstudio.core.drawing.svg.elements import element, font_families, number
from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.inference.base import (
    Done,
    Excluded,
    Finding,
    JointSession,
    Observed,
    Scale,
    weights_of,
)
from pgmstudio.core.inference.information_measures import end_information
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import render
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.codec import codec_of
from pgmstudio.core.languages.diagrams import picture_names, picture_of, structure_diagram
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model, edges_of
from pgmstudio.core.number_format import count_of
from pgmstudio.core.project.project import Project
from pgmstudio.core.project.scenarios import cases_for
from pgmstudio.core.reports.html import Content, Markup, details, joined, shown, tag
from pgmstudio.core.reports.interactive_page.inference import program_of
from pgmstudio.core.reports.sections import provenance
from pgmstudio.version import __version__

Evidence = Mapping[str, Finding]

_SCRIPTS = ("engines.js", "view.js", "start.js")
_LINE_COLORS = len(category_lines("light"))
# Beyond, measuring all edges takes longer than the widths are worth.
_MAX_MEASURED_EDGES, _MAX_MEASURED_CELLS = 300, 100_000
_NUMBER_ROOM = {Scale.PROBABILITY: 16.0, Scale.POSSIBILITY: 60.0, Scale.RELATION: 44.0}
_HEAD_ROOM, _WIDEST_HEAD = 46.0, 220.0  # of a title with a finding and its flag
_SHIFT = 12.0  # of the drawing from the edge of its frame


@dataclass(frozen=True, eq=False)
class PageSubject:
    """A model with everything that its page shows.

    `layouts` has positions of nodes by diagram; `evidence` is set when the page is opened.
    """

    model: Model
    title: str = ""
    notes: str = ""
    node_titles: Mapping[str, str] = field(default_factory=dict)
    node_notes: Mapping[str, str] = field(default_factory=dict)
    layouts: Mapping[str, Mapping[str, Point]] = field(default_factory=dict)
    scenarios: Mapping[str, Evidence] = field(default_factory=dict)
    evidence: Evidence = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)


def subject_of_file(file: ModelFile, title: str) -> PageSubject:
    """What a model file holds; `title` is for one without."""
    return PageSubject(
        file.model,
        file.title or title,
        file.notes,
        file.titles,
        layouts={structure_diagram(file.model): file.layout} if file.layout else {},
        provenance=file.provenance or {},
    )


def subject_of_entry(project: Project, model_id: str) -> PageSubject:
    """A model of a project with its evidence scenarios."""
    entry = project.models[model_id]
    return PageSubject(
        entry.model,
        entry.title,
        entry.notes,
        entry.node_titles,
        entry.node_notes,
        entry.layouts,
        cases_for(project, model_id),
        provenance=entry.provenance,
    )


@dataclass(frozen=True, eq=False)
class PageTask:
    """Writes a page, as a task for a child process; yields the file."""

    subject: PageSubject
    target: Path

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | Path]:
        yield Progress(None, "compiling inference…")
        text = interactive_page(self.subject, cancel)
        cancel.raise_if_cancelled()
        replace_file(self.target, text.encode())
        yield self.target


def interactive_page(subject: PageSubject, cancel: CancelToken = NEVER) -> str:
    """The page as HTML; TooLargeError or PgmStudioError if inference cannot run in a page."""
    model = subject.model
    row = language_of(model)
    program = program_of(model)
    cancel.raise_if_cancelled()
    diagram = _diagram(subject, program.cells)
    cancel.raise_if_cancelled()
    content = {
        "scale": row.scale.value,
        "variables": [
            {
                "title": subject.node_titles.get(variable.name, variable.name),
                "states": list(variable.states),
                "note": subject.node_notes.get(variable.name, ""),
            }
            for variable in model.domain
        ],
        "component": _component(model),
        "diagram": None if diagram is None else diagram.content,
        "scenarios": [
            {"name": name, "findings": _findings(model, evidence)}
            for name, evidence in subject.scenarios.items()
        ],
        "evidence": _findings(model, subject.evidence),
        "interventions": row.has_interventions,
        "interventionNote": row.intervention_note,
        "fileName": _file_name(subject.title),
        "program": program.document(),
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    content["id"] = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
    parts = {
        "title": shown(subject.title or row.title),
        "about": shown(_about(model)),
        "notes": _notes(subject.notes),
        "scale": row.scale.value,
        "intervention_note": shown(row.intervention_note),
        "edges": Markup("") if diagram is None else diagram.edges,
        "legend": _legend(row.scale, diagram),
        "explanation_title": shown(
            {
                Scale.PROBABILITY: "Most probable explanation",
                Scale.POSSIBILITY: "Most possible states",
                Scale.RELATION: "A possible tuple",
            }[row.scale]
        ),
        "variable_notes": _variable_notes(subject),
        "version": shown(__version__),
        "provenance": _provenance(subject.provenance),
    }
    body = script_text("page.html")
    for name, markup in parts.items():
        before, _, after = body.partition("{{" + name + "}}")
        body = before + _held(markup) + after
    body = body.replace(_HELD, "{{")
    script = "\n".join(["(() => {", *map(script_text, _SCRIPTS), "})();"])
    style = _style()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = joined(
        (
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="referrer" content="no-referrer">'),
            Markup(f'<meta name="generator" content="PGM Studio {__version__}">'),
            tag("title", subject.title or row.title),
            Markup(f"<style>{style}</style>"),
        )
    )
    return (
        f'<!doctype html>\n<html lang="en" data-theme="auto">\n<head>\n{head}\n</head>\n<body>\n'
        f"{body}\n{_data('page', content)}\n{_data('model', _model_text(subject))}\n"
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


@cache
def script_text(name: str) -> str:
    """One of the files that a page is made of."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


_HELD = "\ue000{"  # stands for {{ in a text of the model until all places are filled


def _held(markup: str) -> str:
    return markup.replace("{{", _HELD)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data(identity: str, content: object) -> str:
    """Data that a script reads; no text in it can end the element or begin a comment."""
    if content is None:
        return ""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{identity}">{text}</script>'


def _style() -> str:
    def variables(theme: str) -> str:
        named = dict(colors(theme))
        named |= {f"category-{i}": line for i, line in enumerate(category_lines(theme))}
        return "".join(f"--{name}:{value};" for name, value in named.items())

    mono = tokens()["type"]["mono"]
    fonts = f"--sans:{font_families()};--mono:'{mono}',ui-monospace,'DejaVu Sans Mono',monospace;"
    dark = variables("dark")
    return (
        f":root{{{fonts}{variables('light')}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root[data-theme=auto]{{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n{script_text('page.css')}"
    )


def _about(model: Model) -> str:
    """`Bayesian network, 8 variables, 8 edges`."""
    parts = [language_of(model).title, count_of(len(model.domain), "variable")]
    edges = edges_of(model)
    if edges:
        parts.append(count_of(len(edges), "edge"))
    if isinstance(model, ComponentModel):
        parts.append(count_of(len(model.component_names), "component"))
    return ", ".join(parts)


def _component(model: Model) -> dict[str, Any] | None:
    """The hidden variable of a mixture; one that is observed is among the variables."""
    if not isinstance(model, ComponentModel) or model.component_title in model.domain:
        return None
    return {"title": model.component_title, "states": list(model.component_names)}


def _findings(model: Model, evidence: Evidence) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for name, finding in evidence.items():
        variable = model.domain[name]
        entry: dict[str, Any] = {"variable": model.domain.index(name)}
        match finding:
            case Observed(state):
                entry |= {"kind": "observed", "state": variable.code(state)}
            case Done(state):
                entry |= {"kind": "done", "state": variable.code(state)}
            case _:
                kind = "excluded" if isinstance(finding, Excluded) else "likelihood"
                entry |= {"kind": kind, "weights": weights_of(variable, finding).tolist()}
        result.append(entry)
    return result


# -- the diagram


@dataclass(frozen=True, eq=False)
class _PageDiagram:
    content: Mapping[str, Any]
    edges: Markup
    legend: tuple[tuple[str, Markup], ...]  # texts and samples


def _page_picture(model: Model) -> tuple[str, GraphPicture] | None:
    """The first diagram with one node for each variable; None if the language has none."""
    for name in picture_names(model):
        picture = picture_of(model, name)
        variables = [n.variable for n in picture.nodes if n.variable in model.domain]
        if len(variables) == len(model.domain) == len(set(variables)):
            return name, picture
    return None


def _diagram(subject: PageSubject, cells: int) -> _PageDiagram | None:
    model = subject.model
    result = _page_picture(model)
    if result is None or not result[1].nodes:
        return None
    name, picture = result
    scale = language_of(model).scale
    states = {variable.name: variable.states for variable in model.domain}
    component = _component(model)
    if component is not None:
        states[component["title"]] = tuple(component["states"])
    sizes = {
        node.id: _card_size(subject, node, states.get(node.variable or "", ()), scale)
        for node in picture.nodes
    }
    positions = _positions(picture, subject.layouts.get(name, {}), sizes)
    widths = _widths(model, picture, cells)
    palette = {color: f"var(--{color})" for color in colors("light")}
    line_colors = [f"var(--category-{i})" for i in range(_LINE_COLORS)]
    layer = edge_layer(picture, positions, sizes, palette, line_colors, widths=widths)
    left, top, right, bottom = layer.extent
    left, top = left - _SHIFT, top - _SHIFT
    width, height = right - left + _SHIFT, bottom - top + _SHIFT
    index = {variable: v for v, variable in enumerate(model.domain.names)}
    if component is not None:
        index[component["title"]] = len(index)
    node_index = {node.id: index.get(node.variable or "") for node in picture.nodes}
    drawn = [
        _group(line, node_index[edge.target] if edge.style.has_arrow else None)
        for edge, line in zip(picture.edges, layer.lines, strict=True)
    ]
    edges = element(
        "svg",
        "\n".join([*drawn, *layer.labels]),
        id="edges",
        width=width,
        height=height,
        viewBox=" ".join(map(number, (left, top, width, height))),
        aria_hidden="true",
    )
    content = {
        "left": left,
        "top": top,
        "width": width,
        "height": height,
        "nodes": [
            {
                "variable": node_index[node.id],
                "label": node.label,
                "x": positions[node.id][0],
                "y": positions[node.id][1],
                "width": sizes[node.id][0],
                "height": sizes[node.id][1],
            }
            for node in picture.nodes
        ],
    }
    legend = [
        (text, _sample(draw(1.0, 8.0))) for text, draw in edge_legend(picture, palette, line_colors)
    ]
    if widths:
        wedge = 'fill="none" stroke="var(--edge)"'
        legend.append(
            (
                "weak to strong edge (mutual information)",
                _sample(
                    [
                        f'<path d="M1 8H14" {wedge} stroke-width="1"/>',
                        f'<path d="M17 8H30" {wedge} stroke-width="5"/>',
                    ]
                ),
            )
        )
    return _PageDiagram(content, Markup(edges), tuple(legend))


def _card_size(
    subject: PageSubject, node: PictureNode, states: Collection[str], scale: Scale
) -> Size:
    """The box of the window, with room for the numbers, and for a finding beside the title."""
    if not states:
        return box_size(node)
    title = subject.node_titles.get(node.variable or "", node.label)
    width, height = box_size(replace(node, label=title), states)
    word = "do" if language_of(subject.model).has_interventions else "="
    finding = max(text_width(f"{word} {state}", 11) for state in states)
    with_finding = text_width(title, 12) + finding + _HEAD_ROOM
    return max(width + _NUMBER_ROOM[scale], min(with_finding, _WIDEST_HEAD)), height


def _group(content: str, target: int | None) -> str:
    """An edge; with the variable it leads to, whose intervention cuts it."""
    return element("g", content, data_target=None if target is None else str(target))


def _sample(drawn: list[str]) -> Markup:
    return Markup(element("svg", "".join(drawn), width=32, height=16, aria_hidden="true"))


def _positions(
    picture: GraphPicture, saved: Mapping[str, Point], sizes: Mapping[str, Size]
) -> Mapping[str, Point]:
    """Where the nodes stand in the window; boxes that would touch are moved apart."""
    if not any(node in saved for node in picture.ids):
        return place(picture, method=picture.method, sizes=sizes, frame=Frame(canvas=CANVAS))
    placed = place(picture, saved, picture.method, sizes)
    centres = np.array([placed[node] for node in picture.ids], dtype=np.float64)
    boxes = np.array([sizes[node] for node in picture.ids], dtype=np.float64)
    if len(overlapping_pairs(centres, boxes)):
        centres = without_overlaps(centres, boxes, max_cover=1.0)
    return {node: (float(x), float(y)) for node, (x, y) in zip(picture.ids, centres, strict=True)}


def _widths(model: Model, picture: GraphPicture, cells: int) -> dict[tuple[str, str], float]:
    """Widths of the edges by the mutual information of their ends, as in the window; none where
    edges have widths already, or measuring them would take long."""
    edges = edges_of(model)
    if (
        language_of(model).scale is not Scale.PROBABILITY
        or not edges
        or any(edge.strands for edge in picture.edges)
        or len(edges) > _MAX_MEASURED_EDGES
        or cells > _MAX_MEASURED_CELLS
    ):
        return {}
    try:
        session = open_session(model)
        if not isinstance(session, JointSession):
            return {}
        bits = dict(end_information(session, edges))
    except PgmStudioError:  # the page is as good without widths
        return {}
    most = max(bits.values())
    low, high = tokens()["line_px"]["edge_strength_min"], tokens()["line_px"]["edge_strength_max"]
    if not most > 0:
        return {}
    result: dict[tuple[str, str], float] = {}
    for (one, other), value in bits.items():
        width = low + (high - low) * math.sqrt(value / most)
        result[one, other] = result[other, one] = width
    return result


# -- parts of the page


def _notes(text: str) -> Markup:
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    if not paragraphs:
        return Markup("")
    first, *rest = paragraphs
    lead = tag("p", tag("b", "Author’s note."), " ", first)
    return tag("div", lead, *(tag("p", part) for part in rest), class_="notes")


def _variable_notes(subject: PageSubject) -> Markup:
    noted = [
        (subject.node_titles.get(name, name), subject.node_notes[name])
        for name in subject.model.domain.names
        if subject.node_notes.get(name, "").strip()
    ]
    if not noted:
        return Markup("")
    pairs = [part for name, note in noted for part in (tag("dt", name), tag("dd", note))]
    return tag(
        "section",
        tag("h2", "Notes on variables", id="notes-title"),
        tag("dl", *pairs),
        class_="panel author-notes",
        aria_labelledby="notes-title",
    )


def _legend(scale: Scale, diagram: _PageDiagram | None) -> Markup:
    def bar(*parts: str) -> Markup:
        return tag("span", *(tag("i", class_=part) for part in parts), class_="bar")

    now = {
        Scale.PROBABILITY: "probability now, %",
        Scale.POSSIBILITY: "possibility now",
        Scale.RELATION: "possible now",
    }[scale]
    entries: list[tuple[Content, str, str | None]] = [(bar("fill part"), now, None)]
    if scale is Scale.POSSIBILITY:
        entries.append((bar("fill part", "inner less"), "inside: necessity (N)", None))
    entries += [
        (bar("ghost part"), "before any evidence", None),
        (bar("fill set"), "evidence you set", None),
    ]
    if diagram is not None:
        entries += [(sample, text, "of-edges") for text, sample in diagram.legend]
    return joined(tag("li", sample, text, class_=name) for sample, text, name in entries)


def _provenance(origin: Mapping[str, Any]) -> Markup:
    """Data, learner and seed, without folders of the author's computer."""
    public = {name: value for name, value in origin.items() if name != "path"}
    parts = list(provenance(public, str(public.get("file", ""))))
    return details("Data, learner and seed", *parts) if parts else Markup("")


def _model_text(subject: PageSubject) -> str | None:
    """The model as a file that this program opens; None for a language without a file format."""
    model = subject.model
    if codec_of(model.kind) is None:
        return None
    layout = subject.layouts.get(structure_diagram(model), {})
    file = ModelFile(model, subject.title, subject.notes, subject.node_titles, layout)
    return render(file, Path(_file_name(subject.title)))[0].decode()


def _file_name(title: str) -> str:
    kept = "".join(c if c.isalnum() or c in " -_." else "_" for c in title).strip(" .")
    return f"{kept[:80] or 'model'}.json"
