"""`pgmstudio diff`: the difference of two structures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pgmstudio.cli.options.data import add_data_options, check_ending, open_model, read_rows_for
from pgmstudio.cli.terminal.output import Block, Fields, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.structure_comparison import (
    ModelDifference,
    UndirectedModelDifference,
    structure_difference,
    undirected_model_difference,
)
from pgmstudio.core.graphs.comparison import EdgeChange
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.model import UndirectedModel

MARKERS = {EdgeChange.ADDED: "+", EdgeChange.MISSING: "-", EdgeChange.REVERSED: "⇄"}


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "diff",
        "List the edges that only one of two models has, and the structural Hamming distance of\n"
        "the graphs and of their equivalence classes; of Markov networks, their Hamming distance.",
    )
    parser.add_argument("first", metavar="MODEL", help="reference model")
    parser.add_argument("second", metavar="MODEL", help="model to compare with it")
    parser.add_argument("--data", metavar="DATA", help="compare the likelihoods on these rows")
    parser.add_argument("-o", "--output", metavar="OUT.svg", help="draw both in one picture")
    parser.add_argument(
        "--theme", type=one_of(("light", "dark")), default="light", help="light or dark"
    )
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> DifferenceReport | UndirectedReport:
    check_ending(args.output, [".svg"], "pictures")
    first, second = (open_model(path, line) for path in (args.first, args.second))
    data = None
    if args.data is not None:
        data = read_rows_for(first.model, args.data, args, line)
    has_directions = not any(isinstance(f.model, UndirectedModel) for f in (first, second))
    compare = structure_difference if has_directions else undirected_model_difference
    difference = compare(first.model, second.model, data)
    if args.output is not None:
        title = f"{args.first} and {args.second}"
        drawing = difference_drawing(difference, first, theme=args.theme, title=title)
        replace_file(args.output, drawing.encode())
        line.message(f"Wrote {args.output}.")
    paths = args.first, args.second
    if isinstance(difference, UndirectedModelDifference):
        return UndirectedReport(paths, difference, args.output)
    return DifferenceReport(paths, difference, args.output)


def difference_drawing(
    difference: ModelDifference | UndirectedModelDifference,
    first: ModelFile,
    *,
    theme: str = "light",
    title: str = "",
) -> str:
    """SVG of both structures, with the node positions of the first model's file."""
    from pgmstudio.core.drawing.difference import (
        difference_picture,
        undirected_difference_picture,
    )
    from pgmstudio.core.drawing.layout.placement import place
    from pgmstudio.core.drawing.svg.diagram import svg_of

    if isinstance(difference, UndirectedModelDifference):
        picture = undirected_difference_picture(first.model.domain.names, difference.graph)
    else:
        picture = difference_picture(difference.graph)
    return svg_of(picture, place(picture, first.layout), theme=theme, title=title)


DifferenceT = TypeVar("DifferenceT", ModelDifference, UndirectedModelDifference)


@dataclass(frozen=True, eq=False)
class Report(Generic[DifferenceT]):
    """The difference of two files."""

    paths: tuple[str, str]
    difference: DifferenceT
    output: str | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        first, second = self.paths
        document = {"first": first, "second": second, **self.difference.as_dict()}
        return document if self.output is None else {**document, "file": self.output}


@dataclass(frozen=True, eq=False)
class DifferenceReport(Report[ModelDifference]):
    """The difference of the structures of two files."""

    def blocks(self) -> Iterator[Block]:
        graph = self.difference.graph
        for change, marker in MARKERS.items():
            for edge in graph.of(change):
                note = "" if edge.changes_class else "   (same equivalence class)"
                yield f"{marker} {edge.source} → {edge.target}{note}"
        for names, which in ((graph.only_first, "first"), (graph.only_second, "second")):
            if names:
                yield f"Only in the {which}: {', '.join(names)}"
        if graph.is_empty:
            yield "The structures are the same."
        yield ""
        yield self._measures()

    def _measures(self) -> Fields:
        difference = self.difference
        graph = difference.graph
        pairs = [
            ("Common edges", whole(graph.counts[EdgeChange.COMMON])),
            (
                "Added, missing, reversed",
                ", ".join(whole(graph.counts[change]) for change in MARKERS),
            ),
            ("Distance of the graphs", f"{graph.shd} (SHD)"),
            ("Distance of the classes", f"{graph.shd_of_classes} (SHD of the CPDAGs)"),
        ]
        return Fields([*pairs, *_sizes_and_fit(difference)])


@dataclass(frozen=True, eq=False)
class UndirectedReport(Report[UndirectedModelDifference]):
    """The difference of two structures whose directions do not count."""

    def blocks(self) -> Iterator[Block]:
        graph = self.difference.graph
        for edges, change in ((graph.added, EdgeChange.ADDED), (graph.missing, EdgeChange.MISSING)):
            for edge in edges:
                yield f"{MARKERS[change]} {' – '.join(edge)}"
        for names, which in ((graph.only_first, "first"), (graph.only_second, "second")):
            if names:
                yield f"Only in the {which}: {', '.join(names)}"
        if graph.is_empty:
            yield "The structures are the same."
        yield ""
        pairs = [
            ("Common edges", whole(len(graph.common))),
            ("Added, missing", f"{len(graph.added)}, {len(graph.missing)}"),
            ("Hamming distance", f"{graph.hamming_distance} (F1 {graph.f1:.3f})"),
        ]
        yield Fields([*pairs, *_sizes_and_fit(self.difference)])


def _sizes_and_fit(
    difference: ModelDifference | UndirectedModelDifference,
) -> list[tuple[str, str]]:
    pairs = [
        ("Free parameters", _change(*difference.parameters)),
        ("Effective size", _change(*difference.effective_sizes)),
    ]
    fit = difference.likelihood
    if fit is not None:
        error = None if fit.per_row is None else fit.per_row.standard_error
        per_row = None if fit.per_row is None else fit.per_row.value
        pairs.append(
            (
                "Log-likelihood",
                f"{decimal(fit.difference, 1)} bits on {count_of(fit.rows, 'row')}, "
                f"{decimal(per_row)} ± {decimal(error)} per row; above 0: the second fits"
                " better",
            )
        )
    return pairs


def _change(before: float, after: float) -> str:
    sign = "+" if after > before else ""
    return f"{whole(before)} → {whole(after)} ({sign}{whole(after - before)})"
