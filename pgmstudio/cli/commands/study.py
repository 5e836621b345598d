"""`pgmstudio study`: languages on the data sets of the sources, kept in a folder point by point."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import RunEnd, follow
from pgmstudio.cli.terminal.tables import count_of, print_json, print_table, whole
from pgmstudio.core.params import params_to_dict

if TYPE_CHECKING:
    from pgmstudio.studies.sl_results import SetResult
    from pgmstudio.studies.sl_study import Study
    from pgmstudio.studies.sl_verdicts import StudyTable
    from pgmstudio.studies.study_folder import StudyTask

TABLES = "tables.md"
# Clique trees beyond this are learned and told in the tables, but nobody could use them.
MAX_DRAWN = 100_000_000


def run(words: Sequence[str]) -> int:
    from pgmstudio.core.experiments.plans.run_task import RunProblem
    from pgmstudio.core.experiments.plans.runner import ProcessExecutor
    from pgmstudio.studies.recipe_data import data_folder, read_sources
    from pgmstudio.studies.sl_study import STUDIES, StudyParams, study_of
    from pgmstudio.studies.study_folder import StudyTask

    chosen = next((word for word in words if word in STUDIES), None)
    args = _parser(None if chosen is None else STUDIES[chosen]).parse(words)
    if chosen is None:
        if args.name is not None:
            study_of(args.name)  # says which is nearest
        _list(args)
        return 0
    if args.out is None:
        raise UsageError("study needs --out FOLDER, where points, curves and tables go.")
    params = params_from(args, StudyParams)
    study = STUDIES[chosen].only(params.only)
    sources = read_sources(study, data_folder(args.data))
    line = ProgressLine(quiet=args.quiet)
    place = ProcessExecutor(args.processes)
    task = StudyTask(Path(args.out), study, params, args.seed, sources, place)
    end = None
    if not args.tables:
        end = follow(
            task,
            lambda event: None,  # points are taken from the folder, where they are kept
            line,
            time_limit=args.time_limit,
            says=lambda note: isinstance(note, RunProblem),
            returns_models=True,
        )
    return _tell(task, end, args, line)


def _parser(study: Study | None) -> CommandParser:
    parser = CommandParser(
        "study",
        "Learns networks, latent classes, decision graphs and compiled networks on the data sets "
        "of a source, and prints tables: published beside obtained, with a verdict.\n"
        "Every point is kept in the folder as it comes, so a study that was stopped or killed goes "
        "on where it was.\nWithout NAME it lists the studies.",
    )
    parser.describe(study, "study")
    parser.add_argument("name", metavar="NAME", nargs="?", help="which study")
    parser.add_argument("--out", metavar="FOLDER", help="where points, curves and tables go")
    parser.add_data_folder()
    parser.add_processes()
    parser.add_argument(
        "--tables", action="store_true", help="only the tables and curves of what is there"
    )
    parser.add_time_limit("the points found")
    parser.add_seed()
    parser.add_json()
    parser.add_quiet()
    if study is not None:
        from pgmstudio.studies.sl_study import StudyParams

        add_param_options(parser, StudyParams, f"settings of {study.key}")
    return parser


def _list(args: argparse.Namespace) -> None:
    from pgmstudio.studies.recipe_data import absent_files, data_folder
    from pgmstudio.studies.sl_study import STUDIES

    folder = data_folder(args.data)
    told = [
        {
            "key": study.key,
            "title": study.title,
            "place": study.place,
            "help": study.help,
            "takes": study.takes,
            "sets": [own.name for own in study.sets],
            "absent": list(absent_files(study, folder)),
        }
        for study in STUDIES.values()
    ]
    if args.json:
        print_json({"studies": told})
        return
    width = max(map(len, STUDIES))
    for each in told:
        print(f"{each['key']:<{width}}  {each['title']} ({each['place']}; {each['takes']})")
        words = f"{each['help']} {', '.join(each['sets'])}."
        if each["absent"]:
            words += f" Lacks {', '.join(each['absent'])}."
        for piece in textwrap.wrap(words, width=76):
            print(" " * (width + 2) + piece)


def _tell(task: StudyTask, end: RunEnd | None, args: argparse.Namespace, line: ProgressLine) -> int:
    """Write curves and tables into the folder, and print the tables."""
    from pgmstudio.core.io.atomic import replace_file
    from pgmstudio.studies.sl_shapes import tables_of

    results = list(task.results())
    tables = tables_of(results)
    for result in results:
        replace_file(task.folder / f"{result.own.name}.svg", _picture(result).encode())
    if results:
        text = "\n".join(table.markdown() for table in tables)
        replace_file(task.folder / TABLES, f"{text}\n".encode())
    points = sum(len(result.points) for result in results)
    learning = sum(result.seconds for result in results)
    told = "" if end is None else f"{end.words}. "
    line.say(
        f"{told}{count_of(points, 'point')} of {count_of(len(results), 'data set')}, "
        f"{whole(learning)} s of learning; curves and {TABLES} are in {task.folder}."
    )
    if args.json:
        print_json(
            {
                "study": task.study.key,
                "seed": task.seed,
                "parameters": params_to_dict(task.params),
                "outcome": None if end is None else end.outcome,
                "seconds": None if end is None else end.seconds,
                "sets": [_set_json(result) for result in results],
                "tables": [_table_json(table) for table in tables],
                "notes": [] if end is None else end.notes,
            }
        )
    else:
        _print(tables)
    return 0 if end is None else end.code


def _picture(result: SetResult) -> str:
    """All curves; of compiled networks the best graph of each. What is far smaller than any network
    is left out, or nothing else could be seen."""
    from pgmstudio.core.drawing.svg.sl_plot import curve_svg
    from pgmstudio.core.experiments.sl_curves.curve import curve_plot
    from pgmstudio.studies.sl_tables import BN, HYBRID

    truth = None if result.truth is None else (result.truth.size, result.truth.test)
    points = [p for p in result.points if p.series != HYBRID]
    points += [best for trail in result.trails if (best := trail.best) is not None]
    least = 0.8 * min((p.effective_size for p in points if p.series == BN), default=0)
    shown = [
        p
        for p in points
        if math.isfinite(p.test_log2_likelihood_per_row) and least <= p.effective_size <= MAX_DRAWN
    ]
    plot = curve_plot(shown, title=result.own.title, ceiling=result.ceiling, truth=truth)
    series = tuple(
        replace(one, family="compiled") if one.name == HYBRID else one for one in plot.series
    )
    return curve_svg(replace(plot, series=series))


def _print(tables: Sequence[StudyTable]) -> None:
    for table in tables:
        print(f"\n{table.title}")
        print_table(table.head, table.rows, table.sides)
        if table.note:
            print("\n".join(textwrap.wrap(table.note, 96)))


def _set_json(result: SetResult) -> dict[str, object]:
    return {
        "name": result.own.name,
        "rows": list(result.counts),
        "ceiling": result.ceiling,
        "learning_seconds": result.seconds,
        "points": len(result.points),
    }


def _table_json(table: StudyTable) -> dict[str, object]:
    return {"title": table.title, "head": list(table.head), "rows": [list(r) for r in table.rows]}
