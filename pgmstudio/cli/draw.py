"""`pgmstudio draw`: the picture of a model as an SVG file, with beliefs when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.cli.evidence import add_evidence_options, evidence_from
from pgmstudio.cli.inputs import open_model
from pgmstudio.cli.output import print_json
from pgmstudio.cli.parsing import CommandParser, UsageError, one_of
from pgmstudio.cli.progress import ProgressLine
from pgmstudio.core.inference.protocols import Finding
from pgmstudio.core.io.model_files import ModelFile

if TYPE_CHECKING:
    from pgmstudio.core.models.decision_graph import DecisionGraph
    from pgmstudio.core.models.protocols import Model
    from pgmstudio.core.pictures.picture import GraphPicture


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "draw", "Draws a model as SVG; with evidence or --beliefs, its nodes show bars."
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("target", metavar="OUT.svg", help="the file to write")
    parser.add_argument(
        "--picture", metavar="NAME", help="which picture of the model, such as clique-tree"
    )
    parser.add_argument(
        "--theme", type=one_of(("light", "dark")), default="light", help="light or dark"
    )
    parser.add_argument("--beliefs", action="store_true", help="show beliefs as bars")
    parser.add_argument(
        "--context",
        metavar="V=s",
        nargs="+",
        action="extend",
        default=[],
        help="a labelled graph where V is s: edges that vanish there are dashed",
    )
    add_evidence_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    if Path(args.target).suffix.lower() != ".svg":
        raise UsageError(f"{args.target} does not end in .svg, the only kind of picture written.")
    line = ProgressLine(quiet=args.quiet)
    file = open_model(args.model, line)
    findings = evidence_from(file.model.domain, args.given, args.excluded, args.soft, args.done)

    from pgmstudio.core.io.atomic import replace_file

    drawing = drawing_of(
        file,
        picture=args.picture,
        findings=findings,
        with_beliefs=args.beliefs or bool(findings),
        theme=args.theme,
        context=args.context,
    )
    replace_file(args.target, drawing.encode())
    if args.json:
        print_json({"kind": file.model.kind, "picture": args.picture, "file": args.target})
    line.say(f"Wrote {args.target}.")
    return 0


def drawing_of(
    file: ModelFile,
    *,
    picture: str | None = None,
    findings: Mapping[str, Finding] | None = None,
    with_beliefs: bool = False,
    theme: str = "light",
    context: Sequence[str] = (),
) -> str:
    """SVG text of a model; positions kept in its file are used for the picture shown first."""
    from pgmstudio.core.models.decision_graph import DecisionGraph
    from pgmstudio.core.pictures.boxes import box_sizes
    from pgmstudio.core.pictures.families import NODES, picture_of
    from pgmstudio.core.pictures.layout import place
    from pgmstudio.core.pictures.svg import svg_of

    model = file.model
    if isinstance(model, DecisionGraph) and picture in (None, NODES):
        return _bands_of(file, model, findings or {}, theme)
    graph = _in_context(model, picture, context) if context else picture_of(model, picture)
    if not with_beliefs:
        places = place(graph, file.layout, graph.method)
        return svg_of(graph, places, theme=theme, title=file.title)

    from pgmstudio.core.inference.findings import weights_of
    from pgmstudio.core.inference.interventions import as_seen, done_states
    from pgmstudio.core.inference.mixture_session import MixtureSession
    from pgmstudio.core.inference.sessions import open_session
    from pgmstudio.core.models.component_measures import component_names
    from pgmstudio.core.models.latent_classes import LatentClasses

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
    from pgmstudio.core.inference.decision_graph_session import DecisionGraphSession
    from pgmstudio.core.inference.findings import weights_of
    from pgmstudio.core.inference.interventions import as_seen
    from pgmstudio.core.pictures.svg_bands import svg_of_bands

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


def _in_context(model: Model, picture: str | None, context: Sequence[str]) -> GraphPicture:
    """A labelled graph as it is where some variables have these states."""
    from pgmstudio.core.inference.protocols import Observed
    from pgmstudio.core.models.labelled_dag import LabelledDag
    from pgmstudio.core.pictures.labels import labelled_picture

    if not isinstance(model, LabelledDag) or picture not in (None, "labels"):
        raise UsageError("--context is for the picture “labels” of a labelled graph.")
    domain = model.domain
    found = evidence_from(domain, list(context), [], [])
    seen = {name: f.state for name, f in found.items() if isinstance(f, Observed)}
    return labelled_picture(model, {domain.index(n): domain[n].code(s) for n, s in seen.items()})
