"""`pgmstudio recipe`: the experiments of the sources, published values beside obtained ones."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import follow
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_table
from pgmstudio.core.params import params_to_dict
from pgmstudio.studies.recipe import (
    Measured,
    Recipe,
    RecipeEvent,
    RecipeTask,
    TableRow,
    sweep_of,
    table_csv,
    table_of,
)


def run(words: Sequence[str]) -> int:
    from pgmstudio.studies.recipe_data import data_folder, read_sources
    from pgmstudio.studies.registry import RECIPES, recipe_of

    words = _with_settings(words)
    chosen = next((word for word in words if word in RECIPES), None)
    parser = _parser(None if chosen is None else RECIPES[chosen])
    if chosen is None:
        args = parser.parse(words)
        if args.name is not None:
            recipe_of(args.name)  # says which is nearest
        _list(args)
        return 0
    recipe = RECIPES[chosen]
    args = parser.parse(words)
    if args.plot is not None:
        _check_plot(args.plot, recipe)
    params: Any = params_from(args, recipe.params_type)
    line = ProgressLine(quiet=args.quiet)
    task = RecipeTask(chosen, params, args.seed, read_sources(recipe, data_folder(args.data)))
    measured: list[Measured] = []

    def take(event: RecipeEvent) -> None:
        if isinstance(event, Measured):
            measured.append(event)

    end = follow(task, take, line, time_limit=args.time_limit)
    rows = table_of(recipe, measured)
    trials = max((row.trials for row in rows), default=0)
    line.say(f"{end.words} with {count_of(trials, 'trial')}.")
    if args.out is not None:
        from pgmstudio.core.io.atomic import replace_file

        replace_file(args.out, table_csv(rows).encode())
    if args.plot is not None:
        _write_plot(args.plot, recipe, measured)
    if args.json:
        print_json(
            {
                "recipe": chosen,
                "seed": args.seed,
                "parameters": params_to_dict(params),
                "outcome": end.outcome,
                "seconds": end.seconds,
                "rows": [_row_json(row) for row in rows],
                "notes": end.notes,
                "why": list(recipe.why),
            }
        )
    else:
        _print(recipe, rows)
    return end.code


def _check_plot(path: str, recipe: Recipe) -> None:
    if not path.lower().endswith(".svg"):
        raise UsageError("--plot: the picture ends in .svg.")
    if recipe.curves is None:
        raise UsageError(f"--plot: {recipe.key} has a table and no curves.")


def _write_plot(path: str, recipe: Recipe, measured: Sequence[Measured]) -> None:
    from pgmstudio.core.experiments.sl_curves.sweep import sweep_svg
    from pgmstudio.core.io.atomic import replace_file

    sweep = sweep_of(recipe, measured)
    if sweep is not None and sweep.lines:
        replace_file(path, sweep_svg(sweep).encode())


def _parser(recipe: Recipe | None) -> CommandParser:
    parser = CommandParser(
        "recipe",
        "Runs an experiment of the sources and prints its table: published value, obtained mean "
        "over the trials, their standard deviation, and the difference.\n"
        "Without NAME it lists the recipes.",
    )
    parser.describe(recipe, "recipe")
    parser.add_argument("name", metavar="NAME", nargs="?", help="which experiment")
    parser.add_data_folder()
    parser.add_argument("--out", metavar="FILE.csv", help="also write the table")
    parser.add_argument(
        "--plot", metavar="OUT.svg", help="also draw the curves of a recipe that has some"
    )
    parser.add_argument(
        "--set", metavar="NAME=VALUE", help="a setting; the same as --name value, may be repeated"
    )
    parser.add_time_limit("the trials so far")
    parser.add_seed()
    parser.add_json()
    parser.add_quiet()
    if recipe is not None:
        add_param_options(parser, recipe.params_type, f"settings of {recipe.key}")
    return parser


def _with_settings(words: Sequence[str]) -> list[str]:
    """`--set trials=5` as `--trials=5`."""
    found: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--set" or word.startswith("--set="):
            setting = word.removeprefix("--set=") if "=" in word else "".join(waiting[:1])
            waiting = waiting if "=" in word else waiting[1:]
            name, sign, value = setting.partition("=")
            if not (name and sign):
                raise UsageError("--set needs NAME=VALUE, such as trials=5.")
            word = f"--{name.strip().replace('_', '-')}={value.strip()}"
        found.append(word)
    return found


def _list(args: argparse.Namespace) -> None:
    from pgmstudio.studies.recipe_data import absent_files, data_folder
    from pgmstudio.studies.registry import RECIPES

    folder = data_folder(args.data)
    if args.json:
        print_json(
            {
                "recipes": [
                    {
                        "key": recipe.key,
                        "title": recipe.title,
                        "place": recipe.place,
                        "help": recipe.help,
                        "takes": recipe.takes,
                        "needs": [path for source in recipe.sources for path in source.paths],
                        "absent": list(absent_files(recipe, folder)),
                    }
                    for recipe in RECIPES.values()
                ]
            }
        )
        return
    width = max(map(len, RECIPES))
    for recipe in RECIPES.values():
        print(f"{recipe.key:<{width}}  {recipe.title} ({recipe.place}; {recipe.takes})")
        told = recipe.help
        if recipe.sources:
            there = "not there" if absent_files(recipe, folder) else "there"
            needs = ", ".join(path for source in recipe.sources for path in source.paths)
            told += f" Needs {needs}: {there}."
        for piece in textwrap.wrap(told, width=76):
            print(" " * (width + 2) + piece)


def _print(recipe: Recipe, rows: Sequence[TableRow]) -> None:
    cells = []
    obtained = [row for row in rows if row.obtained is not None]
    for row in obtained:
        told, digits = row.quantity, row.quantity.digits
        published = decimal(told.published, digits)
        if told.spread is not None:
            published += f" ± {decimal(told.spread, digits)}"
        spread = "" if row.spread is None else f"± {decimal(row.spread, digits)}"
        difference = row.difference
        sign = "+" if difference is not None and difference > 0 else ""
        cells.append(
            (
                told.title,
                published,
                decimal(row.obtained, digits),
                spread,
                sign + decimal(difference, digits) if difference is not None else "",
                told.note,
            )
        )
    print_table(("", "Published", "Obtained", "", "Difference", ""), cells, "<>><><")
    if missing := len(rows) - len(obtained):
        print(f"· Not asked for or not reached: {missing} more.")
    for sentence in recipe.why:
        print("\n".join(textwrap.wrap(sentence, 96, initial_indent="· ", subsequent_indent="  ")))


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
