"""A model as an SVG document: its diagram, with beliefs on request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from pgmstudio.core.drawing.layout.boxes import box_sizes
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.drawing.svg.diagram import svg_of
from pgmstudio.core.drawing.svg.nodes import BeliefScale
from pgmstudio.core.inference.base import Finding, Scale, as_seen, done_states, weights_of
from pgmstudio.core.inference.belief_text import belief_text, necessity_of, rest_text, short_degree
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.base import ComponentModel, ComponentSession
from pgmstudio.core.languages.diagrams import picture_of, special_drawing
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sessions import open_session

if TYPE_CHECKING:
    from pgmstudio.core.drawing.diagram import GraphPicture

# Pixels right of the bars.
_NUMBER_COLUMNS = {Scale.PROBABILITY: 40.0, Scale.POSSIBILITY: 92.0, Scale.RELATION: 72.0}


def drawing_of(
    file: ModelFile,
    *,
    picture: str | None = None,
    findings: Mapping[str, Finding] | None = None,
    with_beliefs: bool = False,
    theme: str = "light",
    graph: GraphPicture | None = None,
) -> str:
    """SVG of a model; the positions in its file are used for the first diagram.

    `graph` replaces the diagram of that name.
    """
    model = file.model
    if graph is None:
        drawing = special_drawing(model, picture)
        if drawing is not None:
            return drawing.load()(model, findings or {}, theme, file.title)
        graph = picture_of(model, picture)
    if not with_beliefs:
        positions = place(graph, file.layout, graph.method)
        return svg_of(graph, positions, theme=theme, title=file.title)

    session = open_session(model)
    scale = language_of(model).scale
    is_possibility = scale is Scale.POSSIBILITY

    def beliefs() -> dict[str, dict[str, float]]:
        # Degrees are shown as they are, not scaled to a largest of 1.
        factor = 2.0 ** session.log2_evidence() if is_possibility else 1.0
        beliefs_by_name = {}
        for variable in model.domain:
            values = (factor * session.belief(variable.name).values).tolist()
            beliefs_by_name[variable.name] = dict(zip(variable.states, values, strict=True))
        if (
            isinstance(model, ComponentModel)
            and isinstance(session, ComponentSession)
            and model.component_title not in model.domain
        ):
            weights = session.component_posterior().tolist()
            component = dict(zip(model.component_names, weights, strict=True))
            beliefs_by_name[model.component_title] = component
        return beliefs_by_name

    priors = beliefs()
    for name, finding in (findings or {}).items():
        session.set_evidence(name, finding)
    column = _NUMBER_COLUMNS[scale]
    sizes = {
        node: (
            width + (column - _NUMBER_COLUMNS[Scale.PROBABILITY] if node in priors else 0),
            height,
        )
        for node, (width, height) in box_sizes(graph, priors).items()
    }
    return svg_of(
        graph,
        place(graph, method=graph.method, sizes=sizes),
        sizes=sizes,
        beliefs=beliefs(),
        priors=priors if findings else None,
        evidence={
            name: dict(
                zip(
                    model.domain[name].states,
                    weights_of(model.domain[name], as_seen(f)),
                    strict=True,
                )
            )
            for name, f in (findings or {}).items()
        },
        done=done_states(findings or {}),
        theme=theme,
        title=file.title,
        scale=BeliefScale(
            short_degree if is_possibility else partial(belief_text, scale=scale),
            partial(rest_text, scale=scale),
            necessity_of if is_possibility else None,
            column,
        ),
    )
