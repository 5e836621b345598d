"""`pgmstudio strengths`: the strength of each edge of a model in data."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    open_model,
    read_rows_for,
    refuse_without_probabilities,
)
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.feature_selection import p_value_text
from pgmstudio.core.languages.registry import edge_analysis
from pgmstudio.core.model import Model, edge_text
from pgmstudio.core.scores.edge_reports import LinkStrength


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "strengths",
        "Measure the strength of each edge: the mutual information of its ends in bits, the\n"
        "information given the other parents, the p-value of that, and the BIC lost without the\n"
        "edge (bits; below 0 removing it improves BIC). Of a Markov network: the information\n"
        "given the other neighbours, and PIC, the BIC of the pseudo-likelihood. The weakest edge\n"
        "comes first.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file with edges")
    parser.add_argument("data", metavar="DATA", help="data file")
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> StrengthReport:
    model = open_model(args.model, line).model
    refuse_without_probabilities(
        model,
        "Strengths are information and BIC of probabilities",
        "Use pgmstudio associations --measure KEY.",
    )
    analysis = edge_analysis(model.kind)
    analysis.graph_of(model)  # raises for a language without edges
    data = read_rows_for(model, args.data, args, line)
    links = analysis.strengths(model, data)
    return StrengthReport(model, data.row_count, links, analysis.score_title)


@dataclass(frozen=True, eq=False)
class StrengthReport:
    """The strength of each edge."""

    model: Model
    row_count: int
    links: Sequence[LinkStrength]
    score: str
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        edges = [
            {
                "from": link.source,
                "to": link.target,
                "information_bits": None if link.alone is None else link.information_bits,
                "added_bits": None if link.given_parents is None else link.added_bits,
                "p_value": None if link.given_parents is None else link.p_value,
                f"{self.score.lower()}_gain": link.bic_gain,
            }
            for link in self.links
        ]
        return {"rows": self.row_count, "edges": edges}

    def blocks(self) -> Iterator[Block]:
        rows = [
            (
                edge_text(self.model, *link.edge),
                "-" if link.alone is None else decimal(link.information_bits),
                "-" if link.given_parents is None else decimal(link.added_bits),
                "-" if link.given_parents is None else p_value_text(link.p_value),
                decimal(link.bic_gain, 1),
            )
            for link in self.links
        ]
        yield Table(("Edge", "I, bits", "added, bits", "p", f"Δ {self.score}, bits"), rows, "<>>>>")
        if not self.links:
            variables = count_of(len(self.model.domain), "variable")
            yield f"The model has no edges; it has {variables}."
