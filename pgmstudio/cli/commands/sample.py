"""`pgmstudio sample`: rows drawn from a model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from pgmstudio.cli.options.data import check_memory, open_model
from pgmstudio.cli.terminal.output import FilesWritten, count_of
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.io.data.reader import write_data
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import ProbabilisticModel


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser("sample", "Draw independent rows from a model.")
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument(
        "-n", "--rows", type=whole_number(0), required=True, metavar="N", help="number of rows"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DATA", help="file to write")
    parser.add_argument(
        "--missing",
        type=number(0, 1),
        default=0.0,
        metavar="X",
        help="probability that a cell is missing (default 0)",
    )
    parser.add_seed()
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    model = open_model(args.model, line).model
    if not isinstance(model, ProbabilisticModel):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} is no probability distribution; it cannot be sampled."
        )
    check_memory(args.rows, model.domain)
    rng = np.random.default_rng(args.seed)
    data = model.sample(args.rows, rng)
    if args.missing > 0:
        codes = data.codes.copy()
        codes[rng.random(codes.shape) < args.missing] = data.missing_code
        data = DataSet(data.domain, codes)
    write_data(args.output, data, quoted=args.quote_formulas)
    rows, columns = count_of(data.row_count, "row"), count_of(len(data.domain), "column")
    line.message(f"Wrote {rows} of {columns} to {args.output}.")
    return FilesWritten(
        {
            "kind": model.kind,
            "seed": args.seed,
            "rows": data.row_count,
            "variables": len(data.domain),
            "data": args.output,
        }
    )
