"""A model as an SVG document: its picture, with beliefs where they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pgmstudio.core.inference.base import Finding
from pgmstudio.core.io.models.files import ModelFile

if TYPE_CHECKING:
    from pgmstudio.core.drawing.diagram import GraphPicture
    from pgmstudio.core.languages.pdg.model import DecisionGraph


def drawing_of(
    file: ModelFile,
    *,
    picture: str | None = None,
    findings: Mapping[str, Finding] | None = None,
    with_beliefs: bool = False,
    theme: str = "light",
    graph: GraphPicture | None = None,
) -> str:
    """SVG text of a model; positions kept in its file are used for the picture shown first.

    `graph` stands in for the picture of that name.
    """
    from pgmstudio.core.drawing.layout.boxes import box_sizes
    from pgmstudio.core.drawing.layout.placement import place
    from pgmstudio.core.drawing.svg.diagram import svg_of
    from pgmstudio.core.languages.diagrams import NODES, picture_of
    from pgmstudio.core.languages.pdg.model import DecisionGraph
    from pgmstudio.core.languages.tree_mixture.component_images import IMAGES, images_of, images_svg

    model = file.model
    if picture == IMAGES:
        return images_svg(images_of(model), theme=theme, title=file.title or "")
    if graph is None:
        if isinstance(model, DecisionGraph) and picture in (None, NODES):
            return _bands_of(file, model, findings or {}, theme)
        graph = picture_of(model, picture)
    if not with_beliefs:
        places = place(graph, file.layout, graph.method)
        return svg_of(graph, places, theme=theme, title=file.title)

    from pgmstudio.core.inference.base import weights_of
    from pgmstudio.core.languages.interventions import as_seen, done_states
    from pgmstudio.core.languages.latent_class.model import LatentClasses
    from pgmstudio.core.languages.sessions import open_session
    from pgmstudio.core.languages.tree_mixture.components import component_names
    from pgmstudio.core.languages.tree_mixture.session import MixtureSession

    session = open_session(model)

    def beliefs() -> dict[str, dict[str, float]]:
        found = {
            variable.name: dict(
                zip(variable.states, session.belief(variable.name).values.tolist(), strict=True)
            )
            for variable in model.domain
        }
        if isinstance(model, LatentClasses) and isinstance(session, MixtureSession):
            shares = session.component_shares().tolist()
            found[model.hidden] = dict(zip(component_names(model), shares, strict=True))
        return found

    priors = beliefs()
    for name, finding in (findings or {}).items():
        session.set_evidence(name, finding)
    sizes = box_sizes(graph, priors)
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
    )


def _bands_of(
    file: ModelFile, graph: DecisionGraph, findings: Mapping[str, Finding], theme: str
) -> str:
    """The nodes of a decision graph, with the flow through them given the evidence."""
    from pgmstudio.core.inference.base import weights_of
    from pgmstudio.core.languages.interventions import as_seen
    from pgmstudio.core.languages.pdg.session import DecisionGraphSession
    from pgmstudio.core.languages.pdg.svg import svg_of_bands

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
        title=file.title,
    )
