"""`pgmstudio sample`: rows drawn from a model."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.cli.options.data import check_room, open_model
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, print_json
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import ProbabilisticModel


def run(words: Sequence[str]) -> int:
    parser = CommandParser("sample", "Draws independent rows from a model.")
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument(
        "-n", "--rows", type=whole_number(0), required=True, metavar="N", help="rows to draw"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DATA", help="where they go")
    parser.add_argument(
        "--missing",
        type=number(0, 1),
        default=0.0,
        metavar="X",
        help="chance that a cell is left empty (default 0)",
    )
    parser.add_seed()
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    model = open_model(args.model, line).model
    if not isinstance(model, ProbabilisticModel):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} is no probability distribution; nothing can be drawn."
        )

    import numpy as np

    from pgmstudio.core.data.dataset import DataSet
    from pgmstudio.core.io.data.reader import write_data

    check_room(args.rows, model.domain)
    rng = np.random.default_rng(args.seed)
    data = model.sample(args.rows, rng)
    if args.missing > 0:
        codes = data.codes.copy()
        codes[rng.random(codes.shape) < args.missing] = data.missing_code
        data = DataSet(data.domain, codes)
    write_data(args.output, data, quoted=args.quote_formulas)
    if args.json:
        print_json(
            {
                "kind": model.kind,
                "seed": args.seed,
                "rows": data.row_count,
                "variables": len(data.domain),
                "data": args.output,
            }
        )
    rows, columns = count_of(data.row_count, "row"), count_of(len(data.domain), "column")
    line.say(f"Wrote {rows} of {columns} to {args.output}.")
    return 0
