"""`pgmstudio associations`: which columns tell something about a target."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.cli.options.data import add_data_options, read_rows
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, one_of
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_table, whole
from pgmstudio.core.analysis.feature_selection import (
    ALPHA,
    CORRECTIONS,
    p_words,
    target_tests,
    telling,
)

TESTS = ("g2", "chi2")


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "associations",
        "The p-value of independence of each column and the column of --target, and what the two\n"
        "tell about each other in bits; columns that tell most first.",
    )
    parser.add_argument("data", metavar="DATA", help="a data file")
    parser.add_argument(
        "--test", type=one_of(TESTS), default="g2", metavar="WHICH", help="g2 (default) or chi2"
    )
    parser.add_argument(
        "--alpha",
        type=number(0.0, 1.0, low_open=True),
        default=ALPHA,
        metavar="P",
        help=f"columns below this p-value are kept (default {ALPHA})",
    )
    parser.add_argument(
        "--correct",
        type=one_of(CORRECTIONS),
        default="none",
        metavar="HOW",
        help="for the number of tests: none (default), bonferroni or holm",
    )
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    if args.target is None:
        raise UsageError("Missing: --target COLUMN. See pgmstudio associations --help.")
    data = read_rows(args.data, args, ProgressLine(quiet=args.quiet))
    found = target_tests(data, args.target, test=args.test, correction=args.correct)
    kept = telling(found, args.alpha)
    if args.json:
        columns = [
            {
                "name": row.column,
                "p_value": None if row.outcome is None else row.p_value,
                "corrected_p_value": None if row.outcome is None else row.corrected,
                "information_bits": None if row.outcome is None else row.bits,
                "statistic": None if row.outcome is None else row.outcome.statistic,
                "degrees": None if row.outcome is None else row.outcome.freedom,
                "reliable": row.outcome is not None and row.outcome.reliable,
                "kept": row.column in kept,
            }
            for row in found
        ]
        told = {"target": args.target, "rows": data.row_count, "test": args.test}
        print_json({**told, "alpha": args.alpha, "correction": args.correct, "columns": columns})
        return 0
    head = ["Column", "p", "bits", args.test, "degrees", ""]
    if args.correct != "none":
        head.insert(2, f"p, {args.correct}")
    rows = []
    for row in found:
        outcome = row.outcome
        if outcome is None:
            numbers = ["–"] * (len(head) - 2)
        else:
            numbers = [p_words(row.p_value), decimal(row.bits), decimal(outcome.statistic, 1)]
            numbers.append(whole(outcome.freedom))
            if args.correct != "none":
                numbers.insert(1, p_words(row.corrected))
        remark = "" if row.column in kept else "no association found"
        if outcome is None:
            remark = "too many states to test"
        elif not outcome.reliable:
            remark = "few rows for a test" + (f"; {remark}" if remark else "")
        rows.append([row.column, *numbers, remark])
    print_table(head, rows, "<" + ">" * (len(head) - 2) + "<")
    columns_kept = f"{whole(len(kept))} of {count_of(len(found), 'column')}"
    print(f"\n{columns_kept} with p < {args.alpha:g} against {args.target}.")
    return 0
