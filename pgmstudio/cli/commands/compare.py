"""`pgmstudio compare`: models of any languages side by side on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_table, whole
from pgmstudio.core.analysis.model_comparison import ComparedModel, compare


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "compare",
        "Bits per row of several models on the same rows, and which differences are more than\n"
        "chance (paired over rows, 95 % intervals).",
    )
    parser.add_argument("data", metavar="DATA", help="rows to compare on")
    parser.add_argument("models", metavar="MODEL", nargs="+", help="model files")
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    names = model_names(args.models)
    models = {
        name: open_model(path, line).model for name, path in zip(names, args.models, strict=True)
    }
    first = next(iter(models.values()))
    compared = compare(models, read_rows_for(first, args.data, args, line))
    if args.json:
        print_json({"data": args.data, **compared.as_dict()})
        return 0
    print(f"{count_of(compared.rows, 'row')} of {args.data}; bits per row, higher is better\n")
    print_table(
        HEAD,
        [_row(model) for model in compared.models],
        "<<>>>>>><",
    )
    if any(model.zero_probability_rows for model in compared.models):
        print("\n−∞: the model rules out rows that occur; smoothing its tables avoids that.")
    return 0


def model_names(paths: Sequence[str]) -> list[str]:
    """File names without endings where that tells the models apart, else the paths."""
    short = [Path(path).stem for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


HEAD = (
    *("Model", "Kind", "Bits per row", "±", "To the best", "95 % interval"),
    *("Parameters", "Effective size", ""),
)


def _row(model: ComparedModel) -> tuple[str, ...]:
    """One model; the difference to the best one and its interval are left empty for that one."""
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
