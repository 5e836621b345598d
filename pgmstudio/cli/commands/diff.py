"""`pgmstudio diff`: how the structure of one model differs from that of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_pairs, whole
from pgmstudio.core.analysis.structure_comparison import ModelDifference, structure_difference
from pgmstudio.core.graphs.comparison import EdgeChange
from pgmstudio.core.io.models.files import ModelFile


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "diff",
        "Edges of the second model that the first lacks, and the other way round; the structural\n"
        "Hamming distance of the graphs and of their equivalence classes.",
    )
    parser.add_argument("first", metavar="MODEL", help="the model to compare with")
    parser.add_argument("second", metavar="MODEL", help="the model that is compared")
    parser.add_argument("--data", metavar="DATA", help="rows to compare the likelihoods on")
    parser.add_argument("-o", "--output", metavar="OUT.svg", help="draw both in one picture")
    parser.add_argument(
        "--theme", type=one_of(("light", "dark")), default="light", help="light or dark"
    )
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    if args.output is not None and Path(args.output).suffix.lower() != ".svg":
        raise UsageError(f"{args.output} does not end in .svg, the only kind of picture written.")
    line = ProgressLine(quiet=args.quiet)
    first, second = (open_model(path, line) for path in (args.first, args.second))
    data = None
    if args.data is not None:
        data = read_rows_for(first.model, args.data, args, line)
    found = structure_difference(first.model, second.model, data)
    if args.output is not None:
        from pgmstudio.core.io.atomic import replace_file

        title = f"{args.first} and {args.second}"
        drawing = difference_drawing(found, first, theme=args.theme, title=title)
        replace_file(args.output, drawing.encode())
        line.say(f"Wrote {args.output}.")
    if args.json:
        told = {"first": args.first, "second": args.second, **found.as_dict()}
        if args.output is not None:
            told["file"] = args.output
        print_json(told)
        return 0
    _print(found)
    return 0


def difference_drawing(
    found: ModelDifference, first: ModelFile, *, theme: str = "light", title: str = ""
) -> str:
    """SVG of both structures; nodes stand where the first model's file has them."""
    from pgmstudio.core.drawing.difference import difference_picture
    from pgmstudio.core.drawing.layout.placement import place
    from pgmstudio.core.drawing.svg.diagram import svg_of

    picture = difference_picture(found.graph)
    return svg_of(picture, place(picture, first.layout), theme=theme, title=title)


def _print(found: ModelDifference) -> None:
    graph = found.graph
    for sign, change in (
        ("+", EdgeChange.ADDED),
        ("−", EdgeChange.MISSING),
        ("⇄", EdgeChange.REVERSED),
    ):
        for edge in graph.of(change):
            same = "" if edge.changes_class else "   (the class is the same there)"
            print(f"{sign} {edge.source} → {edge.target}{same}")
    for names, which in ((graph.only_first, "first"), (graph.only_second, "second")):
        if names:
            print(f"Only in the {which}: {', '.join(names)}")
    if graph.is_empty:
        print("The structures are the same.")
    counts = graph.counts
    pairs = [
        ("Common edges", whole(counts[EdgeChange.COMMON])),
        ("Added, missing, reversed", _counts(found)),
        ("Distance of the graphs", f"{graph.shd} (SHD)"),
        ("Distance of the classes", f"{graph.shd_of_classes} (SHD of the CPDAGs)"),
        ("Free parameters", _change(*found.parameters)),
        ("Effective size", _change(*found.effective_sizes)),
    ]
    fit = found.likelihood
    if fit is not None:
        error = None if fit.per_row is None else fit.per_row.standard_error
        per_row = None if fit.per_row is None else fit.per_row.value
        pairs.append(
            (
                "Log-likelihood",
                f"{decimal(fit.difference, 1)} bits on {count_of(fit.rows, 'row')}, "
                f"{decimal(per_row)} ± {decimal(error)} per row; above 0 the second fits better",
            )
        )
    print()
    print_pairs(pairs)


def _counts(found: ModelDifference) -> str:
    counts = found.graph.counts
    kinds = (EdgeChange.ADDED, EdgeChange.MISSING, EdgeChange.REVERSED)
    return ", ".join(whole(counts[kind]) for kind in kinds)


def _change(before: float, after: float) -> str:
    sign = "+" if after > before else ""
    return f"{whole(before)} → {whole(after)} ({sign}{whole(after - before)})"
