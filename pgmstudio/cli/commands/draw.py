"""`pgmstudio draw`: a model as an SVG, PNG or PDF file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pgmstudio.cli.options.data import (
    add_output_file,
    check_picture_path,
    open_model,
    save_picture,
)
from pgmstudio.cli.options.evidence import add_evidence_options, evidence_from_args, observed_states
from pgmstudio.cli.terminal.output import FilesWritten
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.languages.registry import kinds_with, language_of
from pgmstudio.core.reports.model_svg import drawing_of

if TYPE_CHECKING:
    from pgmstudio.core.drawing.diagram import GraphPicture
    from pgmstudio.core.model import Model


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "draw",
        "Draw a model as SVG, PNG or PDF, by the ending of the file. With evidence or --beliefs,\n"
        "nodes show their beliefs.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    add_output_file(parser, "OUT.svg")
    parser.add_argument(
        "--picture", metavar="NAME", help="diagram of the model, such as clique-tree"
    )
    parser.add_argument(
        "--by",
        metavar="V",
        help="for the diagram “multinet” of a labelled DAG: draw a graph for each state of V",
    )
    parser.add_argument(
        "--theme",
        type=one_of(("light", "dark")),
        default="light",
        metavar="light|dark",
        help="colours",
    )
    parser.add_argument("--beliefs", action="store_true", help="show beliefs as bars")
    parser.add_argument(
        "--context",
        metavar="V=s",
        nargs="+",
        action="extend",
        default=[],
        help="for a labelled DAG: dash the edges that vanish where V is s",
    )
    add_evidence_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    check_picture_path(args.output)
    file = open_model(args.model, line)
    findings = evidence_from_args(file.model.domain, args)
    drawing = drawing_of(
        file,
        picture=args.picture,
        findings=findings,
        with_beliefs=args.beliefs or bool(findings),
        theme=args.theme,
        graph=_labelled_diagram(file.model, args.picture, args.context, args.by),
    )
    save_picture(args.output, drawing)
    line.message(f"Wrote {spoken(args.output)}.")
    return FilesWritten({"kind": file.model.kind, "picture": args.picture, "file": args.output})


MULTINET = "multinet"  # one graph for each state of a variable


def _kinds_with_contexts() -> str:
    return kinds_with(lambda row: row.contexts)


def _labelled_diagram(
    model: Model, picture: str | None, context: Sequence[str], by: str | None
) -> GraphPicture | None:
    """A model with contexts in one, or for each state of a variable; None if neither is asked."""
    contexts = language_of(model).contexts
    if by is not None and (contexts is None or picture not in (None, MULTINET)):
        raise UsageError(f"--by is for “multinet”, a diagram of {_kinds_with_contexts()}.")
    drawn_in_context = (None, language_of(model).diagrams[0].name, MULTINET)
    if context and (contexts is None or picture not in drawn_in_context):
        raise UsageError(f"--context is for the graph and “multinet” of {_kinds_with_contexts()}.")
    is_multinet = by is not None or picture == MULTINET
    if contexts is None or not (context or is_multinet):
        return None
    domain = model.domain
    states = observed_states(domain, context)
    codes = {domain.index(name): domain[name].code(state) for name, state in states.items()}
    if is_multinet:
        variable = by or contexts.multinet_variable.load()(model)
        return contexts.multinet.load()(model, variable, codes)
    return contexts.draw.load()(model, codes)
