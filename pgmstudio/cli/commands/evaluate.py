"""`pgmstudio evaluate`: log-likelihood of rows, sizes of the model, and its predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.cli.commands.classification import (
    ClassificationReport,
    add_target_options,
    check_target_options,
    classify_rows,
)
from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.output import Block, Fields, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.model_comparison import Likelihood, likelihood_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model, ProbabilisticModel


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "evaluate",
        "Compute the log-likelihood of the rows in bits (base 2, missing cells summed out) and\n"
        "the sizes of the model. With --target, predict that variable from the others.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument("data", metavar="DATA", help="data file with the model's variables")
    parser.add_argument(
        "--rows",
        metavar="OUT.csv",
        help="write log2 P(row) and the least expected variable of every row, the least probable "
        "row first",
    )
    parser.add_argument(
        "--assign",
        metavar="OUT.csv",
        help="write the class or component of every row of a mixture, its responsibility and "
        "entropy; also of rows with missing cells",
    )
    add_data_options(parser, "variable to predict from the others; see predicting a target")
    add_target_options(parser)
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Evaluation:
    check_target_options(args)
    model = open_model(args.model, line).model
    target = None if args.target is None else model.domain[args.target].name
    data = read_rows_for(model, args.data, args, line, may_lack_columns=target is not None)
    likelihood = likelihood_of(model, data)
    if args.rows is not None:
        write_row_table(args.rows, model, data, quoted=args.quote_formulas)
        line.message(f"Wrote {count_of(data.row_count, 'row')} to {args.rows}.")
    if args.assign is not None:
        write_components(args.assign, model, data, quoted=args.quote_formulas)
        line.message(f"Assigned {count_of(data.row_count, 'row')} in {args.assign}.")
    classification = None if target is None else classify_rows(model, data, target, args, line)
    return Evaluation(model, data, likelihood, classification)


def write_row_table(path: str, model: Model, data: DataSet, *, quoted: bool) -> None:
    """Write log2 P(row) and the least expected variable, the least probable row first."""
    from pgmstudio.core.analysis.anomaly import row_surprises
    from pgmstudio.core.analysis.tables import surprise_table, table_text
    from pgmstudio.core.io.data.spreadsheets import write_csv

    if not isinstance(model, ProbabilisticModel):
        raise UsageError(f"{a_kind(model.kind, 'A')} gives rows no probability; leave out --rows.")
    surprises = row_surprises(model, data)
    order = np.argsort(-surprises.row_bits, kind="stable").tolist()
    write_csv(path, table_text(surprise_table(surprises, order)), quoted=quoted)


def write_components(path: str, model: Model, data: DataSet, *, quoted: bool) -> None:
    """Write class or component, responsibilities and entropy of all rows in their order."""
    from pgmstudio.core.analysis.cluster_assignment import (
        component_table,
        row_components,
    )
    from pgmstudio.core.analysis.tables import table_text
    from pgmstudio.core.io.data.spreadsheets import write_csv

    if not isinstance(model, ComponentModel):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no classes or components; leave out --assign."
        )
    table = component_table(row_components(model, data), model.component_title)
    write_csv(path, table_text(table), quoted=quoted)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The likelihood of the rows and the sizes of the model."""

    model: Model
    data: DataSet
    likelihood: Likelihood
    classification: ClassificationReport | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "kind": self.model.kind,
            "rows": self.data.row_count,
            "log2_likelihood": self.likelihood.log2_likelihood,
            "log2_likelihood_per_row": self.likelihood.per_row,
            "zero_probability_rows": self.likelihood.zero_probability_rows,
            "representation_size": self.model.representation_size(),
            "effective_size": self.model.effective_size(),
        }
        if self.classification is not None:
            document["classification"] = self.classification.as_dict()
        return document

    def blocks(self) -> Iterator[Block]:
        model = self.model
        pairs = [
            ("Model", f"{model.kind}, {count_of(len(model.domain), 'variable')}"),
            ("Rows", whole(self.data.row_count)),
            ("Log-likelihood", f"{decimal(self.likelihood.log2_likelihood)} bits"),
            ("Per row", f"{decimal(self.likelihood.per_row)} bits"),
            ("Free parameters", whole(model.representation_size())),
            ("Effective size", whole(model.effective_size())),
        ]
        if self.data.weights is not None:
            pairs.insert(2, ("Total weight", decimal(self.data.total_weight, 0)))
        yield Fields(pairs)
        if self.likelihood.zero_probability_rows:
            impossible = count_of(self.likelihood.zero_probability_rows, "row")
            yield f"{impossible} with probability 0, hence -inf; smooth the tables to avoid it."
        if self.classification is not None:
            yield from self.classification.blocks()
