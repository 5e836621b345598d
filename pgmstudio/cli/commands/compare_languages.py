"""`pgmstudio compare-languages`: one model of each language on the same rows, and its cost."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.options.data import add_data_options, read_rows, read_together
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import interrupts_press
from pgmstudio.cli.terminal.tables import (
    count_of,
    decimal,
    exported_json,
    print_json,
    print_table,
    whole,
)
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import Note, Progress, StopSwitch

if TYPE_CHECKING:
    from pgmstudio.core.experiments.language_comparison.results import AllSplitsState, LanguageTable
    from pgmstudio.core.experiments.language_comparison.scheduler import SplitsTask
    from pgmstudio.core.experiments.plans.expansion import PlanRows

ENDINGS = (".csv", ".json")


def run(words: Sequence[str]) -> int:
    args = _parser().parse(words)
    if args.output is not None and Path(args.output).suffix.lower() not in ENDINGS:
        raise UsageError("-o: the table ends in .csv or .json.")
    from pgmstudio.core.experiments.language_comparison.candidates import (
        LANGUAGES,
        language_of,
        languages_plan,
    )
    from pgmstudio.core.experiments.language_comparison.results import AllSplitsState, verdict
    from pgmstudio.core.experiments.language_comparison.scheduler import Budget, Finish, SplitsTask

    asked = [key.strip() for key in (args.languages or "").split(",") if key.strip()]
    keys = [language_of(key).key for key in asked or LANGUAGES]
    line = ProgressLine(quiet=args.quiet)
    splits = _splits(args, line)
    rows = splits[0]
    seeds = tuple(range(args.seed, args.seed + args.seeds))
    plan = languages_plan(keys, rows, seeds=seeds, smoothing=args.smoothing)
    budget = Budget(args.budget, "each" if args.each else "all")
    race = AllSplitsState(keys, splits)
    task = SplitsTask(plan, splits, budget, Finish(), args.processes)
    outcome = _ran(task, race, line)
    table = race.table(len(seeds))
    about = {
        "data": args.data,
        "fingerprint": rows.fingerprint,
        "seeds": list(seeds),
        "smoothing": args.smoothing,
        "budget": budget.seconds,
        "budget_per": budget.per,
        "outcome": outcome["outcome"],
        "seconds": outcome["seconds"],
    }
    _write(table, about, args)
    if args.json:
        print_json({**about, **table.as_dict(), "notes": outcome["notes"]})
    else:
        _print(table, rows)
        print(f"\n{table.method}")
        print(verdict(table))
    return 130 if outcome["interrupted"] else 0


def _parser() -> CommandParser:
    from pgmstudio.core.experiments.language_comparison.candidates import (
        LANGUAGES,
        ROWS_FOR_ONE_SPLIT,
        SPLITS,
        TEST_SHARE,
        VALID_SHARE,
    )

    parser = CommandParser(
        "compare-languages",
        "Learns one model of each language from the same rows with the same seeds, within a time\n"
        "budget, and compares them on the same test rows: bits per row, paired differences, sizes\n"
        "and times. The model of a language is the one with most bits on validation rows. Few\n"
        "rows are split several times, each time with other test rows.",
    )
    parser.add_argument("data", metavar="DATA", help="rows to learn from")
    parser.add_argument(
        "--budget",
        type=number(0, low_open=True),
        default=60.0,
        metavar="S",
        help="seconds for all languages together (default 60)",
    )
    parser.add_argument(
        "--each", action="store_true", help="the budget is for each language, not for all"
    )
    parser.add_argument(
        "--languages", metavar="KEY,KEY…", help=f"of {', '.join(LANGUAGES)} (default all)"
    )
    parser.add_argument("--test", metavar="DATA", help="rows to test on")
    parser.add_argument("--valid", metavar="DATA", help="rows to choose models on")
    for name, share in (("test", TEST_SHARE), ("valid", VALID_SHARE)):
        parser.add_argument(
            f"--{name}-share",
            type=number(0, 0.9, low_open=True),
            default=share,
            metavar="X",
            help=f"without --{name}, the share of rows put aside at random (default {share:g})",
        )
    parser.add_argument(
        "--splits",
        type=_splits_number,
        default=None,
        metavar="N|auto",
        help="learn and test in so many splits, each with other test rows; the time is shared by "
        f"them (default auto: {SPLITS} for fewer than {ROWS_FOR_ONE_SPLIT} rows, else 1)",
    )
    parser.add_argument(
        "--seeds",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="how many seeds each language is run with, from --seed on (default 1)",
    )
    parser.add_argument(
        "--smoothing",
        type=_smoothing,
        default="auto",
        metavar="X|auto",
        help="pseudo-count in every cell of a table (default auto: each language finds its own); "
        "mixtures of trees and labelled DAGs have smoothing of another kind and keep it",
    )
    parser.add_processes()
    parser.add_argument("-o", "--output", metavar="FILE", help="the table as .csv or .json")
    parser.add_argument("--models", metavar="FOLDER", help="keep the model of each language here")
    parser.add_seed()
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    return parser


def _smoothing(text: str) -> float | str:
    return "auto" if text == "auto" else number(0)(text)


def _splits_number(text: str) -> int | None:
    return None if text == "auto" else whole_number(1)(text)


def _splits(args: argparse.Namespace, line: ProgressLine) -> tuple[PlanRows, ...]:
    """Split just as the window splits a data set of the same rows and seed."""
    from pgmstudio.core.experiments.language_comparison.candidates import (
        train_valid_test_split,
        train_valid_test_splits,
    )

    shares, count = (args.valid_share, args.test_share), args.splits
    if args.test is None and args.valid is None:
        data = read_rows(args.data, args, line)
        return train_valid_test_splits(data, count=count, seed=args.seed, shares=shares)
    if args.test is None or args.valid is None:
        other = args.test or args.valid
        data, second = read_together(args.data, other, args, line)
        test, valid = (second, None) if args.valid is None else (None, second)
        return train_valid_test_splits(
            data, count=count, seed=args.seed, shares=shares, test=test, valid=valid
        )
    from pgmstudio.cli.options.data import import_options
    from pgmstudio.core.io.data.reader import import_together

    files = [args.data, args.test, args.valid]
    parts = [one.data for one in import_together(files, import_options(args))]
    return (train_valid_test_split(parts[0], seed=args.seed, test=parts[1], valid=parts[2]),)


def _ran(task: SplitsTask, race: AllSplitsState, line: ProgressLine) -> dict[str, Any]:
    from pgmstudio.core.experiments.plans.run_task import RunProblem

    switch = StopSwitch()
    started, notes, outcome = time.monotonic(), list[str](), "stopped"
    with interrupts_press(switch) as interrupts:
        try:
            for event in task(switch):
                race.take(event)
                match event:
                    case Progress():
                        line.show(event)
                    case Note(message):
                        notes.append(message)
                        line.say(message if isinstance(event, RunProblem) else "")
            outcome = "finished"
        except Cancelled:
            pass
        except ChildError as bug:  # the other languages are through; theirs is told
            notes.append(str(bug))
            outcome = "failed"
        finally:
            line.clear()
            race.end()
    return {
        "outcome": outcome,
        "interrupted": interrupts.happened,
        "seconds": time.monotonic() - started,
        "notes": notes,
    }


def _write(table: LanguageTable, about: Mapping[str, Any], args: argparse.Namespace) -> None:
    """The table and the models, where they were asked for."""
    from pgmstudio.core.experiments.language_comparison.results import table_csv, table_json
    from pgmstudio.core.io.atomic import make_folder, replace_file

    if args.output is not None:
        if Path(args.output).suffix.lower() == ".csv":
            text = table_csv(table)
        else:
            text = exported_json(table_json(table, about))
        replace_file(args.output, text.encode())
    if args.models is not None:
        from pgmstudio.core.io.models.files import ModelFile, write_model

        make_folder(args.models)
        for row in table.rows:
            if row.point is not None and row.point.model is not None:
                target = Path(args.models) / f"{row.language.key}.json"
                write_model(target, ModelFile(row.point.model, title=row.language.title))


HEAD = (
    *("Language", "Test bits", "±", "To the best", "95 % interval", "", "Effective size"),
    *("Parameters", "Learned s", "Update ms"),
)


def _print(table: LanguageTable, rows: PlanRows) -> None:
    from pgmstudio.core.data.resampling import case_total

    assert rows.valid is not None
    print(
        f"{count_of(case_total(rows.train), 'row')} to learn from, "
        f"{whole(case_total(rows.valid))} to choose on, {whole(case_total(rows.test))} to test on"
        f"{f' in each of {table.split_count} splits' if table.split_count > 1 else ''}; "
        "bits per row, higher is better\n"
    )
    lines = []
    for row in table.ranked:
        one, point = row.compared, row.point
        if one is None or point is None:
            blank = [""] * 4
            lines.append(
                (row.language.title, *blank, row.state, "", "", decimal(row.seconds, 1), "")
            )
            continue
        is_best = row is table.best
        low, high = one.interval or (None, None)
        update = point.inference_seconds
        lines.append(
            (
                row.language.title,
                decimal(one.log2_likelihood_per_row),
                decimal(one.standard_error),
                "" if is_best else decimal(one.difference),
                "" if is_best or low is None else f"{decimal(low)} to {decimal(high)}",
                row.verdict,
                whole(round(one.effective_size)),
                whole(round(one.representation_size)),
                decimal(row.seconds, 1),
                decimal(None if update is None else 1000 * update, 2),
            )
        )
    print_table(HEAD, lines, "<>>>><>>>>")
