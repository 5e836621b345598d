"""`pgmstudio draw`: the picture of a model as an SVG file, with beliefs when asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.options.evidence import add_evidence_options, evidence_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import print_json

if TYPE_CHECKING:
    from pgmstudio.core.drawing.diagram import GraphPicture
    from pgmstudio.core.model import Model


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
        "--by",
        metavar="V",
        help="of the picture “multinet” of a labelled graph: a graph for each state of V",
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
    from pgmstudio.core.reports.model_svg import drawing_of

    drawing = drawing_of(
        file,
        picture=args.picture,
        findings=findings,
        with_beliefs=args.beliefs or bool(findings),
        theme=args.theme,
        graph=_of_labels(file.model, args.picture, args.context, args.by),
    )
    replace_file(args.target, drawing.encode())
    if args.json:
        print_json({"kind": file.model.kind, "picture": args.picture, "file": args.target})
    line.say(f"Wrote {args.target}.")
    return 0


def _of_labels(
    model: Model, picture: str | None, context: Sequence[str], by: str | None
) -> GraphPicture | None:
    """A labelled graph where some variables have these states, or for each state of one."""
    from pgmstudio.core.inference.base import Observed
    from pgmstudio.core.languages.ldag.diagrams import (
        MULTINET,
        labelled_picture,
        multinet_picture,
        multinet_variable,
    )
    from pgmstudio.core.languages.ldag.model import LabelledDag

    is_labelled = isinstance(model, LabelledDag)
    if by is not None and (not is_labelled or picture not in (None, MULTINET)):
        raise UsageError("--by is for the picture “multinet” of a labelled graph.")
    if context and (not is_labelled or picture not in (None, "labels", MULTINET)):
        raise UsageError("--context is for “labels” and “multinet”, pictures of a labelled graph.")
    is_multinet = by is not None or picture == MULTINET
    if not isinstance(model, LabelledDag) or not (context or is_multinet):
        return None
    domain = model.domain
    found = evidence_from(domain, list(context), [], [])
    seen = {name: f.state for name, f in found.items() if isinstance(f, Observed)}
    codes = {domain.index(n): domain[n].code(s) for n, s in seen.items()}
    if is_multinet:
        return multinet_picture(model, by or multinet_variable(model), codes)
    return labelled_picture(model, codes)
