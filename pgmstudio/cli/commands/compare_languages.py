"""`pgmstudio compare-languages`: one model of each language on the same rows, and its cost."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    check_ending,
    import_options,
    read_rows,
    read_together,
    save_content,
    save_table,
)
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    listed,
    number,
    spelled,
    whole_number,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_task
from pgmstudio.core.data.resampling import case_total
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.experiments.language_comparison.candidates import (
    LANGUAGES,
    ROWS_FOR_ONE_SPLIT,
    SPLITS,
    TEST_SHARE,
    VALID_SHARE,
    language_of,
    languages_plan,
    train_valid_test_split,
    train_valid_test_splits,
)
from pgmstudio.core.experiments.language_comparison.results import (
    AllSplitsState,
    LanguageRow,
    LanguageTable,
    table_csv,
    table_json,
    verdict,
)
from pgmstudio.core.experiments.language_comparison.scheduler import Budget, Finish, SplitsTask
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.run_task import RunProblem
from pgmstudio.core.io.atomic import make_folder
from pgmstudio.core.io.data.reader import import_together
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.json_documents import exported_json

HEADER = (
    *("Language", "Test bits", "±", "To the best", "95 % interval", "", "Effective size"),
    *("Parameters", "Learned s", "Update ms"),
)


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "compare-languages",
        "Learn one model of each language from the same rows with the same seeds, within a time\n"
        "budget, and compare them on the same test rows: bits per row, paired differences, sizes\n"
        "and times. The model of a language is the one with most bits on validation rows. Small\n"
        "data sets are split several times, each time with other test rows.",
    )
    parser.add_argument("data", metavar="DATA", help="rows to learn from")
    parser.add_argument(
        "--budget",
        "--time-limit",
        type=number(0, low_open=True),
        default=60.0,
        metavar="S",
        help="time budget for all languages together in seconds of processor time of each core, "
        "without loading and compiling (default 60): a busy machine takes longer and gives the "
        "same result",
    )
    parser.add_argument(
        "--each", action="store_true", help="give the budget to each language, not to all together"
    )
    parser.add_argument(
        "--languages",
        metavar="KEY,KEY…",
        help=f"compare only these of {', '.join(LANGUAGES)} (default all)",
    )
    parser.add_argument("--test", metavar="DATA", help="rows to test on")
    parser.add_argument("--valid", metavar="DATA", help="rows to choose models on")
    for name, fraction in (("test", TEST_SHARE), ("valid", VALID_SHARE)):
        parser.add_argument(
            f"--{name}-share",
            type=number(0, 0.9, low_open=True),
            default=fraction,
            metavar="X",
            help=f"without --{name}, hold out this fraction of the rows (default {fraction:g})",
        )
    parser.add_argument(
        "--splits",
        type=_splits_number,
        default=None,
        metavar="N|auto",
        help="learn and test in N splits, each with other test rows, which divide the budget "
        f"(default auto: {SPLITS} for fewer than {ROWS_FOR_ONE_SPLIT} rows, else 1)",
    )
    parser.add_argument(
        "--seeds",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="run each language with N seeds, starting at --seed (default 1)",
    )
    parser.add_argument(
        "--smoothing",
        type=_smoothing,
        default="auto",
        metavar="X|auto",
        help="pseudo-count of every table cell (default auto: chosen by each language); mixtures "
        "of trees and labelled DAGs use their own kind of smoothing",
    )
    parser.add_jobs("--processes")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the table as .csv or .json")
    parser.add_argument(
        "--models", metavar="FOLDER", help="write the model of each language to this folder"
    )
    parser.add_seed()
    add_data_options(parser)
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> LanguagesReport:
    check_ending(args.output, [".csv", ".json"], "tables")
    chosen = [spelled(key, LANGUAGES) for key in listed(args.languages)]
    keys = [language_of(key).key for key in chosen or LANGUAGES]
    splits = _splits(args, line)
    seeds = tuple(range(args.seed, args.seed + args.seeds))
    plan = languages_plan(keys, splits[0], seeds=seeds, smoothing=args.smoothing)
    budget = Budget(args.budget, "each" if args.each else "all")
    state = AllSplitsState(keys, splits)

    def take(event: Any) -> None:
        state.take(event)

    task = _Guarded(SplitsTask(plan, splits, budget, Finish(), args.jobs))
    end = run_task(
        task,
        take,
        line,
        shows_note=lambda note: isinstance(note, RunProblem),
        yields_after_stop=True,
    )
    state.end()
    table = state.table(len(seeds))
    settings = {
        "data": args.data,
        "fingerprint": splits[0].fingerprint,
        "seeds": list(seeds),
        "smoothing": args.smoothing,
        "budget": budget.seconds,
        "budget_per": budget.per,
        "outcome": "failed" if task.has_failed else end.outcome,
        "seconds": end.seconds,
    }
    _write(table, settings, args)
    return LanguagesReport(table, splits[0], settings, end.notes, end.exit_code)


class _Guarded:
    """A comparison that turns the crash of one language's process into a note."""

    def __init__(self, task: SplitsTask) -> None:
        self._task = task
        self.has_failed = False

    def __call__(self, cancel: CancelToken, /) -> Iterator[Any]:
        try:
            yield from self._task(cancel)
        except ChildError as bug:  # the other languages have finished
            self.has_failed = True
            yield Note(str(bug))


def _smoothing(text: str) -> float | str:
    return "auto" if text == "auto" else number(0)(text)


def _splits_number(text: str) -> int | None:
    return None if text == "auto" else whole_number(1)(text)


def _splits(args: argparse.Namespace, line: ProgressLine) -> tuple[PlanRows, ...]:
    """The same splits as in the window for the same rows and seed."""
    fractions = (args.valid_share, args.test_share)
    count = args.splits
    if args.test is None and args.valid is None:
        data = read_rows(args.data, args, line)
        return train_valid_test_splits(data, count=count, seed=args.seed, fractions=fractions)
    if args.test is None or args.valid is None:
        other = args.test or args.valid
        data, second = read_together(args.data, other, args, line)
        test, valid = (second, None) if args.valid is None else (None, second)
        return train_valid_test_splits(
            data, count=count, seed=args.seed, fractions=fractions, test=test, valid=valid
        )
    files = [args.data, args.test, args.valid]
    parts = [one.data for one in import_together(files, import_options(args))]
    return (train_valid_test_split(parts[0], seed=args.seed, test=parts[1], valid=parts[2]),)


def _write(table: LanguageTable, settings: Mapping[str, Any], args: argparse.Namespace) -> None:
    """Write the table and the models to the requested files."""
    if args.output is not None:
        if Path(args.output).suffix.lower() == ".csv":
            save_table(args.output, table_csv(table), quoted=args.quote_formulas)
        else:
            save_content(args.output, exported_json(table_json(table, settings)).encode())
    if args.models is not None:
        make_folder(args.models)
        for row in table.rows:
            if row.point is not None and row.point.model is not None:
                target = Path(args.models) / f"{row.language.key}.json"
                write_model(target, ModelFile(row.point.model, title=row.language.title))


@dataclass(frozen=True, eq=False)
class LanguagesReport:
    """The table of a comparison, with its settings."""

    table: LanguageTable
    rows: PlanRows
    settings: Mapping[str, Any]
    notes: Sequence[str]
    exit_code: int

    def as_dict(self) -> Mapping[str, Any]:
        return {**self.settings, **self.table.as_dict(), "notes": list(self.notes)}

    def blocks(self) -> Iterator[Block]:
        assert self.rows.valid is not None
        splits = self.table.split_count
        yield (
            f"{count_of(case_total(self.rows.train), 'row')} to learn from, "
            f"{whole(case_total(self.rows.valid))} to choose on, "
            f"{whole(case_total(self.rows.test))} to test on"
            f"{f' in each of {splits} splits' if splits > 1 else ''}; "
            "bits per row, higher is better\n"
        )
        table = self.table
        rows = [_row(row, row is table.best, table.has_verdict) for row in table.ranked]
        yield Table(HEADER, rows, "<>>>><>>>>")
        yield f"\n{self.table.method}"
        yield verdict(self.table)


def _row(row: LanguageRow, is_best: bool, has_verdict: bool) -> tuple[str, ...]:
    model, point = row.compared, row.point
    if model is None or point is None:
        return (row.language.title, *[""] * 4, row.state, "", "", decimal(row.seconds, 1), "")
    low, high = model.interval or (None, None)
    update = point.inference_seconds
    return (
        row.language.title,
        decimal(model.log2_likelihood_per_row),
        decimal(model.standard_error),
        "" if is_best else decimal(model.difference),
        "" if is_best or low is None else f"{decimal(low)} to {decimal(high)}",
        row.verdict if has_verdict or row.state == "stopped" else "",
        whole(round(model.effective_size)),
        whole(round(model.representation_size)),
        decimal(row.seconds, 1),
        decimal(None if update is None else 1000 * update, 2),
    )
