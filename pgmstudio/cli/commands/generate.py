"""`pgmstudio generate`: synthetic data sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from pgmstudio.cli.options.data import (
    check_memory,
    save_rows,
)
from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.output import FilesWritten, count_of
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.experiments.generators.registry import GENERATORS, generator_of
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.params import params_to_dict


def make_parser(argv: Sequence[str]) -> CommandParser:
    chosen = next((argument for argument in argv if argument in GENERATORS), None)
    description = f"Draw rows of a synthetic data set. NAME is one of {', '.join(GENERATORS)}."
    if chosen is not None:
        description = f"{chosen}: {GENERATORS[chosen].help}"
    parser = CommandParser("generate", description)
    parser.add_argument("name", metavar="NAME", help="name of the data set")
    parser.add_argument(
        "-n", "--rows", type=whole_number(0), required=True, metavar="N", help="number of rows"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DATA", help="file to write")
    parser.add_argument(
        "--model", metavar="FILE", help="write the model that the rows are drawn from, if any"
    )
    parser.add_seed()
    parser.add_quote_formulas()
    if chosen is None:
        parser.epilog = "pgmstudio generate NAME --help lists the parameters of a generator."
        args, _ = parser.parse_known_args(list(argv))  # ends here with --help
        generator_of(args.name)  # raises, with the nearest name
    else:
        add_param_options(parser, GENERATORS[chosen].params_type, f"parameters of {chosen}")
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    generator = generator_of(args.name)
    params: Any = params_from(args, generator.params_type)
    truth = None
    if args.model is not None:
        if generator.truth is not None:
            truth = generator.truth(params, np.random.default_rng(args.seed))
        if truth is None:
            raise UsageError(f"--model: the rows of {generator.name} are not drawn from a model.")
    first_row = generator.generate(params, np.random.default_rng(args.seed), 1)
    check_memory(args.rows, first_row.domain)
    data = generator.generate(params, np.random.default_rng(args.seed), args.rows)
    save_rows(args.output, data, quoted=args.quote_formulas)
    if truth is not None:
        origin = {"generator": generator.name, "seed": args.seed, **params_to_dict(params)}
        write_model(args.model, ModelFile(truth, title=generator.title, provenance=origin))
    rows, columns = count_of(data.row_count, "row"), count_of(len(data.domain), "column")
    also = "" if args.model is None else f" and their model to {args.model}"
    line.message(f"Wrote {rows} of {columns} to {spoken(args.output)}{also}.")
    return FilesWritten(
        {
            "generator": generator.name,
            "seed": args.seed,
            "rows": data.row_count,
            "variables": len(data.domain),
            "data": args.output,
            "model": args.model,
        }
    )
