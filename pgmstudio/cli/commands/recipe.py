"""`pgmstudio recipe`: a published experiment, its values beside those obtained here."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import (
    check_ending,
    save_table,
)
from pgmstudio.cli.options.executors import add_executor_options
from pgmstudio.cli.options.parameters import add_param_options, option_defaults, params_from
from pgmstudio.cli.terminal.output import Block, Result, Table, count_of, decimal, signed
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import RunEnd, run_task
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.experiments.sl_curves.sweep import sweep_svg
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.params import params_to_dict
from pgmstudio.studies.recipe import (
    Measured,
    Recipe,
    RecipeEvent,
    TableRow,
    sweep_of,
    table_csv,
    table_of,
    without_curve_points,
)
from pgmstudio.studies.recipe_data import (
    absent_files,
    changed_files_note,
    data_folder,
    read_sources,
)
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import RECIPES, recipe_of


def make_parser(argv: Sequence[str]) -> CommandParser:
    recipe = next((RECIPES[argument] for argument in argv if argument in RECIPES), None)
    parser = _RecipeParser(
        "recipe",
        "Rerun a published experiment and print its table: published value, mean over the trials,\n"
        "their standard deviation, and the difference. Without NAME, list the recipes.",
    )
    parser.describe(recipe, "recipe")
    parser.add_argument("name", metavar="NAME", nargs="?", help="name of the recipe")
    parser.add_data_folder()
    parser.add_argument(
        "-o", "--output", "--out", metavar="FILE.csv", help="write the table to this file"
    )
    parser.add_argument("--plot", metavar="OUT.svg", help="draw the curves of a recipe with curves")
    parser.add_argument(
        "--set", metavar="NAME=VALUE", help="a setting, the same as --name value; may be repeated"
    )
    parser.add_argument(
        "--resume",
        metavar="FILE.jsonl",
        help="continue after the finished trials in this file, and add to it",
    )
    add_executor_options(parser)
    parser.add_time_limit("the trials so far")
    parser.add_quote_formulas()
    parser.add_seed()
    parser.add_argument(
        "--small", action="store_true", help="a run of seconds, for a look; settings still apply"
    )
    if recipe is not None:
        add_param_options(parser, recipe.params_type, f"settings of {recipe.key}")
        if "--small" in argv:
            parser.set_defaults(**option_defaults(recipe.small))
    return parser


class _RecipeParser(CommandParser):
    """A parser that reads `--set trials=5` as `--trials=5`."""

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        expanded: list[str] = []
        waiting = list(argv)
        while waiting:
            argument = waiting.pop(0)
            if argument == "--set":
                argument = f"--set={waiting.pop(0) if waiting else ''}"
            if argument.startswith("--set="):
                name, sign, value = argument.removeprefix("--set=").partition("=")
                if not (name and sign):
                    raise UsageError("--set needs NAME=VALUE, such as trials=5.")
                argument = f"--{name.strip().replace('_', '-')}={value.strip()}"
            expanded.append(argument)
        return super().parse(expanded)


def run(args: argparse.Namespace, line: ProgressLine) -> Result:
    folder = data_folder(args.data)
    if args.name is None:
        return recipe_list(folder)
    recipe = recipe_of(args.name)
    check_ending(args.plot, [".svg"], "plots")
    if args.plot is not None and recipe.curves is None:
        raise UsageError(f"--plot: {recipe.key} has a table and no curves.")
    params: Any = params_from(args, recipe.params_type)
    task = RecipeTask(
        recipe.key,
        params,
        args.seed,
        read_sources(recipe, folder),
        processes=args.jobs or core_count(),
        cluster=args.cluster,
        saved=None if args.resume is None else Path(args.resume),
    )
    line.message(changed_files_note(recipe, folder))
    measured: list[Measured] = []

    def take(event: RecipeEvent) -> None:
        if isinstance(event, Measured):
            measured.append(event)

    end = run_task(task, take, line, time_limit=args.time_limit)
    rows = table_of(recipe, measured)
    trials = max((row.trials for row in rows), default=0)
    line.message(f"{end.summary} with {count_of(trials, 'trial')}.")
    if args.output is not None:
        save_table(args.output, table_csv(rows), quoted=args.quote_formulas)
    if args.plot is not None:
        _write_plot(args.plot, recipe, measured)
    return RecipeReport(recipe, args.seed, params_to_dict(params), end, rows)


def _write_plot(path: str, recipe: Recipe, measured: Sequence[Measured]) -> None:
    sweep = sweep_of(recipe, measured)
    if sweep is not None and sweep.lines:
        replace_file(path, sweep_svg(sweep).encode())


@dataclass(frozen=True, eq=False)
class ExperimentList:
    """The recipes or studies, as `--json` prints them, each with a description."""

    field: str
    entries: Sequence[Mapping[str, Any]]
    descriptions: Sequence[str]
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {self.field: self.entries}

    def blocks(self) -> Iterator[Block]:
        width = max(len(entry["key"]) for entry in self.entries)
        for entry, description in zip(self.entries, self.descriptions, strict=True):
            yield (
                f"{entry['key']:<{width}}  {entry['title']} ({entry['place']}; {entry['takes']})"
            )
            for text in textwrap.wrap(description, width=76):
                yield " " * (width + 2) + text


def recipe_list(folder: Path | None) -> ExperimentList:
    """All recipes, and whether their data files are in the folder."""
    entries = []
    descriptions = []
    for recipe in RECIPES.values():
        needed = [path for source in recipe.sources for path in source.paths]
        absent = list(absent_files(recipe, folder))
        entries.append(
            {
                "key": recipe.key,
                "title": recipe.title,
                "place": recipe.place,
                "help": recipe.help,
                "takes": recipe.takes,
                "needs": needed,
                "absent": absent,
            }
        )
        status = "not found" if absent else "found"
        files = f" Needs {', '.join(needed)}: {status}." if needed else ""
        descriptions.append(recipe.help + files)
    return ExperimentList("recipes", entries, descriptions)


@dataclass(frozen=True, eq=False)
class RecipeReport:
    """The table of a recipe, published and obtained."""

    recipe: Recipe
    seed: int
    parameters: Mapping[str, Any]
    end: RunEnd
    rows: Sequence[TableRow]

    @property
    def exit_code(self) -> int:
        return self.end.exit_code

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "recipe": self.recipe.key,
            "seed": self.seed,
            "parameters": self.parameters,
            "outcome": self.end.outcome,
            "seconds": self.end.seconds,
            "rows": [_row_json(row) for row in self.rows],
            "notes": self.end.notes,
            "why": list(self.recipe.why),
        }

    def blocks(self) -> Iterator[Block]:
        shown = without_curve_points(self.recipe, self.rows)
        obtained = [row for row in shown if row.obtained is not None]
        header = ("", "Published", "Obtained", "", "Difference", "")
        yield Table(header, [_row_cells(row) for row in obtained], "<>><><")
        if missing := len(shown) - len(obtained):
            yield f"· Not requested or not reached: {missing} more."
        for note in self.recipe.why:
            yield "\n".join(textwrap.wrap(note, 96, initial_indent="· ", subsequent_indent="  "))


def _row_cells(row: TableRow) -> tuple[str, ...]:
    quantity = row.quantity
    digits = quantity.digits
    published = decimal(quantity.published, digits)
    if quantity.spread is not None:
        published += f" ± {decimal(quantity.spread, digits)}"
    return (
        quantity.title,
        published,
        decimal(row.obtained, digits),
        "" if row.spread is None else f"± {decimal(row.spread, digits)}",
        "" if row.difference is None else signed(row.difference, digits),
        quantity.note,
    )


def _row_json(row: TableRow) -> dict[str, Any]:
    return {
        "key": row.quantity.key,
        "title": row.quantity.title,
        "published": row.quantity.published,
        "published_sd": row.quantity.spread,
        "obtained": row.obtained,
        "sd": row.spread,
        "difference": row.difference,
        "trials": row.trials,
        "note": row.quantity.note,
    }
