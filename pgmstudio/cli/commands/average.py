"""`pgmstudio average`: the average of several models, weighted by their posterior."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_models, read_rows_for, save_model
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, is_number, listed, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.analysis.model_averaging import (
    EQUAL,
    POSTERIOR,
    WEIGHTINGS,
    Average,
    average_models,
)
from pgmstudio.core.analysis.model_comparison import finite, likelihood_of
from pgmstudio.core.io.models.files import ModelFile


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "average",
        "Average models over the same variables: Pr[x] = Σ Q(x) Pr[Q | D]. Trees, latent class\n"
        "models and mixtures of trees can be averaged; the result is a mixture of all their trees.",
    )
    parser.add_argument("models", metavar="MODEL", nargs="+", help="model files")
    parser.add_argument("--data", metavar="DATA", help="rows that determine the weights")
    parser.add_argument(
        "--weights",
        type=_weights,
        metavar=f"{'|'.join(WEIGHTINGS)}|W,W,…",
        help="posterior: as BIC approximates it, for the rows that the models were learned from "
        "(default with --data); likelihood: posterior of the models as they are, for rows that "
        "they were not learned from; equal (default without --data); or a number for each model",
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="model file to write")
    add_data_options(parser)
    return parser


def _weights(text: str) -> str | list[float]:
    words = listed(text)
    if words and all(is_number(word) for word in words):
        return [float(word) for word in words]
    return one_of(tuple(WEIGHTINGS))(text)


def run(args: argparse.Namespace, line: ProgressLine) -> AverageReport:
    if len(args.models) < 2:
        raise UsageError("Two models are needed at least.")
    models = open_models(args.models, line)
    first = next(iter(models.values()))
    data = None if args.data is None else read_rows_for(first, args.data, args, line)
    weights = args.weights or (EQUAL if data is None else POSTERIOR)
    average = average_models(models, data, weights)
    bits = None if data is None else likelihood_of(average.model, data).per_row
    if average.left_out:
        line.message(f"Without weight, left out: {', '.join(average.left_out)}.")
    if args.output is not None:
        origin = {"average": dict(average.weights), "data": args.data}
        save_model(args.output, ModelFile(average.model, provenance=origin), line)
        line.message(f"Wrote {spoken(args.output)}.")
    return AverageReport(average, bits, args.output)


@dataclass(frozen=True, eq=False)
class AverageReport:
    """The weight of every model, and how they and their average fit the rows."""

    average: Average
    bits_per_row: float | None
    output: str | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        model, comparison = self.average.model, self.average.comparison
        document: dict[str, Any] = {
            "models": [
                {"name": name, "weight": weight}
                | (
                    {}
                    if comparison is None
                    else {
                        "log2_likelihood_per_row": finite(comparison[name].log2_likelihood_per_row),
                        "bic": finite(comparison[name].bic),
                    }
                )
                for name, weight in self.average.weights.items()
            ],
            "components": len(model.weights),
            "representation_size": model.representation_size(),
            "effective_size": model.effective_size(),
        }
        if self.bits_per_row is not None:
            document["log2_likelihood_per_row"] = finite(self.bits_per_row)
        return document if self.output is None else {**document, "model": self.output}

    def blocks(self) -> Iterator[Block]:
        comparison, model = self.average.comparison, self.average.model
        rows = []
        for name, weight in self.average.weights.items():
            one = None if comparison is None else comparison[name]
            numbers = ("", "")
            if one is not None:
                numbers = (decimal(one.log2_likelihood_per_row), decimal(one.bic, 1))
            rows.append((name, f"{weight:.4g}", *numbers))
        yield Table(("Model", "Weight", "Bits per row", "BIC"), rows, "<>>>")
        size = f"{count_of(len(model.weights), 'tree')}, {whole(model.representation_size())}"
        fit_text = (
            "" if self.bits_per_row is None else f", {decimal(self.bits_per_row)} bits per row"
        )
        yield f"\nAverage: {size} free parameters{fit_text}"
