"""`pgmstudio sweep`: an experiment from a plan, kept point by point in a folder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import follow
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_table
from pgmstudio.core.errors import FileError, ParameterError, RunFailedError

if TYPE_CHECKING:
    from pgmstudio.core.analysis.query_benchmark import LineFit
    from pgmstudio.core.experiments.plans.expansion import PlanRows
    from pgmstudio.core.experiments.plans.plan import Plan
    from pgmstudio.core.experiments.plans.runner import Place
    from pgmstudio.core.experiments.sl_curves.points import CurvePoint
    from pgmstudio.core.io.experiments import PointFolder

PICTURE_ENDING = ".svg"


def run(words: Sequence[str]) -> int:
    args = _parser().parse(words)
    if args.plot is not None and Path(args.plot).suffix.lower() != PICTURE_ENDING:
        raise UsageError("--plot: the picture ends in .svg.")
    from pgmstudio.core.experiments.plans.run_task import RunProblem
    from pgmstudio.core.experiments.plans.runner import checked_runs
    from pgmstudio.core.io.experiments import KeptPlanTask, PointFolder, read_plan, read_plan_rows

    line = ProgressLine(quiet=args.quiet)
    plan = read_plan(args.plan)
    if plan.data is None:
        raise FileError(args.plan, "names no data. Add a group “data” with the entry “file”.")
    folder = PointFolder(args.out or Path(args.plan).with_suffix(".points"))
    if folder.points and not args.resume:
        there = count_of(len(folder.points), "point")
        told = f"holds {there} already. Add --resume to go on with them, or choose another folder."
        raise FileError(folder.folder, told)
    rows = read_plan_rows(plan.data)
    try:
        keys = checked_runs(plan, rows)
    except ParameterError as wrong:  # of the plan, and not of an option here
        raise FileError(args.plan, f"{wrong}.") from wrong
    kept = len(folder.points_of(keys))
    end = follow(
        KeptPlanTask(folder.folder, plan, rows, _place(args)),
        lambda event: None,  # points are taken from the folder, where they are kept
        line,
        time_limit=args.time_limit,
        says=lambda note: isinstance(note, RunProblem),
        returns_models=True,
    )
    folder = PointFolder(folder.folder)
    points = folder.points_of(keys)
    if end.is_finished and not points:
        raise RunFailedError(" ".join(["No run of the plan gave a model.", *end.notes[:1]]))
    fresh = len(points) - kept
    line.say(
        f"{end.words} with {count_of(len(points), 'point')}, "
        f"{fresh} of them new; they are in {folder.folder}."
    )
    if args.against_best and points:
        points = _against_best(points, plan, rows, folder)
    _write(points, plan, rows, args)
    if args.json:
        print_json(
            {
                "plan": args.plan,
                "data": rows.fingerprint,
                "folder": str(folder.folder),
                "outcome": end.outcome,
                "seconds": end.seconds,
                "new_points": fresh,
                "points": [point.as_dict() for point in points],
                "notes": end.notes,
            }
        )
    else:
        _print(points)
    return end.code


def _parser() -> CommandParser:
    parser = CommandParser(
        "sweep",
        "Learns and measures all the models of a plan (a .toml or .json file) and keeps every\n"
        "point as it comes. A sweep that was stopped or killed goes on with --resume; so does one\n"
        "whose plan has grown. Nothing that is done is done again.",
    )
    parser.add_argument("plan", metavar="PLAN", help="see docs/how-to/run-an-experiment.md")
    parser.add_argument("--out", metavar="FOLDER", help="where points go (default PLAN.points)")
    parser.add_argument("--resume", action="store_true", help="go on with the points in the folder")
    parser.add_processes()
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="run on the workers of a Dask scheduler, tcp://HOST:PORT",
    )
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the curves")
    parser.add_argument(
        "--linear", action="store_true", help="sizes of the plot evenly, not by their logarithm"
    )
    parser.add_argument(
        "--lambda",
        dest="lambda_",
        type=number(0, 0.999999, low_open=True),
        metavar="X",
        help="draw the line of equal score for this λ",
    )
    parser.add_argument(
        "--against-best",
        action="store_true",
        help="how far the beliefs of every model are from those of the best one, in bits",
    )
    parser.add_argument("--csv", metavar="FILE.csv", help="write the points as a table")
    parser.add_time_limit("the points found")
    parser.add_json()
    parser.add_quiet()
    return parser


def _against_best(
    points: Sequence[CurvePoint], plan: Plan, rows: PlanRows, folder: PointFolder
) -> list[CurvePoint]:
    """The points with their distance to the model with most bits on the test rows."""
    from pgmstudio.core.analysis.query_benchmark import QueryPlan, random_queries
    from pgmstudio.core.experiments.sl_curves.selection import best_on_test, with_distances

    best = best_on_test(points)
    assert best is not None
    asked = plan.queries or QueryPlan(targets=0, given=min(3, len(rows.test.domain) - 1))
    queries = random_queries(rows.test, asked)
    return with_distances(points, folder.model, folder.model(best), queries, asked.timed)


def _place(args: argparse.Namespace) -> Place:
    if args.cluster is not None:
        from pgmstudio.core.experiments.plans.dask_executor import Cluster

        return Cluster(args.cluster)
    from pgmstudio.core.experiments.plans.runner import ProcessExecutor

    return ProcessExecutor(args.processes)


def _write(
    points: Sequence[CurvePoint], plan: Plan, rows: PlanRows, args: argparse.Namespace
) -> None:
    """The table and the picture, where they were asked for."""
    from pgmstudio.core.experiments.sl_curves.points import points_csv
    from pgmstudio.core.io.atomic import replace_file

    if args.csv is not None:
        replace_file(args.csv, points_csv(points).encode())
    if args.plot is not None:
        from pgmstudio.core.drawing.svg.sl_plot import curve_svg
        from pgmstudio.core.experiments.plans.runner import ceiling_of, truth_of
        from pgmstudio.core.experiments.sl_curves.curve import curve_plot

        plot = curve_plot(
            points,
            title=plan.title,
            ceiling=ceiling_of(rows),
            lambda_=args.lambda_,
            truth=truth_of(rows),
            is_log=not args.linear,
        )
        replace_file(args.plot, curve_svg(plot).encode())


HEAD = (
    *("Curve", "", "λ", "Seed", "Effective size", "Parameters", "Train bits", "Test bits", "±"),
    *("Learning s", "Update ms", "Query bits", "Beliefs off"),
)


def _print(points: Sequence[CurvePoint]) -> None:
    """All points by curve from small to large, with what they are chosen for."""
    from pgmstudio.core.experiments.sl_curves.points import curves_of, measured_words
    from pgmstudio.core.experiments.sl_curves.selection import (
        best_on_test,
        chosen_of,
        pareto_front,
        timing_fits,
    )

    front = {id(point) for point in pareto_front(points)}
    best = best_on_test(points)
    rows = []
    for name, own in curves_of(points).items():
        chosen = chosen_of(own)
        for point in own:
            marks = ["★"] if point is best else ["●"] if id(point) in front else []
            marks += [] if chosen is None else chosen.letters(point)
            update = point.inference_seconds
            rows.append(
                (
                    name,
                    " ".join(marks),
                    decimal(point.lambda_),
                    str(point.seed),
                    *measured_words(point),
                    f"{point.seconds:.2f}",
                    decimal(None if update is None else 1000 * update),
                    decimal(point.query_log2),
                    decimal(point.query_distance),
                )
            )
    print_table(HEAD, rows, "<<>>>>>>>>>>>")
    if best is not None:
        print("★ most bits per test row   ● no other model is both smaller and more likely")
        print("BIC, AIC: the model of its curve that this criterion takes")
    for family, fit in timing_fits(points).items():
        print(f"{family}: {_timing_words(fit)} (R² {fit.r_squared:.2f})")


def _timing_words(fit: LineFit) -> str:
    if not fit.is_clear:
        return "these sizes do not tell how an update grows with size"
    error = "" if fit.slope_error is None else f" ± {1e9 * fit.slope_error:.2f}"
    return f"an update takes {1e9 * fit.slope:.2f}{error} ns for each unit of size"
