"""`pgmstudio generate`: the synthetic data sets of the specifications, and our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pgmstudio.cli.options.data import check_room
from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, print_json


def run(words: Sequence[str]) -> int:
    from pgmstudio.core.experiments.generators.registry import GENERATORS, generator_of

    names = ", ".join(GENERATORS)
    chosen = next((word for word in words if word in GENERATORS), None)
    told = f"Draws rows of a synthetic data set. NAME is one of {names}."
    parser = CommandParser("generate", told)
    if chosen is None:
        parser.epilog = "pgmstudio generate NAME --help tells the parameters of a generator."
    else:
        parser.description = f"{chosen}: {GENERATORS[chosen].help}"
    parser.add_argument("name", metavar="NAME", help="which data set")
    parser.add_argument(
        "-n", "--rows", type=whole_number(0), required=True, metavar="N", help="rows to draw"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DATA", help="where they go")
    parser.add_argument(
        "--model", metavar="FILE", help="also write the model they come from, where one is drawn"
    )
    parser.add_seed()
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    if chosen is None:
        args, _ = parser.parse_known_args(list(words))
        generator_of(args.name)  # says which there are
    generator = generator_of(chosen or "")
    add_param_options(parser, generator.params_type, f"parameters of {generator.name}")
    args = parser.parse(words)
    params: Any = params_from(args, generator.params_type)

    import numpy as np

    from pgmstudio.core.io.data.reader import write_data
    from pgmstudio.core.io.models.files import ModelFile, write_model
    from pgmstudio.core.params import params_to_dict

    truth = None
    if args.model is not None:
        if generator.truth is not None:
            truth = generator.truth(params, np.random.default_rng(args.seed))
        if truth is None:
            raise UsageError(f"--model: the rows of {generator.name} come from no model of ours.")
    few = generator.generate(params, np.random.default_rng(args.seed), 1)
    check_room(args.rows, few.domain)
    data = generator.generate(params, np.random.default_rng(args.seed), args.rows)
    write_data(args.output, data, quoted=args.quote_formulas)
    if truth is not None:
        origin = {"generator": generator.name, "seed": args.seed, **params_to_dict(params)}
        write_model(args.model, ModelFile(truth, title=generator.title, provenance=origin))
    if args.json:
        print_json(
            {
                "generator": generator.name,
                "seed": args.seed,
                "rows": data.row_count,
                "variables": len(data.domain),
                "data": args.output,
                "model": args.model,
            }
        )
    rows, columns = count_of(data.row_count, "row"), count_of(len(data.domain), "column")
    also = "" if args.model is None else f" and their model to {args.model}"
    ProgressLine(quiet=args.quiet).say(f"Wrote {rows} of {columns} to {args.output}{also}.")
    return 0
