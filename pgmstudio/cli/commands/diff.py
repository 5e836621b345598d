"""`pgmstudio diff`: the difference of two structures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    check_picture_path,
    open_model,
    read_rows_for,
    save_picture,
)
from pgmstudio.cli.terminal.output import Block, Fields, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.analysis.structure_comparison import (
    MORAL,
    SKELETON,
    ModelDifference,
    structure_difference,
)
from pgmstudio.core.drawing.difference import difference_picture
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.drawing.svg.diagram import svg_of
from pgmstudio.core.graphs.comparison import EdgeChange, UndirectedDifference
from pgmstudio.core.io.models.files import ModelFile

MARKERS = {EdgeChange.ADDED: "+", EdgeChange.MISSING: "-", EdgeChange.REVERSED: "⇄"}


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "diff",
        "List the edges that only one of two models has, and the structural Hamming distance of\n"
        "the graphs and of their equivalence classes. Of Markov networks: the Hamming distance,\n"
        "true and false positives, false negatives and F1, the first model being the truth.",
    )
    parser.add_argument("first", metavar="MODEL", help="reference model")
    parser.add_argument("second", metavar="MODEL", help="model to compare with it")
    parser.add_argument("--data", metavar="DATA", help="compare the likelihoods on these rows")
    parser.add_argument(
        "--dag-as",
        type=one_of(("moral", "skeleton")),
        default="moral",
        help="compare a directed graph with a Markov network by its moral graph or its skeleton",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT.svg", help="draw both in one picture (.svg, .png or .pdf)"
    )
    parser.add_argument(
        "--theme",
        type=one_of(("light", "dark")),
        default="light",
        metavar="light|dark",
        help="colours",
    )
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> DifferenceReport:
    check_picture_path(args.output)
    first, second = (open_model(path, line) for path in (args.first, args.second))
    data = None
    if args.data is not None:
        data = read_rows_for(first.model, args.data, args, line)
    dag_as = MORAL if args.dag_as == "moral" else SKELETON
    difference = structure_difference(first.model, second.model, data, dag_as=dag_as)
    if args.output is not None:
        title = f"{args.first} and {args.second}"
        drawing = difference_drawing(difference, first, theme=args.theme, title=title)
        save_picture(args.output, drawing)
        line.message(f"Wrote {spoken(args.output)}.")
    return DifferenceReport((args.first, args.second), difference, args.output)


def difference_drawing(
    difference: ModelDifference, first: ModelFile, *, theme: str = "light", title: str = ""
) -> str:
    """SVG of both structures, with the node positions of the first model's file."""
    picture = difference_picture(difference.graph, difference.contexts)
    return svg_of(picture, place(picture, first.layout), theme=theme, title=title)


@dataclass(frozen=True, eq=False)
class DifferenceReport:
    """The difference of the structures of two files."""

    paths: tuple[str, str]
    difference: ModelDifference
    output: str | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        first, second = self.paths
        document = {"first": first, "second": second, **self.difference.as_dict()}
        return document if self.output is None else {**document, "file": self.output}

    def blocks(self) -> Iterator[Block]:
        graph, contexts = self.difference.graph, self.difference.contexts
        is_undirected = isinstance(graph, UndirectedDifference)
        if self.difference.dag_as is not None:
            yield f"The directed graph is compared by its {self.difference.dag_as}."
        for change, marker in MARKERS.items():
            for edge in graph.of(change):
                note = "" if edge.changes_class else "   (same equivalence class)"
                joint = "–" if is_undirected else "→"
                yield f"{marker} {edge.source} {joint} {edge.target}{note}"
        for names, which in ((graph.only_first, "first"), (graph.only_second, "second")):
            if names:
                yield f"Only in the {which}: {', '.join(names)}"
        for (source, target), both in contexts.items():
            first, second = ("; ".join(each) or "none" for each in both)
            yield f"≠ {source}, {target} vanishes in other contexts: {first} against {second}"
        if graph.is_empty and not contexts:
            yield "The structures are the same."
        yield ""
        yield Fields([*self._distances(), *_sizes_and_fit(self.difference)])

    def _distances(self) -> list[tuple[str, str]]:
        graph = self.difference.graph
        common = ("Common edges", whole(graph.counts[EdgeChange.COMMON]))
        if isinstance(graph, UndirectedDifference):
            return [
                common,
                (
                    "TP, FP, FN",
                    f"{graph.true_positives}, {graph.false_positives}, {graph.false_negatives}",
                ),
                ("Hamming distance", f"{graph.distance} (F1 {graph.f1:.3f})"),
            ]
        changes = ", ".join(whole(graph.counts[change]) for change in MARKERS)
        return [
            common,
            ("Added, missing, reversed", changes),
            ("Distance of the graphs", f"{graph.shd} (SHD)"),
            ("Distance of the classes", f"{graph.shd_of_classes} (SHD of the CPDAGs)"),
        ]


def _sizes_and_fit(difference: ModelDifference) -> list[tuple[str, str]]:
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
