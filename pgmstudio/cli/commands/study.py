"""`pgmstudio study`: model languages on the data sets of a publication, saved in a folder."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pgmstudio.cli.commands.recipe import ExperimentList
from pgmstudio.cli.options.executors import add_executor_options, executor_of
from pgmstudio.cli.options.parameters import add_param_options, option_defaults, params_from
from pgmstudio.cli.terminal.output import Block, Result, Table, count_of, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, folder
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import RunEnd, run_task
from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.drawing.svg.sl_plot import curve_svg
from pgmstudio.core.experiments.plans.run_task import RunProblem
from pgmstudio.core.experiments.sl_curves.curve import curve_plot
from pgmstudio.core.experiments.sl_curves.sweep import sweep_svg
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.params import params_to_dict
from pgmstudio.studies.recipe_data import (
    absent_files,
    changed_files_note,
    data_folder,
    read_sources,
)
from pgmstudio.studies.sl_published import BN, HYBRID
from pgmstudio.studies.sl_results import SetResult, query_sweeps
from pgmstudio.studies.sl_shapes import tables_of
from pgmstudio.studies.sl_study import SMALL, STUDIES, StudyParams, study_of
from pgmstudio.studies.sl_verdicts import StudyTable
from pgmstudio.studies.study_folder import StudyTask

TABLES = "tables.md"
# Larger models are in the tables, but the plot leaves them out: their clique trees are too large
# for inference.
MAX_PLOTTED_SIZE = 100_000_000


def make_parser(argv: Sequence[str]) -> CommandParser:
    study = next((STUDIES[argument] for argument in argv if argument in STUDIES), None)
    parser = CommandParser(
        "study",
        "Learn networks, latent class models, decision graphs and compiled networks on the data\n"
        "sets of a publication, and print tables: published beside obtained, with a verdict.\n"
        "Every point is saved in the folder, so a study that was stopped or killed can be\n"
        "continued. Without NAME, list the studies.",
    )
    parser.describe(study, "study")
    parser.add_argument("name", metavar="NAME", nargs="?", help="name of the study")
    parser.add_argument(
        "-o",
        "--output",
        "--out",
        type=folder,
        metavar="FOLDER",
        help="folder for points, curves and tables",
    )
    parser.add_data_folder()
    add_executor_options(parser)
    parser.add_argument(
        "--tables", action="store_true", help="only write tables and curves of the saved points"
    )
    parser.add_time_limit("the points found")
    parser.add_seed()
    parser.add_argument(
        "--small", action="store_true", help="a run of minutes, for a look; settings still apply"
    )
    if study is not None:
        add_param_options(parser, StudyParams, f"settings of {study.key}")
        if "--small" in argv:
            parser.set_defaults(**option_defaults(SMALL))
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Result:
    folder = data_folder(args.data)
    if args.name is None:
        return study_list(folder)
    study = study_of(args.name)
    if args.output is None:
        raise UsageError("study needs --out FOLDER for its points, curves and tables.")
    params = params_from(args, StudyParams)
    study = study.only(params.only)
    sources = read_sources(study, folder)
    line.message(changed_files_note(study, folder))
    folder_of_points = Path(args.output)
    task = StudyTask(folder_of_points, study, params, args.seed, sources, executor_of(args))
    end = None
    if not args.tables:
        end = run_task(
            task,
            lambda event: None,  # points are read from the folder
            line,
            time_limit=args.time_limit,
            shows_note=lambda note: isinstance(note, RunProblem),
            yields_after_stop=True,
        )
    return _report(task, end, line)


def study_list(folder: Path | None) -> ExperimentList:
    """All studies, and the data files that the folder lacks."""
    entries = []
    descriptions = []
    for study in STUDIES.values():
        sets = [data_set.name for data_set in study.sets]
        absent = list(absent_files(study, folder))
        entries.append(
            {
                "key": study.key,
                "title": study.title,
                "place": study.place,
                "help": study.help,
                "takes": study.takes,
                "sets": sets,
                "absent": absent,
            }
        )
        missing = f" Missing: {', '.join(absent)}." if absent else ""
        descriptions.append(f"{study.help} {', '.join(sets)}.{missing}")
    return ExperimentList("studies", entries, descriptions)


def _report(task: StudyTask, end: RunEnd | None, line: ProgressLine) -> StudyReport:
    """Write curves and tables into the folder."""
    results = list(task.results())
    tables = tables_of(results)
    for result in results:
        name = result.data_set.name
        replace_file(task.folder / f"{name}.svg", _picture(result).encode())
        for kind, sweep in query_sweeps(result).items():
            replace_file(task.folder / f"{name}-{kind}.svg", sweep_svg(sweep).encode())
    if results:
        text = "\n".join(table.markdown() for table in tables)
        replace_file(task.folder / TABLES, f"{text}\n".encode())
    points = sum(len(result.points) for result in results)
    learning = sum(result.seconds for result in results)
    summary = "" if end is None else f"{end.summary}. "
    line.message(
        f"{summary}{count_of(points, 'point')} of {count_of(len(results), 'data set')}, "
        f"{whole(learning)} s of learning; curves and {TABLES} are in {task.folder}."
    )
    return StudyReport(task, end, results, tables)


def _picture(result: SetResult) -> str:
    """The plot of all curves, with the best graph of each compiled network.

    Models far smaller than any network are left out, as they would compress the rest.
    """
    truth = None if result.truth is None else (result.truth.size, result.truth.test)
    points = [p for p in result.points if p.series != HYBRID]
    points += [best for trail in result.trails if (best := trail.best) is not None]
    min_size = 0.8 * min((p.effective_size for p in points if p.series == BN), default=0)
    shown = [
        p
        for p in points
        if math.isfinite(p.test_log2_likelihood_per_row)
        and min_size <= p.effective_size <= MAX_PLOTTED_SIZE
    ]
    plot = curve_plot(shown, title=result.data_set.title, ceiling=result.ceiling, truth=truth)
    series = tuple(
        replace(one, marker=Marker("t", "vermilion")) if one.name == HYBRID else one
        for one in plot.series
    )
    return curve_svg(replace(plot, series=series))


@dataclass(frozen=True, eq=False)
class StudyReport:
    """The tables of a study."""

    task: StudyTask
    end: RunEnd | None
    results: Sequence[SetResult]
    tables: Sequence[StudyTable]

    @property
    def exit_code(self) -> int:
        return 0 if self.end is None else self.end.exit_code

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "study": self.task.study.key,
            "seed": self.task.seed,
            "parameters": params_to_dict(self.task.params),
            "outcome": None if self.end is None else self.end.outcome,
            "seconds": None if self.end is None else self.end.seconds,
            "sets": [
                {
                    "name": result.data_set.name,
                    "rows": list(result.counts),
                    "ceiling": result.ceiling,
                    "learning_seconds": result.seconds,
                    "points": len(result.points),
                }
                for result in self.results
            ],
            "tables": [
                {
                    "title": table.title,
                    "head": list(table.head),
                    "rows": [list(row) for row in table.rows],
                }
                for table in self.tables
            ],
            "notes": [] if self.end is None else self.end.notes,
        }

    def blocks(self) -> Iterator[Block]:
        for table in self.tables:
            yield f"\n{table.title}"
            yield Table(table.head, table.rows, table.sides)
            if table.note:
                yield "\n".join(textwrap.wrap(table.note, 96))
