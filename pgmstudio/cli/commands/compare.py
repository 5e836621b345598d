"""`pgmstudio compare`: models of any languages of one scale on the same rows."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_models, read_rows_for
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.fit_comparison import FitComparison, compare_fit
from pgmstudio.core.analysis.model_comparison import ComparedModel, Comparison, compare
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.number_format import measure_title

HEADER = (
    *("Model", "Kind", "Bits per row", "±", "To the best", "95 % interval"),
    *("Parameters", "Effective size", ""),
)


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "compare",
        "Compute the bits per row of several models on the same rows, and which differences are\n"
        "significant (paired over rows, 95 % intervals). Of relational or possibilistic networks:\n"
        "the tuples or degrees that each adds to those of the rows, and their sizes.",
    )
    parser.add_argument("data", metavar="DATA", help="rows to compare on")
    parser.add_argument("models", metavar="MODEL", nargs="+", help="model files")
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> ComparisonReport | FitReport:
    models = open_models(args.models, line)
    first = next(iter(models.values()))
    data = read_rows_for(first, args.data, args, line)
    if any(no_likelihood_reason(model.kind) for model in models.values()):
        return FitReport(args.data, compare_fit(models, data))
    return ComparisonReport(args.data, compare(models, data))


@dataclass(frozen=True, eq=False)
class ComparisonReport:
    """Models compared on the rows of one file."""

    data_path: str
    comparison: Comparison
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {"data": self.data_path, **self.comparison.as_dict()}

    def blocks(self) -> Iterator[Block]:
        models = self.comparison.models
        rows = count_of(self.comparison.rows, "row")
        yield f"{rows} of {self.data_path}; bits per row, higher is better\n"
        yield Table(HEADER, [_row(model) for model in models], "<<>>>>>><")
        yield "\nScores in bits over all rows, higher is better; the last is experimental\n"
        head = ["Model", "BIC", "AIC", "BIC, effective size"]
        yield Table(head, [_scores(model) for model in models], "<>>>")
        if any(model.zero_probability_rows for model in models):
            yield "\n-inf: some rows have probability 0; smooth the tables to avoid it."


@dataclass(frozen=True, eq=False)
class FitReport:
    """Models without probabilities compared on the rows of one file."""

    data_path: str
    comparison: FitComparison
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "data": self.data_path,
            "rows": self.comparison.rows,
            "scale": self.comparison.scale.value,
            "models": [model.as_dict() for model in self.comparison.models],
        }

    def blocks(self) -> Iterator[Block]:
        comparison = self.comparison
        names = comparison.measure_names
        yield f"{count_of(comparison.rows, 'row')} of {self.data_path}; lower is better\n"
        sizes = (comparison.size_title, "Effective size")
        header = ["Model", *map(measure_title, names), *sizes, ""]
        rows = [
            [
                model.name,
                *(_number(model.measures.get(name)) for name in names),
                whole(model.representation_size),
                whole(model.effective_size),
                "best" if model.is_best else "",
            ]
            for model in comparison.models
        ]
        yield Table(header, rows, "<" + ">" * (len(header) - 2) + "<")


def _number(value: float | None) -> str:
    return whole(value) if value is not None and value.is_integer() else decimal(value)


def _row(model: ComparedModel) -> tuple[str, ...]:
    """One model; difference and interval are empty for the best one."""
    is_best = model.verdict == "best"
    low, high = model.interval or (None, None)
    return (
        model.name,
        model.kind,
        decimal(model.log2_likelihood_per_row),
        decimal(model.standard_error),
        "" if is_best else decimal(model.difference),
        "" if is_best or low is None else f"{decimal(low)} to {decimal(high)}",
        whole(model.representation_size),
        whole(model.effective_size),
        model.verdict,
    )


def _scores(model: ComparedModel) -> tuple[str, ...]:
    scores = (model.bic, model.aic, model.bic_effective)
    return (model.name, *(decimal(score, 1) for score in scores))
